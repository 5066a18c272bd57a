//! Notices a model that says the same thing over and over, as small ones do once they lost the thread.

/// How much of the end of an answer is looked at, in bytes.
const WINDOW: usize = 1024;

/// A window that is this many times the same piece is no answer any more. Rows of a table or a list differ somewhere.
const REPEATS: usize = 4;

/// How often the end is looked at, in bytes.
const STEP: usize = WINDOW / REPEATS;

/// Looks at the end of an answer at every quarter of a window, wherever the network cut it; a few steps for each byte.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    /// At most a window of bytes.
    tail: Vec<u8>,
    /// Bytes since the last look.
    unseen: usize,
}

impl Repetition {
    /// Takes the next text; answers how much of it there is, in bytes, when the answer turns out to repeat itself.
    pub(super) fn push(&mut self, text: &str) -> Option<usize> {
        let mut taken = 0;
        while taken < text.len() {
            let piece = &text.as_bytes()[taken..text.len().min(taken + STEP - self.unseen)];
            taken += piece.len();
            self.unseen += piece.len();
            self.tail.extend_from_slice(piece);
            if self.unseen < STEP {
                continue;
            }
            self.unseen = 0;
            self.tail.drain(..self.tail.len().saturating_sub(WINDOW));
            if self.tail.len() == WINDOW && period(&self.tail) <= WINDOW / REPEATS {
                return Some(text.floor_char_boundary(taken));
            }
        }
        None
    }
}

/// The smallest shift under which `text` falls onto itself (Knuth, Morris and Pratt's failure function).
fn period(text: &[u8]) -> usize {
    let mut borders = vec![0; text.len()];
    let mut border = 0;
    for end in 1..text.len() {
        while border > 0 && text[border] != text[end] {
            border = borders[border - 1];
        }
        border += usize::from(text[border] == text[end]);
        borders[end] = border;
    }
    text.len() - border
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    /// Where a text fed in pieces of `size` bytes is found to repeat itself.
    fn noticed(text: &str, size: usize) -> Option<usize> {
        let mut repetition = Repetition::default();
        let pieces = text.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).expect("ASCII"));
        let mut read = 0;
        for piece in pieces {
            if let Some(within) = repetition.push(piece) {
                return Some(read + within);
            }
            read += piece.len();
        }
        None
    }

    #[test]
    fn a_loop_is_noticed_soon_and_at_the_same_place_whatever_the_pieces() {
        for unit in ["a", "<|im_end|>user\nAn page", "The page is about a harbour, and the harbour is about the page. "]
        {
            let text = format!("A good beginning. {}", unit.repeat(6000 / unit.len()));
            let at = noticed(&text, 1).unwrap_or_else(|| panic!("{unit:?} goes unnoticed"));
            assert!(at <= 18 + WINDOW + STEP, "{unit:?} is noticed only at {at}");
            for size in 2..1500 {
                assert_eq!(noticed(&text, size), Some(at), "{unit:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn lists_tables_and_rules_are_no_loops() {
        let rows = (0..400).map(|n| format!("| row {n} | yes | no |\n")).collect::<Vec<_>>().concat();
        let rule = format!("Text.\n{}\nMore text that goes on.\n", "-".repeat(200));
        let numbers = (0..600).map(|n| format!("- Claim {n} carries no source.\n")).collect::<Vec<_>>().concat();
        for text in [rows, rule, numbers] {
            assert_eq!(noticed(&text, 4), None);
        }
    }
}
