//! In which parts a text is read, and about what that sends.
//!
//! Sizes are bytes of UTF-8. A token is worth about four of them in English, about three where characters take several
//! bytes each.

use crate::page::windows;

/// A page up to this size is first tried whole: some 100,000 tokens, half of what the models of today hold.
pub const WHOLE: usize = 400_000;
/// A part from which a model names phrases: so small that the 25 it may name are the telling ones.
pub const WINDOW: usize = 24_000;
/// The same with a server on this machine: small enough that question and answer fit into 8,192 tokens.
pub const WINDOW_LOCALLY: usize = 12_000;
/// A part on which a model takes notes.
pub const NOTES_PART: usize = 100_000;
/// What a part repeats of the one before.
pub const OVERLAP: usize = 600;
/// Most parts of a page. Parts grow with the page, so that only a model with a small context ever leaves something out.
pub const MAX_PARTS: usize = 200;
/// A reading that sends more tokens than this to a model on another machine is not begun unasked.
pub const UNASKED_TOKENS: u64 = 60_000;

/// Instructions of one request, about, in bytes.
const INSTRUCTIONS: usize = 3_500;
/// Tokens of a model's notes on one part, of an analysis, and of the phrases of one part, about.
const NOTES_TOKENS: u64 = 600;
const ANALYSIS_TOKENS: u64 = 2_000;
const PHRASES_TOKENS: u64 = 1_200;

/// What reading a page takes: its analysis and its highlights together, without what a model looks up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Plan {
    /// How many requests are sent.
    pub requests: u64,
    /// About how many tokens they send.
    pub sent: u64,
    /// About how many tokens come back.
    pub received: u64,
}

impl Plan {
    /// What reading `text` takes of a model on another machine.
    pub fn of(text: &str) -> Self {
        let mut plan = Self::default();
        if text.len() > WHOLE {
            for part in windows(text, NOTES_PART, OVERLAP) {
                plan.add(tokens(&text[part]), NOTES_TOKENS);
            }
            plan.add(plan.received, ANALYSIS_TOKENS);
        } else {
            plan.add(tokens(text), ANALYSIS_TOKENS);
        }
        let parts = windows(text, window(text.len(), false), OVERLAP);
        let several = parts.len() > 1;
        for part in parts {
            plan.add(tokens(&text[part]), PHRASES_TOKENS);
        }
        if several {
            plan.add(0, NOTES_TOKENS);
        }
        plan
    }

    fn add(&mut self, sent: u64, received: u64) {
        self.requests += 1;
        self.sent += sent + (INSTRUCTIONS / 4) as u64;
        self.received += received;
    }
}

/// Size of the parts of which phrases are named, for a text of `len` bytes.
pub fn window(len: usize, is_local: bool) -> usize {
    // Twice what would just do, since a window ends where a block does.
    if is_local { WINDOW_LOCALLY } else { WINDOW }.max(len / (MAX_PARTS / 2))
}

/// The longest beginning of a text whose reading sends no more than [`UNASKED_TOKENS`], up to the end of a block.
pub fn first_part(text: &str) -> &str {
    let mut size = text.len().min(2 * usize::try_from(UNASKED_TOKENS).unwrap_or(usize::MAX));
    loop {
        let end = windows(&text[..text.floor_char_boundary(size)], size.max(1) * 15 / 16, 0)[0].end;
        let part = &text[..end];
        if Plan::of(part).sent <= UNASKED_TOKENS || size < WINDOW {
            return part;
        }
        size = size / 10 * 9;
    }
}

/// About how many tokens a text is.
pub fn tokens(text: &str) -> u64 {
    let wide = text.bytes().filter(|byte| !byte.is_ascii()).count();
    ((text.len() - wide) / 4 + wide / 3) as u64
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn page(line: &str, bytes: usize) -> String {
        line.repeat(bytes / line.len())
    }

    #[test]
    fn a_usual_article_is_read_unasked_and_a_long_page_is_not() {
        let line = "The harbour grew again this year, the office says.\n";
        assert!(Plan::of(&page(line, 40_000)).sent < UNASKED_TOKENS);
        let plan = Plan::of(&page(line, 400_000));
        assert!((20..=26).contains(&plan.requests), "{plan:?}");
        assert!((200_000..=240_000).contains(&plan.sent), "{plan:?}");
        let plan = Plan::of(&page(line, 4_000_000));
        assert!((140..=160).contains(&plan.requests), "{plan:?}");
        assert!((2_000_000..=2_500_000).contains(&plan.sent), "{plan:?}");
    }

    #[test]
    fn a_first_part_ends_with_a_block_and_is_within_the_bound() {
        for line in [
            "The harbour grew again this year.\n",
            "港は今年も大きくなりました。\n",
            "Größe über alles, fraß er süß.\n",
        ] {
            let text = page(line, 900_000);
            let part = first_part(&text);
            let sent = Plan::of(part).sent;
            assert!(sent <= UNASKED_TOKENS && sent > UNASKED_TOKENS / 2, "{line}: {sent}");
            assert!(part.ends_with('\n') && text.starts_with(part), "{line}");
        }
        let unbroken = "x".repeat(1_000_000);
        assert!(Plan::of(first_part(&unbroken)).sent <= UNASKED_TOKENS);
        assert_eq!(first_part(""), "");
    }
}
