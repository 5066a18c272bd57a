// Answers as Sidelight's worker does, once its module is there; what comes before waits.
const ready = WebAssembly.instantiateStreaming(fetch('empty.wasm')).then(() => performance.mark('ready'));
chrome.runtime.onConnect.addListener(port => {
  port.onMessage.addListener(async () => {
    await ready;
    port.postMessage({ type: 'error', message: 'no such message' });
  });
});
