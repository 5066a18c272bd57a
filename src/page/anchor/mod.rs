//! Where a quoted phrase stands in a page's text.
//!
//! Models quote with other quotes, dashes, spaces and now and then a slip. A phrase is searched in folded text first
//! (the same for all these spellings); what is not there is searched without one of its words in [`omission`], then word by
//! word in [`fuzzy`]. To mark other
//! words than the quoted ones is worse than to mark none: "not found" is an answer.

mod again;
mod folded;
mod folder;
mod fuzzy;
mod kind;
mod markup;
mod omission;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
mod words;

use std::cell::OnceCell;

use memchr::memmem::Finder;
use sidelight_stream::words::Words;

use self::folded::{FoldedText, Phrase};
use self::words::index_words;
use super::fold::Decompose;
use super::fold::is_unspaced;
use super::marks::is_combining_mark;
use crate::wire::{Anchor, Snapshot};

/// Shortest phrase that is searched, in characters after folding.
const MIN_PHRASE: usize = 4;
/// Shortest phrase in scripts without spaces, where one character says more.
const MIN_UNSPACED: usize = 2;
/// Longest phrase that is searched, in bytes: ten times what models are asked for.
const MAX_PHRASE: usize = 8_000;
/// Occurrences looked at to choose the best; a phrase more frequent than that tells no place.
const MAX_OCCURRENCES: usize = 4_096;
/// A phrase of fewer letters is not looked for inside words ("rate" does not stand in "corporate").
const MIN_INSIDE_WORD: usize = 12;
/// Without spaces nobody can see where a quotation may end: from this length on it may end inside a number.
const MIN_INSIDE_NUMBER: usize = 8;
/// Most bytes of folded text that "…" in a phrase may stand for.
const MAX_ELISION: usize = 200;
/// Least letters on each side of such a "…".
const MIN_ELIDED_PART: usize = 10;

/// A page's text, prepared for finding phrases.
///
/// Memory: the folded text once more, 12 bytes for each change of its offset map; the word index of the fuzzy search
/// (20 bytes a word) is made when a phrase first needs it.
pub struct AnchorIndex {
    page: FoldedText,
    words: OnceCell<Words>,
    decompose: Decompose,
}

/// A place in the folded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    start: usize,
    end: usize,
}

impl AnchorIndex {
    /// Folds the text of `snapshot`, once, in time linear in its length.
    pub fn new(snapshot: &Snapshot, decompose: Decompose) -> Self {
        Self { page: FoldedText::of_snapshot(snapshot, decompose), words: OnceCell::new(), decompose }
    }

    /// Finds every phrase, each near the one before, so that a phrase that comes twice is marked in two places.
    pub fn find_all<S: AsRef<str>>(&self, phrases: &[S]) -> Vec<Option<Anchor>> {
        let mut near = None;
        let found = |phrase: &S| {
            let anchor = self.find(phrase.as_ref(), near);
            near = anchor.map_or(near, |anchor| Some(anchor.end));
            anchor
        };
        phrases.iter().map(found).collect()
    }

    /// Finds the place of `phrase`. Of several, main content comes first, then what follows `near` (where the last
    /// highlight ended) most closely. `None` when the phrase is not on the page, too short or too long.
    pub fn find(&self, phrase: &str, near: Option<u32>) -> Option<Anchor> {
        if phrase.len() > MAX_PHRASE {
            return None;
        }
        self.find_quoted(phrase, near).or_else(|| self.find_quoted(&markup::without_markup(phrase)?, near))
    }

    /// Finds a phrase as it stands.
    fn find_quoted(&self, phrase: &str, near: Option<u32>) -> Option<Anchor> {
        let folded = Phrase::new(phrase, self.decompose);
        let least = if folded.text.chars().any(is_unspaced) { MIN_UNSPACED } else { MIN_PHRASE };
        if folded.text.chars().filter(|c| c.is_alphanumeric()).take(least).count() < least {
            return None;
        }
        let exact = self.exact(&folded, near);
        let place = exact
            .filter(|&place| self.cut(place) == Cut::None)
            .or_else(|| omission::find(self, &folded, near))
            .or(exact)
            .or_else(|| self.trimmed(&folded, near))
            .or_else(|| self.elided(&folded, near))
            .or_else(|| fuzzy::find(self, &folded, near))?;
        self.anchor(place)
    }

