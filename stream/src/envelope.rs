//! The short way for what nearly all of an answer is made of: one more piece of text in the envelope of the piece before.
//!
//! An envelope is learnt from an event that was read the long way, line by line and as a JSON value: all bytes before its
//! text and all behind, to the blank line. Bytes that begin and end like that, with the inside of one JSON string in
//! between, are the same event with another text, so nothing but that string is read. Whatever differs goes the long
//! way, from its first byte on.

use memchr::memmem;

use crate::json::{plain_length, string_part, unescape};
use crate::sse::{Limits, Parser};

/// Largest event that is learnt from, in bytes.
const MAX_LEARNT: usize = 8 * 1024;
/// Longest text that goes the short way, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// Envelopes that fit nothing, in a row, after which no further one is learnt.
const MAX_USELESS: u8 = 8;

/// The short way of one answer.
#[derive(Debug, Default)]
pub struct Deltas {
    envelope: Option<Envelope>,
    /// Envelopes that were learnt and fitted nothing, in a row.
    useless: u8,
    /// Where in the envelope the bytes so far end. They are withheld from the long way.
    place: Place,
    /// The text so far as it is written, of an event that began in an earlier chunk.
    written: Vec<u8>,
    has_escapes: bool,
    /// What the text of one event with escapes means.
    read: Vec<u8>,
    /// Texts of whole events, until they are fetched.
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

/// What [`Deltas::take`] took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Taken {
    /// Bytes: all there are, or those of whole events ahead of one that goes the long way.
    pub bytes: usize,
    /// Whole events.
    pub events: usize,
}

/// Where the text of an event stands in its data, proven.
#[derive(Debug)]
pub struct Proven {
    /// The event's name.
    pub event: String,
    /// Its data up to and with the quote that opens the text.
    pub before: String,
    /// Its data from the quote that closes it.
    pub after: String,
    /// The block the text belongs to.
    pub block: u32,
}

/// How one event fits.
enum Fit {
    /// So many bytes end it.
    Whole(usize),
    /// It goes on beyond the bytes.
    Part,
    Not,
}

impl Deltas {
    /// Takes the next bytes, when all before them are whole blocks or were taken here. Texts of whole events are added to
    /// [`text`](Self::text). When bytes are left, an event goes the long way, behind what is
    /// [withheld](Self::take_withheld) of it.
    #[inline(never)]
    pub fn take(&mut self, bytes: &[u8]) -> Taken {
        let mut taken = Taken::default();
        while taken.bytes < bytes.len() {
            match self.follow(&bytes[taken.bytes..]) {
                Fit::Whole(length) => {
                    taken.bytes += length;
                    taken.events += 1;
                }
                Fit::Part => taken.bytes = bytes.len(),
                Fit::Not => break,
            }
        }
        taken
    }

    /// Takes bytes that lie within one part of an event that is begun: its beginning, its text or its end. Nearly all do
    /// where the network brings a few at a time. When they don't, or not for sure, nothing has changed.
    #[inline(never)]
    pub fn take_part(&mut self, bytes: &[u8]) -> bool {
        let Some(envelope) = &self.envelope else { return false };
        match &mut self.place {
            Place::Before(length @ 1..) => go_on(&envelope.before, length, bytes),
            Place::After(length) => go_on(&envelope.after, length, bytes),
            Place::Text { escaped: false } => {
                let fits = plain_length(bytes) == bytes.len() && self.written.len() + bytes.len() <= MAX_TEXT;
                if fits {
                    self.written.extend_from_slice(bytes);
                }
                fits
            }
            Place::Before(0) | Place::Text { escaped: true } => false,
        }
    }

    /// Whether bytes are withheld from the long way: the next ones belong here.
    pub fn is_begun(&self) -> bool {
        self.place != Place::Before(0)
    }

    /// Texts taken, and the block they belong to.
    pub fn text(&self) -> (u32, &str) {
        (self.envelope.as_ref().map_or(0, |envelope| envelope.block), &self.text)
    }

    /// The texts were fetched.
    pub fn clear_text(&mut self) {
        self.text.clear();
    }

    /// The bytes of earlier chunks that belong to the event that goes the long way, or in which the stream has ended.
    pub fn take_withheld(&mut self) -> Vec<u8> {
        let Some(envelope) = &self.envelope else { return Vec::new() };
        let (before, after) = match self.place {
            Place::Before(length) => (length, 0),
            Place::Text { .. } => (envelope.before.len(), 0),
            Place::After(length) => (envelope.before.len(), length),
        };
        let withheld = [&envelope.before[..before], &self.written, &envelope.after[..after]].concat();
        self.begin();
        withheld
    }

    /// Whether it is worth knowing where the text of an event stands that says nothing else.
    pub fn is_curious(&self) -> bool {
        self.useless < MAX_USELESS
    }

