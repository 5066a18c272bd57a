// Asks a model's provider in the page's name, for one that refuses requests of extensions. Put into a page only after the
// reader has agreed to it, since the page's process then sees the API key. One port is one request: the worker opens it,
// and closing it aborts. Messages: modules/worker/src/worker/relay.rs.
(() => {
  "use strict";

  if (globalThis.__sidelightProxy) return; // injected again: the one that stands answers
  globalThis.__sidelightProxy = true;

  chrome.runtime.onConnect.addListener((port) => {
    if (port.name !== "proxy" || port.sender?.id !== chrome.runtime.id) return;
    const abort = new AbortController();
    let asked = false;
    port.onDisconnect.addListener(() => abort.abort());
    port.onMessage.addListener((request) => {
      if (asked) return;
      asked = true;
      ask(request, abort.signal, (message) => port.postMessage(message)).catch((error) => {
        if (!abort.signal.aborted) port.postMessage({ failed: error.message });
      });
    });
  });

  /** A simple request, so that no preflight precedes it: plain text and no header of our own. */
  async function ask([url, body], signal, say) {
    const response = await fetch(url, {
      method: "POST", body, signal,
      headers: { "content-type": "text/plain" },
      credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "strict-origin",
    });
    const header = (name) => response.headers.get(name) ?? undefined;
    say({ status: response.status, contentType: header("content-type"), retryAfter: header("retry-after") });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) say({ chunk: part.value });
    say({ end: true });
  }
})();
