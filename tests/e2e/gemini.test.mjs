// Gemini by its three ways, local servers that refuse extensions, and Chrome's own model.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clickButton, followReading, launchHermetic, open, read, SAMPLE, serveOwnPages, settingsFor, until, untilState } from './harness.mjs';
import { highlightsAnswer, provide, reading as answer, speak, stall, stream } from './provider_server.mjs';

const KEY = 'test-key-of-nobody';
const PROSE = '## Key Claims\n\nThe page makes one claim.\n';
const says = dialect => answer({ analysis: stream(speak(dialect, PROSE)), highlights: stream(speak(dialect, highlightsAnswer([]))) });
const isExtension = ({ headers }) => headers.origin?.startsWith('chrome-extension://');

/// Refuses by origin, as a web server does: before it looks at anything else.
const behind = (isRefused, answer) => (seen, response, random) => {
  if (isRefused(seen)) {
    response.writeHead(403).end();
    return;
  }
  if (seen.headers.origin) response.setHeader('access-control-allow-origin', seen.headers.origin);
  return answer(seen, response, random);
};
const onlyPages = seen => !seen.headers.origin?.startsWith('http');

let sidelight, site, server;
before(async () => {
  site = await serveOwnPages();
  sidelight = await launchHermetic();
  server = await provide({
    open: says('gemini'),
    'no-extensions': behind(isExtension, says('gemini')),
    'only-pages': behind(onlyPages, says('gemini')),
    'only-pages-stalls': behind(onlyPages, stall(speak('gemini', PROSE).slice(0, 300))),
    'no-extensions-local': behind(isExtension, says('openai')),
  });
});
after(async () => {
  await sidelight?.close();
  await site?.close();
  await server?.close();
});

/// The requests that came since, once the reading is over.
async function readAndListen(t, settings) {
  const already = server.requests.length;
  const { reading, tab, panel } = await read(t, sidelight, site.url + SAMPLE, settings);
  return { reading, tab, panel, asked: server.requests.slice(already) };
}

/// Nothing the page can look at holds the key, and the script that would ask in its name is not there.
async function assertOutOfReach(tab, panel) {
  const seen = await tab.evaluate(() => JSON.stringify(performance.getEntries()) + document.documentElement.outerHTML);
  assert.ok(!seen.includes(KEY) && !seen.includes('/v1beta/'), 'the page sees the request');
  const injected = await panel.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
    const [{ result }] = await chrome.scripting.executeScript({ target: { tabId: tab.id }, func: () => Boolean(globalThis.__sidelightProxy) });
    return result;
  });
  assert.equal(injected, false);
}

const rules = panel => panel.evaluate(() => chrome.declarativeNetRequest.getSessionRules());

test('a server that takes extensions is asked directly, streaming, the key in a header', async t => {
  const { reading, tab, panel, asked } = await readAndListen(t, settingsFor('gemini', server.url, 'open'));
  assert.equal(reading.state, 'done');
  assert.equal(reading.analysis, PROSE);
  assert.equal(asked.length, 2);
  for (const { path, headers, body } of asked) {
    assert.equal(path, '/v1beta/models/open:streamGenerateContent?alt=sse');
    assert.equal(headers['x-goog-api-key'], KEY);
    assert.doesNotMatch(path + JSON.stringify(body), new RegExp(KEY));
  }
  await assertOutOfReach(tab, panel);
});

for (const [provider, model] of [['gemini', 'no-extensions'], ['openai', 'no-extensions-local']]) {
  test(`${provider}: a server that refuses the extension's origin is asked without one`, async t => {
    const { reading, tab, panel, asked } = await readAndListen(t, settingsFor(provider, server.url, model));
    assert.equal(reading.state, 'done');
    assert.equal(reading.analysis, PROSE);
    assert.ok([1, 2].includes(asked.filter(isExtension).length), 'at most one try each with the origin');
    assert.deepEqual(asked.filter(seen => !isExtension(seen)).map(({ headers }) => headers.origin), [undefined, undefined]);
    await until(panel, async () => (await chrome.declarativeNetRequest.getSessionRules()).length === 0);
    await assertOutOfReach(tab, panel);
  });
}

test('the page asks only after consent, once for each message, with a simple request', async t => {
  const { reading, tab, panel, asked } = await readAndListen(t, settingsFor('gemini', server.url, 'only-pages'));
  assert.deepEqual([...new Set(reading.errors.map(({ code }) => code))], ['needs_consent']);
  assert.match(reading.errors[0].message, /your API key then passes through that page/);
  assert.ok(!asked.some(({ headers }) => headers.origin?.startsWith('http')), 'the page asked without consent');
  await assertOutOfReach(tab, panel);

  const already = server.requests.length;
  await panel.evaluate(() => chrome.storage.local.set({ geminiPageProxy: true }));
  await clickButton(panel, /retry|try again|re-?analy[sz]e|read again/i);
  await untilState(panel, 'done');
  assert.equal((await followReading(panel)).analysis, PROSE);
  const fromPage = server.requests.slice(already).filter(({ headers }) => headers.origin === new URL(site.url).origin);
  assert.equal(fromPage.length, 2, 'one request for the analysis, one for the highlights');
  for (const { method, path, headers } of fromPage) {
    assert.equal(method, 'POST');
    assert.equal(path, `/v1beta/models/only-pages:streamGenerateContent?alt=sse&key=${KEY}`);
    assert.equal(headers['content-type'], 'text/plain');
    assert.equal(headers['x-goog-api-key'], undefined);
  }
  assert.ok(!server.requests.some(({ method }) => method === 'OPTIONS'), 'a preflight');
});

