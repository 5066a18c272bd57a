//! The short way for what nearly all of an answer is made of: one more piece of text in the envelope of the piece before.
//!
//! An [`Envelope`] is learnt from an event that was read the long way, line by line and as a JSON value: all bytes before
//! its text and all behind, to the blank line. Bytes that begin and end like that, with the inside of one JSON string in
//! between, are the same event with another text, so nothing but that string is read. Whatever differs goes the long
//! way, from its first byte on.

use memchr::{memchr, memmem};
use serde_json::Value;

use super::dialect::AnswerReader;
use crate::sse::{Event, Limits, Parser};

/// Most places in an event that are tried as the place of its text.
const MAX_CANDIDATES: usize = 8;
/// Largest event that is learnt from, in bytes.
const MAX_LEARNT: usize = 8 * 1024;
/// Longest text that goes the short way, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// Envelopes that fit nothing, in a row, after which no further one is learnt.
const MAX_USELESS: u8 = 8;

/// The short way of one answer.
#[derive(Debug, Default)]
pub(super) struct Deltas {
    envelope: Option<Envelope>,
    /// Envelopes that were learnt and fitted nothing, in a row.
    useless: u8,
    /// Where in the envelope the bytes so far end. They are withheld from the long way.
    place: Place,
    /// The text so far as it is written, of an event that began in an earlier chunk.
    written: Vec<u8>,
    /// The last text taken.
    text: String,
    /// The block in progress on the long way, while there is something to learn.
    block: Vec<u8>,
    /// Where the text of that block's event stands.
    proven: Option<Proven>,
}

#[derive(Debug)]
struct Envelope {
    /// Up to and with the quote that opens the text.
    before: Vec<u8>,
    /// From the quote that closes it to the end of the blank line.
    after: Vec<u8>,
    /// The block the text belongs to.
    block: u32,
    has_fitted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// So many bytes of the beginning have come.
    Before(usize),
    /// In the text.
    Text {
        /// Behind a backslash.
        escaped: bool,
    },
    /// So many bytes of the end have come.
    After(usize),
}

impl Default for Place {
    fn default() -> Self {
        Self::Before(0)
    }
}

/// What [`Deltas::take`] made of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// So many of them end an event; its text is [`Deltas::text`].
    Text(usize),
    /// All of them may belong to one that goes on.
    All,
    /// None: they go the long way, behind these bytes of earlier chunks.
    None(Vec<u8>),
}

/// Where the text of an event stands in its data, proven.
#[derive(Debug)]
pub(super) struct Proven {
    event: String,
    before: String,
    after: String,
    block: u32,
}

impl Deltas {
    /// Takes the next bytes, when all before them are whole blocks or were taken here.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Taken {
        if self.envelope.is_none() {
            return Taken::None(Vec::new());
        }
        let (place, written) = (self.place, self.written.len());
        if let Some(taken) = self.follow(bytes) {
            return taken;
        }
        let withheld = self.withheld(place, written);
        self.reset();
        Taken::None(withheld)
    }

    /// The text last taken, and the block it belongs to.
    pub(super) fn text(&self) -> (u32, &str) {
        (self.envelope.as_ref().map_or(0, |envelope| envelope.block), &self.text)
    }

    /// What is withheld from the long way. The stream is over.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let withheld = self.withheld(self.place, self.written.len());
        self.reset();
        withheld
    }

    /// Whether an event that says nothing but text is worth [proving](prove).
    pub(super) fn is_curious(&self) -> bool {
        self.useless < MAX_USELESS
    }

    /// Bytes went the long way. `is_end` says whether they end a block, `proven` what is known of the event they brought.
    pub(super) fn observe(&mut self, bytes: &[u8], is_end: bool, proven: Option<Proven>) {
        if !self.is_curious() {
            return;
        }
        if self.block.len() <= MAX_LEARNT {
            self.block.extend_from_slice(bytes);
        }
        self.proven = proven.or(self.proven.take());
        if !is_end {
            return;
        }
        if let Some(envelope) = self.proven.take().and_then(|proven| Envelope::around(&self.block, &proven)) {
            if self.envelope.as_ref().is_some_and(|envelope| !envelope.has_fitted) {
                self.useless += 1;
            }
            self.envelope = Some(envelope);
        }
        self.block.clear();
    }

    /// The bytes that led to a place in the envelope.
    fn withheld(&self, place: Place, written: usize) -> Vec<u8> {
        let Some(envelope) = &self.envelope else { return Vec::new() };
        let (before, after) = match place {
            Place::Before(length) => (length, 0),
            Place::Text { .. } => (envelope.before.len(), 0),
            Place::After(length) => (envelope.before.len(), length),
        };
        [&envelope.before[..before], &self.written[..written], &envelope.after[..after]].concat()
    }

    fn reset(&mut self) {
        self.place = Place::default();
        self.written.clear();
    }

    /// As far as the bytes fit; `None` when they don't.
    fn follow(&mut self, bytes: &[u8]) -> Option<Taken> {
        let envelope = self.envelope.as_mut()?;
        let mut at = 0;
        if let Place::Before(length) = self.place {
            let wanted = &envelope.before[length..];
            let both = wanted.len().min(bytes.len());
            if wanted[..both] != bytes[..both] {
                return None;
            }
            if both < wanted.len() {
                self.place = Place::Before(length + both);
                return Some(Taken::All);
            }
            self.place = Place::Text { escaped: false };
            at = both;
        }
        let mut text = &bytes[at..at];
        if let Place::Text { escaped } = self.place {
            let (length, escaped) = text_length(&bytes[at..], escaped)?;
            text = &bytes[at..at + length];
            if self.written.len() + length > MAX_TEXT {
                return None;
            }
            at += length;
            if at == bytes.len() {
                self.written.extend_from_slice(text);
                self.place = Place::Text { escaped };
                return Some(Taken::All);
            }
            self.place = Place::After(0);
        }
        let Place::After(length) = self.place else { return None };
        let wanted = &envelope.after[length..];
        let both = wanted.len().min(bytes.len() - at);
        if wanted[..both] != bytes[at..at + both] {
            return None;
        }
        let is_whole = both == wanted.len();
        if !is_whole || !self.written.is_empty() {
            self.written.extend_from_slice(text);
            text = &self.written;
        }
        if !is_whole {
            self.place = Place::After(length + both);
            return Some(Taken::All);
        }
        self.text.clear();
        unescape(text, &mut self.text)?;
        envelope.has_fitted = true;
        self.useless = 0;
        self.reset();
        Some(Taken::Text(at + both))
    }
}

