//! Text folded for matching, with exact maps back to UTF-16 offsets of what it was made from.

use super::super::fold::{Decompose, Folded, extends, fold, is_pictograph, is_regional_indicator, push_folded};
use super::super::marks::is_combining_mark;
use crate::sort::sort_by_key;
use crate::wire::Snapshot;

/// Most marks that count as one character with their base; a longer pile is split.
const MAX_CLUSTER: usize = 32;

/// Neighbouring clusters of equal size. A cluster is what a reader takes for one character: never matched in part.
struct Run {
    /// Where the first begins, in bytes of the folded text.
    folded: u32,
    /// Where the first begins, in UTF-16 units of the source.
    source: u32,
    /// Bytes of each in the folded text.
    folded_len: u16,
    /// UTF-16 units of each in the source; 0 for the space that stands for a block boundary.
    source_len: u16,
}

/// Folded text: NFKD, lower case, plain quotes and dashes, single spaces (one for a block boundary as well), nothing
/// invisible.
pub(super) struct FoldedText {
    pub(super) text: String,
    /// Sorted by either offset.
    runs: Vec<Run>,
    /// Offsets into `text` of the spaces that stand for block boundaries.
    blocks: Vec<u32>,
    /// Flags from an offset into `text` on, noted where they change.
    flags: Vec<(u32, u32)>,
    /// Offsets into `text` of what were capitals.
    capitals: Vec<u32>,
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
        let FoldedText { mut text, capitals, .. } = folder.out;
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
        folder.out
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
const KEPT_FLAGS: u32 = Snapshot::MAIN | Snapshot::CODE;

/// Splits after `units` UTF-16 units; a place inside a surrogate pair means after it.
fn split_at_utf16(text: &str, units: u32) -> (&str, &str) {
    let units = units as usize;
    if text.as_bytes().get(..units).is_some_and(<[u8]>::is_ascii) {
        return text.split_at(units);
    }
    // An ASCII prefix counts the same in both encodings.
    let ascii = text.as_bytes().iter().take(units).position(|byte| !byte.is_ascii()).unwrap_or(units.min(text.len()));
    let mut left = units - ascii;
    let mut at = ascii;
    for c in text[ascii..].chars() {
        if left == 0 {
            break;
        }
        left = left.saturating_sub(c.len_utf16());
        at += c.len_utf8();
    }
    text.split_at(at)
}

/// What folding makes of a byte.
#[derive(Clone, Copy)]
enum Ascii {
    /// Itself.
    Plain,
    /// Its lower case.
    Capital,
    /// Itself, unless a space stands before it.
    Space,
    /// Something else, or it is no ASCII.
    Other,
}

/// By byte: this is asked of every byte of a page.
const ASCII: [Ascii; 256] = {
    let mut table = [Ascii::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte as usize] = match byte {
            b' ' => Ascii::Space,
            b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | b'-' | b'`' => Ascii::Other,
            b'A'..=b'Z' => Ascii::Capital,
            _ => Ascii::Plain,
        };
        byte += 1;
    }
    table
};

struct Folder {
    out: FoldedText,
    /// UTF-16 units of the source so far.
    source: u32,
    /// Where the next cluster must begin, in both texts, to continue the last run.
    run_end: (u32, u32),
    cluster: Vec<char>,
    /// By the number of the character; empty until one is asked for.
    known: Vec<Known>,
    decompose: Decompose,
}

/// Characters of which it is remembered what they fold to; a page in Chinese uses a few thousand.
const KNOWN: usize = 2_048;

/// What a character folds to.
#[derive(Clone, Copy)]
struct Known {
    c: char,
    /// Whether it may be part of the character before it.
    joins: bool,
    is_capital: bool,
    /// Bytes of `folded`; none when more than that must be known: a space, a dash, nothing to see, or too long.
    len: u8,
    folded: [u8; 9],
}

impl Known {
    const NOTHING: Self = Self { c: '\0', joins: false, is_capital: false, len: 0, folded: [0; 9] };
}

impl Folder {
    fn new(bytes: usize, decompose: Decompose) -> Self {
        let text = String::with_capacity(bytes);
        let out = FoldedText { text, runs: Vec::new(), blocks: Vec::new(), flags: Vec::new(), capitals: Vec::new() };
        Self { out, source: 0, run_end: (0, 0), cluster: Vec::new(), known: Vec::new(), decompose }
    }

    fn handle_node(&mut self, flags: u32) {
        if flags & Snapshot::BLOCK != 0 && !self.out.text.is_empty() {
            if !self.out.text.ends_with(' ') {
                self.push_run(1, 0);
                self.out.text.push(' ');
            }
            if flags & Snapshot::BREAK == 0 {
                self.out.blocks.push(self.folded() - 1);
            }
        }
        let (at, flags) = (self.folded(), flags & KEPT_FLAGS);
        if self.out.flags.last().is_none_or(|&(_, last)| last != flags) {
            self.out.flags.push((at, flags));
        }
    }

