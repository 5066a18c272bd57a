// The benchmarks without their clock: all contestants find the same in the same input, which is the same every time.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { highlightsInput, objectsFrom, peers } from '../../benches/highlights.js';
import { longPage } from '../../benches/inputs.js';
import { sideBySide, summary } from '../../benches/measure.js';
import { verdicts } from '../../benches/report.mjs';
import { PEERS, SIZES, chunks, limits, streamInput, textFrom } from '../../benches/stream.js';

test('every peer of row stream finds the text, however it is cut', async () => {
  const input = streamInput(60_000);
  const contestants = { ...PEERS, 'JSON.parse': limits(input)['limit: JSON.parse of the payloads alone'] };
  for (const size of SIZES) {
    for (const [name, run] of Object.entries(contestants)) {
      assert.equal(await textFrom(run, chunks(input.bytes, size)), input.text, `${name}, chunks of ${size}`);
    }
  }
});

test('every peer of row highlights finds each object once', async () => {
  const input = highlightsInput(20);
  for (const [name, { run }] of Object.entries(peers(input, { withOriginal: true, withPartialJson: true }))) {
    assert.deepEqual(await objectsFrom(run, chunks(input.bytes, 256)), input.highlights, name);
  }
});

test('inputs are the same on every machine', () => {
  const digest = bytes => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  assert.equal(digest(streamInput(60_000).bytes), 'cb864c11d15901dc');
  const { paragraphs, phrases } = longPage(2000, { letters: 100_000 });
  const text = paragraphs.map(texts => texts.join('')).join('');
  assert.equal(phrases.length, 25);
  for (const { kind, text: phrase, truth } of phrases) {
    assert.equal(text.includes(phrase), kind === 'exact', `${kind}: ${phrase}`);
    if (truth) assert.ok(text.includes(truth), truth);
  }
});

test('contestants take turns, and only whole rounds count', async () => {
  const order = [];
  const contestants = ['a', 'b'].map(name => ({ name, run: () => { order.push(name); } }));
  const [first, second] = await sideBySide(contestants, { rounds: 3, warmUp: 1 });
  assert.deepEqual([first.times.length, second.times.length], [3, 3]);
  assert.deepEqual(order.join(''), 'abbaabba');
  assert.deepEqual(summary([3, 1, 2]), { min: 1, median: 2, p99: 3, rounds: 3 });
});

test('a machine that changes its speed during a run does not change the verdict', () => {
  const results = [{ name: 'Sidelight', times: [1, 2, 2] }, { name: 'the original', times: [6, 12, 6] }, { name: 'another', times: [20, 20, 20] }];
  assert.equal(verdicts({ rows: { stream: { sizes: [{ size: 16, results }] } } }),
    'stream: 16 B, against the original: 6.00 × (wanted 5 ×) reached\n1 of 1 reached');
});
