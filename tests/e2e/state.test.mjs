// What outlives the panel: its state for the panel that opens next, and the history for the years to come.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import {
  axeViolations, closePanel, followReading, launch, launchHermetic, open, paintedTexts, picture, SAMPLE, serveOwnPages,
  settingsFor, until, untilState, wear,
} from './harness.mjs';
import { highlightsAnswer, inTurn, provide, reading as answer, speak, stall, stream } from './provider_server.mjs';

const dialect = 'openai';
const PROSE = '## Key Claims\n\nThe page makes one claim.\n\n## Overall Assessment\n\nTrustworthiness: High — it names its sources.\n';
const OTHER = '/index.html';

/// `here` is the site by the one name the panel may know the address of every tab by.
let sidelight, site, here, server;
before(async () => {
  site = await serveOwnPages();
  here = site.url.replace('//localhost', '//127.0.0.1');
  const highlights = stream(speak(dialect, highlightsAnswer(await phrases(), { category_summaries: { bias: 'One side.' } })));
  const whole = answer({ analysis: stream(speak(dialect, PROSE)), highlights });
  const isQuestion = ({ body }) => !/Analyse this page\.|category_summaries/.test(JSON.stringify(body.messages.at(-1)) + JSON.stringify(body.messages[0]));
  const talks = (seen, ...rest) => (isQuestion(seen) ? stream(speak(dialect, 'Nobody knows about cormorants.')) : whole)(seen, ...rest);
  server = await provide({
    whole: talks,
    'stalls-first': answer({ analysis: inTurn(stall(speak(dialect, PROSE).slice(0, 400)), stream(speak(dialect, PROSE))), highlights }),
  });
  sidelight = await launchHermetic();
});
after(async () => {
  await sidelight?.close();
  await Promise.all([site?.close(), server?.close()]);
});

test('the next panel shows the same reading, as the reader left it, and asks nobody', async t => {
  const { tab, panel } = await readSample(t);
  await panel.click('#tab-highlights');
  await panel.click('#pills [data-category="bias"]');
  await panel.type('#filter', 'THE');
  await untilDrawn(panel);
  const before = await shown(panel);
  await untilSaved(panel, '"filter":"THE"');
  const asked = server.requests.length;
  await closePanel(sidelight, panel);

  const next = await reopen(t, tab);
  await untilState(next, 'done');
  await untilDrawn(next);
  assert.deepEqual(await shown(next), before);
  assert.ok(before.export.highlights.every(({ anchored }) => anchored));
  assert.equal((await paintedTexts(next)).size, before.export.highlights.length, 'the page kept its marks');
  assert.equal(server.requests.length, asked);
  assert.equal(await text(next, '#trust .level'), 'Trustworthiness: High');
  assert.ok(!JSON.stringify(await session(next)).includes('test-key-of-nobody'));
});

test('what was typed and asked in the chat is there again, and the answer after it knows it', async t => {
  const { tab, panel } = await readSample(t);
  await askAbout(panel, 'Which birds?');
  await panel.type('#question', 'And wh');
  await untilSaved(panel, 'And wh');
  await closePanel(sidelight, panel);

  const next = await reopen(t, tab);
  await next.waitForSelector('.turn .prose');
  assert.match(await text(next, '.turn .prose'), /cormorants/);
  assert.equal(await next.$eval('#question', input => input.value), 'And wh');
  await askAbout(next, 'y?', 2);
  const { messages } = server.requests.at(-1).body;
  assert.equal(messages.at(-1).content, 'And why?');
  assert.match(JSON.stringify(messages), /Which birds\?.*cormorants/);
});

test('a reading that ran when the panel closed says that it was interrupted, and can be read again', async t => {
  const { tab, panel } = await openSample(t, 'stalls-first');
  await until(panel, () => document.querySelector('#prose').innerText.includes('Key Claims'));
  const asked = server.requests.filter(({ body }) => body?.model === 'stalls-first');
  await untilSaved(panel, 'Key Claims');
  await closePanel(sidelight, panel);
  await Promise.all(asked.map(({ closed }) => closed));

  const next = await reopen(t, tab);
  await untilState(next, 'interrupted');
  assert.match(await text(next, '#notices'), /interrupted\. What has arrived stays/);
  assert.match(await text(next, '#prose'), /Key Claims/);
  await next.click('#read');
  await untilState(next, 'done');
});

