//! Messages between the extension and the script in the page.
//!
//! The page owns the truth about what is painted: the worker sends it places, the page tells everybody
//! ([`PageToExtension::Painted`]) which highlights really stand on it. Offsets are UTF-16 code units into
//! [`Snapshot::text`], since that is what DOM ranges count.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Category;

/// The visible text of a page at one moment, in document order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Snapshot {
    /// Counts up with every snapshot of this document; a [`ExtensionToPage::Paint`] names the one its offsets mean.
    pub generation: u32,
    /// Address of the page, without its fragment.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// `lang` of the document, empty when not declared.
    pub lang: String,
    /// Media type of the document, `text/html` for most.
    pub content_type: String,
    /// Text of every visible text node, one after the other and unchanged (white space included; lone surrogates
    /// replaced by U+FFFD, which keeps the offsets).
    pub text: String,
    /// For each text node in order: its length in UTF-16 units and its flags ([`Snapshot::BLOCK`] and the others). On the
    /// wire one flat array, since a page may have a hundred thousand of them: length, flags, length, flags.
    #[serde(serialize_with = "flatten", deserialize_with = "pair")]
    pub nodes: Vec<(u32, u32)>,
    /// How many passages were left out because a reader can't see them.
    pub hidden: u32,
    /// Whether the page holds more text than [`Snapshot::MAX_TEXT`], which is not in `text`.
    pub truncated: bool,
    /// Whether the page shows signs that the reader is logged in.
    pub signed_in: bool,
    /// What the reader has selected, empty when nothing is.
    pub selection: String,
    /// Links of the main content: text and address, at most [`Snapshot::MAX_LINKS`].
    pub links: Vec<(String, String)>,
    /// How the main content was found, or that all visible text stands in for it.
    pub main: MainContent,
    /// For each node with [`Snapshot::FRAME`] in order: which of `window.frames` it is, or -1 when that is not known.
    pub embeds: Vec<i32>,
    /// Where this document stands in its tab: from the top, which of `window.frames` each step is, -1 when not known.
    /// Empty for the top document.
    pub path: Vec<i32>,
    /// The documents that `text` comes from, one part after the other; empty when all of it is this one's.
    #[serde(skip)]
    pub parts: Vec<FramePart>,
    /// Frames large enough to be read that could not be.
    #[serde(skip)]
    pub unread_frames: u32,
}

/// A stretch of [`Snapshot::text`] that one frame of the tab shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FramePart {
    /// Chrome's number of the frame; 0 is the top one.
    pub frame: u32,
    /// The snapshot of that frame which this is a part of.
    pub generation: u32,
    /// UTF-16 units.
    pub len: u32,
}

/// How the main content of a page was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MainContent {
    /// Readability chose it.
    Readability,
    /// Readability found no article: all visible text is read.
    #[default]
    VisibleText,
}

impl Snapshot {
    /// Flag of a text node: a block boundary (a line break for the reader) stands before it.
    pub const BLOCK: u32 = 1;
    /// Flag of a text node: it belongs to the main content.
    pub const MAIN: u32 = 2;
    /// Flag of a text node: it is code (`code`, `pre`, `kbd`, `samp`).
    pub const CODE: u32 = 4;
    /// Flag of a text node: it stands in a link.
    pub const LINK: u32 = 8;
    /// Flag of a text node: it stands in a heading (`h1` to `h6`).
    pub const HEADING: u32 = 16;
    /// Flag of a text node: it stands in a quotation (`blockquote`, `q`).
    pub const QUOTE: u32 = 32;
    /// Flag of a text node, beside [`Snapshot::BLOCK`]: the boundary is a mere line break (`br`). Scripts without spaces
    /// read on across it.
    pub const BREAK: u32 = 64;
    /// Flag of an empty node: here a frame stands that is large enough to be read. [`Snapshot::MAIN`] beside it: as part of
    /// the main content.
    pub const FRAME: u32 = 128;
    /// Most links a snapshot carries.
    pub const MAX_LINKS: usize = 40;
    /// Most UTF-16 units of text a snapshot carries; the page script stops there and the reader is told.
    pub const MAX_TEXT: usize = 4_000_000;
}

