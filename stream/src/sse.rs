//! Push parser for server-sent events: bytes in, events out.
//!
//! Follows the [WHATWG rules](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation)
//! with two leniencies: an event the stream ends in is handed over as far as it came, and lines that are no field at all
//! are kept aside ([`Parser::stray`]), since servers in trouble write a bare JSON error, or a whole answer, between the
//! events. Each byte is looked at once, wherever the chunks are cut, and text is decoded per event, never per chunk.

use memchr::{memchr, memchr2};

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// How much the parser holds, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line, without its end.
    pub line: usize,
    /// The longest data of one event; also the most that is kept of stray lines.
    pub event: usize,
}

impl Default for Limits {
    /// One MiB a line and four an event: a search result with its encrypted pages is the largest known, at some 60 kB.
    fn default() -> Self {
        Self { line: 1 << 20, event: 4 << 20 }
    }
}

/// One event, borrowed from the parser for as long as the callback runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its name; `message` when the stream gave none.
    pub event: &'a str,
    /// Its data lines, joined by line feeds. Empty for `data:` alone.
    pub data: &'a str,
    /// The last id the stream named, in this event or an earlier one.
    pub id: &'a str,
}

/// A bound was reached. The parser stays in this state and drops whatever follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OverflowError {
    /// A line is longer than [`Limits::line`].
    #[error("a line of the stream is too long")]
    Line,
    /// The data of an event is longer than [`Limits::event`].
    #[error("an event of the stream is too long")]
    Event,
}

/// How a stream ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Behind a blank line: every event was whole.
    Complete,
    /// Inside an event. What had come of it was handed over.
    Truncated,
    /// At a bound.
    Overflow(OverflowError),
}

/// The parser. One for each stream.
#[derive(Debug)]
pub struct Parser {
    limits: Limits,
    /// A line whose end has not come yet.
    line: Vec<u8>,
    /// Data lines of the event in progress, each followed by a line feed, as the standard has it.
    data: Vec<u8>,
    event: Vec<u8>,
    id: Vec<u8>,
    stray: Vec<u8>,
    retry: Option<u64>,
    /// Whether a field has come since the last blank line.
    in_event: bool,
    /// The last line was blank, or there has been none.
    at_blank_line: bool,
    /// The last chunk ended in CR: a line feed at the start of the next belongs to it.
    after_cr: bool,
    /// Bytes of the byte order mark seen so far; `None` behind the first three bytes of the stream.
    bom: Option<usize>,
    overflow: Option<OverflowError>,
    /// Bytes searched for a line end, which the growth test counts.
    #[cfg(test)]
    #[cfg(not(target_arch = "wasm32"))]
    examined: usize,
}

