//! The search for a phrase that is not on the page letter by letter: by its words.
//!
//! Rare words of the phrase propose places, an alignment of words decides. Words may be misspelt, left out or added
//! within a budget; a different word is never a misspelling of another. A number or a negation is never added or left
//! out here, and misspelt only by swapped letters, with nothing else that differs.

use super::super::fold::is_unspaced;
use super::super::marks::is_combining_mark;
use super::words::{Kind, Word, Words, split_words};
use super::{AnchorIndex, Phrase, Place};
use crate::sort::sort_by_key;

/// A word misspelt, left out or added; the budget is counted in these.
const SLIP: u16 = 2;
/// The same word without its accents.
const ACCENT: u16 = 1;
const NEVER: u16 = u16::MAX / 2;
/// Most slips in a phrase, however long.
const MAX_SLIPS: u16 = 6;
/// Longest phrase aligned, in words.
const MAX_WORDS: usize = 400;
/// A word that stands on the page more often proposes no places.
const MAX_POSTINGS: usize = 2_048;
/// Words that propose places.
const MAX_PROPOSERS: usize = 16;
/// Places that are aligned, those with most votes first.
const MAX_CANDIDATES: usize = 24;

/// Finds `phrase` (folded) by its words.
pub(super) fn find(index: &AnchorIndex, folded: &Phrase, near: Option<u32>) -> Option<Place> {
    let phrase = folded.text.as_str();
    let quoted = split_words(phrase);
    if quoted.len() > MAX_WORDS {
        return None;
    }
    let letters = quoted.first()?.start..quoted.last()?.end;
    let words = index.words();
    let text = &index.page.text;
    let budget = budget(&quoted, phrase);
    let slack = usize::from(budget / SLIP) + 1;
    let best = candidates(words, &quoted, slack)
        .into_iter()
        .filter_map(|first| {
            let from = first.saturating_sub(2 * slack);
            let to = (first + quoted.len() + 2 * slack).min(words.list.len());
            let page = Page { text, words: &words.list[from..to], index };
            let (cost, start, end) = align(&page, &quoted, phrase, budget)?;
            let place = widen(text, phrase, &quoted, Place { start, end });
            let anchor = index.anchor(place)?;
            // Punctuation that only the phrase has.
            let alone = (phrase.len() - letters.len()).saturating_sub((place.end - end) + (start - place.start));
            Some(((cost, index.other_case(place, folded), alone, index.rank(place, anchor, near)), place))
        })
        .min_by_key(|&(rank, _)| rank);
    best.map(|(_, place)| place)
}

/// What may differ: a fifth of the words, and one misspelling in short phrases that are long enough to be told apart.
fn budget(quoted: &[Word], phrase: &str) -> u16 {
    let count = u16::try_from(quoted.len()).unwrap_or(u16::MAX);
    match count {
        0..5 if phrase.len() >= 8 => SLIP,
        0..5 => 0,
        _ => (count / 5).min(MAX_SLIPS) * SLIP,
    }
}

/// Numbers of page words where the phrase may begin.
fn candidates(words: &Words, quoted: &[Word], slack: usize) -> Vec<usize> {
    let mut proposers: Vec<(usize, &[u64])> =
        quoted.iter().enumerate().map(|(nth, word)| (nth, words.postings(word.hash))).collect();
    proposers.retain(|(_, postings)| !postings.is_empty() && postings.len() <= MAX_POSTINGS);
    sort_by_key(&mut proposers, |(_, postings)| postings.len());
    proposers.truncate(MAX_PROPOSERS);
    let mut begins: Vec<usize> = proposers
        .iter()
        .flat_map(|&(nth, postings)| postings.iter().map(move |&posting| Words::position(posting).saturating_sub(nth)))
        .collect();
    begins.sort_unstable();
    // Votes for a place: the proposals within the slack after it.
    let mut votes: Vec<(usize, usize)> = Vec::new();
    let mut to = 0;
    for from in 0..begins.len() {
        while to < begins.len() && begins[to] <= begins[from] + slack {
            to += 1;
        }
        match votes.last_mut() {
            Some((count, begin)) if begins[from] <= *begin + slack => {
                if to - from > *count {
                    (*count, *begin) = (to - from, begins[from]);
                }
            }
            _ => votes.push((to - from, begins[from])),
        }
    }
    let needed = proposers.len().div_ceil(2);
    votes.retain(|&(count, _)| count >= needed);
    sort_by_key(&mut votes, |&(count, begin)| (std::cmp::Reverse(count), begin));
    votes.into_iter().take(MAX_CANDIDATES).map(|(_, begin)| begin).collect()
}

