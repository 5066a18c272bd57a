//! Markdown of a growing answer, as a small tree that a renderer turns into DOM nodes.
//!
//! [`Markdown`] keeps the source of the open block only. A block that can't change any more is handed out once, in
//! [`Update::closed`]; the open one comes as [`Update::tail`] whenever it was parsed again. Nothing of the tree is
//! markup: every string in it is text for a text node, and the only address in it is that of a checked [`Inline::Link`].

mod build;
mod link;
mod pending;

use build::Built;

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading {
        /// 1 to 6. A heading of level 2 starts a section of an analysis.
        level: u8,
        /// Its words.
        content: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list.
    List {
        /// The number of the first item, for an ordered list.
        start: Option<u64>,
        /// The blocks of each item.
        items: Vec<Vec<Block>>,
    },
    /// Code, fenced or indented.
    Code {
        /// First word after the fence, empty when there is none.
        language: String,
        /// The code.
        text: String,
    },
    /// A quotation.
    Quote(Vec<Block>),
    /// A table; each cell is a run of inlines.
    Table {
        /// The cells of the head.
        head: Vec<Vec<Inline>>,
        /// The rows below, each as long as the head.
        rows: Vec<Vec<Vec<Inline>>>,
        /// Whether there are more columns, which are left out.
        is_cut: bool,
    },
    /// A thematic break.
    Rule,
    /// The text goes on beyond [`MAX_ELEMENTS`]; the last block.
    Cut,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Struck out.
    Strike(Vec<Inline>),
    /// Code.
    Code(String),
    /// A link to the web.
    Link {
        /// The address, normalised; http or https.
        href: String,
        /// Where it leads, with the port if it is unusual. Show it, since the words may name another place.
        host: String,
        /// Its words, never empty.
        content: Vec<Inline>,
    },
    /// A line break the author asked for.
    LineBreak,
}

/// What a renderer has to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    /// Blocks that are final: they take the place of the tail shown before, and are never mentioned again.
    pub closed: Vec<Block>,
    /// What stands after them now, instead of the tail shown before; `None` when that is still right.
    pub tail: Option<Vec<Block>>,
}

/// Most bytes of an open block; beyond it the block is closed where it stands and a new one begins.
pub const MAX_OPEN_BLOCK: usize = 256 * 1024;

/// Most elements of a text: blocks, items, cells and pieces of lines. An analysis has some hundreds.
pub const MAX_ELEMENTS: usize = 10_000;

/// An open block up to this many bytes is parsed with every push; a longer one when it has grown by a sixteenth, so
/// that the work for a block stays in proportion to its length.
const ALWAYS_PARSED: usize = 1024;

/// Markdown that grows.
#[derive(Debug, Default)]
pub struct Markdown {
    /// Source of the open block, and of the line in progress.
    open: String,
    /// Bytes of `open` when it was parsed last.
    parsed: usize,
    /// Elements of the blocks that are closed.
    elements: usize,
    /// Whether [`Block::Cut`] was handed out: nothing follows it.
    is_cut: bool,
    #[cfg(test)]
    #[cfg(not(target_arch = "wasm32"))]
    work: usize,
}

impl Markdown {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, text: &str) -> Update {
        if self.is_cut {
            return Update::default();
        }
        self.open.push_str(text);
        let grown = self.open.len() - self.parsed;
        if grown == 0 || (self.open.len() > ALWAYS_PARSED && grown < self.open.len() / 16) {
            return Update::default();
        }
        self.parse()
    }

    /// Parses what [`Self::push`] has put off; for a caller that sees the stream pause.
    pub fn refresh(&mut self) -> Update {
        if self.open.len() == self.parsed { Update::default() } else { self.parse() }
    }

    /// Ends the text: everything is final. A new text may follow.
    pub fn finish(&mut self) -> Update {
        let built = self.blocks(self.open.len());
        let closed = self.close(built.blocks, built.is_cut);
        self.open.clear();
        (self.parsed, self.elements, self.is_cut) = (0, 0, false);
        Update { closed, tail: Some(Vec::new()) }
    }

    fn parse(&mut self) -> Update {
        let Built { mut blocks, is_cut } = self.blocks(pending::visible_len(&self.open));
        let is_full = self.open.len() > MAX_OPEN_BLOCK || is_cut;
        let closed_blocks = if is_full { blocks.len() } else { blocks.len().saturating_sub(1) };
        let tail: Vec<Block> = blocks.split_off(closed_blocks).into_iter().map(|(block, ..)| block).collect();
        if is_full {
            self.open.clear();
        } else if let Some((_, end, _)) = blocks.last() {
            self.open.drain(..*end);
        }
        self.parsed = self.open.len();
        Update { closed: self.close(blocks, is_cut), tail: Some(tail) }
    }

    fn close(&mut self, blocks: Vec<(Block, usize, usize)>, is_cut: bool) -> Vec<Block> {
        self.elements += blocks.iter().map(|(.., size)| size).sum::<usize>();
        self.is_cut |= is_cut;
        blocks.into_iter().map(|(block, ..)| block).chain(is_cut.then_some(Block::Cut)).collect()
    }

    /// The blocks of the first `len` bytes.
    fn blocks(&mut self, len: usize) -> Built {
        #[cfg(test)]
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.work += len;
        }
        build::blocks(&self.open[..len], MAX_ELEMENTS.saturating_sub(self.elements))
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
