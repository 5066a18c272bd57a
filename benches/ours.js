// Sidelight's own contestants. The module is the core as it ships, with one more way in (modules/bench/src/lib.rs).

const SHORT = 64;

const { fromCharCode } = String;

/** Text in a module's memory as a string. Short ASCII is quicker by hand, eight letters at a time, than by a decoder's call. */
function textAt(memory, pointer, length, decoder) {
  const end = pointer + length;
  if (length > SHORT) return decoder.decode(memory.subarray(pointer, end));
  let text = '', at = pointer, all = 0;
  for (; at + 8 <= end; at += 8) {
    const a = memory[at], b = memory[at + 1], c = memory[at + 2], d = memory[at + 3];
    const e = memory[at + 4], f = memory[at + 5], g = memory[at + 6], h = memory[at + 7];
    all |= a | b | c | d | e | f | g | h;
    text += fromCharCode(a, b, c, d, e, f, g, h);
  }
  if (at + 4 <= end) {
    const a = memory[at], b = memory[at + 1], c = memory[at + 2], d = memory[at + 3];
    all |= a | b | c | d;
    text += fromCharCode(a, b, c, d);
    at += 4;
  }
  for (; at < end; at++) {
    all |= memory[at];
    text += fromCharCode(memory[at]);
  }
  return all <= 0x7f ? text : decoder.decode(memory.subarray(pointer, end));
}

/** One string for each chunk: bytes are written into the module's buffer, and `take` hands over what text they bring. */
const streamBy = taking => module => {
  const { begin, input, wasm } = module;
  const take = taking(module);
  return (list, onText) => {
    begin();
    let memory = new Uint8Array(wasm.memory.buffer), to = 0, room = 0;
    for (const chunk of list) {
      if (chunk.length > room) {
        room = chunk.length;
        to = input(room);
      }
      // The memory may have grown, and all views of it are void then.
      if (memory.length === 0) memory = new Uint8Array(wasm.memory.buffer);
      memory.set(chunk, to);
      take(chunk.length, onText);
    }
  };
};

/** Text is read where it lies. */
export const stream = streamBy(({ feed, text, wasm }) => {
  const decoder = new TextDecoder();
  let memory = new Uint8Array(wasm.memory.buffer);
  return (length, onText) => {
    const letters = feed(length);
    if (letters === 0) return;
    if (memory.length === 0) memory = new Uint8Array(wasm.memory.buffer);
    onText(textAt(memory, text(), letters, decoder));
  };
});

/** Text is returned as wasm-bindgen returns strings. */
export const streamByBindgen = streamBy(({ feed_string: feed }) => (length, onText) => {
  const text = feed(length);
  if (text) onText(text);
});

/**
 * Each highlight as an object, as soon as its last byte is there. With a function for what it has in common with the
 * streams it is 5 % slower at the smallest chunks, for which its promise is close.
 */
export const highlights = ({ begin, input, scan, highlights: take, wasm }) => (list, onHighlight) => {
  begin();
  let memory = new Uint8Array(wasm.memory.buffer), to = 0, room = 0;
  for (let at = 0; at < list.length; at++) {
    const chunk = list[at], { length } = chunk;
    if (length > room) {
      room = length;
      to = input(room);
    }
    try {
      memory.set(chunk, to);
    } catch {
      // The memory has grown. To try costs less than to ask each time.
      memory = new Uint8Array(wasm.memory.buffer);
      memory.set(chunk, to);
    }
    if (scan(length) > 0) for (const highlight of take()) onHighlight(highlight);
  }
};
