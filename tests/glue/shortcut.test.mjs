// The shipped shortcut.js on the pages that load it: what they say of the shortcut is what Chrome says of it now.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const file = name => readFileSync(new URL(`../../extension/${name}`, import.meta.url), 'utf8');

/// The parts of a page that speak of the shortcut, as far as the script touches them.
function partsOf(html) {
  return [...html.matchAll(/<(\w+) data-shortcut="(\w+)"( hidden)?>(.*?)<\/\1>/g)].map(([, , shortcut, hidden, inner]) => {
    const key = /<kbd/.test(inner) ? { textContent: inner.match(/<kbd[^>]*>(.*?)<\/kbd>/)[1] } : null;
    return { dataset: { shortcut }, hidden: Boolean(hidden), inner, key, querySelector: () => key };
  });
}

/// Runs the script on a page; `commands` is what Chrome says, and may change.
async function run(parts, commands) {
  let back;
  const document = { querySelectorAll: () => parts, addEventListener: (_type, listener) => { back = listener; } };
  await vm.runInNewContext(`(async () => {${file('shortcut.js')}})()`, { document, chrome: { commands: { getAll: async () => commands } } });
  return { comeBack: () => back() };
}

for (const page of ['options/options.html', 'welcome/welcome.html']) {
  const shown = parts => parts.filter(({ hidden }) => !hidden).map(({ inner, key }) => key?.textContent ?? inner);

  test(`${page} says the shortcut that is set, also one that is set later`, async () => {
    const parts = partsOf(file(page));
    const command = { name: '_execute_action', shortcut: 'Ctrl+Shift+9' };
    const { comeBack } = await run(parts, [{ name: 'other', shortcut: 'Alt+P' }, command]);
    assert.deepEqual(shown(parts), ['Ctrl+Shift+9']);
    command.shortcut = 'Alt+K';
    await comeBack();
    assert.deepEqual(shown(parts), ['Alt+K']);
  });

  test(`${page} says how to set one where another extension holds it`, async () => {
    const parts = partsOf(file(page));
    await run(parts, [{ name: '_execute_action', shortcut: '' }]);
    assert.equal(shown(parts).length, 1);
    assert.match(shown(parts)[0], /chrome:\/\/extensions\/shortcuts/);
  });
}