test('every tab has its own, also when the worker was killed meanwhile', async t => {
  const { tab, panel } = await readSample(t);
  const second = await sidelight.openPage(here + OTHER);
  t.after(() => second.isClosed() || second.close());
  await second.bringToFront();
  await untilState(panel, 'idle');
  await panel.click('#read');
  await untilState(panel, 'done');
  await closePanel(sidelight, panel);
  await sidelight.killWorker();

  const next = await reopen(t, tab);
  await untilState(next, 'done');
  assert.equal((await next.evaluate(() => globalThis.sidelight.export())).page.url, here + SAMPLE);
  await second.bringToFront();
  await until(next, url => globalThis.sidelight.export().page.url === url, here + OTHER);
  await second.close();
  await until(next, async part => !Object.keys(await chrome.storage.session.get()).some(key => key.includes(part)), OTHER);
});

test('a page that was loaded anew has lost its marks, and the next panel says so', async t => {
  const { tab, panel } = await readSample(t);
  await closePanel(sidelight, panel);
  await tab.reload();
  const next = await reopen(t, tab);
  await until(next, () => document.querySelector('#notices').innerText.includes('loaded again'));
  assert.match(await text(next, '#prose'), /one claim/);
});

test('a page read before is offered, shown in place of the page, and read again', async t => {
  const { panel } = await readSample(t);
  const again = await sidelight.openPage(here + SAMPLE);
  t.after(() => again.close());
  await again.bringToFront();
  await untilState(panel, 'idle');
  await panel.waitForSelector('#past:not([hidden])');
  assert.match(await text(panel, '#past .text'), /^You read this page on .+\.$/);
  await panel.click('#past-show');
  await untilState(panel, 'done');
  await until(panel, () => /^Read on .+\.$/.test(document.querySelector('#past .text').textContent));
  assert.match(await text(panel, '#prose'), /one claim/);
  await views(panel, 'past');
  await panel.click('#past-close');
  await untilState(panel, 'idle');
  await panel.click('#past-show');
  await panel.waitForSelector('#past-again:not([hidden])');
  const asked = server.requests.length;
  await panel.click('#past-again');
  await server.untilAsked(asked + 2);
  await untilState(panel, 'done');
  await until(panel, () => document.querySelector('#past').hidden);
});

test('with the history switched off nothing is kept', async t => {
  const { panel } = await readSample(t, { keepHistory: false });
  await clearHistory(panel);
  await panel.click('#read');
  await untilState(panel, 'done');
  await panel.evaluate(() => globalThis.dispatchEvent(new Event('pagehide')));
  await panel.click('#history-open');
  await panel.waitForSelector('#history-empty:not([hidden])');
  assert.match(await text(panel, '#history-empty'), /^Nothing was read yet/);
});

