// A stand-in for what a service worker finds around it: `chrome`, `self`, and a core that a test holds in its hand.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const ID = 'ipahcbgnjnkbfjidpfeicjankoibjfad';

/// A module without content.
export const WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

/// What the interface says in English.
const TEXTS = JSON.parse(readFileSync(new URL('../../extension/_locales/en/messages.json', import.meta.url), 'utf8'));

/// A window that can't show a panel.
export const APP_WINDOW = 99;

/// The shipped script, as a function: it is a classic one, which would leave its names behind for the next world.
const SCRIPT = fileURLToPath(new URL('../../extension/service_worker.js', import.meta.url));
const run = vm.compileFunction(readFileSync(SCRIPT, 'utf8'), [], { filename: SCRIPT });

/// Loads the shipped service_worker.js into a new world.
export function startWorker() {
  const world = new World();
  const { chrome, core } = world;
  Object.assign(globalThis, {
    chrome, self: new EventTarget(), reportError: error => world.reported.push(error),
    fetch: async url => {
      core.fetched.push(url);
      return { arrayBuffer: async () => WASM.buffer };
    },
    importScripts: script => {
      core.imported.push(script);
      self.sidelight = coreScript(core);
    },
  });
  run();
  return world;
}

/// What the core's script leaves behind, as far as the glue sees it; what it does is the test's business.
function coreScript(core) {
  return {
    default: options => core.init(options),
    Worker: class {
      constructor() { core.made.push(this); }
      connect(id, port) { core.ports.set(id, port); core.call(this, 'connect', id); }
      message(id, message) { core.call(this, 'message', id, message); }
      disconnect(id) { core.call(this, 'disconnect', id); }
      page_message(message) { return core.call(this, 'page_message', message); }
    },
  };
}

class World {
  /// What the extension did, in order.
  did = [];
  /// What an open panel answers; without one nobody hears a message.
  panelAnswers;
  /// The context menu.
  menu = ['of an earlier version'];
  /// Errors that went to the console as uncaught.
  reported = [];
  /// The wasm core.
  core = {
    fetched: [], imported: [], inits: [], made: [], calls: [], ports: new Map(),
    init: options => new Promise((resolve, reject) => this.core.inits.push({ options, resolve, reject })),
    call: (worker, ...call) => {
      this.core.calls.push(call);
      return this.core.answer(...call);
    },
    answer: () => undefined,
  };
  chrome = {
    runtime: {
      id: ID,
      getURL: file => `chrome-extension://${ID}/${file}`,
      onConnect: new FakeEvent(), onMessage: new FakeEvent(), onInstalled: new FakeEvent(), onStartup: new FakeEvent(),
      sendMessage: message => {
        this.did.push(['sendMessage', message]);
        return this.panelAnswers === undefined ? Promise.reject(new Error('Receiving end does not exist.')) : Promise.resolve(this.panelAnswers);
      },
    },
    i18n: { getMessage: (key, args) => TEXTS[key].message.replaceAll(/\$(\d)/g, (_, place) => args[place - 1]) },
    action: { onClicked: new FakeEvent() },
    contextMenus: {
      onClicked: new FakeEvent(),
      removeAll: done => {
        this.menu = [];
        done();
      },
      create: item => this.menu.push(item),
    },
    storage: { session: { set: async items => { this.did.push(['session', items]); } } },
    sidePanel: {
      open: async options => {
        this.did.push(['open', options]);
        if (options.windowId === APP_WINDOW) throw new Error('No active side panel');
      },
      close: async options => { this.did.push(['close', options]); },
    },
  };

  /// Lets the core become ready and everything that waited for it run.
  async ready(index = 0) {
    await settle();
    this.core.inits[index].resolve();
    await settle();
  }

  connect() {
    const port = new FakePort();
    this.chrome.runtime.onConnect.fire(port);
    return port;
  }
}

/// `chrome.events.Event`.
export class FakeEvent {
  listeners = [];
  addListener(listener) {
    this.listeners.push(listener);
  }
  fire(...values) {
    return this.listeners.map(listener => listener(...values));
  }
}

/// `chrome.runtime.Port`, the worker's end; `posted` is what the panel would get.
export class FakePort {
  name = 'agent';
  sender = { id: ID };
  onMessage = new FakeEvent();
  onDisconnect = new FakeEvent();
  posted = [];
  isOpen = true;
  postMessage(message) {
    if (!this.isOpen) throw new Error('Attempting to use a disconnected port object');
    this.posted.push(structuredClone(message));
  }
  disconnect() {
    this.isOpen = false;
  }
  /// The panel posts.
  send(message) {
    this.onMessage.fire(message);
  }
  /// The panel goes away.
  leave() {
    this.isOpen = false;
    this.onDisconnect.fire(this);
  }
}

/// Until every promise that can settle has settled.
export const settle = () => new Promise(done => setImmediate(done));
