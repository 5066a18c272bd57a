//! The folding itself: a page's text goes in node by node, runs of it at once where every byte stands for itself.

use sidelight_stream::text::plain_run;

use super::super::fold::{Decompose, Folded, extends, fold, is_pictograph, is_regional_indicator, push_folded};
use super::super::marks::is_combining_mark;
use super::folded::{FoldedText, KEPT_FLAGS, Run};
use crate::sort::sort_by_key;
use crate::wire::Snapshot;

/// Most marks that count as one character with their base; a longer pile is split.
const MAX_CLUSTER: usize = 32;

/// Makes folded text.
pub(super) struct Folder {
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
    /// `bytes` of text are expected.
    pub(super) fn new(bytes: usize, decompose: Decompose) -> Self {
        let text = String::with_capacity(bytes);
        let out = FoldedText { text, runs: Vec::new(), blocks: Vec::new(), flags: Vec::new(), capitals: Vec::new() };
        Self { out, source: 0, run_end: (0, 0), cluster: Vec::new(), known: Vec::new(), decompose }
    }

    pub(super) fn finish(self) -> FoldedText {
        self.out
    }

    /// A text node with these flags begins.
    pub(super) fn handle_node(&mut self, flags: u32) {
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

    /// Folds text in which no cluster goes on from what came before.
    pub(super) fn handle_text(&mut self, text: &str) {
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
        let (spaced, known) = (self.out.text.ends_with(' '), self.out.capitals.len());
        let mut end = plain_run(text.as_bytes(), spaced, folded, &mut self.out.capitals);
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
            for &at in &self.out.capitals[known..] {
                let at = at as usize;
                self.out.text[at..=at].make_ascii_lowercase();
            }
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
