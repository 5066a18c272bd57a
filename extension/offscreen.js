// Speaks Chrome's Prompt API for the worker, which has none: the API lives in pages. The worker makes this page when a
// question comes up and sends the question with a port; closing the port aborts. What goes back looks like a response of
// server-sent events, see src/provider/builtin.rs. The page closes itself when nothing has been asked for a while.
'use strict';

const IDLE_MS = 30_000;
const ALIVE_MS = 20_000;

let running = 0;
let idle;

navigator.serviceWorker.addEventListener('message', ({ data, ports: [port] }) => {
  running += 1;
  clearTimeout(idle);
  answer(JSON.parse(data), port).finally(() => {
    running -= 1;
    if (running === 0) idle = setTimeout(() => close(), IDLE_MS);
  });
});
navigator.serviceWorker.startMessages();

async function answer(question, port) {
  const abort = new AbortController();
  const { signal } = abort;
  port.addEventListener('close', () => abort.abort());
  port.start();
  const say = (event) => port.postMessage({ chunk: `data: ${JSON.stringify(event)}\n\n` });
  // A small machine reads a long page for minutes; the worker must not take that for a stall.
  const alive = setInterval(() => port.postMessage({ chunk: ':\n\n' }), ALIVE_MS);
  port.postMessage({ status: 200, contentType: 'text/event-stream' });
  try {
    await ask(question, signal, say);
  } catch (error) {
    const { name, message, requested, quota } = error;
    if (!signal.aborted) say({ error: { name, message, requested, quota } });
  } finally {
    clearInterval(alive);
  }
  port.postMessage({ end: true });
}

async function ask({ system, turns, schema }, signal, say) {
  if (!globalThis.LanguageModel) throw new DOMException('', 'Missing');
  const availability = await LanguageModel.availability();
  if (availability === 'unavailable') throw new DOMException('', 'Unavailable');
  say({ availability });
  const initialPrompts = turns.slice(0, -1);
  if (system) initialPrompts.unshift({ role: 'system', content: system });
  const session = await LanguageModel.create({ signal, initialPrompts, monitor: monitor(say) });
  try {
    const options = schema ? { signal, responseConstraint: schema } : { signal };
    for await (const delta of session.promptStreaming(turns.at(-1).content, options)) say({ delta });
    say({ done: true });
  } finally {
    session.destroy();
  }
}

/** Reports a download in whole percent. */
function monitor(say) {
  let last = -1;
  return (download) => download.addEventListener('downloadprogress', ({ loaded, total }) => {
    const progress = Math.floor((loaded / (total || 1)) * 100) / 100;
    if (progress > last) say({ progress });
    last = Math.max(last, progress);
  });
}
