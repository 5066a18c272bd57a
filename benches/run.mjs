// Puts the bench's extension together, runs the rows in headless Chromium, prints the table and keeps it.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { launch, root } from '../xtask/js/browser.mjs';
import { tables, verdicts } from './report.mjs';
import { painted } from './painted.mjs';
import { start } from './start.mjs';

const target = path.join(root, 'target/bench');
const ROWS = { stream: inPage, highlights: inPage, anchoring: inPage, painted, markdown: inPage, start };

const wanted = process.argv.slice(2);
const unknown = wanted.filter(name => !(name in ROWS));
if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(', ')}; there are ${Object.keys(ROWS).join(', ')}`);

const rows = {};
for (const name of Object.keys(ROWS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const begun = performance.now();
  try {
    rows[name] = await ROWS[name](name);
  } catch (error) {
    // The others are still worth their time.
    console.error(`bench: ${name} failed:`, error);
    process.exitCode = 1;
    continue;
  }
  console.error(`bench: ${name} took ${((performance.now() - begun) / 1000).toFixed(0)} s`);
}
const report = { when: new Date().toISOString().slice(0, 10), machine: machine(), rows };
writeFileSync(path.join(target, 'bench.json'), JSON.stringify(report, null, 1));
console.log(tables(report));
console.log(verdicts(report));

/** A row that is measured in a page of the bench's own extension. */
async function inPage(name) {
  const extension = await assemble();
  const browser = await launch({ extension, hermetic: true, args: ['--js-flags=--expose-gc'] });
  try {
    const page = await browser.openExtensionPage('bench.html');
    page.on('pageerror', error => console.error(error));
    return await page.evaluate(async name => (await globalThis.bench)[name](), name);
  } finally {
    await browser.close();
  }
}

/** The extension with the bench's page: the peers bundled, the core and the styles as they ship. */
async function assemble() {
  const out = path.join(target, 'page');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const from = path.join(root, 'benches/page');
  for (const file of ['manifest.json', 'bench.html']) cpSync(path.join(from, file), path.join(out, file));
  cpSync(path.join(target, 'pkg'), path.join(out, 'pkg'), { recursive: true });
  cpSync(path.join(root, 'extension/panel/panel.html'), path.join(out, 'panel.html'));
  cpSync(path.join(root, 'extension/theme.css'), path.join(out, 'theme.css'));
  cpSync(path.join(root, 'extension/panel/panel.css'), path.join(out, 'panel.css'));
  await build({
    entryPoints: [path.join(from, 'bench.js')], outfile: path.join(out, 'bench.js'),
    bundle: true, format: 'esm', platform: 'browser', target: 'chrome128', logLevel: 'error',
    external: ['./pkg/bench.js'], define: { 'process.env': '{}', global: 'globalThis' },
  });
  return out;
}

function machine() {
  const versions = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).devDependencies;
  const [cpu] = os.cpus();
  return { cpu: cpu.model, cores: os.cpus().length, platform: `${os.type()} ${os.release()}`, versions };
}