test('the history outlives the browser; it is searched, opened, exported and deleted', async t => {
  const profile = mkdtempSync(path.join(tmpdir(), 'sidelight-profile-'));
  const settings = { ...settingsFor(dialect, server.url, 'whole'), welcomed: true };
  let browser = await launch({ hermetic: true, profile });
  try {
    await browser.prepare(settings);
    const panel = await browser.openPanel(await browser.openPage(here + SAMPLE));
    await untilState(panel, 'done');
    await askAbout(panel, 'Which birds?');
    await until(panel, async () => {
      const list = await import('./history.js').then(history => history.entries());
      return list.some(({ asked }) => asked === 1);
    });
  } finally {
    await browser.close();
  }
  browser = await launch({ hermetic: true, profile });
  t.after(async () => {
    await browser.close();
    rmSync(profile, { recursive: true, maxRetries: 10 }); // its last process may still write there
  });
  await browser.prepare(settings);
  const asked = server.requests.length;
  const panel = await browser.openPanel(await browser.openPage(here + OTHER));
  await untilState(panel, 'done');
  assert.equal(server.requests.length, asked + 2, 'the session is over: the page is read');

  await panel.focus('#history-open');
  await panel.keyboard.press('Enter');
  const titles = () => panel.$$eval('.entry .title', all => all.map(title => title.textContent));
  await until(panel, () => document.querySelectorAll('.entry').length === 2);
  const [newer, older] = await titles();
  await until(panel, () => document.activeElement.id === 'history-search');
  await views(panel, 'history');
  await panel.type('#history-search', 'CORMORANTS birds');
  await until(panel, () => document.querySelectorAll('.entry').length === 1);
  assert.deepEqual(await titles(), [older]);
  assert.match(await text(panel, '.entry .meta'), /2 highlights · 1 question$/);
  assert.equal(await text(panel, '#history-count'), '1 of 2');
  await panel.click('.entry .open');
  await panel.waitForSelector('#past:not([hidden])');
  await until(panel, () => !document.querySelector('#history').open);
  await until(panel, title => document.querySelector('#title').textContent === title, older);
  assert.match(await text(panel, '#prose'), /one claim/);
  await panel.click('#tab-chat');
  assert.match(await text(panel, '.turn .prose'), /cormorants/);
  await until(panel, () => document.querySelector('#composer').hidden);
  await panel.keyboard.press('Escape');
  await until(panel, title => document.querySelector('#title').textContent === title, newer);

  await panel.click('#history-open');
  await until(panel, () => document.querySelectorAll('.entry').length === 2);
  const exported = JSON.parse(await saved(panel, '#history-export', 'sidelight-history.json'));
  assert.deepEqual(exported.map(({ page }) => page.title).sort(), [newer, older].sort());
  assert.deepEqual(exported.flatMap(({ chat }) => chat).map(({ question }) => question), ['Which birds?']);
  await until(panel, () => document.querySelector('#history-count').textContent === 'Exported.');
  await panel.click('.entry:last-child .delete');
  await until(panel, () => document.querySelectorAll('.entry').length === 1);
  assert.deepEqual(await titles(), [newer]);
  await until(panel, () => document.activeElement.className === 'open'); // the focus stays in the list
  await panel.click('#history-undo');
  await until(panel, () => document.querySelectorAll('.entry').length === 2);
  assert.deepEqual(await titles(), [newer, older]);
  assert.equal(await text(panel, '#history-count'), '2 readings');
  await until(panel, title => document.activeElement.closest('.entry').innerText.startsWith(title), older);
  await panel.keyboard.press('Enter');
  await until(panel, () => /cormorants/.test(document.querySelector('.turn .prose')?.textContent)); // all of it is back
  await panel.keyboard.press('Escape');
  await panel.click('#history-open');
  await until(panel, () => document.querySelectorAll('.entry').length === 2);
  await panel.click('#history-clear');
  await until(panel, () => document.activeElement.id === 'history-clear-not');
  await panel.click('#history-clear-now');
  await panel.waitForSelector('#history-empty:not([hidden])');
  await panel.keyboard.press('Escape');
  await until(panel, () => !document.querySelector('#history').open);
  await panel.click('#history-open');
  await panel.waitForSelector('#history-empty:not([hidden])');
});

test('nothing of the history is in the way of deleting everything', async t => {
  const { panel } = await readSample(t);
  await panel.click('#history-open');
  await panel.waitForSelector('.entry');
  const options = await sidelight.openExtensionPage('options/options.html');
  t.after(() => options.close());
  await options.click('#erase');
  await options.click('#erase-now');
  await until(options, () => /^Everything is deleted/.test(document.querySelector('#privacy-result').innerText));
  assert.deepEqual(await options.evaluate(() => indexedDB.databases()), []);
});

for (const model of ['whole', 'stalls-first']) test(`an open panel forgets with everything else, and brings nothing back: ${model}`, async t => {
  const { tab, panel } = await openSample(t, model);
  if (model === 'whole') {
    await followReading(panel);
    await askAbout(panel, 'Which birds?');
    await panel.type('#question', 'And wh');
    await untilSaved(panel, 'And wh');
  } else {
    // It goes on being read, and every second of that is a change to save.
    await until(panel, () => document.querySelector('#prose').innerText.includes('Key Claims'));
    await panel.waitForSelector('#list li');
  }
  const options = await sidelight.openExtensionPage('options/options.html');
  t.after(() => options.close());
  const kept = () => options.evaluate(async () => ({
    session: await chrome.storage.session.get(), local: await chrome.storage.local.get(), databases: await indexedDB.databases(),
  }));
  const nothing = { session: {}, local: {}, databases: [] };
  await options.click('#erase');
  await options.click('#erase-now');
  await until(options, () => /^Everything is deleted/.test(document.querySelector('#privacy-result').innerText));
  // What makes a panel save: a change, and that it is hidden.
  await tab.bringToFront();
  await untilState(panel, 'idle');
  await panel.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await untilDrawn(panel);
  assert.deepEqual(await kept(), nothing);
  const said = await panel.evaluate(() => document.body.textContent + document.querySelector('#question').value);
  assert.doesNotMatch(said, /Key Claims|Which birds|cormorants|And wh/);
  assert.equal((await paintedTexts(panel)).size, 0, 'no mark is left on the page');
  await picture(panel, `state-erased-${model}`);
  await closePanel(sidelight, panel);
  assert.deepEqual(await kept(), nothing);
});

