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
}

impl Word {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }

    pub(super) fn kind(&self, text: &str) -> Kind {
        kind(self.text(text))
    }
}

/// Places of one word that are told; it stands on the page more often then.
pub(super) const MAX_PLACES: usize = 2_048;
/// Most lists that the words of a page are sorted into.
const MAX_LISTS: usize = 1 << 16;
/// Most words of a list that are looked at. A list has a few words unless one of them is very frequent.
const MAX_LOOKED_AT: usize = 1 << 15;

/// The words of a page and where each stands.
pub(super) struct Words {
    /// In order of the text.
    pub(super) list: Vec<Word>,
    /// Numbers of the words, those whose hash ends alike side by side, in order of the text.
    numbers: Vec<u32>,
    /// Where in `numbers` those begin whose hash ends with this; one more for the end.
    begins: Vec<u32>,
}

impl Words {
    pub(super) fn new(text: &str) -> Self {
        let list = split_words(text);
        let lists = list.len().next_power_of_two().min(MAX_LISTS);
        let list_of = |word: &Word| word.hash as usize & (lists - 1);
        let mut begins = vec![0_u32; lists + 1];
        for word in &list {
            begins[list_of(word)] += 1;
        }
        // First where each list ends; to fill it from its end leaves where it begins.
        let mut end = 0;
        for begin in &mut begins {
            end += *begin;
            *begin = end;
        }
        let mut numbers = vec![0; list.len()];
        for (number, word) in (0..u32::try_from(list.len()).unwrap_or(u32::MAX)).zip(&list).rev() {
            let place = &mut begins[list_of(word)];
            *place -= 1;
            numbers[*place as usize] = number;
        }
        Self { list, numbers, begins }
    }

    /// The numbers of the words with this hash: the first [`MAX_PLACES`] and one more.
    pub(super) fn places(&self, hash: u32) -> Vec<u32> {
        let list = hash as usize & (self.begins.len() - 2);
        let numbers = &self.numbers[self.begins[list] as usize..self.begins[list + 1] as usize];
        let same = numbers.iter().take(MAX_LOOKED_AT).filter(|&&number| self.list[number as usize].hash == hash);
        same.copied().take(MAX_PLACES + 1).collect()
    }
}

/// Splits folded text into words. Punctuation is no word, except what changes a number.
pub(super) fn split_words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut at = 0;
    while at < bytes.len() {
        let (mut end, mut hash) = (at, HASH_OF_NOTHING);
        while let Some(&byte) = bytes.get(end)
            && byte.is_ascii_alphanumeric()
        {
            hash = hash_with(hash, byte);
            end += 1;
        }
        let is_whole = bytes.get(end).is_none_or(|&byte| byte.is_ascii() && byte != b'\'');
        if at == end && is_whole && !may_be_symbol(bytes[at]) {
            at += 1;
            continue;
        }
        if at == end || !is_whole {
            let Some(word_end) = word_end(text, at) else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            end = word_end;
            hash = bytes[at..end].iter().copied().fold(HASH_OF_NOTHING, hash_with);
        }
        // Offsets fit: a snapshot is bounded far below 4 GB.
        let (Ok(start), Ok(word_end)) = (u32::try_from(at), u32::try_from(end)) else { break };
        words.push(Word { start, end: word_end, hash });
        at = end;
    }
    words
}

/// Where the word that begins at a byte of `text` ends; `None` when none begins there.
fn word_end(text: &str, start: usize) -> Option<usize> {
    let mut chars = text[start..].char_indices().map(|(at, c)| (start + at, c)).skip(1).peekable();
    let first = text[start..].chars().next()?;
    let mut end = start + first.len_utf8();
    if is_number_symbol(first) {
        return Some(end);
    }
    if first == '-' {
        let begins_number = !text[..start].ends_with(char::is_alphanumeric) && next_is_digit(text, end);
        return begins_number.then_some(end);
    }
    if !first.is_alphanumeric() {
        return None;
    }
    let unspaced = is_unspaced(first);
    while let Some(&(at, next)) = chars.peek() {
        let inner = !unspaced && next.is_alphanumeric() && !is_unspaced(next)
            || next == '\'' && !unspaced && text[at + 1..].starts_with(char::is_alphanumeric);
        if !(inner || !next.is_ascii() && is_combining_mark(next)) {
            break;
        }
        end = at + next.len_utf8();
        chars.next();
    }
    Some(end)
}

/// Whether an ASCII byte that is no letter and no digit may be a word.
fn may_be_symbol(byte: u8) -> bool {
    byte == b'-' || is_number_symbol(char::from(byte))
}

fn next_is_digit(text: &str, at: usize) -> bool {
    text[at..].starts_with(|c: char| c.is_ascii_digit())
}

fn is_number_symbol(c: char) -> bool {
    matches!(c, '%' | '‰' | '$' | '¢' | '£' | '¥' | '°' | '+' | '<' | '>' | '=' | '\u{20a0}'..='\u{20cf}')
}

fn kind(word: &str) -> Kind {
    let unspaced = word.starts_with(is_unspaced);
    let symbol = word.starts_with(|c| c == '-' || is_number_symbol(c));
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

/// FNV-1a of no bytes.
const HASH_OF_NOTHING: u32 = 0x811c_9dc5;

/// FNV-1a of one byte more.
fn hash_with(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{MAX_PLACES, NEGATIONS, NUMBERS, Words};

    #[test]
    fn a_word_has_its_places_in_order_up_to_the_bound() {
        let mut text = "some of the words ".repeat(MAX_PLACES + 10);
        text.push_str("rare");
        let words = Words::new(&text);
        let hash = |nth: usize| words.list[nth].hash;
        let places = words.places(hash(2));
        assert_eq!(places.len(), MAX_PLACES + 1);
        assert!(places.iter().enumerate().all(|(nth, &place)| place as usize == 4 * nth + 2));
        let last = words.list.len() - 1;
        assert_eq!(words.places(hash(last)), [u32::try_from(last).unwrap()]);
        assert_eq!(words.places(!hash(last)), [0_u32; 0]);
        assert_eq!(Words::new("").places(1), [0_u32; 0]);
    }

    #[test]
    fn the_tables_are_sorted_for_their_search() {
        assert!(NEGATIONS.is_sorted() && NUMBERS.is_sorted());
    }
}
