// The options page beyond the providers: how pages are read, what is allowed, what is kept, and that all of it is live.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { closePanel, launchHermetic, open, SAMPLE, serveOwnPages, settingsFor, until } from './harness.mjs';
import { provide, speak, stream } from './provider_server.mjs';

let sidelight, server, site;
before(async () => {
  site = await serveOwnPages();
  server = await provide({ works: stream(speak('openai', '## Key Claims\n\nOne.')) });
  sidelight = await launchHermetic();
});
after(async () => {
  await sidelight?.close();
  await server?.close();
  await site?.close();
});

test('language and instructions are saved as they are typed, reach the model, and go back to ours', async t => {
  const options = await openOptions(t, settingsFor('openai', server.url, 'works'));
  const analysis = (await options.$$('.prompt'))[0];
  await (await analysis.$('summary')).click();
  const textarea = await analysis.$('textarea');
  const ours = await textarea.evaluate(field => field.value);
  assert.match(ours, /careful reading companion[^]*\{text\}[^]*## Overall Assessment/);
  assert.equal(await visible(analysis, 'button'), false, 'there is nothing to put back');
  await textarea.evaluate(field => field.select());
  await options.keyboard.type('Count the commas. Nothing else.');
  await options.focus('#answer-language');
  await options.keyboard.type('Esperanto');
  await options.keyboard.press('Tab');
  await saved(options, '#reading-result');
  await untilStored(options, { answerLanguage: 'Esperanto', analysisPrompt: 'Count the commas. Nothing else.' });

  const tab = await sidelight.openPage(site.url + SAMPLE);
  t.after(() => tab.close());
  const before = server.requests.length;
  const panel = await sidelight.openPanel(tab);
  t.after(() => closePanel(sidelight, panel));
  await server.untilAsked(before + 2);
  const systems = server.requests.slice(before).map(({ body }) => body.messages[0].content);
  const asked = systems.find(system => system.includes('Count the commas. Nothing else.'));
  assert.ok(asked, 'the words of the reader are the instructions');
  assert.match(asked, /untrusted data[^]*<<<PAGE[^]*harbour/i);
  for (const system of systems) assert.match(system, /Write in Esperanto/);

  await options.bringToFront();
  await (await analysis.$('button')).click();
  await untilStored(options, { analysisPrompt: '' });
  await until(options, ours => document.querySelector('.prompt textarea').value === ours, ours);
});

test('a change in one place reaches every open page, and nothing typed is lost', async t => {
  const { panel, tab } = await open(t, sidelight, site.url + SAMPLE);
  const options = await openOptions(t);
  const other = await openOptions(t);
  await options.bringToFront();
  await options.click('#read-every-page');
  await until(other, () => document.querySelector('#read-every-page').checked);
  await other.bringToFront();
  await other.click('#choices [value=anthropic]');
  await other.type('#model', 'half-typed');
  await options.bringToFront();
  await options.click('#choices [value=openai]');
  await options.type('#base-url', server.url);
  await options.type('#model', 'works');
  await options.click('#save');
  await until(other, () => document.querySelector('#choices label:has([value=openai]) .state').textContent === 'In use');
  assert.equal(await other.$eval('#model', field => field.value), 'half-typed');
  await tab.bringToFront();
  await panel.click('#read');
  await until(panel, () => document.querySelector('#reader').textContent.includes('works'));
});

test('what is allowed for longer is listed and taken back; every site is asked for by a click', async t => {
  await sidelight.prepare({}, { fresh: true });
  const options = await sidelight.browser.newPage();
  t.after(() => options.close());
  // Chrome's own question can't be answered in a test: this double of it grants what it is asked.
  await options.evaluateOnNewDocument(() => {
    let origins = ['http://127.0.0.1/*', 'https://api.openai.com/*', 'https://news.example/*'];
    const listeners = [];
    const changed = all => { origins = all; for (const listener of listeners) listener({}); return true; };
    Object.assign(chrome.permissions, {
      getAll: async () => ({ origins, permissions: [] }),
      request: async asked => changed([...origins, ...asked.origins]),
      remove: async asked => changed(origins.filter(origin => !asked.origins.includes(origin))),
    });
    for (const name of ['onAdded', 'onRemoved']) chrome.permissions[name].addListener = listener => listeners.push(listener);
  });
  await options.goto(sidelight.url('options/options.html'));
  const rows = () => options.$$eval('#site-list .site', all => all.map(row => row.innerText.replace(/\s+/g, ' ')));
  await options.waitForSelector('#site-list .site');
  assert.deepEqual(await rows(), ['api.openai.com OpenAI Remove', 'news.example Remove'], 'this machine is not for taking back');
  await options.click('[aria-label="Remove news.example"]');
  await until(options, () => document.querySelectorAll('#site-list .site').length === 1);
  assert.match(await options.$eval('#every-site', place => place.innerText), /without a click on each/);
  await options.click('#allow-every-site');
  await until(options, () => document.querySelector('#every-site').hidden);
  await until(options, () => document.querySelectorAll('#site-list .site').length === 3);
});

test('settings travel as a file without keys, and a key never follows an address from a file', async t => {
  const options = await openOptions(t, { ...settingsFor('openai', server.url, 'works'), answerLanguage: 'Deutsch' });
  await options.evaluate(() => {
    const create = URL.createObjectURL;
    URL.createObjectURL = blob => { globalThis.exported = blob.text(); return create.call(URL, blob); };
  });
  await options.click('#export');
  await until(options, () => globalThis.exported);
  const text = await options.evaluate(() => globalThis.exported);
  assert.ok(!text.includes('test-key') && !text.includes('Key'), text);
  assert.equal(JSON.parse(text).settings.answerLanguage, 'Deutsch');

  const folder = mkdtempSync(path.join(os.tmpdir(), 'sidelight-settings-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const bring = async settings => {
    const file = path.join(folder, 'settings.json');
    writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
    await (await options.$('#import-file')).uploadFile(file);
  };
  await bring('no settings');
  await says(options, '#privacy-result', /no Sidelight settings/);
  await bring({ sidelight: 1, settings: { answerLanguage: 'Français', openaiBaseUrl: 'https://elsewhere.example', openaiKey: 'x' } });
  await says(options, '#privacy-result', /2 settings imported[^]*were deleted/);
  const kept = await stored(options);
  assert.equal(kept.answerLanguage, 'Français');
  assert.equal('openaiKey' in kept, false);
  await until(options, () => document.querySelector('#answer-language').value === 'Français');
});

test('everything can be deleted, after a second question', async t => {
  const options = await openOptions(t, settingsFor('openai', server.url, 'works'));
  await options.evaluate(async () => {
    await chrome.storage.session.set({ reading: 'one' });
    await new Promise((done, failed) => {
      const request = indexedDB.open('a-history', 1);
      request.onsuccess = () => { request.result.close(); done(); };
      request.onerror = failed;
    });
  });
  await options.click('#erase');
  await until(options, () => document.activeElement.id === 'erase-not'); // the harmless answer comes first
  await options.keyboard.press('Enter');
  await until(options, () => document.querySelector('#erase-sure').hidden);
  assert.notDeepEqual(await stored(options), {});
  await options.click('#erase');
  await options.click('#erase-now');
  await says(options, '#privacy-result', /^Everything is deleted/);
  assert.deepEqual(await stored(options), {});
  assert.deepEqual(await options.evaluate(() => chrome.storage.session.get()), {});
  assert.deepEqual(await options.evaluate(() => indexedDB.databases()), []);
  await until(options, () => document.querySelector('#choices [value=rules]:checked'));
});

test('the shortcut that is set in Chrome is the one that is shown', async t => {
  const chrome = await sidelight.openPage('chrome://extensions');
  const set = keybinding => chrome.evaluate((extensionId, keybinding) => globalThis.chrome.developerPrivate.updateExtensionCommand(
    { extensionId, commandName: '_execute_action', keybinding }), sidelight.id, keybinding);
  t.after(async () => {
    await set('Alt+Shift+S');
    await chrome.close();
  });
  for (const file of ['options/options.html', 'welcome/welcome.html']) {
    await set('Ctrl+Shift+9');
    const page = await sidelight.openExtensionPage(file);
    await until(page, () => document.querySelector('[data-shortcut=set] kbd').textContent === 'Ctrl+Shift+9');
    await chrome.bringToFront();
    await set('');
    await page.bringToFront();
    await until(page, () => document.querySelector('[data-shortcut=set]').hidden);
    assert.match(await page.$eval('[data-shortcut=none]', part => part.innerText), /chrome:\/\/extensions\/shortcuts/);
    await page.close();
  }
});

async function openOptions(t, settings) {
  if (settings) await sidelight.prepare(settings, { fresh: true });
  const options = await sidelight.openExtensionPage('options/options.html');
  t.after(() => options.close());
  await until(options, () => document.querySelector('#choices :checked'));
  return options;
}

const visible = (place, selector) => place.$eval(selector, element => element.checkVisibility());

const says = (options, selector, words) => until(options, (selector, words) => (
  new RegExp(words).test(document.querySelector(selector).innerText)), selector, words.source);

const saved = (options, selector) => says(options, selector, /^Saved\.$/);

const stored = options => options.evaluate(() => chrome.storage.local.get());

/// Waits until storage holds these settings.
const untilStored = (options, wanted) => until(options, async wanted => {
  const stored = await chrome.storage.local.get();
  return Object.keys(wanted).every(name => stored[name] === wanted[name]);
}, wanted);
