//! Strings: escapes, and which quote really ends one.
//!
//! Models forget to escape quotes inside a phrase. A quote ends the value of a key only if the text after it goes on
//! as an object does: with a closing brace or bracket, or with the next key and its colon. Until that is known the
//! characters after the quote are held back; if it was not the end they are read again as part of the string. The
//! hold is bounded, so a character is read a bounded number of times.

/// What a string is, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The key of an object or an element of an array: the first quote ends it.
    Name,
    /// The value of a key: the quote that is followed by the rest of an object ends it.
    Value {
        /// Most bytes to keep; 0 for a value nobody wants.
        room: usize,
    },
}

/// Longest key that is kept, in bytes, and longest key that can confirm the end of a value, in characters.
const MAX_NAME: usize = 64;

/// Most white space held back after a quote, in bytes; beyond it the string has ended.
const MAX_GAP: usize = 256;

/// Bytes that are content of a string in straight quotes, whatever stands around them: neither end, escape, nor what
/// could be the beginning of another object.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let special = b"\"'\\{}[],\n\r\t";
    let mut at = 0;
    while at < special.len() {
        plain[special[at] as usize] = false;
        at += 1;
    }
    plain
};

/// Whether a string may start with this character. Curly quotes stand in where a model "typeset" its JSON.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '”' | '„' | '‘' | '’')
}

/// Whether `c` can end a string that `open` started. In a straight string curly quotes are text.
fn closes(open: char, c: char) -> bool {
    match open {
        '“' | '”' | '„' => matches!(c, '“' | '”' | '"'),
        '‘' | '’' => matches!(c, '‘' | '’' | '\''),
        _ => c == open,
    }
}

#[derive(Debug, Clone, Copy, Default)]
enum Escape {
    #[default]
    None,
    Backslash,
    /// After `\u`: the digits so far.
    Unicode {
        value: u16,
        digits: u8,
    },
}

/// The string in progress.
#[derive(Debug)]
pub(super) struct StringLexer {
    open: char,
    role: Role,
    room: usize,
    text: String,
    overflow: bool,
    escape: Escape,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    /// Quotes inside that nobody escaped.
    stray_quotes: u32,
    ending: Option<Ending>,
    /// Characters after the quote that may be the end.
    ahead: String,
    #[cfg(test)]
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) steps: usize,
}

impl Default for StringLexer {
    fn default() -> Self {
        Self {
            open: '"',
            role: Role::Name,
            room: 0,
            text: String::new(),
            overflow: false,
            escape: Escape::None,
            high: None,
            stray_quotes: 0,
            ending: None,
            ahead: String::new(),
            #[cfg(test)]
            #[cfg(not(target_arch = "wasm32"))]
            steps: 0,
        }
    }
}

impl StringLexer {
    /// Begins a string after its opening quote.
    pub(super) fn start(&mut self, open: char, role: Role) {
        self.open = open;
        self.role = role;
        self.room = match role {
            Role::Name => MAX_NAME,
            Role::Value { room } => room,
        };
        self.text.clear();
        self.overflow = false;
        self.escape = Escape::None;
        self.high = None;
        self.stray_quotes = 0;
        self.ending = None;
        self.ahead.clear();
    }

    /// Takes the characters at the start of `text` that are nothing but content, here and for a
    /// [`Resync`](super::resync::Resync) that is idle. Answers how many bytes those are.
    pub(super) fn take_plain(&mut self, text: &str) -> usize {
        let is_in_content = self.ending.is_none() && matches!(self.escape, Escape::None) && self.high.is_none();
        if !is_in_content || !matches!(self.open, '"' | '\'') {
            return 0;
        }
        let bytes = text.as_bytes();
        let mut length = 0;
        // By hand: the module is built for size, and this is its innermost loop.
        while length < bytes.len() && PLAIN[usize::from(bytes[length])] {
            length += 1;
        }
        if self.room > 0 && !self.overflow {
            let needed = self.text.len() + length;
            if needed > self.room {
                self.overflow = true;
                self.text = String::new();
            } else {
                if needed > self.text.capacity() {
                    self.text.reserve_exact(self.room.min(2 * needed) - self.text.len());
                }
                self.text.push_str(&text[..length]);
            }
        }
        length
    }

