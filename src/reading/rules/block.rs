//! One block of text as words: where they stand, how they look, and what separates them.
//!
//! The reader looks at words and at the marks between them, never at single characters again.

use std::ops::Range;

/// What stands between a word and the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// White space.
    None,
    /// A quotation mark.
    Quote,
    /// A comma, colon, semicolon, dash or bracket: the clause ends.
    Clause,
    /// The sentence ends.
    Sentence,
    /// The sentence ends and is a question.
    Question,
}

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// In lower case.
    Plain,
    /// With a capital at its start.
    Capital,
    /// In capitals, two or more.
    Acronym,
    /// With a digit at its start, a currency sign aside.
    Number,
}

impl Shape {
    fn of(word: &str) -> Self {
        let mut letters = word.chars().filter(|c| c.is_alphabetic());
        if word.trim_start_matches(is_currency).starts_with(|c: char| c.is_ascii_digit()) {
            Self::Number
        } else if letters.clone().count() > 1 && letters.all(char::is_uppercase) {
            Self::Acronym
        } else if word.starts_with(char::is_uppercase) {
            Self::Capital
        } else {
            Self::Plain
        }
    }

    /// Whether it starts with a capital.
    pub(super) fn is_capital(self) -> bool {
        matches!(self, Self::Capital | Self::Acronym)
    }
}

/// A word of a block.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Bytes of the block.
    pub(super) at: Range<usize>,
    /// Bytes of [`Block::folded`]: the word in lower case with straight apostrophes.
    folded: Range<usize>,
    /// How it looks.
    pub(super) shape: Shape,
    /// Stands inside quotation marks.
    pub(super) quoted: bool,
    /// The first word after an opening quotation mark.
    pub(super) opens: bool,
    /// The last word before a closing quotation mark.
    pub(super) closes: bool,
    /// What comes after it.
    pub(super) stop: Stop,
}

/// One block, cut into words. Reused from block to block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The words, in order.
    pub(super) words: Vec<Word>,
    folded: String,
}

impl Block {
    /// Cuts `text` (one line) into words. `abbreviations` are words whose full stop ends no sentence; sorted.
    pub(super) fn read(&mut self, text: &str, abbreviations: &[&str]) {
        self.words.clear();
        self.folded.clear();
        // The closing mark that ends the quotation we are in.
        let mut quote: Option<char> = None;
        let mut opens = false;
        let mut previous = ' ';
        let mut chars = text.char_indices().peekable();
        while let Some((start, c)) = chars.next() {
            let next = chars.peek().map_or(' ', |&(_, next)| next);
            if c.is_alphanumeric() || (is_currency(c) && next.is_ascii_digit()) {
                let mut end = start + c.len_utf8();
                let mut last = c;
                while let Some(&(at, c)) = chars.peek() {
                    if !(c.is_alphanumeric() || c == '%' && last.is_ascii_digit() || joins(last, c, &text[at..])) {
                        break;
                    }
                    end = at + c.len_utf8();
                    last = c;
                    chars.next();
                }
                self.push(&text[start..end], start, quote.is_some(), opens);
                opens = false;
                previous = last;
                continue;
            }
            let (closes, quoting) = (quote == Some(c), quote.is_some());
            match c {
                '“' | '„' | '«' => (quote, opens) = (Some(closing(c)), true),
                '‘' if quote.is_none() => (quote, opens) = (Some('’'), true),
                '"' if quote.is_none() && (previous.is_whitespace() || "([—–-".contains(previous)) => {
                    (quote, opens) = (Some('"'), true);
                }
                _ if closes => {
                    quote = None;
                    if let Some(word) = self.words.last_mut() {
                        word.closes = !opens;
                    }
                }
                _ => {}
            }
            let stop = match c {
                _ if quoting != quote.is_some() => Stop::Quote,
                '?' => Stop::Question,
                '.' if self.abbreviated(abbreviations, text, start) => Stop::None,
                '.' | '!' | '…' => Stop::Sentence,
                '-' if !(previous.is_whitespace() && next.is_whitespace()) => Stop::None,
                _ if c.is_whitespace() || matches!(c, '\'' | '’' | '&') => Stop::None,
                _ => Stop::Clause,
            };
            if stop > Stop::Clause && !sentence_follows(&text[start + c.len_utf8()..]) {
                self.stop(Stop::Clause);
            } else {
                self.stop(stop);
            }
            previous = c;
        }
        if let Some(last) = self.words.last_mut() {
            last.stop = last.stop.max(Stop::Sentence);
        }
    }

    /// The word in lower case, with straight apostrophes.
    pub(super) fn folded(&self, word: &Word) -> &str {
        &self.folded[word.folded.clone()]
    }

    fn push(&mut self, word: &str, start: usize, quoted: bool, opens: bool) {
        let from = self.folded.len();
        let fold = |c: char| if c == '’' { '\'' } else { c };
        self.folded.extend(word.chars().map(fold).flat_map(char::to_lowercase));
        self.words.push(Word {
            at: start..start + word.len(),
            folded: from..self.folded.len(),
            shape: Shape::of(word),
            quoted,
            opens,
            closes: false,
            stop: Stop::None,
        });
    }

    fn stop(&mut self, stop: Stop) {
        if let Some(last) = self.words.last_mut() {
            last.stop = last.stop.max(stop);
        }
    }

    /// Whether the full stop at `at` belongs to the word before it: an abbreviation or an initial.
    fn abbreviated(&self, abbreviations: &[&str], text: &str, at: usize) -> bool {
        self.words.last().filter(|word| word.at.end == at).is_some_and(|word| {
            let initial = word.shape.is_capital() && text[word.at.clone()].chars().count() == 1;
            initial || abbreviations.binary_search(&self.folded(word)).is_ok()
        })
    }
}

/// Whether `c`, with the text from it on in `rest`, joins two parts of one word: `don't`, `so-called`, `1,000`, `e.g`.
fn joins(last: char, c: char, rest: &str) -> bool {
    let next = rest.chars().nth(1).unwrap_or(' ');
    match c {
        '\'' | '’' | '-' | '\u{2011}' => next.is_alphanumeric(),
        '.' => next.is_ascii_digit() || (next.is_alphabetic() && !(last.is_lowercase() && next.is_uppercase())),
        ',' => last.is_ascii_digit() && next.is_ascii_digit(),
        _ => false,
    }
}

/// Whether a new sentence may start in `rest`, the text after a full stop: past closing marks and footnote numbers, a
/// space and no lower-case letter, or no space (text whose line breaks were lost) and a capital.
fn sentence_follows(rest: &str) -> bool {
    // A dozen characters decide; more would make a row of full stops quadratic.
    let mut space = false;
    for c in rest.chars().take(12) {
        if c.is_whitespace() {
            space = true;
        } else if space {
            return !c.is_lowercase();
        } else if !("\"'”’»)].?!…[".contains(c) || c.is_ascii_digit()) {
            return c.is_uppercase() || "“‘(".contains(c);
        }
    }
    true
}

fn closing(opening: char) -> char {
    match opening {
        '«' => '»',
        _ => '”',
    }
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '£' | '€' | '¥')
}
