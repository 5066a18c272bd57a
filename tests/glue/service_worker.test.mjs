// The shipped service_worker.js with a core in the test's hand: what it does before, while and after the core runs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { APP_WINDOW, settle, startWorker, WASM } from './fake_worker_world.mjs';

const QUEUE_LIMIT = 1000;
/// A trap, in the core that was started again where so said: its module is at the top of the stack.
const trap = (module = '') => Object.assign(new WebAssembly.RuntimeError('unreachable'), {
  stack: `RuntimeError: unreachable\n  at wasm://wasm/${module}001d713e:wasm-function[1]:0x1\n  at chrome-extension://x/pkg/worker.js:1:1`,
});

test('every listener stands before the core is ready', async () => {
  const { chrome, core } = startWorker();
  assert.equal(core.made.length, 0);
  for (const event of [chrome.runtime.onConnect, chrome.runtime.onMessage, chrome.action.onClicked]) {
    assert.equal(event.listeners.length, 1);
  }
});

test('a click opens the panel first, within the handler, whatever state the core is in', async () => {
  const { chrome, did } = startWorker();
  chrome.action.onClicked.fire({ id: 7, windowId: 3 });
  assert.deepEqual(did, [['open', { windowId: 3 }], ['sendMessage', { type: 'read_tab', tabId: 7, toggle: true }]]);
  await settle(); // a panel that is not there to hear it is no unhandled rejection
  assert.equal(did.length, 2);
});

test('a second click closes a panel that has nothing left to do, where Chrome can', async () => {
  const world = startWorker();
  const click = async answer => {
    world.panelAnswers = answer;
    world.did.length = 0;
    world.chrome.action.onClicked.fire({ id: 7, windowId: 3 });
    await settle();
    return world.did.at(-1);
  };
  assert.deepEqual(await click(true), ['close', { windowId: 3 }]);
  assert.equal((await click(null))[0], 'sendMessage', 'a panel that reads stays open');
  delete world.chrome.sidePanel.close;
  assert.equal((await click(true))[0], 'sendMessage', 'before Chrome 141');
});

test('the context menu reads a page or leaves a passage for the panel, which is opened first', async () => {
  const { chrome, did } = startWorker();
  const choose = async info => {
    did.length = 0;
    chrome.contextMenus.onClicked.fire(info, { id: 7, windowId: 3 });
    assert.deepEqual(did[0], ['open', { windowId: 3 }]);
    await settle();
    return did.slice(1);
  };
  for (const menuItemId of ['analyse-page', 'analyse-selection']) {
    const [[where, { readNow }], told] = await choose({ menuItemId });
    assert.deepEqual([where, readNow.tabId], ['session', 7], 'for a panel that only opens');
    assert.deepEqual(told, ['sendMessage', { type: 'read_tab', tabId: 7 }], 'for one that is open');
  }
  const [[where, { askAbout }]] = await choose({ menuItemId: 'ask', selectionText: 'the tide' });
  assert.equal(where, 'session');
  assert.ok(askAbout.at > 0);
  assert.deepEqual({ ...askAbout, at: 0 }, { tabId: 7, windowId: 3, selection: 'the tide', at: 0 });
});

test('an update gives the context menu its items anew', async () => {
  const world = startWorker();
  world.chrome.runtime.onInstalled.fire({ reason: 'update' });
  assert.deepEqual(world.menu.map(({ id, contexts }) => [id, ...contexts]), [
    ['analyse-page', 'page'], ['analyse-selection', 'selection'], ['ask', 'selection'],
  ]);
});

test('a window without a panel is no unhandled rejection', async t => {
  const warn = t.mock.method(console, 'warn', () => {});
  const { chrome } = startWorker();
  chrome.action.onClicked.fire({ id: 7, windowId: APP_WINDOW });
  await settle();
  assert.match(warn.mock.calls[0].arguments[0], /No active side panel/);
});

