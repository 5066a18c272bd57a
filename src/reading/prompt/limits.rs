//! The most of each part that goes into a prompt. Whoever supplies a part may bound it more tightly; these hold for any.

use std::borrow::Cow;

/// Longest title, in characters.
pub const MAX_TITLE: usize = 300;
/// Longest finished analysis that highlights are found by, in bytes: some four times its output limit.
pub const MAX_ANALYSIS: usize = 64_000;
/// Longest question of the reader, and longest turn before it, in bytes.
pub const MAX_QUESTION: usize = 32_000;
/// Longest passage a question may be about, in bytes.
pub const MAX_SELECTION: usize = 20_000;
/// Most of the turns before a question, in bytes; the oldest make room.
pub const MAX_HISTORY: usize = 200_000;
/// Longest notes on one part of a page, in bytes: twice their output limit.
pub const MAX_NOTE: usize = 16_000;
/// Longest sentences of one part in the list of which a summary is made, in bytes, and of the whole list.
pub const MAX_SUMMARY: usize = 1_000;
/// See [`MAX_SUMMARY`].
pub const MAX_SUMMARIES: usize = 100_000;

/// Stands where a part was cut.
const CUT: &str = "\n[Cut: the rest is too long.]";

/// A text of at most `max` bytes and the words that it was cut, if it was.
pub fn clip(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max { text.into() } else { [&text[..text.floor_char_boundary(max)], CUT].concat().into() }
}

/// The same of a text that is owned.
pub fn clipped(text: String, max: usize) -> String {
    match clip(&text, max) {
        Cow::Borrowed(_) => text,
        Cow::Owned(cut) => cut,
    }
}
