// The note beside a highlight. The only thing Sidelight ever adds to a page's DOM, and only while it shows: a host
// with a closed shadow root, filled with `textContent`.
//
// A classic script for the extension's isolated world, before content.js.
globalThis.sidelightTooltip = () => {
  "use strict";

  const STYLE = `
    :host { all: initial !important; position: fixed !important; inset: 0 !important; display: block !important;
      width: auto !important; height: auto !important; background: none !important; pointer-events: none !important;
      z-index: 2147483647 !important; color-scheme: light dark !important; }
    div { position: absolute; pointer-events: auto; box-sizing: border-box; width: max-content;
      max-width: min(320px, calc(100vw - 16px)); padding: 8px 12px; border-radius: 8px;
      border: 1px solid light-dark(#e3e6ea, #2c3138); background: light-dark(#fff, #1e2126);
      color: light-dark(#1c1f24, #e6e9ee); font: 13.5px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
      box-shadow: 0 4px 16px rgb(0 0 0 / .18); }
    p { margin: 0; } .label { font-weight: 600; } .source { font-size: 12px; color: light-dark(#5b6470, #9aa4b2); }
    a { color: light-dark(#0b57d0, #a8c7fa); } a:focus-visible { outline: 2px solid; outline-offset: 2px; }
    @media (prefers-reduced-motion: no-preference) { div { animation: in 120ms; } }
    @keyframes in { from { opacity: 0; } }`;
  const HOST = "sidelight-note", GAP = 8;
  // In an XML document a plain `createElement` makes no HTML.
  const create = (tag) => document.createElementNS("http://www.w3.org/1999/xhtml", tag);
  // The host covers the window and is of no consequence to it; the box inside, which no style of the page reaches, moves.
  let host = null, box = null, shown = null, rectOf = null;

  function line(text, className) {
    const p = create("p");
    p.className = className;
    p.dir = "auto";
    p.textContent = text;
    return p;
  }

  /** Shows the note of `item` beside the box that `place` answers. */
  function show(item, place) {
    if (shown === item) return;
    hide();
    [shown, rectOf] = [item, place];
    host = create(HOST);
    const shadow = host.attachShadow({ mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    shadow.adoptedStyleSheets = [sheet];
    box = create("div");
    box.role = "tooltip";
    box.append(line(item.label, "label"), line(item.note, "note"));
    if (item.source || item.source_url) box.append(sourceLine(item));
    shadow.append(box);
    document.documentElement.append(host);
    // The top layer lies above any z-index of the page and above its dialogs.
    host.popover = "manual";
    host.showPopover?.();
    move();
  }

  function sourceLine(item) {
    const address = item.source_url ?? "";
    const name = item.source || address;
    if (!item.verified || !/^https?:\/\//i.test(address)) return line(chrome.i18n.getMessage("tooltip_unverified", [name]), "source");
    const p = line("", "source");
    const a = create("a");
    a.href = address;
    a.target = "_blank";
    a.rel = "noopener noreferrer";
    a.textContent = name;
    p.append(a);
    return p;
  }

  /** Follows the text; out of the window it waits unseen. */
  function move() {
    const rect = rectOf?.();
    if (!host || !rect) return void hide();
    const { offsetWidth: width, offsetHeight: height } = box;
    const below = rect.bottom + GAP;
    const top = below + height <= innerHeight - GAP ? below : rect.top - GAP - height;
    const clamp = (value, most) => Math.max(GAP, Math.min(value, most - GAP));
    box.style.left = `${clamp(rect.left, innerWidth - width)}px`;
    box.style.top = `${clamp(top, innerHeight - height)}px`;
    box.style.visibility = rect.bottom < 0 || rect.top > innerHeight ? "hidden" : "visible";
  }

  function hide() {
    host?.remove();
    host = box = shown = rectOf = null;
  }

  return {
    show, move, hide,
    get host() { return host; },
    /** Whether a node is the tooltip's, also one that is gone by now. */
    owns: (node) => node.localName === HOST,
    get shown() { return shown; },
  };
};
