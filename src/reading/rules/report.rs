//! What is said about the page as a whole. It speaks of wording, never of truth.

use std::fmt::Write as _;

use super::kind::{KINDS, Kind};
use super::scan::Counts;
use super::select::{Candidate, MOST_MARKS};
use crate::wire::{Category, CategorySummaries};

/// Said of a page in a language without lists.
pub(super) const NO_LISTS: &str = "The offline reader has word lists for English only. \
    Set up a provider in ⚙ Settings to read this page.";

/// The categories this reader has marks for.
const MARKED: [Category; 4] = [Category::Emotional, Category::Bias, Category::Logical, Category::Supported];

/// Two sentences.
pub(super) fn summary(counts: &Counts, marks: &[Candidate]) -> String {
    if marks.is_empty() {
        return format!("Nothing stood out. {} words read.", grouped(counts.words));
    }
    let sources = marks.iter().filter(|mark| mark.kind == Kind::Source).count();
    let wording = marks.len() - sources;
    let mut out = match wording {
        0 => "No wording stood out".to_owned(),
        1 => "One phrase stands out for its wording".to_owned(),
        n => format!("{n} phrases stand out for their wording"),
    };
    match sources {
        0 => {}
        1 => out.push_str(", and one claim carries a source"),
        n => drop(write!(out, ", and {n} claims carry a source")),
    }
    out.push_str(". The offline reader judges wording, never truth.");
    out
}

/// One sentence for each category that has marks.
pub(super) fn category_summaries(marks: &[Candidate]) -> CategorySummaries {
    MARKED.into_iter().filter_map(|category| Some((category, kinds(marks, category)?))).collect()
}

/// The kinds of a category's marks with their counts, as a sentence.
fn kinds(marks: &[Candidate], category: Category) -> Option<String> {
    let mut out = String::new();
    for row in KINDS.iter().filter(|row| row.category == Some(category)) {
        let count = marks.iter().filter(|mark| mark.kind == row.kind).count();
        if count > 0 {
            let _ = write!(out, "{}{} ({count})", if out.is_empty() { "" } else { ", " }, row.label);
        }
    }
    // The labels are ours and start with an ASCII letter.
    out.get_mut(..1)?.make_ascii_uppercase();
    out.push('.');
    Some(out)
}

/// Markdown for the Analysis tab. `found`: passages whose wording stood out, marked or not.
pub(super) fn analysis(counts: &Counts, marks: &[Candidate], found: usize) -> String {
    let mut out = String::from("## Wording\n\n");
    let wording = marks.iter().filter(|mark| mark.kind != Kind::Source).count();
    if wording == 0 {
        let _ = writeln!(out, "Nothing stood out. {} words read.", grouped(counts.words));
    } else {
        // Which kinds of wording, the summary says; here stands how much of it.
        let _ = write!(
            out,
            "{} words in {} read; {} for {} wording.",
            grouped(counts.words),
            many(counts.sentences, "sentence"),
            if wording == 1 { "one phrase is marked".to_owned() } else { format!("{wording} phrases are marked") },
            if wording == 1 { "its" } else { "their" },
        );
        // Of a short page a share would say nothing.
        if counts.words >= 500 {
            let _ = write!(out, " That makes {} in 1,000 words.", (wording * 1000).div_ceil(counts.words));
        }
        if marks.len() == MOST_MARKS && found > wording {
            let _ = write!(out, " {found} passages stood out; the marks are the strongest, spread over the page.");
        }
        out.push('\n');
    }
    let share = (counts.nobody * 100).div_ceil(counts.sentences.max(1));
    let _ = write!(
        out,
        "\n## Sources\n\nOf {}, {} a link, {} who says so and {} somebody's words. ",
        many(counts.sentences, "sentence"),
        does(counts.linked, "carries", "carry"),
        does(counts.named, "names", "name"),
        does(counts.quoting, "quotes", "quote"),
    );
    let _ = match counts.nobody {
        0 => write!(out, "None leans on people who are not named."),
        n => write!(out, "{} on people who are not named ({share} %).", does(n, "leans", "lean")),
    };
    out.push_str(
        "\n\n## What this reader can't tell\n\nIt judges wording, never truth: a calm sentence can be wrong and a \
         loaded one right. Set up a provider in ⚙ Settings for a check of claims.\n",
    );
    out
}

fn many(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn does(count: usize, one: &str, more: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { more })
}

/// A number with commas between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
