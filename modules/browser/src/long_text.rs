//! Texts as long as a page, out of JavaScript.

use js_sys::JsString;
use wasm_bindgen::prelude::*;

/// Most bytes of UTF-8 for a unit of UTF-16.
const BYTES_PER_UNIT: usize = 3;

/// A text; half of a surrogate pair becomes U+FFFD. A long one comes in three to six times sooner than as wasm-bindgen takes
/// strings, which are short mostly: letter by letter until one is not ASCII.
pub fn long_text(text: &JsString) -> String {
    let mut bytes = vec![0; BYTES_PER_UNIT * text.length() as usize];
    let written = TextEncoder::new().encode_into(text, &mut bytes).written();
    bytes.truncate(written as usize);
    bytes.shrink_to_fit();
    // It is UTF-8 that was asked for.
    String::from_utf8(bytes).unwrap_or_default()
}

#[wasm_bindgen]
extern "C" {
    type TextEncoder;
    #[wasm_bindgen(constructor)]
    fn new() -> TextEncoder;
    /// Writes right into the module's memory.
    #[wasm_bindgen(method, js_name = encodeInto)]
    fn encode_into(this: &TextEncoder, source: &JsString, destination: &mut [u8]) -> EncodeIntoResult;

    type EncodeIntoResult;
    #[wasm_bindgen(method, getter)]
    fn written(this: &EncodeIntoResult) -> u32;
}
