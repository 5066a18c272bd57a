// Sidelight's own contestants. The module is the core as it ships, with one more way in (src/browser/bench.rs).

const SHORT = 64;

/** Text in a module's memory as a string. Short ASCII is quicker by hand than by a decoder's call. */
function textAt(memory, pointer, length, decoder) {
  if (length <= SHORT) {
    const codes = memory.subarray(pointer, pointer + length);
    let text = '';
    for (let at = 0; at < length; at++) {
      if (codes[at] > 0x7f) return decoder.decode(codes);
      text += String.fromCharCode(codes[at]);
    }
    return text;
  }
  return decoder.decode(memory.subarray(pointer, pointer + length));
}

/** One string for each chunk: bytes are written into the module's buffer and text is read where it lies. */
export const stream = ({ Stream, wasm }) => (list, onText) => {
  const stream = new Stream();
  const decoder = new TextDecoder();
  const input = stream.input(largest(list));
  let memory = new Uint8Array(wasm.memory.buffer);
  for (const chunk of list) {
    memory.set(chunk, input);
    const length = stream.feed(chunk.length);
    // The memory may have grown, and all views of it are void then.
    if (memory.length === 0) memory = new Uint8Array(wasm.memory.buffer);
    if (length > 0) onText(textAt(memory, stream.text(), length, decoder));
  }
  stream.free();
};

/** One string for each chunk, by wasm-bindgen's own return of strings. */
export const streamByBindgen = ({ Stream, wasm }) => (list, onText) => {
  const stream = new Stream();
  const input = stream.input(largest(list));
  let memory = new Uint8Array(wasm.memory.buffer);
  for (const chunk of list) {
    memory.set(chunk, input);
    const text = stream.feed_string(chunk.length);
    if (memory.length === 0) memory = new Uint8Array(wasm.memory.buffer);
    if (text) onText(text);
  }
  stream.free();
};

/** Each highlight as an object, as soon as its last byte is there. */
export const highlights = ({ Stream, wasm }) => (list, onHighlight) => {
  const stream = new Stream();
  const input = stream.input(largest(list));
  let memory = new Uint8Array(wasm.memory.buffer);
  for (const chunk of list) {
    memory.set(chunk, input);
    const found = stream.scan(chunk.length);
    if (found > 0) for (const highlight of stream.highlights()) onHighlight(highlight);
    if (memory.length === 0) memory = new Uint8Array(wasm.memory.buffer);
  }
  stream.free();
};

const largest = list => list.reduce((most, chunk) => Math.max(most, chunk.length), 0);
