// The sample article, read offline by a person who has set up nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold, onOwnPages, paintedTexts, read, SAMPLE, until } from './harness.mjs';

const own = onOwnPages();

test('highlights of three categories and more are painted over exactly their phrases', async t => {
  const landed = [];
  const { reading, panel } = await read(t, own.sidelight, own.site.url + SAMPLE, {}, { onHighlight: highlight => landed.push(highlight.phrase) });
  assert.equal(reading.state, 'done');
  assert.equal(reading.provider, 'rules');
  assert.deepEqual(reading.errors, []);
  assert.deepEqual(landed, reading.highlights.map(({ phrase }) => phrase));
  const painted = await paintedTexts(panel);
  for (const { phrase, index } of reading.highlights) assert.equal(fold(painted.get(index) ?? ''), fold(phrase));
  assert.ok(new Set(reading.highlights.map(({ category }) => category)).size >= 3);
  assert.ok(reading.timings.first_highlight_ms <= reading.timings.done_ms);
});

test('a phrase that is chosen in the panel comes into view on the page', async t => {
  const { reading, panel, tab } = await read(t, own.sidelight, own.site.url + SAMPLE);
  await panel.click('#tab-highlights');
  const last = reading.highlights.length - 1;
  assert.equal(await tab.evaluate(() => scrollY), 0);
  await panel.evaluate(last => document.querySelectorAll('#list button.jump')[last].click(), last);
  await until(tab, () => scrollY > 0);
});
