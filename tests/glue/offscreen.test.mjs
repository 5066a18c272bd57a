// The shipped offscreen.js with a model that has the manners of Chrome's: what it says to the worker, and when it stops.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';
import { downloading, model } from './language_model.mjs';

const SOURCE = readFileSync(new URL('../../extension/offscreen.js', import.meta.url), 'utf8');
const QUESTION = {
  system: 'With care.', schema: null,
  turns: [{ role: 'user', content: 'One?' }, { role: 'assistant', content: 'One.' }, { role: 'user', content: 'Two?' }],
};

/// Asks once: `{said, port, over, calls}`; `over` resolves with everything said.
function ask(model, question = QUESTION) {
  const world = { hear: null, closed: false, timers: new Map(), calls: [] };
  const sandbox = {
    navigator: { serviceWorker: { addEventListener: (_type, hear) => { world.hear = hear; }, startMessages() {} } },
    setTimeout: (fire, ms) => (world.timers.set(ms, fire), ms), clearTimeout: ms => world.timers.delete(ms),
    setInterval: (fire, ms) => (world.timers.set(ms, fire), ms), clearInterval: ms => world.timers.delete(ms),
    close: () => { world.closed = true; },
    AbortController, DOMException, EventTarget, LanguageModel: model?.(world.calls),
  };
  vm.runInNewContext(SOURCE, sandbox);
  const port = new FakePort();
  world.hear({ data: JSON.stringify(question), ports: [port] });
  return { ...world, world, port, over: port.over };
}

class FakePort extends EventTarget {
  said = [];
  over = new Promise(done => { this.done = done; });
  start() {}
  postMessage(message) {
    this.said.push(structuredClone(message));
    if (message.end) this.done(this.said);
  }
}

const events = said => said.flatMap(({ chunk }) => (chunk?.startsWith('data: ') ? [JSON.parse(chunk.slice(6))] : []));

test('the answer comes in deltas, and the session goes with it', async () => {
  const { over, calls, world } = ask(model());
  const said = await over;
  assert.deepEqual(said[0], { status: 200, contentType: 'text/event-stream' });
  assert.deepEqual(events(said), [{ availability: 'available' }, { delta: 'So ' }, { delta: 'it is.' }, { done: true }]);
  assert.deepEqual(JSON.parse(JSON.stringify(calls)), [
    ['create', [{ role: 'system', content: 'With care.' }, ...QUESTION.turns.slice(0, 2)]], ['prompt', 'Two?', null], ['destroy'],
  ]);
  await settle();
  assert.equal(world.closed, false);
  world.timers.get(30_000)();
  assert.equal(world.closed, true, 'an idle page closes itself');
});

test('highlights are held to their schema', async () => {
  const { over, calls } = ask(model(), { ...QUESTION, schema: { type: 'object' } });
  await over;
  assert.deepEqual(JSON.parse(JSON.stringify(calls[1])), ['prompt', 'Two?', { type: 'object' }]);
});

test('a download is told in whole percent', async () => {
  const create = downloading([0, 0.001, 0.42, 0.421, 1]);
  const { over } = ask(model({ availability: 'downloadable', create }));
  const told = events(await over).filter(({ progress }) => progress !== undefined).map(({ progress }) => progress);
  assert.deepEqual(told, [0, 0.42, 1]);
});

const failures = {
  'no model in this Chrome': [undefined, 'Missing'],
  'a machine too small': [model({ availability: 'unavailable' }), 'Unavailable'],
  'a page too long': [model({ create: () => { throw new DOMException('too long', 'QuotaExceededError'); } }), 'QuotaExceededError'],
  'an answer withheld': [model({ prompt: async function* () { yield 'So'; throw new DOMException('filtered', 'NotReadableError'); } }), 'NotReadableError'],
};
for (const [what, [double, name]] of Object.entries(failures)) {
  test(`${what} is told by name`, async () => {
    const said = await ask(double).over;
    assert.equal(events(said).at(-1).error.name, name);
    assert.deepEqual(said.at(-1), { end: true });
  });
}

test('a closed port stops the model, which then says nothing', async () => {
  let aborted;
  const prompt = async function* ({ signal }) {
    yield 'So ';
    aborted = new Promise(done => signal.addEventListener('abort', done));
    port.dispatchEvent(new Event('close'));
    await aborted;
    throw signal.reason;
  };
  const { port, over, calls } = ask(model({ prompt }));
  const said = await over;
  assert.deepEqual(events(said).at(-1), { delta: 'So ' });
  assert.deepEqual(calls.at(-1), ['destroy']);
});

const settle = () => new Promise(done => setImmediate(done));