const askedByPage = since => server.requests.slice(since).filter(({ headers }) => headers.origin === new URL(site.url).origin);

test('consent for analysis and highlights: the panel says what it means; a no asks nothing, a yes reads at once', async t => {
  const already = server.requests.length;
  const { panel } = await read(t, sidelight, site.url + SAMPLE, { ...settingsFor('gemini', server.url, 'only-pages'), welcomed: true });
  for (const view of ['analysis', 'highlights']) {
    await panel.click(`#tab-${view}`);
    const notice = await panel.$eval('#notices', notices => notices.innerText);
    assert.match(notice, /your API key then passes through that page[^]*Allow once for Gemini[^]*Not now/, view);
    assert.equal(notice.match(/Allow once/g).length, 1, 'one question for both');
  }
  await clickButton(panel, /^not now$/i);
  await until(panel, () => !document.querySelector('#notices').innerText.includes('Allow once'));
  assert.equal((await panel.evaluate(() => chrome.storage.local.get('geminiPageProxy'))).geminiPageProxy, undefined);
  assert.equal(askedByPage(already).length, 0, 'a no asks nothing');
  await panel.click('#read');
  await clickButton(panel, /^allow once for gemini$/i);
  await untilState(panel, 'done');
  const { analysis, errors } = await followReading(panel);
  assert.deepEqual([analysis, errors], [PROSE, []]);
  assert.equal(askedByPage(already).length, 2);
});

test('consent in the chat: asked in the turn, a no asks nothing, a yes answers the same question', async t => {
  const { panel } = await read(t, sidelight, site.url + SAMPLE, { welcomed: true });
  await panel.evaluate(settings => chrome.storage.local.set(settings), settingsFor('gemini', server.url, 'only-pages'));
  const already = server.requests.length;
  await panel.click('#tab-chat');
  await until(panel, () => document.querySelector('#composer').checkVisibility() && document.querySelector('#chat-blocked').hidden);
  await panel.type('#question', 'Who built it?');
  await panel.keyboard.press('Enter');
  const turn = wanted => until(panel, wanted => !document.querySelector('.turn[data-running]')
    && document.querySelector('.turn:last-child')?.innerText.includes(wanted), wanted);
  await turn('Allow once for Gemini');
  assert.match(await panel.$eval('.turn:last-child', turn => turn.innerText), /your API key then passes through that page/);
  await clickButton(panel, /^not now$/i);
  await until(panel, () => !document.querySelector('.turn:last-child').innerText.includes('Allow once'));
  assert.equal(askedByPage(already).length, 0, 'a no asks nothing');
  await clickButton(panel, /^retry$/i);
  await turn('Allow once for Gemini');
  await clickButton(panel, /^allow once for gemini$/i);
  await turn('The page makes one claim.');
  const asked = askedByPage(already);
  assert.equal(asked.length, 1, 'one request for the message');
  assert.match(JSON.stringify(asked[0].body), /Who built it\?/);
});

test('Stop aborts what the page asked', async t => {
  const already = server.requests.length;
  const settings = { ...settingsFor('gemini', server.url, 'only-pages-stalls'), geminiPageProxy: true };
  const { panel } = await open(t, sidelight, site.url + SAMPLE, settings);
  await until(panel, () => globalThis.sidelight.export().analysis !== '');
  await server.untilAsked(already + 6);
  await clickButton(panel, /^stop/i);
  await Promise.all(server.requests.slice(already).map(({ closed }) => closed));
});

test('a Chrome without its model says so', async t => {
  const { reading } = await read(t, sidelight, site.url + SAMPLE, { provider: 'builtin' });
  assert.deepEqual([...new Set(reading.errors.map(({ code }) => code))], ['not_found']);
  assert.match(reading.errors[0].message, /built-in model/);
});

test("Chrome's model reads, after a download that is told", async t => {
  const { panel } = await open(t, sidelight, site.url + SAMPLE, { provider: 'builtin' }, () => {});
  await untilState(panel, 'failed');
  const target = await sidelight.browser.waitForTarget(target => target.url() === sidelight.url('offscreen.html'));
  const offscreen = await target.asPage();
  await offscreen.evaluate(installModel, PROSE, highlightsAnswer([]));
  await clickButton(panel, /retry|try again|re-?analy[sz]e|read again/i);
  await untilState(panel, 'done');
  assert.equal((await followReading(panel)).analysis, PROSE);
  const calls = await offscreen.evaluate(() => globalThis.modelCalls);
  assert.equal(calls.length, 2);
  assert.ok(calls.every(({ system, question }) => system.includes('untrusted') || question.includes('untrusted')));
  assert.deepEqual(calls.map(({ constrained }) => constrained).sort(), [false, true], 'highlights are held to their form');
});

/// A model with the manners of Chrome's: `LanguageModel` as the Prompt API has it.
function installModel(prose, highlights) {
  globalThis.modelCalls = [];
  globalThis.LanguageModel = class LanguageModel {
    static async availability() {
      return 'downloadable';
    }
    static async create({ initialPrompts, monitor }) {
      const download = new EventTarget();
      monitor(download);
      for (const loaded of [0, 0.5, 1]) download.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded, total: 1 }));
      const session = new LanguageModel();
      session.system = initialPrompts[0].content;
      return session;
    }
    promptStreaming(question, { responseConstraint }) {
      globalThis.modelCalls.push({ system: this.system, question, constrained: Boolean(responseConstraint) });
      const text = `${this.system} ${question}`.includes('category_summaries') ? highlights : prose;
      return new ReadableStream({
        start(controller) {
          for (let at = 0; at < text.length; at += 7) controller.enqueue(text.slice(at, at + 7));
          controller.close();
        },
      });
    }
    destroy() {}
  };
}
