//! Which words to mark around those that gave the reason: the smallest stretch that reads by itself.

use std::ops::Range;

use super::block::{Stop, Word};
use super::lexicon::{Lexicon, Sentence};

/// Fewest and most characters of a phrase, as on the wire.
const CHARS: std::ops::RangeInclusive<usize> = 8..=180;

/// A clause of so many words is marked whole; a longer one is cut.
const WHOLE: usize = 12;
/// A cut phrase has at least so many words where its clause goes on.
const LEAST: usize = 4;
/// A claim with its source has at most so many words.
const CLAIM: usize = 24;
/// A cut claim has at least so many words where the sentence goes on.
const CLAIM_LEAST: usize = 15;
/// A cut phrase still starts with its clause if that is so few words away.
const NEAR: usize = 4;

/// Words of a sentence: the first and the last.
pub(super) type Span = (usize, usize);

/// Bytes of the block in `text` to mark for the words `trigger`: their clause, or the part of it that reads by itself.
/// `None` when no phrase of an acceptable length holds them.
pub(super) fn wording(lexicon: &Lexicon, text: &str, sentence: &Sentence<'_>, trigger: Span) -> Option<Range<usize>> {
    let words = sentence.words;
    let (mut from, mut to) = clause(words, trigger, WHOLE);
    if to - from >= WHOLE {
        from = cut_left(lexicon, sentence, trigger.0, from);
        to = cut_right(lexicon, sentence, trigger.1, to, from + LEAST);
    }
    if from + LEAST <= to && from < trigger.0 && lexicon.is_conjunction(sentence.folded(from)) {
        from += 1;
    }
    // "no such thing as" needs the term in quotation marks behind it.
    if lexicon.is_joint(sentence.folded(to)) && words[to].stop == Stop::Quote {
        let term = words[to + 1..].iter().take(LEAST).position(|word| word.closes);
        to = term.map_or(to, |at| to + 1 + at);
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
    bounded(text, words, (from, to), trigger.1)
}

/// Bytes of the block in `text` to mark for a claim whose source is named by the words `trigger`: as many clauses
/// around them as a reader takes in at once, those before first.
pub(super) fn claim(lexicon: &Lexicon, text: &str, sentence: &Sentence<'_>, trigger: Span) -> Option<Range<usize>> {
    let words = sentence.words;
    let (mut from, mut to) = clause(words, trigger, CLAIM);
    if to - from >= CLAIM {
        to = cut_right(lexicon, sentence, trigger.1, to, from + CLAIM_LEAST);
    }
    loop {
        let length = to - from + 1;
        let before = from.checked_sub(1).map(|at| clause(words, (at, at), CLAIM).0);
        let after = (to + 1 < words.len()).then(|| clause(words, (to + 1, to + 1), CLAIM).1);
        match (before, after) {
            // What is quoted after the words that announce it is the claim.
            (_, Some(end)) if words[to + 1].quoted && end - from < CLAIM => to = end,
            (Some(start), _) if to - start < CLAIM => from = start,
            (_, Some(end)) if end - from < CLAIM => to = end,
            (_, Some(end)) if length < CLAIM_LEAST => {
                to = cut_right(lexicon, sentence, to + 1, end, from + CLAIM_LEAST);
                break;
            }
            (Some(start), None) if length <= LEAST => {
                from = (start..from)
                    .rev()
                    .find(|&at| to - at >= WHOLE && lexicon.is_joint(sentence.folded(at)))
                    .map_or(from, |at| at + 1);
                break;
            }
            _ => break,
        }
    }
    // A quotation that has only just begun says nothing yet.
    if to > trigger.1 && words[to].opens && !words[to].closes {
        to -= 1;
    }
    bounded(text, words, (from, to), trigger.1.min(to))
}

/// The clause around `span`, at most `most` words to either side.
fn clause(words: &[Word], (first, last): Span, most: usize) -> Span {
    let quoting = words[first..=last].iter().any(|word| word.opens);
    let goes_on = |word: &Word| word.stop == Stop::None || (word.stop == Stop::Quote && quoting && word.closes);
    let from = (first.saturating_sub(most)..first).rev().take_while(|&at| goes_on(&words[at])).last();
    let to = (last + 1..words.len().min(last + 1 + most)).take_while(|&at| goes_on(&words[at - 1])).last();
    (from.unwrap_or(first), to.unwrap_or(last))
}

/// Where a phrase starts that must hold word `first` of a clause that starts at `from`: with the clause if that is
/// near, else behind the nearest joint.
fn cut_left(lexicon: &Lexicon, sentence: &Sentence<'_>, first: usize, from: usize) -> usize {
    if first - from <= NEAR {
        return from;
    }
    let joint = (first - NEAR - 1..first).rev().find(|&at| lexicon.is_joint(sentence.folded(at)));
    joint.map_or(first, |at| at + 1)
}

/// Where a phrase ends that must hold word `last` of a clause that ends at `to`: before the first joint from word
/// `enough` on.
fn cut_right(lexicon: &Lexicon, sentence: &Sentence<'_>, last: usize, to: usize, enough: usize) -> usize {
    let most = to.min(last.max(enough) + WHOLE);
    (last..most).find(|&at| at + 1 >= enough && lexicon.is_joint(sentence.folded(at + 1))).unwrap_or(most)
}

/// The bytes of words `from..=to`, with fewer words after `last` if they are too many characters, and with the
/// quotation marks around them if both are there.
fn bounded(text: &str, words: &[Word], (from, to): Span, last: usize) -> Option<Range<usize>> {
    let fits =
        |range: &Range<usize>| range.len() <= CHARS.end() * 4 && CHARS.contains(&text[range.clone()].chars().count());
    (last.min(to)..=to).rev().map(|to| with_quotes(text, words, (from, to))).find(fits)
}

/// The bytes of words `from..=to`, with the quotation mark before or after them whose partner they hold.
pub(super) fn with_quotes(text: &str, words: &[Word], (from, to): Span) -> Range<usize> {
    let (mut start, mut end) = (words[from].at.start, words[to].at.end);
    let within = &words[from..=to];
    if words[from].opens && within.iter().any(|word| word.closes) {
        start = text[..start].char_indices().next_back().map_or(start, |(at, _)| at);
    }
    if words[to].closes && within.iter().any(|word| word.opens) {
        // The full stop or comma may stand before the mark.
        let marks = text[end..].chars().take_while(|c| !c.is_whitespace()).take(3);
        let mut length = 0;
        for c in marks {
            length += c.len_utf8();
            if "\"”’»".contains(c) {
                end += length;
                break;
            }
        }
    }
    start..end
}
