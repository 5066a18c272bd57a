// What a reader sees of a page, as text nodes in reading order, and which of them are the main content.
//
// A classic script for the extension's isolated world, before content.js. It only reads.
globalThis.sidelightText = (() => {
  "use strict";

  const BLOCK = 1, MAIN = 2, CODE = 4, LINK = 8, HEADING = 16, QUOTE = 32, BREAK = 64,
    FRAME = 128;
  const MAX_TEXT = 4_000_000, MAX_LINKS = 40, MAX_LINK_TEXT = 200, MAX_NODES = 500_000;
  /** Readability's time grows with the square of the depth: what lies deeper is lifted up in its copy. */
  const MAX_DEPTH = 150;
  /** Of the copy: Readability works in one piece, so this bounds the longest task. */
  const MAX_COPIED = 50_000;
  const MAX_PICTURES = 300;
  const FAR = -500; // px: nobody moves text that far out to have it read
  const NOTHING_LEFT = /inset\((50|100)%|circle\(0|polygon\(0(px)? 0(px)?(, 0(px)? 0(px)?)+\)/;

  /** Of a frame, in px: below it holds no text to read. */
  const MIN_FRAME_WIDTH = 200, MIN_FRAME_HEIGHT = 100;
  /** Sizes that advertisements are sold in, and hardly anything else has. */
  const AD_SIZES = new Set(["300x250", "336x280", "250x250", "300x600", "300x1050", "970x250", "320x100"]);

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
  const DROP_CAP = /^["'“„‘«]?\p{Lu}$/u;
  const NUMBER = "data-sidelight-";
  // What Readability looks at. Everything else stays behind: its copy is text and structure only.
  const READ_ATTRIBUTES = ["class", "id", "role", "rel", "itemprop", "property", "summary"];
  // Without attributes they mean nothing to Readability: their text goes to the element around them.
  const LIFTED = new Set(("abbr b bdi bdo cite code dfn em i kbd mark q s samp small strong sub sup time u var").split(" "));

  // A form's fields hide its own properties (`<input name="nextSibling">`): what may be a form is asked by prototype.
  const asker = (prototype, name) => {
    const { get, value } = Object.getOwnPropertyDescriptor(prototype, name);
    return Function.prototype.call.bind(get ?? value);
  };
  // What can have a shadow tree, beside elements with a name of their own.
  const SHADOW_HOSTS = new Set(("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section " +
    "span").split(" "));
  const [nodeType, nextSibling, firstChild, parentNode, isConnected, textContent] =
    ["nodeType", "nextSibling", "firstChild", "parentNode", "isConnected", "textContent"]
      .map((name) => asker(Node.prototype, name));
  const [localName, elementId, shadowRoot, getAttribute, hasAttribute, querySelector, querySelectorAll, boxOf, append] =
    ["localName", "id", "shadowRoot", "getAttribute", "hasAttribute", "querySelector", "querySelectorAll",
      "getBoundingClientRect", "append"].map((name) => asker(Element.prototype, name));

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
  function overPicture(el, painter, pictures) {
    if (!pictures.has(painter)) {
      const all = [...querySelectorAll(painter, "img,video,canvas,svg,iframe,object")].slice(0, MAX_PICTURES);
      pictures.set(painter, all.map((picture) => picture.getBoundingClientRect()));
    }
    const rect = boxOf(el);
    return pictures.get(painter).some((r) =>
      r.left < rect.right && r.right > rect.left && r.top < rect.bottom && r.bottom > rect.top);
  }

  /** Whether letters in `style` can't be told from `ground`, the colour behind them (null: not known). */
  function inkless(el, style, ink, ground, painter, pictures) {
    if (ground === null) return false;
    const clear = ink.startsWith("rgba") && channels(ink)[3] === 0;
    return (clear || sameColour(ink, ground) && !overPicture(el, painter, pictures)) &&
      style.textShadow === "none" && parseFloat(style.webkitTextStrokeWidth) === 0;
  }

  /** Whether nothing of `el` and what is in it can be seen. */
  function unseen(el, style, display) {
    if (display === "none" || style.opacity === "0" || style.contentVisibility === "hidden") return true;
    // A page behind an open dialog is often aria-hidden as a whole; only a part of it can be decoration.
    if (getAttribute(el, "aria-hidden") === "true" &&
      !querySelector(el, "main,article,[role=main],h1,p ~ p ~ p")) return true;
    const { position, transform } = style;
    const placed = position === "absolute" || position === "fixed";
    if (display !== "inline" && display !== "contents") {
      // Overflow that is visible to one side is so to both.
      if (style.overflowX !== "visible" && (el.clientWidth <= 1 || el.clientHeight <= 1)) return true;
      if (parseFloat(style.textIndent) <= FAR) return true;
      if (NOTHING_LEFT.test(style.clipPath)) return true;
    }
    if (placed && style.clip !== "auto") {
      const [top, right, bottom, left] = channels(style.clip);
      if (right - left <= 1 || bottom - top <= 1) return true;
    }
    if (placed || transform !== "none" || parseFloat(style.marginLeft) < FAR ||
      position === "relative" && (parseFloat(style.left) < FAR || parseFloat(style.top) < FAR)) {
      const rect = boxOf(el);
      if (rect.width === 0 && rect.height === 0) return transform !== "none" && display !== "contents";
      const [x, y] = position === "fixed" ? [0, 0] : [scrollX, scrollY];
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

  /** The shadow tree shown in place of an element's own content. Asking for a closed one is slow, so only likely hosts are. */
  function shadowOf(el, tag) {
    const open = shadowRoot(el);
    if (open || !(el instanceof HTMLElement)) return open;
    if (!tag.includes("-") && (firstChild(el) || !SHADOW_HOSTS.has(tag))) return null;
    return globalThis.chrome?.dom?.openOrClosedShadowRoot(el) ?? null;
  }

  /** Which of a window's frames `frame` is, or -1: frames in shadow trees are not listed. */
  function indexOfFrame(frame, holder) {
    for (let i = 0; i < holder.length; i += 1) if (holder[i] === frame) return i;
    return -1;
  }

  /** Where this document stands in its tab; other origins answer that much as well. */
  function framePath() {
    const path = [];
    for (let frame = globalThis.window; frame !== frame.parent; frame = frame.parent) {
      path.unshift(indexOfFrame(frame, frame.parent));
    }
    return path;
  }

  /** Whether a frame is large enough to hold something to read, and no advertisement. */
  function isReadable(el, name) {
    const { width, height } = boxOf(el);
    return width >= MIN_FRAME_WIDTH && height >= MIN_FRAME_HEIGHT &&
      !AD_SIZES.has(`${Math.round(el.clientWidth)}x${Math.round(el.clientHeight)}`) &&
      !ASIDE_NAMES.test(`${name} ${el.name} ${el.title}`);
  }

  /** How many frames of this document there are, and how many of them hold something to read. */
  function countFrames() {
    const all = [...document.querySelectorAll("iframe, frame")];
    return { all: all.length, readable: all.filter((el) => isReadable(el, `${el.id} ${el.className}`)).length };
  }

  // No two documents of a tab begin with the same number: what is meant for one must mean nothing to the other.
  let generation = Math.floor(performance.timeOrigin) % 2 ** 31;
  /** Element to whether its own text is main content, as the last extraction found. */
  let mainContent = new WeakMap();

  /**
   * Walks the flat tree (open shadow roots and slots as they are shown) and fills `snap`. Yields every few nodes, so
   * that the caller can stop for a frame. With `copy`, a document for Readability is built on the way. The element
   * `ours` is no part of the page.
   */
  function* walk(snap, copy, ours) {
    let boundary = BLOCK; // what stands before the next text: nothing, a block's edge, or a mere line break
    const root = document.body ?? document.documentElement;
    if (!root) return;
    const stack = [];

    function enter(el, parent) {
      const tag = localName(el);
      if (tag === "br") boundary ||= BLOCK | BREAK;
      if (tag === "hr") boundary = BLOCK;
      const isFrame = (tag === "iframe" || tag === "frame") && snap.embeds;
      if (SKIPPED.has(tag) && !isFrame || tag === "br" || tag === "hr" || el === ours) return;
      const style = getComputedStyle(el);
      const { display } = style;
      if (unseen(el, style, display)) {
        if (holdsText(el)) snap.hidden += 1;
        return;
      }
      let block = !INLINE.has(display);
      // A drop cap floats, and belongs to its word.
      if (display === "block" && style.float !== "none" && DROP_CAP.test(fold(textContent(el)))) block = false;
      if (block) boundary = BLOCK;

      let { ground, painter } = parent;
      const paint = style.backgroundColor;
      if (style.backgroundImage !== "none") ground = null;
      else if (paint !== TRANSPARENT) {
        ground = paint.startsWith("rgba") ? null : paint;
        painter = el;
      } else if (style.position === "absolute" || style.position === "fixed") ground = null;
      const ink = style.webkitTextFillColor;
      const blank = ink === parent.ink && ground === parent.ground && painter === parent.painter && !parent.blank ?
        false : inkless(el, style, ink, ground, painter, snap.pictures);
      const faded = blank || style.visibility !== "visible" || parseFloat(style.fontSize) < 1;

      const name = `${elementId(el)} ${getAttribute(el, "class") ?? ""}`;
      if (isFrame) {
        if (!faded && !parent.veil && isReadable(el, name)) embed(el, parent);
        return;
      }
      const own = tag !== "body" && tag !== "main" && tag !== "article" &&
        (ASIDE_TAGS.has(tag) || ASIDE_ROLES.has(getAttribute(el, "role")) || ASIDE_NAMES.test(name) ||
          tag === "header" && !parent.article);
      const frame = {
        el, block, ground, painter, ink, blank, depth: parent.depth + 1,
        veil: faded ? parent.veil ?? { counted: false } : null,
        flags: parent.flags | (FLAGS[tag] ?? 0),
        aside: parent.aside || own,
        article: parent.article || tag === "article" || tag === "main",
        main: mainContent.get(el) ?? parent.main,
        owner: snap.owners.length,
        twin: null, inside: null, last: null, next: null, list: null, at: 0,
      };
      snap.owners.push(el);
      snap.asides.push(frame.aside);
      if (copy) copyTo(copy, el, tag, frame, parent);
      if (tag === "a" && snap.anchors) snap.anchors.push([el, frame.owner]);

      if (tag === "details" && !el.open) {
        const summary = el.querySelector(":scope > summary");
        frame.list = summary ? [summary] : [];
        if ([...el.childNodes].some((child) => child !== summary && fold(child.textContent))) snap.hidden += 1;
      } else if (tag === "slot") {
        const assigned = el.assignedNodes();
        if (assigned.length) frame.list = assigned;
        else frame.inside = el;
      } else {
        const shadow = shadowOf(el, tag);
        if (shadow) snap.shadows.push(shadow);
        frame.inside = shadow ?? el;
      }
      stack.push(frame);
    }

    /** Notes the place of a frame, which answers for itself. */
    function embed(el, parent) {
      snap.embeds.push(indexOfFrame(el.contentWindow, window));
      snap.nodes.push(el);
      snap.data.push("");
      snap.starts.push(snap.length);
      snap.flags.push(BLOCK | FRAME | (parent.aside ? 0 : MAIN));
      snap.owned.push(parent.owner);
      boundary = BLOCK;
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
      if (frame.twin) copyText(copy, data, frame);
    }

    /** The child to read next, while the page may change between two of them. */
    function nextOf(frame) {
      const { inside, last, next } = frame;
      if (frame.list) return frame.list[frame.at++];
      const node = !last ? firstChild(inside) : parentNode(last) === inside ? nextSibling(last) : next;
      if (!node || parentNode(node) === inside && isConnected(node)) {
        frame.last = node;
        frame.next = node && nextSibling(node);
        return node;
      }
      snap.torn = true;
      return null;
    }

    const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? null : "rgb(255, 255, 255)";
    const page = getComputedStyle(document.documentElement);
    const ground = page.backgroundImage !== "none" ? null :
      page.backgroundColor === TRANSPARENT ? canvas : page.backgroundColor;
    enter(root, { ground, painter: root, ink: null, blank: false, depth: 0, veil: null, flags: 0, aside: false,
      article: false, main: false, twin: copy?.page.documentElement });

    for (let seen = 0; stack.length && seen < MAX_NODES && !snap.full; seen += 1) {
      const frame = stack.at(-1);
      const node = nextOf(frame);
      if (!node) {
        if (frame.block) boundary = BLOCK;
        stack.pop();
        continue;
      }
      const type = nodeType(node);
      if (type === Node.TEXT_NODE) read(node, frame);
      else if (type === Node.ELEMENT_NODE) enter(node, frame);
      if (seen % 64 === 63) yield;
    }
    snap.full ||= stack.length > 0;
    snap.text = snap.data.map((data) => data.toWellFormed()).join("");
  }

  /**
   * Gives the element its twin in Readability's copy. Its number is an attribute's name: merged elements then keep both
   * numbers. An element that is lifted has the twin and the number of the one around it.
   */
  function copyTo(copy, el, tag, frame, parent) {
    const attributes = READ_ATTRIBUTES.filter((name) => hasAttribute(el, name));
    frame.twin = parent.twin;
    frame.number = parent.number;
    if (!attributes.length && LIFTED.has(tag)) {
      copy.numbers.push(frame.number);
      return;
    }
    frame.number = frame.owner;
    copy.numbers.push(frame.number);
    if (tag === "body") parent.twin.querySelector("body")?.remove();
    let twin;
    try {
      twin = copy.page.createElement(tag);
    } catch {
      twin = copy.page.createElement("span");
    }
    for (const name of attributes) twin.setAttribute(name, getAttribute(el, name));
    if (tag === "a" && el.hasAttribute("href")) twin.setAttribute("href", "https://link.invalid/");
    twin.setAttribute(NUMBER + frame.owner, "");
    append(parent.twin, twin);
    if (frame.depth < MAX_DEPTH) frame.twin = twin;
  }

  /** Of a division Readability makes a paragraph, and the division goes with its number: text straight in it has its own. */
  function copyText(copy, data, { twin, number }) {
    if (localName(twin) !== "div" || isBlank(data)) return void append(twin, data);
    const words = copy.page.createElement("b");
    words.setAttribute(NUMBER + number, "");
    words.textContent = data;
    append(twin, words);
  }

  const emptySnapshot = () => ({
    generation: ++generation, text: "", length: 0, hidden: 0, full: false, main: "visible_text", links: [],
    /** Whether the page took away what was just being read, and what else was in it was not. */
    torn: false,
    nodes: [], data: [], starts: [], flags: [], owned: [], owners: [], asides: [], shadows: [], anchors: null,
    embeds: null, pictures: new Map(),
  });

  /** The numbers of the elements that Readability takes for the article, and its title. One long task. */
  function* askReadability(copy) {
    const chosen = new Set();
    let article = null;
    try {
      const options = { serializer: (el) => el, disableJSONLD: true, maxElemsToParse: MAX_COPIED };
      article = new globalThis.Readability(copy.page, options).parse();
    } catch {
      // No opinion then: all visible text stands in.
    }
    let seen = 0;
    for (const el of article?.content?.querySelectorAll("*") ?? []) {
      for (const name of el.getAttributeNames()) if (name.startsWith(NUMBER)) chosen.add(Number(name.slice(NUMBER.length)));
      if (++seen % 256 === 0) yield;
    }
    return { title: article?.title ?? "", chosen };
  }

  /**
   * Flags the main content: Readability's choice, without what stands beside an article; else all but that. Yields
   * before what is long, Readability itself being the longest.
   */
  function* chooseMain(snap, copy) {
    const letters = [];
    for (const data of snap.data) if (letters.push(fold(data).length) % 256 === 0) yield;
    const lengthOf = (keep) => snap.owned.reduce((sum, owner, i) => (keep(owner) ? sum + letters[i] : sum), 0);
    yield;
    const { title, chosen } = yield* askReadability(copy);
    copy.numbers.forEach((number, owner) => chosen.has(number) && chosen.add(owner));
    yield;
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
    yield;
    mainContent = new WeakMap(snap.owners.map((el, owner) => [el, keep(owner)]));
    snap.owned.forEach((owner, i) => {
      if (snap.flags[i] & FRAME) return; // Readability sees no text in it
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

  /** Of each node in turn, in one array: a message is written as JSON, and arrays are dear to read. */
  function lengthsAndFlags({ data, flags }) {
    const flat = [];
    for (let i = 0; i < data.length; i += 1) flat.push(data[i].length, flags[i]);
    return flat;
  }

  const wire = (snap) => ({
    generation: snap.generation,
    url: pageUrl(),
    title: document.title.toWellFormed(),
    lang: document.documentElement?.lang ?? "",
    contentType: document.contentType,
    text: snap.text,
    nodes: lengthsAndFlags(snap),
    hidden: snap.hidden,
    selection: String(getSelection() ?? "").slice(0, MAX_TEXT).toWellFormed(),
    truncated: snap.full,
    links: snap.links,
    main: snap.main,
    embeds: snap.embeds ?? [],
    path: framePath(),
  });

  /**
   * Does `work` a slice at a time, between which the page goes on; `pause` resolves when it is our turn again. With
   * `ours`, the least share of the time that is ours, a long pause is followed by a long slice: a page that never rests
   * can't put the end off for ever.
   */
  async function inSlices(work, { sliceMs, pause, ours = 0 }) {
    let slice = sliceMs, started = performance.now();
    for (const _ of work) {
      const now = performance.now();
      if (now - started < slice) continue;
      await pause();
      started = performance.now();
      slice = Math.max(sliceMs, (started - now) * ours / (1 - ours));
    }
  }

  /** Reads the whole page, main content and links included. `ownHost` is no part of it. */
  async function extract(ownHost, pace) {
    // A frame too small to read in, whatever the document around it says.
    const isSpeck = globalThis !== globalThis.top && (innerWidth < MIN_FRAME_WIDTH || innerHeight < MIN_FRAME_HEIGHT);
    let snap, copy;
    // A page torn under our eyes is read anew, and when that goes on, in one piece.
    for (const sliceMs of [pace.sliceMs, pace.sliceMs, Infinity]) {
      snap = emptySnapshot();
      snap.anchors = [];
      snap.embeds = [];
      // Which number each element has in the copy, by owner.
      copy = { page: document.implementation.createHTMLDocument(document.title), numbers: [] };
      if (!isSpeck) await inSlices(walk(snap, copy, ownHost), { ...pace, sliceMs });
      if (!snap.torn) break;
    }
    await inSlices(chooseMain(snap, copy), pace);
    return forget(snap);
  }

  /** Reads the page's text again. */
  async function extractAgain(ownHost, pace) {
    const snap = emptySnapshot();
    await inSlices(walk(snap, null, ownHost), pace);
    return forget(snap);
  }

  /** Lets go of what only the walk needed. */
  function forget(snap) {
    snap.owners = snap.asides = snap.owned = snap.anchors = snap.pictures = null;
    return snap;
  }

  return { BLOCK, BREAK, isBlank, extract, extractAgain, countFrames, wire };
})();
