//! What a word is in folded text.

use sidelight_stream::words::{Word, Words, split};

use super::super::fold::is_unspaced;
use super::super::marks::is_combining_mark;
use super::kind::is_number_symbol;

/// Splits folded text into words. Punctuation is no word, except what changes a number.
pub(super) fn split_words(text: &str) -> Vec<Word> {
    split(text, word_end)
}

/// The words of a page.
pub(super) fn index_words(text: &str) -> Words {
    Words::new(text, word_end)
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
