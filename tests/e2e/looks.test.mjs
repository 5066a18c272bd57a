// What axe-core finds in each view of ours, in both themes and narrow, and pictures of them for people to look at.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  axeViolations as violations, followReading, launchHermetic, launchIn, open, picture, read, SAMPLE, serveOwnPages,
  settingsFor, until, untilState, wear,
} from './harness.mjs';
import { events, highlightsAnswer, provide, reading as answer, speak, stall, status, stream } from './provider_server.mjs';

const dialect = 'openai';
const PROSE = '## Key Claims\n\nThe page makes `one` claim.\n\n- first\n- second\n\n## Bias\n\n| Side | Words |\n|---|---|\n| town | 120 |\n\n';
const ANSWER = 'The town built it in **1902**, the page says:\n\n1. first the eastern pier,\n2. then the western one.\n\n> It has served the town.\n';
const chunk = (delta, finish_reason = null) => ({ choices: [{ index: 0, delta, finish_reason }] });
const thinking = [{ reasoning_content: 'The reader asks who built it. ' }, { reasoning_content: 'The second paragraph names the town.' }].map(delta => chunk(delta));
const isQuestion = ({ body }) => /Who built it\?/.test(JSON.stringify(body.messages?.at(-1) ?? ''));

let sidelight, site, server;
before(async () => {
  site = await serveOwnPages();
  sidelight = await launchHermetic();
  const reads = answer({ analysis: stream(speak(dialect, PROSE)), highlights: stream(speak(dialect, highlightsAnswer([]))) });
  server = await provide({
    stalls: stall(speak(dialect, PROSE).slice(0, speak(dialect, PROSE).lastIndexOf('data: {'))),
    refuses: status(401, { error: { message: 'Incorrect API key provided' } }),
    forbids: status(403, ''),
    waits: status(429, { error: { message: 'Rate limit reached for requests. Limit: 3 a minute.' } }, { 'retry-after': '100' }),
    chats: (seen, ...rest) => (isQuestion(seen)
      ? stream(events(dialect, [...thinking, chunk({ content: ANSWER }), chunk({}, 'stop')])) : reads)(seen, ...rest),
  });
});
after(async () => {
  await sidelight?.close();
  await Promise.all([site?.close(), server?.close()]);
});

/// A view in both themes, wide and narrow: clean to axe, nothing beyond its edge, and a picture of each.
async function look(page, name, { height = 640 } = {}) {
  for (const theme of ['light', 'dark']) {
    await wear(page, theme);
    for (const [width, suffix] of [[360, ''], [320, '-narrow']]) {
      await page.setViewport({ width, height });
      if (!suffix) assert.deepEqual(await violations(page), [], `${name}, ${theme}`);
      const wide = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll('main, footer, .bar, .notice, [role=tabpanel], section')]
        .filter(element => element.checkVisibility() && element.scrollWidth > element.clientWidth + 1).map(element => element.outerHTML.slice(0, 80)));
      assert.deepEqual(wide, [], `${name} is wider than ${width} px`);
      await picture(page, `${name}-${theme}${suffix}`);
    }
  }
  await page.setViewport({ width: 360, height });
  const session = await page.createCDPSession();
  await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
  await picture(page, `${name}-forced-colors`);
  await session.send('Emulation.setEmulatedMedia', { features: [] });
  await session.detach();
}

