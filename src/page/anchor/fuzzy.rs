//! The search for a phrase that is not on the page letter by letter: by its words.
//!
//! Rare words of the phrase propose places, an alignment of words decides. Words may be misspelt, left out or added
//! within a budget; a different word is never a misspelling of another. A number or a negation is never added or left
//! out here, and misspelt only by swapped letters, with nothing else that differs.

use sidelight_stream::words::{MAX_PLACES, Word};

use super::super::fold::is_unspaced;
use super::super::marks::is_combining_mark;
use super::kind::Kind;
use super::words::split_words;
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
    let places: Vec<Vec<u32>> = quoted.iter().map(|word| words.places(word.hash)).collect();
    let quoted = Side::new(phrase, &quoted);
    let best = candidates(&places, slack)
        .into_iter()
        .filter_map(|first| {
            let from = first.saturating_sub(2 * slack);
            let to = (first + quoted.words.len() + 2 * slack).min(words.list.len());
            let page = Side::new(text, &words.list[from..to]);
            let (cost, start, end) = Alignment { quoted: &quoted, page, places: &places, index, budget }.best()?;
            let place = widen(text, phrase, quoted.words, Place { start, end });
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

/// Numbers of page words where a phrase may begin whose words have these places.
fn candidates(places: &[Vec<u32>], slack: usize) -> Vec<usize> {
    let mut proposers: Vec<(usize, &[u32])> = places.iter().map(Vec::as_slice).enumerate().collect();
    // What stands on the page more often proposes nothing.
    proposers.retain(|(_, places)| !places.is_empty() && places.len() <= MAX_PLACES);
    sort_by_key(&mut proposers, |(_, places)| places.len());
    proposers.truncate(MAX_PROPOSERS);
    let mut begins: Vec<usize> = proposers
        .iter()
        .flat_map(|&(nth, places)| places.iter().map(move |&place| (place as usize).saturating_sub(nth)))
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

/// Neighbouring words of a text, to be aligned with those of another.
struct Side<'a> {
    text: &'a str,
    words: &'a [Word],
    kinds: Vec<Kind>,
}

impl<'a> Side<'a> {
    fn new(text: &'a str, words: &'a [Word]) -> Self {
        Self { text, words, kinds: words.iter().map(|word| Kind::of(word.text(text))).collect() }
    }

    fn word(&self, nth: usize) -> &'a str {
        self.words[nth].text(self.text)
    }

    /// Whether two words are the same.
    fn same(&self, nth: usize, other: &Side<'_>, at: usize) -> bool {
        self.words[nth].hash == other.words[at].hash && self.word(nth) == other.word(at)
    }
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

/// All words of a phrase beside some neighbouring ones of the page.
struct Alignment<'a> {
    quoted: &'a Side<'a>,
    page: Side<'a>,
    /// Of the phrase's words on the page.
    places: &'a [Vec<u32>],
    index: &'a AnchorIndex,
    budget: u16,
}

impl Alignment<'_> {
    /// The cheapest alignment within the budget: cost, first and last byte.
    fn best(&self) -> Option<(u16, usize, usize)> {
        let (count, width) = (self.quoted.words.len(), self.page.words.len() + 1);
        // Row 0: a phrase may begin before any word of the page.
        let mut rows =
            [vec![UNREACHABLE; width], vec![UNREACHABLE; width], vec![Cell { cost: 0, ..UNREACHABLE }; width]];
        for nth in 0..count {
            rows.rotate_left(1);
            let [above, last, row] = &mut rows;
            row.fill(UNREACHABLE);
            for at in 1..width {
                let mut cell = UNREACHABLE;
                if !self.joins_blocks(nth, at - 1) {
                    cell.or(last[at - 1].through(at - 1, self.difference(nth, at - 1)));
                }
                // Both ends of the phrase must be there: a highlight is never half of it.
                let inner = nth > 0 && nth + 1 < count;
                if row[at - 1].start.is_some() && nth + 1 < count {
                    cell.or(row[at - 1].past(Gap::Presence, presence(self.page.kinds[at - 1], count)));
                }
                // Words are rather left out than put elsewhere, and rather put elsewhere than added.
                if nth > 0 && at > 1 {
                    cell.or(above[at - 2].through(at - 2, self.swapped(nth - 1, at - 2)));
                }
                if inner {
                    cell.or(last[at].past(Gap::Absence, self.absence(nth)));
                }
                row[at] = cell;
            }
        }
        // The last of the cheapest: more of what the phrase ends with.
        let (at, cell) = rows[2].iter().enumerate().rev().min_by_key(|(_, cell)| cell.cost)?;
        if cell.cost > self.budget {
            return None;
        }
        let start = self.page.words.get(cell.start? as usize)?.start;
        Some((cell.cost, start as usize, self.page.words.get(at.checked_sub(1)?)?.end as usize))
    }

    /// Whether the phrase writes two words as one where the page begins a new block between them.
    fn joins_blocks(&self, nth: usize, at: usize) -> bool {
        let (quoted, page) = (self.quoted.words, self.page.words);
        nth > 0
            && at > 0
            && quoted[nth - 1].end == quoted[nth].start
            && self.index.page.block_between(page[at - 1].end as usize, page[at].start as usize)
    }

    /// What it costs that a word of the phrase is not on the page. A long one is rare: it counts double.
    fn absence(&self, nth: usize) -> u16 {
        let length = self.quoted.word(nth).len();
        match self.quoted.kinds[nth] {
            Kind::Plain | Kind::Unspaced if self.quoted.words.len() >= 5 => SLIP * if length > 4 { 2 } else { 1 },
            Kind::Plain | Kind::Unspaced | Kind::Number | Kind::Negation => NEVER,
        }
    }

    /// What it costs that the phrase has one word and the page another.
    fn difference(&self, nth: usize, at: usize) -> u16 {
        if self.quoted.same(nth, &self.page, at) {
            return 0;
        }
        let kinds = [self.quoted.kinds[nth], self.page.kinds[at]];
        if kinds.contains(&Kind::Unspaced) {
            return NEVER;
        }
        let plain = kinds == [Kind::Plain; 2];
        let on_page = || !self.places[nth].is_empty();
        let words = self.quoted.words.len();
        match slip(self.quoted.word(nth), self.page.word(at)) {
            Some(Slip::Accents) if plain => ACCENT,
            // Swapped letters make another word now and then; with words around that agree it is still a slip.
            Some(Slip::Swap) if words >= 5 || !on_page() => {
                if plain {
                    SLIP
                } else {
                    self.budget.max(SLIP)
                }
            }
            Some(Slip::Letter) if plain && words >= 4 && !on_page() => SLIP,
            Some(Slip::Accents | Slip::Swap | Slip::Letter) | None => NEVER,
        }
    }

    /// What it costs that two neighbouring words, from the page's word `at` on, stand the other way round in the phrase.
    fn swapped(&self, nth: usize, at: usize) -> u16 {
        let unspaced = |nth| self.quoted.word(nth).starts_with(is_unspaced);
        let may_move = |nth: usize| match self.quoted.kinds[nth] {
            Kind::Plain | Kind::Unspaced => true,
            Kind::Negation => unspaced(nth),
            Kind::Number => false,
        };
        let ours = [nth, nth + 1];
        if !self.quoted.same(nth, &self.page, at + 1)
            || !self.quoted.same(nth + 1, &self.page, at)
            || !ours.into_iter().all(may_move)
        {
            return NEVER;
        }
        // Two characters of a script without spaces are swapped letters: likelier than one too many at its end.
        if ours.into_iter().all(unspaced) { ACCENT } else { SLIP }
    }
}

/// What it costs that a word of the page is not in the phrase.
fn presence(kind: Kind, words: usize) -> u16 {
    match kind {
        Kind::Plain | Kind::Unspaced if words >= 4 => SLIP,
        Kind::Plain | Kind::Unspaced | Kind::Number | Kind::Negation => NEVER,
    }
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
