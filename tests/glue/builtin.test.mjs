// The shipped options/builtin.js with a model that has the manners of Chrome's: saving that choice fetches it, within the
// click, and the page says how far it has come and how it ended.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';
import { downloading, model } from './language_model.mjs';

const file = name => readFileSync(new URL(`../../extension/${name}`, import.meta.url), 'utf8');
const texts = JSON.parse(file('_locales/en/messages.json'));

/// The options page with `choice` chosen. `save()` presses Save and answers everything the page said then, in order.
function page(double, choice = 'builtin') {
  const calls = [], said = [];
  let submit;
  const state = { hidden: true, set textContent(text) { said.push(text); } };
  const form = { addEventListener: (_type, listener) => { submit = listener; } };
  const sandbox = {
    document: { getElementById: id => ({ 'builtin-state': state, form })[id], querySelector: () => ({ value: choice }) },
    chrome: { i18n: { getMessage: (key, args) => texts[key].message.replace('$1', args[0]) } },
    LanguageModel: double?.(calls),
  };
  vm.runInNewContext(file('options/builtin.js'), sandbox);
  const save = () => submit().then(() => said);
  return { save, calls, state };
}

test('saving the choice fetches the model, tells its progress, and keeps no session', async () => {
  const { save, calls, state } = page(model({ availability: 'downloadable', create: downloading([0, 0.42, 1]) }));
  const said = await save();
  assert.deepEqual(said, [0, 42, 100].map(percent => `Chrome fetches its model: ${percent} %`).concat("Chrome's built-in model is ready."));
  assert.equal(state.hidden, false);
  assert.deepEqual(calls.map(([name]) => name), ['create', 'destroy']);
});

test('the model is asked for within the click: Chrome takes no later one', async () => {
  let isClick = true;
  const create = () => { if (!isClick) throw new DOMException('Requires a user gesture', 'NotAllowedError'); };
  const { save } = page(model({ availability: 'downloadable', create }));
  const saving = save();
  isClick = false;
  assert.deepEqual(await saving, ["Chrome's built-in model is ready."]);
});

test('a model that is there already is ready without a download', async () => {
  assert.deepEqual(await page(model()).save(), ["Chrome's built-in model is ready."]);
});

test('where there is none, or it fails, the page says why', async () => {
  assert.match((await page(undefined).save()).join(), /no built-in model.*Chrome 138/);
  const create = () => { throw new DOMException('The device is not capable of running the model.', 'NotSupportedError'); };
  const said = await page(model({ availability: 'unavailable', create })).save();
  assert.match(said.join(), /can't be had on this machine.*not capable/);
});

test('saving another choice fetches nothing', async () => {
  const { save, calls, state } = page(model(), 'openai');
  assert.deepEqual(await save(), []);
  assert.deepEqual([calls, state.hidden], [[], true]);
});
