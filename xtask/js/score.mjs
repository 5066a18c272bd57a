// What the extension makes of real pages, one JSON object a line on standard output:
//   node score.mjs extraction <folder>               {name, snapshot, container, expected}
//   node score.mjs anchoring <folder> [--baseline]   {name, outcomes: {who: [text marked, or null, for each phrase]}, ms}
// The pages stand still (their scripts are off), and the extension is the built one, opened by its toolbar button.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { followReading, launch } from './browser.mjs';
import { PEERS, containerText } from './peers.mjs';
import { serve } from './site.mjs';

/// Phrases asked for at once; a report of what stands on the page follows each time.
const BATCH = 200;

const [what, folder, flag] = process.argv.slice(2);
const names = readdirSync(folder, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && existsSync(path.join(folder, entry.name, 'source.html')))
  .map(entry => entry.name)
  .sort();
const sidelight = await launch({ hermetic: true });
try {
  console.error(`browser: ${await sidelight.browser.version()}`);
  for (const name of names) {
    const found = await withPage(name, what === 'anchoring' ? anchor : extract);
    if (found) console.log(JSON.stringify({ name, ...found }));
  }
} finally {
  await sidelight.close();
}

async function withPage(name, look) {
  const site = await serve({ '/': path.join(folder, name, 'source.html') }, { scripts: false });
  await sidelight.prepare({}, { fresh: true });
  const tab = await sidelight.openPage(`${site.url}/`);
  const panel = await sidelight.openPanel(tab);
  try {
    // The panel's own reading comes first, and is out of the way then.
    await followReading(panel);
    return await look({ name, tab, panel });
  } finally {
    await panel.close();
    await tab.close();
    await site.close();
  }
}

/// Asks the content script for the page's text, and the page for the text of the original's container.
async function extract({ name, tab, panel }) {
  const file = path.join(folder, name, 'expected.html');
  if (!existsSync(file)) return null;
  const snapshot = await panel.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
    return chrome.tabs.sendMessage(tab.id, { type: 'extract' }, { frameId: 0 });
  });
  const container = await tab.evaluate(containerText);
  return { snapshot, container, expected: await panel.evaluate(textOf, readFileSync(file, 'utf8')) };
}

/// The text of an HTML document, with a space at the edges of everything that is not part of a line.
function textOf(html) {
  const INLINE = 'a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup time tt u var wbr';
  const inline = new Set(INLINE.split(' '));
  const text = node => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (/^(script|style|noscript|template)$/.test(node.localName)) return '';
    const inside = [...node.childNodes].map(text).join('');
    return inline.has(node.localName) ? inside : ` ${inside} `;
  };
  return text(new DOMParser().parseFromString(html, 'text/html').body);
}

/// Has the worker find every phrase in the content script's text, has that paint them, and asks it what its ranges cover.
async function anchor({ name, tab, panel }) {
  const file = path.join(folder, name, 'phrases.json');
  if (!existsSync(file)) return null;
  const phrases = JSON.parse(readFileSync(file, 'utf8')).map(({ phrase }) => phrase);
  const started = performance.now();
  const ours = await panel.evaluate(findAndPaint, phrases, BATCH);
  const outcomes = { sidelight: ours };
  const ms = { sidelight: performance.now() - started };
  if (flag === '--baseline') {
    for (const { name, scripts, find } of PEERS) {
      for (const script of scripts) await tab.evaluate(script);
      const started = performance.now();
      outcomes[name] = await tab.evaluate(find, phrases);
      ms[name] = performance.now() - started;
    }
  }
  return { outcomes, ms };
}

/// Runs in the panel.
async function findAndPaint(phrases, batch) {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const toPage = message => chrome.tabs.sendMessage(tab.id, message, { frameId: 0 });
  const snapshot = await toPage({ type: 'extract' });
  const marked = [];
  for (let from = 0; from < phrases.length; from += batch) {
    const asked = phrases.slice(from, from + batch);
    const { anchors } = await chrome.runtime.sendMessage({ type: 'anchor', snapshot, phrases: asked });
    const items = asked.map((phrase, index) => ({
      index, phrase, category: 'bias', label: '', note: '', source: '', source_url: '', verified: false, anchor: anchors[index],
    }));
    await toPage({ type: 'paint', reading: `score ${from}`, generation: snapshot.generation, items });
    const painted = new Map((await toPage({ type: 'report' })).map(({ index, text }) => [index, text]));
    for (const { index } of items) marked.push(painted.get(index) || null);
  }
  await toPage({ type: 'clear' });
  return marked;
}