/// The part of the page that is aligned.
struct Page<'a> {
    text: &'a str,
    words: &'a [Word],
    index: &'a AnchorIndex,
}

/// A word that only one side has, last in an alignment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Absence,
    Presence,
}

/// A cell of the alignment: its cost and the page's word it began with.
#[derive(Clone, Copy)]
struct Cell {
    cost: u16,
    start: Option<u32>,
    gap: Option<Gap>,
}

const UNREACHABLE: Cell = Cell { cost: NEVER, start: None, gap: None };

impl Cell {
    fn plus(self, cost: u16, gap: Option<Gap>) -> Self {
        Self { cost: self.cost.saturating_add(cost).min(NEVER), gap, ..self }
    }

    /// A gap on the other side right before would make one word out of another.
    fn past(self, gap: Gap, cost: u16) -> Self {
        if self.gap.is_some_and(|before| before != gap) { UNREACHABLE } else { self.plus(cost, Some(gap)) }
    }

    fn through(self, word: usize, cost: u16) -> Self {
        Self { start: self.start.or(u32::try_from(word).ok()), ..self.plus(cost, None) }
    }

    fn or(&mut self, other: Self) {
        if other.cost < self.cost {
            *self = other;
        }
    }
}

/// Aligns all words of the phrase with some neighbouring words of the page: cost, first and last byte.
fn align(page: &Page<'_>, quoted: &[Word], phrase: &str, budget: u16) -> Option<(u16, usize, usize)> {
    let width = page.words.len() + 1;
    // Row 0: a phrase may begin before any word of the page.
    let mut rows = [vec![UNREACHABLE; width], vec![UNREACHABLE; width], vec![Cell { cost: 0, ..UNREACHABLE }; width]];
    for (nth, word) in quoted.iter().enumerate() {
        rows.rotate_left(1);
        let [above, last, row] = &mut rows;
        row.fill(UNREACHABLE);
        for at in 1..width {
            let other = &page.words[at - 1];
            let mut cell = UNREACHABLE;
            if !joins_blocks(page, quoted, nth, at - 1) {
                cell.or(last[at - 1].through(at - 1, difference(page, quoted, phrase, word, other, budget)));
            }
            // Both ends of the phrase must be there: a highlight is never half of it.
            let inner = nth > 0 && nth + 1 < quoted.len();
            if row[at - 1].start.is_some() && nth + 1 < quoted.len() {
                cell.or(row[at - 1].past(Gap::Presence, presence(other, quoted.len())));
            }
            // Words are rather left out than put elsewhere, and rather put elsewhere than added.
            if nth > 0 && at > 1 {
                cell.or(above[at - 2].through(at - 2, swapped(page, phrase, &quoted[nth - 1..=nth], at - 2)));
            }
            if inner {
                cell.or(last[at].past(Gap::Absence, absence(word, quoted.len())));
            }
            row[at] = cell;
        }
    }
    // The last of the cheapest: more of what the phrase ends with.
    let (at, cell) = rows[2].iter().enumerate().rev().min_by_key(|(_, cell)| cell.cost)?;
    if cell.cost > budget {
        return None;
    }
    let start = page.words.get(cell.start? as usize)?.start;
    Some((cell.cost, start as usize, page.words.get(at.checked_sub(1)?)?.end as usize))
}

/// Whether the phrase writes two words as one where the page begins a new block between them.
fn joins_blocks(page: &Page<'_>, quoted: &[Word], nth: usize, at: usize) -> bool {
    nth > 0
        && at > 0
        && quoted[nth - 1].end == quoted[nth].start
        && page.index.page.block_between(page.words[at - 1].end as usize, page.words[at].start as usize)
}

/// What it costs that a word of the phrase is not on the page. A long one is rare: it counts double.
fn absence(word: &Word, words: usize) -> u16 {
    match word.kind {
        Kind::Plain | Kind::Unspaced if words >= 5 => SLIP * if word.end - word.start > 4 { 2 } else { 1 },
        Kind::Plain | Kind::Unspaced | Kind::Number | Kind::Negation => NEVER,
    }
}

/// What it costs that a word of the page is not in the phrase.
fn presence(word: &Word, words: usize) -> u16 {
    match word.kind {
        Kind::Plain | Kind::Unspaced if words >= 4 => SLIP,
        Kind::Plain | Kind::Unspaced | Kind::Number | Kind::Negation => NEVER,
    }
}

