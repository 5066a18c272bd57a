// The playground: the core in a plain web page, without the extension.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOwnPages, until } from './harness.mjs';

const own = onOwnPages();

test('pasted text is marked as it changes', async () => {
  const page = await openPlayground();
  const before = await marks(page);
  assert.ok(before.listed >= 2 && before.painted === before.listed, JSON.stringify(before));
  const notes = await page.$$eval('#marks .note', notes => notes.map(note => note.innerText));
  assert.ok(notes.some(note => note === '“Everyone knows” leaves no room for another view' || /“.+”/.test(note)), notes.join('\n'));
  await write(page, '#text', 'The bridge opened in 1932.');
  await until(page, () => document.querySelector('#read').textContent === 'The bridge opened in 1932.');
  assert.deepEqual(await marks(page), { listed: 0, painted: 0 });
  await page.close();
});

test('what is complete in a pasted answer is taken, whatever it says', async () => {
  const page = await openPlayground();
  assert.equal(await page.$$eval('#found li', items => items.length), 1, 'the example is cut in its second highlight');
  const phrase = '<img src=x onerror="pwned = 1">';
  await write(page, '#answer', JSON.stringify({ highlights: [{ phrase, category: 'bias', note: phrase }] }));
  await until(page, phrase => document.querySelector('#found .phrase')?.textContent === phrase, phrase);
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  await page.close();
});

async function openPlayground() {
  const page = await own.sidelight.openPage(`${own.site.url}/playground.html`);
  await until(page, () => document.querySelector('#marks li') || !document.querySelector('#failure').hidden);
  assert.equal(await page.$eval('#failure', failure => failure.textContent), '');
  return page;
}

/// How many marks the list has, and how many are painted in the text.
const marks = page => page.evaluate(() => ({
  listed: document.querySelectorAll('#marks li').length,
  painted: [...CSS.highlights.values()].reduce((sum, highlight) => sum + highlight.size, 0),
}));

const write = (page, field, text) => page.$eval(field, (field, text) => {
  field.value = text;
  field.dispatchEvent(new Event('input'));
}, text);
