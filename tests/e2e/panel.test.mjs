// The panel in a person's hands: what is copied and saved, two tabs, the filter, a page that holds everything up.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { followReading, onOwnPages, open, picture, read, SAMPLE, until, untilState } from './harness.mjs';

const own = onOwnPages();

test('what is copied and saved is the reading', async t => {
  const { panel, reading } = await read(t, own.sidelight, own.site.url + SAMPLE);
  await own.sidelight.browser.defaultBrowserContext()
    .overridePermissions(own.sidelight.url(''), ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
  await choose(panel, 'copy');
  await untilOutcome(panel, 'Copied');
  const copied = await panel.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.startsWith(`# ${reading.page.title}\n`), copied.slice(0, 80));
  assert.ok(copied.includes(reading.analysis.trim()));
  for (const { phrase } of reading.highlights) assert.ok(copied.includes(`“${phrase.replace(/\s+/gu, ' ')}”`), phrase);

  const place = await downloads(t, panel);
  assert.equal(await saved(panel, 'save-markdown', place, 'reading.md'), copied);
  const json = JSON.parse(await saved(panel, 'save-json', place, 'reading.json'));
  assert.deepEqual(json.highlights, reading.highlights);
});

test('keys go through the list, and a click on the page shows what the filter hid', async t => {
  const { panel, tab, reading } = await read(t, own.sidelight, own.site.url + SAMPLE);
  await panel.bringToFront();
  await panel.keyboard.press('j');
  await panel.keyboard.press('ArrowDown');
  await untilChosen(panel, reading.highlights[1].index);
  await panel.keyboard.press('/');
  await until(panel, () => document.activeElement.id === 'filter');
  await panel.keyboard.type('no such words');
  await until(panel, () => document.querySelector('#list-empty').checkVisibility());
  await tab.bringToFront();
  const { index, x, y } = await placeOnPage(tab, reading.highlights);
  await tab.mouse.click(x, y);
  await untilChosen(panel, index);
  await until(panel, () => document.querySelector('#filter').value === ''); // words that filter nothing any more are gone
  await until(panel, () => document.querySelector('[aria-current]').checkVisibility());
});

test('each tab keeps its reading, and the header names the page in view', async t => {
  const { panel, tab, reading } = await read(t, own.sidelight, own.site.url + SAMPLE);
  const other = await own.sidelight.openPage(`${own.site.url}/playground.html`);
  t.after(() => other.close());
  await other.bringToFront();
  await untilState(panel, 'idle');
  await until(panel, () => document.querySelector('#title').textContent === 'Another page');
  assert.equal((await own.sidelight.openPanel(other)).target(), panel.target(), 'one panel for the window');
  await until(panel, () => /Playground/i.test(document.querySelector('#title').textContent));
  assert.notEqual((await followReading(panel)).page.url, reading.page.url);
  await tab.bringToFront();
  await until(panel, title => document.querySelector('#title').textContent === title, reading.page.title);
  assert.deepEqual(await panel.evaluate(() => globalThis.sidelight.export().page), reading.page);
});

test('Stop ends the wait for a page that a dialog holds up', async t => {
  const { panel, tab } = await read(t, own.sidelight, own.site.url + SAMPLE);
  const dialog = new Promise(done => tab.once('dialog', done));
  const closed = tab.evaluate(() => alert('Wait.'));
  const shown = await dialog;
  await panel.click('#read');
  await untilState(panel, 'reading');
  await panel.click('#stop');
  await untilState(panel, 'done'); // for as long as the dialog stands, nothing else could bring it
  await shown.accept();
  await closed;
  await panel.click('#read');
  assert.equal((await followReading(panel)).state, 'done');
});

test('nothing scrolls sideways at twice the size', async t => {
  const { panel } = await open(t, own.sidelight, own.site.url + SAMPLE);
  await followReading(panel);
  await panel.setViewport({ width: 180, height: 320, deviceScaleFactor: 2 }); // 360 px at 200 %
  for (const name of ['analysis', 'highlights', 'chat']) {
    await panel.click(`#tab-${name}`);
    await picture(panel, `panel-${name}-zoomed`);
    const wide = await panel.evaluate(() => [document.documentElement, ...document.querySelectorAll('main, footer, .bar, #notices, .notice, [role=tabpanel]')]
      .filter(element => element.checkVisibility() && element.scrollWidth > element.clientWidth)
      .map(element => element.outerHTML.slice(0, 60)));
    assert.deepEqual(wide, [], name);
  }
});

const untilChosen = (panel, index) => until(panel,
  index => document.querySelector('[aria-current]')?.dataset.index === String(index), index);

async function choose(panel, id) {
  await panel.click('#share');
  await until(panel, () => document.querySelector('#menu').matches(':popover-open'));
  await panel.click(`#${id}`);
}

const untilOutcome = (panel, words) => until(panel, words => document.querySelector('#outcome').textContent === words, words);

/// A folder for what the panel saves.
async function downloads(t, panel) {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidelight-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const session = await panel.createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
  return { folder, session };
}

/// The text of the file that a menu item saves, once Chrome says that it is whole.
async function saved(panel, id, { folder, session }, name) {
  const whole = new Promise(done => {
    session.on('Browser.downloadProgress', ({ state }) => state === 'completed' && done());
  });
  await choose(panel, id);
  await whole;
  return readFileSync(path.join(folder, name), 'utf8');
}

/// Where to click for the first highlight that stands in one text node, scrolled into view: `{index, x, y}`.
const placeOnPage = (tab, highlights) => tab.evaluate(highlights => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const found = highlights.find(({ phrase }) => texts.currentNode.data.includes(phrase));
    if (!found) continue;
    texts.currentNode.parentElement.scrollIntoView();
    const range = new Range();
    const at = texts.currentNode.data.indexOf(found.phrase);
    range.setStart(texts.currentNode, at);
    range.setEnd(texts.currentNode, at + found.phrase.length);
    const { x, y, width, height } = range.getClientRects()[0];
    return { index: found.index, x: x + width / 2, y: y + height / 2 };
  }
  throw new Error('no highlight stands in one text');
}, highlights);
