// How much may be sent and drawn: long pages, huge links, and answers that would become more cells than anybody can read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { clickButton, closePanel, followReading, launch, open, picture, serve, settingsFor, until, untilState, wear } from './harness.mjs';
import { highlightsAnswer, provide, reading as answer, speak, stream } from './provider_server.mjs';

const LINE = 'The harbour grew again this year, the office says, and the town with it. ';
/// What differs from piece to piece, since an answer that repeats itself is stopped.
const numbers = (count, write) => Array.from({ length: count }, (_, n) => write(n)).join('');
const BOMB = `${'|a'.repeat(500)}\n${'|-'.repeat(500)}\n${'|b\n'.repeat(1_000)}`;

let sidelight, site, server, folder;
before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'sidelight-bounds-'));
  const write = (name, body) => writeFileSync(path.join(folder, `${name}.html`), `<!doctype html><html lang="en"><title>${name}</title><article><h1>${name}</h1>${body}</article>`);
  const paragraphs = count => `<p id="first">The first words of it all stand here, and they are long enough.</p>${`<p>${LINE.repeat(8)}</p>`.repeat(count)}<p>The last words of it all.</p>`;
  write('Short', paragraphs(4));
  write('Long', paragraphs(700)); // some 400 kB
  write('Longer', paragraphs(1_400));
  write('Links', `<p>Twelve letters.</p>${Array.from({ length: 40 }, (_, n) => `<p><a href="http://far.example/${n}?${'x'.repeat(1_000_000)}">link ${n}</a></p>`).join('')}`);
  site = await serve(Object.fromEntries(['Short', 'Long', 'Longer', 'Links'].map(name => [`/${name}`, path.join(folder, `${name}.html`)])));
  const quiet = stream(speak('openai', highlightsAnswer([])));
  server = await provide({
    plain: answer({ analysis: stream(speak('openai', '## Key Claims\n\nIt grew.')), highlights: quiet }),
    bomb: answer({ analysis: stream(speak('openai', `## Key Claims\n\n${BOMB}\n\nAnd the rest.`)), highlights: quiet }),
    lists: answer({ analysis: stream(speak('openai', numbers(20_000, n => `- ${n}\n`))), highlights: quiet }),
    emphasis: answer({ analysis: stream(speak('openai', numbers(15_000, n => `**${n}** `))), highlights: quiet }),
  }, { cors: true });
  // A name that is not of this machine: what goes there goes to somebody else, as far as the extension can tell.
  sidelight = await launch({ args: ['--host-resolver-rules=MAP models.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'] });
});
after(async () => {
  await sidelight?.close();
  await Promise.all([site?.close(), server?.close()]);
  rmSync(folder, { recursive: true });
});

const remote = model => ({ provider: 'openai', openaiBaseUrl: server.url.replace('127.0.0.1', 'models.example'), openaiModel: model });
const sent = () => server.requests.map(({ body }) => JSON.stringify(body));
const remembered = panel => panel.evaluate(async () => (await chrome.storage.local.get('openaiLongPages')).openaiLongPages);

test('a usual page is read at once, a long one after a choice that says what it sends', async t => {
  server.requests.length = 0;
  const short = await open(t, sidelight, `${site.url}/Short`, remote('plain'));
  assert.equal((await followReading(short.panel)).state, 'done');
  assert.equal(server.requests.length, 2);
  await closePanel(sidelight, short.panel);

  server.requests.length = 0;
  const { tab, panel } = await open(t, sidelight, `${site.url}/Long`, { ...remote('plain'), openaiInputPrice: 3, openaiOutputPrice: 15 });
  await untilState(panel, 'choosing');
  const text = await panel.$eval('#notices .notice .text', ({ innerText }) => innerText);
  assert.match(text, /sends about 2\d0,000 tokens to models\.example:\d+, in \d\d requests, and costs about \$0\.\d+|\$1/);
  assert.equal(server.requests.length, 0, 'nothing is sent before the choice');
  for (const theme of ['light', 'dark']) {
    await wear(panel, theme);
    await picture(panel, `panel-long-page-${theme}`);
  }
  // Only what is selected: nothing is, then something.
  await clickButton(panel, /only what I select/);
  await until(panel, () => /^Nothing is selected/.test(document.querySelector('#notices .text').innerText));
  assert.equal(server.requests.length, 0);
  await tab.evaluate(() => getSelection().selectAllChildren(document.getElementById('first')));
  await clickButton(panel, /only what I select/);
  assert.equal((await followReading(panel)).state, 'done');
  assert.equal(server.requests.length, 2);
  for (const body of sent()) assert.ok(body.includes('The first words of it all') && !body.includes('The last words'), 'the selection alone');
  assert.equal(await remembered(panel), undefined);
});

