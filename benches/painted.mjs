// Row "painted": the last byte of an object leaves the server → the frame in which its phrase is marked on the page.
import http from 'node:http';
import path from 'node:path';
import { once } from 'node:events';
import { launch, root } from '../xtask/js/browser.mjs';
import { close } from '../xtask/js/site.mjs';
import { anthropicStream, randomNumbers, sentencesFrom, wordsFrom } from './inputs.js';

const READINGS = 5;
const OBJECTS = 20;

/** `{results: [{name, times}], lost}`: ms for each object. */
export async function painted() {
  const random = randomNumbers(5);
  const sentence = sentencesFrom(random, wordsFrom(random));
  // Short enough to be read in one part.
  const paragraphs = Array.from({ length: 2 * OBJECTS }, () => sentence().replace(/[“”"🙂—]/gu, ''));
  const phrases = Array.from({ length: OBJECTS }, (_, n) => paragraphs[2 * n].split(' ').slice(0, 8).join(' ').slice(0, 120));
  const server = await provide(phrases, random);
  const page = `<!doctype html><title>A page</title><main><h1>A page</h1>${paragraphs.map(text => `<p>${text}</p>`).join('')}</main>`;
  const pages = http.createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page));
  await once(pages.listen(0, '127.0.0.1'), 'listening');
  const url = `http://localhost:${pages.address().port}/`;
  try {
    const ours = await measure(path.join(root, 'extension'), server, url, {
      provider: 'anthropic', anthropicKey: 'key-of-nobody', anthropicModel: 'paced', anthropicBaseUrl: server.url,
    });
    const original = await measure(path.join(root, 'benches/original'), server, url, { baseUrl: server.url });
    return { results: [{ name: 'Sidelight', ...ours }, { name: 'the original\'s design', ...original }] };
  } finally {
    await close(server.server);
    await close(pages);
  }
}

/** Several readings of the page with one extension: `{times, lost}`. */
async function measure(extension, server, url, settings) {
  const browser = await launch({ extension, hermetic: true });
  const times = [];
  let lost = 0;
  try {
    await browser.prepare(settings, { fresh: true });
    for (let reading = 0; reading < READINGS; reading++) {
      const tab = await browser.openPage(url);
      await tab.evaluate(watchFrames);
      const answered = server.untilAnswered();
      const panel = await browser.openPanel(tab);
      const sent = await answered;
      // The last may still be on its way; one that does not come is lost.
      await tab.waitForFunction(count => globalThis.frames.length >= count, { timeout: 5000, polling: 50 }, sent.length).catch(() => {});
      const frames = await tab.evaluate(() => globalThis.frames);
      // The first reading warms up.
      if (reading > 0) sent.forEach((time, n) => n < frames.length ? times.push(frames[n] - time) : lost++);
      await panel.close();
      await tab.close();
    }
  } finally {
    await browser.close();
  }
  return { times, lost };
}

/** In the page: for each mark, the end of the frame it was first there in, in ms since the epoch. */
function watchFrames() {
  globalThis.frames = [];
  const marks = () => [...CSS.highlights].reduce((sum, [name, ranges]) => sum + (name.endsWith('focus') ? 0 : ranges.size), 0)
    + document.querySelectorAll('mark.original').length;
  const channel = new MessageChannel();
  channel.port1.onmessage = ({ data }) => {
    // After the frame's own work: what `data` counted was painted in it.
    while (globalThis.frames.length < data) globalThis.frames.push(Date.now());
  };
  const onFrame = () => {
    channel.port2.postMessage(marks());
    requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
}

/** A provider whose answer of highlights comes object by object, at the pace of a model: `{url, server, untilAnswered}`. */
async function provide(phrases, random) {
  let told = () => {};
  const head = '{"summary":"A page.","category_summaries":{},"highlights":[';
  const pieces = phrases.map((phrase, n) => `${n ? ',' : head}${JSON.stringify({ phrase, category: 'bias', note: 'One-sided.', source: '', source_url: '' })}`);
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket.setNoDelay(true);
    const isHighlights = Buffer.concat(chunks).includes('category_summaries');
    const texts = isHighlights ? pieces : ['A page about little.'];
    const events = anthropicStream('', 20);
    const all = new TextDecoder().decode(events.bytes).split('\n\n');
    const sent = [];
    response.write(`${all.slice(0, 3).join('\n\n')}\n\n`);
    for (const text of texts) {
      await new Promise(done => setTimeout(done, 60 + random() * 80));
      const deltas = text.match(/[\s\S]{1,20}/gu).map(text => JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }));
      response.write(deltas.map(data => `event: content_block_delta\ndata: ${data}\n\n`).join(''));
      // The clock of the wall, which both processes share: its start and its pace are not those of either's own.
      sent.push(Date.now());
    }
    await new Promise(done => setTimeout(done, 100));
    response.write(`event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: isHighlights ? ']}' : ' ' } })}\n\n`);
    response.end(`${all.slice(3).join('\n\n')}`);
    if (isHighlights) told(sent);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    server, url: `http://127.0.0.1:${server.address().port}`,
    untilAnswered: () => new Promise(done => { told = done; }),
  };
}
