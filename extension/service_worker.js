// The service worker's ears. Chrome starts it for an event and only counts listeners that stand at once, so they are
// registered here, at top level, while the core (WebAssembly) is still loading. What comes before it is ready waits in
// line; everything that matters happens in the core.
//
// A classic script: of those Chrome keeps the compiled code, of a worker's modules it does not.
'use strict';

/** Most events that wait for the core. Beyond this something is wrong, and whoever asks is told. */
const QUEUE_LIMIT = 1000;
/** What stands in the stack of a trap in the core that was started again, and the section that names its module so. */
const AGAIN = 'wasm://wasm/again-';
const AGAIN_SECTION = Uint8Array.of(0, 13, 4, ...ascii('name'), 0, 6, 5, ...ascii('again'));

const ports = new Set();
let nextPort = 1;
const queue = [];
let worker; // the core, once it is ready
let starting; // memoised start
let starts = 0;

start(); // the core is on its way while the listeners below are registered

chrome.action.onClicked.addListener(async (tab) => {
  openPanel(tab);
  // A panel that opens only now reads the tab by itself, and nobody hears this. One that has nothing left to read is
  // closed: the second press of the button or its shortcut. Chrome can do that from version 141 on.
  const settled = await readTab(tab, { toggle: true });
  if (settled === true) chrome.sidePanel.close?.({ windowId: tab.windowId }).catch(() => {});
});

chrome.contextMenus.onClicked.addListener((info, tab) => {
  openPanel(tab);
  if (info.menuItemId === 'ask') {
    // By way of storage, since the panel may only be opening.
    chrome.storage.session.set({
      askAbout: { tabId: tab.id, windowId: tab.windowId, selection: info.selectionText ?? '', at: Date.now() },
    });
  } else {
    // Likewise: a panel that opens shows what was read of a tab before, and reads it anew only when it is asked to.
    chrome.storage.session.set({ readNow: { tabId: tab.id, at: Date.now() } });
    readTab(tab); // the selection, if there is one, is what an open panel finds on the page
  }
});

chrome.runtime.onConnect.addListener((port) => {
  const id = nextPort++;
  const refuse = (message) => tell(port, message);
  ports.add(port);
  port.onMessage.addListener((message) => deliver((worker) => worker.message(id, message), refuse));
  port.onDisconnect.addListener(() => {
    ports.delete(port);
    deliver((worker) => worker.disconnect(id), refuse);
  });
  // Chrome tells only the other side when a port is closed, and the core closes those it has answered.
  const open = {
    name: port.name,
    sender: port.sender,
    postMessage: (message) => port.postMessage(message),
    disconnect: () => {
      ports.delete(port);
      port.disconnect();
    },
  };
  deliver((worker) => worker.connect(id, open), refuse);
});

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  // Only the script in a page asks the worker something; what pages tell the panel is not for us.
  if (sender.id !== chrome.runtime.id || message?.type !== 'anchor') return false;
  deliver((worker) => respond(worker.page_message(message)), () => respond(null));
  return true;
});

// Chrome keeps menus over restarts, but not over an update, and it may start in another language. That it starts the
// worker for this also closes storage to pages before anything is stored.
chrome.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === 'install') chrome.tabs.create({ url: 'welcome/welcome.html' });
  offerMenu();
});
chrome.runtime.onStartup.addListener(offerMenu);

// A trap inside a future of the core surfaces here rather than in a call.
self.addEventListener('error', (event) => isDropped(event.error) || trapped(event.error));
self.addEventListener('unhandledrejection', (event) => isDropped(event.reason) || trapped(event.reason));

/** To be called first thing in a handler: that is what grants the panel the tab. A window of an app has no panel. */
function openPanel(tab) {
  chrome.sidePanel.open({ windowId: tab.windowId }).catch((error) => console.warn(`No panel: ${error.message}`));
}

/** Has an open panel read a tab. Resolves with its answer, if there is one. */
function readTab(tab, options) {
  return chrome.runtime.sendMessage({ type: 'read_tab', tabId: tab.id, ...options }).catch(() => {});
}

function offerMenu() {
  const items = [
    { id: 'analyse-page', title: say('menu_page'), contexts: ['page'] },
    { id: 'analyse-selection', title: say('menu_selection'), contexts: ['selection'] },
    { id: 'ask', title: say('menu_ask'), contexts: ['selection'] },
  ];
  chrome.contextMenus.removeAll(() => {
    for (const item of items) chrome.contextMenus.create(item);
  });
}

/** A text in the reader's language. */
function say(key, ...args) {
  return chrome.i18n.getMessage(key, args);
}

/** Has the core `handle` something, at once or when it is ready. What it can't handle is answered by `refuse`. */
function deliver(handle, refuse) {
  if (worker) return run({ handle, refuse });
  if (queue.length >= QUEUE_LIMIT) {
    refuse(say('error_queue'));
    return;
  }
  queue.push({ handle, refuse });
  start();
}

function run({ handle, refuse }) {
  try {
    handle(worker);
  } catch (error) {
    refuse(say('error_restarted'));
    if (!trapped(error)) reportError(error);
  }
}

function start() {
  starting ??= load();
  starting.catch((error) => {
    for (const { refuse } of queue.splice(0)) refuse(say('error_not_started', error.message));
  });
}

async function load() {
  starts += 1;
  if (starts > 2) throw new Error(say('error_stopped_twice'));
  const response = fetch(chrome.runtime.getURL('pkg/worker_bg.wasm'));
  importScripts('pkg/worker.js'); // while the response is on its way; each time it brings an instance of its own
  const core = self.sidelight;
  await core.default({ module_or_path: starts === 1 ? response : await named(await response) });
  const loaded = new core.Worker();
  worker = loaded;
  performance.mark('ready'); // since the worker's own start; the tests read it
  for (const event of queue.splice(0)) {
    if (worker === loaded) run(event);
    else event.refuse(say('error_restarted')); // one before it trapped
  }
}

/** After a trap the instance's memory can't be trusted: tell every open port, drop it, start once more. */
function trapped(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return false;
  worker = undefined;
  starting = undefined;
  for (const port of ports) tell(port, say('error_restarted'));
  start();
  return true;
}

/** Whether an error comes from the instance that was dropped: its timers and streams still end, and trap again. */
function isDropped(error) {
  return starts > 1 && !error?.stack?.includes(AGAIN);
}

/** A module's bytes, with the name that is told from the first one's. */
async function named(response) {
  return new Blob([await response.arrayBuffer(), AGAIN_SECTION]).arrayBuffer();
}

function ascii(text) {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function tell(port, message) {
  ports.delete(port);
  try {
    port.postMessage({ type: 'error', message, code: 'internal', retryable: true });
    port.disconnect();
  } catch {
    // The port is gone already.
  }
}
