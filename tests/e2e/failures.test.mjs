// Every way in which a provider fails, the worker's death, and a panel that is closed: said at once, and mended.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clickButton, closePanel, followReading, launchHermetic, open, picture, read, SAMPLE, serveOwnPages, settingsFor, until, untilState } from './harness.mjs';
import { cut, events, highlightsAnswer, inTurn, provide, reading as answer, speak, stall, status, stream } from './provider_server.mjs';

const PROSE = '## Key Claims\n\nThe page makes one claim.\n\n## Overall Assessment\n\nTrustworthiness: Medium, since one source is named.\n';
const dialect = 'openai';
const whole = answer({ analysis: stream(speak(dialect, PROSE)), highlights: stream(speak(dialect, highlightsAnswer([]))) });
const begun = speak(dialect, PROSE).slice(0, 400);
const error = (message, type) => ({ error: { message, type } });
const busy = status(529, error('Overloaded', 'overloaded_error'), { 'retry-after': '1' });

/// Milliseconds, as `modules/panel/src/ports.rs` and `src/agent/call.rs` have them.
const PING_EVERY_MS = 20_000, STALL_TIMEOUT_MS = 60_000;

let breakOff;
const broken = new Promise(done => { breakOff = done; });
const answers = {
  whole,
  'refuses-key': status(401, error('Incorrect API key provided', 'invalid_request_error')),
  'no-quota': status(429, error('You exceeded your current quota', 'insufficient_quota'), { 'retry-after': '1' }),
  'always-busy': busy,
  'busy-first': inTurn(busy, busy, whole),
  'portal': status(200, '<!doctype html><title>Sign in to this network</title>'),
  'error-in-stream': stream(events(dialect, [
    { choices: [{ index: 0, delta: { content: 'The page' }, finish_reason: null }] }, error('The server had an error', 'server_error'),
  ])),
  'connection-breaks': cut(begun),
  'breaks-later': cut(begun, broken),
  'ends-early': stream(begun),
  'stalls': stall(begun),
  'forbids-extensions': status(403, ''),
  'only-thinks': stream(events(dialect, [
    { choices: [{ index: 0, delta: { reasoning_content: 'Let me see.' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
  ])),
  'filtered': stream(events(dialect, [
    { choices: [{ index: 0, delta: { content: 'The page' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] },
  ])),
  'new-limit-name': (seen, ...rest) => ('max_tokens' in seen.body
    ? status(400, error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'invalid_request_error'))
    : whole)(seen, ...rest),
};

let sidelight, site, server;
before(async () => {
  site = await serveOwnPages();
  sidelight = await launchHermetic();
  server = await provide(answers);
});
after(async () => {
  await sidelight?.close();
  await site?.close();
  await server?.close();
});

const expectations = {
  'refuses-key': 'auth',
  'no-quota': 'rate_limited',
  'always-busy': 'overloaded',
  'portal': 'protocol',
  'error-in-stream': 'overloaded',
  'connection-breaks': 'network',
  'ends-early': 'truncated',
  'unknown-model': 'not_found',
  'forbids-extensions': 'origin_refused',
  'only-thinks': 'empty',
};
for (const [model, code] of Object.entries(expectations)) {
  test(`${model}: the panel says what happened`, async t => {
    const { reading, panel } = await read(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, model));
    assert.equal(reading.state, 'failed');
    assert.deepEqual([...new Set(reading.errors.map(({ code }) => code))], [code]);
    const shown = await panel.evaluate(() => document.body.innerText);
    assert.ok(shown.includes(reading.errors[0].message), `not shown: ${reading.errors[0].message}`);
    if (model === 'refuses-key') await picture(panel, 'panel-error');
  });
}

test('what came before a connection broke stays, and that it broke is said', async t => {
  const { panel } = await open(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'breaks-later'));
  await untilTextArrives(panel);
  breakOff();
  await untilState(panel, 'failed');
  const { analysis, errors } = await panel.evaluate(() => globalThis.sidelight.export());
  assert.ok(PROSE.startsWith(analysis) && analysis !== '', analysis);
  assert.ok(errors.some(({ message }) => /broke in the middle of the answer/.test(message)), JSON.stringify(errors));
  await until(panel, () => /broke in the middle of the answer/.test(document.querySelector('#notices').innerText));
});

/// One case of each class, in the words of each dialect that a server of one's own can speak. All cases and all words
/// stand in `tests/failures`; here they come over HTTP and are read off the panel.
const DIALECTS = ['anthropic', 'openai', 'gemini'];
const report = {
  anthropic: (type, message) => ({ type: 'error', error: { type, message } }),
  openai: (type, message) => ({ error: { message, type } }),
  gemini: (status, message) => ({ error: { code: 0, message, status } }),
};
const kinds = {
  busy: { anthropic: 'rate_limit_error', openai: 'rate_limit_exceeded', gemini: 'RESOURCE_EXHAUSTED' },
  overloaded: { anthropic: 'overloaded_error', openai: 'overloaded_error', gemini: 'UNAVAILABLE' },
  key: { anthropic: 'authentication_error', openai: 'invalid_request_error', gemini: 'UNAUTHENTICATED' },
  model: { anthropic: 'not_found_error', openai: 'model_not_found', gemini: 'NOT_FOUND' },
};
const beginning = dialect => `${speak(dialect, PROSE, { pieces: 2 }).split('\n\n').slice(0, dialect === 'anthropic' ? 3 : 1).join('\n\n')}\n\n`;
const refuses = (code, kind, words, headers) => dialect => status(code, report[dialect](kinds[kind][dialect], words), headers);
const classes = {
  'too many requests': [refuses(429, 'busy', 'slow down', { 'retry-after': '1' }), 'rate_limited', /too many requests\. It says: “slow down” Try again in 1 s/],
  'a wrong key': [refuses(401, 'key', 'no such key: test-key-of-nobody'), 'auth', /did not accept the API key\. Check it in ⚙ Settings\. It says: “no such key: …”/],
  'a wrong model': [refuses(404, 'model', 'no model'), 'not_found', /Check the model and the base URL in ⚙ Settings/],
  'a wrong address': [() => status(404, '<!doctype html><title>Not here</title><h1>nginx</h1>'), 'not_found', /base URL in ⚙ Settings\. It says: “Not here”/],
  'a page of a gateway': [() => status(502, '<!doctype html><title>Bad gateway</title><h1>nginx</h1>', { 'retry-after': '1' }), 'overloaded', /is failing \(502\)\. It says: “Bad gateway” Try again in 1 s/],
  'JSON that is no stream': [() => status(200, { status: 'ok' }), 'protocol', /no model's answer\. Check the base URL in ⚙ Settings/],
  'an error behind text': [dialect => stream(beginning(dialect) + events(dialect, [report[dialect](kinds.overloaded[dialect], 'Overloaded')])), 'overloaded', /overloaded\. It says: “Overloaded” Try again in a moment/],
  'a cut behind text': [dialect => cut(beginning(dialect)), 'network', /broke in the middle of the answer .*Try again/],
};

let table;
before(async () => {
  const rows = DIALECTS.flatMap(dialect => Object.entries(classes).map(([name, [make]]) => [`${dialect}-${name.replace(/\W+/g, '-')}`, make(dialect)]));
  table = await provide(Object.fromEntries(rows));
});
after(() => table?.close());

for (const dialect of DIALECTS) {
  test(`each class of failure over ${dialect} stands in the panel with its next step`, async t => {
    const { panel, tab } = await open(t, sidelight, site.url + SAMPLE, { welcomed: true });
    await followReading(panel);
    for (const [name, [, code, words]] of Object.entries(classes)) {
      await t.test(name, async () => {
        await sidelight.prepare({ ...settingsFor(dialect, table.url, `${dialect}-${name.replace(/\W+/g, '-')}`), welcomed: true }, { fresh: true });
        await tab.bringToFront();
        await panel.click('#read');
        await until(panel, words => new RegExp(words).test(document.querySelector('#notices').innerText)
          && document.body.dataset.state === 'failed', words.source)
          .catch(async () => assert.match(await panel.$eval('#notices', ({ innerText }) => innerText), words));
        const { errors } = await panel.evaluate(() => globalThis.sidelight.export());
        assert.deepEqual([...new Set(errors.map(error => error.code))], [code]);
        const shown = await panel.evaluate(() => document.body.innerText);
        assert.doesNotMatch(shown, /<|nginx|test-key-of-nobody|undefined/);
      });
    }
  });
}

test('a provider that is busy at first is asked again', async t => {
  const { reading } = await read(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'busy-first'));
  assert.equal(reading.state, 'done');
  assert.equal(reading.analysis, PROSE);
});

test('an answer that a filter cut never looks whole', async t => {
  const { reading, panel } = await read(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'filtered'));
  assert.deepEqual([...new Set(reading.errors.map(({ code }) => code))], ['refused']);
  const shown = await panel.evaluate(() => document.body.innerText);
  for (const { message } of reading.errors) assert.ok(shown.includes(message), `not shown: ${message}`);
});

test('a server that takes no max_tokens is asked the other way', async t => {
  const { reading } = await read(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'new-limit-name'));
  assert.equal(reading.state, 'done');
  assert.deepEqual(reading.errors, []);
});

test('no key stands in an address or a body', async t => {
  const already = server.requests.length;
  await read(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'whole'));
  const requests = server.requests.slice(already);
  assert.equal(requests.length, 2);
  for (const { path, body, headers } of requests) {
    assert.doesNotMatch(path + JSON.stringify(body), /test-key-of-nobody/);
    assert.equal(headers.authorization, 'Bearer test-key-of-nobody');
  }
});

