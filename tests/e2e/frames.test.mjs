// A page made of several documents: frames of its own site and of others, frame sets, shadow trees. One page is read.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { closePanel, followReading, launch, open, paintedTexts, settingsFor, until } from './harness.mjs';
import { highlightsAnswer, provide, reading as answer, speak, stream } from './provider_server.mjs';

const FILLER = 'The harbour was built in the year of the great flood and has two piers of grey stone. ';
const paragraph = (words, more = '') => `<p>${words} ${FILLER.repeat(3)}</p>${more}`;
const page = (body, title = 'The harbour') => `<!doctype html><html lang="en"><title>${title}</title>
<style>body { margin: 8px; font: 16px/1.5 serif } iframe { border: 0 }</style>${body}`;

/// Path to document; `at(host)` is the address of this server under another name.
const pages = at => ({
  '/frames': page(`<main><article><h1>The harbour</h1>${paragraph('The first paragraph of the page itself.')}
    <iframe id="own" src="/inner?own" width="700" height="400"></iframe>
    ${paragraph('The middle paragraph of the page itself.')}
    <iframe id="foreign" src="${at('127.0.0.1')}/inner?foreign" width="700" height="400"></iframe>
    <iframe id="unreadable" src="${at('other.test')}/inner?unreadable" width="700" height="400"></iframe>
    ${paragraph('The last paragraph of the page itself.', '<div style="height:2000px"></div>')}
    <iframe src="/inner?advertisement" width="300" height="250"></iframe>
    <iframe name="google_ads_iframe_1" src="/inner?named-ad" width="728" height="120"></iframe>
    <iframe src="/inner?pixel" width="1" height="1"></iframe>
    <iframe src="/inner?unseen" width="700" height="400" style="display:none"></iframe>
    <aside><iframe src="/inner?aside" width="300" height="400"></iframe></aside>
    </article></main>`),
  '/inner': page(`<div style="height:900px">Above.</div><article>${paragraph('A paragraph inside the frame named WHICH.')}
    <iframe srcdoc="<p>A nested paragraph in the frame named WHICH.</p>" width="400" height="150"></iframe></article>`),
  '/frameset': '<!doctype html><title>Old</title><frameset cols="50%,50%"><frame src="/left"><frame src="/right"></frameset>',
  '/left': page(paragraph('The left half of an old page.')),
  '/right': page(paragraph('The right half of an old page.')),
  '/only-other': page(`<iframe src="${at('other.test')}/left" width="700" height="400"></iframe>`),
  '/slow': page(`<main><h1>The harbour</h1>${paragraph('Text beside a frame that never ends.')}
    <iframe src="/left" width="700" height="400"></iframe></main>`),
  '/closed': page(`<main><h1>The harbour</h1>${paragraph('Light text.')}<x-story></x-story><div id="plain"></div></main><script>
    const fill = (el, words, mode) => { const root = el.attachShadow({ mode }); root.innerHTML = '<p>' + words + '</p>'; return root; };
    globalThis.closedTree = fill(document.querySelector('x-story'), 'A closed custom element says this.', 'closed');
    globalThis.plainTree = fill(document.getElementById('plain'), 'A closed plain element says that.', 'closed');
    fill(globalThis.closedTree.appendChild(document.createElement('section')), 'An open tree inside the closed one.', 'open');
    </script>`),
});

const PHRASES = {
  frames: ['The first paragraph of the page itself', 'A paragraph inside the frame named own', 'A nested paragraph in the frame named own',
    'The middle paragraph of the page itself', 'A paragraph inside the frame named foreign', 'The last paragraph of the page itself',
    'A paragraph inside the frame named pixel', 'A paragraph inside the frame named advertisement'],
  frameset: ['The left half of an old page', 'The right half of an old page'],
  closed: ['A closed custom element says this', 'A closed plain element says that', 'An open tree inside the closed one'],
  slow: ['Text beside a frame that never ends', 'The left half of an old page'],
};
const asHighlights = phrases => highlightsAnswer(phrases.map(phrase => (
  { phrase, category: 'bias', note: 'A note.', source: '', source_url: '' })));

