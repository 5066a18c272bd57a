// The highlights on the page: ranges over its text, painted by the browser without a change to the DOM.
//
// A classic script for the extension's isolated world, before content.js.
globalThis.sidelightPaint = () => {
  "use strict";

  const { isBlank } = globalThis.sidelightDom;
  const { BLOCK, BREAK } = globalThis.sidelightText;
  const UNSPACED = /[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff]/;
  const PREFIX = "sidelight-", FOCUS = `${PREFIX}focus`, FOCUS_MS = 1600, AROUND = 32;

  /** The highlights of the reading on the page, by number. */
  let items = new Map();
  let itemOf = new WeakMap(); // range → item
  const highlights = new Map(); // registry name → Highlight
  let focusTimer = 0;

  function highlight(name) {
    if (!highlights.has(name)) highlights.set(name, new Highlight());
    return highlights.get(name);
  }

  /** Puts back what the page cleared or replaced in the registry. */
  function restore() {
    for (const [name, ours] of highlights) if (CSS.highlights.get(name) !== ours) CSS.highlights.set(name, ours);
  }

  /** The node in which the text goes on behind `offset`. */
  function nodeAt(snap, offset) {
    let low = 0, high = snap.starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (snap.starts[middle] + snap.data[middle].length <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** What stands before and behind a place, a space for a boundary: which place was meant, should the page change. */
  function around(snap, { start, end }) {
    const gap = (i) => (snap.flags[i] & BLOCK ? " " : "");
    const first = nodeAt(snap, start), last = nodeAt(snap, end - 1);
    let before = snap.data[first].slice(0, start - snap.starts[first]);
    for (let i = first; i > 0 && before.length < AROUND; i -= 1) before = snap.data[i - 1].slice(-AROUND) + gap(i) + before;
    let behind = snap.data[last].slice(end - snap.starts[last], end - snap.starts[last] + AROUND);
    for (let i = last + 1; i < snap.data.length && behind.length < AROUND; i += 1) behind += gap(i) + snap.data[i].slice(0, AROUND);
    return [before.slice(-AROUND).toWellFormed(), behind.slice(0, AROUND).toWellFormed()];
  }

  /** One live range for each text node from `start` to `end`, or null when the text there is no longer the same. */
  function rangesAt(snap, { start, end }) {
    if (!(start < end && end <= snap.length)) return null;
    const pieces = [];
    for (let i = nodeAt(snap, start); i < snap.starts.length && snap.starts[i] < end; i += 1) {
      if (!snap.data[i]) continue; // a frame's place
      const node = snap.nodes[i];
      if (!node.isConnected || node.data !== snap.data[i]) return null;
      const range = document.createRange();
      range.setStart(node, Math.max(0, start - snap.starts[i]));
      range.setEnd(node, Math.min(snap.data[i].length, end - snap.starts[i]));
      pieces.push({ range, flags: pieces.length > 0 ? snap.flags[i] & (BLOCK | BREAK) : 0 });
    }
    return pieces;
  }

  /** What the ranges cover; a space for a boundary, but none for a line break in a script without spaces. */
  function coveredText(item) {
    let text = "";
    for (const { range, flags } of item.pieces) {
      const piece = range.toString();
      const readsOn = flags & BREAK && (UNSPACED.test(text.slice(-1)) || UNSPACED.test(piece[0]));
      text += (flags && !readsOn ? " " : "") + piece;
    }
    return text.toWellFormed();
  }

  const intact = (item) => item.pieces.length > 0 && item.pieces.every(({ range }) => range.startContainer.isConnected) &&
    coveredText(item) === item.text;

  function unpaint(item) {
    for (const { range } of item.pieces) for (const ours of highlights.values()) ours.delete(range);
    item.pieces = [];
    item.text = "";
  }

  /** Paints `item` where `anchor` says, in `snap`. Answers whether it could. */
  function place(item, snap, anchor) {
    const pieces = snap && anchor ? rangesAt(snap, anchor) : null;
    unpaint(item);
    if (!pieces?.length) return false;
    item.pieces = pieces;
    item.text = coveredText(item);
    item.anchor = anchor;
    item.around = around(snap, anchor);
    item.placedIn = snap.text;
    for (const { range } of pieces) {
      highlight(PREFIX + item.category).add(range);
      itemOf.set(range, item);
    }
    return true;
  }

  /** Takes highlights as they come from the worker. Answers whether one that had a place in `snap` lost it since. */
  function add(given, snap) {
    let lost = false;
    for (const one of given) {
      if (!/^[a-z_]{1,32}$/.test(one.category)) continue;
      const known = items.get(one.index);
      if (known) unpaint(known);
      const item = { ...one, anchor: null, around: ["", ""], placedIn: null, pieces: [], text: "" };
      items.set(one.index, item);
      lost = !place(item, snap, one.anchor) && Boolean(one.anchor) || lost;
    }
    restore();
    return lost;
  }

  /** The highlights that are not on the page. Of one whose text changed under it nothing stays painted. */
  function lost() {
    const all = [...items.values()].filter((item) => !intact(item));
    all.forEach(unpaint);
    return all;
  }

  /** Makes a highlight stand out for a moment. Answers its ranges. */
  function pulse(item) {
    const ranges = item.pieces.map(({ range }) => range);
    const focus = highlight(FOCUS);
    focus.priority = 1;
    focus.clear();
    for (const range of ranges) focus.add(range);
    restore();
    clearTimeout(focusTimer);
    focusTimer = setTimeout(() => focus.clear(), FOCUS_MS);
    return ranges;
  }

  function clear() {
    clearTimeout(focusTimer);
    items = new Map();
    itemOf = new WeakMap();
    for (const [name, ours] of highlights) {
      ours.clear();
      if (CSS.highlights.get(name) === ours) CSS.highlights.delete(name);
    }
    highlights.clear();
  }

  /** The first of `ranges` with something to see. */
  const visible = (ranges) => ranges.find((range) => !isBlank(range.toString())) ?? ranges[0];

  return {
    restore, add, place, lost, intact, pulse, clear, visible,
    report: () => [...items.values()].map((item) => ({ index: item.index, text: coveredText(item) })),
    item: (index) => items.get(index),
    itemOf: (range) => itemOf.get(range),
    get items() { return items; },
  };
};
