//! The passages of a long text that a question is about.

use super::fold::is_unspaced;
use super::windows::windows;
use crate::sort::sort_by_key;
use crate::words::lower;

/// Size of a passage, in bytes.
const PASSAGE: usize = 2_000;
/// Most words of a question that are looked for.
const MAX_WORDS: usize = 64;
/// Shortest word that is looked for, in characters; shorter ones say little.
const MIN_WORD: usize = 3;

/// What stands where something was left out.
const GAP: &str = "\n[…]\n";

/// Passages of a text, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passages {
    /// Their text, with `[…]` where something was left out.
    pub text: String,
    /// How many there are.
    pub taken: usize,
    /// Of how many.
    pub all: usize,
}

/// The passages of `text` that share most words with `question`, rare words counting more, as many as `budget` bytes
/// hold. Without a word in common that is the beginning of the text.
pub fn closest_passages(text: &str, question: &str, budget: usize) -> Passages {
    let passages = windows(text, PASSAGE.min(budget), 0);
    let words = words(question);
    let mut found = vec![0_u64; passages.len()];
    for (found, passage) in found.iter_mut().zip(&passages) {
        let passage = lower(&text[passage.clone()]);
        for (bit, word) in words.iter().enumerate() {
            *found |= u64::from(passage.contains(word.as_str())) << bit;
        }
    }
    let weights: Vec<u32> = (0..words.len())
        .map(|bit| {
            let with = found.iter().filter(|found| *found >> bit & 1 == 1).count();
            passages.len().checked_div(with).map_or(0, usize::ilog2)
        })
        .collect();
    let score = |at: usize| -> u32 {
        weights.iter().enumerate().map(|(bit, weight)| weight * u32::from(found[at] >> bit & 1 == 1)).sum()
    };
    let mut order: Vec<usize> = (0..passages.len()).collect();
    sort_by_key(&mut order, |&at| std::cmp::Reverse(score(at)));
    let mut room = budget;
    order.retain(|&at| {
        let fits = passages[at].len() + GAP.len() <= room;
        room -= if fits { passages[at].len() + GAP.len() } else { 0 };
        fits
    });
    sort_by_key(&mut order, |&at| at);
    let mut taken = String::with_capacity(budget - room);
    let mut end = 0;
    for &at in &order {
        if passages[at].start > end {
            taken.push_str(GAP);
        }
        taken.push_str(&text[passages[at].clone()]);
        end = passages[at].end;
    }
    Passages { text: taken, taken: order.len(), all: passages.len() }
}

/// The different words of a question, in lower case; of scripts without spaces every two characters.
fn words(question: &str) -> Vec<String> {
    let lower = lower(question);
    let mut words: Vec<String> = Vec::new();
    let mut add = |word: String| {
        if words.len() < MAX_WORDS && !words.contains(&word) {
            words.push(word);
        }
    };
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        if word.contains(is_unspaced) {
            let chars: Vec<char> = word.chars().collect();
            chars.windows(2).for_each(|two| add(two.iter().collect()));
        } else if word.chars().nth(MIN_WORD - 1).is_some() {
            add(word.to_owned());
        }
    }
    words
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Ten kilobytes about nothing, with one sentence in the middle.
    fn page(needle: &str) -> String {
        let filler = "The weather was neither good nor bad that day, they said.\n".repeat(90);
        format!("The title of it all.\n{filler}{needle}\n{filler}")
    }

    #[test]
    fn what_the_question_names_is_taken_wherever_it_stands() {
        for (needle, question) in [
            ("The lighthouse keeper was called Amalia.", "What was the keeper of the lighthouse called?"),
            ("灯台守の名前はアマリアだった。", "灯台守の名前は？"),
            ("Der Leuchtturmwärter hieß ÄGIDIUS.", "Wer war Ägidius?"),
        ] {
            let page = page(needle);
            let passages = closest_passages(&page, question, 5_000);
            assert!(passages.text.contains(needle), "{question}");
            assert!(passages.text.len() <= 5_000);
            assert!(passages.taken < passages.all, "{question}");
        }
    }

    #[test]
    fn passages_keep_their_order_and_gaps_are_marked() {
        let page = page("The lighthouse keeper was called Amalia.");
        let passages = closest_passages(&page, "lighthouse", 5_000);
        assert!(passages.text.starts_with("The title of it all."));
        assert!(passages.text.find("[…]") < passages.text.find("lighthouse"));
        let whole = closest_passages(&page, "lighthouse", 100_000);
        assert_eq!((whole.text, whole.taken), (page, 6));
    }

    #[test]
    fn a_question_without_a_word_of_the_page_gets_its_beginning() {
        let page = page("x");
        let passages = closest_passages(&page, "Quoi?", 4_100);
        assert!(page.starts_with(&passages.text) && passages.taken == 2);
    }

    proptest! {
        #[test]
        fn the_budget_holds(text in "\\PC{0,200}", question in "\\PC{0,80}", budget in 0_usize..300) {
            let passages = closest_passages(&text, &question, budget);
            prop_assert!(passages.text.len() <= budget);
            prop_assert!(passages.taken <= passages.all);
        }
    }
}
