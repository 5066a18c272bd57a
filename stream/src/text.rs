//! What a text is made of.

use crate::eight::{below, between, each, equal, first, keep};

/// How far `bytes` are ASCII in which every byte stands for itself but for its case when spellings are folded: no control
/// characters, no hyphens, no backticks, no second space in a row (`after_space` says that one stands before the first).
/// Where the capitals are is added to `capitals`, counted from `base`.
#[inline(never)]
pub fn plain_run(bytes: &[u8], after_space: bool, base: u32, capitals: &mut Vec<u32>) -> usize {
    let mut at = 0;
    let mut before = if after_space { 0x80 } else { 0 };
    let mut push = |at: usize| capitals.push(base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)));
    while let Some(word) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(*word);
        let spaces = between(word, b' ', b' ');
        let doubled = spaces & (spaces << 8 | before);
        let odd = below(word, b' ') | equal(word, b'-') | equal(word, b'`') | word & each(0x80) | doubled;
        let mut upper = keep(between(word, b'A', b'Z'), first(odd));
        while upper != 0 {
            push(at + first(upper));
            upper &= upper - 1;
        }
        if odd != 0 {
            return at + first(odd);
        }
        (before, at) = (spaces >> 56, at + 8);
    }
    let mut spaced = before != 0;
    for &byte in &bytes[at..] {
        match byte {
            b'-' | b'`' | 0x80.. | ..b' ' => break,
            b' ' if spaced => break,
            b'A'..=b'Z' => push(at),
            _ => {}
        }
        spaced = byte == b' ';
        at += 1;
    }
    at
}

/// Length and hash of the small ASCII letters and digits that `bytes` begin with.
pub(crate) fn word(bytes: &[u8]) -> (usize, u32) {
    let (mut at, mut hash) = (0, 0);
    loop {
        let rest = &bytes[at..];
        let word = u64::from_le_bytes(rest.first_chunk().copied().unwrap_or_else(|| padded(rest)));
        let letters = between(word, b'a', b'z') | between(word, b'0', b'9');
        let length = first(!letters & each(0x80));
        if length > 0 {
            hash = mixed(hash, keep(word, length));
        }
        at += length;
        if length < 8 {
            return (at, short(hash));
        }
    }
}

/// The hash that [`word`] has of letters and digits, of any bytes.
pub(crate) fn hash(bytes: &[u8]) -> u32 {
    short(bytes.chunks(8).fold(0, |hash, chunk| mixed(hash, u64::from_le_bytes(padded(chunk)))))
}

/// The first eight bytes, filled up with zeros.
fn padded(bytes: &[u8]) -> [u8; 8] {
    std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0))
}

/// A multiplication spreads each bit over the higher ones; what follows brings those down again.
const fn mixed(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15); // 2^64 over the golden ratio, made odd
    product ^ product >> 32
}

const fn short(hash: u64) -> u32 {
    (hash & 0xffff_ffff) as u32
}

/// Whether a text is nothing but visible ASCII, in words with one space between them.
#[inline(never)]
pub fn is_tidy(text: &str) -> bool {
    let (words, rest) = text.as_bytes().as_chunks();
    // No text begins with a space, as if one stood before it.
    let mut after_space = 0x80;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let spaces = between(word, b' ', b' ');
        if between(word, b' ', b'~') != each(0x80) || spaces & (spaces << 8 | after_space) != 0 {
            return false;
        }
        after_space = spaces >> 56;
    }
    let mut is_after_space = after_space != 0;
    for byte in rest {
        if !byte.is_ascii_graphic() && (*byte != b' ' || is_after_space) {
            return false;
        }
        is_after_space = *byte == b' ';
    }
    !is_after_space || text.is_empty()
}

/// Whether a text is the address of a page beyond doubt, as nearly all are: a scheme of the web, a host of lower case
/// letters, and visible ASCII behind it. No is no answer.
#[inline(never)]
pub fn is_plain_address(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_lowercase());
    host.len() < 64 && host.split('.').all(is_label) && path.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text with what ends a run, or almost does, mixed in.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let odd = proptest::sample::select(b"  ,-`@Z[az{/09:\t\n\x00\x1f\x7f\x80\xc3\xff".to_vec());
        proptest::collection::vec(prop_oneof![8 => b'a'..=b'z', 2 => b'A'..=b'Z', 3 => odd, 1 => any::<u8>()], 0..40)
    }

    proptest! {
        #[test]
        fn a_plain_run_ends_where_it_does_byte_by_byte(bytes in bytes(), spaced: bool, base in 0..1000_u32) {
            let stands_before = |at: usize| if at == 0 { spaced } else { bytes[at - 1] == b' ' };
            let is_plain = |at: usize| match bytes[at] {
                b' ' => !stands_before(at),
                byte => byte > b' ' && byte < 0x80 && !matches!(byte, b'-' | b'`'),
            };
            let expected = (0..bytes.len()).take_while(|&at| is_plain(at)).count();
            let mut capitals = Vec::new();
            prop_assert_eq!(plain_run(&bytes, spaced, base, &mut capitals), expected);
            let upper = (0..expected).filter(|&at| bytes[at].is_ascii_uppercase());
            prop_assert_eq!(capitals, upper.map(|at| base + u32::try_from(at).unwrap()).collect::<Vec<_>>());
        }

        #[test]
        fn a_tidy_text_is_words_with_a_space_between(text in "( ?[!-~]{1,12}[ \t\u{7f}é]?){0,5}") {
            let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
            prop_assert_eq!(is_tidy(&text), text.is_empty() || text.split(' ').all(is_word));
        }

        #[test]
        fn a_word_ends_where_it_does_byte_by_byte_and_has_one_hash(bytes in bytes(), more in bytes()) {
            let length = |bytes: &[u8]| {
                bytes.iter().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count()
            };
            let expected = length(&bytes);
            prop_assert_eq!(word(&bytes), (expected, hash(&bytes[..expected])));
            let longer = [&bytes[..expected], b".", &more[..]].concat();
            prop_assert_eq!(word(&longer), (expected, hash(&bytes[..expected])), "what follows is no part of it");
        }
    }

    #[test]
    fn words_that_are_alike_have_other_hashes() {
        let mut hashes: Vec<u32> = (0..100_000).map(|n| hash(format!("word{n}").as_bytes())).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert!(hashes.len() > 99_990, "{}", hashes.len());
        let mut lists: Vec<u32> = (0..1000).map(|n| hash(format!("{n:03}").as_bytes()) & 0xffff).collect();
        lists.sort_unstable();
        lists.dedup();
        assert!(lists.len() > 900, "{}", lists.len());
    }
}