test('each tab of the panel, over the offline reader', async t => {
  const { panel, tab } = await open(t, sidelight, site.url + SAMPLE);
  await followReading(panel);
  await look(panel, 'panel-first-run');
  await panel.evaluate(() => chrome.storage.local.set({ welcomed: true }));
  await until(panel, () => !/Got it/.test(document.querySelector('#notices').innerText));
  await picture(tab, 'page-light');
  for (const name of ['analysis', 'highlights', 'chat']) {
    await panel.click(`#tab-${name}`);
    await look(panel, `panel-${name}`);
  }
  await panel.click('#history-open');
  await until(panel, () => document.querySelector('#history-list').childElementCount > 0);
  await look(panel, 'panel-history');
  await panel.keyboard.press('Escape');
  await until(panel, () => !document.querySelector('#history').open);
  await panel.click('#tab-highlights');
  await panel.click('.jump');
  await panel.click('#legend summary');
  await look(panel, 'panel-legend');
  await panel.click('#legend summary');
  await panel.click('#filter');
  await panel.keyboard.type('nothing of the kind');
  await until(panel, () => document.querySelector('#list-empty').checkVisibility());
  await look(panel, 'panel-filtered-out');
  await panel.click('#show-all button');
  await until(panel, () => document.activeElement.matches('.jump') && document.querySelector('#filter').value === '');
});

test('while it reads, stopped, failed, another page, no page', async t => {
  const { panel, tab } = await open(t, sidelight, site.url + SAMPLE, { ...settingsFor(dialect, server.url, 'stalls'), welcomed: true });
  await until(panel, () => document.querySelector('#prose td'));
  await look(panel, 'panel-reading');
  await panel.click('#tab-highlights');
  await look(panel, 'panel-reading-highlights');
  await panel.click('#tab-analysis');
  await panel.click('#stop');
  await untilState(panel, 'interrupted');
  await look(panel, 'panel-stopped');
  await sidelight.prepare(settingsFor(dialect, server.url, 'waits'));
  await tab.bringToFront();
  await panel.click('#read');
  await until(panel, () => /Trying again in/.test(document.querySelector('#progress').textContent));
  await look(panel, 'panel-waiting');
  await panel.setViewport({ width: 320, height: 445 });
  // For how long it waits is in sight, with a wide font too, once the panel has its new width.
  await until(panel, () => {
    const progress = document.querySelector('#progress');
    return innerWidth === 320 && /Trying again in/.test(progress.textContent)
      && progress.scrollHeight <= progress.clientHeight + 1 && progress.scrollWidth <= progress.clientWidth + 1;
  });
  await panel.click('#stop');
  await untilState(panel, 'interrupted');
  for (const model of ['refuses', 'forbids']) {
    await sidelight.prepare(settingsFor(dialect, server.url, model));
    await tab.bringToFront();
    await panel.click('#read'); // which shows at once, whatever state came before
    await untilState(panel, 'failed');
    await look(panel, `panel-failed-${model}`);
  }
  await tab.goto(`${site.url}/`);
  await until(panel, () => /This reading belongs to/.test(document.querySelector('#notices').innerText));
  await look(panel, 'panel-other-page');
  const browserPage = await sidelight.openPage('chrome://version');
  t.after(() => browserPage.close());
  await untilState(panel, 'idle');
  await look(panel, 'panel-not-read');
  await panel.click('#read');
  await untilState(panel, 'unreadable');
  await until(panel, () => /^Navigate to a webpage first/.test(document.querySelector('#notices').innerText));
  await look(panel, 'panel-unreadable');
});

