//! Highlights out of a half-arrived answer.
//!
//! [`Scanner`] takes the text of an answer in pieces of any size and yields each highlight the moment its closing
//! brace is there. It looks at every character once (a few are looked at twice to find where a string with stray
//! quotes ends) and holds no more than the object in progress.
//!
//! What is well-formed, as nearly all of it is, [`FlatObject`] takes an object at a time. What it leaves is for the
//! machine that repairs, of four parts, one file each:
//!
//! - `prose` finds where JSON starts among other text, fences and think blocks
//! - `string` decodes strings and decides which quote really ends one
//! - `tree` (of `frame`s) knows the open containers and what a key means where it stands
//! - `resync` recognises the next object or key after something that can't be repaired
//!
//! A highlight is taken from the array under `highlights`, at any depth of objects, or from an object there that names
//! its highlights or groups them by category. An answer without one may also be an array of highlights, or highlights
//! line by line or as items of a list. An object in the middle of a line of prose is an example, not an answer, and is
//! not taken.

mod buffered;
mod draft;
mod frame;
mod prose;
mod resync;
mod string;
mod tree;

pub use buffered::extract_complete_highlights;
pub use draft::{Dropped, Limits};

use sidelight_stream::object::{FlatObject, Progress};

use crate::wire::{CategorySummaries, Highlight};
use draft::FIELDS;
use prose::Prose;
use resync::Resync;
use string::StringLexer;
use tree::{Lost, Token, Tree};

/// Most bytes the text of one object may take; a larger object is dropped as [`Dropped::oversize`].
pub const MAX_OBJECT_BYTES: usize = 16 * 1024;

/// Something the answer brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A valid highlight, never `verified`.
    Highlight(Highlight),
    /// What the page says, in two sentences.
    Summary(String),
    /// One sentence for each category that occurs.
    CategorySummaries(CategorySummaries),
}

/// What a whole answer came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScanReport {
    /// Highlights yielded.
    pub found: u32,
    /// Highlights not yielded, by reason.
    pub dropped: Dropped,
    /// Whether the answer ended inside an open object or array.
    pub truncated: bool,
    /// Whether the answer had the form asked for, `highlights` or `[]`, be they empty, or a summary.
    pub is_document: bool,
}

/// What the next character is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Text around the JSON.
    Prose,
    /// Between the strings of a JSON value.
    Structure,
    /// A string.
    String,
    /// Something beyond repair; [`Resync`] looks for the way out.
    Lost,
}

/// Most bytes of an object that is taken at once. Less than [`MAX_OBJECT_BYTES`] by what a category may take that the
/// object does not name itself.
const MAX_FLAT_BYTES: usize = MAX_OBJECT_BYTES - 64;

/// Longest number, keyword or unquoted key that is looked at, in bytes; the rest of a longer one is ignored.
const MAX_ATOM: usize = 32;

/// The resumable extractor. The result does not depend on how the text is cut into pieces.
#[derive(Debug)]
pub struct Scanner {
    mode: Mode,
    prose: Prose,
    string: StringLexer,
    /// A number, keyword or unquoted key in progress.
    atom: String,
    tree: Tree,
    resync: Resync,
    /// A highlight in progress that is well-formed so far. The rest stands where it began.
    object: FlatObject,
    #[cfg(test)]
    #[cfg(not(target_arch = "wasm32"))]
    steps: usize,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// A scanner for one answer, with the limits the prompt names.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// A scanner with limits of its own.
    pub fn with_limits(limits: Limits) -> Self {
        Self {
            mode: Mode::Prose,
            prose: Prose::default(),
            string: StringLexer::default(),
            atom: String::new(),
            tree: Tree::new(limits),
            resync: Resync::default(),
            object: FlatObject::new(&FIELDS, MAX_FLAT_BYTES),
            #[cfg(test)]
            #[cfg(not(target_arch = "wasm32"))]
            steps: 0,
        }
    }

    /// Takes the next piece of the answer and appends what it completes to `out`.
    pub fn push(&mut self, text: &str, out: &mut Vec<Found>) {
        let mut rest = text;
        while let Some(&first) = rest.as_bytes().first() {
            let taken = if self.object.is_open() {
                self.push_object(rest, out)
            } else if first == b'{' && self.is_before_highlight() {
                self.object.begin();
                1
            } else {
                self.push_repairing(rest, out)
            };
            rest = &rest[taken..];
        }
    }

    /// Whether a brace now opens a highlight, and nothing of it is known yet.
    fn is_before_highlight(&self) -> bool {
        self.mode == Mode::Structure && self.atom.is_empty() && self.tree.is_in_list()
    }

    /// Takes what belongs to the object in progress, and answers how many bytes that was.
    fn push_object(&mut self, text: &str, out: &mut Vec<Found>) -> usize {
        match self.object.push(text) {
            Progress::Open => text.len(),
            Progress::Whole(taken) => {
                self.tree.take_object(&self.object, out);
                self.resync.pass_object();
                taken
            }
            Progress::Not(taken) => {
                self.repair_object(out);
                taken
            }
        }
    }

