// Reads one page with the built extension: `cargo xtask start`, which documents the options.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { followReading, launch, paintedTexts, root } from './browser.mjs';
import { serve, serveOwn } from './site.mjs';

const SAMPLE = '/samples/harbour.html';

/// Failures that are an answer: everything worked, and the model had nothing usable to say.
const SAID_BY_THE_MODEL = ['empty', 'refused', 'runaway'];

const { values: options } = parseArgs({
  options: {
    headless: { type: 'boolean', default: false },
    page: { type: 'string' }, provider: { type: 'string' }, 'base-url': { type: 'string' }, model: { type: 'string' },
    'key-env': { type: 'string' }, 'long-page': { type: 'string' }, json: { type: 'string' }, screenshot: { type: 'string' },
    timeout: { type: 'string', default: '1800' },
  },
});

try {
  const page = await publish(options.page);
  try {
    await (options.headless ? readHeadless(page) : readInWindow(page));
  } finally {
    await page.close(); // also when no browser starts: an open server would keep this process
  }
} catch (error) {
  console.error(`start: ${error.message}`);
  process.exitCode = 1;
}

/// In a window with a profile of its own, until the person closes it.
async function readInWindow(page) {
  const sidelight = await launch({ headless: false, profile: path.join(root, 'target/profile') });
  try {
    await sidelight.prepare(settings());
    const tab = await sidelight.openPage(page.url);
    for (const other of await sidelight.browser.pages()) if (other.url() === 'about:blank') await other.close();
    await sidelight.openPanel(tab);
    console.log(`Reading ${page.url}. Close the browser to end.`);
    if (sidelight.browser.connected) await new Promise(closed => sidelight.browser.once('disconnected', closed));
  } finally {
    await sidelight.close().catch(() => {}); // closed by hand already
  }
}

/// Without a window: prints what is found, keeps pictures and JSON, and ends.
async function readHeadless(page) {
  const screenshot = path.resolve(options.screenshot ?? path.join(root, 'artifacts/page.png'));
  const timeout = Number(options.timeout) * 1000;
  const sidelight = await launch();
  try {
    await sidelight.prepare(settings());
    const tab = await sidelight.openPage(page.url);
    const panel = await sidelight.openPanel(tab);
    const reading = await followReading(panel, { timeout, onHighlight: printHighlight });
    if (reading.state === 'choosing') {
      const question = await panel.$eval('#notices .text', ({ innerText }) => innerText);
      throw new Error(`${question} Choose with --long-page all or --long-page first.`);
    }
    const report = await describe(panel, reading);
    mkdirSync(path.dirname(screenshot), { recursive: true });
    const panelShot = screenshot.replace(/(\.\w+)?$/, '-panel$1');
    await tab.screenshot({ path: screenshot });
    await panel.screenshot({ path: panelShot });
    if (options.json) {
      mkdirSync(path.dirname(path.resolve(options.json)), { recursive: true });
      writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    }
    printSummary(report);
    console.log(`Screenshots: ${screenshot}, ${panelShot}`);
    const { errors } = report;
    const problems = errors.map(({ code, message }) => `${code}: ${message}`);
    const wasAnswered = errors.length > 0 && errors.every(({ code }) => SAID_BY_THE_MODEL.includes(code));
    if (reading.state !== 'done' && !wasAnswered) {
      throw new Error(problems.join('\n') || `the reading ended as ${reading.state}`);
    }
    for (const problem of problems) console.log(problem);
  } finally {
    await sidelight.close();
  }
}

/// The address of what `--page` names; files are served, with scripts off unless they are our own.
async function publish(named) {
  if (named && /^https?:\/\//i.test(named)) return { url: named, close: async () => {} };
  if (!named) {
    const site = await serveOwn(root);
    return { url: site.url + SAMPLE, close: site.close };
  }
  const stat = statSync(named, { throwIfNoEntry: false });
  const file = stat?.isDirectory() ? path.join(named, 'source.html') : named;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`no such page: ${named}`);
  const site = await serve({ '/': path.resolve(file) }, { scripts: false });
  return { url: `${site.url}/`, close: site.close };
}

/// What the reader's choice is called in storage.
function settings() {
  const { provider } = options;
  if (!provider) return {};
  const chosen = { provider };
  if (options['base-url']) chosen[`${provider}BaseUrl`] = options['base-url'];
  if (options.model) chosen[`${provider}Model`] = options.model;
  // The value of `all` is a number of tokens that no page has.
  if (options['long-page']) chosen[`${provider}LongPages`] = options['long-page'] === 'all' ? 1e11 : 'first';
  if (options['key-env']) chosen[`${provider}Key`] = process.env[options['key-env']];
  return chosen;
}

async function describe(panel, reading) {
  const painted = await paintedTexts(panel);
  return {
    page: reading.page,
    provider: reading.provider,
    model: reading.model,
    analysis: reading.analysis,
    highlights: reading.highlights.map(({ phrase, category, note, source, source_url, index }) => {
      // The page itself is the witness; the panel hears of a change a moment later.
      const text = painted.get(index) ?? '';
      return { phrase, category, note, source, source_url, anchored: text !== '', text };
    }),
    summary: reading.summary,
    categorySummaries: reading.categorySummaries,
    timings: reading.timings,
    errors: reading.errors,
  };
}

function printHighlight({ phrase, category, note, source }) {
  console.log(`${category.padEnd(14)} ${phrase}\n${' '.repeat(15)}${[note, source].filter(Boolean).join(' · ')}`);
}

function printSummary({ page, provider, model, highlights, summary, timings }) {
  const onPage = highlights.filter(({ text }) => text).length;
  const after = time => (time == null ? 'never' : `after ${Math.round(time)} ms`);
  console.log(`\n${page.title || page.url} · ${[provider, model].filter(Boolean).join(' · ')}`);
  if (summary) console.log(summary);
  console.log(`${highlights.length} highlights, ${onPage} on the page; first ${after(timings.first_highlight_ms)}, done ${after(timings.done_ms)}`);
}
