//! Where a quoted phrase stands in a page's text.
//!
//! Models quote with other quotes, dashes, spaces and now and then a slip. A phrase is searched in folded text first
//! (the same for all these spellings); only what is not there is searched by its words, in [`fuzzy`]. To mark other
//! words than the quoted ones is worse than to mark none: "not found" is an answer.

mod folded;
mod fuzzy;
mod words;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use memchr::memmem::Finder;

use self::folded::FoldedText;
use self::words::Words;
use super::fold::is_unspaced;
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
/// Most bytes of folded text that "…" in a phrase may stand for.
const MAX_ELISION: usize = 200;
/// Least letters on each side of such a "…".
const MIN_ELIDED_PART: usize = 10;

/// A page's text, prepared for finding phrases.
///
/// Memory: the folded text once more, 12 bytes for each change of its offset map; the word index of the fuzzy search
/// (24 bytes a word) is made when a phrase first needs it.
pub struct AnchorIndex {
    page: FoldedText,
    words: OnceCell<Words>,
}

/// A place in the folded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    start: usize,
    end: usize,
}

impl AnchorIndex {
    /// Folds the text of `snapshot`, once, in time linear in its length.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self { page: FoldedText::of_snapshot(snapshot), words: OnceCell::new() }
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
        let folded = FoldedText::of_phrase(phrase);
        let least = if folded.chars().any(is_unspaced) { MIN_UNSPACED } else { MIN_PHRASE };
        if folded.chars().filter(|c| c.is_alphanumeric()).take(least).count() < least {
            return None;
        }
        let without_stop = folded.trim_end_matches(is_mark);
        let bare = without_stop.trim_start_matches(is_mark);
        let place = self
            .exact(&folded, near)
            .or_else(|| if without_stop == folded { None } else { self.exact(without_stop, near) })
            .or_else(|| if bare == without_stop { None } else { self.exact(bare, near) })
            .or_else(|| self.elided(bare, near))
            .or_else(|| fuzzy::find(self, &folded, near))?;
        self.anchor(place)
    }

    fn anchor(&self, place: Place) -> Option<Anchor> {
        Some(Anchor { start: self.page.source_start(place.start)?, end: self.page.source_end(place.end)? })
    }

    fn words(&self) -> &Words {
        self.words.get_or_init(|| Words::new(&self.page.text))
    }

    fn exact(&self, phrase: &str, near: Option<u32>) -> Option<Place> {
        let inside_words = phrase.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_INSIDE_WORD;
        let finder = Finder::new(phrase);
        let places = finder.find_iter(self.page.text.as_bytes()).take(MAX_OCCURRENCES);
        places
            .map(|start| Place { start, end: start + phrase.len() })
            .filter_map(|place| {
                let anchor = self.anchor(place)?;
                let cuts_word = self.cuts_word(place);
                (inside_words || !cuts_word).then(|| ((cuts_word, self.rank(place, anchor, near)), place))
            })
            .min_by_key(|&(rank, _)| rank)
            .map(|(_, place)| place)
    }

    /// What decides between places with the same words; the least is the best.
    fn rank(&self, place: Place, anchor: Anchor, near: Option<u32>) -> (bool, bool, u32) {
        let flags = self.page.flags_at(place.start);
        let near = near.unwrap_or(0);
        // Highlights come in reading order: what stands before counts as twice as far, and then some.
        let distance = if anchor.start >= near { anchor.start - near } else { (near - anchor.start).saturating_mul(4) };
        (flags & Snapshot::CODE != 0, flags & Snapshot::MAIN == 0, distance)
    }

    fn cuts_word(&self, place: Place) -> bool {
        let text = &self.page.text;
        let joined = |before: Option<char>, after: Option<char>| {
            let letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c));
            letter(before) && letter(after)
        };
        joined(text[..place.start].chars().next_back(), text[place.start..].chars().next())
            || joined(text[..place.end].chars().next_back(), text[place.end..].chars().next())
    }

    /// "One part ... another part": both exactly there, in order, close by and in one block.
    fn elided(&self, phrase: &str, near: Option<u32>) -> Option<Place> {
        let mut parts = phrase.split("...").map(|part| part.trim_matches(|c: char| c == ' ' || is_mark(c)));
        let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count();
        if !phrase.contains("...") || parts.clone().any(|part| letters(part) < MIN_ELIDED_PART) {
            return None;
        }
        let mut whole = self.exact(parts.next()?, near)?;
        for part in parts {
            let mut window = (whole.end + MAX_ELISION + part.len()).min(self.page.text.len());
            while !self.page.text.is_char_boundary(window) {
                window -= 1;
            }
            let start = whole.end + self.page.text[whole.end..window].find(part)?;
            let place = Place { start, end: start + part.len() };
            if self.page.block_between(whole.end, start) || self.cuts_word(place) {
                return None;
            }
            whole.end = place.end;
        }
        Some(whole)
    }
}

/// Punctuation that may stand at the end of a quotation without being part of what is quoted.
fn is_mark(c: char) -> bool {
    matches!(c, ' ' | '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | '(' | ')' | '[' | ']' | '-' | '*' | '_')
        || matches!(c, '。' | '、' | '，' | '！' | '？' | '：' | '；' | '؟' | '،' | '؛' | '।')
}
