//! From the parser's events to the tree.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::link::link;
use super::{Block, Inline};

/// Deepest nesting of the tree; what is deeper stands in its ancestor at this depth.
pub(super) const MAX_DEPTH: usize = 32;

/// Most columns of a table. A short row is as wide as its head, so that a few bytes could make many cells.
pub(super) const MAX_COLUMNS: usize = 30;

/// The top-level blocks of a text.
#[derive(Default)]
pub(super) struct Built {
    /// Each with the place where the next one starts, and how many elements it takes to draw it.
    pub(super) blocks: Vec<(Block, usize, usize)>,
    /// Whether there would be more elements than allowed; what is beyond them is left out.
    pub(super) is_cut: bool,
}

/// Reads a text; `room` is the most elements its blocks may take.
pub(super) fn blocks(text: &str, room: usize) -> Built {
    let mut builder = Builder { room, ..Builder::default() };
    let mut starts = Vec::new();
    let mut sizes = Vec::new();
    let mut level = 0_usize;
    for (event, range) in
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).into_offset_iter()
    {
        let is_top = level == 0;
        if matches!(event, Event::Start(_)) {
            level += 1;
        } else if matches!(event, Event::End(_)) {
            level = level.saturating_sub(1);
        }
        if is_top {
            if builder.is_cut {
                break;
            }
            // Indentation belongs to the block.
            starts.push(text[..range.start].rfind('\n').map_or(0, |at| at + 1));
        }
        builder.event(event);
        if level == 0 {
            sizes.push(std::mem::take(&mut builder.size));
        }
    }
    let ends = starts.into_iter().skip(1).chain([text.len()]);
    let blocks = builder.top.into_iter().zip(ends).zip(sizes).map(|((block, end), size)| (block, end, size)).collect();
    Built { blocks, is_cut: builder.is_cut }
}

/// A container in progress.
enum Open {
    Paragraph,
    Heading(u8),
    Quote,
    List(Option<u64>),
    Item,
    Code(String),
    Html,
    Table,
    Head,
    Row,
    Cell,
    Emphasis,
    Strong,
    Strike,
    /// The address.
    Link(String),
    Image,
    /// Not shown as anything; its content is.
    Plain,
}

/// What a container in progress holds.
#[derive(Default)]
struct Content {
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    items: Vec<Vec<Block>>,
    cells: Vec<Vec<Inline>>,
    rows: Vec<Vec<Vec<Inline>>>,
    /// Whether cells were left out.
    is_cut: bool,
}

#[derive(Default)]
struct Builder {
    top: Vec<Block>,
    open: Vec<(Open, Content)>,
    /// Containers opened beyond [`MAX_DEPTH`], or beyond the elements allowed.
    beyond: usize,
    /// Containers open in a cell beyond the last column, itself included.
    left_out: usize,
    /// How many more elements are allowed, and how many the block in progress takes.
    room: usize,
    size: usize,
    is_cut: bool,
}

impl Builder {
    fn event(&mut self, event: Event<'_>) {
        if self.left_out > 0 {
            self.left_out += usize::from(matches!(event, Event::Start(_)));
            self.left_out -= usize::from(matches!(event, Event::End(_)));
            return;
        }
        if self.is_cut && !matches!(event, Event::Start(_) | Event::End(_)) {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text),
            Event::Code(text) => self.inline(Inline::Code(text.into_string())),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.inline(Inline::LineBreak),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.is_beyond_columns(&tag) {
            self.left_out = 1;
            return;
        }
        if self.open.len() >= MAX_DEPTH || self.is_cut || !self.take_room() {
            self.beyond += 1;
            return;
        }
        let open = match tag {
            Tag::Paragraph => Open::Paragraph,
            Tag::Heading { level, .. } => Open::Heading(number(level)),
            Tag::BlockQuote(_) => Open::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                Open::Code(info.split([' ', '\t', ',']).next().unwrap_or_default().to_owned())
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => Open::Code(String::new()),
            Tag::HtmlBlock => Open::Html,
            Tag::List(start) => Open::List(start),
            Tag::Item => Open::Item,
            Tag::Table(_) => Open::Table,
            Tag::TableHead => Open::Head,
            Tag::TableRow => Open::Row,
            Tag::TableCell => Open::Cell,
            Tag::Emphasis => Open::Emphasis,
            Tag::Strong => Open::Strong,
            Tag::Strikethrough => Open::Strike,
            Tag::Link { dest_url, .. } => Open::Link(dest_url.into_string()),
            Tag::Image { .. } => Open::Image,
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => Open::Plain,
        };
        self.close_loose_inlines(&open);
        self.open.push((open, Content::default()));
    }

    /// Whether this is a cell beyond the last column; notes so in its row.
    fn is_beyond_columns(&mut self, tag: &Tag<'_>) -> bool {
        let (Tag::TableCell, Some((_, row))) = (tag, self.open.last_mut()) else { return false };
        let is_beyond = row.cells.len() >= MAX_COLUMNS;
        row.is_cut |= is_beyond;
        is_beyond
    }

    /// Counts an element; false when it is one too many.
    fn take_room(&mut self) -> bool {
        self.is_cut |= self.room == 0;
        self.room = self.room.saturating_sub(1);
        self.size += 1;
        !self.is_cut
    }