    /// Reads the object in progress again, the way that repairs.
    fn repair_object(&mut self, out: &mut Vec<Found>) {
        let written = self.object.give_up();
        let mut rest = written.as_str();
        while !rest.is_empty() {
            rest = &rest[self.push_repairing(rest, out)..];
        }
    }

    /// Takes one character, or several that are nothing but content, and answers how many bytes that was.
    fn push_repairing(&mut self, text: &str, out: &mut Vec<Found>) -> usize {
        if self.mode == Mode::String && self.resync.is_idle() {
            let taken = self.string.take_plain(text);
            if taken > 0 {
                #[cfg(test)]
                #[cfg(not(target_arch = "wasm32"))]
                {
                    self.steps += taken;
                }
                return taken;
            }
        }
        let Some(c) = text.chars().next() else { return 0 };
        self.push_char(c, out);
        c.len_utf8()
    }

    /// Ends the answer: takes what a cut object already has, if phrase and category are whole, and reports.
    pub fn finish(&mut self, out: &mut Vec<Found>) -> ScanReport {
        if self.object.is_open() {
            self.repair_object(out);
        }
        if self.mode == Mode::String {
            let may_be_closed = self.string.may_be_closed();
            let (text, overflow) = self.string.take_text(may_be_closed);
            if may_be_closed {
                self.token(Token::String { text, overflow }, out);
            } else {
                self.tree.cut_string(text);
            }
        }
        self.mode = Mode::Prose;
        let mut report = self.tree.finish(out);
        report.is_document |= self.prose.has_empty_list();
        report
    }

    /// Characters looked at, those looked at again included.
    #[cfg(test)]
    #[cfg(not(target_arch = "wasm32"))]
    fn total_steps(&self) -> usize {
        self.steps + self.string.steps
    }

    fn push_char(&mut self, c: char, out: &mut Vec<Found>) {
        self.step(c, out);
        if self.mode == Mode::Prose {
            self.resync.reset();
            return;
        }
        let Some(way_out) = self.resync.step(c) else { return };
        let take = match self.mode {
            // The string swallowed the start of the next object: its closing quote is missing.
            Mode::String => way_out.is_certain,
            Mode::Lost => true,
            Mode::Structure | Mode::Prose => false,
        };
        if take {
            self.tree.resume(way_out, out);
            self.atom.clear();
            self.mode = Mode::Structure;
        }
    }

    fn step(&mut self, c: char, out: &mut Vec<Found>) {
        #[cfg(test)]
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.steps += 1;
        }
        match self.mode {
            Mode::Prose => {
                if let Some(opening) = self.prose.step(c) {
                    self.tree.open_root(opening);
                    self.mode = Mode::Structure;
                    self.structure(c, out);
                }
            }
            Mode::Structure => self.structure(c, out),
            Mode::String => {
                if self.string.step(c) {
                    let (text, overflow) = self.string.take_text(true);
                    let ahead = self.string.take_ahead();
                    self.mode = Mode::Structure;
                    self.token(Token::String { text, overflow }, out);
                    for c in ahead.chars() {
                        self.step(c, out);
                    }
                }
            }
            Mode::Lost => {}
        }
    }

    fn structure(&mut self, c: char, out: &mut Vec<Found>) {
        let punctuation = match c {
            '{' => Some(Token::OpenObject),
            '}' => Some(Token::CloseObject),
            '[' => Some(Token::OpenArray),
            ']' => Some(Token::CloseArray),
            ':' => Some(Token::Colon),
            ',' => Some(Token::Comma),
            _ => None,
        };
        let is_quote = string::is_quote(c);
        if punctuation.is_none() && !is_quote && !c.is_whitespace() {
            if self.atom.len() < MAX_ATOM {
                self.atom.push(c);
            }
            return;
        }
        if !self.atom.is_empty() {
            let atom = std::mem::take(&mut self.atom);
            self.token(Token::Atom(&atom), out);
            if self.mode != Mode::Structure {
                return self.step(c, out);
            }
        }
        if let Some(token) = punctuation {
            self.token(token, out);
        } else if is_quote {
            self.string.start(c, self.tree.string_role());
            self.mode = Mode::String;
        }
    }

    fn token(&mut self, token: Token<'_>, out: &mut Vec<Found>) {
        match self.tree.take(token, out) {
            Ok(()) if self.tree.is_closed() => {
                self.prose.resume(self.tree.root_is_bare());
                self.mode = Mode::Prose;
            }
            Ok(()) => {}
            Err(Lost) if self.tree.lose() => self.mode = Mode::Lost,
            Err(Lost) => {
                self.prose.resume(false);
                self.mode = Mode::Prose;
            }
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