/// How many bytes belong to a string that `escaped` says is behind a backslash: to its closing quote, or all of them;
/// and whether the last is such a backslash. `None` at a byte no JSON string holds.
fn text_length(bytes: &[u8], mut escaped: bool) -> Option<(usize, bool)> {
    for (at, &byte) in bytes.iter().enumerate() {
        if byte < b' ' {
            return None;
        }
        if escaped {
            escaped = false;
        } else if byte == b'"' {
            return Some((at, false));
        } else {
            escaped = byte == b'\\';
        }
    }
    Some((bytes.len(), escaped))
}

/// Reads the inside of a JSON string that holds no bare quote and no control character; `None` if it is not valid.
fn unescape(written: &[u8], out: &mut String) -> Option<()> {
    let text = str::from_utf8(written).ok()?;
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push(match rest.as_bytes().get(at + 1)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            &byte @ (b'"' | b'\\' | b'/') => char::from(byte),
            // UTF-16 units by number, or no escape at all: for whoever knows all of JSON.
            _ => {
                let value: Value = serde_json::from_str(&["\"", text, "\""].concat()).ok()?;
                out.clear();
                out.push_str(value.as_str()?);
                return Some(());
            }
        });
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
    Some(())
}

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
        let (length, _) = text_length(&event.data.as_bytes()[start..], false)?;
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

impl Envelope {
    /// The envelope of the text in the block that brought the event.
    fn around(block: &[u8], proven: &Proven) -> Option<Self> {
        let (before, after) = (proven.before.as_bytes(), proven.after.as_bytes());
        let start = memmem::find(block, before)? + before.len();
        let end = start + text_length(&block[start..], false)?.0;
        // A mark of byte order counts at the start of the stream alone.
        if block.len() > MAX_LEARNT || !block.ends_with(b"\n") || block.starts_with(b"\xEF\xBB\xBF") {
            return None;
        }
        let envelope = Self {
            before: block[..start].to_vec(),
            after: block[end..].to_vec(),
            block: proven.block,
            has_fitted: false,
        };
        // With a byte in place of the text that is nowhere in JSON, the block must be that event with it in that place,
        // and nothing besides.
        let mut parser = Parser::new(Limits::default());
        let (mut events, mut same) = (0, 0);
        let probe = [envelope.before.as_slice(), b"\x01", &envelope.after].concat();
        let pushed = parser.push(&probe, |event| {
            let is_same = event.event == proven.event && event.id.is_empty();
            same += usize::from(is_same && event.data.as_bytes() == [before, b"\x01", after].concat());
            events += 1;
        });
        let is_bare = parser.is_between_blocks() && parser.retry().is_none() && parser.stray().is_empty();
        (pushed.is_ok() && events == 1 && same == 1 && is_bare).then_some(envelope)
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
