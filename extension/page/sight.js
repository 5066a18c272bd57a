// Whether a reader can see an element and the letters in it.
//
// A classic script for the extension's isolated world, before text.js. It only reads.
globalThis.sidelightSight = (() => {
  "use strict";

  const { getAttribute, querySelector, querySelectorAll, getBoundingClientRect: boxOf } = globalThis.sidelightDom;
  const MAX_PICTURES = 300;
  const FAR = -500; // px: nobody moves text that far out to have it read
  const NOTHING_LEFT = /inset\((50|100)%|circle\(0|polygon\(0(px)? 0(px)?(, 0(px)? 0(px)?)+\)/;
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

  return { TRANSPARENT, inkless, unseen };
})();
