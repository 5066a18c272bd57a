// Pages longer than a model reads at once: a megabyte is read to its last paragraph, and a small context costs nothing
// but more questions.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fold, launchHermetic, open, paintedTexts, picture, serve, settingsFor, sharedFolder, followReading } from './harness.mjs';
import { highlightsAnswer, provide, speak, status, stream } from './provider_server.mjs';

const dialect = 'openai';
const PROSE = '## Key Claims\n\nThe page says the same of every town.\n\n## Overall Assessment\n\nTrustworthiness: Low, since no source is named.\n';

/// A paragraph that no other is like.
const paragraph = n => `Paragraph ${n} reports that the harbour of town ${n} grew in the year ${1000 + n}. ${'Nobody there was asked whether it should, and nobody says who paid for the new piers. '.repeat(3)}`;
const page = paragraphs => `<!doctype html><html lang="en"><title>A long report</title><body><nav>Home</nav><article><h1>A long report</h1>
${Array.from({ length: paragraphs }, (_, n) => `<p>${paragraph(n)}</p>`).join('\n')}</article></body></html>`;
const phraseOf = n => `the harbour of town ${n} grew in the year ${1000 + n}`;

/// What a request holds of the page: the numbers of its first and last paragraph.
const extent = body => {
  const numbers = [...JSON.stringify(body.messages).matchAll(/Paragraph (\d+) reports/g)].map(([, n]) => Number(n));
  return { first: numbers[0], last: numbers.at(-1) };
};
const asks = (body, words) => JSON.stringify(body.messages).includes(words);

/// A model that marks the first and the last paragraph it is shown.
function model(seen, response, random) {
  const { body } = seen;
  let answer = PROSE;
  if (asks(body, 'read in parts')) answer = highlightsAnswer([], { summary: 'One report on all towns.' });
  else if (asks(body, 'take notes')) answer = `Towns ${extent(body).first} to ${extent(body).last}: harbours grew.`;
  else if (asks(body, 'category_summaries')) {
    const { first, last } = extent(body);
    const highlight = n => ({ phrase: phraseOf(n), category: 'bias', note: 'nobody is named', source: '', source_url: '' });
    answer = highlightsAnswer([first, last].map(highlight), { summary: `From ${first} to ${last}.` });
  }
  return stream(speak(dialect, answer, { pieces: 3 }))(seen, response, random);
}

/// The same model on a server that holds little, and says so as llama.cpp's server does.
const recorded = sharedFolder('transcripts') && path.join(sharedFolder('transcripts'), 'llamacpp-anthropic-too-long.body');
const tooLong = recorded && existsSync(recorded) ? JSON.parse(readFileSync(recorded, 'utf8'))
  : { error: { code: 400, message: 'request exceeds the available context size', type: 'exceed_context_size_error', n_prompt_tokens: 12215, n_ctx: 8192 } };
const smallModel = (seen, ...rest) => (JSON.stringify(seen.body.messages).length > 14_000 ? status(400, tooLong) : model)(seen, ...rest);

let sidelight, site, server, folder;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidelight-'));
  writeFileSync(path.join(folder, 'megabyte.html'), page(3_000));
  writeFileSync(path.join(folder, 'long.html'), page(200));
  site = await serve({ '/': folder });
  sidelight = await launchHermetic();
  server = await provide({ model, 'small-model': smallModel });
});
after(async () => {
  await sidelight?.close();
  await site?.close();
  await server?.close();
  if (folder) rmSync(folder, { recursive: true });
});

async function readLong(t, file, name, timeout) {
  server.requests.length = 0;
  const { panel } = await open(t, sidelight, `${site.url}/${file}`, settingsFor('openai', server.url, name));
  const reading = await followReading(panel, { timeout });
  return { panel, reading, requests: server.requests.map(({ body }) => body) };
}

test('a megabyte is read and marked to its last paragraph', async t => {
  const { panel, reading, requests } = await readLong(t, 'megabyte.html', 'model', 400_000);
  assert.equal(reading.state, 'done', JSON.stringify(reading.errors));
  const windows = requests.filter(body => asks(body, 'category_summaries') && !asks(body, 'read in parts'));
  assert.ok(windows.length > 80 && windows.length < 120, `${windows.length} windows`);
  const numbers = reading.highlights.map(({ phrase }) => Number(/town (\d+)/.exec(phrase)[1]));
  assert.deepEqual([numbers[0], numbers.at(-1)], [0, 2_999]);
  assert.deepEqual(reading.highlights.map(({ index }) => index), numbers.map((_, at) => at), 'in the order of the page');
  const extents = windows.map(extent).sort((a, b) => a.first - b.first);
  for (let at = 1; at < extents.length; at++) assert.ok(extents[at].first <= extents[at - 1].last + 1, 'nothing falls between');
  assert.equal(reading.summary, 'One report on all towns.');
  const painted = await paintedTexts(panel);
  assert.equal(painted.size, reading.highlights.length);
  for (const { index, phrase } of reading.highlights) assert.equal(fold(painted.get(index)), phrase);
  assert.ok(reading.analysis.includes('The page says the same of every town.'));
  assert.ok(requests.some(body => asks(body, 'Towns 0 to') && asks(body, 'to 2999: harbours grew')), 'written from notes on all of it');
  await picture(panel, 'panel-long-page');
});

test('a server with a small context is asked for smaller parts', async t => {
  const { panel, reading, requests } = await readLong(t, 'long.html', 'small-model', 300_000);
  assert.equal(reading.state, 'done', JSON.stringify(reading.errors));
  assert.ok(requests.some(body => JSON.stringify(body.messages).length > 14_000), 'it was tried');
  const numbers = reading.highlights.map(({ phrase }) => Number(/town (\d+)/.exec(phrase)[1]));
  assert.deepEqual([numbers[0], numbers.at(-1)], [0, 199]);
  const painted = await paintedTexts(panel);
  assert.ok(reading.highlights.every(({ index, phrase }) => fold(painted.get(index)) === phrase));
  assert.ok(reading.analysis.includes('The page says the same of every town.'));
});
