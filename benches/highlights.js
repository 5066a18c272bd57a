// Row "highlights": bytes of an Anthropic stream → each object of the answer in it, when it is complete.
import { createParser } from 'eventsource-parser';
import clarinet from 'clarinet';
import { JSONParser } from '@streamparser/json';
import { parse as jsonriver } from 'jsonriver';
import { parse as partialParse } from 'partial-json';
import { parser as streamJson } from 'stream-json/web/index.js';
import { anthropicStream, highlightsAnswer } from './inputs.js';

/** The stream of an answer with so many objects. */
export function highlightsInput(objects) {
  const answer = highlightsAnswer(objects);
  return { ...answer, ...anthropicStream(answer.json, 20) };
}

/** Text pieces of the stream, by the quickest peer of row "stream" that splits events correctly. */
function deltas(list, onText) {
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ data }) => {
      const text = JSON.parse(data).delta?.text;
      if (text) onText(text);
    },
  });
  for (const chunk of list) parser.feed(decoder.decode(chunk, { stream: true }));
}

const IN_HIGHLIGHTS = 2; // depth of an object in the array: the document, the array

/** Builds values from clarinet's events; hands over each object of the array. */
function withClarinet(list, onHighlight) {
  const parser = clarinet.parser();
  const stack = [];
  let value, key, inArray = false;
  const put = item => {
    if (Array.isArray(value)) value.push(item);
    else value[key] = item;
  };
  const open = item => {
    stack.push([value, key]);
    value = item;
  };
  const close = () => {
    const done = value;
    [value, key] = stack.pop();
    if (inArray && stack.length === IN_HIGHLIGHTS) onHighlight(done);
    else if (value !== undefined) put(done);
  };
  parser.onopenobject = first => {
    open({});
    key = first;
  };
  parser.onkey = name => {
    key = name;
  };
  parser.onopenarray = () => {
    inArray = stack.length === 1 && key === 'highlights';
    open([]);
  };
  parser.onvalue = put;
  parser.oncloseobject = close;
  parser.onclosearray = close;
  deltas(list, text => parser.write(text));
}

function withStreamparser(list, onHighlight) {
  const parser = new JSONParser({ paths: ['$.highlights.*'], keepStack: false });
  parser.onValue = ({ value }) => onHighlight(value);
  parser.onEnd = () => {};
  deltas(list, text => parser.write(text));
}

/** jsonriver reads a stream of strings; this one is as light as it allows. */
async function withJsonriver(list, onHighlight) {
  const texts = [];
  deltas(list, text => texts.push(text));
  async function* stream() { yield* texts; }
  const completeCallback = (value, path) => {
    const segments = path.segments();
    if (segments.length === 2 && segments[0] === 'highlights') onHighlight(value);
  };
  for await (const _ of jsonriver(stream(), { completeCallback }));
}

/** stream-json's tokens, put together by hand as with clarinet. */
async function withStreamJson(list, onHighlight) {
  const { readable, writable } = streamJson.asWebStream({ packValues: true, streamValues: false });
  const reading = (async () => {
    const stack = [];
    let value, key, inArray = false;
    const put = item => {
      if (Array.isArray(value)) value.push(item);
      else value[key] = item;
    };
    for await (const token of readable) {
      switch (token.name) {
        case 'startObject': case 'startArray':
          if (token.name === 'startArray') inArray = stack.length === 1 && key === 'highlights';
          stack.push([value, key]);
          value = token.name === 'startArray' ? [] : {};
          break;
        case 'endObject': case 'endArray': {
          const done = value;
          [value, key] = stack.pop();
          if (inArray && stack.length === IN_HIGHLIGHTS) onHighlight(done);
          else if (value !== undefined) put(done);
          break;
        }
        case 'keyValue': key = token.value; break;
        case 'stringValue': put(token.value); break;
        case 'numberValue': put(Number(token.value)); break;
        case 'nullValue': put(null); break;
        case 'trueValue': put(true); break;
        case 'falseValue': put(false); break;
      }
    }
  })();
  const writer = writable.getWriter();
  const texts = [];
  deltas(list, text => texts.push(text));
  for (const text of texts) await writer.write(text);
  await writer.close();
  await reading;
}

/** A repaired parse of the whole text for each delta, as the users of partial-json do; an object counts when the next has begun. */
function withPartialJson(list, onHighlight) {
  let buffer = '', given = 0;
  const give = all => {
    for (; given < all.length; given++) onHighlight(all[given]);
  };
  deltas(list, text => {
    buffer += text;
    give(partialParse(buffer).highlights?.slice(0, -1) ?? []);
  });
  give(JSON.parse(buffer).highlights);
}

/**
 * As the original has it: on each delta, straighten the quotes of all the text, and look from the end of the last
 * object on for the next whose braces are balanced.
 */
function withOriginal(list, onHighlight) {
  let buffer = '', from = 0;
  deltas(list, text => {
    buffer += text;
    const straight = buffer.replace(/[\u201c\u201d]/g, '"').replace(/[\u2018\u2019]/g, "'");
    for (;;) {
      const start = straight.indexOf('{"phrase":', from);
      const end = start < 0 ? -1 : balancedEnd(straight, start);
      if (end < 0) break;
      onHighlight(JSON.parse(straight.slice(start, end)));
      from = end;
    }
  });
}

/** Where the object that begins at `start` ends, braces in strings not counted; -1 if it does not. */
function balancedEnd(text, start) {
  let depth = 0, inString = false, escaped = false;
  for (let at = start; at < text.length; at++) {
    const c = text[at];
    if (escaped) escaped = false;
    else if (c === '\\') escaped = inString;
    else if (c === '"') inString = !inString;
    else if (!inString && c === '{') depth += 1;
    else if (!inString && c === '}' && --depth === 0) return at + 1;
  }
  return -1;
}

/** Contestants, by how much of their work grows with the square of the answer. */
export function peers({ json }, { withOriginal: original = false, withPartialJson: partial = false } = {}) {
  const all = {
    'eventsource-parser + clarinet': { run: withClarinet },
    'eventsource-parser + @streamparser/json': { run: withStreamparser },
    'eventsource-parser + jsonriver': { run: withJsonriver },
    'eventsource-parser + stream-json': { run: withStreamJson },
    'limit: JSON.parse of the answer, once': { run: (_list, onHighlight) => JSON.parse(json).highlights.forEach(onHighlight) },
  };
  // Half a minute for the largest answer.
  if (original) all['the original'] = { run: withOriginal, ...(json.length > 1e6 && { rounds: 1 }) };
  // Half a minute at full size.
  if (partial) all['eventsource-parser + partial-json'] = { run: withPartialJson, rounds: 3 };
  return all;
}

/** Highlights a contestant finds, with the fields in one order. */
export async function objectsFrom(contestant, list) {
  const found = [];
  await contestant(list, ({ phrase, category, note, source, source_url }) => found.push({ phrase, category, note, source, source_url }));
  return found;
}