    fn end(&mut self, _: TagEnd) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        let Some((open, mut content)) = self.open.pop() else { return };
        match open {
            Open::Paragraph | Open::Html => self.block(Block::Paragraph(trimmed(content.inlines))),
            Open::Heading(level) => self.block(Block::Heading { level, content: content.inlines }),
            Open::Quote => {
                content.fold();
                self.block(Block::Quote(content.blocks));
            }
            Open::List(start) => {
                content.fold();
                // Words of items beyond the depth bound.
                content.items.extend((!content.blocks.is_empty()).then_some(content.blocks));
                self.block(Block::List { start, items: content.items });
            }
            Open::Item => {
                content.fold();
                if let Some((_, list)) = self.open.last_mut() {
                    list.items.push(content.blocks);
                }
            }
            Open::Code(language) => {
                let mut text = plain_text(&content.inlines);
                if text.ends_with('\n') {
                    text.pop();
                }
                self.block(Block::Code { language, text });
            }
            Open::Table => {
                // Words of cells beyond the depth bound.
                content.rows.extend((!content.inlines.is_empty()).then_some(vec![content.inlines]));
                let mut rows = content.rows.into_iter();
                let head = rows.next().unwrap_or_default();
                self.block(Block::Table { head, rows: rows.collect(), is_cut: content.is_cut });
            }
            Open::Head | Open::Row => {
                content.cells.extend((!content.inlines.is_empty()).then_some(content.inlines));
                if let Some((_, table)) = self.open.last_mut() {
                    table.is_cut |= content.is_cut;
                    table.rows.push(content.cells);
                }
            }
            Open::Cell => {
                if let Some((_, row)) = self.open.last_mut() {
                    row.cells.push(content.inlines);
                }
            }
            Open::Emphasis => self.inline(Inline::Emphasis(content.inlines)),
            Open::Strong => self.inline(Inline::Strong(content.inlines)),
            Open::Strike => self.inline(Inline::Strike(content.inlines)),
            Open::Link(href) => match link(&href, content.inlines) {
                Ok(link) => self.inline(link),
                Err(words) => words.into_iter().for_each(|inline| self.inline(inline)),
            },
            Open::Image => self.text(&format!("[image: {}]", plain_text(&content.inlines))),
            Open::Plain => content.inlines.into_iter().for_each(|inline| self.inline(inline)),
        }
    }

    fn text(&mut self, text: &str) {
        let inlines = match self.open.last_mut() {
            Some((_, content)) => &mut content.inlines,
            None => return self.block(Block::Paragraph(vec![Inline::Text(text.to_owned())])),
        };
        if let Some(Inline::Text(before)) = inlines.last_mut() {
            before.push_str(text);
        } else {
            inlines.push(Inline::Text(text.to_owned()));
        }
    }

    fn inline(&mut self, inline: Inline) {
        // Containers were counted when they began.
        if matches!(inline, Inline::Code(_) | Inline::LineBreak) && !self.take_room() {
            return;
        }
        match (inline, self.open.last_mut()) {
            (Inline::Text(text), _) => self.text(&text),
            (inline, Some((_, content))) => content.inlines.push(inline),
            (inline, None) => self.block(Block::Paragraph(vec![inline])),
        }
    }

    fn block(&mut self, block: Block) {
        match self.open.last_mut() {
            Some((_, content)) => {
                content.fold();
                content.blocks.push(block);
            }
            None => self.top.push(block),
        }
    }

    /// The words of a tight item stand in it without a paragraph; a block that starts ends them.
    fn close_loose_inlines(&mut self, next: &Open) {
        let starts_block = match next {
            Open::Paragraph
            | Open::Heading(_)
            | Open::Quote
            | Open::List(_)
            | Open::Code(_)
            | Open::Html
            | Open::Table => true,
            Open::Item
            | Open::Head
            | Open::Row
            | Open::Cell
            | Open::Emphasis
            | Open::Strong
            | Open::Strike
            | Open::Link(_)
            | Open::Image
            | Open::Plain => false,
        };
        if starts_block && let Some((_, content)) = self.open.last_mut() {
            content.fold();
        }
    }
}

impl Content {
    /// Makes a paragraph of inlines that stand among blocks.
    fn fold(&mut self) {
        if !self.inlines.is_empty() {
            self.blocks.push(Block::Paragraph(trimmed(std::mem::take(&mut self.inlines))));
        }
    }
}

/// Without the line break that ends raw HTML.
fn trimmed(mut inlines: Vec<Inline>) -> Vec<Inline> {
    if let Some(Inline::Text(last)) = inlines.last_mut() {
        last.truncate(last.trim_end().len());
    }
    inlines
}

/// The words of inlines. Recursion is as deep as the tree, which is bounded.
fn plain_text(inlines: &[Inline]) -> String {
    let mut text = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(words) | Inline::Code(words) => text.push_str(words),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => {
                text.push_str(&plain_text(inner));
            }
            Inline::Link { content, .. } => text.push_str(&plain_text(content)),
            Inline::LineBreak => text.push(' '),
        }
    }
    text
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
