// The page of the benchmarks: each row is a function that `run.mjs` calls and that returns plain figures.
import init, * as core from './pkg/bench.js';
import * as ours from '../ours.js';
import * as stream from '../stream.js';
import * as highlights from '../highlights.js';
import * as anchoring from '../anchoring.js';
import * as markdown from '../markdown.js';
import { ROUNDS, sideBySide } from '../measure.js';

const SIDELIGHT = 'Sidelight';

globalThis.bench = (async () => {
  const wasm = await init({ module_or_path: new URL('pkg/bench_bg.wasm', import.meta.url) });
  const module = { ...core, wasm };
  return {
    stream: options => streamRow(module, options),
    highlights: options => highlightsRow(module, options),
    anchoring: options => anchoringRow(module, options),
    markdown: options => markdownRow(module, options),
  };
})();

function same(name, found, truth) {
  if (found === truth) return;
  const at = [...found].findIndex((c, n) => c !== truth[n]);
  throw new Error(`${name} finds something else: …${found.slice(at - 40, at + 40)}… against …${truth.slice(at - 40, at + 40)}…`);
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

/** `{sizes: [{size, bytes, results}], scales: [{scale, bytes, results}], growth: [{name, times}]}`: `growth` has
 * Sidelight alone, with the answer once and eight times, in turn: the machine may be twice as quick a minute later. */
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
    bySize.push({ size, ...await measure(objects, size, input => ({ ...own, ...highlights.peers(input) })) });
  }
  const byScale = [];
  for (const scale of scales) {
    byScale.push({ scale, ...await measure(objects * scale, 1400, input => ({ ...own, ...highlights.peers(input, { withOriginal: slow && (scale === 1 || scale === 8), withPartialJson: slow && scale < 0.5 }) })) });
  }
  const at = scale => {
    const list = stream.chunks(highlights.highlightsInput(objects * scale).bytes, 1400);
    return { name: `${scale} ×`, run: () => own[SIDELIGHT].run(list, () => {}) };
  };
  return { sizes: bySize, scales: byScale, growth: await sideBySide([at(1), at(8)], { rounds }) };
}

/** `{sizes: [{nodes, results, verdicts}]}`; the text-fragments polyfill has two phrases only, once, on the smaller page. */
async function anchoringRow(module, { rounds = 7, sizes = [20_000, 100_000], slow = true } = {}) {
  const root = document.createElement('main');
  document.body.append(root);
  const rows = [];
  for (const nodes of sizes) {
    let phrases = anchoring.buildPage(root, nodes);
    const texts = phrases.map(({ text }) => text);
    const all = { [SIDELIGHT]: anchoring.ours(module), ...anchoring.PEERS };
    if (!slow) delete all['mark.js'];
    const verdicts = {}, timed = [];
    for (const [name, run] of Object.entries(all)) {
      verdicts[name] = anchoring.judge(root, phrases, run(root, texts));
      const marks = name === 'mark.js';
      const tidy = marks ? () => { phrases = anchoring.buildPage(root, nodes); } : undefined;
      tidy?.();
      timed.push({ name, tidy, rounds: marks && nodes > 50_000 ? 1 : rounds, run: () => run(root, texts) });
    }
    timed.push({ name: 'limit: walking the text nodes', run: () => anchoring.walkOnce(root) });
    const results = await sideBySide(timed, { rounds });
    if (slow && nodes === sizes[0]) {
      const two = [phrases[0], phrases[20]];
      let found;
      results.push(...await sideBySide([{ name: 'text-fragments-polyfill, 2 of the 25', rounds: 1,
        run: () => { found = anchoring.TEXT_FRAGMENTS(root, two.map(({ text }) => text)); } }], { rounds: 1 }));
      verdicts['text-fragments-polyfill, 2 of the 25'] = anchoring.judge(root, two, found);
    }
    rows.push({ nodes, phrases: texts.length, results, verdicts });
  }
  root.remove();
  return { sizes: rows };
}

/** Milliseconds of the main thread for each tenth of the deltas. The peer draws each `sample`th delta, which then counts
 * for all it stands for: `{letters, deltas, sample, results: [{name, tenths}]}` */
async function markdownRow(module, { letters = 100_000, rounds = 7, sample = 500 } = {}) {
  const panel = new DOMParser().parseFromString(await (await fetch('panel.html')).text(), 'text/html');
  const text = markdown.markdownAnswer(letters);
  const deltas = markdown.deltasOf(text);
  const tenth = Math.ceil(deltas.length / 10);
  const place = id => {
    document.body.replaceChildren();
    const root = document.createElement('div');
    root.id = id;
    root.className = 'prose';
    document.body.append(document.importNode(panel.getElementById('section-template'), true), root);
    return root;
  };
  const ours = () => {
    const root = place('prose');
    const view = new module.AnalysisView();
    const tenths = [];
    for (let from = 0; from < deltas.length; from += tenth) {
      const start = performance.now();
      for (const delta of deltas.slice(from, from + tenth)) view.push(delta);
      tenths.push(performance.now() - start);
    }
    view.finish();
    view.free();
    return { root, tenths };
  };
  const peer = () => {
    const root = place('whole');
    const tenths = Array.from({ length: 10 }, () => 0);
    let source = '';
    deltas.forEach((delta, n) => {
      source += delta;
      if (n % sample !== sample - 1) return;
      const start = performance.now();
      markdown.renderWhole(root, source);
      tenths[Math.floor(n / tenth)] += (performance.now() - start) * sample;
    });
    markdown.renderWhole(root, source);
    return { root, tenths };
  };
  const once = () => {
    const root = place('whole');
    const start = performance.now();
    markdown.renderWhole(root, text);
    return { root, tenths: [performance.now() - start] };
  };
  same(SIDELIGHT, markdown.seen(ours().root), markdown.seen(peer().root));
  const all = { [SIDELIGHT]: ours, 'marked + DOMPurify, the whole for each delta': peer, 'limit: marked + DOMPurify, once': once };
  const results = Object.keys(all).map(name => ({ name, tenths: [], times: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const result of results) {
      const { tenths } = all[result.name]();
      result.tenths.push(tenths);
      result.times.push(tenths.reduce((sum, time) => sum + time, 0));
      await new Promise(done => setTimeout(done, 0));
    }
  }
  return { letters: text.length, deltas: deltas.length, sample, results };
}