// ---- Helpers ---------------------------------------------------------------------------------------------------------

/// Phrases of the sample page, of two categories.
async function phrases() {
  const page = await (await fetch(here + SAMPLE)).text();
  const [first, second] = [...page.matchAll(/<p[^>]*>\s*([^<.]{40,160})\./g)].map(([, words]) => words.replace(/\s+/g, ' ').trim());
  const about = (phrase, category) => ({ phrase, category, note: 'Because.', source: '', source_url: '' });
  return [about(first, 'bias'), about(second, 'emotional')];
}

/// The sample with the panel beside it, on its first tab: where the test before left off is no matter here.
async function openSample(t, model, more = {}) {
  const settings = { ...settingsFor(dialect, server.url, model), welcomed: true, ...more };
  const opened = await open(t, sidelight, here + SAMPLE, settings);
  await opened.panel.click('#tab-analysis');
  return opened;
}

async function readSample(t, more) {
  const opened = await openSample(t, 'whole', more);
  await followReading(opened.panel);
  await until(opened.panel, () => globalThis.sidelight.export().highlights.every(({ anchored }) => anchored));
  return opened;
}

async function reopen(t, tab) {
  const panel = await sidelight.openPanel(tab);
  t.after(() => closePanel(sidelight, panel));
  return panel;
}

async function askAbout(panel, question, turns = 1) {
  await panel.click('#tab-chat');
  await panel.type('#question', question);
  await panel.keyboard.press('Enter');
  await until(panel, turns => document.querySelectorAll('.turn:not([data-running]) .meta:not([hidden])').length === turns, turns);
}

/// What a reader sees of a panel, and all there is to export.
const shown = panel => panel.evaluate(() => {
  const words = selector => document.querySelector(selector).innerText;
  return {
    export: globalThis.sidelight.export(),
    tab: document.querySelector('[role=tab][aria-selected=true]').id,
    filter: document.querySelector('#filter').value,
    pills: words('#pills'), pressed: [...document.querySelectorAll('.pill')].map(pill => pill.ariaPressed),
    list: words('#list'), title: words('#title'), reader: words('#reader'), found: words('#found'), outcome: words('#outcome'),
  };
});

/// Waits until the next panel would find these words in what is kept for it.
const untilSaved = (panel, words) => until(panel,
  async words => JSON.stringify(await chrome.storage.session.get()).includes(words), words);

/// Waits until what the reader just did is drawn: the panel asked for that frame before this does.
const untilDrawn = panel => panel.evaluate(() => new Promise(requestAnimationFrame));

const session = panel => panel.evaluate(() => chrome.storage.session.get());

const text = (panel, selector) => panel.$eval(selector, element => element.textContent.replace(/\s+/gu, ' ').trim());

const clearHistory = panel => panel.evaluate(() => import('./history.js').then(history => history.clear()));

/// Looks at a view in both themes, and narrow: for axe, and for people.
async function views(panel, name) {
  for (const theme of ['light', 'dark']) {
    await wear(panel, theme);
    for (const width of [360, 320]) {
      await panel.setViewport({ width, height: 640 });
      assert.deepEqual(await axeViolations(panel), [], `${name} ${theme} ${width}`);
      assert.ok(await panel.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'scrolls sideways');
      await picture(panel, `${name}-${theme}-${width}`);
    }
  }
}

/// The text of the file that a button saves, once Chrome says that it is whole.
async function saved(panel, button, name) {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidelight-'));
  try {
    const session = await panel.createCDPSession();
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, eventsEnabled: true });
    const whole = new Promise(done => {
      session.on('Browser.downloadProgress', ({ state }) => state === 'completed' && done());
    });
    await panel.click(button);
    await whole;
    return readFileSync(path.join(folder, name), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
