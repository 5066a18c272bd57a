//! Folded text as words: what may be misspelt and what must agree, and where on the page each word stands.

use unicode_normalization::char::is_combining_mark;

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
        postings.sort_unstable();
        Self { list, postings }
    }

    /// The postings of the words with this hash.
    pub(super) fn postings(&self, hash: u32) -> &[u64] {
        let from = self.postings.partition_point(|&posting| posting >> 32 < u64::from(hash));
        let len = self.postings[from..].partition_point(|&posting| posting >> 32 == u64::from(hash));
        &self.postings[from..from + len]
    }

    /// Which word a posting means.
    pub(super) fn position(posting: u64) -> usize {
        (posting & u64::from(u32::MAX)) as usize
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
            if symbol || !(inner || is_combining_mark(next)) {
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

fn is_number_word(word: &str, unspaced: bool) -> bool {
    const SIZES: &[&str] = &["thousand", "milli", "millard", "billi", "trilli", "hundred", "dozen", "mila", "milh", "mile", "tausend", "hundert"];
    const NUMBERS: &str = " zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
        sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety half quarter third ";
    if unspaced {
        return "〇零一二三四五六七八九十百千万萬億亿兆半".contains(word);
    }
    SIZES.iter().any(|size| word.starts_with(size)) || contains_word(NUMBERS, word)
}

/// Negations and their like in the languages pages come in most, in folded form.
fn is_negation(word: &str) -> bool {
    const NEGATIONS: &str = " no not non nor never none nobody nothing nowhere neither cannot without hardly against anti \
        ne pas jamais aucun aucune sans rien ni personne nicht kein keine keinen keiner keinem nie niemals nichts ohne \
        niet geen nooit zonder inte ej aldrig utan ikke aldri nunca sin nada nadie ningun ninguno ninguna sem nem nao \
        mai senza nessuno nessuna niente nikdy bez nic zadny nie nigdy ei ilman nem soha nelkul \
        не нет ни без никогда ничего никто לא אין בלי לעולם لا لم لن ليس ليست ما غير بدون 不 没 沒 無 无 非 未 否 别 別 莫 勿 ";
    let plain: String = word.chars().filter(|&c| !is_combining_mark(c)).collect();
    contains_word(NEGATIONS, &plain) || plain.ends_with("n't") || plain.starts_with("n'")
}

/// Whether `word` is one of the words of `list`, which begins and ends with a space.
fn contains_word(list: &str, word: &str) -> bool {
    list.match_indices(word).any(|(at, _)| {
        list[..at].ends_with(' ') && list[at + word.len()..].starts_with(' ')
    })
}

/// FNV-1a.
fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
