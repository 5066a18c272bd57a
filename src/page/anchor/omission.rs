//! The search for a phrase that left out one word of the page and has everything else letter by letter.
//!
//! So much agreement tells the place even where the missing word is a number or a negation: what the phrase says is then
//! wrong, but where it stands is certain.

use super::{AnchorIndex, Cut, Phrase, Place};

/// Fewest words that tell a place without one of them.
const MIN_WORDS: usize = 6;
/// Longest word that may be missing, in bytes: what stands between two spaces, which without spaces is a sentence.
const MAX_WORD: usize = 200;

/// Finds `phrase` where one word between its first and its last is missing.
pub(super) fn find(index: &AnchorIndex, phrase: &Phrase, near: Option<u32>) -> Option<Place> {
    let text = phrase.text.as_str();
    let spaces = text.bytes().filter(|&byte| byte == b' ').count();
    if spaces + 1 < MIN_WORDS {
        return None;
    }
    // One half is whole, wherever the word is missing: it proposes the places.
    let (middle, _) = text.match_indices(' ').nth(spaces / 2)?;
    let begins = index.occurrences(&text[..=middle]).into_iter().filter_map(|start| {
        let end = start + skipped(&index.page.text[start..], text)?;
        Some(Place { start, end })
    });
    let ends = index.occurrences(&text[middle..]).into_iter().filter_map(|at| {
        let end = at + text.len() - middle;
        let start = end - skipped_before(&index.page.text[..end], text)?;
        Some(Place { start, end })
    });
    begins
        .chain(ends)
        .filter(|&place| index.cut(place) == Cut::None)
        .filter_map(|place| {
            let anchor = index.anchor(place)?;
            Some(((index.other_case(place, phrase), index.rank(place, anchor, near)), place))
        })
        .min_by_key(|&(rank, _)| rank)
        .map(|(_, place)| place)
}

/// How long the beginning of `page` is that is `phrase` with one word more.
fn skipped(page: &str, phrase: &str) -> Option<usize> {
    let same = page.bytes().zip(phrase.bytes()).take_while(|(a, b)| a == b).count();
    let from = phrase.as_bytes()[..same].iter().rposition(|&byte| byte == b' ')? + 1;
    let word = page.as_bytes()[from..].iter().take(MAX_WORD).position(|&byte| byte == b' ')? + 1;
    page[from + word..].starts_with(&phrase[from..]).then_some(phrase.len() + word)
}

/// How long the end of `page` is that is `phrase` with one word more.
fn skipped_before(page: &str, phrase: &str) -> Option<usize> {
    let same = page.bytes().rev().zip(phrase.bytes().rev()).take_while(|(a, b)| a == b).count();
    // From the last space of what is the same on: between it and the space before stands the word.
    let from_end = same - phrase.as_bytes()[phrase.len() - same..].iter().position(|&byte| byte == b' ')?;
    let before = &page.as_bytes()[..page.len() - from_end];
    let word = before.iter().rev().take(MAX_WORD).position(|&byte| byte == b' ')? + 1;
    let rest = &phrase[..phrase.len() - from_end];
    page[..before.len() - word].ends_with(rest).then_some(phrase.len() + word)
}
