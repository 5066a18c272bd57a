// Keeps up with a page that changes: notices, and decides when the next look at its highlights is worth its price.
//
// A classic script for the extension's isolated world, before content.js.
"use strict";

globalThis.sidelightWatch = ({ alive, check, find, end, isOurs }) => {
  const CHECK_DELAY_MS = 200, LAST_DELAY_MS = 10_000, HURRY_MS = 1000, PULSE_MS = 1000;
  const WATCHED = { subtree: true, childList: true, characterData: true, attributes: true,
    attributeFilter: ["open", "hidden"] };

  let watching = false, timer = 0, pulse = 0, passing = false;
  let changed = false; // since the last pass began
  let delay = CHECK_DELAY_MS, lastFind = -Infinity, lastChange = 0;

  const observer = new MutationObserver((records) => {
    if (records.every((record) => record.target === document.documentElement && record.type === "childList" &&
      [...record.addedNodes, ...record.removedNodes].every(isOurs))) return;
    const now = performance.now();
    if (now - lastChange > LAST_DELAY_MS) delay = CHECK_DELAY_MS;
    lastChange = now;
    changed = true;
    schedule();
  });

  /** Begins to watch, or watches these shadow roots as well. */
  function start(shadows) {
    watching = true;
    observer.observe(document, WATCHED);
    for (const root of shadows) observer.observe(root, WATCHED);
    // What the page does to the registry of highlights is told by no event.
    pulse ||= setInterval(() => (alive() ? check() : end()), PULSE_MS);
  }

  function stop() {
    watching = changed = false;
    observer.disconnect();
    clearTimeout(timer);
    clearInterval(pulse);
    timer = pulse = 0;
    delay = CHECK_DELAY_MS;
    lastFind = -Infinity;
  }

  function schedule() {
    if (!watching || timer || passing || document.hidden) return;
    timer = setTimeout(pass, CHECK_DELAY_MS);
  }

  /**
   * One look. Whether the highlights still stand is cheap to tell, so that comes at once; reading the page anew is not,
   * so the time to the next such look doubles as long as they bring nothing.
   */
  async function pass() {
    timer = 0;
    if (!alive()) return void end();
    if (check()) {
      changed = false;
      return;
    }
    const wait = lastFind + delay - performance.now();
    if (wait > 0) {
      timer = setTimeout(pass, Math.max(CHECK_DELAY_MS, Math.min(wait, HURRY_MS)));
      return;
    }
    passing = true;
    changed = false;
    const found = await find().catch(() => false);
    passing = false;
    lastFind = performance.now();
    delay = found ? CHECK_DELAY_MS : Math.min(2 * delay, LAST_DELAY_MS);
    if (changed) schedule();
  }

  /** The reader did something that may bring text into view: a long wait is cut, at most once a second. */
  function hurry() {
    if (performance.now() - lastFind > HURRY_MS) delay = CHECK_DELAY_MS;
    if (changed) schedule();
  }

  return { start, stop, schedule, hurry };
};
