//! Prose of a model: blocks that are closed stay untouched, open ones are patched in place.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlAnchorElement, HtmlDetailsElement, HtmlElement, HtmlTemplateElement, Node, Text};

use sidelight::panel::Analysis;
use sidelight::panel::markdown::{Block, Inline};
use sidelight::words;
use sidelight_browser::dom::{self, clear, element, find};

pub(super) struct Prose {
    place: HtmlElement,
    /// What a heading of the second level begins; without it such a heading is one like the others.
    section: Option<HtmlTemplateElement>,
    revision: Option<u32>,
    /// How many closed blocks are drawn for good.
    closed: usize,
    /// The open blocks as drawn.
    open: Vec<(Block, Node)>,
}

impl Prose {
    pub(super) fn new(place: HtmlElement, section: Option<HtmlTemplateElement>) -> Self {
        Self { place, section, revision: None, closed: 0, open: Vec::new() }
    }

    /// Another reading is shown.
    pub(super) fn clear(&mut self) {
        clear(&self.place);
        self.revision = None;
        self.closed = 0;
        self.open.clear();
    }

    /// Draws what is new: the work is bounded by what arrived and the open blocks, never by the whole text. Returns
    /// whether anything was drawn.
    pub(super) fn draw(
        &mut self,
        analysis: &Analysis,
        is_folded: &dyn Fn(&str) -> bool,
        link: &dyn Fn(&str) -> Option<String>,
    ) -> Result<bool, JsValue> {
        if self.revision == Some(analysis.revision()) {
            return Ok(false);
        }
        let fresh = analysis.closed().get(self.closed..).unwrap_or_default();
        let mut kept = 0;
        for block in fresh.iter().chain(analysis.tail()) {
            // A block that was open and is closed now keeps its nodes, and the reader's selection in them.
            let patched = match self.open.get_mut(kept) {
                Some((old, node)) => {
                    let patched = patch_block(node, old, block)?;
                    if patched && old != block {
                        *old = block.clone();
                    }
                    patched
                }
                None => false,
            };
            if !patched {
                self.remove_open_from(kept)?;
                let node = self.append(block, is_folded)?;
                self.open.push((block.clone(), node));
            }
            kept += 1;
        }
        self.remove_open_from(kept)?;
        for (_, node) in &self.open {
            settle_links(node.unchecked_ref(), link)?;
        }
        self.open.drain(..fresh.len());
        self.closed += fresh.len();
        self.revision = Some(analysis.revision());
        Ok(true)
    }

    /// More was found meanwhile: words that were drawn before may be links now.
    pub(super) fn settle_links(&self, link: &dyn Fn(&str) -> Option<String>) -> Result<(), JsValue> {
        settle_links(&self.place, link)
    }

    fn remove_open_from(&mut self, at: usize) -> Result<(), JsValue> {
        for (_, node) in self.open.drain(at.min(self.open.len())..).rev() {
            if let Some(parent) = node.parent_node() {
                parent.remove_child(&node)?;
            }
        }
        Ok(())
    }

    /// Appends a block to the section being written; a heading of the second level (or the first) begins one.
    fn append(&self, block: &Block, is_folded: &dyn Fn(&str) -> bool) -> Result<Node, JsValue> {
        if let (Some(section), Block::Heading { level: ..=2, content }) = (&self.section, block) {
            let section: HtmlDetailsElement = dom::instance(section)?.unchecked_into();
            let title: Element = find(&section, "h2")?;
            append_inlines(&title, content)?;
            section.set_open(!is_folded(title.text_content().unwrap_or_default().trim()));
            self.place.append_child(&section)?;
            return Ok(section.into());
        }
        let last = self.place.last_element_child().filter(|last| last.class_list().contains("section"));
        let place = match last {
            Some(section) => find::<Element>(&section, ".body")?,
            None => self.place.clone().into(),
        };
        let node = build_block(block)?;
        place.append_child(&node)?;
        Ok(node)
    }
}

/// Changes the nodes of an open block into those of its longer self. False when that needs new nodes.
fn patch_block(node: &Node, old: &Block, new: &Block) -> Result<bool, JsValue> {
    if old == new {
        return Ok(true);
    }
    match (old, new) {
        (Block::Paragraph(old), Block::Paragraph(new)) => patch_inlines(node, old, new),
        (Block::Heading { level, content: old }, Block::Heading { level: same, content: new }) if level == same => {
            let section_title = node.dyn_ref::<HtmlDetailsElement>().map(|section| find::<Node>(section, "h2"));
            patch_inlines(&section_title.transpose()?.unwrap_or_else(|| node.clone()), old, new)
        }
        (Block::List { start, items: old }, Block::List { start: same, items: new }) if start == same => {
            patch_list(node, old, new)
        }
        (Block::Code { text: old, .. }, Block::Code { text: new, .. }) => {
            let inner = node.first_child().and_then(|code| code.first_child());
            Ok(inner.is_some_and(|inner| append_text(&inner, old, new)))
        }
        (Block::Quote(old), Block::Quote(new)) => patch_blocks(node, old, new),
        (
            Block::Paragraph(_)
            | Block::Heading { .. }
            | Block::List { .. }
            | Block::Code { .. }
            | Block::Quote(_)
            | Block::Table { .. }
            | Block::Rule
            | Block::Cut,
            _,
        ) => Ok(false),
    }
}

