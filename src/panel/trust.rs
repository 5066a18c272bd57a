//! The one line a reader wants first: how far the page can be trusted, and why.

use crate::words;

/// The grade an analysis gives a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Little can be relied on.
    Low,
    /// Some can.
    Medium,
    /// Most can.
    High,
}

impl Level {
    /// What is shown.
    pub fn label(self) -> String {
        match self {
            Self::Low => words::say("trust_low", &[]),
            Self::Medium => words::say("trust_medium", &[]),
            Self::High => words::say("trust_high", &[]),
        }
    }
}

/// The trust line of an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// The grade.
    pub level: Level,
    /// Why, in the words of the analysis; empty until they arrive.
    pub reason: String,
}

/// Longest reason shown, in characters; the section itself holds the rest.
const MAX_REASON: usize = 240;

impl Trust {
    /// Reads "Trustworthiness: Medium — reason" out of one block of plain text, whatever dash or case it uses.
    /// The grade has to follow the word closely, so that "hardly trustworthy, since the high prices …" is no grade.
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let after = lower.find("trustworthiness")? + "trustworthiness".len();
        let mut rest = text[after..].trim_start_matches(is_separator);
        for filler in ["rating", "level", "is", "of this page"] {
            if let Some(shorter) = strip_word(rest, filler) {
                rest = shorter.trim_start_matches(is_separator);
            }
        }
        let (level, rest) = [("low", Level::Low), ("medium", Level::Medium), ("high", Level::High)]
            .into_iter()
            .find_map(|(word, level)| strip_word(rest, word).map(|rest| (level, rest)))?;
        let reason = rest.trim_start_matches(is_separator).split('\n').next().unwrap_or_default().trim_end();
        Some(Self { level, reason: shorten(reason) })
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '.' | ',' | ';' | '*' | '_' | '(' | ')')
}

/// `text` behind `word`, when it starts with exactly that word in any case.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    (head.eq_ignore_ascii_case(word) && !rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

fn shorten(reason: &str) -> String {
    match reason.char_indices().nth(MAX_REASON) {
        None => reason.to_owned(),
        Some((cut, _)) => {
            let cut = reason[..cut].rfind(' ').unwrap_or(cut);
            format!("{}…", &reason[..cut])
        }
    }
}
