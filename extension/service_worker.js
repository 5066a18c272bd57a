// The service worker's ears. Chrome starts it for an event and only counts listeners that stand at once, so they are
// registered here, at top level, while the core (WebAssembly) is still loading. What comes before it is ready waits in
// line; everything that matters happens in the core.
import * as core from './pkg/worker.js';
import * as spare from './pkg/worker.js?spare'; // a module instance of its own, for the one restart after a trap

/** Most events that wait for the core. Beyond this something is wrong, and the port is told. */
const QUEUE_LIMIT = 1000;

const modules = [core, spare];
const ports = new Map();
let nextPort = 1;
let queue = [];
let worker; // the core, once it is ready
let starting; // memoised start

chrome.action.onClicked.addListener((tab) => {
  // First thing in the handler: this is what grants the panel the tab it was opened on.
  chrome.sidePanel.open({ windowId: tab.windowId });
  // An open panel reads the tab; a panel that opens only now reads it by itself, and nobody hears this.
  chrome.runtime.sendMessage({ type: 'read_tab', tabId: tab.id }).catch(() => {});
});

chrome.runtime.onConnect.addListener((port) => {
  const id = nextPort++;
  ports.set(id, port);
  port.onMessage.addListener((message) => deliver(port, (worker) => worker.message(id, message)));
  port.onDisconnect.addListener(() => {
    ports.delete(id);
    deliver(port, (worker) => worker.disconnect(id));
  });
  deliver(port, (worker) => worker.connect(id, port));
});

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  // Only the script in a page asks the worker something; what pages tell the panel is not for us.
  if (sender.id !== chrome.runtime.id || message?.type !== 'anchor') return false;
  deliver(undefined, (worker) => respond(worker.page_message(message)));
  return true;
});

// Registered so that Chrome starts the worker, and with it closes storage to pages, before anything is stored.
chrome.runtime.onInstalled.addListener(() => {});
chrome.runtime.onStartup.addListener(() => {});

// A trap inside a future of the core surfaces here rather than in a call.
self.addEventListener('error', (event) => trapped(event.error));
self.addEventListener('unhandledrejection', (event) => trapped(event.reason));

start().catch(() => {}); // whoever waits for it is told

function deliver(port, event) {
  if (worker) return run(event);
  if (queue.length >= QUEUE_LIMIT) {
    tell(port, 'Too much is waiting for Sidelight to start. Close the panel and open it again.');
    return;
  }
  queue.push(event);
  start().catch((error) => {
    queue = [];
    tell(port, `Sidelight could not start. ${error.message}`);
  });
}

function run(event) {
  try {
    event(worker);
  } catch (error) {
    if (!trapped(error)) throw error;
  }
}

function start() {
  starting ??= (async () => {
    const module = modules.shift();
    if (!module) throw new Error('Sidelight stopped twice. Reload the extension at chrome://extensions.');
    await module.default({ module_or_path: chrome.runtime.getURL('pkg/worker_bg.wasm') });
    worker = new module.Worker();
    const waiting = queue;
    queue = [];
    for (const event of waiting) run(event);
  })();
  return starting;
}

/** After a trap the instance's memory can't be trusted: tell every open port, drop it, start once more. */
function trapped(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return false;
  worker = undefined;
  starting = undefined;
  for (const port of ports.values()) tell(port, 'Sidelight stopped in the middle of this and has started again. Read again.');
  ports.clear();
  start().catch(() => {});
  return true;
}

function tell(port, message) {
  try {
    port?.postMessage({ type: 'error', message, code: 'internal', retryable: true });
    port?.disconnect();
  } catch {
    // The port is gone already.
  }
}
