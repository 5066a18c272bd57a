//! A highlight in progress, and what makes it valid.

use std::ops::RangeInclusive;

use sidelight_stream::object::FlatObject;
use sidelight_stream::text::{is_plain_address, is_tidy};

use super::{Found, MAX_OBJECT_BYTES};
use crate::reading::address::web_address;
use crate::reading::category;
use crate::wire::{Category, Highlight};

/// Longest note, in characters; a longer one is cut.
pub(super) const MAX_NOTE: usize = 90;
/// Longest name of a source, in characters; a longer one is cut.
const MAX_SOURCE: usize = 120;
/// Longest address of a source, in bytes; a longer one is left out.
const MAX_SOURCE_URL: usize = 2048;

/// What a highlight must keep to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Most highlights of one answer.
    pub highlights: usize,
    /// Length of a phrase in characters, white space around it not counted. A longer phrase is dropped rather than
    /// shortened: half of it is not what the model marked.
    pub phrase_chars: RangeInclusive<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { highlights: 25, phrase_chars: 8..=180 }
    }
}

/// Highlights that were not yielded, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Broken beyond repair.
    pub malformed: u32,
    /// Phrase or category missing, or cut off with the answer.
    pub incomplete: u32,
    /// A category nobody knows.
    pub unknown_category: u32,
    /// Phrase too short.
    pub too_short: u32,
    /// Phrase too long.
    pub too_long: u32,
    /// Phrase already marked.
    pub duplicate: u32,
    /// More than the answer may hold.
    pub over_limit: u32,
    /// Larger than [`MAX_OBJECT_BYTES`].
    pub oversize: u32,
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u32 {
        let Self { malformed, incomplete, unknown_category, too_short, too_long, duplicate, over_limit, oversize } =
            self;
        malformed + incomplete + unknown_category + too_short + too_long + duplicate + over_limit + oversize
    }
}

/// A key that means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Phrase,
    Category,
    Note,
    Source,
    SourceUrl,
    Summary,
    CategorySummaries,
    Highlights,
    Other,
}

/// The fields of a highlight as they are asked for: names and keys.
pub(super) const FIELDS: [&str; 5] = ["phrase", "category", "note", "source", "source_url"];
const FIELD_KEYS: [Key; 5] = [Key::Phrase, Key::Category, Key::Note, Key::Source, Key::SourceUrl];

impl Key {
    /// Reads a key whatever its case and separators (`sourceUrl` is `source_url`).
    pub(super) fn parse(written: &str) -> Self {
        if let Some(at) = FIELDS.iter().position(|name| *name == written) {
            return FIELD_KEYS[at];
        }
        let folded: String =
            written.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        match folded.as_str() {
            "phrase" => Self::Phrase,
            "category" => Self::Category,
            "note" => Self::Note,
            "source" => Self::Source,
            "sourceurl" => Self::SourceUrl,
            "summary" => Self::Summary,
            "categorysummaries" => Self::CategorySummaries,
            "highlights" => Self::Highlights,
            _ => Self::Other,
        }
    }

    /// Whether it is a key of the document rather than of a highlight.
    pub(super) fn is_of_document(self) -> bool {
        match self {
            Self::Summary | Self::CategorySummaries | Self::Highlights => true,
            Self::Phrase | Self::Category | Self::Note | Self::Source | Self::SourceUrl | Self::Other => false,
        }
    }
}

/// The fields of a highlight that have arrived.
#[derive(Debug, Default)]
pub(super) struct Draft {
    phrase: Option<String>,
    category: Option<String>,
    note: String,
    source: String,
    source_url: String,
    is_oversize: bool,
}

impl Draft {
    /// A draft whose category stands where it began, if that is known.
    pub(super) fn of(category: Option<Category>) -> Self {
        Self { category: category.map(|category| category::row(category).name.to_owned()), ..Self::default() }
    }

    /// Sets the fields that stand in a whole object of [`FIELDS`].
    pub(super) fn fill(&mut self, object: &FlatObject) {
        for (at, key) in FIELD_KEYS.into_iter().enumerate() {
            if let Some(text) = object.value(at) {
                self.set(key, text.to_owned(), false);
            }
        }
    }

