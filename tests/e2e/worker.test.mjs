// How long a worker takes from being woken to its first answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchHermetic } from './harness.mjs';

const ROUNDS = 9;

test('a worker that is woken answers quickly', async () => {
  const sidelight = await launchHermetic();
  try {
    await sidelight.prepare();
    const page = await sidelight.openExtensionPage('options/options.html');
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      await sidelight.killWorker();
      times.push(await page.evaluate(firstAnswer));
    }
    times.sort((a, b) => a - b);
    const shown = times.map(time => time.toFixed(1));
    console.log(`worker woken to first answer: min ${shown[0]} ms, median ${shown[ROUNDS >> 1]} ms, max ${shown.at(-1)} ms`);
    // The figure for the docs is measured on a quiet machine; this only notices a worker that got slow by itself.
    assert.ok(times[0] < 250, shown.join(', '));
  } finally {
    await sidelight.close();
  }
});

/// A message that only the core can answer: it does not exist, and the core says so.
function firstAnswer() {
  return new Promise((done, failed) => {
    const start = performance.now();
    const port = chrome.runtime.connect({ name: 'agent' });
    port.onDisconnect.addListener(() => failed(new Error('the worker hung up')));
    port.onMessage.addListener(() => {
      const time = performance.now() - start;
      port.disconnect();
      done(time);
    });
    port.postMessage({ type: 'no such message' });
  });
}