test('the chat: empty, thinking, tools, an answer, leave asked for', async t => {
  const { panel } = await read(t, sidelight, site.url + SAMPLE, { ...settingsFor(dialect, server.url, 'chats'), welcomed: true });
  await panel.click('#tab-highlights');
  await look(panel, 'panel-nothing-found');
  await panel.click('#tab-chat');
  await look(panel, 'chat-empty');
  await panel.keyboard.type('Who built it?');
  await panel.keyboard.press('Enter');
  await until(panel, () => document.querySelector('.turn') && !document.querySelector('.turn[data-running]'));
  await look(panel, 'chat-answer');
  await panel.click('.turn .thinking summary');
  await look(panel, 'chat-thinking');
  // The states that take a model with tools: from here on the test speaks for the worker.
  await panel.evaluate(() => {
    chrome.runtime.connect = () => {
      const event = { addListener: listener => { globalThis.say = listener; }, removeListener: () => {} };
      return { onMessage: event, onDisconnect: { addListener: () => {}, removeListener: () => {} }, postMessage: () => {}, disconnect: () => {} };
    };
  });
  const ask = async (...said) => {
    await panel.evaluate(() => { delete globalThis.say; });
    await panel.click('#question');
    await panel.keyboard.type('And what do others say?');
    await panel.keyboard.press('Enter');
    await until(panel, () => globalThis.say);
    await panel.evaluate(events => globalThis.say({ type: 'batch', events }), said);
  };
  const source = { url: 'https://study.example/harbours/2024', title: 'Harbours of the coast' };
  await ask({ type: 'thinking_delta', text: 'I should look.' },
    ...['Searching the web...', 'Fetching URL...', 'Fetching URL...'].map(label => ({ type: 'tool_call', name: 'any', label })));
  await until(panel, () => document.querySelector('.turn:last-child .tools').innerText.includes('× 2'));
  await look(panel, 'chat-tools');
  await panel.evaluate(source => globalThis.say({ type: 'batch', events: [{ type: 'sources', sources: [source] },
    { type: 'text_delta', text: `Others agree, as [a study](${source.url}) shows.` }, { type: 'done', stopReason: 'max_tokens', truncated: true }] }), source);
  await until(panel, () => !document.querySelector('.turn[data-running]'));
  await look(panel, 'chat-cut');
  await ask({ type: 'error', code: 'needs_consent', message: "Gemini refuses requests of browser extensions. The page you read can ask in Sidelight's place, but your API key then passes through that page, whose scripts could read it. Allow this only if you trust the pages you read." });
  await until(panel, () => !document.querySelector('.turn[data-running]') && document.querySelectorAll('.turn').length === 3);
  await look(panel, 'chat-consent');
});

test('the panel from right to left', async t => {
  const arabic = await launchIn('ar');
  t.after(() => arabic.close());
  await arabic.prepare({ welcomed: true });
  const tab = await arabic.openPage(site.url + SAMPLE);
  const panel = await arabic.openPanel(tab);
  await followReading(panel);
  assert.equal(await panel.$eval('html', html => html.dir), 'rtl');
  for (const name of ['analysis', 'highlights', 'chat']) {
    await panel.click(`#tab-${name}`);
    await look(panel, `rtl-${name}`);
  }
});

test('options, each section, and the page of welcome', async () => {
  const options = await sidelight.openExtensionPage('options/options.html');
  await options.waitForSelector('input[value=openai]', { timeout: 30_000 });
  await options.click('input[value=openai]');
  await options.$$eval('details', all => all.forEach(details => { details.open = true; }));
  await options.click('#erase');
  await look(options, 'options-small', { height: 900 });
  for (const theme of ['light', 'dark']) {
    await wear(options, theme);
    await options.setViewport({ width: 900, height: 900 });
    for (const section of ['providers', 'reading', 'sites', 'privacy', 'about']) {
      await options.evaluate(section => document.getElementById(section).scrollIntoView(), section);
      await picture(options, `options-${section}-${theme}`);
    }
    assert.deepEqual(await violations(options), [], theme);
  }
  await options.close();
  const welcome = await sidelight.openExtensionPage('welcome/welcome.html');
  await look(welcome, 'welcome-small');
  for (const theme of ['light', 'dark']) {
    await wear(welcome, theme);
    await welcome.setViewport({ width: 1000, height: 800 });
    assert.deepEqual(await violations(welcome), [], theme);
    await picture(welcome, `welcome-${theme}`);
  }
  await welcome.close();
});

for (const path of ['/', '/playground.html', SAMPLE]) {
  test(`our own page ${path}`, async () => {
    const page = await sidelight.openPage(site.url + path);
    for (const theme of ['light', 'dark']) {
      await wear(page, theme);
      assert.deepEqual(await violations(page), [], theme);
      await picture(page, `www${path.replace(/\.html$/, '').replace(/\W+/g, '-')}-${theme}`);
    }
    await page.close();
  });
}