    /// Takes one character; true when the string has ended. Characters read beyond its end are in
    /// [`Self::take_ahead`].
    pub(super) fn step(&mut self, c: char) -> bool {
        #[cfg(test)]
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.steps += 1;
        }
        let Some(ending) = &mut self.ending else { return self.content(c) };
        self.ahead.push(c);
        let verdict = if self.ahead.len() > MAX_GAP { Verdict::End } else { ending.step(self.open, c) };
        match verdict {
            Verdict::Open => false,
            Verdict::End => {
                self.ending = None;
                true
            }
            Verdict::Text => {
                let quote = ending.quote;
                self.ending = None;
                self.stray_quotes += 1;
                self.keep(quote);
                let again = std::mem::take(&mut self.ahead);
                let mut rest = again.chars();
                while let Some(c) = rest.next() {
                    if self.step(c) {
                        self.ahead.push_str(rest.as_str());
                        return true;
                    }
                }
                false
            }
        }
    }

    /// Whether the last quote may have ended the string.
    pub(super) fn may_be_closed(&self) -> bool {
        self.ending.is_some()
    }

    /// The text, and whether it was dropped for its size. The half of a surrogate pair left at the end becomes U+FFFD
    /// in a whole string and vanishes from a cut one.
    pub(super) fn take_text(&mut self, is_whole: bool) -> (String, bool) {
        if is_whole {
            self.flush_high();
            // An odd stray quote at the very end is a quote too many, not part of the phrase.
            if self.stray_quotes % 2 == 1 && self.text.ends_with(|c| closes(self.open, c)) {
                self.text.pop();
            }
        }
        (std::mem::take(&mut self.text), self.overflow)
    }

    /// Characters after the string that are still to be read.
    pub(super) fn take_ahead(&mut self) -> String {
        std::mem::take(&mut self.ahead)
    }

    /// Bytes in memory.
    #[cfg(test)]
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn held_bytes(&self) -> usize {
        self.text.capacity() + self.ahead.capacity()
    }

    fn content(&mut self, c: char) -> bool {
        match self.escape {
            Escape::None if c == '\\' => self.escape = Escape::Backslash,
            Escape::None if closes(self.open, c) => match self.role {
                Role::Name => return true,
                Role::Value { .. } => self.ending = Some(Ending::after(c)),
            },
            Escape::None => self.keep(c),
            Escape::Backslash => {
                self.escape = Escape::None;
                match c {
                    'u' => self.escape = Escape::Unicode { value: 0, digits: 0 },
                    'n' => self.keep('\n'),
                    't' => self.keep('\t'),
                    'r' => self.keep('\r'),
                    'b' => self.keep('\u{8}'),
                    'f' => self.keep('\u{c}'),
                    '"' | '\'' | '/' | '\\' | '\n' => self.keep(c),
                    // JSON knows no such escape: the model meant the backslash itself.
                    _ => {
                        self.keep('\\');
                        return self.content(c);
                    }
                }
            }
            Escape::Unicode { value, digits } => {
                let Some(digit) = c.to_digit(16).and_then(|digit| u16::try_from(digit).ok()) else {
                    self.escape = Escape::None;
                    self.keep('\\');
                    self.keep('u');
                    for place in (0..digits).rev() {
                        let nibble = u32::from(value >> (4 * u16::from(place))) & 0xf;
                        self.keep(char::from_digit(nibble, 16).unwrap_or('0'));
                    }
                    return self.content(c);
                };
                let value = value << 4 | digit;
                if digits == 3 {
                    self.escape = Escape::None;
                    self.unit(value);
                } else {
                    self.escape = Escape::Unicode { value, digits: digits + 1 };
                }
            }
        }
        false
    }

    /// Takes a UTF-16 unit out of an escape.
    fn unit(&mut self, unit: u16) {
        if let (Some(high), 0xDC00..=0xDFFF) = (self.high, unit) {
            self.high = None;
            let code = 0x1_0000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
            return self.keep(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        self.flush_high();
        if matches!(unit, 0xD800..=0xDBFF) {
            self.high = Some(unit);
        } else {
            self.keep(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn flush_high(&mut self) {
        if self.high.take().is_some() {
            self.keep(char::REPLACEMENT_CHARACTER);
        }
    }

    fn keep(&mut self, c: char) {
        self.flush_high();
        if self.overflow || self.room == 0 {
            return;
        }
        if self.text.len() + c.len_utf8() > self.room {
            self.overflow = true;
            self.text = String::new();
        } else {
            self.text.push(c);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Not known yet.
    Open,
    /// The quote ended the string.
    End,
    /// The quote is part of the string.
    Text,
}

#[derive(Debug, Clone, Copy)]
enum Next {
    /// White space, at most one comma, at most one opening brace (a model forgot to close the object before).
    Gap { comma: bool, brace: bool },
    /// A closing bracket: the end if the text goes on as JSON.
    Bracket,
    /// A quoted key.
    Key { open: char, len: usize, escaped: bool },
    /// An unquoted key.
    BareKey { len: usize },
    /// A key; the colon decides.
    Colon,
}

/// What follows a quote that may end a value.
#[derive(Debug, Clone, Copy)]
struct Ending {
    quote: char,
    next: Next,
}

impl Ending {
    fn after(quote: char) -> Self {
        Self { quote, next: Next::Gap { comma: false, brace: false } }
    }

    fn step(&mut self, string_open: char, c: char) -> Verdict {
        let next = match self.next {
            Next::Gap { .. } | Next::Bracket | Next::Colon if c.is_whitespace() => self.next,
            Next::Gap { comma, brace } => match c {
                '}' if !brace => return Verdict::End,
                ']' if !brace => Next::Bracket,
                ',' if !comma && !brace => Next::Gap { comma: true, brace },
                '{' if !brace => Next::Gap { comma, brace: true },
                _ if is_quote(c) => Next::Key { open: c, len: 0, escaped: false },
                _ if c.is_ascii_alphabetic() && (comma || brace) => Next::BareKey { len: 1 },
                _ => return Verdict::Text,
            },
            Next::Bracket => match c {
                ',' | '}' | ']' => return Verdict::End,
                _ => return Verdict::Text,
            },
            Next::Key { open, len, escaped } => match c {
                _ if len == MAX_NAME => return Verdict::Text,
                '\n' | '{' | '}' | '[' | ']' => return Verdict::Text,
                _ if escaped => Next::Key { open, len: len + 1, escaped: false },
                '\\' => Next::Key { open, len: len + 1, escaped: true },
                _ if closes(open, c) => Next::Colon,
                // Leaving the next candidate alone keeps re-reading bounded.
                _ if closes(string_open, c) => return Verdict::Text,
                _ => Next::Key { open, len: len + 1, escaped: false },
            },
            Next::BareKey { len } => match c {
                ':' => return Verdict::End,
                _ if c.is_whitespace() => Next::Colon,
                _ if len < MAX_NAME && (c.is_ascii_alphanumeric() || c == '_') => Next::BareKey { len: len + 1 },
                _ => return Verdict::Text,
            },
            Next::Colon if c == ':' => return Verdict::End,
            Next::Colon => return Verdict::Text,
        };
        self.next = next;
        Verdict::Open
    }
}
