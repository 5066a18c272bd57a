//! Where JSON starts among the words, fences and think blocks around it.

use super::string::is_quote;

/// A JSON value that starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// `{` and a quote; the quote comes next.
    Object {
        /// Whether it starts a line, as an answer does and an example in a sentence does not.
        is_bare: bool,
    },
    /// `[` and `{`; the brace comes next.
    Array,
}

/// Blocks in which models think aloud.
const THINK_TAGS: [&str; 5] = ["think", "thinking", "thought", "reasoning", "scratchpad"];

/// Longest tag name worth collecting, in bytes.
const MAX_TAG: usize = 12;

#[derive(Debug)]
enum State {
    Text,
    /// After `{` and white space.
    Brace {
        is_bare: bool,
    },
    /// After `[` and white space.
    Bracket {
        is_bare: bool,
    },
    /// After `[]` that started a line.
    EmptyList,
    /// After `<`: the tag so far, lower case.
    Tag(String),
    /// In a think block.
    Thinking {
        tag: String,
        /// What follows a `<` inside, lower case.
        close: Option<String>,
    },
}

/// Text outside of JSON.
#[derive(Debug)]
pub(super) struct Prose {
    state: State,
    /// Whether only white space, the mark of a list item, or another value stands before on this line.
    at_line_start: bool,
    /// Whether `[]` has had a line of its own.
    has_empty_list: bool,
}

impl Default for Prose {
    fn default() -> Self {
        Self { state: State::Text, at_line_start: true, has_empty_list: false }
    }
}

impl Prose {
    /// A value ended; another may follow on the same line.
    pub(super) fn resume(&mut self, at_line_start: bool) {
        self.state = State::Text;
        self.at_line_start = at_line_start;
    }

    /// Whether the text so far has an empty list on a line of its own: a whole answer, without highlights.
    pub(super) fn has_empty_list(&self) -> bool {
        self.has_empty_list || matches!(self.state, State::EmptyList)
    }

    /// Takes one character. An opening means that this very character belongs to the value.
    pub(super) fn step(&mut self, c: char) -> Option<Opening> {
        match &mut self.state {
            State::Text => self.text(c),
            State::Brace { is_bare } => {
                if is_quote(c) {
                    return Some(Opening::Object { is_bare: *is_bare });
                }
                if !c.is_whitespace() {
                    self.text(c);
                }
            }
            State::Bracket { is_bare } => {
                if c == '{' {
                    return Some(Opening::Array);
                }
                if c == ']' && *is_bare {
                    self.state = State::EmptyList;
                } else if !c.is_whitespace() {
                    self.text(c);
                }
            }
            State::EmptyList => {
                self.has_empty_list |= c == '\n';
                if c == '\n' || !c.is_whitespace() {
                    self.text(c);
                }
            }
            State::Tag(name) => {
                if c == '>' && THINK_TAGS.contains(&name.as_str()) {
                    self.state = State::Thinking { tag: std::mem::take(name), close: None };
                } else if c.is_ascii_alphabetic() && name.len() < MAX_TAG {
                    name.push(c.to_ascii_lowercase());
                } else {
                    self.text(c);
                }
            }
            State::Thinking { tag, close } => match close {
                _ if c == '<' => *close = Some(String::new()),
                Some(name) if c == '>' => {
                    if name.strip_prefix('/') == Some(tag.as_str()) {
                        self.resume(true);
                    } else {
                        *close = None;
                    }
                }
                Some(name) if name.len() <= MAX_TAG => name.push(c.to_ascii_lowercase()),
                Some(_) => *close = None,
                None => {}
            },
        }
        None
    }

    fn text(&mut self, c: char) {
        self.state = match c {
            '{' => State::Brace { is_bare: self.at_line_start },
            '[' => State::Bracket { is_bare: self.at_line_start },
            '<' => State::Tag(String::new()),
            _ => State::Text,
        };
        if c == '\n' {
            self.at_line_start = true;
        } else if !c.is_whitespace() && !c.is_ascii_digit() && !matches!(c, ',' | '.' | ')' | '-' | '*' | '•') {
            self.at_line_start = false;
        }
    }
}
