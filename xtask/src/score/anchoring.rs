//! Quotations against the page: is what stands under the highlight what was quoted?

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::browser::each_page;

/// The name under which our own outcomes come.
const OURS: &str = "sidelight";
/// Of a thousand phrases so many must be marked right, and none wrong.
const LEAST_RIGHT_OF_1000: u32 = 995;

#[derive(Deserialize)]
struct Page {
    name: String,
    /// What each matcher marked for each phrase, in order.
    outcomes: BTreeMap<String, Vec<Option<String>>>,
    ms: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Quotation {
    phrase: String,
    truth: String,
    kind: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    Missed,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    right: u32,
    wrong: u32,
    missed: u32,
}

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Wrong => self.wrong += 1,
            Verdict::Missed => self.missed += 1,
        }
    }

    fn all(self) -> u32 {
        self.right + self.wrong + self.missed
    }
}

/// Prints a table for each matcher; fails when ours marks other text or misses too much.
pub(super) fn score(folder: &Path, baseline: bool) -> Result<()> {
    let mut tallies: BTreeMap<String, BTreeMap<String, Tally>> = BTreeMap::new();
    let mut ms: BTreeMap<String, f64> = BTreeMap::new();
    let flags: &[&str] = if baseline { &["--baseline"] } else { &[] };
    each_page("anchoring", folder, flags, |page: Page| {
        let file = folder.join(&page.name).join("phrases.json");
        let text = fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))?;
        let quotations: Vec<Quotation> =
            serde_json::from_str(&text).with_context(|| format!("{} holds no phrases", file.display()))?;
        let mut ours = Tally::default();
        for (who, marked) in page.outcomes {
            if marked.len() != quotations.len() {
                bail!("{}: {who} answered {} of {} phrases", page.name, marked.len(), quotations.len());
            }
            *ms.entry(who.clone()).or_default() += page.ms.get(&who).copied().unwrap_or_default();
            for (quotation, marked) in quotations.iter().zip(marked) {
                let verdict = judge(quotation, marked.as_deref(), if who == OURS { " " } else { "" });
                if who == OURS {
                    ours.add(verdict);
                    report(&page.name, quotation, marked.as_deref(), verdict);
                }
                tallies.entry(who.clone()).or_default().entry(quotation.kind.clone()).or_default().add(verdict);
            }
        }
        println!("{:<20} {:>5} right {:>4} wrong {:>4} missed", page.name, ours.right, ours.wrong, ours.missed);
        Ok(())
    })?;
    let ours = tallies.remove(OURS).with_context(|| format!("no page with phrases in {}", folder.display()))?;
    for (who, kinds) in &tallies {
        print_table(who, kinds, ms[who]);
    }
    let total = print_table(OURS, &ours, ms[OURS]);
    if total.wrong > 0 || total.right * 1000 < total.all() * LEAST_RIGHT_OF_1000 {
        bail!("at least {} % right and none wrong is asked for", f64::from(LEAST_RIGHT_OF_1000) / 10.0);
    }
    Ok(())
}

fn print_table(who: &str, kinds: &BTreeMap<String, Tally>, ms: f64) -> Tally {
    println!("\n{who:<12} {:>6} {:>6} {:>6} {:>8}", "right", "wrong", "missed", "right");
    let mut total = Tally::default();
    let line = |name: &str, tally: Tally| {
        let share = 100.0 * f64::from(tally.right) / f64::from(tally.all());
        print!("{name:<12} {:>6} {:>6} {:>6} {share:>7.2}%", tally.right, tally.wrong, tally.missed);
    };
    for (kind, &tally) in kinds {
        line(kind, tally);
        println!();
        total.right += tally.right;
        total.wrong += tally.wrong;
        total.missed += tally.missed;
    }
    line("total", total);
    println!("  of {} in {:.1} s", total.all(), ms / 1000.0);
    total
}

/// Says what went wrong, so that it can be mended.
fn report(page: &str, quotation: &Quotation, marked: Option<&str>, verdict: Verdict) {
    if verdict != Verdict::Right {
        let Quotation { phrase, truth, kind } = quotation;
        println!("{page} [{kind}]\n  phrase {phrase:?}\n  truth  {truth:?}\n  marked {marked:?}");
    }
}

/// Right when the marked text is the truth, white space folded; for `stop` give or take the punctuation at its end. A
/// peer that sees no blocks writes no space between them, so theirs is compared without any white space.
fn judge(quotation: &Quotation, marked: Option<&str>, space: &str) -> Verdict {
    let Some(marked) = marked else { return Verdict::Missed };
    let folded = |text: &str| {
        let bare = if quotation.kind == "stop" { text.trim().trim_end_matches(is_mark) } else { text };
        bare.split_whitespace().collect::<Vec<_>>().join(space)
    };
    if folded(marked) == folded(&quotation.truth) { Verdict::Right } else { Verdict::Wrong }
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '…'
            | '。'
            | '、'
            | '，'
            | '！'
            | '？'
            | '：'
            | '；'
            | '؟'
            | '،'
            | '؛'
            | '।'
    )
}

#[cfg(test)]
mod tests {
    use super::{Quotation, Verdict, judge};

    fn verdict(kind: &str, truth: &str, marked: Option<&str>, space: &str) -> Verdict {
        let quotation = Quotation { phrase: String::new(), truth: truth.to_owned(), kind: kind.to_owned() };
        judge(&quotation, marked, space)
    }

    #[test]
    fn other_text_is_wrong_and_none_is_missed() {
        assert!(verdict("exact", "to be", Some("to\n be"), " ") == Verdict::Right);
        assert!(verdict("exact", "to be", Some("to be."), " ") == Verdict::Wrong);
        assert!(verdict("stop", "to be", Some("to be."), " ") == Verdict::Right);
        assert!(verdict("exact", "to be", None, " ") == Verdict::Missed);
    }

    #[test]
    fn only_peers_may_glue_blocks() {
        assert!(verdict("exact", "to be", Some("tobe"), " ") == Verdict::Wrong);
        assert!(verdict("exact", "to be", Some("tobe"), "") == Verdict::Right);
    }
}