fn difference(page: &Page<'_>, quoted: &[Word], phrase: &str, word: &Word, other: &Word, budget: u16) -> u16 {
    let (ours, theirs) = (word.text(phrase), other.text(page.text));
    if word.hash == other.hash && ours == theirs {
        return 0;
    }
    if [word, other].iter().any(|word| word.kind == Kind::Unspaced) {
        return NEVER;
    }
    let plain = word.kind == Kind::Plain && other.kind == Kind::Plain;
    let on_page = || !page.index.words().postings(word.hash).is_empty();
    match slip(ours, theirs) {
        Some(Slip::Accents) if plain => ACCENT,
        // Swapped letters make another word now and then; with words around that agree it is still a slip.
        Some(Slip::Swap) if quoted.len() >= 5 || !on_page() => {
            if plain {
                SLIP
            } else {
                budget.max(SLIP)
            }
        }
        Some(Slip::Letter) if plain && quoted.len() >= 4 && !on_page() => SLIP,
        Some(Slip::Accents | Slip::Swap | Slip::Letter) | None => NEVER,
    }
}

/// What it costs that two neighbouring words, from the page's word `at` on, stand the other way round in the phrase.
fn swapped(page: &Page<'_>, phrase: &str, ours: &[Word], at: usize) -> u16 {
    let theirs = &page.words[at..at + 2];
    let unspaced = |word: &Word| word.text(phrase).starts_with(is_unspaced);
    let may_move = |word: &Word| match word.kind {
        Kind::Plain | Kind::Unspaced => true,
        Kind::Negation => unspaced(word),
        Kind::Number => false,
    };
    let same = |one: &Word, other: &Word| one.hash == other.hash && one.text(phrase) == other.text(page.text);
    if !ours.iter().all(may_move) || !same(&ours[0], &theirs[1]) || !same(&ours[1], &theirs[0]) {
        return NEVER;
    }
    // Two characters of a script without spaces are swapped letters: likelier than one too many at its end.
    if ours.iter().all(unspaced) { ACCENT } else { SLIP }
}

enum Slip {
    /// Only combining marks differ.
    Accents,
    /// Two neighbouring letters changed places.
    Swap,
    /// One letter too many, too few or another.
    Letter,
}

fn letters(word: &str) -> impl Iterator<Item = char> {
    word.chars().filter(|&c| !is_combining_mark(c))
}

/// Words with more bytes are not compared.
const MAX_WORD: usize = 160;
/// Shortest word that is the same without its accents.
const MIN_LETTERS_ACCENTS: usize = 3;
/// Shortest word in which a letter may be missing or too many.
const MIN_LETTERS_MISSING: usize = 5;
/// Shortest word in which a letter may be another: in short ones it makes another word ("Iran", "Iraq").
const MIN_LETTERS_OTHER: usize = 7;

/// How one word is a misspelling of the other, if it is. The first letter is always right, but for a swap: prefixes turn
/// a meaning round.
fn slip(ours: &str, theirs: &str) -> Option<Slip> {
    if ours.len().abs_diff(theirs.len()) > 8 || ours.len().max(theirs.len()) > MAX_WORD {
        return None;
    }
    // Most words differ at once; this spares them the rest.
    let heads = [ours, theirs].map(|word| (letters(word).next(), letters(word).nth(1)));
    if heads[0].0 != heads[1].0 && heads[0] != (heads[1].1, heads[1].0) {
        return None;
    }
    let (a, b): (Vec<char>, Vec<char>) = (letters(ours).collect(), letters(theirs).collect());
    if a == b {
        return (a.len() >= MIN_LETTERS_ACCENTS).then_some(Slip::Accents);
    }
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    if long.len() - short.len() > 1 {
        return None;
    }
    let same = short.iter().zip(long.iter()).take_while(|(x, y)| x == y).count();
    if short.len() == long.len() {
        let (x, y) = (&short[same..], &long[same..]);
        if x.len() >= 2 && x[0] == y[1] && x[1] == y[0] && x[2..] == y[2..] {
            return x[..2].iter().all(|c| !c.is_numeric()).then_some(Slip::Swap);
        }
        return (same > 0 && x[1..] == y[1..] && a.len() >= MIN_LETTERS_OTHER).then_some(Slip::Letter);
    }
    (same > 0 && short[same..] == long[same + 1..] && long.len() >= MIN_LETTERS_MISSING).then_some(Slip::Letter)
}

/// Takes in the punctuation around the phrase's words where the page has the same.
fn widen(text: &str, phrase: &str, quoted: &[Word], place: Place) -> Place {
    let (Some(first), Some(last)) = (quoted.first(), quoted.last()) else { return place };
    let lead = phrase[..first.start as usize].chars().rev().zip(text[..place.start].chars().rev());
    let tail = phrase[last.end as usize..].chars().zip(text[place.end..].chars());
    let mut place = place;
    let before: String = lead.take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    place.start -= before.trim_end().len();
    let after: String = tail.take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    place.end += after.trim_end().len();
    place
}
