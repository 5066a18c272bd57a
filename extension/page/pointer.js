// The reader's pointer and keys on highlights: notes on hover, a click that leads to the list, and the way back.
//
// A classic script for the extension's isolated world, before content.js.
"use strict";

globalThis.sidelightPointer = ({ paint, tooltip, shadows, isReading, onActivate, onScroll }) => {
  const LEAVE_MS = 250;
  let pointer = null, frame = 0, leaving = 0;

  function show(item) {
    clearTimeout(leaving);
    leaving = 0;
    tooltip.show(item, () =>
      item.pieces.map(({ range }) => range.getBoundingClientRect()).find((r) => r.width || r.height));
  }

  function hide() {
    clearTimeout(leaving);
    leaving = 0;
    tooltip.hide();
  }

  /** The item whose painted text lies under a point of the viewport. */
  function itemAt(x, y) {
    if (CSS.highlights.highlightsFromPoint) {
      for (const { ranges } of CSS.highlights.highlightsFromPoint(x, y, { shadowRoots: shadows() })) {
        for (const range of ranges) if (paint.itemOf(range)) return paint.itemOf(range);
      }
      return null;
    }
    const caret = document.caretPositionFromPoint(x, y, { shadowRoots: shadows() });
    if (!caret) return null;
    for (const item of paint.items.values()) {
      for (const { range } of item.pieces) {
        // The caret snaps to the nearest text; only a box around the point proves it is there.
        if (range.startContainer === caret.offsetNode && range.isPointInRange(caret.offsetNode, caret.offset) &&
          [...range.getClientRects()].some((r) => x >= r.left && x <= r.right && y >= r.top && y <= r.bottom)) return item;
      }
    }
    return null;
  }

  function move(event) {
    pointer = event;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (!isReading()) return;
      const item = pointer.target === tooltip.host ? tooltip.shown : itemAt(pointer.clientX, pointer.clientY);
      if (item) show(item);
      else if (tooltip.shown) leaving ||= setTimeout(hide, LEAVE_MS);
    });
  }

  function click(event) {
    if (!isReading() || event.target === tooltip.host || !getSelection()?.isCollapsed) return;
    const item = itemAt(event.clientX, event.clientY);
    if (item) onActivate(item);
  }

  function scroll() {
    onScroll();
    if (tooltip.shown) requestAnimationFrame(tooltip.move);
  }

  /** Scrolls so that `range` stands in the middle of every scroller around it, the frames around this one included. */
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
    const inFrame = globalThis !== globalThis.top;
    const calm = inFrame || matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollBy({ top: middle() - innerHeight / 2, behavior: calm ? "instant" : "smooth" });
    // Only the browser may scroll a frame of another origin, and it does so for an element.
    if (inFrame) above(range.startContainer)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Leads the reader to a highlight. */
  function focus(item) {
    scrollTo(paint.visible(paint.pulse(item)));
    show(item);
  }

  const passive = { passive: true, capture: true };
  const listeners = [
    ["pointermove", move], ["click", click], ["scroll", scroll],
    ["keydown", (event) => event.key === "Escape" && hide()],
  ];
  for (const [type, listener] of listeners) document.addEventListener(type, listener, passive);

  function end() {
    hide();
    cancelAnimationFrame(frame);
    for (const [type, listener] of listeners) document.removeEventListener(type, listener, passive);
  }

  return { focus, hide, end };
};
