//! The way out of what can't be repaired: the start of the next object, or the next key of the document.

use super::draft::Key;
use super::string::is_quote;

/// Longest key worth collecting, in bytes.
const MAX_KEY: usize = 24;

/// A known key with its colon, after the brace or comma that makes it one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WayOut {
    /// The key; its value comes next.
    pub(super) key: Key,
    /// Whether a brace stands before it, not a comma.
    pub(super) opens_object: bool,
    /// Whether what stands before looks like the end of an object or array, or the object starts a line. Inside a
    /// string only that counts: a text may well quote a bit of JSON.
    pub(super) is_certain: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    /// After `}`, `]` or `[`.
    Bracket,
    /// After `{` or `,`.
    Start { opens_object: bool, is_certain: bool },
    /// In a key.
    Key { opens_object: bool, is_certain: bool },
    /// After a key.
    Colon { opens_object: bool, is_certain: bool },
}

/// Watches the raw characters for a [`WayOut`].
#[derive(Debug, Default)]
pub(super) struct Resync {
    state: State,
    key: String,
    at_line_start: bool,
}

impl Resync {
    /// Forgets what it saw.
    pub(super) fn reset(&mut self) {
        self.state = State::Idle;
        self.at_line_start = false;
    }

    /// An object went by that could have been no way out; its last character was the brace.
    pub(super) fn pass_object(&mut self) {
        self.state = State::Bracket;
        self.at_line_start = false;
    }

    /// Whether nothing has begun, and characters that begin nothing change nothing.
    pub(super) fn is_idle(&self) -> bool {
        matches!(self.state, State::Idle) && !self.at_line_start
    }

    /// Takes one character, the colon of a way out being its last.
    pub(super) fn step(&mut self, c: char) -> Option<WayOut> {
        let at_line_start = self.at_line_start;
        self.at_line_start = c == '\n' || (at_line_start && c.is_whitespace());
        self.state = match std::mem::take(&mut self.state) {
            State::Key { opens_object, is_certain } if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ') => {
                if self.key.len() == MAX_KEY {
                    State::Idle
                } else {
                    self.key.push(c);
                    State::Key { opens_object, is_certain }
                }
            }
            State::Key { opens_object, is_certain } if is_quote(c) => State::Colon { opens_object, is_certain },
            State::Colon { opens_object, is_certain } if c == ':' => {
                let key = Key::parse(&self.key);
                let is_known = if opens_object { key != Key::Other } else { key.is_of_document() };
                return is_known.then_some(WayOut { key, opens_object, is_certain });
            }
            State::Start { opens_object, is_certain } if is_quote(c) => {
                self.key.clear();
                State::Key { opens_object, is_certain }
            }
            State::Key { .. } if c.is_whitespace() => State::Idle,
            state @ (State::Idle | State::Bracket | State::Start { .. } | State::Colon { .. }) if c.is_whitespace() => {
                state
            }
            state @ (State::Idle | State::Bracket | State::Start { .. } | State::Key { .. } | State::Colon { .. }) => {
                after(&state, c, at_line_start)
            }
        };
        None
    }
}

/// The state after punctuation, or after anything else.
fn after(state: &State, c: char, at_line_start: bool) -> State {
    if matches!(c, '}' | ']' | '[') {
        return State::Bracket;
    }
    if !matches!(c, '{' | ',') {
        return State::Idle;
    }
    let follows = matches!(state, State::Bracket | State::Start { is_certain: true, .. });
    let opens_object = c == '{';
    State::Start { opens_object, is_certain: follows || (opens_object && at_line_start) }
}
