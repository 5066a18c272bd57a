// The world the worker lives in, as far as a test needs it: ports, storage, tabs and a provider.
const posted = new Map();
let stored = {};
let page = null; // the snapshot the tab answers with
const painted = [];
let provider = null; // what fetch answers: {status, headers, chunks, hang}
const requests = [];
let abortedRequests = 0;

globalThis.chrome = {
  runtime: { id: 'test', getURL: (path) => `chrome-extension://test/${path}` },
  storage: {
    local: {
      get: async () => stored,
      setAccessLevel: async ({ accessLevel }) => { stored.accessLevel = accessLevel; },
    },
  },
  declarativeNetRequest: { updateSessionRules: async () => {} },
  i18n: { getMessage: (key, args) => [key, ...args].join(' ') }, // as far as told from one another
  scripting: { executeScript: async () => [], insertCSS: async () => {} },
  tabs: {
    sendMessage: async (_tab, message) => {
      if (message.type === 'extract') {
        if (!page) throw new Error('Cannot access contents of the page.');
        return page;
      }
      if (message.type === 'paint') painted.push(...message.items);
      return null;
    },
  },
};

const realFetch = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (!provider || !request.url.startsWith('https://provider.test')) return realFetch(input, init);
  requests.push({ url: request.url, headers: Object.fromEntries(request.headers), body: JSON.parse(await request.text()) });
  if (provider.unreachable) throw new TypeError('Failed to fetch');
  const { status = 200, headers = { 'content-type': 'text/event-stream' }, chunks = [], hang = false } = provider;
  const body = new ReadableStream({
    start(controller) {
      request.signal.addEventListener('abort', () => {
        abortedRequests += 1;
        controller.error(new DOMException('aborted', 'AbortError'));
      });
      for (const chunk of chunks) controller.enqueue(Uint8Array.from(chunk));
      if (!hang) controller.close();
    },
  });
  return new Response(body, { status, headers });
};

export function reset(settings, snapshot, answer) {
  posted.clear();
  painted.length = 0;
  requests.length = 0;
  abortedRequests = 0;
  stored = settings;
  page = snapshot;
  provider = answer;
}

export function open_port(id, name, url) {
  posted.set(id, []);
  return {
    name,
    sender: { id: 'test', url },
    closed: false,
    postMessage(message) {
      if (this.closed) throw new Error('Attempting to use a disconnected port object');
      posted.get(id).push(...(message.type === 'batch' ? message.events : [message]));
    },
    disconnect() { this.closed = true; },
  };
}

/** Resolves with everything posted once the last message is final. */
export async function until_final(id) {
  for (;;) {
    const all = posted.get(id);
    if (all.some(({ type }) => type === 'done' || type === 'error')) return all;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** Resolves once something of this type was posted. */
export async function until_posted(id, type) {
  while (!posted.get(id).some((message) => message.type === type)) await new Promise((resolve) => setTimeout(resolve));
  return posted.get(id);
}

export async function until_aborted() {
  while (abortedRequests === 0) await new Promise((resolve) => setTimeout(resolve));
  return abortedRequests;
}

export const painted_items = () => painted;
export const sent_requests = () => requests;
export const storage_level = () => stored.accessLevel;
