//! Notices a model that says the same thing over and over, as small ones do once they lost the thread.

/// How much of the end of an answer is looked at, in bytes.
const WINDOW: usize = 1024;

/// A window that is this many times the same piece is no answer any more. Rows of a table or a list differ somewhere.
const REPEATS: usize = 4;

/// Looks at the end of an answer whenever a quarter of the window came in, so the work is a few steps for each byte.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    /// At most two windows of bytes.
    tail: Vec<u8>,
    unseen: usize,
}

impl Repetition {
    /// Takes the next text; answers whether the end of the answer does nothing but repeat itself.
    pub(super) fn push(&mut self, text: &str) -> bool {
        self.tail.extend_from_slice(&text.as_bytes()[text.len().saturating_sub(WINDOW)..]);
        let surplus = self.tail.len().saturating_sub(WINDOW);
        self.tail.drain(..surplus);
        self.unseen += text.len();
        if self.unseen < WINDOW / REPEATS || self.tail.len() < WINDOW {
            return false;
        }
        self.unseen = 0;
        period(&self.tail) <= WINDOW / REPEATS
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
            read += piece.len();
            if repetition.push(piece) {
                return Some(read);
            }
        }
        None
    }

    #[test]
    fn a_loop_is_noticed_soon_whatever_its_length_and_the_pieces() {
        for unit in ["a", "<|im_end|>user\nAn page", "The page is about a harbour, and the harbour is about the page. "]
        {
            let text = format!("A good beginning. {}", unit.repeat(6000 / unit.len()));
            for size in [1, 7, 64, 1500] {
                let at = noticed(&text, size).unwrap_or_else(|| panic!("{unit:?} in pieces of {size}"));
                assert!(at <= 18 + WINDOW + WINDOW / REPEATS + 1500, "{unit:?} in pieces of {size}: only at {at}");
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
