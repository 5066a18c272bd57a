//! Which words to mark around those that gave the reason: the smallest stretch that reads by itself.

use std::ops::Range;

use super::lexicon::{Lexicon, Sentence};
use super::words::{Stop, Word};

/// Fewest and most characters of a phrase, as on the wire.
const CHARS: std::ops::RangeInclusive<usize> = 8..=180;

/// How far a phrase may reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// A clause of so many words is taken whole; a longer one is cut.
    words: usize,
    /// A cut phrase has at least so many words where its clause goes on.
    least: usize,
    /// It may go on behind a comma.
    over: bool,
}

/// For wording: the clause.
pub(super) const WORDING: Reach = Reach { words: 12, least: 5, over: false };
/// For a claim with its source: both.
pub(super) const CLAIM: Reach = Reach { words: 22, least: 12, over: true };

/// Bytes of the block in `text` to mark for the words `first..=last` of a sentence; `None` when no phrase of an
/// acceptable length holds them.
pub(super) fn phrase(
    lexicon: &Lexicon,
    text: &str,
    sentence: &Sentence<'_>,
    (first, last): (usize, usize),
    reach: Reach,
) -> Option<Range<usize>> {
    let words = sentence.words;
    let quoting = words[first..=last].iter().any(|word| word.opens);
    let goes_on = |word: &Word| match word.stop {
        Stop::None => true,
        Stop::Quote => reach.over || (quoting && word.closes),
        Stop::Clause => reach.over,
        Stop::Sentence | Stop::Question => false,
    };
    // Both walks are bounded: a clause that goes on for longer is cut anyway.
    let left = (first.saturating_sub(reach.words)..first).rev().take_while(|&at| goes_on(&words[at])).last();
    let right = (last..words.len().min(last + reach.words)).take_while(|&at| at == last || goes_on(&words[at - 1])).last();
    let (left, right) = (left.unwrap_or(first), right.unwrap_or(last));

    let (mut from, mut to) = (left, right);
    if right - left >= reach.words {
        from = (left..first).rev().find(|&at| lexicon.is_joint(sentence.folded(at))).map_or(left, |at| at + 1);
        if first - from > 4 {
            from = first;
        }
        let most = right.min(last.max(from + reach.words - 1));
        let cut = |at: usize| words[at].stop != Stop::None || words.get(at + 1).is_none() || lexicon.is_joint(sentence.folded(at + 1));
        let least = last.max(from + reach.least - 1).min(most);
        to = (least..=most).find(|&at| cut(at)).unwrap_or(most);
    }
    while to - from < 2 || words[to].at.end - words[from].at.start < *CHARS.start() {
        if to + 1 < words.len() {
            to += 1;
        } else if from > 0 {
            from -= 1;
        } else {
            break;
        }
    }
    bounded(text, words, from, to, last)
}

/// The bytes of words `from..=to`, with fewer words after `last` if they are too many characters, and with the
/// quotation marks around them if both are there.
fn bounded(text: &str, words: &[Word], from: usize, to: usize, last: usize) -> Option<Range<usize>> {
    let fits = |range: &Range<usize>| {
        range.len() <= CHARS.end() * 4 && CHARS.contains(&text[range.clone()].chars().count())
    };
    (last.min(to)..=to).rev().map(|to| with_quotes(text, words, from, to)).find(fits)
}

fn with_quotes(text: &str, words: &[Word], from: usize, to: usize) -> Range<usize> {
    let (mut start, mut end) = (words[from].at.start, words[to].at.end);
    let within = &words[from..=to];
    if words[from].opens && within.iter().any(|word| word.closes) {
        start = text[..start].char_indices().next_back().map_or(start, |(at, _)| at);
    }
    if words[to].closes && within.iter().any(|word| word.opens) {
        end += text[end..].chars().next().map_or(0, char::len_utf8);
    }
    start..end
}
