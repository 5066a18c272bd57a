//! Which language a text is in, by the evidence of the text: its script, then its most frequent function words.
//!
//! The page's declared language is not asked: it is often the template's, not the article's.

use crate::sort::sort_by_key;

/// Share of words that must be function words of a language before the text counts as written in it, as 1/n.
/// Running English has about two in five; a page that is mostly lists and names still has one in eight.
const LEAST_SHARE: usize = 8;

/// Words looked at, from the start of the text. More would not change the verdict.
const WORDS_READ: usize = 4_000;

/// What a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// A language with word lists, by its English name.
    Supported(&'static str),
    /// A language without: its English name, or that of its script, or `None` when nothing gave it away.
    Unsupported(Option<&'static str>),
}

/// Every name a [`Language`] may have. Its text has the key `language_` with the name in lower case.
pub fn language_names() -> impl Iterator<Item = &'static str> {
    let listed = FUNCTION_WORDS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    SCRIPTS.iter().map(|&(name, ..)| name).chain(listed.map(|(name, _)| name))
}

impl Default for Language {
    fn default() -> Self {
        Self::Unsupported(None)
    }
}

/// The scripts that decide by themselves: name and code point range. Latin decides nothing.
const SCRIPTS: &[(&str, char, char)] = &[
    ("Greek", '\u{370}', '\u{3ff}'),
    ("Cyrillic", '\u{400}', '\u{52f}'),
    ("Armenian", '\u{530}', '\u{58f}'),
    ("Hebrew", '\u{590}', '\u{5ff}'),
    ("Arabic", '\u{600}', '\u{77f}'),
    ("Devanagari", '\u{900}', '\u{97f}'),
    ("Bengali", '\u{980}', '\u{9ff}'),
    ("Tamil", '\u{b80}', '\u{bff}'),
    ("Thai", '\u{e00}', '\u{e7f}'),
    ("Georgian", '\u{10a0}', '\u{10ff}'),
    ("Korean", '\u{1100}', '\u{11ff}'),
    ("Korean", '\u{ac00}', '\u{d7a3}'),
    (JAPANESE, '\u{3040}', '\u{30ff}'),
    (CHINESE, '\u{3400}', '\u{4dbf}'),
    (CHINESE, '\u{4e00}', '\u{9fff}'),
];
const JAPANESE: &str = "Japanese";
const CHINESE: &str = "Chinese";

const FUNCTION_WORDS: &str = include_str!("lists/languages.tsv");

/// The language of `text`.
pub(super) fn language(text: &str) -> Language {
    if let Some(name) = by_script(text) {
        return Language::Unsupported(Some(name));
    }
    match by_function_words(text) {
        Some(name) if super::LISTS.iter().any(|&(listed, _)| listed == name) => Language::Supported(name),
        other => Language::Unsupported(other),
    }
}

/// The language of the script most letters are in, unless that is Latin.
fn by_script(text: &str) -> Option<&'static str> {
    let mut letters = 0_usize;
    let mut counts = [0_usize; SCRIPTS.len()];
    for c in text.chars().filter(|c| c.is_alphabetic()).take(WORDS_READ * 5) {
        letters += 1;
        if c >= SCRIPTS[0].1
            && let Some(at) = SCRIPTS.iter().position(|&(_, first, last)| (first..=last).contains(&c))
        {
            counts[at] += 1;
        }
    }
    let of = |name| SCRIPTS.iter().zip(counts).filter(|((n, ..), _)| *n == name).map(|(_, count)| count).sum::<usize>();
    let (han, kana) = (of(CHINESE), of(JAPANESE));
    // A Han or Hangul character says about as much as two Latin letters, so a third is a majority of the content.
    let decides = |count: usize| count * 3 > letters;
    if decides(han + kana) {
        return Some(if kana * 8 > han { JAPANESE } else { CHINESE });
    }
    SCRIPTS.iter().map(|&(name, ..)| name).find(|name| decides(of(name)))
}

/// The language whose function words make up the largest share of the text, if that share is large enough.
fn by_function_words(text: &str) -> Option<&'static str> {
    let mut table: Vec<(&'static str, usize)> = Vec::new();
    let mut names = Vec::new();
    for line in FUNCTION_WORDS.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, words)) = line.split_once('\t') else { continue };
        table.extend(words.split(' ').map(|word| (word, names.len())));
        names.push(name);
    }
    sort_by_key(&mut table, |&row| row);

    let mut counts = vec![0_usize; names.len()];
    let mut words = 0;
    let mut folded = String::new();
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(WORDS_READ) {
        words += 1;
        folded.clear();
        folded.extend(word.chars().flat_map(char::to_lowercase));
        let first = table.partition_point(|&(known, _)| known < folded.as_str());
        for &(_, language) in table[first..].iter().take_while(|&&(known, _)| known == folded) {
            counts[language] += 1;
        }
    }
    // On a tie the earlier row wins, hence the reversed search.
    let (best, &count) = counts.iter().enumerate().rev().max_by_key(|&(_, count)| *count)?;
    (count >= 2 && count * LEAST_SHARE >= words).then(|| names[best])
}
