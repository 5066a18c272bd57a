//! What a dialect knows of the [short way](sidelight_stream::envelope): where the text of an event stands.

use memchr::memmem;
use serde_json::Value;
use sidelight_stream::envelope::Proven;
use sidelight_stream::json::string_part;

use super::dialect::AnswerReader;
use sidelight_stream::sse::Event;

/// Most places in an event that are tried as the place of its text.
const MAX_CANDIDATES: usize = 8;

/// Finds the place of the text in the data of an event that `reader` has read, and that says nothing but it.
pub(super) fn prove(reader: &dyn AnswerReader, event: Event<'_>) -> Option<Proven> {
    let value: Value = serde_json::from_str(event.data).ok()?;
    let (pointer, block) = reader.text_pointer(&value)?;
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty())?;
    let (_, key) = pointer.rsplit_once('/')?;
    let key = format!("\"{key}\"");
    memmem::find_iter(event.data.as_bytes(), key.as_bytes()).take(MAX_CANDIDATES).find_map(|at| {
        let behind = event.data[at + key.len()..].trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
        let start = event.data.len() - behind.strip_prefix('"')?.len();
        let length = string_part(&event.data.as_bytes()[start..], false)?.length;
        let (before, after) = (&event.data[..start], &event.data[start + length..]);
        // Two strings never stand side by side in JSON: if the event is JSON without these bytes, the quotes around them
        // are the two ends of one string, the value of a key. If the text is empty then, that string is the text.
        let probe: Value = serde_json::from_str(&[before, after].concat()).ok()?;
        let is_proven = probe.pointer(pointer)?.as_str() == Some("");
        is_proven.then(|| Proven {
            event: event.event.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
            block,
        })
    })
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
