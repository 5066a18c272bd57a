// Pages with a test of their own, which passes with and without us; and after it the marks cover what they should.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { followReading, launchHermetic, open, passesDuring, root, settingsFor, until } from './harness.mjs';
import { highlightsAnswer, provide, reading as answer, speak, stream } from './provider_server.mjs';

const file = name => readFileSync(path.join(root, name), 'utf8');
const ITEM = n => `Item number ${n} tells of a boat that came in on day ${n}`;
const ROW = n => `Row ${n} of the harbour book says that boat ${n} paid its toll in full`;
const PHRASES = {
  react: ['Everybody knows that the old harbour is a disaster', 'The second pier was closed for good last winter', 'A late paragraph that was not there at first'],
  infinite: [ITEM(3), ITEM(150), ITEM(199)],
  virtual: [ROW(2), ROW(710), ROW(502)],
  log: ['the pier stands where it always stood', 'the restless paragraph says that the water rises every hour'],
};
/// Which of them are on the page once its own test is over.
const STANDING = { react: [0, 1, 2], infinite: [0, 1, 2], virtual: [1], log: [0, 1] };

let sidelight, server, provider, site;
before(async () => {
  server = http.createServer((request, response) => {
    const name = request.url.slice(1);
    const script = { 'react.js': 'node_modules/react/umd/react.production.min.js', 'react-dom.js': 'node_modules/react-dom/umd/react-dom.production.min.js' }[name];
    if (!script && !Object.hasOwn(PHRASES, name)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': `${script ? 'text/javascript' : 'text/html'}; charset=utf-8` });
    response.end(file(script ?? `tests/fixtures/living/${name}.html`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  site = `http://localhost:${server.address().port}`;
  provider = await provide(Object.fromEntries(Object.entries(PHRASES).map(([name, phrases]) => [name, answer({
    analysis: stream(speak('openai', '## Overall Assessment\n\nFine.')),
    highlights: stream(speak('openai', highlightsAnswer(phrases.map(phrase => (
      { phrase, category: 'bias', note: 'A note.', source: '', source_url: '' }))))),
  })])));
  sidelight = await launchHermetic();
});
after(async () => {
  await sidelight?.close();
  await provider?.close();
  server?.close();
  server?.closeAllConnections();
});

/// What is painted on a page, and connected.
const marks = tab => tab.evaluate(() => [...CSS.highlights.get('sidelight-bias') ?? []]
  .filter(range => range.startContainer.isConnected && !range.collapsed)
  .map(range => [range.startContainer.parentElement.closest('p').textContent, String(range)]));

for (const [name, phrases] of Object.entries(PHRASES)) {
  test(`a page's own test passes with and without us: ${name}`, { timeout: 90_000 }, async t => {
    const alone = await sidelight.openPage(`${site}/${name}`);
    assert.deepEqual(await alone.evaluate(() => globalThis.ownTest()), [], 'without us');
    await alone.close();

    const { tab, panel } = await open(t, sidelight, `${site}/${name}`, settingsFor('openai', provider.url, name));
    assert.equal((await followReading(panel)).state, 'done');
    assert.ok((await marks(tab)).length > 0, 'something is marked before');
    assert.deepEqual(await tab.evaluate(() => globalThis.ownTest()), [], 'with us');

    // Pieces of one phrase stand in several text nodes; joined they are the phrase, and each phrase is there once.
    const wanted = STANDING[name].map(i => phrases[i]).sort();
    await until(tab, wanted => {
      const texts = new Map();
      for (const range of CSS.highlights.get('sidelight-bias')) {
        if (!range.startContainer.isConnected || range.collapsed) continue;
        const block = range.startContainer.parentElement.closest('p');
        const pieces = texts.get(block) ?? [];
        pieces.push(range);
        texts.set(block, pieces);
      }
      const joined = [...texts.values()].map(pieces => pieces
        .sort((a, b) => a.compareBoundaryPoints(Range.START_TO_START, b)).map(String).join(''));
      return JSON.stringify(joined.sort()) === JSON.stringify(wanted);
    }, wanted).catch(async () => assert.deepEqual(await marks(tab), wanted));
  });
}

for (const name of Object.keys(PHRASES)) {
  test(`no pass of ours takes 50 ms of the page's main thread: ${name}`, { timeout: 90_000 }, async t => {
    const { tab, panel } = await open(t, sidelight, `${site}/${name}`, settingsFor('openai', provider.url, name));
    assert.equal((await followReading(panel)).state, 'done');
    const passes = await passesDuring(tab, () => tab.evaluate(() => globalThis.ownTest(2000)));
    assert.ok(passes.length > 0, 'the trace saw none of our work');
    const longest = Math.max(...passes);
    console.log(`${name}: ${passes.length} passes, the longest ${longest.toFixed(1)} ms`);
    assert.ok(longest < 50, `the longest pass took ${longest.toFixed(1)} ms`);
  });
}

test('while a page rewrites itself nothing but the phrase is ever marked', async t => {
  const { tab, panel } = await open(t, sidelight, `${site}/log`, settingsFor('openai', provider.url, 'log'));
  assert.equal((await followReading(panel)).state, 'done');
  const seen = await tab.evaluate(async phrases => {
    const seen = new Set();
    let running = true;
    const look = () => {
      for (const range of CSS.highlights.get('sidelight-bias')) {
        if (range.startContainer.isConnected && !range.collapsed) seen.add(String(range));
      }
      if (running) requestAnimationFrame(look);
    };
    look();
    await globalThis.ownTest(2000);
    running = false;
    return [...seen];
  });
  assert.deepEqual(seen.filter(text => !PHRASES.log.includes(text)), []);
});