/// The last item of a list may have grown, and others may follow.
fn patch_list(list: &Node, old: &[Vec<Block>], new: &[Vec<Block>]) -> Result<bool, JsValue> {
    if new.len() < old.len() {
        return Ok(false);
    }
    let nodes = list.child_nodes();
    for (at, (old, new)) in (0..).zip(old.iter().zip(new)) {
        let patched = match nodes.get(at) {
            Some(item) => old == new || patch_item(&item, old, new)?,
            None => false,
        };
        if !patched {
            return Ok(false);
        }
    }
    for item in &new[old.len()..] {
        list.append_child(&build_item(item)?)?;
    }
    Ok(true)
}

/// An item of one paragraph holds its words directly; see [`build_item`].
fn patch_item(item: &Node, old: &[Block], new: &[Block]) -> Result<bool, JsValue> {
    match (old, new) {
        ([Block::Paragraph(old)], [Block::Paragraph(new)]) => patch_inlines(item, old, new),
        ([Block::Paragraph(_)], _) | (_, [Block::Paragraph(_)]) => {
            clear(item.unchecked_ref());
            append_item(item.unchecked_ref(), new)?;
            Ok(true)
        }
        _ => patch_blocks(item, old, new),
    }
}

fn patch_blocks(parent: &Node, old: &[Block], new: &[Block]) -> Result<bool, JsValue> {
    if new.len() < old.len() {
        return Ok(false);
    }
    let nodes = parent.child_nodes();
    for (at, (old, new)) in (0..).zip(old.iter().zip(new)) {
        let patched = match nodes.get(at) {
            Some(node) => patch_block(&node, old, new)?,
            None => false,
        };
        if !patched {
            return Ok(false);
        }
    }
    for block in &new[old.len()..] {
        parent.append_child(&build_block(block)?)?;
    }
    Ok(true)
}

/// Each inline is one node. Those that are equal stay; the text that grew grows; the rest is built anew.
fn patch_inlines(parent: &Node, old: &[Inline], new: &[Inline]) -> Result<bool, JsValue> {
    let nodes = parent.child_nodes();
    let mut same = 0;
    for (old, new) in old.iter().zip(new) {
        let grown = match (old, new, nodes.get(same)) {
            (Inline::Text(old), Inline::Text(new), Some(node)) => append_text(&node, old, new),
            _ => false,
        };
        if old != new && !grown {
            break;
        }
        same += 1;
    }
    while nodes.length() > same {
        match parent.last_child() {
            Some(last) => parent.remove_child(&last)?,
            None => break,
        };
    }
    append_inlines(parent, new.get(same as usize..).unwrap_or_default())?;
    Ok(true)
}

/// Appends to a text node what is new in its text; whatever is selected in it stays selected.
fn append_text(node: &Node, old: &str, new: &str) -> bool {
    match (new.strip_prefix(old), node.dyn_ref::<Text>()) {
        (Some(added), Some(text)) => text.append_data(added).is_ok(),
        _ => false,
    }
}

fn build_block(block: &Block) -> Result<Node, JsValue> {
    let built = match block {
        Block::Heading { level, content } => {
            let heading = element(heading_name(*level), "")?;
            append_inlines(&heading, content)?;
            heading
        }
        Block::Paragraph(content) => {
            let paragraph = element("p", "")?;
            append_inlines(&paragraph, content)?;
            paragraph
        }
        Block::Code { text, .. } => {
            let pre = element("pre", "")?;
            // A scrolling block has to be reachable by keyboard.
            pre.set_tab_index(0);
            let code = element("code", "")?;
            // Even when empty, so that there is a node to grow.
            code.append_child(&dom::document()?.create_text_node(text))?;
            pre.append_child(&code)?;
            return Ok(pre.into());
        }
        Block::Quote(blocks) => {
            let quote = element("blockquote", "")?;
            append_blocks(&quote, blocks)?;
            quote
        }
        Block::List { start, items } => {
            let list = element(if start.is_some() { "ol" } else { "ul" }, "")?;
            if let Some(start) = start.filter(|start| *start != 1) {
                list.set_attribute("start", &start.to_string())?;
            }
            for item in items {
                list.append_child(&build_item(item)?)?;
            }
            return Ok(list.into());
        }
        Block::Table { head, rows, is_cut } => return build_table(head, rows, *is_cut).map(Into::into),
        Block::Cut => return not_drawn().map(Into::into),
        Block::Rule => return Ok(element("hr", "")?.into()),
    };
    built.set_dir("auto");
    Ok(built.into())
}

/// Headings of the analysis stand below the panel's own title and the section's.
fn heading_name(level: u8) -> &'static str {
    match level {
        0..=3 => "h3",
        4 => "h4",
        5 => "h5",
        6.. => "h6",
    }
}

