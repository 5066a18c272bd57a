//! Which of the candidates become marks: the strongest, spread over the page.

use std::ops::Range;

use super::kind::Kind;
use crate::sort::sort_by_key;

/// Most marks for one page.
pub(super) const MOST_MARKS: usize = 25;
/// Most marks by one row of the list: the third repeats what the first said.
const MOST_PER_ROW: usize = 2;
/// Most marks in one sentence.
const MOST_PER_SENTENCE: usize = 2;
/// A marked source for so many words, and three on any page: news names its sources in every other sentence.
const LEAST_WORDS_PER_SOURCE: usize = 300;
/// Most candidates kept; beyond it the weaker half is dropped.
const MOST_CANDIDATES: usize = 512;
/// The page is seen in so many equal parts; marks in one part, and marks of one kind, make the next such one less
/// likely.
const PARTS: usize = 5;

/// A phrase that may be marked.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// Bytes of the page's text.
    pub(super) phrase: Range<usize>,
    /// Bytes of the words that gave the reason.
    pub(super) trigger: Range<usize>,
    pub(super) kind: Kind,
    /// The row of the list; `None`: a link by itself.
    pub(super) entry: Option<usize>,
    /// The link the sentence carries.
    pub(super) link: Option<usize>,
    pub(super) strength: u8,
    /// Number of the sentence within the page.
    pub(super) sentence: usize,
}

/// The candidates of a page, bounded.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    kept: Vec<Candidate>,
    /// How many came, kept or not, and not counting what only carries a source.
    pub(super) found: usize,
}

impl Candidates {
    /// Takes a candidate in. At the bound the weaker half goes, the later ones first.
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.found += usize::from(candidate.kind != Kind::Source);
        self.kept.push(candidate);
        if self.kept.len() == MOST_CANDIDATES {
            sort_by_key(&mut self.kept, |candidate| std::cmp::Reverse(candidate.strength));
            self.kept.truncate(MOST_CANDIDATES / 2);
        }
    }

    /// The marks for a page of `text`, with `words` words, in the order of the page.
    pub(super) fn select(mut self, text: &str, words: usize) -> Vec<Candidate> {
        let mut marks: Vec<Candidate> = Vec::new();
        let most_sources = (words / LEAST_WORDS_PER_SOURCE).clamp(3, 8);
        let part = |candidate: &Candidate| candidate.phrase.start * PARTS / text.len().max(1);
        while marks.len() < MOST_MARKS {
            self.kept.retain(|candidate| {
                let same = |alike: &dyn Fn(&Candidate) -> bool| marks.iter().filter(|mark| alike(mark)).count();
                let phrase = &text[candidate.phrase.clone()];
                let meets = |mark: &Candidate| {
                    mark.phrase.start < candidate.phrase.end && candidate.phrase.start < mark.phrase.end
                };
                same(&|mark| meets(mark) || &text[mark.phrase.clone()] == phrase) == 0
                    && same(&|mark| mark.sentence == candidate.sentence) < MOST_PER_SENTENCE
                    && if candidate.kind == Kind::Source {
                        same(&|mark| mark.kind == Kind::Source) < most_sources
                    } else {
                        same(&|mark| mark.entry == candidate.entry) < MOST_PER_ROW
                    }
            });
            let crowd = |candidate: &Candidate| marks.iter().filter(|mark| part(mark) == part(candidate)).count();
            let alike = |candidate: &Candidate| marks.iter().filter(|mark| mark.kind == candidate.kind).count();
            let rank = |candidate: &Candidate| {
                // Where both fit, wording is what the reader came for.
                let source = if candidate.kind == Kind::Source { 8 } else { 0 };
                let against = crowd(candidate) * 3 + alike(candidate) * 2 + source + 30;
                (against.saturating_sub(usize::from(candidate.strength) * 10), candidate.phrase.start)
            };
            let Some((best, _)) = self.kept.iter().enumerate().min_by_key(|(_, candidate)| rank(candidate)) else {
                break;
            };
            marks.push(self.kept.swap_remove(best));
        }
        sort_by_key(&mut marks, |mark| mark.phrase.start);
        marks
    }
}
