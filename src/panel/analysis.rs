//! The prose of a reading as it streams in.

use super::markdown::{Block, Inline, Markdown, Update};
use super::trust::Trust;

/// A growing analysis: blocks that never change again, and the open ones after them.
#[derive(Debug, Default)]
pub struct Analysis {
    markdown: Markdown,
    source: String,
    closed: Vec<Block>,
    tail: Vec<Block>,
    revision: u32,
    trust: Option<Trust>,
    trust_is_final: bool,
    in_assessment: bool,
}

impl Analysis {
    /// Most bytes kept; what comes after is dropped and the reader is told.
    pub const MAX_BYTES: usize = 400_000;

    /// Takes the next piece of text. False when it no longer fits, and then nothing of it is kept.
    pub fn push(&mut self, text: &str) -> bool {
        if self.source.len() + text.len() > Self::MAX_BYTES {
            return false;
        }
        self.source.push_str(text);
        let update = self.markdown.push(text);
        self.apply(update);
        true
    }

    /// Parses what a push put off, for a pause of the stream.
    pub fn refresh(&mut self) {
        let update = self.markdown.refresh();
        self.apply(update);
    }

    /// The text is complete: closes what is open.
    pub fn finish(&mut self) {
        let update = self.markdown.finish();
        self.apply(update);
    }

    fn apply(&mut self, update: Update) {
        for block in &update.closed {
            if let Some(trust) = self.assess(block) {
                self.trust = Some(trust);
                self.trust_is_final = true;
            }
        }
        if !update.closed.is_empty() || update.tail.is_some() {
            self.revision = self.revision.wrapping_add(1);
        }
        self.closed.extend(update.closed);
        let Some(tail) = update.tail else { return };
        let in_assessment = self.in_assessment;
        for block in &tail {
            if let Some(trust) = self.assess(block) {
                self.trust = Some(trust);
            }
        }
        // What the tail says about sections may still change.
        self.in_assessment = in_assessment;
        self.tail = tail;
    }

    /// The trust line is sought in its own section only, and the first whole one stays.
    fn assess(&mut self, block: &Block) -> Option<Trust> {
        if let Block::Heading { level: ..=2, .. } = block {
            self.in_assessment = plain_text(block).to_ascii_lowercase().contains("overall assessment");
            return None;
        }
        if !self.in_assessment || self.trust_is_final {
            return None;
        }
        Trust::parse(&plain_text(block))
    }

    /// The text as it came.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Blocks that stay as they are.
    pub fn closed(&self) -> &[Block] {
        &self.closed
    }

    /// Open blocks, replaced by every push.
    pub fn tail(&self) -> &[Block] {
        &self.tail
    }

    /// Counts the changes, for renderers.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// How far the page can be trusted, as soon as the analysis says so.
    pub fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref()
    }
}

/// The words of a block, without its marks; one line for each paragraph.
fn plain_text(block: &Block) -> String {
    let mut text = String::new();
    write_block(&mut text, block);
    text
}

fn write_block(text: &mut String, block: &Block) {
    match block {
        Block::Heading { content, .. } | Block::Paragraph(content) => {
            write_inlines(text, content);
            text.push('\n');
        }
        Block::List { items, .. } => items.iter().flatten().for_each(|block| write_block(text, block)),
        Block::Quote(blocks) => blocks.iter().for_each(|block| write_block(text, block)),
        Block::Code { .. } | Block::Table { .. } | Block::Rule | Block::Cut => {}
    }
}

fn write_inlines(text: &mut String, inlines: &[Inline]) {
    for inline in inlines {
        match inline {
            Inline::Text(words) | Inline::Code(words) => text.push_str(words),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => write_inlines(text, inner),
            Inline::Link { content, .. } => write_inlines(text, content),
            Inline::LineBreak => text.push('\n'),
        }
    }
}
