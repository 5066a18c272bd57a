//! Finding places again on a page that changed: of several places with the same words the one with the same neighbours.

use std::cmp::Reverse;

use super::folded::Phrase;
use super::{AnchorIndex, Cut, MAX_PHRASE, Place};
use crate::wire::Anchor;

/// Least characters of a neighbour that must be the same to tell a place by it; a shorter one must be the same whole.
const MIN_NEIGHBOUR: usize = 8;

impl AnchorIndex {
    /// Finds phrases that stood on the page before. `around[i]` is what stood before and behind `phrases[i]`, empty where
    /// it never had a place. A phrase whose neighbours are gone goes near the one before it, as in a first search, but
    /// never where the same words belong to another.
    pub fn find_again<S: AsRef<str>>(&self, phrases: &[S], around: &[(S, S)]) -> Vec<Option<Anchor>> {
        let mut near = None;
        let mut told = Vec::with_capacity(phrases.len());
        for (at, phrase) in phrases.iter().enumerate() {
            let sides = around.get(at).map(|(before, behind)| (before.as_ref(), behind.as_ref()));
            let anchor = sides.and_then(|sides| self.between(phrase.as_ref(), sides, near));
            near = anchor.map_or(near, |anchor| Some(anchor.end));
            told.push(anchor);
        }
        let mut near = None;
        let mut found: Vec<Option<Anchor>> = Vec::with_capacity(phrases.len());
        for (at, phrase) in phrases.iter().enumerate() {
            let stood = around
                .get(at)
                .is_some_and(|(before, behind)| !(before.as_ref().is_empty() && behind.as_ref().is_empty()));
            let is_taken = |anchor: &Anchor| stood && told.contains(&Some(*anchor));
            let anchor = told[at].or_else(|| self.find(phrase.as_ref(), near).filter(|anchor| !is_taken(anchor)));
            near = anchor.map_or(near, |anchor| Some(anchor.end));
            found.push(anchor);
        }
        found
    }

    /// The place of a phrase that shares most with what stood before and behind it.
    fn between(&self, phrase: &str, (before, behind): (&str, &str), near: Option<u32>) -> Option<Anchor> {
        if phrase.len() > MAX_PHRASE {
            return None;
        }
        let [phrase, before, behind] = [phrase, before, behind].map(|text| Phrase::new(text, self.decompose).text);
        if phrase.is_empty() {
            return None;
        }
        let best = self
            .occurrences(&phrase)
            .into_iter()
            .map(|start| Place { start, end: start + phrase.len() })
            .filter_map(|place| {
                let anchor = self.anchor(place).filter(|_| self.cut(place) == Cut::None)?;
                let (left, right) =
                    (self.page.text[..place.start].trim_end(), self.page.text[place.end..].trim_start());
                let score = shared(before.chars().rev(), left.chars().rev()) + shared(behind.chars(), right.chars());
                (score > 0).then(|| ((Reverse(score), self.rank(place, anchor, near)), anchor))
            });
        best.min_by_key(|&(rank, _)| rank).map(|(_, anchor)| anchor)
    }
}

/// How many characters of a neighbour still stand there, or 0 when too few do.
fn shared(old: impl Iterator<Item = char> + Clone, now: impl Iterator<Item = char>) -> usize {
    let same = old.clone().zip(now).take_while(|(old, now)| old == now).count();
    if same >= MIN_NEIGHBOUR || same == old.count() { same } else { 0 }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use crate::page::anchor::AnchorIndex;
    use crate::page::fold::decompose_for_tests as decompose;
    use crate::wire::Snapshot;

    /// Where each phrase stands now, by the byte (the texts are ASCII).
    fn again(paragraphs: &[&str], quotes: &[(&str, &str, &str)]) -> Vec<Option<u32>> {
        let page = Snapshot {
            text: paragraphs.concat(),
            nodes: paragraphs.iter().map(|text| (u32::try_from(text.len()).unwrap(), Snapshot::BLOCK)).collect(),
            ..Snapshot::default()
        };
        let phrases: Vec<&str> = quotes.iter().map(|(phrase, ..)| *phrase).collect();
        let around: Vec<(&str, &str)> = quotes.iter().map(|&(_, before, behind)| (before, behind)).collect();
        let anchors = AnchorIndex::new(&page, decompose).find_again(&phrases, &around);
        anchors.into_iter().map(|anchor| anchor.map(|anchor| anchor.start)).collect()
    }

    const FIRST: &str = "The mayor said a free press matters to all of us.";
    const SECOND: &str = "Her rival said a free press costs too much.";
    const BOTH: [&str; 2] = [FIRST, SECOND];

    #[test]
    fn of_the_same_words_in_two_places_neighbours_tell_which_is_meant() {
        let (first, second) = (Some(15), Some(u32::try_from(FIRST.len()).unwrap() + 15));
        for (before, behind, expected) in [
            ("The mayor said ", " matters to all of us.", first),
            ("Her rival said ", " costs too much.", second),
            // One side is enough, whichever it is, also where the other was written anew.
            ("Her rival said ", "", second),
            ("", " costs too much.", second),
            ("Her rival wrote ", " costs too much.", second),
            ("Her rival said ", " is dear.", second),
            // A new spelling of a neighbour is the same one.
            ("HER\u{a0}RIVAL  said ", " costs too much\u{2026}", second),
            // What stands in other blocks is a neighbour as well.
            ("matters to all of us. Her rival said ", "", second),
            // Neighbours that are gone, or too little to tell, leave it to the order.
            ("Nobody asked for ", " in those days.", first),
            ("d ", " co", second),
            ("d ", " cx", first),
        ] {
            assert_eq!(again(&BOTH, &[("a free press", before, behind)]), [expected], "{before:?} {behind:?}");
        }
    }

    #[test]
    fn two_marks_of_the_same_words_never_end_in_one_place() {
        let quotes =
            [("a free press", "The mayor said ", " matters to all"), ("a free press", "Her rival said ", " costs too")];
        let second = u32::try_from(FIRST.len()).unwrap() + 15;
        assert_eq!(again(&BOTH, &quotes), [Some(15), Some(second)]);
        assert_eq!(again(&[SECOND, FIRST], &quotes), [Some(u32::try_from(SECOND.len()).unwrap() + 15), Some(15)]);
        assert_eq!(again(&[SECOND], &quotes), [None, Some(15)], "the other's place is not taken");
        assert_eq!(again(&[FIRST], &quotes), [Some(15), None]);
        let rows = ["Name: not known yet.", "Name: not known yet."];
        let same = [("not known yet", "Name: ", "."), ("not known yet", "Name: ", ".")];
        assert_eq!(again(&rows, &same), [Some(6), Some(26)], "the same neighbours: one after the other");
    }

    #[test]
    fn what_never_had_a_place_is_searched_as_at_first() {
        assert_eq!(again(&BOTH, &[("a free press", "", "")]), [Some(15)]);
        assert_eq!(again(&BOTH, &[("The mayor siad a free press matters", "", "")]), [Some(0)]);
        assert_eq!(again(&BOTH, &[("", "The mayor", ""), ("not there", "The mayor said ", "")]), [None, None]);
    }
}
