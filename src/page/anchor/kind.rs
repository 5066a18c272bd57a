//! What may be misspelt in a quotation and what must agree.

use super::super::fold::is_unspaced;
use super::super::marks::is_combining_mark;

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

/// Whether a symbol changes what a number says.
pub(super) fn is_number_symbol(c: char) -> bool {
    matches!(c, '%' | '‰' | '$' | '¢' | '£' | '¥' | '°' | '+' | '<' | '>' | '=' | '\u{20a0}'..='\u{20cf}')
}

impl Kind {
    /// The kind of a word of folded text.
    pub(super) fn of(word: &str) -> Self {
        let unspaced = word.starts_with(is_unspaced);
        let symbol = word.starts_with(|c| c == '-' || is_number_symbol(c));
        if symbol || word.chars().any(char::is_numeric) || is_number_word(word, unspaced) {
            Self::Number
        } else if is_negation(word) {
            Self::Negation
        } else if unspaced {
            Self::Unspaced
        } else {
            Self::Plain
        }
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

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{NEGATIONS, NUMBERS};

    #[test]
    fn the_tables_are_sorted_for_their_search() {
        assert!(NEGATIONS.is_sorted() && NUMBERS.is_sorted());
    }
}