test('a worker that dies in mid-stream is noticed at once, and a retry works', async t => {
  const { panel } = await open(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'stalls'));
  await untilTextArrives(panel);
  await panel.evaluate(() => chrome.storage.local.set({ openaiModel: 'whole' }));
  const killed = performance.now();
  await sidelight.killWorker();
  await untilState(panel, 'interrupted', 30_000);
  const noticed = Math.round(performance.now() - killed);
  console.log(`worker killed: the panel says so after ${noticed} ms`);
  assert.ok(noticed < PING_EVERY_MS / 2, `noticed after ${noticed} ms: not from the port, but from the next ping`);
  await picture(panel, 'panel-interrupted');
  await clickButton(panel, /retry|try again/i);
  const reading = await followReading(panel);
  assert.equal(reading.state, 'done');
  assert.equal(reading.analysis, PROSE);
});

test('a panel closed in mid-stream closes the connections to the provider at once', async t => {
  const already = server.requests.length;
  const { panel } = await open(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'stalls'));
  await untilTextArrives(panel);
  await server.untilAsked(already + 2);
  const requests = server.requests.slice(already);
  assert.equal(requests.length, 2, 'analysis and highlights are asked for side by side');
  const left = performance.now();
  await closePanel(sidelight, panel);
  const after = Math.round(Math.max(...await Promise.all(requests.map(({ closed }) => closed))) - left);
  console.log(`panel closed: both connections closed after ${after} ms`);
  assert.ok(after >= 0 && after < STALL_TIMEOUT_MS / 4, `closed after ${after} ms: not for the panel, but for the silence`);
});

test('Stop ends the requests and keeps what had arrived', async t => {
  const already = server.requests.length;
  const { panel } = await open(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, 'stalls'));
  await untilTextArrives(panel);
  await server.untilAsked(already + 2);
  await clickButton(panel, /^stop/i);
  await Promise.all(server.requests.slice(already).map(({ closed }) => closed));
  await untilState(panel, 'interrupted');
  const { analysis } = await panel.evaluate(() => globalThis.sidelight.export());
  assert.ok(PROSE.startsWith(analysis) && analysis !== '');
});

const untilTextArrives = panel => until(panel, () => globalThis.sidelight.export().analysis !== '');