fn flatten<S: Serializer>(nodes: &[(u32, u32)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(nodes.iter().flat_map(|&(len, flags)| [len, flags]))
}

fn pair<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(u32, u32)>, D::Error> {
    let flat = Vec::<u32>::deserialize(deserializer)?;
    let (nodes, rest) = flat.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(D::Error::custom("a length without flags"));
    }
    Ok(nodes.iter().map(|&[len, flags]| (len, flags)).collect())
}

/// The place of a highlight on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// First UTF-16 unit of [`Snapshot::text`].
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// A highlight to paint; without an anchor the page remembers it and asks again when its text changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaintItem {
    /// Number of the highlight within its reading.
    pub index: u32,
    /// The phrase, for anchoring again.
    pub phrase: String,
    /// Decides colour and underline.
    pub category: Category,
    /// For the tooltip: the category's symbol and words.
    pub label: String,
    /// For the tooltip.
    pub note: String,
    /// For the tooltip.
    pub source: String,
    /// For the tooltip; a link only when `verified`.
    pub source_url: String,
    /// Whether `source_url` was really found by this reading.
    pub verified: bool,
    /// Where it stands, if it was found.
    pub anchor: Option<Anchor>,
}

/// A highlight that stands on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaintedItem {
    /// Number of the highlight within its reading.
    pub index: u32,
    /// What the painted ranges cover, a space where a block ends; empty when it is not on the page.
    pub text: String,
}

/// Extension to page, by `tabs.sendMessage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ExtensionToPage {
    /// Take a snapshot; answered with a [`Snapshot`].
    Extract,
    /// Add highlights to a reading (a new reading clears the one before).
    Paint {
        /// The reading they belong to.
        reading: String,
        /// The snapshot the anchors mean.
        generation: u32,
        /// The highlights.
        items: Vec<PaintItem>,
    },
    /// Scroll to a highlight and show its tooltip; answered with whether it is on the page.
    Focus {
        /// The reading.
        reading: String,
        /// The highlight.
        index: u32,
    },
    /// Answered with [`PaintedItem`]s: what stands on the page now.
    Report,
    /// Remove every highlight.
    Clear,
}

/// Page to extension, by `runtime.sendMessage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", try_from = "super::tagged::PageToExtensionFields")]
pub enum PageToExtension {
    /// The page's text changed: find these phrases again. The worker answers with [`WorkerToExtension::Anchors`].
    Anchor {
        /// The text now.
        snapshot: Box<Snapshot>,
        /// The phrases, in order.
        phrases: Vec<String>,
        /// For each phrase what stood before and behind its last place (at most 32 UTF-16 units, a space for a boundary),
        /// empty where it never had one. Missing: nothing is known.
        around: Vec<(String, String)>,
    },
    /// Which highlights of a reading are on the page. The panel listens.
    Painted {
        /// The reading.
        reading: String,
        /// Its highlights, painted or not.
        items: Vec<PaintedItem>,
        /// Frames with something to read have come since the page was read.
        #[serde(rename = "lateFrames", skip_serializing_if = "std::ops::Not::not")]
        late_frames: bool,
    },
    /// The reader activated a highlight on the page. The panel listens.
    Activated {
        /// The reading.
        reading: String,
        /// The highlight.
        index: u32,
    },
}

/// Worker to the page (as an answer); worker and options page to open panels (by `runtime.sendMessage`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", try_from = "super::tagged::WorkerToExtensionFields")]
pub enum WorkerToExtension {
    /// Answer to [`PageToExtension::Anchor`]: a place, or none, for each phrase in order.
    Anchors {
        /// The places.
        anchors: Vec<Option<Anchor>>,
    },
    /// The reader clicked the toolbar button on a tab: read it.
    ReadTab {
        /// The tab.
        #[serde(rename = "tabId")]
        tab_id: i32,
        /// Whether a panel that has nothing left to read there may be closed instead; it answers `true` then.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        toggle: bool,
    },
    /// The reader has everything deleted: what a panel knows it would save again.
    Erase,
}
