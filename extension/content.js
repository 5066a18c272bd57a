// Sidelight's eyes and hands in a document, of a tab or of a frame in it: reads the rendered text, paints highlights,
// shows their notes.
//
// A classic script, injected after Readability.js and page/*.js into the extension's isolated world. It decides nothing:
// the worker finds where phrases stand (offsets into the text of a snapshot), this script maps offsets to text nodes.
// The page's DOM is never changed, except for the tooltip's host while a tooltip shows. Messages: src/wire/content.rs.
(() => {
  "use strict";

  const VERSION = 2;
  const alive = () => Boolean(globalThis.chrome?.runtime?.id);

  // Injected again: the script that stands keeps working. After an extension reload the old one is an orphan in a
  // world of its own, reachable only through the document.
  const standing = globalThis.__sidelight;
  if (standing?.version === VERSION && standing.alive()) return;
  standing?.teardown();
  document.dispatchEvent(new CustomEvent("sidelight-takeover"));

  const FRAMES_MS = 1000, SLICE_MS = 8;
  const idle = () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 50 }));
  const turn = () => scheduler.postTask(() => {});
  /** The reader waits for the first reading: it takes turns with the page. Later looks have time until the page rests. */
  const AT_FIRST = { sliceMs: SLICE_MS, pause: turn, ours: 0.2 }, LATER = { sliceMs: SLICE_MS, pause: idle };
  const pageText = globalThis.sidelightText;
  const tooltip = globalThis.sidelightTooltip();
  const paint = globalThis.sidelightPaint();
  const watch = globalThis.sidelightWatch({ alive, check, find, end: teardown, isOurs: tooltip.owns });
  const pointer = globalThis.sidelightPointer({
    paint, tooltip,
    shadows: () => newest?.shadows ?? [],
    isReading: () => reading !== null,
    onActivate: ({ index }) => tell({ type: "activated", reading, index }),
    onScroll: () => watch.hurry(),
  });

  /** The snapshots that anchors may mean: the one the reader was given, and the newest. */
  let extracted = null, newest = null;
  let extracting = Promise.resolve();
  /** The reading on the page. */
  let reading = null;
  let lastReport = "";
  /** The frames there were when the page was read, and whether more have come since. */
  let framesRead = { all: 0, readable: 0 }, framesCame = false, framesCounted = 0;

  /** One after the other: marks go by the snapshot that was asked for last, which must come last. */
  function extract() {
    return extracting = extracting.then(read, read);
  }

  async function read() {
    framesRead = pageText.countFrames();
    framesCame = false;
    extracted = newest = await pageText.extract(tooltip.host, AT_FIRST);
    return pageText.wire(newest);
  }

  function onPaint(message) {
    const snap = [newest, extracted].find((one) => one?.generation === message.generation);
    if (message.reading !== reading) {
      if (!snap) return; // the reading of a document that stood here before
      clear();
      reading = message.reading;
    }
    const lost = paint.add(message.items, snap);
    watch.start(newest?.shadows ?? []);
    tellPainted();
    if (lost) watch.schedule();
  }

  function clear() {
    pointer.hide();
    reading = null;
    lastReport = "";
    paint.clear();
    watch.stop();
  }

  function focus({ reading: wanted, index }) {
    const item = wanted === reading ? paint.item(index) : null;
    if (!item || !paint.intact(item)) return false;
    pointer.focus(item);
    return true;
  }

  function tellPainted() {
    const told = paint.report();
    const message = { type: "painted", reading, items: told, ...(framesCame && { lateFrames: true }) };
    const key = JSON.stringify(message);
    if (reading === null || key === lastReport) return;
    lastReport = key;
    tell(message);
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

  /** Answers what stands here, and tells it anew: a panel that has just opened has heard none of it. */
  function report() {
    lastReport = "";
    tellPainted();
    return paint.report();
  }

  // ---- Keeping up with a page that changes ------------------------------------------------------------------------

  /** Notices a frame with something to read that came after the page was read. Measuring costs layout: once a second. */
  function noticeFrames() {
    const now = performance.now();
    if (framesCame || globalThis !== globalThis.top || now - framesCounted < FRAMES_MS) return;
    framesCounted = now;
    if (document.getElementsByTagName("iframe").length <= framesRead.all) return;
    framesCame = pageText.countFrames().readable > framesRead.readable;
    if (framesCame) tellPainted();
  }

  /** Whether every highlight stands. */
  function check() {
    noticeFrames();
    paint.restore();
    return paint.lost().length === 0;
  }

  /** Puts highlights back that the page's changes took away. Answers whether that changed anything. */
  async function find() {
    const mine = reading;
    const snap = await pageText.extractAgain(tooltip.host, LATER);
    if (reading !== mine) return false;
    const known = newest;
    newest = snap;
    watch.start(snap.shadows);
    // A re-render brings the same text in new nodes: the old places still hold.
    for (const item of paint.lost()) if (item.placedIn === snap.text) paint.place(item, snap, item.anchor);
    if (paint.lost().length && known?.text !== snap.text) {
      const asked = [...paint.items.values()];
      const answer = await tell({
        type: "anchor", snapshot: pageText.wire(snap),
        phrases: asked.map(({ phrase }) => phrase), around: asked.map(({ around }) => around),
      });
      if (reading !== mine) return false;
      if (answer?.type === "anchors") {
        asked.forEach((item, i) => {
          if (paint.item(item.index) === item && !paint.intact(item)) paint.place(item, snap, answer.anchors[i]);
        });
      } else newest = known; // nobody answered: the next pass asks again
    }
    paint.restore();
    const before = lastReport;
    tellPainted();
    return lastReport !== before;
  }

  // ---- Messages and life ------------------------------------------------------------------------------------------

  const HANDLERS = {
    extract,
    paint: (message) => void onPaint(message),
    focus,
    report,
    clear: () => void clear(),
  };

  function onMessage(message, _sender, answer) {
    const handler = Object.hasOwn(HANDLERS, message?.type) ? HANDLERS[message.type] : null;
    if (!handler) return false;
    const said = handler(message);
    if (!(said instanceof Promise)) {
      answer(said ?? null);
      return false;
    }
    said.catch(() => null).then(answer);
    return true; // the answer is yet to come
  }

  function again() {
    if (reading === null) return;
    check();
    watch.schedule();
  }

  /** The browser kept this document while the reader was elsewhere; for the panel it was gone. */
  function onPageShow({ persisted }) {
    if (persisted) lastReport = "";
    again();
    if (persisted) tellPainted();
  }

  /** A frame that goes takes its highlights along. What the top document does, the panel sees by itself. */
  function onPageHide() {
    if (reading === null || globalThis === globalThis.top) return;
    tell({ type: "painted", reading, items: paint.report().map(({ index }) => ({ index, text: "" })) });
  }

  const onTakeover = () => alive() || teardown();
  const listeners = [
    [document, "visibilitychange", again],
    [document, "sidelight-takeover", onTakeover],
    [globalThis, "pageshow", onPageShow],
    [globalThis, "pagehide", onPageHide],
    [globalThis, "focus", again],
  ];

  function teardown() {
    clear();
    pointer.end();
    for (const [target, type, listener] of listeners) target.removeEventListener(type, listener);
    try {
      chrome.runtime.onMessage.removeListener(onMessage);
    } catch {
      // The extension is gone and its listeners with it.
    }
    if (globalThis.__sidelight?.teardown === teardown) delete globalThis.__sidelight;
  }

  for (const [target, type, listener] of listeners) target.addEventListener(type, listener);
  chrome.runtime.onMessage.addListener(onMessage);
  globalThis.__sidelight = { version: VERSION, alive, teardown, report: paint.report };
})();
