//! Values across the boundary: one serializer preset, one direction each.

use js_sys::JsString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// A Rust value as ports and storage want it: plain JSON-like objects.
pub(crate) fn to_js<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, serde_wasm_bindgen::Error> {
    value.serialize(&Serializer::json_compatible())
}

/// A JavaScript value as a Rust type; what does not fit is an error, never a panic.
pub(crate) fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, serde_wasm_bindgen::Error> {
    serde_wasm_bindgen::from_value(value)
}

/// A text of any length; half of a surrogate pair becomes U+FFFD. As long as a page it comes in three to six times sooner
/// than as wasm-bindgen takes strings, which are short mostly: letter by letter until one is not ASCII.
pub(crate) fn long_text(text: &JsString) -> String {
    let mut bytes = vec![0; BYTES_PER_UNIT * text.length() as usize];
    let written = TextEncoder::new().encode_into(text, &mut bytes).written();
    bytes.truncate(written as usize);
    // It is UTF-8 that was asked for.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Most bytes of UTF-8 for a unit of UTF-16.
const BYTES_PER_UNIT: usize = 3;

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

/// The words of a thrown value.
pub(crate) fn error_text(thrown: &JsValue) -> String {
    thrown
        .dyn_ref::<js_sys::Error>()
        .map(|error| String::from(error.message()))
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| "unknown error".to_owned())
}