test('the first part is read, and every long page so from then on, until the reader wants to be asked again', async t => {
  server.requests.length = 0;
  const { panel } = await open(t, sidelight, `${site.url}/Long`, remote('plain'));
  await untilState(panel, 'choosing');
  await clickButton(panel, /first part/);
  assert.equal((await followReading(panel)).state, 'done');
  const bytes = sent().reduce((sum, body) => sum + body.length, 0);
  assert.ok(bytes / 4 < 70_000, `${bytes} bytes`);
  assert.ok(sent().every(body => !body.includes('The last words')));
  assert.match(await panel.$eval('#notices', ({ innerText }) => innerText), /Only the first part of the page was read, about \d+ %/);
  assert.equal(await remembered(panel), 'first');
  await closePanel(sidelight, panel);

  // Remembered: the settings stay as they are.
  await sidelight.prepare({});
  const next = await sidelight.openPage(`${site.url}/Longer`);
  t.after(() => next.close());
  const again = await sidelight.openPanel(next);
  assert.equal((await followReading(again)).state, 'done');
  await closePanel(sidelight, again);
  const options = await sidelight.openExtensionPage('options/options.html');
  t.after(() => options.close());
  await clickButton(options, /^Ask again$/);
  await until(options, async () => (await chrome.storage.local.get('openaiLongPages')).openaiLongPages === undefined);
  await until(options, () => document.getElementById('long-pages').hidden);
});

test('all of it is read, and pages up to that length from then on; a longer one is asked about', async t => {
  const { panel } = await open(t, sidelight, `${site.url}/Long`, remote('plain'));
  await untilState(panel, 'choosing');
  server.requests.length = 0;
  await clickButton(panel, /^Read all$/);
  assert.equal((await followReading(panel)).state, 'done');
  assert.ok(sent().some(body => body.includes('The last words of it all.')));
  assert.ok(await remembered(panel) > 60_000);
  await panel.click('#read');
  await until(panel, () => document.body.dataset.state === 'reading');
  assert.equal((await followReading(panel)).state, 'done');
  await closePanel(sidelight, panel);
  const longer = await sidelight.openPage(`${site.url}/Longer`);
  t.after(() => longer.close());
  const again = await sidelight.openPanel(longer);
  t.after(() => closePanel(sidelight, again));
  await untilState(again, 'choosing');
});

test('a server on this machine is sent all of a page unasked', async t => {
  const { panel } = await open(t, sidelight, `${site.url}/Long`, settingsFor('openai', server.url, 'plain'));
  assert.equal((await followReading(panel)).state, 'done');
});

test('forty links of a megabyte each are no megabyte of text to read', async t => {
  server.requests.length = 0;
  const { panel } = await open(t, sidelight, `${site.url}/Links`, remote('plain'));
  assert.equal((await followReading(panel)).state, 'done');
  for (const body of sent()) assert.ok(body.length < 20_000, `${body.length} bytes`);
});

for (const model of ['bomb', 'lists', 'emphasis']) {
  test(`an answer of few bytes stays few elements: ${model}`, async t => {
    const { panel } = await open(t, sidelight, `${site.url}/Short`, remote(model));
    await followReading(panel);
    const elements = await panel.$$eval('#prose *', all => all.length);
    assert.ok(elements < 11_000, `${elements} elements`);
    assert.notEqual(await panel.$('#prose .not-drawn'), null, 'what is left out is said');
    if (model !== 'bomb') return;
    await picture(panel, 'panel-table-bomb');
    const wide = await panel.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.ok(!wide, 'the panel does not scroll sideways');
    assert.match(await panel.$eval('#prose .not-drawn', ({ innerText }) => innerText), /goes on here beyond what can be shown/);
  });
}
