// How others find a quotation on a page, for comparison: each is given the page as it is and says what its best match
// covers. They run in the page's own world, one after the other, and leave nothing behind.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const source = file => readFileSync(require.resolve(file), 'utf8');

/// mark.js, across elements. It wraps every match, piece by piece; the first pieces with the phrase's length are one match.
function findWithMarkJs(phrases) {
  const mark = new globalThis.Mark(document.body);
  const letters = text => text.replace(/\s/g, '').length;
  return phrases.map(phrase => {
    let marked = '';
    const each = element => {
      if (letters(marked) < letters(phrase)) marked += element.textContent;
    };
    mark.mark(phrase, { acrossElements: true, separateWordSearch: false, exclude: ['script', 'style', 'noscript'], each });
    mark.unmark();
    return marked || null;
  });
}

/// A text quote found the way annotation tools do: exactly, else the most similar text with errors in at most half of it
/// (approx-string-match), in everything the page holds as text.
function findByTextQuote(phrases) {
  const nodes = [];
  let text = '';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    nodes.push(walker.currentNode);
    text += walker.currentNode.data;
  }
  const similarity = (phrase, match) => 1 - match.errors / phrase.length;
  return phrases.map(phrase => {
    const at = text.indexOf(phrase);
    if (at >= 0) return text.slice(at, at + phrase.length);
    const matches = globalThis.approxSearch(text, phrase, Math.min(256, Math.floor(phrase.length / 2)));
    let best = null;
    for (const match of matches) {
      if (!best || similarity(phrase, match) > similarity(phrase, best)) best = match;
    }
    return best && text.slice(best.start, best.end);
  });
}

/// The original, as its description goes: curly quotes of the phrase made straight, then an exact search in the text
/// content of the page.
function findAsTheOriginal(phrases) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, node =>
    /^(script|style|noscript|textarea)$/.test(node.parentElement?.localName ?? '') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  let text = '';
  while (walker.nextNode()) text += walker.currentNode.data;
  return phrases.map(phrase => {
    const wanted = phrase.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').trim();
    const at = text.indexOf(wanted);
    return at < 0 ? null : text.slice(at, at + wanted.length);
  });
}

/// `{name, scripts, find}`: `scripts` are evaluated in the page first, `find` turns phrases into texts or nulls.
export const PEERS = [
  { name: 'mark.js', scripts: [source('mark.js/dist/mark.min.js')], find: findWithMarkJs },
  {
    name: 'text quote',
    scripts: [`globalThis.approxSearch = (() => { ${source('approx-string-match').replace(/^export (?:default )?/gm, '')}; return search; })()`],
    find: findByTextQuote,
  },
  { name: 'original', scripts: [], find: findAsTheOriginal },
];

/// The original's page text: what is rendered of the first of its containers that holds more than a teaser.
export function containerText() {
  const CONTAINERS = ['article', 'main', '[role=main]', '.post-content', '.article-content', '.entry-content', '.content',
    '#content', '.post', '.article'];
  const found = CONTAINERS.map(selector => document.querySelector(selector)?.innerText ?? '');
  return found.find(text => text.trim().length > 200) ?? document.body.innerText;
}
