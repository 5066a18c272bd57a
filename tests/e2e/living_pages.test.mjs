// Documents of every kind, and pages that change under their marks: what the reader sees stays true.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { closePanel, fold, followReading, launchHermetic, open, paintedTexts, passesDuring, until, untilState } from './harness.mjs';

const TEXT = 'Experts say that this is the worst disaster ever, and you are either with us or against us.';
const FILLER = 'The harbour was built in 1902 and has two piers. ';
const article = more => `<!doctype html><html lang="en"><title>The harbour</title><main><article><h1>The harbour</h1>
<p id="p">${TEXT}</p>${more ?? `<p>${FILLER.repeat(8)}</p>`}</article></main>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>The harbour</title></head><body><p>${TEXT}</p></body></html>`;
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/// Path to content type, body and further headers.
const pages = {
  '/article': ['text/html', article()],
  '/sandbox': ['text/html', article(), { 'content-security-policy': 'sandbox' }],
  '/xhtml': ['application/xhtml+xml', XHTML],
  '/xml': ['application/xml', `<story><line>${TEXT}</line></story>`],
  '/text': ['text/plain', TEXT],
  '/shadow': ['text/html', `<!doctype html><html lang="en"><x-story></x-story><script>
    document.querySelector('x-story').attachShadow({ mode: 'open' }).innerHTML = '<article><p>${TEXT}</p></article>'</script>`],
  '/huge': ['text/html', article(`<p>${FILLER.repeat(20)}</p>`.repeat(1020))],
  '/image': ['image/gif', PIXEL],
  '/pdf': ['application/pdf', PDF],
  '/elsewhere': ['text/html', '<!doctype html><p>Another page.</p>'],
};

let sidelight, server, site;
before(async () => {
  server = http.createServer((request, response) => {
    const [type, body, headers] = pages[request.url] ?? ['text/plain', ''];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...headers }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  site = `http://localhost:${server.address().port}`;
  sidelight = await launchHermetic();
});
after(async () => {
  await sidelight?.close();
  server?.close();
  server?.closeAllConnections();
});

for (const kind of ['sandbox', 'xhtml', 'xml', 'text', 'shadow', 'huge']) {
  test(`marks stand on: ${kind}`, async t => {
    const { tab, panel } = await open(t, sidelight, `${site}/${kind}`);
    const reading = await followReading(panel);
    assert.deepEqual([reading.state, reading.errors], ['done', []]);
    assert.ok(reading.highlights.length > 0, 'nothing was marked');
    const painted = await paintedTexts(panel);
    for (const { phrase, index } of reading.highlights) assert.equal(fold(painted.get(index)), fold(phrase));
    // The note shows on any kind of document.
    await panel.click('#tab-highlights');
    await panel.click('.jump');
    await until(tab, () => document.getElementsByTagNameNS('*', 'sidelight-note').length === 1);
    await tab.keyboard.press('Escape');
  });
}

for (const [name, url, says] of [
  ['an image', '/image', /no text/],
  ['a PDF', '/pdf', /PDF/],
  ['a page of the browser', 'chrome://version', /browser pages/],
  ['the settings of the browser', 'chrome://settings', /browser pages/],
  ['the list of extensions', 'chrome://extensions', /browser pages/],
  ['the source of a page', 'view-source:/article', /source/],
  ["another extension's page", 'other-extension:/page.html', /browser pages/],
  ['an empty tab', 'about:blank', /avigate to a webpage/],
]) {
  test(`${name} can't be read, and the panel says why`, async t => {
    const { panel } = await open(t, sidelight, await addressOf(url));
    const { state } = await followReading(panel);
    const shown = await panel.evaluate(() => document.body.innerText);
    assert.equal(state, 'unreadable', shown);
    assert.match(shown, says);
    assert.doesNotMatch(shown, /Error|undefined|Cannot/);
  });
}

/// The address to go to: of our server where it names no other place.
async function addressOf(url) {
  if (url.startsWith('view-source:')) return `view-source:${site}${url.slice('view-source:'.length)}`;
  if (!url.startsWith('other-extension:')) return new URL(url, site).href;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sidelight-other-'));
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify({ manifest_version: 3, name: 'Another', version: '1' }));
  writeFileSync(path.join(folder, 'page.html'), article());
  const id = await sidelight.browser.installExtension(folder);
  after(() => rmSync(folder, { recursive: true }));
  return `chrome-extension://${id}${url.slice('other-extension:'.length)}`;
}

test('a tab that Chrome discarded: the panel says what to do, and a click marks it anew', async t => {
  await sidelight.prepare({ welcomed: true }, { fresh: true });
  const panel = await sidelight.openPanel(await sidelight.openPage(`${site}/article`));
  t.after(() => closePanel(sidelight, panel));
  const first = await followReading(panel);
  assert.ok(first.highlights.length > 0);
  const elsewhere = await sidelight.openPage(`${site}/elsewhere`);
  t.after(() => elsewhere.close());
  await elsewhere.bringToFront();
  await untilState(panel, 'idle');
  // The document goes from memory, and Chrome gives the tab another number; looking at it loads it anew.
  await panel.evaluate(async url => {
    const [tab] = await chrome.tabs.query({ url });
    const { id } = await chrome.tabs.discard(tab.id);
    await chrome.tabs.update(id, { active: true });
  }, `${site}/article`);
  const tab = await (await sidelight.browser.waitForTarget(target => target.url() === `${site}/article`)).page();
  t.after(() => tab.close());
  await until(tab, () => document.querySelector('#p'));
  assert.deepEqual(await marks(tab), []);
  await until(panel, () => /has not been read\. Click the Sidelight button/.test(document.body.innerText));
  assert.doesNotMatch(await panel.evaluate(() => document.body.innerText), /Error|undefined|Cannot|No tab with id/);
  await (await sidelight.browser.extensions()).get(sidelight.id).triggerAction(tab);
  await untilState(panel, 'done');
  const { highlights } = await followReading(panel);
  assert.deepEqual(highlights.map(({ phrase }) => phrase), first.highlights.map(({ phrase }) => phrase));
  assert.equal((await marks(tab)).length, (await paintedTexts(panel)).size);
});

