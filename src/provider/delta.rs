//! The short way for the events that nearly all of an answer is made of: one more piece of text in the envelope of the
//! piece before.
//!
//! An [`Envelope`] is learnt from an event that was read the long way, as a JSON value: all that stands before its text
//! and all that stands behind. An event that begins and ends like that and has the body of one JSON string in between
//! is the same value with another text, so nothing but that string is read. Whatever differs goes the long way.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::Value;

use crate::sse::Event;

/// Most places in an event that are tried as the place of its text.
const MAX_CANDIDATES: usize = 8;
/// Longest envelope that is learnt, in bytes.
const MAX_ENVELOPE: usize = 4096;
/// An answer whose events differ each time in more than their text is not learnt from more often than this in a row.
const MAX_USELESS: u8 = 8;

/// What one answer's pieces of text are wrapped in.
#[derive(Debug, Default)]
pub(super) struct Envelopes {
    known: Option<Envelope>,
    /// Envelopes that were learnt and fitted nothing, in a row.
    useless: u8,
}

#[derive(Debug)]
struct Envelope {
    /// The name of the event.
    event: String,
    /// Up to and with the quote that opens the text.
    before: String,
    /// From the quote that closes it.
    after: String,
    has_fitted: bool,
}

impl Envelopes {
    /// The text of an event in the known envelope.
    pub(super) fn open<'a>(&mut self, event: Event<'a>) -> Option<Cow<'a, str>> {
        let envelope = self.known.as_mut()?;
        let text = envelope.open(event)?;
        envelope.has_fitted = true;
        self.useless = 0;
        Some(text)
    }

    /// Whether it is worth while to [`learn`](Self::learn) from the next event that says nothing but text.
    pub(super) fn is_curious(&self) -> bool {
        self.useless < MAX_USELESS
    }

    /// Learns from an event that is the JSON `value` and says nothing but the text at `pointer`, a JSON pointer.
    pub(super) fn learn(&mut self, event: Event<'_>, value: &Value, pointer: &str) {
        if self.known.as_ref().is_none_or(|envelope| !envelope.has_fitted) {
            self.useless += 1;
        }
        self.known = Envelope::around(event, value, pointer);
    }
}

impl Envelope {
    fn open<'a>(&self, event: Event<'a>) -> Option<Cow<'a, str>> {
        let data = event.data;
        let end = data.len().checked_sub(self.after.len())?;
        if end < self.before.len() || event.event != self.event {
            return None;
        }
        // By bytes: these are no boundaries of characters before they have been compared.
        let bytes = data.as_bytes();
        if !bytes.starts_with(self.before.as_bytes()) || !bytes[end..].starts_with(self.after.as_bytes()) {
            return None;
        }
        let text = &data[self.before.len()..end];
        if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
            return Some(Cow::Borrowed(text));
        }
        // With its quotes: it has to be exactly one JSON string.
        serde_json::from_str(&data[self.before.len() - 1..=end]).ok().map(Cow::Owned)
    }

    /// The envelope of an event, if the place of its text can be told for sure.
    fn around(event: Event<'_>, value: &Value, pointer: &str) -> Option<Self> {
        let text = value.pointer(pointer)?.as_str().filter(|text| !text.is_empty())?;
        let (_, key) = pointer.rsplit_once('/')?;
        let mut emptied = value.clone();
        *emptied.pointer_mut(pointer)? = Value::String(String::new());
        let key = format!("\"{key}\"");
        memmem::find_iter(event.data.as_bytes(), key.as_bytes()).take(MAX_CANDIDATES).find_map(|at| {
            let behind = event.data[at + key.len()..].trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
            let start = event.data.len() - behind.strip_prefix('"')?.len();
            let mut strings = serde_json::Deserializer::from_str(&event.data[start - 1..]).into_iter::<String>();
            if strings.next()?.ok()? != text {
                return None;
            }
            let end = start + strings.byte_offset() - 2;
            let (before, after) = (&event.data[..start], &event.data[end..]);
            // Two strings never stand side by side in JSON. If the event without this text is still JSON, the quotes
            // around it are the two ends of one string; if only its text is gone then, that string is the text.
            let is_proven = before.len() + after.len() <= MAX_ENVELOPE
                && serde_json::from_str::<Value>(&format!("{before}{after}")).is_ok_and(|probe| probe == emptied);
            is_proven.then(|| Self {
                event: event.event.to_owned(),
                before: before.to_owned(),
                after: after.to_owned(),
                has_fitted: false,
            })
        })
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
