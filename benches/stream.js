// Row "stream": bytes of an Anthropic stream → the text in them.
import { createParser } from 'eventsource-parser';
import { getLines, getMessages } from '@microsoft/fetch-event-source/lib/esm/parse.js';
import { Stream as AnthropicStream } from '@anthropic-ai/sdk/core/streaming.mjs';
import { Stream as OpenaiStream } from 'openai/core/streaming.mjs';
import { anthropicStream, chunks, prose } from './inputs.js';

export const SIZES = [16, 256, 1400, 16_384, 65_536];

/** The input for all chunk sizes. */
export function streamInput(bytes = 2_000_000) {
  return anthropicStream(prose(bytes), 20);
}

const textOf = event => event.delta?.text;

/** What others do with the chunks: each a function of them and a callback for text. */
export const PEERS = {
  'eventsource-parser + JSON.parse': (list, onText) => {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ data }) => {
        const text = textOf(JSON.parse(data));
        if (text) onText(text);
      },
    });
    for (const chunk of list) parser.feed(decoder.decode(chunk, { stream: true }));
  },
  'fetch-event-source + JSON.parse': (list, onText) => {
    const onLine = getMessages(() => {}, () => {}, ({ data }) => {
      const text = data && textOf(JSON.parse(data));
      if (text) onText(text);
    });
    const onChunk = getLines(onLine);
    for (const chunk of list) onChunk(chunk);
  },
  'Anthropic SDK': (list, onText) => readAll(AnthropicStream, list, onText),
  'OpenAI SDK': (list, onText) => readAll(OpenaiStream, list, onText),
  // As the original has it: split what has come at line feeds, keep the last piece, parse each data line.
  'the original': (list, onText) => {
    const decoder = new TextDecoder();
    let buffer = '';
    for (const chunk of list) {
      buffer += decoder.decode(chunk, { stream: true });
      const lines = buffer.split('\n');
      buffer = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue;
        const event = JSON.parse(line.slice(6));
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') onText(event.delta.text);
      }
    }
  },
};

/** What can't be beaten by anybody who does the whole job, and what a part of it costs alone. */
export const limits = ({ payloads }) => ({
  'limit: JSON.parse of the payloads alone': (_list, onText) => {
    for (const payload of payloads) {
      const text = textOf(JSON.parse(payload));
      if (text) onText(text);
    }
  },
  'limit: TextDecoder alone': (list, onText) => {
    const decoder = new TextDecoder();
    for (const chunk of list) onText(decoder.decode(chunk, { stream: true }));
  },
});

/** The SDKs read a response; this one is as light as they allow. */
async function readAll(Stream, list, onText) {
  const body = { [Symbol.asyncIterator]: async function* () { yield* list; } };
  const stream = Stream.fromSSEResponse({ body, headers: new Headers() }, new AbortController());
  for await (const event of stream) {
    const text = textOf(event);
    if (text) onText(text);
  }
}

/** The text a contestant finds. */
export async function textFrom(contestant, list) {
  let text = '';
  await contestant(list, piece => { text += piece; });
  return text;
}

export { chunks };
