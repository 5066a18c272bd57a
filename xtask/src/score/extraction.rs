//! Page text against an outside opinion of it, by words.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail};
use serde::Deserialize;
use sidelight::page::reading_text;
use sidelight::wire::Snapshot;

use super::browser::each_page;

/// The least mean F1.
const LEAST_MEAN: f64 = 0.95;

#[derive(Deserialize)]
struct Page {
    name: String,
    snapshot: Snapshot,
    /// The original's text.
    container: String,
    /// Words of `expected.html`.
    expected: String,
}

/// Prints the F1 of each page and the mean; fails below [`LEAST_MEAN`].
pub(super) fn score(folder: &Path) -> Result<()> {
    println!("{:<20} {:>7} {:>9} {:>7} {:>9}", "page", "recall", "precision", "F1", "original");
    let (mut pages, mut ours, mut theirs) = (0_u32, 0.0, 0.0);
    each_page("extraction", folder, &[], |page: Page| {
        let text = reading_text(&Snapshot { links: Vec::new(), selection: String::new(), ..page.snapshot }).text;
        let expected = words(&page.expected);
        let [read, original] = [&text, &page.container].map(|text| Overlap::of(&words(text), &expected));
        println!(
            "{:<20} {:>7.3} {:>9.3} {:>7.3} {:>9.3}",
            page.name,
            read.recall,
            read.precision,
            read.f1(),
            original.f1()
        );
        pages += 1;
        ours += read.f1();
        theirs += original.f1();
        Ok(())
    })?;
    if pages == 0 {
        bail!("no page with a source.html and an expected.html in {}", folder.display());
    }
    let [ours, theirs] = [ours, theirs].map(|sum| sum / f64::from(pages));
    println!("{:<20} {:>7} {:>9} {ours:>7.3} {theirs:>9.3}", format!("mean of {pages}"), "", "");
    if ours < LEAST_MEAN || ours <= theirs {
        bail!("a mean of {ours:.3} is too low: at least {LEAST_MEAN}, and more than the original's, is asked for");
    }
    Ok(())
}

/// How two bags of words agree.
struct Overlap {
    recall: f64,
    precision: f64,
}

impl Overlap {
    fn of(read: &[String], expected: &[String]) -> Self {
        let mut left: HashMap<&str, u32> = HashMap::new();
        for word in expected {
            *left.entry(word).or_default() += 1;
        }
        let mut common = 0_u32;
        for word in read {
            if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
                *count -= 1;
                common += 1;
            }
        }
        let share = |of: &[String]| f64::from(common) / f64::from(u32::try_from(of.len().max(1)).unwrap_or(u32::MAX));
        Self { recall: share(expected), precision: share(read) }
    }

    /// Harmonic mean of recall and precision.
    fn f1(&self) -> f64 {
        let sum = self.recall + self.precision;
        if sum > 0.0 { 2.0 * self.recall * self.precision / sum } else { 0.0 }
    }
}

/// Runs of letters and digits in lower case; in scripts without spaces every character is a word.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let unspaced = is_unspaced(c);
        if (unspaced || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if unspaced {
            words.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Han, kana, Thai, Lao, Khmer, Burmese letters.
fn is_unspaced(c: char) -> bool {
    c.is_alphanumeric()
        && matches!(c,
            '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::{Overlap, words};

    #[test]
    fn words_are_runs_of_letters_and_single_characters_of_scripts_without_spaces() {
        assert_eq!(words("Don't PANIC, 42! 東京 Tokyo2"), ["don", "t", "panic", "42", "東", "京", "tokyo2"]);
    }

    #[test]
    fn each_word_counts_as_often_as_both_have_it() {
        let overlap = Overlap::of(&words("a a b c"), &words("a b b d"));
        assert!((overlap.recall - 0.5).abs() < 1e-9 && (overlap.precision - 0.5).abs() < 1e-9);
        assert!((overlap.f1() - 0.5).abs() < 1e-9);
    }
}
