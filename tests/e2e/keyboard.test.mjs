// Everything without a pointer: from the toolbar's shortcut through every view to the settings and back.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { followReading, launchHermetic, open, picture, SAMPLE, serveOwnPages, settingsFor, until, wear } from './harness.mjs';
import { highlightsAnswer, inTurn, provide, reading as answer, speak, stall, stream } from './provider_server.mjs';

const dialect = 'openai';
const PROSE = '## Key Claims\n\nThe page makes one claim.\n\n## Overall Assessment\n\nTrustworthiness: Medium, since one source is named.\n';

let sidelight, site, server;
before(async () => {
  site = await serveOwnPages();
  sidelight = await launchHermetic();
  const page = await sidelight.openPage(site.url + SAMPLE);
  const text = await page.evaluate(() => document.querySelector('article').innerText.replace(/\s+/g, ' '));
  await page.close();
  const sentences = text.split(/(?<=\.) /).filter(sentence => sentence.length > 40).slice(3, 6);
  const phrases = sentences.map(sentence => sentence.slice(0, 60).replace(/ \S*$/, ''));
  const found = phrases.map((phrase, n) => ({ phrase, category: ['bias', 'logical', 'emotional'][n], note: 'A note.', source: '', source_url: '' }));
  server = await provide({
    walks: (seen, ...rest) => {
      const isQuestion = /Who built it\?|And then\?/.test(JSON.stringify(seen.body.messages.at(-1)));
      return (isQuestion ? chat : readings)(seen, ...rest);
    },
  });
  const readings = answer({
    analysis: stream(speak(dialect, PROSE)),
    highlights: stream(speak(dialect, highlightsAnswer(found))),
  });
  const chat = inTurn(stream(speak(dialect, 'The town did.')), stall(speak(dialect, 'It went on for long.').slice(0, 400)));
});
after(async () => {
  await sidelight?.close();
  await Promise.all([site?.close(), server?.close()]);
});

test('a reader without a pointer reads, finds a phrase on the page, asks, stops and changes settings', async t => {
  const { panel, tab } = await open(t, sidelight, site.url + SAMPLE, { ...settingsFor(dialect, server.url, 'walks'), welcomed: true });
  const reading = await followReading(panel);
  assert.equal(reading.state, 'done', JSON.stringify(reading.errors));
  const keys = panel.keyboard;
  await panel.bringToFront();

  await t.test('Analysis: every stop shows that it has the focus, and the way goes on', async () => {
    await assertWalk(panel, 'analysis');
  });

  await t.test('Highlights: arrows go to the tab and through the list, Enter leads to the page', async () => {
    await panel.focus('#tab-analysis');
    await keys.press('ArrowRight');
    await untilFocused(panel, '#tab-highlights');
    await assertWalk(panel, 'highlights');
    await panel.focus('#tab-highlights');
    await keys.press('j');
    await keys.press('ArrowDown');
    await untilFocused(panel, `[data-index="${reading.highlights[1].index}"] *`);
    await keys.press('Enter');
    await until(tab, () => document.getElementsByTagNameNS('*', 'sidelight-note').length === 1);
    await until(tab, phrase => { // it may scroll there smoothly
      const fold = text => text.replace(/\s+/g, ' ').trim();
      const ranges = [...CSS.highlights].filter(([name]) => name.startsWith('sidelight-')).flatMap(([, ranges]) => [...ranges]);
      const box = ranges.find(range => phrase.startsWith(fold(String(range))))?.getBoundingClientRect();
      return box && box.top >= 0 && box.bottom <= innerHeight;
    }, reading.highlights[1].phrase);
    await panel.bringToFront();
    await press(panel, 'Tab', () => document.activeElement.classList.contains('copy'));
    await keys.press('Enter');
    await until(panel, () => /^(Copied|Not copied)/.test(document.querySelector('#outcome').textContent));
    await press(panel, 'Tab', () => document.activeElement.classList.contains('ask-about'));
    await keys.press('Enter');
    await untilFocused(panel, '#question');
    assert.equal(await panel.$eval('#chip .text', chip => chip.textContent), `About: “${reading.highlights[1].phrase}”`);
    await panel.click('#chip-remove');
    await panel.focus('#tab-chat');
    await keys.press('ArrowLeft');
    await keys.press('/');
    await untilFocused(panel, '#filter');
    await keys.type('nothing of the kind');
    await keys.press('Escape');
    await untilFocused(panel, '#list *');
    assert.equal(await panel.$eval('#filter', filter => filter.value), '');
  });

  await t.test('Chat: typed, sent, stopped', async () => {
    await panel.focus('#tab-highlights');
    await keys.press('ArrowRight');
    await untilFocused(panel, '#tab-chat');
    await press(panel, 'Tab', () => document.activeElement.id === 'question');
    await keys.type('Who built it?');
    await keys.press('Enter');
    await until(panel, () => document.querySelector('.turn .prose')?.textContent === 'The town did.'
      && !document.querySelector('.turn[data-running]'));
    await untilFocused(panel, '#question');
    await assertWalk(panel, 'chat');
    await panel.focus('#question');
    await keys.type('And then?');
    await keys.press('Enter');
    await until(panel, () => document.querySelector('.turn:last-child .prose')?.textContent.startsWith('It'));
    await press(panel, 'Tab', () => document.activeElement.id === 'stop-answer');
    await keys.press('Space');
    await until(panel, () => !document.querySelector('.turn[data-running]'));
    assert.match(await panel.$eval('.turn:last-child .remark', remark => remark.innerText), /^Stopped/);
    await untilFocused(panel, 'body *'); // it is not lost with the button
    await press(panel, 'Tab', () => document.activeElement.textContent === 'Retry');
  });

  await t.test('Export: the menu opens, and Escape closes it', async () => {
    await panel.focus('#tab-chat');
    await keys.press('ArrowLeft');
    await panel.focus('#share');
    await keys.press('Enter');
    await until(panel, () => document.querySelector('#menu').matches(':popover-open'));
    await press(panel, 'Tab', () => document.activeElement.id === 'save-json');
    await keys.press('Escape');
    await until(panel, () => !document.querySelector('#menu').matches(':popover-open'));
    await untilFocused(panel, '#share');
  });

  await t.test('Settings: opened, walked, and back', async () => {
    await panel.focus('#settings');
    await keys.press('Enter');
    const target = await sidelight.browser.waitForTarget(target => target.url().startsWith(sidelight.url('options/')));
    const options = await target.asPage();
    await until(options, () => document.querySelector('input[value=openai]:checked'));
    await until(options, () => document.querySelector('#fields').checkVisibility());
    await assertWalk(options, 'options');
    await options.focus('input[value=openai]');
    await options.keyboard.press('ArrowDown');
    await until(options, () => document.querySelector('input[name=provider][value=gemini]:checked'));
    await options.close();
    await panel.bringToFront();
    assert.equal(await panel.evaluate(() => document.body.dataset.state), 'done', 'the reading is still there');
  });
});

