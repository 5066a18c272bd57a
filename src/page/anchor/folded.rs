//! Text folded for matching, with exact maps back to UTF-16 offsets of what it was made from.

use super::super::fold::Decompose;
use super::folder::Folder;
use crate::wire::Snapshot;

/// Neighbouring clusters of equal size. A cluster is what a reader takes for one character: never matched in part.
pub(super) struct Run {
    /// Where the first begins, in bytes of the folded text.
    pub(super) folded: u32,
    /// Where the first begins, in UTF-16 units of the source.
    pub(super) source: u32,
    /// Bytes of each in the folded text.
    pub(super) folded_len: u16,
    /// UTF-16 units of each in the source; 0 for the space that stands for a block boundary.
    pub(super) source_len: u16,
}

/// Folded text: NFKD, lower case, plain quotes and dashes, single spaces (one for a block boundary as well), nothing
/// invisible.
pub(super) struct FoldedText {
    pub(super) text: String,
    /// Sorted by either offset.
    pub(super) runs: Vec<Run>,
    /// Offsets into `text` of the spaces that stand for block boundaries.
    pub(super) blocks: Vec<u32>,
    /// Flags from an offset into `text` on, noted where they change.
    pub(super) flags: Vec<(u32, u32)>,
    /// Offsets into `text` of what were capitals.
    pub(super) capitals: Vec<u32>,
}

/// A phrase folded as the page is.
pub(super) struct Phrase {
    pub(super) text: String,
    /// Offsets into `text` of what were capitals.
    pub(super) capitals: Vec<u32>,
}

impl Phrase {
    /// Folds a phrase: one piece of text without blocks, trimmed.
    pub(super) fn new(phrase: &str, decompose: Decompose) -> Self {
        let mut folder = Folder::new(phrase.len(), decompose);
        folder.handle_text(phrase.trim_start());
        let FoldedText { mut text, capitals, .. } = folder.finish();
        text.truncate(text.trim_ascii_end().len());
        let lead = text.len() - text.trim_ascii_start().len();
        Self { text, capitals }.part(lead, usize::MAX)
    }

    /// A phrase of which only the folded form is known.
    pub(super) fn of_folded(text: &str) -> Self {
        Self { text: text.to_owned(), capitals: Vec::new() }
    }

    /// What stands between two bytes, the second cut to the end.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.text.len());
        let inside = self.capitals.iter().filter(|&&at| (start..end).contains(&(at as usize)));
        let shifted = inside.map(|&at| at - u32::try_from(start).unwrap_or(at));
        Self { text: self.text[start..end].to_owned(), capitals: shifted.collect() }
    }
}

impl FoldedText {
    /// Folds a page's text in one pass. Text beyond the declared nodes belongs to the last of them.
    pub(super) fn of_snapshot(snapshot: &Snapshot, decompose: Decompose) -> Self {
        let mut folder = Folder::new(snapshot.text.len(), decompose);
        let mut rest = snapshot.text.as_str();
        // Nodes without a boundary between them are folded as one: a cluster may cross elements, never blocks.
        let mut nodes = snapshot.nodes.iter().peekable();
        while let Some(&(len, flags)) = nodes.next() {
            folder.handle_node(flags);
            let mut len = len;
            while let Some(&&(more, next)) = nodes.peek()
                && next & Snapshot::BLOCK == 0
                && next & KEPT_FLAGS == flags & KEPT_FLAGS
            {
                len = len.saturating_add(more);
                nodes.next();
            }
            let (node, after) = if nodes.peek().is_some() { split_at_utf16(rest, len) } else { (rest, "") };
            folder.handle_text(node);
            rest = after;
        }
        if snapshot.nodes.is_empty() {
            folder.handle_text(rest);
        }
        folder.finish()
    }

    /// Where the cluster that begins at byte `at` begins in the source, or `None` inside a cluster.
    pub(super) fn source_start(&self, at: usize) -> Option<u32> {
        self.cluster(at).map(|(start, _)| start)
    }

    /// Where the cluster that ends before byte `end` ends in the source, or `None` inside a cluster.
    pub(super) fn source_end(&self, end: usize) -> Option<u32> {
        if end < self.text.len() && self.cluster(end).is_none() {
            return None;
        }
        let last = u32::try_from(end.checked_sub(1)?).ok()?;
        let run = &self.runs[self.runs.partition_point(|run| run.folded <= last).checked_sub(1)?];
        let nth = (last - run.folded) / u32::from(run.folded_len);
        Some(run.source + (nth + 1) * u32::from(run.source_len))
    }

    /// Whether a block boundary stands between two bytes of the folded text.
    pub(super) fn block_between(&self, from: usize, to: usize) -> bool {
        let next = self.blocks.partition_point(|&at| (at as usize) < from);
        self.blocks.get(next).is_some_and(|&at| (at as usize) < to)
    }

    /// Flags of the node that the byte at `at` came from.
    pub(super) fn flags_at(&self, at: usize) -> u32 {
        let next = self.flags.partition_point(|&(from, _)| from as usize <= at);
        next.checked_sub(1).map_or(0, |last| self.flags[last].1)
    }

    /// Whether the capitals in a part of the folded text are those given (relative to its start).
    pub(super) fn same_capitals(&self, part: std::ops::Range<usize>, capitals: &[u32]) -> bool {
        let from = self.capitals.partition_point(|&at| (at as usize) < part.start);
        let len = self.capitals[from..].partition_point(|&at| (at as usize) < part.end);
        let ours = self.capitals[from..from + len].iter().map(|&at| at as usize - part.start);
        ours.eq(capitals.iter().map(|&at| at as usize))
    }

    /// How many capitals a part of the folded text was made from.
    pub(super) fn capitals_in(&self, part: std::ops::Range<usize>) -> usize {
        let before = |end: usize| self.capitals.partition_point(|&at| (at as usize) < end);
        before(part.end) - before(part.start)
    }

    fn cluster(&self, at: usize) -> Option<(u32, u32)> {
        let at = u32::try_from(at).ok()?;
        let run = &self.runs[self.runs.partition_point(|run| run.folded <= at).checked_sub(1)?];
        let (nth, inside) =
            ((at - run.folded) / u32::from(run.folded_len), (at - run.folded) % u32::from(run.folded_len));
        let start = run.source + nth * u32::from(run.source_len);
        (inside == 0).then_some((start, start + u32::from(run.source_len)))
    }
}

/// The flags that decide between several places.
pub(super) const KEPT_FLAGS: u32 = Snapshot::MAIN | Snapshot::CODE;

/// Splits after `units` UTF-16 units; a place inside a surrogate pair means after it.
fn split_at_utf16(text: &str, units: u32) -> (&str, &str) {
    let units = units as usize;
    if text.as_bytes().get(..units).is_some_and(<[u8]>::is_ascii) {
        return text.split_at(units);
    }
    let mut left = units;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        if byte & 0xC0 == 0x80 {
            continue; // inside a character
        }
        if left == 0 {
            return text.split_at(at);
        }
        left = left.saturating_sub(if byte >= 0xF0 { 2 } else { 1 });
    }
    (text, "")
}
