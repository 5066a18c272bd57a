// The page of the benchmarks: each row is a function that `run.mjs` calls and that returns plain figures.
import init, * as core from './pkg/bench.js';
import * as ours from '../ours.js';
import * as stream from '../stream.js';
import * as highlights from '../highlights.js';
import { ROUNDS, sideBySide } from '../measure.js';

const SIDELIGHT = 'Sidelight';

globalThis.bench = (async () => {
  const wasm = await init({ module_or_path: new URL('pkg/bench_bg.wasm', import.meta.url) });
  const module = { ...core, wasm };
  return { stream: options => streamRow(module, options), highlights: options => highlightsRow(module, options) };
})();

function same(name, found, truth) {
  if (found !== truth) throw new Error(`${name} finds something else: ${found.length} against ${truth.length} characters`);
}

/** `{bytes, sizes: [{size, results}]}` */
async function streamRow(module, { rounds = ROUNDS, sizes = stream.SIZES, bytes = 2_000_000 } = {}) {
  const input = stream.streamInput(bytes);
  const all = {
    [SIDELIGHT]: ours.stream(module),
    'Sidelight, strings by wasm-bindgen': ours.streamByBindgen(module),
    ...stream.PEERS,
    ...stream.limits(input),
  };
  const rows = [];
  for (const size of sizes) {
    const list = stream.chunks(input.bytes, size);
    for (const [name, run] of Object.entries(all)) {
      if (name !== 'limit: TextDecoder alone') same(name, await stream.textFrom(run, list), input.text);
    }
    let letters = 0;
    const contestants = Object.entries(all).map(([name, run]) => ({ name, run: () => run(list, text => { letters += text.length; }) }));
    rows.push({ size, results: await sideBySide(contestants, { rounds }) });
    if (letters === 0) throw new Error('nothing was read');
  }
  return { bytes: input.bytes.length, sizes: rows };
}

/** `{sizes: [{size, bytes, results}], scales: [{scale, bytes, results}]}` */
async function highlightsRow(module, { rounds = ROUNDS, objects = 500, sizes = [16, 256, 1400], scales = [0.25, 0.5, 1, 2, 4, 8], slow = true } = {}) {
  const measure = async (count, size, contestants) => {
    const input = highlights.highlightsInput(count);
    const list = stream.chunks(input.bytes, size);
    const truth = JSON.stringify(input.highlights);
    const timed = [];
    for (const [name, { run, rounds: own = rounds }] of Object.entries(contestants(input))) {
      same(name, JSON.stringify(await highlights.objectsFrom(run, list)), truth);
      let found = 0;
      timed.push({ name, rounds: Math.min(own, rounds), run: () => run(list, () => { found += 1; }) });
    }
    return { objects: count, bytes: input.bytes.length, answer: input.json.length, results: await sideBySide(timed, { rounds }) };
  };
  const own = { [SIDELIGHT]: { run: ours.highlights(module) } };
  const bySize = [];
  for (const size of sizes) {
    bySize.push({ size, ...await measure(objects, size, input => ({ ...own, ...highlights.peers(input, slow && size >= 1400) })) });
  }
  const byScale = [];
  for (const scale of scales) {
    byScale.push({ scale, ...await measure(objects * scale, 1400, input => ({ ...own, ...highlights.peers(input, false) })) });
  }
  return { sizes: bySize, scales: byScale };
}
