// Row "anchoring": phrases → the places on a page where they stand, in a real document.
import search from 'approx-string-match';
import Mark from 'mark.js';
import { processTextFragmentDirective } from 'text-fragments-polyfill/text-fragment-utils';
import { longPage } from './inputs.js';

/** The flags of a snapshot's text nodes that matter here (src/wire/content.rs). */
const BLOCK = 1, MAIN = 2;

/** Puts a page into `root`: paragraphs of texts, each in an element of its own. Returns its phrases with their truth. */
export function buildPage(root, nodes) {
  const { paragraphs, phrases } = longPage(nodes);
  const fragment = document.createDocumentFragment();
  for (const texts of paragraphs) {
    const paragraph = document.createElement('p');
    for (const text of texts) {
      const span = document.createElement('span');
      span.textContent = text;
      paragraph.append(span);
    }
    fragment.append(paragraph);
  }
  root.replaceChildren(fragment);
  const text = root.textContent;
  return phrases.map(phrase => ({ ...phrase, start: phrase.truth === null ? -1 : text.indexOf(phrase.truth) }));
}

/** Text nodes with where each starts. */
function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [], starts = [];
  let length = 0;
  while (walker.nextNode()) {
    nodes.push(walker.currentNode);
    starts.push(length);
    length += walker.currentNode.length;
  }
  return { nodes, starts };
}

/** A live range for offsets into the text of all nodes. */
function rangeAt({ nodes, starts }, start, end) {
  const nodeAt = offset => {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const [first, last] = [nodeAt(start), nodeAt(end - 1)];
  const range = document.createRange();
  range.setStart(nodes[first], start - starts[first]);
  range.setEnd(nodes[last], end - starts[last]);
  return range;
}

/** Sidelight: one walk, the text with each node's length and flags into the core, offsets out, a range for each. */
export const ours = ({ anchor }) => (root, phrases) => {
  const nodes = [];
  let layout = new Uint32Array(1 << 16), at = 0; // a node's length and its flags in turn
  for (const paragraph of root.children) {
    const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
    let flags = MAIN | BLOCK;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (at === layout.length) layout = larger(layout);
      nodes.push(node);
      layout[at++] = node.length;
      layout[at++] = flags;
      flags = MAIN;
    }
  }
  const places = anchor(root.textContent, layout.subarray(0, at), phrases);
  const starts = new Uint32Array(nodes.length);
  for (let node = 1; node < nodes.length; node++) starts[node] = starts[node - 1] + layout[2 * node - 2];
  return phrases.map((_, n) => places[2 * n] < 0 ? null : rangeAt({ nodes, starts }, places[2 * n], places[2 * n + 1]));
};

function larger(array) {
  const twice = new Uint32Array(2 * array.length);
  twice.set(array);
  return twice;
}

export const PEERS = {
  // As Hypothesis does it: the text as it is first, else the best match within a bound, here a fifth of the letters.
  'approx-string-match': (root, phrases) => {
    const walked = textNodes(root);
    const text = root.textContent;
    return phrases.map(phrase => {
      const exact = text.indexOf(phrase);
      if (exact >= 0) return rangeAt(walked, exact, exact + phrase.length);
      const [best] = search(text, phrase, Math.floor(phrase.length / 5)).sort((a, b) => a.errors - b.errors);
      return best ? rangeAt(walked, best.start, best.end) : null;
    });
  },
  // What it marks stands between its elements; ranges are made from those.
  'mark.js': (root, phrases) => phrases.map(phrase => {
    const marked = [];
    new Mark(root).mark(phrase, { acrossElements: true, separateWordSearch: false, each: element => marked.push(element) });
    if (marked.length === 0) return null;
    const range = document.createRange();
    range.setStartBefore(marked[0]);
    range.setEndAfter(marked.at(-1));
    return range;
  }),
  'plain indexOf': (root, phrases) => {
    const walked = textNodes(root);
    const text = root.textContent;
    return phrases.map(phrase => {
      const at = text.indexOf(phrase);
      return at < 0 ? null : rangeAt(walked, at, at + phrase.length);
    });
  },
};

export const TEXT_FRAGMENTS = (root, phrases) => phrases.map(textStart =>
  processTextFragmentDirective({ textStart }, document, root)[0] ?? null);

export const walkOnce = root => void textNodes(root);

/** `{right, wrong, missed}`: right is what covers nine tenths of the passage meant and hardly anything besides. */
export function judge(root, phrases, ranges) {
  const counts = { right: 0, wrong: 0, missed: 0 };
  ranges.forEach((range, n) => {
    const { start, truth } = phrases[n];
    if (!range) {
      counts[truth === null ? 'right' : 'missed'] += 1;
      return;
    }
    const before = document.createRange();
    before.setStart(root, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const from = before.toString().length;
    const to = from + range.toString().length;
    const both = truth === null ? 0 : Math.min(to, start + truth.length) - Math.max(from, start);
    const either = truth === null ? 1 : Math.max(to, start + truth.length) - Math.min(from, start);
    counts[both / either >= 0.9 ? 'right' : 'wrong'] += 1;
  });
  return counts;
}
