// The options page, by keyboard: a provider is chosen, its key typed, tried, kept, and deleted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchHermetic, until } from './harness.mjs';
import { provide, speak, status, stream } from './provider_server.mjs';

let sidelight, server;
before(async () => {
  sidelight = await launchHermetic();
  server = await provide({
    works: stream(speak('openai', 'OK')),
    closed: status(403, ''),
    refuses: status(401, { error: { message: 'Incorrect API key provided' } }),
    portal: status(200, '<!doctype html><title>Sign in to this network</title>'),
  });
});
after(async () => {
  await sidelight?.close();
  await server?.close();
});

test('a key pasted with its dirt is tried, saved, masked and deleted, without the mouse', async () => {
  await sidelight.prepare({}, { fresh: true });
  const options = await openOptions();
  await tabTo(options, '#choices *');
  const provider = () => options.$eval('#choices :checked', choice => choice.value);
  for (let presses = 0; presses < 10 && await provider() !== 'openai'; presses++) await options.keyboard.press('ArrowDown');
  assert.equal(await provider(), 'openai');
  await tabTo(options, '#key');
  await options.keyboard.sendCharacter('  test-key-\u200bof-nobody-9876\n');
  await tabTo(options, '#base-url');
  await options.keyboard.type(server.url);
  await tabTo(options, '#model');
  await options.keyboard.type('works');
  await tabTo(options, '#test');
  await options.keyboard.press('Enter');
  assert.match(await outcome(options), /^It works\. The model answered “OK”/);
  assert.equal(server.requests.at(-1).headers.authorization, 'Bearer test-key-of-nobody-9876');
  assert.deepEqual(await stored(options), {}, 'a trial keeps nothing');
  const unsaved = () => options.$eval('#unsaved', unsaved => unsaved.checkVisibility());
  assert.equal(await unsaved(), true);

  await options.focus('#model');
  await options.keyboard.press('Enter');
  await until(options, () => document.querySelector('#result').innerText === 'Saved.');
  assert.equal((await stored(options)).openaiKey, 'test-key-of-nobody-9876');
  assert.equal(await unsaved(), false);
  await options.reload();
  await until(options, () => document.querySelector('#model').value === 'works');
  assert.equal(await options.$eval('#key-state', state => state.textContent), 'Saved: •••• 9876');
  assert.equal(await options.$eval('#key', key => key.value), '');

  await options.focus('#model');
  await options.keyboard.type('-not-saved-yet');
  await options.focus('#delete-key');
  await options.keyboard.press('Enter');
  assert.equal(await outcome(options), 'Key deleted.');
  assert.equal('openaiKey' in await stored(options), false);
  assert.equal(await options.$eval('#model', model => model.value), 'works-not-saved-yet', 'what was typed stays');
  await until(options, () => document.activeElement.id === 'key'); // the focus is not lost with the button
  await options.close();
});

test('a server is chosen by name, and its models are listed', async () => {
  await sidelight.prepare({}, { fresh: true });
  const options = await openOptions();
  await options.click('#choices [value=openai]');
  await options.waitForSelector('#presets:not([hidden]) button');
  const presets = await options.$$eval('#presets button', buttons => buttons.map(button => button.textContent));
  assert.deepEqual(presets, ['Ollama', 'LM Studio', 'llama.cpp', 'vLLM', 'OpenRouter']);
  await options.click('#presets button');
  await until(options, () => document.querySelector('#base-url').value === 'http://127.0.0.1:11434');
  await until(options, () => document.querySelector('#grant').hidden); // this machine needs no permission
  await options.$eval('#base-url', (field, url) => { field.value = url; }, `${server.url}/v1/`);
  await options.click('#list-models');
  assert.match(await outcome(options), /^4 models\./);
  assert.deepEqual(await options.$$eval('#models option', all => all.map(option => option.value)), ['works', 'closed', 'refuses', 'portal']);
  await until(options, () => document.activeElement.id === 'model'); // ready to choose
  await options.keyboard.type('one-nobody-named');
  await options.click('#save');
  await until(options, () => document.querySelector('#result').innerText === 'Saved.');
  assert.equal((await stored(options)).openaiModel, 'one-nobody-named', 'any name can be typed');
  await options.click('#choices [value=anthropic]');
  await until(options, () => document.querySelector('#presets').hidden);
  await until(options, () => document.querySelector('#models').childElementCount === 0); // another provider has other models
  await options.close();
});

test('a local server that turns extensions away: the line that lets them in', async () => {
  await sidelight.prepare({ provider: 'openai', openaiModel: 'closed', openaiBaseUrl: server.url }, { fresh: true });
  const options = await openOptions();
  await until(options, () => document.querySelector('#model').value === 'closed');
  await options.click('#test');
  assert.match(await outcome(options), /refuses browser extensions/);
  assert.equal(await options.$eval('#result .url', url => url.textContent), `${server.url}/v1/chat/completions`, 'the final address');
  const word = { linux: 'systemctl', darwin: 'launchctl', win32: 'setx' }[process.platform];
  const commands = await options.$$eval('#result .command', all => all.map(line => line.textContent));
  assert.equal(commands.length, 1, commands.join('\n'));
  assert.ok(commands[0].includes(word) && commands[0].includes('OLLAMA_ORIGINS=chrome-extension://*'), commands[0]);
  await options.close();
});

const failures = {
  refuses: [() => server.url, /did not accept the API key.*Incorrect API key provided/s],
  portal: [() => server.url, /no model's answer.*Sign in to this network/s],
  works: [() => 'http://127.0.0.1:1', /^No connection to 127\.0\.0\.1:1/],
};
for (const [model, [url, words]] of Object.entries(failures)) {
  test(`a trial that fails says what to do: ${words.source}`, async () => {
    await sidelight.prepare({ provider: 'openai', openaiModel: model, openaiBaseUrl: url() }, { fresh: true });
    const options = await openOptions();
    await until(options, model => document.querySelector('#model').value === model, model);
    await options.click('#test');
    assert.match(await outcome(options), words);
    assert.equal(await options.$eval('#result', result => result.dataset.kind), 'problem');
    await options.close();
  });
}

async function openOptions() {
  const options = await sidelight.openExtensionPage('options/options.html');
  await until(options, () => document.querySelector('#choices :checked'));
  return options;
}

async function tabTo(options, selector) {
  for (let presses = 0; presses < 30; presses++) {
    if (await options.evaluate(selector => document.activeElement.matches(selector), selector)) return;
    await options.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${selector}`);
}

async function outcome(options) {
  await until(options, () => !['', 'Asking…', 'Saved.'].includes(document.querySelector('#result').innerText));
  return options.$eval('#result', result => result.innerText);
}

const stored = options => options.evaluate(() => chrome.storage.local.get());
