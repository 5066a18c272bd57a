//! Well-formed objects of an answer, wherever the text is cut: `{"key":"value",…}` with known keys, values that are
//! strings or `null`, and nothing in the strings that could be the start of another object.
//!
//! [`FlatObject`] follows such an object and keeps it as it is written. At the first byte that is anything else it gives
//! up, and what it kept is for whoever repairs broken JSON.

use std::ops::Range;

use crate::json::{plain_text_length, unescape};

/// Most keys that can be known.
pub const MAX_KEYS: usize = 8;

/// An object in progress.
#[derive(Debug)]
pub struct FlatObject {
    keys: &'static [&'static str],
    limit: usize,
    state: State,
    /// The object so far, from its brace.
    written: String,
    /// Where the string in progress begins in it.
    start: usize,
    has_escapes: bool,
    /// The key whose value comes next, by its place among the keys.
    key: usize,
    /// Values, one behind the other.
    texts: String,
    /// Where each key's value stands among them.
    values: [Option<Range<usize>>; MAX_KEYS],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No object is open.
    Idle,
    /// Behind the brace or a comma.
    Key,
    InKey,
    Colon,
    Value,
    InValue,
    /// Behind a backslash.
    Escape,
    /// In the escape of a UTF-16 unit: so many digits are still to come.
    Unit(u8),
    /// So many letters of `null` have come.
    Null(usize),
    /// Behind a value.
    Next,
}

/// What a text is to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// All of it belongs to the object, which goes on.
    Open,
    /// So many bytes of it end the object.
    Whole(usize),
    /// So many bytes of it were kept, and then this was no such object.
    Not(usize),
}

impl FlatObject {
    /// For objects of at most `limit` bytes, with the first [`MAX_KEYS`] of these keys.
    pub fn new(keys: &'static [&'static str], limit: usize) -> Self {
        Self {
            keys: &keys[..keys.len().min(MAX_KEYS)],
            limit,
            state: State::Idle,
            written: String::new(),
            start: 0,
            has_escapes: false,
            key: 0,
            texts: String::new(),
            values: [const { None }; MAX_KEYS],
        }
    }

    /// Whether an object is in progress.
    pub fn is_open(&self) -> bool {
        self.state != State::Idle
    }

    /// Begins an object, with its brace.
    pub fn begin(&mut self) {
        self.written.clear();
        self.written.push('{');
        self.texts.clear();
        self.values = [const { None }; MAX_KEYS];
        self.state = State::Key;
    }

    /// Leaves the object; what was kept of it is no longer wanted here.
    pub fn give_up(&mut self) -> String {
        self.state = State::Idle;
        std::mem::take(&mut self.written)
    }

    /// The value of a key, by its place among the keys, of the last whole object; `None` where it is no string.
    pub fn value(&self, key: usize) -> Option<&str> {
        let place = self.values.get(key)?.clone()?;
        Some(&self.texts[place])
    }

    /// Takes the next text of the object.
    #[inline(never)]
    pub fn push(&mut self, text: &str) -> Progress {
        let begun = self.written.len();
        self.written.push_str(text);
        let mut at = begun;
        while at < self.limit {
            if self.state == State::InValue {
                at += plain_text_length(&self.written.as_bytes()[at..]);
            }
            let Some(&byte) = self.written.as_bytes().get(at) else { break };
            match self.step(byte, at) {
                Some(State::Idle) => {
                    self.state = State::Idle;
                    return Progress::Whole(at + 1 - begun);
                }
                Some(state) => self.state = state,
                None => {
                    self.written.truncate(at);
                    return Progress::Not(at - begun);
                }
            }
            at += 1;
        }
        if at < self.limit {
            return Progress::Open;
        }
        self.written.truncate(at);
        Progress::Not(at - begun)
    }

    /// The state behind the byte that stands at this place.
    fn step(&mut self, byte: u8, at: usize) -> Option<State> {
        Some(match (self.state, byte) {
            (State::InKey, b'"') => {
                self.key = self.keys.iter().position(|key| *key == &self.written[self.start..at])?;
                State::Colon
            }
            (State::InKey, b'a'..=b'z' | b'_') => State::InKey,
            (State::InValue, b'"') => {
                self.take_value(at)?;
                State::Next
            }
            (State::InValue, b'\\') => {
                self.has_escapes = true;
                State::Escape
            }
            (State::Escape, b'u') => State::Unit(4),
            (State::Escape, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
            | (State::Unit(1), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => State::InValue,
            (State::Unit(digits @ 2..), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => State::Unit(digits - 1),
            (State::Key | State::Colon | State::Value | State::Next, b' ' | b'\n' | b'\r' | b'\t') => self.state,
            (State::Key | State::Value, b'"') => {
                // Behind the quote.
                self.start = at + 1;
                self.has_escapes = false;
                if self.state == State::Key { State::InKey } else { State::InValue }
            }
            (State::Colon, b':') => State::Value,
            (State::Value, b'n') => State::Null(1),
            (State::Null(letters), byte) if b"null".get(letters) == Some(&byte) => {
                if letters == 3 {
                    State::Next
                } else {
                    State::Null(letters + 1)
                }
            }
            (State::Next, b',') => State::Key,
            (State::Next, b'}') => State::Idle,
            _ => return None,
        })
    }

    /// Reads the string that ends at this place.
    fn take_value(&mut self, end: usize) -> Option<()> {
        let (begun, written) = (self.texts.len(), &self.written[self.start..end]);
        if self.has_escapes {
            let mut read = Vec::new();
            unescape(written.as_bytes(), &mut read)?;
            self.texts.push_str(str::from_utf8(&read).ok()?);
        } else {
            self.texts.push_str(written);
        }
        self.values[self.key] = Some(begun..self.texts.len());
        Some(())
    }
}
