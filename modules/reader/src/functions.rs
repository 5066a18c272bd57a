//! The reading core as plain functions: for the worker, the playground and whoever embeds it.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use sidelight::reading::{rules, scan};
use sidelight::wire::Highlight;
use sidelight_browser::boundary::to_js;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Extracted {
    highlights: Vec<Highlight>,
    next_pos: usize,
}

/// The complete highlights in `buffer` from `fromPos` on, and where to go on when the buffer has grown:
/// `{highlights, nextPos}`. Positions are UTF-16 code units.
#[wasm_bindgen(js_name = extractCompleteHighlights)]
pub fn extract_complete_highlights(buffer: &str, from_pos: usize) -> Result<JsValue, JsError> {
    let (highlights, next_pos) = scan::extract_complete_highlights(buffer, from_pos);
    Ok(to_js(&Extracted { highlights, next_pos })?)
}

/// Reads a text with the offline reader: `{highlights, summary, categorySummaries, analysis}`.
#[wasm_bindgen(js_name = readOffline)]
pub fn read_offline(text: &str) -> Result<JsValue, JsError> {
    Ok(to_js(&rules::read(text))?)
}