    /// Bytes went the long way. `is_end` says whether they end a block, `proven` what is known of the event they brought.
    pub fn observe(&mut self, bytes: &[u8], is_end: bool, proven: Option<Proven>) {
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

    fn begin(&mut self) {
        self.place = Place::default();
        self.written.clear();
        self.has_escapes = false;
    }

    /// Follows the envelope as far as the bytes go. Where they don't fit, nothing has changed.
    fn follow(&mut self, bytes: &[u8]) -> Fit {
        let Some(envelope) = &mut self.envelope else { return Fit::Not };
        let (mut place, mut at) = (self.place, 0);
        if let Place::Before(length) = place {
            let Some(both) = common(&envelope.before[length..], bytes) else { return Fit::Not };
            if length + both < envelope.before.len() {
                self.place = Place::Before(length + both);
                return Fit::Part;
            }
            place = Place::Text { escaped: false };
            at = both;
        }
        let mut has_escapes = self.has_escapes;
        let mut text = &bytes[at..at];
        if let Place::Text { escaped } = place {
            let Some(part) = string_part(&bytes[at..], escaped) else { return Fit::Not };
            if self.written.len() + part.length > MAX_TEXT {
                return Fit::Not;
            }
            has_escapes |= part.has_escapes;
            text = &bytes[at..at + part.length];
            at += part.length;
            if at == bytes.len() {
                self.written.extend_from_slice(text);
                (self.place, self.has_escapes) = (Place::Text { escaped: part.ends_escaped }, has_escapes);
                return Fit::Part;
            }
            place = Place::After(0);
        }
        let Place::After(length) = place else { return Fit::Not };
        let Some(both) = common(&envelope.after[length..], &bytes[at..]) else { return Fit::Not };
        if length + both < envelope.after.len() {
            self.written.extend_from_slice(text);
            (self.place, self.has_escapes) = (Place::After(length + both), has_escapes);
            return Fit::Part;
        }
        // In one piece it is read where it lies.
        let kept = self.written.len();
        if kept > 0 {
            self.written.extend_from_slice(text);
            text = &self.written;
        }
        self.read.clear();
        let read = if has_escapes { unescape(text, &mut self.read).map(|()| self.read.as_slice()) } else { Some(text) };
        let Some(text) = read.and_then(|read| str::from_utf8(read).ok()) else {
            self.written.truncate(kept);
            return Fit::Not;
        };
        self.text.push_str(text);
        envelope.has_fitted = true;
        self.useless = 0;
        self.begin();
        Fit::Whole(at + both)
    }
}

/// Goes on from this place in the part, if the bytes do not end it.
fn go_on(part: &[u8], place: &mut usize, bytes: &[u8]) -> bool {
    let rest = &part[*place..];
    let fits = bytes.len() < rest.len() && common(rest, bytes).is_some();
    if fits {
        *place += bytes.len();
    }
    fits
}

/// How many bytes are compared: the shorter of both. `None` when they differ.
fn common(wanted: &[u8], bytes: &[u8]) -> Option<usize> {
    let both = wanted.len().min(bytes.len());
    let (mut wanted, mut bytes) = (&wanted[..both], &bytes[..both]);
    // By hand: a call of memcmp goes byte by byte on wasm32.
    while let (Some((a, wanted_rest)), Some((b, bytes_rest))) =
        (wanted.split_first_chunk::<8>(), bytes.split_first_chunk::<8>())
    {
        if u64::from_le_bytes(*a) != u64::from_le_bytes(*b) {
            return None;
        }
        (wanted, bytes) = (wanted_rest, bytes_rest);
    }
    wanted.iter().zip(bytes).all(|(a, b)| a == b).then_some(both)
}

impl Envelope {
    /// The envelope of the text in the block that brought the event.
    fn around(block: &[u8], proven: &Proven) -> Option<Self> {
        let (before, after) = (proven.before.as_bytes(), proven.after.as_bytes());
        let start = memmem::find(block, before)? + before.len();
        let end = start + string_part(&block[start..], false)?.length;
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
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_when_nothing_more_is_learnt() {
        let mut deltas = Deltas { useless: MAX_USELESS, ..Deltas::default() };
        deltas.observe(b"data: 1\n\n", false, None);
        assert_eq!(deltas.block.len(), 0);
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut deltas = Deltas::default();
        for _ in 0..100 {
            deltas.observe(&b"x".repeat(MAX_LEARNT), false, None);
        }
        assert!(deltas.block.len() <= 2 * MAX_LEARNT, "{}", deltas.block.len());

        deltas.envelope = Some(Envelope { before: Vec::new(), after: b"\"".into(), block: 0, has_fitted: false });
        deltas.place = Place::Text { escaped: false };
        while deltas.take_part(&b"x".repeat(1000)) {}
        assert_eq!(deltas.written.len(), MAX_TEXT / 1000 * 1000);
    }
}