const marks = tab => tab.evaluate(() => [...CSS.highlights].filter(([name]) => name.startsWith('sidelight-'))
  .flatMap(([, highlight]) => [...highlight].filter(range => range.startContainer.isConnected).map(String)).sort());
const untilMarks = (tab, wanted) => until(tab, wanted => JSON.stringify(
  [...CSS.highlights].filter(([name]) => name.startsWith('sidelight-'))
    .flatMap(([, highlight]) => [...highlight].filter(range => range.startContainer.isConnected).map(String)).sort(),
) === wanted, JSON.stringify(wanted));

const changes = {
  'a re-render': () => { document.body.innerHTML = String(document.body.innerHTML); },
  'new text in the same node': () => { const { firstChild } = document.getElementById('p'); firstChild.nodeValue = `Lately: ${firstChild.nodeValue}`; },
  'another address without another document': () => { history.pushState({}, '', '/other'); document.getElementById('p').replaceWith(document.getElementById('p').cloneNode(true)); },
  'text appended for ever': () => { for (let i = 0; i < 50; i++) document.querySelector('article').append(`Paragraph ${i}. `); document.getElementById('p').innerHTML += ''; },
  'a cleared registry': () => CSS.highlights.clear(),
};
test('marks return, once each, after', async t => {
  const { tab, panel } = await open(t, sidelight, `${site}/article`);
  await followReading(panel);
  const before = await marks(tab);
  assert.ok(before.length > 1);
  for (const [name, change] of Object.entries(changes)) {
    await t.test(name, async () => {
      await tab.evaluate(change);
      await untilMarks(tab, before);
    });
  }
  await t.test('a thousand changes a second, and the page stays quick', async () => {
    const passes = await passesDuring(tab, () => tab.evaluate(async () => {
      const log = document.body.appendChild(document.createElement('pre'));
      document.getElementById('p').innerHTML += '';
      for (let round = 0; round < 300; round++) {
        for (let i = 0; i < 10; i++) log.textContent = `${Math.random()}`;
        await new Promise(done => setTimeout(done, 4));
      }
    }));
    await untilMarks(tab, before);
    assert.ok(passes.length > 0, 'the trace saw none of our work');
    const longest = Math.max(...passes);
    console.log(`a thousand changes a second: ${passes.length} passes, the longest ${longest.toFixed(1)} ms`);
    assert.ok(longest < 50, `the longest pass took ${longest.toFixed(1)} ms`);
  });
  await t.test('a change while panel and worker are gone', async () => {
    await closePanel(sidelight, panel);
    await sidelight.killWorker();
    await tab.evaluate(() => { document.getElementById('p').textContent = `At last: ${document.getElementById('p').textContent}`; });
    await untilMarks(tab, before);
  });
});

test('of the same words in two places a mark keeps its own', async t => {
  const { tab, panel } = await open(t, sidelight, `${site}/article`);
  await followReading(panel);
  const before = await marks(tab);
  const whereMarks = () => [...CSS.highlights].filter(([name]) => name.startsWith('sidelight-')).flatMap(([, highlight]) => [...highlight])
    .filter(range => range.startContainer.isConnected).map(range => range.startContainer.parentElement.closest('p').id);
  // The same words come first now, and what stood is rendered anew with words of its own around it.
  await tab.evaluate(() => {
    const p = document.getElementById('p');
    p.insertAdjacentHTML('beforebegin', `<p id="again">Two friends of hers disagree. ${p.innerHTML.replace('Experts say that', 'They wrote that')} Not they.</p>`);
    p.innerHTML += ' That was all.';
  });
  await untilMarks(tab, before);
  assert.deepEqual([...new Set(await tab.evaluate(whereMarks))], ['p']);
});

test('going back to a page that was kept shows its marks', async t => {
  const { tab, panel } = await open(t, sidelight, `${site}/article`);
  await followReading(panel);
  const before = await marks(tab);
  await tab.evaluate(() => addEventListener('pageshow', ({ persisted }) => { globalThis.wasKept = persisted; }));
  await tab.goto(`${site}/elsewhere`);
  assert.deepEqual(await marks(tab), []);
  await tab.goBack();
  if (!await tab.evaluate(() => globalThis.wasKept)) return t.skip('the browser did not keep the page');
  await untilMarks(tab, before);
  // The panel knows the page again: its list leads there, and nothing says that it was loaded anew.
  await until(panel, () => document.querySelector('#list .place')?.hidden && document.body.dataset.state === 'done'
    && !/loaded again|another page|belongs to|can't be read/i.test(document.body.innerText));
});

test('after the extension is reloaded its old marks go, and a click reads again', async t => {
  const { tab, panel } = await open(t, sidelight, `${site}/article`);
  const first = await followReading(panel);
  const before = await marks(tab);
  assert.ok(first.highlights.length > 0);
  await closePanel(sidelight, panel);
  await sidelight.reload();
  await untilMarks(tab, []);
  await sidelight.prepare({}, { fresh: true });
  const again = await sidelight.openPanel(tab);
  t.after(() => closePanel(sidelight, again));
  assert.equal((await followReading(again)).state, 'done');
  assert.deepEqual(await marks(tab), before);
});
