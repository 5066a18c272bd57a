//! A long text in windows that overlap.
//!
//! Sizes are bytes of UTF-8: for what a model holds they are the better measure, since scripts whose characters take
//! more bytes also take more tokens.

use std::ops::Range;

use super::fold::{extends, is_regional_indicator};

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// Cuts `text`, a block a line, into windows of at most `size` bytes, in order. Each but the first begins with up to
/// `overlap` bytes of the one before: whole blocks where they fit, so that nothing is seen only torn apart. A window ends
/// with a block, else with a sentence, else with a word, and never inside a character as people see it.
///
/// Together they cover everything. `overlap` counts as at most a quarter of `size`, `size` as at least 64.
pub fn windows(text: &str, size: usize, overlap: usize) -> Vec<Range<usize>> {
    let size = size.max(64);
    let overlap = overlap.min(size / 4);
    let mut windows = Vec::new();
    let mut start = 0;
    while text.len() - start > size {
        // Windows of about the same size, rather than a crumb at the end.
        let rest = text.len() - start;
        let aim = (rest.div_ceil(rest.div_ceil(size)) + overlap + size / 16).min(size);
        let end = last_end(text, start + aim / 2, start + aim);
        windows.push(start..end);
        start = if overlap == 0 { end } else { first_start(text, end - overlap, end) };
    }
    windows.push(start..text.len());
    windows
}

/// The best end of a window within `from..=to`: the last of the best kind.
fn last_end(text: &str, from: usize, to: usize) -> usize {
    let (from, to) = (text.ceil_char_boundary(from), text.floor_char_boundary(to));
    let mut after = text[to..].chars().next();
    let (mut at, mut best) = (to, (Cut::Inside, to));
    for before in text[from..to].chars().rev() {
        let cut = Cut::between(before, after);
        if cut > best.0 {
            best = (cut, at);
        }
        if cut == Cut::Block {
            break;
        }
        at -= before.len_utf8();
        after = Some(before);
    }
    best.1
}

/// The best start of a window within `from..=to`: the first of the best kind.
fn first_start(text: &str, from: usize, to: usize) -> usize {
    let from = text.ceil_char_boundary(from);
    let mut before = text[..from].chars().next_back();
    let (mut at, mut best) = (from, (Cut::Inside, to));
    for after in text[from..to].chars() {
        let cut = before.map_or(Cut::Inside, |before| Cut::between(before, Some(after)));
        if cut > best.0 {
            best = (cut, at);
        }
        if cut == Cut::Block {
            break;
        }
        at += after.len_utf8();
        before = Some(after);
    }
    best.1
}

/// What a cut parts, the most harm first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cut {
    /// One character as people see it.
    Inside,
    Word,
    BetweenWords,
    Sentence,
    Block,
}

impl Cut {
    fn between(before: char, after: Option<char>) -> Self {
        let Some(after) = after else { return Self::Block };
        match before {
            '\n' => Self::Block,
            '。' | '！' | '？' | '．' | '।' => Self::Sentence,
            '.' | '!' | '?' | '…' | '؟' | '"' | '”' | '’' | ')' if after.is_whitespace() => Self::Sentence,
            _ if before.is_whitespace() => Self::BetweenWords,
            '\u{200d}' => Self::Inside,
            _ if is_regional_indicator(before) && is_regional_indicator(after) => Self::Inside,
            _ if after == '\u{200d}' || extends(after) => Self::Inside,
            _ => Self::Word,
        }
    }
}
