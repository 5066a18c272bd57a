// A model provider on this machine that says what a test tells it to: recorded answers in random pieces, or any of the
// ways in which a provider fails. The model's name in the request chooses the answer.
import http from 'node:http';
import { EventEmitter, once } from 'node:events';
import { randomNumbers } from '../../benches/inputs.js';
import { close } from '../../xtask/js/site.mjs';

/// Starts a provider. `answers` maps a model's name to its answer, see below, and is its list of models; `seed` decides
/// where bodies are cut; with `cors` any origin may ask, as a server must allow whom the extension has no permission for.
/// `requests` holds what was asked: `{method, path, headers, body, closed}`, `closed` resolving when
/// the connection ends;
/// `untilAsked` waits until there are so many of them.
export async function provide(answers, { seed = 1, cors = false } = {}) {
  const requests = [];
  const arrivals = new EventEmitter();
  const random = randomNumbers(seed);
  const server = http.createServer(async (request, response) => {
    response.on('error', () => {}); // the client went away, which `closed` tells
    if (cors) {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', 'content-type, authorization');
      if (request.method === 'OPTIONS') return response.writeHead(204).end();
    }
    const closed = once(response, 'close').then(() => performance.now());
    const text = await readBody(request);
    const seen = { method: request.method, path: request.url, headers: request.headers, body: parse(text), closed };
    requests.push(seen);
    arrivals.emit('request');
    if (request.method === 'GET' && request.url.endsWith('/models')) {
      return status(200, { data: Object.keys(answers).map(id => ({ id })) })(seen, response);
    }
    const model = seen.body?.model ?? /\/models\/(.*?):/.exec(request.url)?.[1]; // Gemini names it in the path
    const answer = answers[model] ?? status(404, { error: { message: `no model ${model}` } });
    await answer(seen, response, random);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const untilAsked = async times => {
    while (requests.length < times) await once(arrivals, 'request');
  };
  return { url: `http://127.0.0.1:${server.address().port}`, requests, untilAsked, close: () => close(server) };
}

// Answers: functions of the request as seen, the response, and random numbers.

/// A whole body of server-sent events, in pieces cut anywhere.
export const stream = body => async (_seen, response, random) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await writeInPieces(response, body, random);
  response.end();
};

/// The beginning of a stream, then nothing more to read. Comments show that it lives: a test may take longer over it than
/// a silent provider is borne with.
export const stall = body => async (_seen, response, random) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await writeInPieces(response, body, random);
  if (response.destroyed) return;
  const alive = setInterval(() => response.write(': alive\n\n'), 5_000);
  response.on('close', () => clearInterval(alive));
};

/// The beginning of a stream, then the connection breaks, at once or with `when`. A browser throws away what it holds of
/// a body whose connection breaks, so only what was seen by then is certain to have come.
export const cut = (body, when) => async (_seen, response, random) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await writeInPieces(response, body, random);
  await when;
  response.destroy();
};

/// A status with a JSON body, or with text as it is.
export const status = (code, body, headers = {}) => async (_seen, response) => {
  const isText = typeof body === 'string';
  response.writeHead(code, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
};

/// One answer for the analysis, another for the highlights.
export const reading = ({ analysis, highlights }) => (seen, response, random) => (
  asksForHighlights(seen.body) ? highlights : analysis)(seen, response, random);

/// The first answers in turn, then the last one for ever.
export const inTurn = (...turns) => {
  let count = 0;
  return (...request) => turns[Math.min(count++, turns.length - 1)](...request);
};

/// An answer in the words of a dialect, as the body of an event stream.
export function speak(dialect, text, { pieces = 12 } = {}) {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  const deltas = [];
  for (let at = 0; at < text.length; at += size) deltas.push(text.slice(at, at + size));
  if (dialect === 'gemini') {
    const chunk = (text, finishReason) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason, index: 0 }] });
    return events(dialect, [...deltas.map(text => chunk(text)), chunk('', 'STOP')]);
  }
  return events(dialect, dialect === 'anthropic'
    ? [
      { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...deltas.map(text => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: deltas.length } },
      { type: 'message_stop' },
    ]
    : [
      ...deltas.map(content => ({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: null }] })),
      { object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]);
}

/// A turn that calls tools, in the words of a dialect: `calls` are `{id, name, input}`, `text` is said before them.
export function callTools(dialect, calls, text = '') {
  if (dialect === 'anthropic') {
    const blocks = calls.map(({ id, name, input }) => ({ start: { type: 'tool_use', id, name, input: {} }, json: JSON.stringify(input) }));
    if (text) blocks.unshift({ start: { type: 'text', text } });
    return events(dialect, [
      { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
      ...blocks.flatMap(({ start, json }, index) => [
        { type: 'content_block_start', index, content_block: start },
        ...(json ? halves(json) : []).map(partial_json => ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } })),
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ]);
  }
  if (dialect === 'gemini') {
    const parts = calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
    const chunk = (parts, finishReason) => ({ candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }] });
    return events(dialect, [...(text ? [chunk([{ text }])] : []), chunk(parts), chunk([], 'STOP')]);
  }
  const chunk = (delta, finish_reason = null) => ({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const call = (index, fields) => chunk({ tool_calls: [{ index, ...fields }] });
  return events(dialect, [
    ...(text ? [chunk({ content: text })] : []),
    ...calls.flatMap(({ id, name, input }, index) => [
      call(index, { id, type: 'function', function: { name, arguments: '' } }),
      ...halves(JSON.stringify(input)).map(part => call(index, { function: { arguments: part } })),
    ]),
    chunk({}, 'tool_calls'),
  ]);
}

const halves = text => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

/// The results of tools in a request, in order: `{id, text}`.
export function toolResults(dialect, body) {
  if (dialect === 'gemini') {
    return body.contents.flatMap(({ parts }) => parts).flatMap(({ functionResponse: result }) => (
      result ? [{ id: result.id, text: result.response.result ?? result.response.error }] : []));
  }
  return dialect === 'anthropic'
    ? body.messages.flatMap(({ content }) => Array.isArray(content) ? content : [])
      .filter(({ type }) => type === 'tool_result').map(({ tool_use_id, content }) => ({ id: tool_use_id, text: content }))
    : body.messages.filter(({ role }) => role === 'tool').map(({ tool_call_id, content }) => ({ id: tool_call_id, text: content }));
}

/// Events of a dialect as the body of an event stream; an event may be given as its JSON text.
export function events(dialect, list) {
  const lines = list.map(event => {
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    const name = dialect === 'anthropic' ? `event: ${JSON.parse(data).type}\n` : '';
    return `${name}data: ${data}\n\n`;
  });
  if (dialect === 'openai') lines.push('data: [DONE]\n\n');
  return lines.join('');
}

/// A highlights answer that a model could have given.
export function highlightsAnswer(highlights, { summary = 'A short page.', category_summaries = {} } = {}) {
  return JSON.stringify({ summary, category_summaries, highlights });
}

/// Bytes cut at random places, also inside characters.
export function* pieces(bytes, random) {
  for (let at = 0; at < bytes.length;) {
    const size = 1 + Math.floor(random() ** 3 * 1400); // mostly a few bytes, sometimes a network packet
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function writeInPieces(response, body, random) {
  response.socket?.setNoDelay(true);
  for (const piece of pieces(Buffer.from(body), random)) {
    if (response.destroyed) return;
    response.write(piece);
    await new Promise(done => setImmediate(done)); // else Node joins the pieces again
  }
}

/// The two requests of a reading differ in what they ask for: only one speaks of `category_summaries`.
function asksForHighlights(body) {
  return JSON.stringify(body).includes('category_summaries');
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
