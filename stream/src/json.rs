//! The inside of a JSON string, eight bytes at a time.

use crate::eight::{below, each, equal, first};

/// A string, or the part of one that has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its bytes, up to the closing quote or all there are.
    pub length: usize,
    /// Whether the last of them is a backslash that escapes what comes next.
    pub ends_escaped: bool,
    /// Whether there is a backslash in it.
    pub has_escapes: bool,
}

/// How far `bytes` belong to a string; `escaped` says that a backslash stands before the first. `None` at a control
/// character, which no JSON string holds.
pub fn string_part(bytes: &[u8], escaped: bool) -> Option<Part> {
    let mut at = 0;
    let mut has_escapes = escaped;
    let mut is_escape = escaped;
    loop {
        if is_escape {
            match bytes.get(at) {
                None => return Some(Part { length: at, ends_escaped: true, has_escapes }),
                Some(..b' ') => return None,
                Some(_) => at += 1,
            }
        }
        at += plain_length(&bytes[at..]);
        match bytes.get(at) {
            None | Some(b'"') => return Some(Part { length: at, ends_escaped: false, has_escapes }),
            Some(b'\\') => at += 1,
            Some(_) => return None,
        }
        (is_escape, has_escapes) = (true, true);
    }
}

/// Adds what the inside of a string means to `out`: UTF-8 exactly if `written` is. `None`, with a part of it added, where
/// JSON knows no such escape (half of a surrogate pair is none) or holds no such character.
pub fn unescape(written: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut rest = written;
    loop {
        rest = &rest[copy_plain(rest, out)..];
        match rest {
            [] => return Some(()),
            [b'\\', b'u', ..] => {
                let unit = code_unit(rest)?;
                rest = &rest[ESCAPED_UNIT..];
                let pair = (0xD800..0xDC00).contains(&unit).then(|| code_unit(rest)).flatten();
                let c = match pair {
                    Some(low @ 0xDC00..0xE000) => {
                        rest = &rest[ESCAPED_UNIT..];
                        char::from_u32(0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00))?
                    }
                    _ => char::from_u32(unit)?,
                };
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            [b'\\', byte, tail @ ..] => {
                out.push(match byte {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'b' => 0x8,
                    b'f' => 0xc,
                    b'"' | b'\\' | b'/' => *byte,
                    _ => return None,
                });
                rest = tail;
            }
            _ => return None,
        }
    }
}

/// Adds the bytes of the [plain length](plain_length), and answers how many they are. Eight at a time and some of them
/// taken back: a call that copies a few bytes costs more.
fn copy_plain(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut at = 0;
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let plain = first(odd(u64::from_le_bytes(*chunk)));
        out.extend_from_slice(chunk);
        at += plain;
        if plain < 8 {
            out.truncate(out.len() - (8 - plain));
            return at;
        }
    }
    for &byte in bytes[at..].iter().take_while(|byte| is_plain(**byte)) {
        out.push(byte);
        at += 1;
    }
    at
}

/// Length of `\u` with its four digits.
const ESCAPED_UNIT: usize = 6;

/// The UTF-16 unit whose escape `text` begins with.
fn code_unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
}

/// Marks control characters, quotes and backslashes among eight bytes: the first of them, and perhaps others behind it.
fn odd(word: u64) -> u64 {
    below(word, b' ') | equal(word, b'"') | equal(word, b'\\')
}

fn is_plain(byte: u8) -> bool {
    byte >= b' ' && !matches!(byte, b'"' | b'\\')
}

/// How many bytes at the start are neither control characters, quotes nor backslashes.
pub fn plain_length(bytes: &[u8]) -> usize {
    run_length(bytes, odd, is_plain)
}

/// How many bytes at the start are none of these, and no brackets or braces either.
pub fn plain_text_length(bytes: &[u8]) -> usize {
    run_length(
        bytes,
        |word| {
            // Without the bit that tells them apart, brackets and the backslash are braces and the pipe.
            let folded = word | each(0x20);
            below(word, b' ') | equal(word, b'"') | equal(folded, b'{') | below(folded ^ each(b'|'), 2)
        },
        |byte| byte >= b' ' && !matches!(byte, b'"' | b'\\' | b'{' | b'}' | b'[' | b']'),
    )
}

/// How many bytes at the start are plain. `odd` marks the others in eight bytes, and may mark too many.
fn run_length(bytes: &[u8], odd: impl Fn(u64) -> u64, is_plain: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(word) = bytes[at..].first_chunk() {
        let mask = odd(u64::from_le_bytes(*word));
        if mask == 0 {
            at += 8;
            continue;
        }
        at += first(mask);
        if !is_plain(bytes[at]) {
            return at;
        }
        at += 1;
    }
    at + bytes[at..].iter().take_while(|byte| is_plain(**byte)).count()
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes with what ends a run, or almost does, mixed in.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let odd = proptest::sample::select(b"\"\\{}[]|\x1f\x00\x7f\x80\xa2\xdc\xfb\xff !".to_vec());
        proptest::collection::vec(prop_oneof![8 => b'a'..=b'z', 1 => odd, 1 => any::<u8>()], 0..40)
    }

    fn count(bytes: &[u8], odd: &[u8]) -> usize {
        bytes.iter().take_while(|byte| **byte >= b' ' && !odd.contains(byte)).count()
    }

    proptest! {
        #[test]
        fn runs_end_where_they_do_byte_by_byte(bytes in bytes()) {
            prop_assert_eq!(plain_length(&bytes), count(&bytes, b"\"\\"));
            prop_assert_eq!(plain_text_length(&bytes), count(&bytes, b"\"\\{}[]"));
        }

        #[test]
        fn a_string_is_the_same_in_two_parts(bytes in bytes(), escaped in any::<bool>(), cut in 0..40_usize) {
            let cut = cut.min(bytes.len());
            let whole = string_part(&bytes, escaped);
            let parts = string_part(&bytes[..cut], escaped).and_then(|first| {
                if first.length < cut {
                    return Some(first);
                }
                let second = string_part(&bytes[cut..], first.ends_escaped)?;
                let has_escapes = first.has_escapes || second.has_escapes;
                Some(Part { length: cut + second.length, has_escapes, ..second })
            });
            prop_assert_eq!(parts, whole);
        }

        #[test]
        fn escapes_are_read_as_serde_reads_them(
            text in r#"([a-z é犬🐕]|\\[nrtbf"\\/]|\\u[0-9a-fA-F]{4}|\\ud83d\\udc15|\\ud83d|\\udc15|\\u12|\\x|\\){0,8}"#,
        ) {
            // A quote behind an escaped backslash ends a string.
            prop_assume!(string_part(text.as_bytes(), false).is_some_and(|part| part.length == text.len()));
            let mut out = Vec::new();
            let ours = unescape(text.as_bytes(), &mut out).map(|()| out);
            let theirs = serde_json::from_str::<String>(&format!("\"{text}\"")).ok();
            prop_assert_eq!(ours, theirs.map(String::into_bytes));
        }
    }
}