test('what comes early waits and is delivered in order, by one start of the core', async () => {
  const world = startWorker();
  const [first, second] = [world.connect(), world.connect()];
  first.send({ type: 'analyze' });
  second.send({ type: 'highlights' });
  second.leave();
  assert.deepEqual(world.core.calls, []);
  await world.ready();
  const calls = world.core.calls;
  const [one, two] = calls.filter(([name]) => name === 'connect').map(([, id]) => id);
  assert.notEqual(one, two);
  assert.deepEqual(calls, [
    ['connect', one], ['connect', two], ['message', one, { type: 'analyze' }], ['message', two, { type: 'highlights' }], ['disconnect', two],
  ]);
  first.send({ type: 'ping' });
  assert.deepEqual(calls.at(-1), ['message', one, { type: 'ping' }]);
  assert.deepEqual(world.core.fetched, ['chrome-extension://ipahcbgnjnkbfjidpfeicjankoibjfad/pkg/worker_bg.wasm']);
  assert.deepEqual(world.core.imported, ['pkg/worker.js']);
  assert.equal(await (await world.core.inits[0].options.module_or_path).arrayBuffer(), WASM.buffer);
});

test('the line before the core is bounded, and whoever finds it full is told', async () => {
  const world = startWorker();
  const port = world.connect();
  for (let count = 1; count < QUEUE_LIMIT; count++) port.send({ type: 'ping' });
  assert.deepEqual(port.posted, []);
  port.send({ type: 'ping' });
  assertTold(port);
  await world.ready();
  assert.equal(world.core.calls.length, QUEUE_LIMIT);
});

test('a core that does not start is said, not waited for', async () => {
  const world = startWorker();
  const port = world.connect();
  await settle();
  world.core.inits[0].reject(new Error('no memory'));
  await settle();
  assertTold(port);
  assert.match(port.posted[0].message, /no memory/);

  const later = world.connect();
  later.send({ type: 'analyze' });
  await settle();
  assertTold(later);
  assert.match(later.posted[0].message, /no memory/);
  assert.deepEqual(await ask(world), [null], 'a page is not left waiting');
});

test('a port that is gone before the core is ready costs nothing', async () => {
  const world = startWorker();
  const port = world.connect();
  port.leave();
  await world.ready();
  assert.deepEqual(world.core.calls.map(([name]) => name), ['connect', 'disconnect']);
  self.dispatchEvent(Object.assign(new Event('error'), { error: trap() }));
  assert.deepEqual(port.posted, []);
});

test('a trap while early events are delivered ends those that are left, and the new core is not troubled', async () => {
  const world = startWorker();
  const port = world.connect();
  port.send({ type: 'analyze' });
  const answer = ask(world);
  world.core.answer = name => { if (name === 'connect') throw trap(); };
  await world.ready();
  world.core.answer = () => undefined;
  assertTold(port);
  assert.deepEqual(await answer, [null]);
  await world.ready(1);
  assert.deepEqual(world.core.calls.map(([name]) => name), ['connect']);
  const next = world.connect();
  assert.deepEqual([next.isOpen, world.reported], [true, []]);
});

test('a call that throws without a trap is told, shown, and keeps nobody else from being served', async () => {
  const world = startWorker();
  const [bad, good] = [world.connect(), world.connect()];
  world.core.answer = name => { if (name === 'connect') { world.core.answer = () => undefined; throw new TypeError('odd'); } };
  await world.ready();
  assertTold(bad);
  assert.deepEqual([good.isOpen, good.posted, world.core.made.length], [true, [], 1]);
  assert.deepEqual(world.reported.map(({ message }) => message), ['odd']);
});

test('a port the core has closed is not told of a later trap', async () => {
  const world = startWorker();
  const port = world.connect();
  await world.ready();
  const [open] = world.core.ports.values();
  open.postMessage({ type: 'done' });
  open.disconnect();
  assert.equal(port.isOpen, false);
  port.isOpen = true; // so that a message would be seen
  self.dispatchEvent(Object.assign(new Event('error'), { error: trap() }));
  assert.deepEqual(port.posted, [{ type: 'done' }]);
});

