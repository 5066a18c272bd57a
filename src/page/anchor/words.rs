//! Folded text as words, and where on the page each word stands.

use sidelight_stream::text::{hash as hash_of, word as ascii_word};

use super::super::fold::is_unspaced;
use super::super::marks::is_combining_mark;
use super::kind::is_number_symbol;

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
    /// Hash and number of each word, those whose hash ends alike side by side, in order of the text.
    numbers: Vec<(u32, u32)>,
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
        let mut numbers = vec![(0, 0); list.len()];
        for (number, word) in (0..u32::try_from(list.len()).unwrap_or(u32::MAX)).zip(&list).rev() {
            let place = &mut begins[list_of(word)];
            *place -= 1;
            numbers[*place as usize] = (word.hash, number);
        }
        Self { list, numbers, begins }
    }

    /// Bytes of the page where `text` may begin, which includes all where it does; `None` if its words tell too little. Its
    /// first and its last word may be parts of longer ones.
    pub(super) fn proposals(&self, text: &str) -> Option<Vec<usize>> {
        let words = split_words(text);
        let inner = words.get(1..words.len().checked_sub(1)?)?;
        let rarest = inner.iter().min_by_key(|word| self.list_of(word.hash).len())?;
        let places = self.places(rarest.hash);
        if places.len() > MAX_PLACES || self.list_of(rarest.hash).len() > MAX_LOOKED_AT {
            return None;
        }
        let starts = places.iter().filter_map(|&number| self.list[number as usize].start.checked_sub(rarest.start));
        Some(starts.map(|start| start as usize).collect())
    }

    /// Hash and number of the words whose hash ends as this one does.
    fn list_of(&self, hash: u32) -> &[(u32, u32)] {
        let list = hash as usize & (self.begins.len() - 2);
        &self.numbers[self.begins[list] as usize..self.begins[list + 1] as usize]
    }

    /// The numbers of the words with this hash: the first [`MAX_PLACES`] and one more.
    pub(super) fn places(&self, hash: u32) -> Vec<u32> {
        let same = self.list_of(hash).iter().take(MAX_LOOKED_AT).filter(|(other, _)| *other == hash);
        same.map(|&(_, number)| number).take(MAX_PLACES + 1).collect()
    }
}

/// Splits folded text into words. Punctuation is no word, except what changes a number.
pub(super) fn split_words(text: &str) -> Vec<Word> {
    let bytes = text.as_bytes();
    let is_gap = |at: usize| bytes.get(at).is_none_or(|&byte| stands_between_words(byte));
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut start = 0;
    while start < bytes.len() {
        let (length, mut hash) = ascii_word(&bytes[start..]);
        let mut end = start + length;
        if !is_gap(end) {
            end = word_end(text, start).unwrap_or(start);
            hash = hash_of(&bytes[start..end]);
        }
        if end > start {
            words.push(Word { start: offset(start), end: offset(end), hash });
        }
        start = match is_gap(end) {
            true => end + 1,
            false if end > start => end,
            false => end + text[end..].chars().next().map_or(1, char::len_utf8),
        };
    }
    words
}

/// Whether no word has this byte in it, whatever stands beside it.
fn stands_between_words(byte: u8) -> bool {
    byte.is_ascii()
        && !byte.is_ascii_alphanumeric()
        && !matches!(byte, b'\'' | b'-' | b'%' | b'$' | b'+' | b'<' | b'>' | b'=')
}

/// Offsets fit: a snapshot is bounded far below 4 GB.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
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

fn next_is_digit(text: &str, at: usize) -> bool {
    text[at..].starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{MAX_PLACES, Words};

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
}
