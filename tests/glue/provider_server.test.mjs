// The test server itself: it must not be what makes a reading test pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut, inTurn, pieces, provide, speak, stall, status, stream } from '../e2e/provider_server.mjs';
import { randomNumbers } from '../../benches/inputs.js';

const ask = (server, model, options = {}) => fetch(`${server.url}/v1/messages`, {
  method: 'POST', body: JSON.stringify({ model }), ...options,
});

test('pieces are cut at other places for another seed and make the same bytes', () => {
  const bytes = Buffer.from('naïve 🪨 text, '.repeat(400));
  const cuts = seed => [...pieces(bytes, randomNumbers(seed))];
  assert.deepEqual(Buffer.concat(cuts(1)), bytes);
  assert.deepEqual(Buffer.concat(cuts(2)), bytes);
  assert.notDeepEqual(cuts(1).map(piece => piece.length), cuts(2).map(piece => piece.length));
  assert.ok(cuts(1).some(piece => Buffer.from(piece.toString()).compare(piece) !== 0), 'no cut inside a character');
});

test('a stream arrives whole and what was asked is kept', async () => {
  const body = speak('openai', 'One, two, three.');
  const server = await provide({ plain: stream(body) });
  assert.equal(await (await ask(server, 'plain')).text(), body);
  assert.deepEqual(server.requests.map(({ path, body }) => [path, body.model]), [['/v1/messages', 'plain']]);
  await server.close();
});

test('answers come in turn, and an unknown model is not found', async () => {
  const server = await provide({ busy: inTurn(status(529, {}), status(200, { fine: true })) });
  assert.deepEqual([(await ask(server, 'busy')).status, (await ask(server, 'busy')).status], [529, 200]);
  assert.equal((await ask(server, 'other')).status, 404);
  await server.close();
});

test('a cut stream fails for the reader, and a stalled one tells when the reader went away', async () => {
  const server = await provide({ cut: cut('data: 1\n\n'), stall: stall('data: 1\n\n') });
  await assert.rejects(async () => (await ask(server, 'cut')).text());
  const leave = new AbortController();
  const response = await ask(server, 'stall', { signal: leave.signal });
  await response.body.getReader().read();
  leave.abort();
  assert.ok(await server.requests[1].closed > 0);
  await server.close();
});