for (const where of ['in a call', 'in a future']) {
  test(`after a trap ${where} every open port is told, and a new core serves the next`, async () => {
    const world = startWorker();
    const [quiet, caller] = [world.connect(), world.connect()];
    await world.ready();
    if (where === 'in a call') {
      world.core.answer = () => { throw trap(); };
      caller.send({ type: 'analyze' });
      world.core.answer = () => undefined;
    } else {
      self.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: trap() }));
    }
    for (const port of [quiet, caller]) assertTold(port);
    await world.ready(1);
    assert.equal(world.core.made.length, 2);
    assert.match(Buffer.from(world.core.inits[1].options.module_or_path).toString('latin1'), /^\0asm.*again$/s, 'known by its name');
    world.core.calls.length = 0;
    const next = world.connect();
    next.send({ type: 'analyze' });
    assert.deepEqual(world.core.calls.map(([name]) => name), ['connect', 'message']);
    assert.deepEqual(next.posted, []);
  });
}

test('the dropped core may trap again: the new one goes on', async () => {
  const world = startWorker();
  await world.ready();
  self.dispatchEvent(Object.assign(new Event('error'), { error: trap() }));
  await world.ready(1);
  const port = world.connect();
  self.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: trap() }));
  self.dispatchEvent(Object.assign(new Event('error'), { error: trap() }));
  port.send({ type: 'analyze' });
  assert.deepEqual([port.isOpen, port.posted, world.core.calls.at(-1)?.[0]], [true, [], 'message']);
});

test('a second trap is the last: the next port is told what to do', async () => {
  const world = startWorker();
  await world.ready();
  self.dispatchEvent(Object.assign(new Event('error'), { error: trap() }));
  await world.ready(1);
  self.dispatchEvent(Object.assign(new Event('error'), { error: trap('again-') }));
  const port = world.connect();
  await settle();
  assertTold(port);
  assert.match(port.posted[0].message, /reload/i);
  assert.equal(world.core.inits.length, 2);
});

test('an error that is no trap changes nothing', async () => {
  const world = startWorker();
  const port = world.connect();
  await world.ready();
  self.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: new Error('a page went away') }));
  assert.deepEqual([port.posted, world.core.made.length], [[], 1]);
});

test('a question of our script in a page is answered, everything else is left to others', async () => {
  const world = startWorker();
  world.core.answer = (name, message) => ({ name, asked: message.phrases });
  const ask = (message, sender) => {
    const answers = [];
    return { stays: world.chrome.runtime.onMessage.fire(message, sender, answer => answers.push(answer))[0], answers };
  };
  const own = { id: world.chrome.runtime.id };
  const early = ask({ type: 'anchor', phrases: ['a'] }, own);
  assert.deepEqual([early.stays, early.answers], [true, []]);
  await world.ready();
  assert.deepEqual(early.answers, [{ name: 'page_message', asked: ['a'] }]);
  assert.deepEqual(ask({ type: 'painted', items: [] }, own), { stays: false, answers: [] });
  assert.deepEqual(ask({ type: 'anchor', phrases: [] }, { id: 'another-extension' }), { stays: false, answers: [] });
  assert.equal(ask(null, own).stays, false);
});

/// What our script in a page is answered.
function ask(world) {
  return new Promise(done => {
    const answers = [];
    world.chrome.runtime.onMessage.fire({ type: 'anchor', phrases: [] }, { id: world.chrome.runtime.id }, answer => {
      answers.push(answer);
      setImmediate(() => done(answers));
    });
  });
}

/// The port got one error as the wire knows it, and closed.
function assertTold(port) {
  const fields = wireFields('worker_to_panel', 'error');
  assert.deepEqual(port.posted.map(({ type, code, retryable }) => ({ type, code, retryable })), [
    { type: 'error', code: 'internal', retryable: true },
  ]);
  for (const field of Object.keys(port.posted[0])) assert.ok(fields.has(field), `not on the wire: ${field}`);
  assert.notEqual(port.posted[0].message, '');
  assert.equal(port.isOpen, false);
}

/// The fields that messages of a type have in the golden fixtures, which the Rust tests read too.
function wireFields(file, type) {
  const golden = JSON.parse(readFileSync(new URL(`../fixtures/wire/${file}.json`, import.meta.url), 'utf8'));
  return new Set(golden.filter(message => message.type === type).flatMap(message => Object.keys(message)));
}
