//! Notices a model that says the same thing over and over, as small ones do once they lost the thread.

/// How much of the end of an answer is looked at, in bytes.
const WINDOW: usize = 1024;

/// A window that is this many times the same piece is no answer any more. Rows of a table or a list differ somewhere.
const REPEATS: usize = 4;

/// How much of an answer comes between two looks, in bytes; also the longest piece whose repetition is noticed.
const STEP: usize = WINDOW / REPEATS;

/// Looks at the answer after every [`STEP`] bytes of it, however it is cut, so the work is a few steps for each byte.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    /// At most a window and a step of bytes.
    tail: Vec<u8>,
    unseen: usize,
}

impl Repetition {
    /// Takes the next text; answers whether the answer has come to do nothing but repeat itself.
    pub(super) fn push(&mut self, text: &str) -> bool {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (step, after) = rest.split_at(rest.len().min(STEP - self.unseen));
            rest = after;
            self.tail.extend_from_slice(step);
            self.unseen += step.len();
            if self.unseen < STEP {
                break;
            }
            self.unseen = 0;
            self.tail.drain(..self.tail.len().saturating_sub(WINDOW));
            if self.tail.len() == WINDOW && period(&self.tail) <= STEP {
                return true;
            }
        }
        false
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
    fn a_loop_is_noticed_in_the_middle_of_a_large_piece() {
        let text = format!(
            "Before. {} After, {}",
            "x".repeat(2000),
            (0..900).map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
        );
        for size in [1, 300, text.len()] {
            assert!(noticed(&text, size).is_some(), "in pieces of {size}");
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
