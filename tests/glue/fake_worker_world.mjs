// A stand-in for what a service worker finds around it: `chrome`, `self`, and a core that a test holds in its hand.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ID = 'ipahcbgnjnkbfjidpfeicjankoibjfad';

/// What the interface says in English.
const TEXTS = JSON.parse(readFileSync(new URL('../../extension/_locales/en/messages.json', import.meta.url), 'utf8'));

/// A window that can't show a panel.
export const APP_WINDOW = 99;

/// The core's JavaScript side as far as the glue sees it; what it does is the test's business.
const CORE = `
const { core } = globalThis;
export default options => core.init(options);
export class Worker {
  constructor() { core.made.push(this); }
  connect(id, port) { core.ports.set(id, port); core.call(this, 'connect', id); }
  message(id, message) { core.call(this, 'message', id, message); }
  disconnect(id) { core.call(this, 'disconnect', id); }
  page_message(message) { return core.call(this, 'page_message', message); }
}
`;

/// Loads the shipped service_worker.js into a new world. Chrome starts every worker with a new module, so does this.
export async function startWorker(t) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sidelight-worker-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'pkg'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(folder, 'pkg/worker.js'), CORE);
  copyFileSync(fileURLToPath(new URL('../../extension/service_worker.js', import.meta.url)), path.join(folder, 'service_worker.js'));
  const world = new World();
  Object.assign(globalThis, { chrome: world.chrome, core: world.core, self: new EventTarget(), reportError: error => world.reported.push(error) });
  await import(pathToFileURL(path.join(folder, 'service_worker.js')));
  return world;
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
    inits: [], made: [], calls: [], ports: new Map(),
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
