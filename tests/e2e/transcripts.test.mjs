// Recorded provider streams, replayed over real HTTP in random pieces.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { launchHermetic, read, SAMPLE, serveOwnPages, settingsFor, sharedFolder } from './harness.mjs';
import { events, highlightsAnswer, inTurn, provide, reading as answer, speak, status, stream } from './provider_server.mjs';

const folder = sharedFolder('transcripts');
const text = name => readFileSync(path.join(folder, name), 'utf8');
const files = folder ? readdirSync(folder) : [];
const recordings = files
  .filter(name => name.endsWith('.expected.json'))
  .map(name => ({ name: name.replace('.expected.json', ''), expected: JSON.parse(text(name)) }))
  .filter(({ expected }) => ['anthropic', 'openai'].includes(expected.dialect));
const COMPLETE = new Set(['end_turn', 'stop']);
/// A recording that calls tools we do not have is told so, and has a last word.
const CALLS = new Set(['tool_use', 'tool_calls']);
const LAST_WORD = 'There is no such tool.';

describe('recorded streams', { skip: folder ? false : 'no shared transcripts beside this checkout' }, () => {
  let sidelight, site, server;
  before(async () => {
    site = await serveOwnPages();
    sidelight = await launchHermetic();
    const answers = {};
    for (const { name, expected: { dialect, stop } } of recordings) {
      const recording = stream(events(dialect, text(`${name}.jsonl`).split('\n').filter(Boolean)));
      answers[name] = answer({
        analysis: CALLS.has(stop) ? inTurn(recording, stream(speak(dialect, LAST_WORD))) : recording,
        highlights: stream(speak(dialect, highlightsAnswer([]))),
      });
    }
    for (const name of files.filter(name => name.endsWith('.sse'))) answers[name] = stream(text(name));
    for (const name of files.filter(name => name.endsWith('.body'))) answers[name] = status(400, JSON.parse(text(name)));
    server = await provide(answers, { seed: 7 });
  });
  after(async () => {
    await sidelight?.close();
    await site?.close();
    await server?.close();
  });

  for (const { name, expected } of recordings) {
    test(name, async t => {
      const { reading, panel } = await read(t, sidelight, site.url + SAMPLE, settingsFor(expected.dialect, server.url, name));
      const said = CALLS.has(expected.stop) ? [expected.text, LAST_WORD] : [expected.text];
      assert.equal(reading.analysis, said.filter(Boolean).join('\n\n'));
      if (!COMPLETE.has(expected.stop) && !CALLS.has(expected.stop)) {
        // An answer that is not whole is said to be not whole, in words on the panel.
        assert.notEqual(reading.errors.length, 0, `ended with ${expected.stop} and nothing is said`);
        await assertShown(panel, reading.errors);
      }
    });
  }

  for (const name of files.filter(name => name.endsWith('.sse'))) {
    test(`${name} runs to its end`, async t => {
      const dialect = name.includes('anthropic') ? 'anthropic' : 'openai';
      const { reading, panel } = await read(t, sidelight, site.url + SAMPLE, settingsFor(dialect, server.url, name));
      assert.notEqual(reading.analysis.trim(), '');
      if (reading.highlights.length === 0) await assertShown(panel, reading.errors);
    });
  }

  for (const name of files.filter(name => name.endsWith('.body'))) {
    test(`${name} says that the page is too long`, async t => {
      const { reading, panel } = await read(t, sidelight, site.url + SAMPLE, settingsFor('anthropic', server.url, name));
      assert.equal(reading.state, 'failed');
      assert.ok(reading.errors.some(({ code }) => code === 'too_long'), JSON.stringify(reading.errors));
      await assertShown(panel, reading.errors);
    });
  }
});

async function assertShown(panel, errors) {
  const shown = await panel.evaluate(() => document.body.innerText);
  for (const { message } of errors) assert.ok(shown.includes(message), `not shown: ${message}`);
}