test('the focus shows in both themes and in forced colours', async t => {
  const { panel } = await open(t, sidelight, site.url + SAMPLE, { ...settingsFor(dialect, server.url, 'walks'), welcomed: true });
  await followReading(panel);
  await wear(panel, 'dark');
  await assertWalk(panel, 'dark');
  const session = await panel.createCDPSession();
  await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
  await assertWalk(panel, 'forced colours');
  await panel.focus('#read');
  await picture(panel, 'panel-forced-colors');
  await panel.click('#tab-highlights');
  await picture(panel, 'panel-highlights-forced-colors');
});

const untilFocused = (page, selector) => until(page, selector => document.activeElement.matches(selector), selector);

/// Presses a key until `there` holds in the page.
async function press(page, key, there) {
  for (let times = 0; times < 60; times++) {
    if (await page.evaluate(there)) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${key} never gets there`);
}

/// Goes through a page by Tab: every control in view is reached, each shows that it has the focus, and none keeps it.
async function assertWalk(page, where) {
  await page.evaluate(() => {
    document.activeElement.blur();
    globalThis.walked = [];
  });
  const stops = [];
  for (let times = 0; times < 120; times++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === document.body) return 'the way out of the page, which begins again at its top';
      if (globalThis.walked.includes(element)) return null;
      globalThis.walked.push(element);
      // A radio button shows it by the row it stands in.
      const shown = [element, element.closest('label')].filter(Boolean).map(element => getComputedStyle(element));
      const { width, height, top, bottom, left, right } = element.getBoundingClientRect();
      return {
        name: element.id || element.outerHTML.slice(0, 80),
        shows: shown.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1.5),
        inView: width > 0 && height > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
      };
    });
    if (!stop) break;
    if (stop.name) stops.push(stop);
  }
  assert.deepEqual(stops.filter(({ shows }) => !shows).map(({ name }) => name), [], `${where}: no sign of focus`);
  assert.deepEqual(stops.filter(({ inView }) => !inView).map(({ name }) => name), [], `${where}: focus out of view`);
  const missed = await page.evaluate(() => {
    const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const all = [...document.querySelectorAll(controls)].filter(control => control.checkVisibility({ visibilityProperty: true }) && !control.disabled);
    // One of a group has the place of all in the order; arrows go on from there.
    const group = control => control.name && control.type === 'radio' ? `[name=${control.name}]`
      : control.closest('[role=tablist]') ? '[role=tab]' : control.closest('#list') && control.matches('.jump') ? '.jump' : null;
    return all.filter(control => !globalThis.walked.includes(control)
      && !(group(control) && globalThis.walked.some(other => other.matches(group(control)))))
      .map(control => control.id || control.outerHTML.slice(0, 80));
  });
  assert.deepEqual(missed, [], `${where}: not reached`);
}
