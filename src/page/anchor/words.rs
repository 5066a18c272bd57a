//! Folded text as words: what may be misspelt and what must agree, and where on the page each word stands.

use super::super::marks::is_combining_mark;

use crate::page::fold::is_unspaced;

/// What a word is for telling two texts apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// May be misspelt, left out or added.
    Plain,
    /// A character of a script without spaces: may be left out or added.
    Unspaced,
    /// Digits, number words, currencies, percent: must agree.
    Number,
    /// Turns a sentence round: must agree.
    Negation,
}

/// A word of folded text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// First byte.
    pub(super) start: u32,
    /// One past the last byte.
    pub(super) end: u32,
    pub(super) hash: u32,
    pub(super) kind: Kind,
}

impl Word {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }
}

/// The words of a page and where each stands.
pub(super) struct Words {
    /// In order of the text.
    pub(super) list: Vec<Word>,
    /// Hash and number of every word in `list`, sorted.
    postings: Vec<u64>,
}

impl Words {
    pub(super) fn new(text: &str) -> Self {
        let list = split_words(text);
        let mut postings: Vec<u64> = (0_u64..).zip(&list).map(|(nth, word)| u64::from(word.hash) << 32 | nth).collect();
        sort_by_hash(&mut postings);
        Self { list, postings }
    }

    /// The postings of the words with this hash.
    pub(super) fn postings(&self, hash: u32) -> &[u64] {
        let from = self.postings.partition_point(|&posting| posting >> 32 < u64::from(hash));
        let len = self.postings[from..].partition_point(|&posting| posting >> 32 == u64::from(hash));
        &self.postings[from..from + len]
    }

    /// Which word a posting means.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the number")]
    pub(super) fn position(posting: u64) -> usize {
        posting as u32 as usize
    }
}

/// Sorts postings that stand in the order of their words, which those of one hash keep: eleven bits of the hash at a time.
/// A page has hundreds of thousands, and this is several times as fast as comparing them.
fn sort_by_hash(postings: &mut Vec<u64>) {
    let mut sorted = vec![0; postings.len()];
    for shift in [32, 43, 54] {
        let digit = |posting: u64| usize::try_from(posting >> shift & 0x7FF).unwrap_or_default();
        let mut places = [0_usize; 2048];
        for &posting in postings.iter() {
            places[digit(posting)] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for &posting in postings.iter() {
            let place = &mut places[digit(posting)];
            sorted[*place] = posting;
            *place += 1;
        }
        std::mem::swap(postings, &mut sorted);
    }
}

/// Splits folded text into words. Punctuation is no word, except what changes a number.
pub(super) fn split_words(text: &str) -> Vec<Word> {
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        let unspaced = is_unspaced(c);
        let symbol = is_number_symbol(c) || c == '-' && !before.is_alphanumeric() && next_is_digit(text, end);
        before = c;
        if !symbol && !c.is_alphanumeric() {
            continue;
        }
        while let Some(&(at, next)) = chars.peek() {
            let inner = !unspaced && next.is_alphanumeric() && !is_unspaced(next)
                || next == '\'' && !unspaced && text[at + 1..].starts_with(char::is_alphanumeric);
            if symbol || !(inner || !next.is_ascii() && is_combining_mark(next)) {
                break;
            }
            end = at + next.len_utf8();
            before = next;
            chars.next();
        }
        let word = &text[start..end];
        // Offsets fit: a snapshot is bounded far below 4 GB.
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { break };
        words.push(Word { start, end, hash: hash(word), kind: kind(word, symbol, unspaced) });
    }
    words
}

fn next_is_digit(text: &str, at: usize) -> bool {
    text[at..].starts_with(|c: char| c.is_ascii_digit())
}

fn is_number_symbol(c: char) -> bool {
    matches!(c, '%' | '‰' | '$' | '¢' | '£' | '¥' | '°' | '+' | '<' | '>' | '=' | '\u{20a0}'..='\u{20cf}')
}

fn kind(word: &str, symbol: bool, unspaced: bool) -> Kind {
    if symbol || word.chars().any(char::is_numeric) || is_number_word(word, unspaced) {
        Kind::Number
    } else if is_negation(word) {
        Kind::Negation
    } else if unspaced {
        Kind::Unspaced
    } else {
        Kind::Plain
    }
}