    /// Bytes a further string may take.
    pub(super) fn room(&self) -> usize {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let used =
            length(&self.phrase) + length(&self.category) + self.note.len() + self.source.len() + self.source_url.len();
        MAX_OBJECT_BYTES.saturating_sub(used).max(1)
    }

    /// Sets the field of a key; the last of several wins, as in JSON.
    pub(super) fn set(&mut self, key: Key, text: String, overflow: bool) {
        self.is_oversize |= overflow;
        match key {
            Key::Phrase => self.phrase = Some(text),
            Key::Category => self.category = Some(text),
            Key::Note => self.note = text,
            Key::Source => self.source = text,
            Key::SourceUrl => self.source_url = text,
            Key::Summary | Key::CategorySummaries | Key::Highlights | Key::Other => {}
        }
    }

    /// Whether it has begun to be a highlight.
    pub(super) fn has_phrase(&self) -> bool {
        self.phrase.is_some()
    }

    /// Whether phrase and category are there.
    pub(super) fn is_complete(&self) -> bool {
        self.phrase.is_some() && self.category.is_some()
    }
}

/// Tells valid highlights from others, over a whole answer.
#[derive(Debug)]
pub(super) struct Gate {
    limits: Limits,
    /// Phrases yielded, sorted; bounded by the limit.
    phrases: Vec<String>,
    pub(super) dropped: Dropped,
}

impl Gate {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, phrases: Vec::new(), dropped: Dropped::default() }
    }

    pub(super) fn found(&self) -> u32 {
        u32::try_from(self.phrases.len()).unwrap_or(u32::MAX)
    }

    /// Yields the highlight, or counts why not.
    pub(super) fn settle(&mut self, draft: Draft, out: &mut Vec<Found>) {
        match self.check(draft) {
            Ok((highlight, place)) => {
                self.phrases.insert(place, highlight.phrase.trim().to_owned());
                out.push(Found::Highlight(highlight));
            }
            Err(reason) => *reason += 1,
        }
    }

    /// The highlight, and where its phrase is to stand among those yielded.
    fn check(&mut self, draft: Draft) -> Result<(Highlight, usize), &mut u32> {
        let dropped = &mut self.dropped;
        if draft.is_oversize {
            return Err(&mut dropped.oversize);
        }
        let (Some(phrase), Some(category)) = (draft.phrase, draft.category) else {
            return Err(&mut dropped.incomplete);
        };
        let Some(category): Option<Category> = category::parse(&category) else {
            return Err(&mut dropped.unknown_category);
        };
        let trimmed = phrase.trim();
        let length = trimmed.chars().count();
        if length < *self.limits.phrase_chars.start() {
            return Err(&mut dropped.too_short);
        }
        if length > *self.limits.phrase_chars.end() {
            return Err(&mut dropped.too_long);
        }
        let Err(place) = self.phrases.binary_search_by(|known| known.as_str().cmp(trimmed)) else {
            return Err(&mut dropped.duplicate);
        };
        if self.phrases.len() >= self.limits.highlights {
            return Err(&mut dropped.over_limit);
        }
        let source_url = draft.source_url.trim();
        let highlight = Highlight {
            category,
            note: fitted(draft.note, MAX_NOTE),
            source: fitted(draft.source, MAX_SOURCE),
            source_url: if is_web_address(source_url) { source_url.to_owned() } else { String::new() },
            verified: false,
            phrase,
        };
        Ok((highlight, place))
    }
}

fn is_web_address(text: &str) -> bool {
    // Whoever knows all addresses costs more than everything else about a highlight.
    text.len() <= MAX_SOURCE_URL && (is_plain_address(text) || web_address(text).is_some())
}

/// The text [cut](cut), which most texts are as they come.
pub(super) fn fitted(text: String, max: usize) -> String {
    if text.len() <= max && is_tidy(&text) { text } else { cut(&text, max) }
}

/// At most `max` characters of the text, white space folded; what is cut ends in "…".
pub(super) fn cut(text: &str, max: usize) -> String {
    let mut folded = String::new();
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    if let Some((end, _)) = folded.char_indices().nth(max) {
        // One character makes room for the ellipsis.
        let keep = folded[..end].char_indices().next_back().map_or(0, |(last, _)| last);
        folded.truncate(keep);
        folded.truncate(folded.trim_end().len());
        folded.push('…');
    }
    folded
}
