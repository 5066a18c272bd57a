// Keeps the worker's module, for the next worker. Chrome ends an idle one after half a minute, but what is compiled of a
// module it shares with all equal ones of the same process, for as long as somebody has it: a worker woken by a page that
// does need not check the module again, nor compile what earlier workers have called.

/** The module, or `undefined` where it can't be had. Exported, so that it stays. */
export const core = idle().then(() => WebAssembly.compileStreaming(fetch(chrome.runtime.getURL('pkg/worker_bg.wasm')))).catch(() => {});

/** When the page itself stands. */
function idle() {
  return new Promise((done) => requestIdleCallback(done));
}
