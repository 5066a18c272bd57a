// Row "start": a worker that sleeps → its first answer on a port, beside one whose module is empty.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Sidelight, install, launch, root } from '../xtask/js/browser.mjs';

const ROUNDS = 31;
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/** `{bytes, gzipped, results: [{name, times}], stages: [{name, times}]}` */
export async function start() {
  const folder = path.join(root, 'target/bench/start');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(root, 'benches/start'), folder, { recursive: true });
  writeFileSync(path.join(folder, 'empty.wasm'), EMPTY_MODULE);
  const module = readFileSync(path.join(root, 'extension/pkg/worker_bg.wasm'));

  const ours = await launch({ hermetic: true });
  try {
    const contestants = [
      { name: 'Sidelight', extension: ours, file: 'options/options.html' },
      { name: 'Sidelight, no page keeping the module', extension: await another(ours.browser, coldCopy()), file: 'options/options.html' },
      { name: 'an empty module', extension: await another(ours.browser, folder), file: 'page.html' },
    ];
    for (const contestant of contestants) {
      await contestant.extension.prepare();
      contestant.page = await contestant.extension.openExtensionPage(contestant.file);
      contestant.times = [];
      contestant.ready = [];
    }
    // The options page keeps the worker's module once it is idle, as the panel does.
    await contestants[0].page.evaluate(async () => { await (await import('../warm.js')).core; });
    for (let round = -2; round < ROUNDS; round++) {
      for (const { extension, page, times, ready } of contestants) {
        const woken = await extension.wakeWorker(page);
        if (round < 0) continue;
        times.push(woken.answered);
        ready.push(woken.ready);
      }
    }
    const stages = await contestants[0].page.evaluate(compile, 'pkg/worker_bg.wasm', ROUNDS);
    return {
      bytes: module.length, gzipped: gzipSync(module, { level: 9 }).length,
      results: contestants.map(({ name, times }) => ({ name, times })),
      ready: contestants.map(({ name, ready }) => ({ name, times: ready })),
      stages,
    };
  } finally {
    await ours.close();
  }
}

/** An extension beside the first one. */
async function another(browser, folder) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
  return new Sidelight(browser, await install(browser, folder), folder, manifest);
}

/** The extension once more, with pages that keep nothing. Without its key it is another one, in a process of its own. */
function coldCopy() {
  const folder = path.join(root, 'target/bench/cold');
  rmSync(folder, { recursive: true, force: true });
  cpSync(path.join(root, 'extension'), folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
  delete manifest.key;
  writeFileSync(path.join(folder, 'warm.js'), '');
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}

/** In the page: what becomes of the module's bytes, in ms. */
async function compile(url, rounds) {
  const stages = { fetch: [], compile: [] };
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const bytes = await (await fetch(chrome.runtime.getURL(url))).arrayBuffer();
    const fetched = performance.now();
    await WebAssembly.compile(bytes);
    stages.fetch.push(fetched - start);
    stages.compile.push(performance.now() - fetched);
  }
  return Object.entries(stages).map(([name, times]) => ({ name, times }));
}