fn build_item(blocks: &[Block]) -> Result<Node, JsValue> {
    let item = element("li", "")?;
    item.set_dir("auto");
    append_item(&item, blocks)?;
    Ok(item.into())
}

fn append_item(item: &Node, blocks: &[Block]) -> Result<(), JsValue> {
    match blocks {
        [Block::Paragraph(content)] => append_inlines(item, content),
        _ => append_blocks(item, blocks),
    }
}

fn append_blocks(parent: &Node, blocks: &[Block]) -> Result<(), JsValue> {
    for block in blocks {
        parent.append_child(&build_block(block)?)?;
    }
    Ok(())
}

/// Says that there is more than what is drawn.
fn not_drawn() -> Result<HtmlElement, JsValue> {
    let line = element("p", &words::say("answer_not_drawn", &[]))?;
    line.set_class_name("not-drawn");
    Ok(line)
}

fn build_table(head: &[Vec<Inline>], rows: &[Vec<Vec<Inline>>], is_cut: bool) -> Result<HtmlElement, JsValue> {
    let frame = element("div", "")?;
    frame.set_class_name("table");
    frame.set_tab_index(0);
    let table = element("table", "")?;
    table.append_child(&*build_row("th", head)?)?;
    for row in rows {
        table.append_child(&*build_row("td", row)?)?;
    }
    frame.append_child(&table)?;
    if is_cut {
        frame.append_child(&*not_drawn()?)?;
    }
    Ok(frame)
}

fn build_row(cell_name: &str, cells: &[Vec<Inline>]) -> Result<HtmlElement, JsValue> {
    let row = element("tr", "")?;
    for content in cells {
        let cell = element(cell_name, "")?;
        cell.set_dir("auto");
        append_inlines(&cell, content)?;
        row.append_child(&cell)?;
    }
    Ok(row)
}

fn append_inlines(parent: &Node, inlines: &[Inline]) -> Result<(), JsValue> {
    for inline in inlines {
        parent.append_child(&build_inline(inline)?)?;
    }
    Ok(())
}

/// One node for each inline, which is what [`patch_inlines`] counts on.
fn build_inline(inline: &Inline) -> Result<Node, JsValue> {
    let (name, inner) = match inline {
        Inline::Text(text) => return Ok(dom::document()?.create_text_node(text).into()),
        Inline::Code(text) => return Ok(element("code", text)?.into()),
        Inline::LineBreak => return Ok(element("br", "")?.into()),
        Inline::Link { href, content, .. } => return build_link(href, content),
        Inline::Strong(inner) => ("strong", inner),
        Inline::Emphasis(inner) => ("em", inner),
        Inline::Strike(inner) => ("s", inner),
    };
    let built = element(name, "")?;
    append_inlines(&built, inner)?;
    Ok(built.into())
}

/// Marks a link that nobody has checked, and holds its address.
const UNCHECKED: &str = "data-href";
/// Longest address shown, in characters.
const MAX_ADDRESS: usize = 80;

/// As long as no search or fetch of this run has found the address it is no source and no link: its words, and where it
/// claims to point. [`settle_links`] makes it one.
fn build_link(href: &str, content: &[Inline]) -> Result<Node, JsValue> {
    let link = element("span", "")?;
    link.set_attribute(UNCHECKED, href)?;
    append_inlines(&link, content)?;
    let address = match href.char_indices().nth(MAX_ADDRESS) {
        None => href.to_owned(),
        Some((end, _)) => format!("{}…", &href[..end]),
    };
    let mark = element("bdi", &[" ", &words::say("panel_link_unverified", &[&address])].concat())?;
    mark.set_class_name("host");
    link.append_child(&mark)?;
    Ok(link.into())
}

/// Makes links of those words within `root` whose address may be one; `link` gives the address to lead to. What stands around them stays, so that a block
/// can go on growing.
fn settle_links(root: &Element, link: &dyn Fn(&str) -> Option<String>) -> Result<(), JsValue> {
    let unchecked = root.query_selector_all("[data-href]")?;
    for at in 0..unchecked.length() {
        let Some(words) = unchecked.get(at).and_then(|node| node.dyn_into::<Element>().ok()) else { continue };
        // It leads where the page was found, whatever the model has added to the address.
        let Some(href) = words.get_attribute(UNCHECKED).and_then(|href| link(&href)) else { continue };
        let anchor: HtmlAnchorElement = element("a", "")?.unchecked_into();
        anchor.set_href(&href);
        anchor.set_title(&href);
        anchor.set_target("_blank");
        anchor.set_rel("noopener noreferrer");
        let Some(mark) = words.last_child() else { continue };
        while let Some(word) = words.first_child().filter(|first| !first.is_same_node(Some(&mark))) {
            anchor.append_child(&word)?;
        }
        words.insert_before(&anchor, Some(&mark))?;
        mark.set_text_content(Some(&format!(" ({})", anchor.host())));
        words.remove_attribute(UNCHECKED)?;
    }
    Ok(())
}
