// Sidelight's eyes and hands in a page: reads the rendered text, paints highlights, shows their notes.
//
// A classic script, injected after Readability.js into the extension's isolated world. It decides nothing: the worker
// finds where phrases stand (offsets into the text of a snapshot), this script maps offsets to text nodes. The page's
// DOM is never changed, except for the tooltip's host while a tooltip shows. Messages: src/wire/content.rs.
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

  // ---- Reading the page -------------------------------------------------------------------------------------------

  const BLOCK = 1, MAIN = 2, CODE = 4, LINK = 8, HEADING = 16, QUOTE = 32, BREAK = 64;
  const MAX_TEXT = 4_000_000, MAX_LINKS = 40, MAX_LINK_TEXT = 200, MAX_NODES = 500_000;

  const SKIPPED = new Set(("script style noscript template textarea select option optgroup datalist svg canvas audio " +
    "video object iframe frame rt rp head input meter progress title").split(" "));
  const FLAGS = { code: CODE, pre: CODE, kbd: CODE, samp: CODE, a: LINK, blockquote: QUOTE, q: QUOTE,
    h1: HEADING, h2: HEADING, h3: HEADING, h4: HEADING, h5: HEADING, h6: HEADING };
  const INLINE = new Set(["inline", "inline-block", "inline-flex", "inline-grid", "contents", "ruby", "ruby-text",
    "ruby-base", "math"]);
  const ASIDE_TAGS = new Set(["nav", "aside", "footer", "dialog"]);
  const ASIDE_ROLES = new Set(["navigation", "complementary", "contentinfo", "banner", "search", "dialog",
    "alertdialog", "menu", "menubar"]);
  const ASIDE_NAMES = new RegExp("(^|[-_ ])(ads?|advert\\w*|cookies?|cookie\\w*|consent|gdpr|comments?|disqus|" +
    "newsletter|promo|sponsor\\w*|social|share|sharing|breadcrumbs?|outbrain|taboola)([-_ ]|$)", "i");
  // Tag characters are invisible, unless they spell a regional flag.
  const TAG_CHARACTERS = /(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]*)[\u{E0000}-\u{E007F}]+/gu;
  // What Readability looks at. Everything else stays behind: its copy is text and structure only.
  const READ_ATTRIBUTES = ["class", "id", "role", "rel", "itemprop", "property", "summary"];

  const UNSPACED = /[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff]/;

  const fold = (text) => text.replace(/\s+/g, " ").trim();
  const isBlank = (text) => !/\S/.test(text);

  const TRANSPARENT = "rgba(0, 0, 0, 0)";
  const channels = (color) => color.match(/[\d.]+/g)?.map(Number) ?? [];
  const sameColour = (a, b) => {
    if (a === b) return true;
    const [x, y] = [channels(a), channels(b)];
    return x.length >= 3 && y.length >= 3 && [0, 1, 2].every((i) => Math.abs(x[i] - y[i]) <= 2);
  };

  /** Whether a picture may lie under `el`, so that its colour says nothing about whether it can be read. */
  function overPicture(el, painter) {
    const rect = el.getBoundingClientRect();
    for (const picture of [...painter.querySelectorAll("img,video,canvas,svg,iframe,object")].slice(0, 300)) {
      const r = picture.getBoundingClientRect();
      if (r.left < rect.right && r.right > rect.left && r.top < rect.bottom && r.bottom > rect.top) return true;
    }
    return false;
  }

  /** Whether nothing of `el` and what is in it can be seen. */
  function unseen(el, style) {
    if (style.display === "none" || style.contentVisibility === "hidden" || Number(style.opacity) === 0) return true;
    // A page behind an open dialog is often aria-hidden as a whole; only a part of it can be decoration.
    if (el.ariaHidden === "true" && !el.querySelector("main,article,[role=main],h1,p ~ p ~ p")) return true;
    const inline = style.display === "inline" || style.display === "contents";
    if (!inline && (style.overflowX !== "visible" || style.overflowY !== "visible") &&
      (el.clientWidth <= 1 || el.clientHeight <= 1)) return true;
    if (style.clipPath !== "none" && /inset\((50|100)%|circle\(0|polygon\(0(px)? 0(px)?(, 0(px)? 0(px)?)+\)/.test(style.clipPath)) return true;
    if (parseFloat(style.textIndent) <= -500) return true;
    const placed = style.position === "absolute" || style.position === "fixed";
    if (placed && style.clip !== "auto") {
      const [top, right, bottom, left] = channels(style.clip);
      if (right - left <= 1 || bottom - top <= 1) return true;
    }
    if (placed || style.position === "relative" && (parseFloat(style.left) < -500 || parseFloat(style.top) < -500) ||
      style.transform !== "none" || parseFloat(style.marginLeft) < -500) {
      const rect = el.getBoundingClientRect();
      if (rect.width === 0 && rect.height === 0) return style.transform !== "none" && style.display !== "contents";
      const [x, y] = style.position === "fixed" ? [0, 0] : [scrollX, scrollY];
      if (rect.right + x <= 0 || rect.bottom + y <= 0) return true;
    }
    return false;
  }

  function holdsText(root) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      if (!isBlank(texts.currentNode.data) && !SKIPPED.has(texts.currentNode.parentElement?.localName)) return true;
    }
    return false;
  }

  let generation = 0;
  let host = null; // of the tooltip
  /** Element to whether its own text is main content, as the last extraction found. */
  let mainContent = new WeakMap();

  /**
   * Walks the flat tree (open shadow roots and slots as they are shown) and fills `snap`. Yields every few nodes, so
   * that the caller can stop for a frame. With `copy`, a document for Readability is built on the way.
   */
  function* walk(snap, copy) {
    let boundary = BLOCK; // what stands before the next text: nothing, a block's edge, or a mere line break
    const root = document.body ?? document.documentElement;
    if (!root) return;
    const stack = [];

    function enter(el, parent) {
      const tag = el.localName;
      if (tag === "br") boundary ||= BLOCK | BREAK;
      if (tag === "hr") boundary = BLOCK;
      if (SKIPPED.has(tag) || tag === "br" || tag === "hr" || el === host) return;
      const style = getComputedStyle(el);
      if (unseen(el, style)) {
        if (holdsText(el)) snap.hidden += 1;
        return;
      }
      const floats = style.float !== "none" && fold(el.textContent).length <= 2; // a drop cap belongs to its word
      const block = !INLINE.has(style.display) && !floats;
      if (block) boundary = BLOCK;

      let { ground, painter } = parent;
      if (style.backgroundImage !== "none") ground = null;
      else if (style.backgroundColor !== TRANSPARENT) {
        ground = channels(style.backgroundColor)[3] === undefined ? style.backgroundColor : null;
        painter = el;
      } else if (style.position === "absolute" || style.position === "fixed") ground = null;

      const ink = style.webkitTextFillColor;
      const faded = style.visibility !== "visible" || parseFloat(style.fontSize) < 1 ||
        style.textShadow === "none" && parseFloat(style.webkitTextStrokeWidth) === 0 &&
        (channels(ink)[3] === 0 && ground !== null || ground !== null && sameColour(ink, ground) && !overPicture(el, painter));

      const name = `${el.id} ${el.getAttribute("class") ?? ""}`;
      const own = tag !== "body" && tag !== "main" && tag !== "article" &&
        (ASIDE_TAGS.has(tag) || ASIDE_ROLES.has(el.getAttribute("role")) || ASIDE_NAMES.test(name) ||
          tag === "header" && !parent.article);
      const frame = {
        el, block, ground, painter,
        veil: faded ? parent.veil ?? { counted: false } : null,
        flags: parent.flags | (FLAGS[tag] ?? 0),
        aside: parent.aside || own,
        article: parent.article || tag === "article" || tag === "main",
        main: mainContent.get(el) ?? parent.main,
        owner: snap.owners.length,
        twin: null, next: null, list: null, at: 0,
      };
      snap.owners.push(el);
      snap.asides.push(frame.aside);
      if (copy) frame.twin = twinOf(el, tag, frame.owner, parent.twin, copy);
      if (tag === "a" && snap.anchors) snap.anchors.push([el, frame.owner]);

      if (tag === "details" && !el.open) {
        const summary = el.querySelector(":scope > summary");
        frame.list = summary ? [summary] : [];
        if ([...el.childNodes].some((child) => child !== summary && fold(child.textContent))) snap.hidden += 1;
      } else if (tag === "slot") {
        const assigned = el.assignedNodes();
        if (assigned.length) frame.list = assigned;
        else frame.next = el.firstChild;
      } else {
        if (el.shadowRoot) snap.shadows.push(el.shadowRoot);
        frame.next = (el.shadowRoot ?? el).firstChild;
      }
      stack.push(frame);
    }

    function read(node, frame) {
      const data = node.data;
      const blank = isBlank(data);
      if (!data || blank && boundary) return;
      if (frame.veil) {
        if (!blank && !frame.veil.counted) {
          frame.veil.counted = true;
          snap.hidden += 1;
        }
        return;
      }
      const room = MAX_TEXT - snap.length;
      if (data.length > room) return void (snap.full = true);
      if (data.includes("\uDB40")) snap.hidden += data.match(TAG_CHARACTERS)?.length ?? 0;
      snap.nodes.push(node);
      snap.data.push(data);
      snap.starts.push(snap.length);
      snap.flags.push(frame.flags | boundary | (frame.main ? MAIN : 0));
      snap.owned.push(frame.owner);
      snap.length += data.length;
      boundary = 0;
      frame.twin?.append(data);
    }

    const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? null : "rgb(255, 255, 255)";
    const page = getComputedStyle(document.documentElement);
    const ground = page.backgroundImage !== "none" ? null :
      page.backgroundColor === TRANSPARENT ? canvas : page.backgroundColor;
    enter(root, { ground, painter: root, veil: null, flags: 0, aside: false, article: false, main: false,
      twin: copy?.documentElement });

    for (let seen = 0; stack.length && seen < MAX_NODES && !snap.full; seen += 1) {
      const frame = stack.at(-1);
      const node = frame.list ? frame.list[frame.at++] : frame.next;
      if (!node) {
        if (frame.block) boundary = BLOCK;
        stack.pop();
        continue;
      }
      if (!frame.list) frame.next = node.nextSibling;
      if (node.nodeType === Node.TEXT_NODE) read(node, frame);
      else if (node.nodeType === Node.ELEMENT_NODE) enter(node, frame);
      if (seen % 64 === 63) yield;
    }
    snap.text = snap.data.map((data) => data.toWellFormed()).join("");
  }

  /** The element in Readability's copy. Its number is an attribute's name: merged elements then keep both numbers. */
  function twinOf(el, tag, owner, parent, copy) {
    if (tag === "body") parent.querySelector("body")?.remove();
    let twin;
    try {
      twin = copy.createElement(tag);
    } catch {
      twin = copy.createElement("span");
    }
    for (const name of READ_ATTRIBUTES) if (el.hasAttribute(name)) twin.setAttribute(name, el.getAttribute(name));
    if (tag === "a" && el.hasAttribute("href")) twin.setAttribute("href", "https://link.invalid/");
    twin.setAttribute(`data-n${owner}`, "");
    parent.append(twin);
    return twin;
  }

  const emptySnapshot = () => ({
    generation: ++generation, text: "", length: 0, hidden: 0, full: false, main: "visible_text", links: [],
    nodes: [], data: [], starts: [], flags: [], owned: [], owners: [], asides: [], shadows: [], anchors: null,
  });

  /** Flags the main content: Readability's choice, without what stands beside an article; else all but that. */
  function chooseMain(snap, copy) {
    const lengthOf = (keep) => {
      let sum = 0;
      snap.owned.forEach((owner, i) => keep(owner) && (sum += fold(snap.data[i]).length));
      return sum;
    };
    const chosen = new Set();
    let title = "";
    try {
      const article = new globalThis.Readability(copy, { serializer: (el) => el, disableJSONLD: true }).parse();
      title = article?.title ?? "";
      for (const el of article?.content?.querySelectorAll("*") ?? []) {
        for (const name of el.getAttributeNames()) if (/^data-n\d+$/.test(name)) chosen.add(Number(name.slice(6)));
      }
    } catch {
      // No opinion then: all visible text stands in.
    }
    const article = lengthOf((owner) => chosen.has(owner));
    const everything = lengthOf((owner) => !snap.asides[owner]);
    let keep = (owner) => !snap.asides[owner];
    if (article > 0 && (article >= 200 || everything < 3 * article)) {
      snap.main = "readability";
      const clean = lengthOf((owner) => chosen.has(owner) && !snap.asides[owner]);
      keep = clean > 0.6 * article ? (owner) => chosen.has(owner) && !snap.asides[owner] : (owner) => chosen.has(owner);
      // Readability takes the headline out because it returns the title apart.
      const headline = snap.owners.findIndex((el) => el.localName === "h1" && fold(el.textContent) &&
        (title.includes(fold(el.textContent)) || document.title.includes(fold(el.textContent))));
      if (headline >= 0) {
        snap.owners.forEach((el, owner) => snap.owners[headline].contains(el) && chosen.add(owner));
        const inner = keep;
        keep = (owner) => inner(owner) || snap.owners[headline].contains(snap.owners[owner]);
      }
    }
    mainContent = new WeakMap(snap.owners.map((el, owner) => [el, keep(owner)]));
    snap.owned.forEach((owner, i) => {
      snap.flags[i] = snap.flags[i] & ~MAIN | (keep(owner) ? MAIN : 0);
    });
    const seen = new Set();
    for (const [el, owner] of snap.anchors) {
      if (snap.links.length === MAX_LINKS) break;
      const text = fold(el.textContent).slice(0, MAX_LINK_TEXT).toWellFormed();
      if (!keep(owner) || !text || !/^https?:$/.test(el.protocol) || seen.has(el.href)) continue;
      if (el.href.split("#")[0] === pageUrl()) continue;
      seen.add(el.href);
      snap.links.push([text, el.href]);
    }
  }

  const pageUrl = () => location.href.split("#")[0];

  const wire = (snap) => ({
    generation: snap.generation,
    url: pageUrl(),
    title: document.title.toWellFormed(),
    lang: document.documentElement?.lang ?? "",
    text: snap.text,
    nodes: snap.data.map((data, i) => [data.length, snap.flags[i]]),
    hidden: snap.hidden,
    selection: String(getSelection() ?? "").slice(0, MAX_TEXT).toWellFormed(),
    links: snap.links,
    main: snap.main,
  });

  /** The snapshots that anchors may mean: the one the reader was given, and the newest. */
  let extracted = null, newest = null;

  function extract() {
    const snap = emptySnapshot();
    snap.anchors = [];
    const copy = document.implementation.createHTMLDocument(document.title);
    for (const _ of walk(snap, copy));
    chooseMain(snap, copy);
    snap.owners = snap.asides = snap.owned = snap.anchors = null;
    extracted = newest = snap;
    return wire(snap);
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
    item.base = snap;
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
      const painted = { ...given, anchor: null, base: null, pieces: [], text: "" };
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
    const ours = (node) => node === host;
    if (records.every((record) => record.target === document.documentElement && record.type === "childList" &&
      [...record.addedNodes, ...record.removedNodes].every(ours))) return;
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

  const frame = () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 200 }));

  /** Puts highlights back that the page's changes took away. Answers whether that changed anything. */
  async function findAgain() {
    const mine = reading;
    restore();
    if ([...items.values()].every(intact)) return false;
    const snap = emptySnapshot();
    let started = performance.now();
    for (const _ of walk(snap, null)) {
      if (performance.now() - started < SLICE_MS) continue;
      await frame();
      started = performance.now();
    }
    if (reading !== mine) return false;
    const known = newest;
    newest = snap;
    snap.owners = snap.asides = snap.owned = null;
    watch();
    const lost = () => [...items.values()].filter((item) => !intact(item));
    // A re-render brings the same text in new nodes: the old places still hold.
    for (const item of lost()) if (item.base?.text === snap.text) place(item, snap, item.anchor);
    if (lost().length && known?.text !== snap.text) {
      const asked = [...items.values()];
      const answer = await tell({ type: "anchor", snapshot: wire(snap), phrases: asked.map(({ phrase }) => phrase) });
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

  const STYLE = `
    :host { all: initial !important; position: fixed !important; inset: auto !important; margin: 0 !important;
      padding: 0 !important; border: 0 !important; background: none !important; overflow: visible !important;
      display: block !important; z-index: 2147483647 !important; color-scheme: light dark !important; }
    div { box-sizing: border-box; max-width: min(320px, calc(100vw - 16px)); padding: 8px 12px; border-radius: 8px;
      border: 1px solid light-dark(#e3e6ea, #2c3138); background: light-dark(#fff, #1e2126);
      color: light-dark(#1c1f24, #e6e9ee); font: 13.5px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
      box-shadow: 0 4px 16px rgb(0 0 0 / .18); }
    p { margin: 0; } .label { font-weight: 600; } .source { font-size: 12px; color: light-dark(#5b6470, #9aa4b2); }
    a { color: light-dark(#0b57d0, #a8c7fa); } a:focus-visible { outline: 2px solid; outline-offset: 2px; }
    @media (prefers-reduced-motion: no-preference) { div { animation: in 120ms; } }
    @keyframes in { from { opacity: 0; } }`;
  const GAP = 8, LEAVE_MS = 250;
  let shown = null, pointer = null, pointerFrame = 0, leaving = 0, focusTimer = 0;

  function line(text, className) {
    const p = document.createElement("p");
    p.className = className;
    p.textContent = text;
    return p;
  }

  function showTooltip(item) {
    clearTimeout(leaving);
    leaving = 0;
    if (shown === item) return;
    hideTooltip();
    shown = item;
    host = document.createElement("sidelight-note");
    const shadow = host.attachShadow({ mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    shadow.adoptedStyleSheets = [sheet];
    const box = document.createElement("div");
    box.role = "tooltip";
    box.append(line(item.label, "label"), line(item.note, "note"));
    if (item.source || item.source_url) box.append(sourceLine(item));
    shadow.append(box);
    document.documentElement.append(host);
    // The top layer lies above any z-index of the page and above its dialogs.
    host.popover = "manual";
    host.showPopover?.();
    moveTooltip();
  }

  function sourceLine(item) {
    const address = item.source_url ?? "";
    const name = item.source || address;
    if (!item.verified || !/^https?:\/\//i.test(address)) return line(`${name} (unverified source)`, "source");
    const p = line("", "source");
    const a = document.createElement("a");
    a.href = address;
    a.target = "_blank";
    a.rel = "noopener noreferrer";
    a.textContent = name;
    p.append(a);
    return p;
  }

  function moveTooltip() {
    const rect = shown?.pieces.map(({ range }) => range.getBoundingClientRect()).find((r) => r.width || r.height);
    if (!host || !rect) return void hideTooltip();
    const { offsetWidth: width, offsetHeight: height } = host;
    const below = rect.bottom + GAP;
    const top = below + height <= innerHeight - GAP ? below : rect.top - GAP - height;
    const clamp = (value, most) => Math.max(GAP, Math.min(value, most - GAP));
    host.style.setProperty("left", `${clamp(rect.left, innerWidth - width)}px`, "important");
    host.style.setProperty("top", `${clamp(top, innerHeight - height)}px`, "important");
    const away = rect.bottom < 0 || rect.top > innerHeight;
    host.style.setProperty("visibility", away ? "hidden" : "visible", "important");
  }

  function hideTooltip() {
    clearTimeout(leaving);
    leaving = 0;
    shown = null;
    host?.remove();
    host = null;
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
      const item = pointer.target === host ? shown : itemAt(pointer.clientX, pointer.clientY);
      if (item) showTooltip(item);
      else if (shown) leaving ||= setTimeout(hideTooltip, LEAVE_MS);
    });
  }

  function onClick(event) {
    if (reading === null || event.target === host || !getSelection()?.isCollapsed) return;
    const item = itemAt(event.clientX, event.clientY);
    if (item) tell({ type: "activated", reading, index: item.index });
  }

  const onKey = (event) => event.key === "Escape" && hideTooltip();
  const onScroll = () => shown && requestAnimationFrame(moveTooltip);

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
