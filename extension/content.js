// Sidelight's eyes and hands in a page: reads the rendered text, paints highlights, shows their notes.
//
// A classic script, injected after Readability.js and page/*.js into the extension's isolated world. It decides nothing:
// the worker finds where phrases stand (offsets into the text of a snapshot), this script maps offsets to text nodes.
// The page's DOM is never changed, except for the tooltip's host while a tooltip shows. Messages: src/wire/content.rs.
(() => {
  "use strict";

  const VERSION = 1;
  const alive = () => Boolean(globalThis.chrome?.runtime?.id);

  // Injected again: the script that stands keeps working. After an extension reload the old one is an orphan in a
  // world of its own, reachable only through the document.
  const standing = globalThis.__sidelight;
  if (standing?.version === VERSION && standing.alive()) return;
  standing?.teardown();
  document.dispatchEvent(new CustomEvent("sidelight-takeover"));

  const { BLOCK, BREAK, isBlank, ...pageText } = globalThis.sidelightText;
  const tooltip = globalThis.sidelightTooltip();
  const UNSPACED = /[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff]/;

  /** The snapshots that anchors may mean: the one the reader was given, and the newest. */
  let extracted = null, newest = null;

  function extract() {
    extracted = newest = pageText.extract(tooltip.host);
    return pageText.wire(newest);
  }

  // ---- Painting ---------------------------------------------------------------------------------------------------

  const PREFIX = "sidelight-", FOCUS = `${PREFIX}focus`, FOCUS_MS = 1600;
  const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  /** The reading on the page: its highlights by number. */
  let reading = null;
  let items = new Map();
  let itemOf = new WeakMap(); // range → item
  const highlights = new Map(); // registry name → Highlight
  let lastReport = "";

  function highlight(name) {
    if (!highlights.has(name)) highlights.set(name, new Highlight());
    return highlights.get(name);
  }

  /** Puts back what the page cleared or replaced in the registry. */
  function restore() {
    for (const [name, ours] of highlights) if (CSS.highlights.get(name) !== ours) CSS.highlights.set(name, ours);
  }

  /** One live range for each text node from `start` to `end`, or null when the text there is no longer the same. */
  function rangesAt(snap, { start, end }) {
    if (!(start < end && end <= snap.length)) return null;
    let low = 0, high = snap.starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (snap.starts[middle] + snap.data[middle].length <= start) low = middle + 1;
      else high = middle;
    }
    const pieces = [];
    for (let i = low; i < snap.starts.length && snap.starts[i] < end; i += 1) {
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
    item.placedIn = snap.text;
    for (const { range } of pieces) {
      highlight(PREFIX + item.category).add(range);
      itemOf.set(range, item);
    }
    return true;
  }

  function paint(message) {
    if (message.reading !== reading) {
      clear();
      reading = message.reading;
    }
    const snap = [newest, extracted].find((one) => one?.generation === message.generation);
    let lost = false;
    for (const given of message.items) {
      if (!/^[a-z_]{1,32}$/.test(given.category)) continue;
      const item = items.get(given.index);
      if (item) unpaint(item);
      const painted = { ...given, anchor: null, placedIn: null, pieces: [], text: "" };
      items.set(given.index, painted);
      lost = !place(painted, snap, given.anchor) && Boolean(given.anchor) || lost;
    }
    restore();
    watch();
    tellPainted();
    if (lost) schedule();
  }

  function clear() {
    hideTooltip();
    reading = null;
    items = new Map();
    itemOf = new WeakMap();
    lastReport = "";
    for (const [name, ours] of highlights) {
      ours.clear();
      if (CSS.highlights.get(name) === ours) CSS.highlights.delete(name);
    }
    highlights.clear();
    unwatch();
  }

  const report = () => [...items.values()].map((item) => ({ index: item.index, text: coveredText(item) }));

  function tellPainted() {
    const told = report();
    const key = JSON.stringify(told);
    if (reading === null || key === lastReport) return;
    lastReport = key;
    tell({ type: "painted", reading, items: told });
  }

  /** Sends to the extension; without anyone there (worker asleep, panel closed) nothing is answered. */
  async function tell(message) {
    if (!alive()) return void teardown();
    try {
      return await chrome.runtime.sendMessage(message);
    } catch {
      if (!alive()) teardown();
    }
  }

  // ---- Keeping up with a page that changes ------------------------------------------------------------------------

  const FIRST_DELAY_MS = 200, LAST_DELAY_MS = 10_000, SLICE_MS = 8, CHECK_MS = 1000;
  const WATCHED = { subtree: true, childList: true, characterData: true, attributes: true,
    attributeFilter: ["open", "hidden"] };
  let delay = FIRST_DELAY_MS, lastChange = 0, timer = 0, checker = 0, passing = false;

  const observer = new MutationObserver((records) => {
    if (records.every((record) => record.target === document.documentElement && record.type === "childList" &&
      [...record.addedNodes, ...record.removedNodes].every(tooltip.owns))) return;
    if (performance.now() - lastChange > LAST_DELAY_MS) delay = FIRST_DELAY_MS;
    lastChange = performance.now();
    schedule();
  });

  function watch() {
    observer.observe(document, WATCHED);
    for (const root of newest?.shadows ?? []) observer.observe(root, WATCHED);
    checker ||= setInterval(() => (alive() ? restore() : teardown()), CHECK_MS);
  }

  function unwatch() {
    observer.disconnect();
    clearTimeout(timer);
    clearInterval(checker);
    timer = checker = 0;
    delay = FIRST_DELAY_MS;
  }

  function schedule() {
    if (reading === null || timer || passing || document.hidden) return;
    timer = setTimeout(async () => {
      timer = 0;
      passing = true;
      const started = performance.now();
      const mine = reading;
      const found = await findAgain().catch(() => false);
      passing = false;
      if (reading !== mine) return void (reading !== null && schedule());
      delay = found ? FIRST_DELAY_MS : Math.min(2 * delay, LAST_DELAY_MS);
      if (lastChange > started) schedule();
    }, delay);
  }

  const idle = () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 50 }));

  /** Puts highlights back that the page's changes took away. Answers whether that changed anything. */
  async function findAgain() {
    const mine = reading;
    restore();
    if ([...items.values()].every(intact)) return false;
    const snap = await pageText.extractSliced(tooltip.host, SLICE_MS, idle);
    if (reading !== mine) return false;
    const known = newest;
    newest = snap;
    watch();
    const lost = () => [...items.values()].filter((item) => !intact(item));
    // A re-render brings the same text in new nodes: the old places still hold.
    for (const item of lost()) if (item.placedIn === snap.text) place(item, snap, item.anchor);
    if (lost().length && known?.text !== snap.text) {
      const asked = [...items.values()];
      const answer = await tell({ type: "anchor", snapshot: pageText.wire(snap), phrases: asked.map(({ phrase }) => phrase) });
      if (reading !== mine) return false;
      if (answer?.type === "anchors") {
        asked.forEach((item, i) => {
          if (items.get(item.index) === item && !intact(item)) place(item, snap, answer.anchors[i]);
        });
      } else newest = known; // nobody answered: the next pass asks again
    }
    restore();
    const before = lastReport;
    tellPainted();
    return lastReport !== before;
  }

  // ---- The tooltip ------------------------------------------------------------------------------------------------

  const LEAVE_MS = 250;
  let pointer = null, pointerFrame = 0, leaving = 0, focusTimer = 0;

  function showTooltip(item) {
    clearTimeout(leaving);
    leaving = 0;
    tooltip.show(item, () =>
      item.pieces.map(({ range }) => range.getBoundingClientRect()).find((r) => r.width || r.height));
  }

  function hideTooltip() {
    clearTimeout(leaving);
    leaving = 0;
    tooltip.hide();
  }

  /** The item whose painted text lies under a point of the viewport. */
  function itemAt(x, y) {
    if (CSS.highlights.highlightsFromPoint) {
      for (const { ranges } of CSS.highlights.highlightsFromPoint(x, y, { shadowRoots: newest?.shadows ?? [] })) {
        for (const range of ranges) if (itemOf.has(range)) return itemOf.get(range);
      }
      return null;
    }
    const caret = document.caretPositionFromPoint(x, y);
    if (!caret) return null;
    for (const item of items.values()) {
      for (const { range } of item.pieces) {
        // The caret snaps to the nearest text; only a box around the point proves it is there.
        if (range.startContainer === caret.offsetNode && range.isPointInRange(caret.offsetNode, caret.offset) &&
          [...range.getClientRects()].some((r) => x >= r.left && x <= r.right && y >= r.top && y <= r.bottom)) return item;
      }
    }
    return null;
  }

  function onPointerMove(event) {
    pointer = event;
    pointerFrame ||= requestAnimationFrame(() => {
      pointerFrame = 0;
      if (reading === null) return;
      const item = pointer.target === tooltip.host ? tooltip.shown : itemAt(pointer.clientX, pointer.clientY);
      if (item) showTooltip(item);
      else if (tooltip.shown) leaving ||= setTimeout(hideTooltip, LEAVE_MS);
    });
  }

  function onClick(event) {
    if (reading === null || event.target === tooltip.host || !getSelection()?.isCollapsed) return;
    const item = itemAt(event.clientX, event.clientY);
    if (item) tell({ type: "activated", reading, index: item.index });
  }

  const onKey = (event) => event.key === "Escape" && hideTooltip();
  const onScroll = () => tooltip.shown && requestAnimationFrame(tooltip.move);

  /** Scrolls so that `range` stands in the middle of every scroller around it. */
  function scrollTo(range) {
    const middle = () => {
      const rect = range.getBoundingClientRect();
      return rect.top + rect.height / 2;
    };
    const above = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
    for (let el = above(range.startContainer); el && el !== document.scrollingElement; el = above(el)) {
      if (el.scrollHeight <= el.clientHeight || !/auto|scroll/.test(getComputedStyle(el).overflowY)) continue;
      const box = el.getBoundingClientRect();
      el.scrollBy({ top: middle() - box.top - box.height / 2, behavior: "instant" });
    }
    scrollBy({ top: middle() - innerHeight / 2, behavior: reducedMotion() ? "instant" : "smooth" });
  }

  function focus(message) {
    const item = message.reading === reading ? items.get(message.index) : null;
    if (!item || !intact(item)) return false;
    const ranges = item.pieces.map(({ range }) => range);
    scrollTo(ranges.find((range) => !isBlank(range.toString())) ?? ranges[0]);
    const pulse = highlight(FOCUS);
    pulse.priority = 1;
    pulse.clear();
    for (const range of ranges) pulse.add(range);
    restore();
    clearTimeout(focusTimer);
    focusTimer = setTimeout(() => pulse.clear(), FOCUS_MS);
    showTooltip(item);
    return true;
  }

  // ---- Messages and life ------------------------------------------------------------------------------------------

  const HANDLERS = {
    extract,
    paint: (message) => void paint(message),
    focus,
    report,
    clear: () => void clear(),
  };

  function onMessage(message, _sender, answer) {
    const handler = Object.hasOwn(HANDLERS, message?.type) ? HANDLERS[message.type] : null;
    if (handler) answer(handler(message) ?? null);
  }

  const again = () => (restore(), schedule());
  const onTakeover = () => alive() || teardown();
  const listeners = [
    [document, "pointermove", onPointerMove, { passive: true, capture: true }],
    [document, "click", onClick, { passive: true, capture: true }],
    [document, "keydown", onKey, { passive: true, capture: true }],
    [document, "scroll", onScroll, { passive: true, capture: true }],
    [document, "visibilitychange", again, {}],
    [document, "sidelight-takeover", onTakeover, {}],
    [globalThis, "pageshow", again, {}],
    [globalThis, "focus", again, {}],
  ];

  function teardown() {
    clear();
    clearTimeout(focusTimer);
    for (const [target, type, listener, options] of listeners) target.removeEventListener(type, listener, options);
    try {
      chrome.runtime.onMessage.removeListener(onMessage);
    } catch {
      // The extension is gone and its listeners with it.
    }
    if (globalThis.__sidelight?.teardown === teardown) delete globalThis.__sidelight;
  }

  for (const [target, type, listener, options] of listeners) target.addEventListener(type, listener, options);
  chrome.runtime.onMessage.addListener(onMessage);
  globalThis.__sidelight = { version: VERSION, alive, teardown };
})();
