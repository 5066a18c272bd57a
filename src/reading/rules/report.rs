//! What is said about the page as a whole. It speaks of wording, never of truth.

use super::kind::{KINDS, Kind};
use super::scan::Counts;
use super::select::{Candidate, MOST_MARKS};
use crate::wire::{Category, CategorySummaries};
use crate::words;

/// Fewest words of a page of which a share of marked phrases says something.
const SHARE_WORDS: usize = 500;

/// The categories this reader has marks for.
const MARKED: [Category; 4] = [Category::Emotional, Category::Bias, Category::Logical, Category::Supported];

/// A few sentences.
pub(super) fn summary(counts: &Counts, marks: &[Candidate]) -> String {
    if marks.is_empty() {
        return nothing(counts);
    }
    let sources = marks.iter().filter(|mark| mark.kind == Kind::Source).count();
    let wording = marks.len() - sources;
    let mut out = if wording == 0 {
        words::say("rules_no_wording", &[])
    } else {
        words::count("rules_phrases", wide(wording), &[])
    };
    if sources > 0 {
        out = [&out, " ", &words::count("rules_claims", wide(sources), &[])].concat();
    }
    [&out, " ", &words::say("rules_judges", &[])].concat()
}

/// One line for each category that has marks.
pub(super) fn category_summaries(marks: &[Candidate]) -> CategorySummaries {
    MARKED.into_iter().filter_map(|category| Some((category, kinds(marks, category)?))).collect()
}

/// The kinds of a category's marks with their counts.
fn kinds(marks: &[Candidate], category: Category) -> Option<String> {
    let mut out = String::new();
    for row in KINDS.iter().filter(|row| row.category == Some(category)) {
        let count = marks.iter().filter(|mark| mark.kind == row.kind).count();
        if count > 0 {
            out.push_str(if out.is_empty() { "" } else { " · " });
            out.push_str(&words::say("rules_kind_count", &[&words::say(row.label, &[]), &number(count)]));
        }
    }
    (!out.is_empty()).then_some(out)
}

/// Markdown for the Analysis tab. `found`: passages whose wording stood out, marked or not.
pub(super) fn analysis(counts: &Counts, marks: &[Candidate], found: usize) -> String {
    let wording = marks.iter().filter(|mark| mark.kind != Kind::Source).count();
    let sentences = words::count("rules_sentences", wide(counts.sentences), &[]);
    let mut out = heading("rules_wording");
    if wording == 0 {
        out.push_str(&nothing(counts));
    } else {
        // Which kinds of wording, the summary says; here stands how much of it.
        out.push_str(&words::say("rules_read", &[&words_of(counts), &sentences]));
        out.push(' ');
        out.push_str(&words::count("rules_marked", wide(wording), &[]));
        if counts.words >= SHARE_WORDS {
            out.push(' ');
            out.push_str(&words::say("rules_share", &[&number((wording * 1000).div_ceil(counts.words))]));
        }
        if marks.len() == MOST_MARKS && found > wording {
            out.push(' ');
            out.push_str(&words::say("rules_found", &[&number(found)]));
        }
    }
    out.push_str("\n\n");
    out.push_str(&heading("rules_sources"));
    out.push_str(&words::say("rules_of", &[&sentences]));
    out.push_str("\n\n");
    let share = (counts.nobody * 100).div_ceil(counts.sentences.max(1));
    for line in [
        words::say("rules_linked", &[&number(counts.linked)]),
        words::say("rules_named", &[&number(counts.named)]),
        words::say("rules_quoting", &[&number(counts.quoting)]),
        words::say("rules_nobody", &[&number(counts.nobody), &number(share)]),
    ] {
        out.extend(["- ", &line, "\n"]);
    }
    out.push('\n');
    out.push_str(&heading("rules_cannot"));
    out.push_str(&words::say("rules_cannot_text", &[]));
    out.push('\n');
    out
}

fn heading(key: &str) -> String {
    ["## ", &words::say(key, &[]), "\n\n"].concat()
}

fn nothing(counts: &Counts) -> String {
    words::say("panel_nothing_stood_out", &[&words_of(counts)])
}

fn words_of(counts: &Counts) -> String {
    words::count("panel_words", wide(counts.words), &[])
}

fn number(count: usize) -> String {
    words::number(wide(count))
}

/// No machine counts further.
fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
