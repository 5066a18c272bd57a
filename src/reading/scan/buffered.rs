//! The extractor for callers that keep the whole text themselves.

use super::{Found, Limits, Scanner};
use crate::wire::Highlight;

/// Every highlight that is complete in `buffer` after `from_pos`, and the position just after the last of them
/// (`from_pos` when there is none). Positions count UTF-16 units, as JavaScript strings do.
///
/// Call it with the growing text and the last position returned. Each call reads the object in progress again;
/// [`Scanner`] does not. A position other than 0 is taken to lie inside the array of highlights. Neither length nor
/// number of the phrases is limited.
pub fn extract_complete_highlights(buffer: &str, from_pos: usize) -> (Vec<Highlight>, usize) {
    let limits = Limits { highlights: usize::MAX, phrase_chars: 1..=usize::MAX };
    let mut scanner = if from_pos == 0 { Scanner::with_limits(limits) } else { Scanner::inside_highlights(limits) };
    let (mut highlights, mut next, mut position, mut ended) = (Vec::new(), from_pos, 0, 0);
    let mut out = Vec::new();
    for c in buffer.chars() {
        let is_before = position < from_pos;
        position += c.len_utf16();
        if is_before {
            continue;
        }
        scanner.push_char(c, &mut out);
        if scanner.tree.ended() > ended {
            ended = scanner.tree.ended();
            next = position;
        }
        highlights.extend(out.drain(..).filter_map(|found| match found {
            Found::Highlight(highlight) => Some(highlight),
            Found::Summary(_) | Found::CategorySummaries(_) => None,
        }));
    }
    (highlights, next)
}

impl Scanner {
    /// A scanner for text that starts in the middle of a `highlights` array.
    fn inside_highlights(limits: Limits) -> Self {
        let mut scanner = Self::with_limits(limits);
        scanner.tree.open_highlights();
        scanner.mode = super::Mode::Structure;
        scanner
    }
}