let sidelight, server, provider, site;
before(async () => {
  server = http.createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://localhost');
    if (pathname === '/never') return;
    const body = pages(host => `http://${host}:${server.address().port}`)[pathname];
    response.writeHead(body ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
    response.end(body?.replaceAll('WHICH', search.slice(1)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  site = `http://localhost:${server.address().port}`;
  provider = await provide(Object.fromEntries(Object.entries(PHRASES).map(([name, phrases]) => [name, answer({
    analysis: stream(speak('openai', '## Overall Assessment\n\nFine.')),
    highlights: stream(speak('openai', asHighlights(phrases))),
  })])));
  // The extension may touch the page it was clicked on and loopback by number, and nothing else.
  sidelight = await launch({ args: ['--host-resolver-rules=MAP other.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'] });
});
after(async () => {
  await sidelight?.close();
  await provider?.close();
  server?.close();
  server?.closeAllConnections();
});

const readWith = async (t, path, model, onTab) => {
  const { tab, panel } = await open(t, sidelight, `${site}${path}`, settingsFor('openai', provider.url, model), onTab);
  const reading = await followReading(panel);
  assert.equal(reading.state, 'done', JSON.stringify(reading.errors));
  const painted = await paintedTexts(panel);
  return { tab, panel, reading, painted, texts: reading.highlights.map(({ index }) => painted.get(index)) };
};
const whatWasSent = model => JSON.stringify(provider.requests.filter(({ body }) => body.model === model).map(({ body }) => body));
const marksOf = frame => frame.evaluate(() => [...CSS.highlights].filter(([name]) => name.startsWith('sidelight-'))
  .flatMap(([, highlight]) => [...highlight].map(String)).sort());
const frameOf = (tab, which) => tab.frames().find(frame => frame.url().endsWith(`/inner?${which}`));

test('frames are read where they stand, and marked', async t => {
  const { tab, panel, texts } = await readWith(t, '/frames', 'frames');
  const wanted = PHRASES.frames.slice(0, 6);
  assert.deepEqual(texts, [...wanted, '', ''], 'every phrase covers its own words, those of specks and advertisements none');
  await t.test('in document order', () => {
    const sent = whatWasSent('frames');
    const places = wanted.map(phrase => sent.indexOf(phrase));
    assert.ok(places.every((place, i) => place >= 0 && place > (places[i - 1] ?? -1)), String(places));
  });
  await t.test('advertisements, specks, unseen frames and asides supply no text', () => {
    for (const which of ['advertisement', 'named-ad', 'pixel', 'unseen', 'aside', 'unreadable']) {
      assert.ok(!whatWasSent('frames').includes(`named ${which}`), which);
    }
  });
  await t.test('what could not be read is said', async () => {
    assert.match(await panel.evaluate(() => document.body.innerText), /1 frame of another site could not be read/);
  });
  await t.test('each mark stands in its own document', async () => {
    assert.deepEqual(await marksOf(tab.mainFrame()), [wanted[0], wanted[5], wanted[3]].sort());
    assert.deepEqual(await marksOf(frameOf(tab, 'own')), [wanted[1]]);
    assert.deepEqual(await marksOf(frameOf(tab, 'foreign')), [wanted[4]]);
    const styled = await frameOf(tab, 'foreign').evaluate(() => (
      getComputedStyle(document.querySelector('article p'), '::highlight(sidelight-bias)').backgroundColor));
    assert.notEqual(styled, 'rgba(0, 0, 0, 0)', 'the style reaches the frame');
  });
  await t.test('the list leads to a phrase in a frame of another site', async () => {
    await panel.click('#tab-highlights');
    await panel.evaluate(() => document.querySelectorAll('#list button.jump')[4].click());
    const frame = frameOf(tab, 'foreign');
    await until(frame, () => document.querySelector('sidelight-note'));
    await until(frame, () => { // it may scroll there smoothly
      const { top, bottom } = [...CSS.highlights.get('sidelight-bias')][0].getBoundingClientRect();
      return top >= 0 && bottom <= 400;
    });
    await until(tab, () => {
      const { top, bottom } = document.getElementById('foreign').getBoundingClientRect();
      return top < innerHeight && bottom > 0;
    });
  });
  await t.test('a click on a phrase in a frame leads to the list', async () => {
    await panel.evaluate(() => document.querySelectorAll('#list button.jump')[0].click());
    await until(tab, () => document.querySelector('sidelight-note'));
    const frame = frameOf(tab, 'own');
    // It may still be scrolling to the first phrase, which this ends.
    await tab.evaluate(() => document.getElementById('own').scrollIntoView({ block: 'center', behavior: 'instant' }));
    await frame.evaluate(() => document.querySelector('article p').scrollIntoView({ behavior: 'instant' }));
    const inner = await frame.evaluate(() => {
      const { x, y, width, height } = [...CSS.highlights.get('sidelight-bias')][0].getClientRects()[0];
      return { x: x + width / 2, y: y + height / 2 };
    });
    const outer = await tab.evaluate(() => document.getElementById('own').getBoundingClientRect().toJSON());
    await tab.mouse.click(outer.x + inner.x, outer.y + inner.y);
    await until(panel, () => document.querySelector('[aria-current]')?.dataset.index === '1');
  });
  await t.test('a frame that renders anew gets its mark back, and one that goes gives it up', async () => {
    const frame = frameOf(tab, 'own');
    await frame.evaluate(() => { document.querySelector('article').innerHTML = String(document.querySelector('article').innerHTML); });
    await until(frame, () => [...CSS.highlights.get('sidelight-bias')].filter(range => range.startContainer.isConnected).length === 1);
    await tab.evaluate(() => document.getElementById('own').remove());
    await until(panel, () => !document.querySelectorAll('#list .mark .place')[1].hidden);
  });
});

test('another reading clears the marks of the one before in every frame', async t => {
  const { tab, panel } = await readWith(t, '/frames', 'frames');
  await panel.evaluate(() => chrome.storage.local.set({ openaiModel: 'frameset' })); // whose phrases are not here
  const asked = provider.requests.length;
  await panel.evaluate(() => document.getElementById('read').click());
  await provider.untilAsked(asked + 2);
  assert.equal((await followReading(panel)).state, 'done');
  for (const frame of [tab.mainFrame(), frameOf(tab, 'own'), frameOf(tab, 'foreign')]) assert.deepEqual(await marksOf(frame), []);
});

test('a frame set is a page', async t => {
  const { texts } = await readWith(t, '/frameset', 'frameset');
  assert.deepEqual(texts, PHRASES.frameset);
});

test('a page that is nothing but a frame of another site says so', async t => {
  const { panel } = await open(t, sidelight, `${site}/only-other`);
  const { state } = await followReading(panel);
  const shown = await panel.evaluate(() => document.body.innerText);
  assert.equal(state, 'unreadable', shown);
});

test('a frame that never ends its loading holds nothing up for long', async t => {
  const { texts } = await readWith(t, '/slow', 'slow', tab => tab.evaluate(() => {
    document.querySelector('main').insertAdjacentHTML('beforeend', '<iframe src="/never" width="700" height="400"></iframe>');
  }));
  assert.deepEqual(texts, PHRASES.slow);
});

test('closed and nested shadow trees are read, marked and styled', async t => {
  const { tab, texts } = await readWith(t, '/closed', 'closed');
  assert.deepEqual(texts, PHRASES.closed);
  const colours = await tab.evaluate(() => [globalThis.closedTree, globalThis.plainTree].map(root => (
    getComputedStyle(root.querySelector('p'), '::highlight(sidelight-bias)').backgroundColor)));
  assert.ok(colours.every(colour => colour !== 'rgba(0, 0, 0, 0)'), String(colours));
  await t.test('and marked again when they render anew', async () => {
    await tab.evaluate(() => { globalThis.closedTree.querySelector('p').outerHTML += ''; });
    await until(tab, () => [...CSS.highlights.get('sidelight-bias')]
      .some(range => String(range) === 'A closed custom element says this' && range.startContainer.isConnected));
  });
});

test('a frame that comes after the reading is noticed, and reading again reads it', async t => {
  const { tab, panel } = await readWith(t, '/slow', 'slow');
  await tab.evaluate(() => {
    const frame = Object.assign(document.createElement('iframe'), { src: '/right', width: 700, height: 400 });
    return new Promise(done => {
      frame.onload = () => done();
      document.querySelector('main').append(frame);
    });
  });
  await until(panel, () => /frame with more to read came later/.test(document.querySelector('#notices').innerText));
  const before = provider.requests.length;
  await panel.click('#read');
  await provider.untilAsked(before + 2);
  await followReading(panel);
  assert.ok(JSON.stringify(provider.requests.slice(before).map(({ body }) => body)).includes('The right half of an old page.'));
  await until(panel, () => !/came later/.test(document.querySelector('#notices').innerText));
});