/// Beginnings of words for large numbers.
const SIZES: &[&str] =
    &["thousand", "hundred", "dozen", "milli", "billi", "trilli", "tausend", "hundert", "mille", "milh", "mila"];

/// Number words, sorted.
const NUMBERS: &[&str] = &[
    "eight",
    "eighteen",
    "eighty",
    "eleven",
    "fifteen",
    "fifty",
    "five",
    "forty",
    "four",
    "fourteen",
    "half",
    "nine",
    "nineteen",
    "ninety",
    "one",
    "quarter",
    "seven",
    "seventeen",
    "seventy",
    "six",
    "sixteen",
    "sixty",
    "ten",
    "third",
    "thirteen",
    "thirty",
    "three",
    "twelve",
    "twenty",
    "two",
    "zero",
];

/// Negations and their like in the languages pages come in most, folded and without marks, sorted.
const NEGATIONS: &[&str] = &[
    "against",
    "aldri",
    "aldrig",
    "anti",
    "aucun",
    "aucune",
    "bez",
    "cannot",
    "ei",
    "ej",
    "geen",
    "hardly",
    "ikke",
    "ilman",
    "inte",
    "jamais",
    "kein",
    "keine",
    "keinem",
    "keinen",
    "keiner",
    "mai",
    "nada",
    "nadie",
    "nao",
    "ne",
    "neither",
    "nelkul",
    "nem",
    "nessuna",
    "nessuno",
    "never",
    "ni",
    "nic",
    "nicht",
    "nichts",
    "nie",
    "niemals",
    "niente",
    "niet",
    "nigdy",
    "nikdy",
    "ningun",
    "ninguna",
    "ninguno",
    "no",
    "nobody",
    "non",
    "none",
    "nooit",
    "nor",
    "not",
    "nothing",
    "nowhere",
    "nunca",
    "ohne",
    "pas",
    "personne",
    "rien",
    "sans",
    "sem",
    "senza",
    "sin",
    "soha",
    "utan",
    "without",
    "zadny",
    "zonder",
    "без",
    "не",
    "нет",
    "ни",
    "никогда",
    "никто",
    "ничего",
    "אין",
    "בלי",
    "לא",
    "לעולם",
    "بدون",
    "غير",
    "لا",
    "لم",
    "لن",
    "ليس",
    "ليست",
    "ما",
    "不",
    "別",
    "别",
    "勿",
    "否",
    "无",
    "未",
    "沒",
    "没",
    "無",
    "莫",
    "非",
];

fn is_number_word(word: &str, unspaced: bool) -> bool {
    if unspaced {
        return "〇零一二三四五六七八九十百千万萬億亿兆半".contains(word);
    }
    SIZES.iter().any(|size| word.starts_with(size)) || NUMBERS.binary_search(&word).is_ok()
}

fn is_negation(word: &str) -> bool {
    if word.is_ascii() {
        return NEGATIONS.binary_search(&word).is_ok() || word.ends_with("n't") || word.starts_with("n'");
    }
    let plain: String = word.chars().filter(|&c| !is_combining_mark(c)).collect();
    NEGATIONS.binary_search(&plain.as_str()).is_ok() || plain.starts_with("n'")
}

/// FNV-1a.
fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{NEGATIONS, NUMBERS, sort_by_hash};

    #[test]
    fn postings_of_one_hash_keep_their_order() {
        let mut state = 1_u64;
        let mut postings: Vec<u64> = (0..5_000_u64)
            .map(|nth| {
                state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(nth);
                // Every second hash is one of few.
                let hash = if nth % 2 == 0 { state >> 62 << 30 } else { state >> 32 };
                hash << 32 | nth
            })
            .collect();
        let mut expected = postings.clone();
        expected.sort_unstable();
        sort_by_hash(&mut postings);
        assert_eq!(postings, expected);
    }

    #[test]
    fn the_tables_are_sorted_for_their_search() {
        assert!(NEGATIONS.is_sorted() && NUMBERS.is_sorted());
    }
}
