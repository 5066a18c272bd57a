// What keeping up with a restless page costs that page, by Chrome's own trace: the longest task on its main thread while
// it rewrites its text a thousand times a second, with and without us, on a short page and on one of a megabyte.
//
//   CHROME=<browser> node benches/page_trace.mjs
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { followReading, launch, root } from '../xtask/js/browser.mjs';
import { highlightsAnswer, provide, reading as answer, speak, stream } from '../tests/e2e/provider_server.mjs';

const CHANGES = 4000;
const FILLER = '<p>The harbour was built in 1902 and has two piers, of which <b>one</b> is closed. ' +
  'Boats come in at any hour, and the town lives by what they bring.</p>\n';
const sizes = { short: 0, megabyte: Math.ceil(1_000_000 / FILLER.length) };
const phrases = ['the pier stands where it always stood', 'the restless paragraph says that the water rises every hour',
  'a phrase that stands nowhere on this page'];

const page = readFileSync(path.join(root, 'tests/fixtures/living/log.html'), 'utf8');
const server = http.createServer((request, response) => {
  const size = sizes[request.url.slice(1)];
  response.writeHead(size === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(page.replace('</main>', `${FILLER.repeat(size ?? 0)}</main>`));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const provider = await provide({ log: answer({
  analysis: stream(speak('openai', 'Fine.')),
  highlights: stream(speak('openai', highlightsAnswer(phrases.map(phrase => (
    { phrase, category: 'bias', note: 'A note.', source: '', source_url: '' }))))),
}) });
const sidelight = await launch({ hermetic: true });
await sidelight.prepare({ provider: 'openai', openaiBaseUrl: provider.url, openaiModel: 'log', openaiKey: 'key-of-nobody' }, { fresh: true });

for (const name of Object.keys(sizes)) {
  const tab = await sidelight.openPage(`http://localhost:${server.address().port}/${name}`);
  report(name, 'without us', await trace(tab, () => tab.evaluate(changes => globalThis.ownTest(changes), CHANGES)));
  let panel;
  report(name, 'first reading', await trace(tab, async () => {
    panel = await sidelight.openPanel(tab);
    await followReading(panel);
  }));
  report(name, 'with us', await trace(tab, () => tab.evaluate(changes => globalThis.ownTest(changes), CHANGES)));
  await panel.close();
  await tab.close();
}
await sidelight.close();
await provider.close();
server.close();
server.closeAllConnections();

/// The trace events of a tab while `work` goes on.
async function trace(tab, work) {
  await tab.tracing.start({ categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'] });
  await work();
  const { traceEvents } = JSON.parse(Buffer.from(await tab.tracing.stop()).toString());
  return traceEvents;
}

function report(page, phase, events) {
  // Main threads of pages; the one that ran our or the page's script is the busiest with function calls.
  const calls = events.filter(({ name }) => name === 'FunctionCall');
  const thread = event => `${event.pid}:${event.tid}`;
  const counts = new Map();
  for (const call of calls.filter(({ args }) => /localhost/.test(args.data?.url ?? '') || args.data?.url?.startsWith(sidelight.url('page/')) || args.data?.url?.startsWith(sidelight.url('content')))) {
    counts.set(thread(call), (counts.get(thread(call)) ?? 0) + 1);
  }
  const [main] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const tasks = events.filter(event => event.ph === 'X' && event.name === 'RunTask' && thread(event) === main);
  const ours = tasks.filter(task => calls.some(call => thread(call) === main && call.ts >= task.ts && call.ts < task.ts + task.dur
    && /chrome-extension/.test(call.args.data?.url ?? '')));
  const ms = list => (Math.max(0, ...list.map(({ dur }) => dur)) / 1000).toFixed(1);
  const sum = list => (list.reduce((total, { dur }) => total + dur, 0) / 1000).toFixed(0);
  console.log(`${page.padEnd(9)} ${phase.padEnd(14)} longest task ${ms(tasks).padStart(6)} ms; ours: ${String(ours.length).padStart(4)} tasks, `
    + `longest ${ms(ours).padStart(6)} ms, ${sum(ours).padStart(5)} ms in all`);
}