impl Parser {
    /// A parser at the start of a stream.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            line: Vec::new(),
            data: Vec::new(),
            event: Vec::new(),
            id: Vec::new(),
            stray: Vec::new(),
            retry: None,
            in_event: false,
            at_blank_line: true,
            after_cr: false,
            bom: Some(0),
            overflow: None,
            #[cfg(test)]
            #[cfg(not(target_arch = "wasm32"))]
            examined: 0,
        }
    }

    /// Takes the next bytes and hands over each event they complete.
    ///
    /// Returns how many that were. Zero is a sign of life that shows nothing, such as a comment.
    pub fn push(&mut self, mut bytes: &[u8], mut on_event: impl FnMut(Event<'_>)) -> Result<usize, OverflowError> {
        let mut events = 0;
        while !bytes.is_empty() {
            let taken = self.read_block(bytes, &mut |event| {
                events += 1;
                on_event(event);
            })?;
            bytes = &bytes[taken..];
        }
        // Also when there was nothing to take.
        self.overflow.map_or(Ok(events), Err)
    }

    /// Takes the next bytes up to the end of a block, which is a blank line, and hands over the event it completes.
    /// Returns how many bytes that were: all of them where no block ends.
    pub fn push_block(&mut self, bytes: &[u8], mut on_event: impl FnMut(Event<'_>)) -> Result<usize, OverflowError> {
        self.read_block(bytes, &mut on_event)
    }

    /// Whether the bytes so far end in a blank line, so that the next ones begin something new.
    pub fn is_between_blocks(&self) -> bool {
        let is_begun = self.in_event || self.after_cr || !self.line.is_empty();
        self.bom.is_none() && self.overflow.is_none() && self.at_blank_line && !is_begun
    }

    /// Takes the end of the stream: the last line counts even without its line end, and so does the last event.
    pub fn finish(&mut self, mut on_event: impl FnMut(Event<'_>)) -> End {
        if let Some(bom @ 1..) = self.bom.take() {
            self.line.extend_from_slice(&BOM[..bom]);
        }
        let line = std::mem::take(&mut self.line);
        // A field name that was cut off is no stray line.
        let cut_off = ["data", "event", "id", "retry"].iter().any(|name| name.as_bytes().starts_with(&line));
        let last = if cut_off { Ok(()) } else { self.handle_line(&line, &mut on_event) };
        if let Err(overflow) = self.overflow.map_or(last, Err) {
            return End::Overflow(overflow);
        }
        let truncated = self.in_event;
        self.dispatch(&mut on_event);
        if truncated { End::Truncated } else { End::Complete }
    }

    /// Lines so far that are no field, each followed by a line feed: nothing in a sound stream, a bare JSON document in a
    /// broken one. Holds at most [`Limits::event`] bytes and drops the rest.
    pub fn stray(&self) -> &[u8] {
        &self.stray
    }

    /// The reconnection time the stream asked for, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    #[inline(never)]
    fn read_block(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<usize, OverflowError> {
        if let Some(overflow) = self.overflow {
            return Err(overflow);
        }
        let mut rest = bytes;
        while let (Some(matched), [first, tail @ ..]) = (self.bom, rest) {
            if *first == BOM[matched] {
                rest = tail;
                self.bom = Some(matched + 1).filter(|seen| *seen < BOM.len());
            } else {
                // Not a byte order mark after all: what looked like one opens the first line.
                self.line.extend_from_slice(&BOM[..matched]);
                self.bom = None;
            }
        }
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                if self.at_blank_line {
                    break;
                }
                continue;
            }
            let end = memchr2(b'\r', b'\n', rest);
            #[cfg(test)]
            #[cfg(not(target_arch = "wasm32"))]
            {
                self.examined += end.map_or(rest.len(), |end| end + 1);
            }
            let Some(end) = end else {
                if self.line.len() + rest.len() > self.limits.line {
                    return Err(self.overflow_with(OverflowError::Line));
                }
                self.line.extend_from_slice(rest);
                rest = &[];
                break;
            };
            let (part, tail) = rest.split_at(end);
            self.after_cr = tail[0] == b'\r';
            rest = &tail[1..];
            if self.line.is_empty() {
                self.handle_line(part, on_event)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(part);
                let handled = self.handle_line(&line, on_event);
                line.clear();
                self.line = line;
                handled?;
            }
            // A line feed right behind belongs to the same line end.
            if self.at_blank_line && !(self.after_cr && rest.first() == Some(&b'\n')) {
                break;
            }
        }
        Ok(bytes.len() - rest.len())
    }

    fn handle_line(&mut self, line: &[u8], on_event: &mut dyn FnMut(Event<'_>)) -> Result<(), OverflowError> {
        self.at_blank_line = line.is_empty();
        if line.is_empty() {
            self.dispatch(on_event);
            return Ok(());
        }
        if line.len() > self.limits.line {
            return Err(self.overflow_with(OverflowError::Line));
        }
        let colon = memchr(b':', line);
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.data.len() + value.len() > self.limits.event {
                    return Err(self.overflow_with(OverflowError::Event));
                }
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
                self.in_event = true;
            }
            b"event" => {
                self.event.clear();
                self.event.extend_from_slice(value);
                self.in_event = true;
            }
            b"id" if !value.contains(&0) => {
                self.id.clear();
                self.id.extend_from_slice(value);
                self.in_event = true;
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry = str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
                self.in_event = true;
            }
            // A comment, or a value the standard ignores.
            b"" | b"id" | b"retry" => {}
            _ => {
                let room = self.limits.event.saturating_sub(self.stray.len() + 1);
                self.stray.extend_from_slice(&line[..line.len().min(room)]);
                if room > 0 {
                    self.stray.push(b'\n');
                }
            }
        }
        Ok(())
    }

    fn dispatch(&mut self, on_event: &mut dyn FnMut(Event<'_>)) {
        self.in_event = false;
        // Without any data line there is no event, whatever else was said.
        if let [data @ .., b'\n'] = self.data.as_slice() {
            let name: &[u8] = if self.event.is_empty() { b"message" } else { &self.event };
            on_event(Event {
                event: &String::from_utf8_lossy(name),
                data: &String::from_utf8_lossy(data),
                id: &String::from_utf8_lossy(&self.id),
            });
        }
        self.data.clear();
        self.event.clear();
    }

    fn overflow_with(&mut self, overflow: OverflowError) -> OverflowError {
        self.overflow = Some(overflow);
        self.line = Vec::new();
        self.data = Vec::new();
        overflow
    }
}
