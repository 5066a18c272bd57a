// What a reader sees of a page, as text nodes in reading order.
//
// A classic script for the extension's isolated world, before content.js. It only reads.
globalThis.sidelightText = (() => {
  "use strict";

  const {
    nodeType, nextSibling, firstChild, parentNode, isConnected, textContent, localName, id: elementId, shadowRoot,
    getAttribute, getBoundingClientRect: boxOf, fold, isBlank,
  } = globalThis.sidelightDom;
  const { TRANSPARENT, inkless, unseen } = globalThis.sidelightSight;
  const { signedIn } = globalThis.sidelightSignedIn;
  const { newCopy, copyTo, copyText, chooseMain, pageUrl } = globalThis.sidelightMainContent;

  const BLOCK = 1, MAIN = 2, CODE = 4, LINK = 8, HEADING = 16, QUOTE = 32, BREAK = 64, FRAME = 128;
  const MAX_TEXT = 4_000_000, MAX_NODES = 500_000;

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
  // What can have a shadow tree, beside elements with a name of their own.
  const SHADOW_HOSTS = new Set(("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section " +
    "span").split(" "));

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

  const emptySnapshot = () => ({
    generation: ++generation, text: "", length: 0, hidden: 0, full: false, main: "visible_text", links: [],
    /** Whether the page took away what was just being read, and what else was in it was not. */
    torn: false,
    nodes: [], data: [], starts: [], flags: [], owned: [], owners: [], asides: [], shadows: [], anchors: null,
    embeds: null, pictures: new Map(), signedIn: false,
  });

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
    signedIn: snap.signedIn,
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
   * can't put the end off for ever. Resolves to what `work` returns.
   */
  async function inSlices(work, { sliceMs, pause, ours = 0 }) {
    let slice = sliceMs, started = performance.now();
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
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
      copy = newCopy();
      if (!isSpeck) await inSlices(walk(snap, copy, ownHost), { ...pace, sliceMs });
      if (!snap.torn) break;
    }
    snap.signedIn = signedIn([document, ...snap.shadows]);
    mainContent = await inSlices(chooseMain(snap, copy), pace);
    snap.owned.forEach((owner, i) => {
      if (snap.flags[i] & FRAME) return; // Readability sees no text in it
      snap.flags[i] = snap.flags[i] & ~MAIN | (mainContent.get(snap.owners[owner]) ? MAIN : 0);
    });
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

  return { BLOCK, BREAK, extract, extractAgain, countFrames, wire };
})();
