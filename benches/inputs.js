// Everything the benchmarks read, made by code: the same seed gives the same bytes on every machine.

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SYLLABLES = ('ba be bo ca co da de di do fa fe ga go ha he in ka ko la le li lo ma me mi mo na ne no on pa pe po ra re ri ro ' +
  'sa se si so ta te ti to un va ve vi wa wo ya za').split(' ');
const COMMON = 'the of and to in a is that for it was on are as with they be at this have from or by not but what'.split(' ');

/** Words as in a text: some few all the time, the others from a vocabulary of `size`, the first of it most often. */
export function wordsFrom(random, size = 4000) {
  const vocabulary = Array.from({ length: size }, () => {
    let word = '';
    for (let left = 2 + Math.floor(random() * 3); left > 0; left--) word += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
    return word;
  });
  return () => {
    if (random() < 0.4) return COMMON[Math.floor(random() * COMMON.length)];
    const place = random();
    return vocabulary[Math.floor(place * place * place * size)]; // no power: its last bit is the machine's
  };
}

const capital = word => word[0].toUpperCase() + word.slice(1);

/** A sentence of 6 to 18 words. Now and then with what needs care: an escape in JSON, two bytes, four bytes. */
export function sentencesFrom(random, words) {
  return () => {
    const list = Array.from({ length: 6 + Math.floor(random() * 13) }, words);
    const sentence = `${capital(list.join(' '))}.`;
    const odd = random();
    if (odd < 0.04) return `“${sentence}”`;
    if (odd < 0.06) return `"${sentence}"`;
    if (odd < 0.08) return `${sentence} — naïve café`;
    if (odd < 0.09) return `${sentence} 🙂`;
    return sentence;
  };
}

const piece = (text, size) => {
  const units = [...text];
  const pieces = [];
  for (let at = 0; at < units.length; at += size) pieces.push(units.slice(at, at + size).join(''));
  return pieces;
};

const anthropicEvent = data => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** An answer in Anthropic's own envelopes, in deltas of `size` characters: `{bytes, text, payloads}`. */
export function anthropicStream(text, size) {
  const events = [
    { type: 'message_start', message: { id: 'msg_01', type: 'message', role: 'assistant', model: 'a-model', content: [],
      stop_reason: null, stop_sequence: null, usage: { input_tokens: 2600, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...piece(text, size).map(text => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9000 } },
    { type: 'message_stop' },
  ];
  return {
    bytes: new TextEncoder().encode(events.map(anthropicEvent).join('')),
    text,
    payloads: events.map(event => JSON.stringify(event)),
  };
}

/** Prose of an answer whose stream in 20-character deltas has about `bytes` bytes. */
export function prose(bytes, seed = 1) {
  const random = randomNumbers(seed);
  const sentence = sentencesFrom(random, wordsFrom(random));
  const parts = [];
  for (let length = 0; length < bytes / 6.8;) {
    const next = random() < 0.12 ? `${sentence()}\n\n` : `${sentence()} `;
    parts.push(next);
    length += next.length;
  }
  return parts.join('');
}

const CATEGORIES = ['misinformation', 'emotional', 'bias', 'supported', 'logical'];

/** An answer of highlights as the prompt asks for them, 400 bytes an object: `{json, highlights}`. */
export function highlightsAnswer(objects, seed = 2) {
  const random = randomNumbers(seed);
  const words = wordsFrom(random);
  const some = (least, most) => Array.from({ length: least + Math.floor(random() * (most - least)) }, words).join(' ');
  // Within the limits of the prompt, so that nothing of it is cut.
  const within = (limit, make) => {
    for (;;) {
      const text = make();
      if (text.length <= limit) return text;
    }
  };
  const highlights = Array.from({ length: objects }, (_, n) => ({
    phrase: within(180, () => `${capital(some(22, 30))}, number ${n}.`),
    category: CATEGORIES[n % CATEGORIES.length],
    note: within(90, () => random() < 0.1 ? `Says "${some(3, 6)}" of ${some(2, 4)}.` : `${capital(some(12, 16))}.`),
    source: capital(some(4, 10)),
    source_url: `https://${words()}.example/${words()}/${words()}/${some(4, 7).replaceAll(' ', '-')}-${n}`,
  }));
  return {
    json: JSON.stringify({ summary: 'Two sentences. About a page.', category_summaries: {}, highlights }),
    highlights,
  };
}

/** Bytes in chunks of one size. */
export function chunks(bytes, size) {
  const list = [];
  for (let at = 0; at < bytes.length; at += size) list.push(bytes.subarray(at, at + size));
  return list;
}

/**
 * A page of about a megabyte over `nodes` text nodes, and phrases from it: `{paragraphs, phrases}`. A paragraph is a
 * list of texts, each to stand in an element of its own. A phrase is `{kind, text, truth}`, `truth` being what it
 * should be found as, or null.
 */
export function longPage(nodes, { letters = 1_000_000, seed = 3 } = {}) {
  const random = randomNumbers(seed);
  const words = wordsFrom(random, 12_000);
  const size = letters / nodes;
  const paragraphs = [];
  const perParagraph = Math.max(4, Math.round(400 / size));
  for (let left = nodes; left > 0;) {
    const texts = [];
    for (let n = Math.min(perParagraph, left); n > 0; n--, left--) {
      let text = words();
      while (text.length < size - 4) text += ` ${words()}`;
      texts.push(`${text} `);
    }
    texts[0] = capital(texts[0]);
    texts[texts.length - 1] = `${texts.at(-1).trimEnd()}.`;
    paragraphs.push(texts);
  }
  const passage = length => {
    for (;;) {
      const text = paragraphs[Math.floor(random() * paragraphs.length)].join('');
      const list = text.split(' ');
      const from = 1 + Math.floor(random() * Math.max(1, list.length - length - 2));
      const found = list.slice(from, from + length).join(' ');
      if (list.length > length + 3 && found.length >= 40) return found;
    }
  };
  const phrases = [];
  for (let n = 0; n < 15; n++) {
    const truth = passage(8 + (n % 7));
    phrases.push({ kind: 'exact', text: truth, truth });
  }
  for (let n = 0; n < 6; n++) {
    const truth = passage(12 + n);
    phrases.push({ kind: 'perturbed', text: perturb(truth, random), truth });
  }
  for (let n = 0; n < 4; n++) {
    phrases.push({ kind: 'absent', text: Array.from({ length: 10 }, words).reverse().join(' '), truth: null });
  }
  return { paragraphs, phrases };
}

/** A slip as models make them: two letters of a long word change places; a word less. */
function perturb(text, random) {
  const list = text.split(' ');
  const long = list.map((word, at) => [word, at]).filter(([word, at]) => word.length >= 6 && at > 0 && at < list.length - 1);
  const [word, at] = long[Math.floor(random() * long.length)] ?? [list[1], 1];
  const middle = word.length >> 1;
  list[at] = word.slice(0, middle - 1) + word[middle] + word[middle - 1] + word.slice(middle + 1);
  if (random() < 0.5) {
    const gone = list.findIndex((word, n) => n > 1 && n !== at && COMMON.includes(word));
    if (gone > 0 && gone < list.length - 1) list.splice(gone, 1);
  }
  return list.join(' ');
}
