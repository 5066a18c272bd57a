// What reading a page and keeping up with a restless one costs that page, by Chrome's own trace: the longest task on its
// main thread in the first reading, and while it rewrites its text a thousand times a second, with and without us, on a
// short page and on one of a megabyte.
//
//   CHROME=<browser> node benches/page_trace.mjs
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { followReading, launch, root } from '../xtask/js/browser.mjs';
import { highlightsAnswer, provide, reading as answer, speak, stream } from '../tests/e2e/provider_server.mjs';

const FILLER = '<p>The harbour was built in 1902 and has two piers, of which <b>one</b> is closed. ' +
  'Boats come in at any hour, and the town lives by what they bring.</p>\n';
/// Paragraphs beside the restless one, and how often that changes: each change makes Chrome lay out all of them.
const pages = { short: [0, 3000], megabyte: [Math.ceil(1_000_000 / FILLER.length), 600] };
const phrases = ['the pier stands where it always stood', 'the restless paragraph says that the water rises every hour',
  'a phrase that stands nowhere on this page'];

const html = readFileSync(path.join(root, 'tests/fixtures/living/log.html'), 'utf8');
const server = http.createServer((request, response) => {
  const page = pages[request.url.slice(1)];
  response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
  response.end(html.replace('</main>', `${FILLER.repeat(page?.[0] ?? 0)}</main>`));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const provider = await provide({ log: answer({
  analysis: stream(speak('openai', 'Fine.')),
  highlights: stream(speak('openai', highlightsAnswer(phrases.map(phrase => (
    { phrase, category: 'bias', note: 'A note.', source: '', source_url: '' }))))),
}) });
const sidelight = await launch({ hermetic: true });
await sidelight.prepare({ provider: 'openai', openaiBaseUrl: provider.url, openaiModel: 'log', openaiKey: 'key-of-nobody' }, { fresh: true });

for (const [name, [, changes]] of Object.entries(pages)) {
  const tab = await sidelight.openPage(`http://localhost:${server.address().port}/${name}`);
  const restless = () => tab.evaluate(changes => globalThis.ownTest(changes), changes);
  report(name, 'without us', await trace(tab, restless));
  let panel;
  report(name, 'first reading', await trace(tab, async () => {
    panel = await sidelight.openPanel(tab);
    await followReading(panel);
  }));
  report(name, 'with us', await trace(tab, restless));
  await panel.close();
  await tab.close();
}
await sidelight.close();
await provider.close();
server.close();
server.closeAllConnections();

/// The trace events of a tab's process while `work` goes on.
async function trace(tab, work) {
  await tab.tracing.start({ categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'] });
  await work();
  const { traceEvents } = JSON.parse(Buffer.from(await tab.tracing.stop()).toString());
  return traceEvents;
}

/// A task is ours when a function of our scripts was called in it; what the page does in the same task counts as well.
/// The trace does not tell what an extension's message calls, and a page at rest does nothing in the first reading: there
/// every task counts.
/// Processor time, since on a busy machine the clock also counts what others do.
function report(page, phase, events) {
  const threadOf = ({ pid, tid }) => `${pid}:${tid}`;
  // The trace is of the whole browser; it begins with which process shows what.
  const frames = events.find(({ name }) => name === 'TracingStartedInBrowser').args.data.frames;
  const { processId } = frames.find(({ url }) => url.endsWith(`/${page}`));
  const main = events.find(({ name, pid, args }) => name === 'thread_name' && pid === processId && args.name === 'CrRendererMain');
  const isOnPage = event => threadOf(event) === threadOf(main);
  const tasks = events.filter(event => event.name === 'RunTask' && event.tdur !== undefined && isOnPage(event));
  const ourCalls = events.filter(event => event.name === 'FunctionCall' && isOnPage(event) && isOurs(event.args.data?.url ?? ''));
  const ours = phase === 'first reading' ? tasks : tasks.filter(task => ourCalls.some(call => call.ts >= task.ts && call.ts < task.ts + task.dur));
  const ms = us => (us / 1000).toFixed(1).padStart(6);
  const longest = list => list.reduce((most, { tdur }) => Math.max(most, tdur), 0);
  console.log(`${page.padEnd(9)} ${phase.padEnd(14)} longest task ${ms(longest(tasks))} ms; ours: ${String(ours.length).padStart(4)} tasks, `
    + `longest ${ms(longest(ours))} ms, ${ms(total(ours))} ms in all`);
}

function total(tasks) {
  return tasks.reduce((sum, { tdur }) => sum + tdur, 0);
}

function isOurs(url) {
  return url.startsWith(sidelight.url('page/')) || url.startsWith(sidelight.url('content.js'));
}