    /// The UTF-16 offsets of a place, unless it begins or ends inside a character.
    fn anchor(&self, place: Place) -> Option<Anchor> {
        Some(Anchor { start: self.page.source_start(place.start)?, end: self.page.source_end(place.end)? })
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| index_words(&self.page.text))
    }

    /// The phrase without punctuation at its end, else also without punctuation at its beginning.
    fn trimmed(&self, phrase: &Phrase, near: Option<u32>) -> Option<Place> {
        let (mut start, mut end) = (0, phrase.text.len());
        loop {
            let rest = &phrase.text[start..end];
            if let Some(mark) = rest.chars().next_back().filter(|&c| is_mark(c)) {
                end -= mark.len_utf8();
            } else {
                start += rest.chars().next().filter(|&c| is_mark(c))?.len_utf8();
            }
            if let Some(place) = self.exact(&phrase.part(start, end), near) {
                return Some(place);
            }
        }
    }

    fn exact(&self, phrase: &Phrase, near: Option<u32>) -> Option<Place> {
        let words = phrase.text.chars();
        let letters = words.clone().filter(|c| c.is_alphanumeric()).count();
        let unspaced = words.filter(|&c| is_unspaced(c)).count() >= MIN_UNSPACED;
        let may_cut = match letters {
            MIN_INSIDE_NUMBER.. if unspaced && !phrase.text.starts_with(|c| matches!(c, '1'..='9')) => Cut::Number,
            MIN_INSIDE_WORD.. => Cut::Word,
            _ if unspaced => Cut::Word,
            _ => Cut::None,
        };
        self.occurrences(&phrase.text)
            .into_iter()
            .map(|start| Place { start, end: start + phrase.text.len() })
            .filter_map(|place| {
                let anchor = self.anchor(place)?;
                let cut = self.cut(place);
                let other_case = !self.page.same_capitals(place.start..place.end, &phrase.capitals);
                (cut <= may_cut).then(|| ((cut, other_case, self.rank(place, anchor, near)), place))
            })
            .min_by_key(|&(rank, _)| rank)
            .map(|(_, place)| place)
    }

    /// Where `text` stands letter by letter, in order, none in another; the first [`MAX_OCCURRENCES`].
    fn occurrences(&self, text: &str) -> Vec<usize> {
        let page = self.page.text.as_bytes();
        // Once there is an index it is quicker than to look through the page.
        let Some(mut starts) = self.words.get().and_then(|words| words.proposals(text)) else {
            return Finder::new(text).find_iter(page).take(MAX_OCCURRENCES).collect();
        };
        let mut end = 0;
        starts.retain(|&start| {
            let is_one = start >= end && page[start..].starts_with(text.as_bytes());
            end = if is_one { start + text.len() } else { end };
            is_one
        });
        starts
    }

    /// What decides between places with the same words; the least is the best.
    fn rank(&self, place: Place, anchor: Anchor, near: Option<u32>) -> (bool, bool, u32) {
        let flags = self.page.flags_at(place.start);
        let near = near.unwrap_or(0);
        // Highlights come in reading order: what stands before counts as twice as far, and then some.
        let distance = if anchor.start >= near { anchor.start - near } else { (near - anchor.start).saturating_mul(4) };
        (flags & Snapshot::CODE != 0, flags & Snapshot::MAIN == 0, distance)
    }

    /// How the capitals of a place differ from those of a phrase with other words: at the beginning, then in number.
    fn other_case(&self, place: Place, phrase: &Phrase) -> (bool, usize) {
        let first = |text: &str| text.find(char::is_alphanumeric).unwrap_or(0);
        let begins = place.start + first(&self.page.text[place.start..place.end]);
        let theirs = self.page.capitals_in(begins..begins + 1) > 0;
        let ours = phrase.capitals.iter().any(|&at| at as usize == first(&phrase.text));
        (ours != theirs, self.page.capitals_in(place.start..place.end).abs_diff(phrase.capitals.len()))
    }

    /// What is cut in two at the ends of a place.
    fn cut(&self, place: Place) -> Cut {
        let ends = [place.start, place.end].map(|at| {
            let (before, after) = self.page.text.split_at(at);
            match (before.chars().rfind(|&c| !is_combining_mark(c)), after.chars().next()) {
                (Some(before), Some(after)) if before.is_numeric() && after.is_numeric() => Cut::Number,
                (Some(before), Some(after))
                    if [before, after].iter().all(|&c| c.is_alphanumeric() && !is_unspaced(c)) =>
                {
                    Cut::Word
                }
                _ => Cut::None,
            }
        });
        ends[0].max(ends[1])
    }

    /// "One part ... another part": both exactly there, in order, close by and in one block.
    fn elided(&self, phrase: &Phrase, near: Option<u32>) -> Option<Place> {
        let bare = phrase.text.trim_matches(is_mark);
        let mut parts = bare.split("...").map(|part| part.trim_matches(is_mark));
        let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count();
        if !bare.contains("...") || parts.clone().any(|part| letters(part) < MIN_ELIDED_PART) {
            return None;
        }
        let mut whole = self.exact(&Phrase::of_folded(parts.next()?), near)?;
        for part in parts {
            let mut window = (whole.end + MAX_ELISION + part.len()).min(self.page.text.len());
            while !self.page.text.is_char_boundary(window) {
                window -= 1;
            }
            let start = whole.end + self.page.text[whole.end..window].find(part)?;
            let place = Place { start, end: start + part.len() };
            if self.page.block_between(whole.end, start) || self.cut(place) != Cut::None {
                return None;
            }
            whole.end = place.end;
        }
        Some(whole)
    }
}

/// What a place cuts in two, the least harm first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cut {
    None,
    Word,
    /// "5 million" stands in "15 million", and says something else.
    Number,
}

/// Punctuation that may stand at the end of a quotation without being part of what is quoted.
fn is_mark(c: char) -> bool {
    matches!(c, ' ' | '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | '(' | ')' | '[' | ']' | '-' | '*' | '_')
        || matches!(c, '。' | '、' | '，' | '！' | '？' | '：' | '；' | '؟' | '،' | '؛' | '।')
}