    fn handle_text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let plain = self.handle_plain(&text[at..]);
            at += plain;
            match bytes.get(at) {
                Some(byte) if byte.is_ascii() && !self.is_joined(&text[at + 1..]) => {
                    self.handle_ascii(*byte);
                    at += 1;
                }
                Some(_) => at += self.handle_cluster(&text[at..]),
                None => {}
            }
        }
    }

    /// Takes the beginning of `text` in which every byte stands for itself but for its case; answers its length. Most
    /// text is this, a line at a time.
    fn handle_plain(&mut self, text: &str) -> usize {
        let folded = self.folded();
        let mut spaced = self.out.text.ends_with(' ');
        let mut end = 0;
        for &byte in text.as_bytes() {
            match ASCII[usize::from(byte)] {
                Ascii::Plain => spaced = false,
                Ascii::Capital => {
                    spaced = false;
                    self.out.capitals.push(folded + units_of(end));
                }
                Ascii::Space if !spaced => spaced = true,
                Ascii::Space | Ascii::Other => break,
            }
            end += 1;
        }
        // What comes next may be a mark on the last letter.
        if end > 0 && self.is_joined(&text[end..]) {
            end -= 1;
            if self.out.capitals.last() == Some(&(folded + units_of(end))) {
                self.out.capitals.pop();
            }
        }
        if end > 0 {
            self.push_run(1, 1);
            self.out.text.push_str(&text[..end]);
            self.out.text[folded as usize..].make_ascii_lowercase();
            self.source += units_of(end);
            self.run_end = (self.folded(), self.source);
        }
        end
    }

    /// Folds a byte that [`Self::handle_plain`] leaves, or one that it can't be sure of.
    fn handle_ascii(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => self.handle_space(1),
            b'-' => self.handle_dash(1),
            b'`' => self.push_char('\''),
            _ => {
                if byte.is_ascii_uppercase() {
                    self.out.capitals.push(self.folded());
                }
                self.push_char(char::from(byte.to_ascii_lowercase()));
            }
        }
    }

    fn push_char(&mut self, c: char) {
        self.push_run(1, 1);
        self.out.text.push(c);
        self.source += 1;
    }

    fn handle_space(&mut self, units: u32) {
        if !self.out.text.ends_with(' ') {
            self.push_run(1, 1);
            self.out.text.push(' ');
        }
        self.source += units;
    }

    /// Two hyphens are a typist's dash: a run of dashes is one.
    fn handle_dash(&mut self, units: u16) {
        if self.out.text.ends_with('-') && self.run_end == (self.folded(), self.source) {
            // A cluster of its own length, taken out of the run it ended.
            let (folded, source) = (self.folded() - 1, self.last_source());
            self.drop_last_cluster();
            let source_len = u16::try_from(self.source - source).unwrap_or(u16::MAX - units) + units;
            self.out.runs.push(Run { folded, source, folded_len: 1, source_len });
            self.run_end = (folded + 1, source + u32::from(source_len));
        } else {
            self.push_run(1, units);
            self.out.text.push('-');
        }
        self.source += u32::from(units);
    }

    fn last_source(&self) -> u32 {
        self.out.runs.last().map_or(0, |run| self.run_end.1 - u32::from(run.source_len))
    }

    fn drop_last_cluster(&mut self) {
        if self.out.runs.last().is_some_and(|run| run.folded + u32::from(run.folded_len) == self.run_end.0) {
            self.out.runs.pop();
        }
    }

    /// Whether `text` begins with what may be part of the character before.
    fn is_joined(&mut self, text: &str) -> bool {
        text.chars().next().is_some_and(|c| !c.is_ascii() && self.known(c).joins)
    }

    /// What is known of a character that is no ASCII.
    fn known(&mut self, c: char) -> Known {
        if self.known.is_empty() {
            self.known.resize(KNOWN, Known::NOTHING);
        }
        let place = c as usize % KNOWN;
        if self.known[place].c != c {
            self.known[place] = self.learn(c);
        }
        self.known[place]
    }

    fn learn(&mut self, c: char) -> Known {
        let joins = extends(c) || c == '\u{200d}' || is_regional_indicator(c);
        let mut known = Known { c, joins, is_capital: c.is_uppercase(), ..Known::NOTHING };
        let Folded::Text(text) = fold(c) else { return known };
        self.cluster.clear();
        push_folded(text, self.decompose, &mut self.cluster);
        self.sort_marks();
        let len: usize = self.cluster.iter().map(|c| c.len_utf8()).sum();
        if self.cluster[..] != ['-'] && len <= known.folded.len() {
            known.len = u8::try_from(len).unwrap_or_default();
            let mut at = 0;
            for part in &self.cluster {
                at += part.encode_utf8(&mut known.folded[at..]).len();
            }
        }
        known
    }

    /// Folds the cluster that `text` begins with, if it is a character alone of which nothing but itself need be known;
    /// answers its bytes.
    fn handle_alone(&mut self, text: &str) -> Option<usize> {
        let c = text.chars().next().filter(|c| !c.is_ascii())?;
        let known = self.known(c);
        if known.len == 0 || self.is_joined(&text[c.len_utf8()..]) {
            return None;
        }
        let folded = std::str::from_utf8(&known.folded[..usize::from(known.len)]).ok()?;
        if known.is_capital {
            self.out.capitals.push(self.folded());
        }
        let units = if c.len_utf16() == 1 { 1 } else { 2 };
        self.push_run(u16::from(known.len), units);
        self.out.text.push_str(folded);
        self.source += u32::from(units);
        Some(c.len_utf8())
    }

    /// Folds the cluster that `text` begins with; answers its bytes.
    fn handle_cluster(&mut self, text: &str) -> usize {
        if let Some(bytes) = self.handle_alone(text) {
            return bytes;
        }
        let mut chars = text.chars().peekable();
        let Some(base) = chars.next() else { return 0 };
        let (mut bytes, mut units, mut count) = (base.len_utf8(), base.len_utf16(), 1);
        self.cluster.clear();
        match fold(base) {
            Folded::Space => {
                self.handle_space(units_of(units));
                return bytes;
            }
            Folded::Nothing => {}
            Folded::Text('-') => {
                self.handle_dash(1);
                return bytes;
            }
            Folded::Text(c) => push_folded(c, self.decompose, &mut self.cluster),
        }
        let mut last = base;
        while let Some(&next) = chars.peek()
            && count < MAX_CLUSTER
        {
            let flag = count == 1 && is_regional_indicator(base) && is_regional_indicator(next);
            let fused = match (last, next) {
                ('\u{200d}', next) => is_pictograph(next),
                (_, '\u{200d}') => is_pictograph(base),
                _ => false,
            };
            if self.cluster.is_empty() || !(flag || fused || extends(next)) {
                break;
            }
            if let Folded::Text(c) = fold(next) {
                push_folded(c, self.decompose, &mut self.cluster);
            }
            (bytes, units, count, last) = (bytes + next.len_utf8(), units + next.len_utf16(), count + 1, next);
            chars.next();
        }
        if let ['-'] = self.cluster[..] {
            self.handle_dash(u16::try_from(units).unwrap_or(1));
            return bytes;
        }
        if !self.cluster.is_empty() {
            if base.is_uppercase() {
                self.out.capitals.push(self.folded());
            }
            self.push_cluster(units);
        }
        self.source += units_of(units);
        bytes
    }

    fn push_cluster(&mut self, units: usize) {
        self.sort_marks();
        let len: usize = self.cluster.iter().map(|c| c.len_utf8()).sum();
        self.push_run(u16::try_from(len).unwrap_or(u16::MAX), u16::try_from(units).unwrap_or(u16::MAX));
        self.out.text.extend(self.cluster.iter());
    }

    /// Marks in one order, so that typing order makes no difference.
    fn sort_marks(&mut self) {
        let mut from = 0;
        while from < self.cluster.len() {
            let marks = self.cluster[from..].iter().take_while(|&&c| is_combining_mark(c)).count();
            if marks > 1 {
                sort_by_key(&mut self.cluster[from..from + marks], |&mark| mark);
            }
            from += marks + 1;
        }
    }

    fn push_run(&mut self, folded_len: u16, source_len: u16) {
        let start = (self.folded(), self.source);
        let same = |run: &Run| (run.folded_len, run.source_len) == (folded_len, source_len) && source_len > 0;
        if self.run_end != start || !self.out.runs.last().is_some_and(same) {
            self.out.runs.push(Run { folded: start.0, source: start.1, folded_len, source_len });
        }
        self.run_end = (start.0 + u32::from(folded_len), start.1 + u32::from(source_len));
    }

    /// Bytes of folded text so far. A snapshot holds 4 M units of at most 33 folded bytes each.
    fn folded(&self) -> u32 {
        u32::try_from(self.out.text.len()).unwrap_or(u32::MAX)
    }
}

fn units_of(units: usize) -> u32 {
    u32::try_from(units).unwrap_or(u32::MAX)
}
