//! A text as words, and where each word stands.

use crate::text::{hash, word};

/// A word of a text.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Of its bytes: equal words have equal ones.
    pub hash: u32,
}

impl Word {
    /// The word itself, in the text it is of.
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }
}

/// Places of one word that are told; it stands on the page more often then.
pub const MAX_PLACES: usize = 2_048;
/// Most lists that the words of a page are sorted into.
const MAX_LISTS: usize = 1 << 16;
/// Most words of a list that are looked at. A list has a few words unless one of them is very frequent.
const MAX_LOOKED_AT: usize = 1 << 15;

/// The words of a page and where each stands: 20 bytes a word.
pub struct Words {
    /// In order of the text.
    pub list: Vec<Word>,
    /// Hash and number of each word, those whose hash ends alike side by side, in order of the text.
    numbers: Vec<(u32, u32)>,
    /// Where in `numbers` those begin whose hash ends with this; one more for the end.
    begins: Vec<u32>,
    word_end: WordEnd,
}

/// Where the word that begins at a byte of a text ends; `None` when none begins there. Asked where letters and digits of
/// ASCII stand beside something else.
pub type WordEnd = fn(&str, usize) -> Option<usize>;

impl Words {
    /// Splits a text in small letters and sorts its words by their hashes, in time linear in its length.
    #[inline(never)]
    pub fn new(text: &str, word_end: WordEnd) -> Self {
        let list = split(text, word_end);
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
        Self { list, numbers, begins, word_end }
    }

    /// Bytes of the page where `text` may begin, which includes all where it does; `None` if its words tell too little. Its
    /// first and its last word may be parts of longer ones.
    #[inline(never)]
    pub fn proposals(&self, text: &str) -> Option<Vec<usize>> {
        let words = split(text, self.word_end);
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
    #[inline(never)]
    pub fn places(&self, hash: u32) -> Vec<u32> {
        let same = self.list_of(hash).iter().take(MAX_LOOKED_AT).filter(|(other, _)| *other == hash);
        same.map(|&(_, number)| number).take(MAX_PLACES + 1).collect()
    }
}

/// Splits a text in small letters into words.
#[inline(never)]
pub fn split(text: &str, word_end: WordEnd) -> Vec<Word> {
    let bytes = text.as_bytes();
    let is_gap = |at: usize| bytes.get(at).is_none_or(|&byte| stands_between_words(byte));
    let mut words = Vec::with_capacity(text.len() / 6);
    let mut start = 0;
    while start < bytes.len() {
        let (length, mut hashed) = word(&bytes[start..]);
        let mut end = start + length;
        if !is_gap(end) {
            end = word_end(text, start).unwrap_or(start);
            hashed = hash(&bytes[start..end]);
        }
        if end > start {
            words.push(Word { start: offset(start), end: offset(end), hash: hashed });
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

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{MAX_PLACES, Words};

    #[test]
    fn a_word_has_its_places_in_order_up_to_the_bound() {
        let mut text = "some of the words ".repeat(MAX_PLACES + 10);
        text.push_str("rare");
        let words = Words::new(&text, |_, _| None);
        let hash = |nth: usize| words.list[nth].hash;
        let places = words.places(hash(2));
        assert_eq!(places.len(), MAX_PLACES + 1);
        assert!(places.iter().enumerate().all(|(nth, &place)| place as usize == 4 * nth + 2));
        let last = words.list.len() - 1;
        assert_eq!(words.places(hash(last)), [u32::try_from(last).unwrap()]);
        assert_eq!(words.places(!hash(last)), [0_u32; 0]);
        assert_eq!(Words::new("", |_, _| None).places(1), [0_u32; 0]);
    }
}
