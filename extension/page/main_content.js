// Which of a page's text is its main content: Readability says, of a copy that is made while the page is read.
//
// A classic script for the extension's isolated world, after Readability.js and before text.js. It only reads.
globalThis.sidelightMainContent = (() => {
  "use strict";

  const { localName, getAttribute, hasAttribute, append, fold, isBlank } = globalThis.sidelightDom;
  const MAX_LINKS = 40, MAX_LINK_TEXT = 120, MAX_ADDRESS = 2_000;
  /** Readability's time grows with the square of the depth: what lies deeper is lifted up in its copy. */
  const MAX_DEPTH = 150;
  /** Of the copy: Readability works in one piece, so this bounds the longest task. */
  const MAX_COPIED = 50_000;
  const NUMBER = "data-sidelight-";
  // What Readability looks at. Everything else stays behind: its copy is text and structure only.
  const READ_ATTRIBUTES = ["class", "id", "role", "rel", "itemprop", "property", "summary"];
  // Without attributes they mean nothing to Readability: their text goes to the element around them.
  const LIFTED = new Set(("abbr b bdi bdo cite code dfn em i kbd mark q s samp small strong sub sup time u var").split(" "));

  /** An empty copy; `numbers` holds, by owner, which number each element has in it. */
  const newCopy = () => ({ page: document.implementation.createHTMLDocument(document.title), numbers: [] });

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

  const pageUrl = () => location.href.split("#")[0];

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
   * Chooses the main content: what Readability does, without what stands beside an article; else all but that. Yields
   * before what is long, Readability itself being the longest. Returns of each element whether its own text is main.
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
    chooseLinks(snap, keep);
    return new WeakMap(snap.owners.map((el, owner) => [el, keep(owner)]));
  }

  /** Links of the main content, each address once. */
  function chooseLinks(snap, keep) {
    const seen = new Set();
    for (const [el, owner] of snap.anchors) {
      if (snap.links.length === MAX_LINKS) break;
      const text = fold(el.textContent).slice(0, MAX_LINK_TEXT).toWellFormed();
      if (!keep(owner) || !text || !/^https?:$/.test(el.protocol) || seen.has(el.href)) continue;
      if (el.href.length > MAX_ADDRESS || el.href.split("#")[0] === pageUrl()) continue;
      seen.add(el.href);
      snap.links.push([text, el.href]);
    }
  }

  return { newCopy, copyTo, copyText, chooseMain, pageUrl };
})();
