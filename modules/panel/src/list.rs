//! Pills, legend, and the list of highlights.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, HtmlTemplateElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::render::{colour, draw_placeholder};
use sidelight::panel::{Filter, Item, Panel, Pill, Place, Reading, View};
use sidelight::reading::category;
use sidelight::url::Url;
use sidelight::words;
use sidelight_browser::dom::{self, clear, find, set_text, show};

pub(super) struct List {
    pills: HtmlElement,
    pill: HtmlTemplateElement,
    find: HtmlElement,
    place: HtmlElement,
    mark: HtmlTemplateElement,
    empty: HtmlElement,
    /// Lifts the filter that shows nothing.
    all: HtmlElement,
    drawn_pills: Vec<Pill>,
    pill_elements: Vec<HtmlElement>,
    items: Vec<Drawn>,
    /// What the marks on the items were last drawn from.
    drawn: Option<(u32, Filter, Option<u32>)>,
}

struct Drawn {
    index: u32,
    item: HtmlElement,
    jump: HtmlElement,
    place: HtmlElement,
    acts: HtmlElement,
    ask: HtmlElement,
}

impl List {
    pub(super) fn new() -> Result<Self, JsValue> {
        let list = Self {
            pills: dom::by_id("pills")?,
            pill: dom::by_id("pill-template")?,
            find: dom::by_id("find")?,
            place: dom::by_id("list")?,
            mark: dom::by_id("mark-template")?,
            empty: dom::by_id("list-empty")?,
            all: dom::by_id("show-all")?,
            drawn_pills: Vec::new(),
            pill_elements: Vec::new(),
            items: Vec::new(),
            drawn: None,
        };
        draw_legend(&find(&dom::by_id("legend")?, "dl")?)?;
        Ok(list)
    }

    /// Another reading is shown.
    pub(super) fn clear(&mut self) {
        clear(&self.place);
        self.items.clear();
        self.drawn = None;
    }

    pub(super) fn draw(&mut self, model: &Panel, view: &View) -> Result<(), JsValue> {
        if self.drawn_pills != view.pills {
            self.draw_pills(&view.pills)?;
        }
        show(&self.find, !view.pills.is_empty());
        draw_placeholder(&self.empty, &view.no_highlights);
        show(&self.all, !view.pills.is_empty() && !view.no_highlights.is_empty());
        self.refresh(model)
    }

    /// Appends new items and marks all of them, when anything changed.
    pub(super) fn refresh(&mut self, model: &Panel) -> Result<(), JsValue> {
        let Some(reading) = model.reading() else { return Ok(()) };
        let state = (reading.list_revision(), model.filter().clone(), model.selected());
        if self.drawn.as_ref() == Some(&state) {
            return Ok(());
        }
        for item in reading.items().get(self.items.len()..).unwrap_or_default() {
            let drawn = self.build(item)?;
            self.place.append_child(&drawn.item)?;
            self.items.push(drawn);
        }
        self.mark_items(model, reading)?;
        self.drawn = Some(state);
        Ok(())
    }

    fn mark_items(&self, model: &Panel, reading: &Reading) -> Result<(), JsValue> {
        let shown = |item: &Item| model.filter().shows(&item.highlight);
        // One item takes part in the order of Tab, the others are reached by arrows.
        let stop = reading
            .items()
            .iter()
            .filter(|item| shown(item))
            .map(|item| item.index)
            .reduce(|first, index| if model.selected() == Some(index) { index } else { first });
        for (item, drawn) in reading.items().iter().zip(&self.items) {
            show(&drawn.item, shown(item));
            let place = reading.place(item.index);
            show(&drawn.place, place == Place::Absent);
            let name = match place {
                Place::Unknown => "unknown",
                Place::OnPage => "page",
                Place::Absent => "absent",
            };
            drawn.item.set_attribute("data-place", name)?;
            show(&drawn.acts, model.selected() == Some(item.index));
            show(&drawn.ask, model.can_answer() && !model.is_past());
            drawn.jump.set_tab_index(if stop == Some(item.index) { 0 } else { -1 });
            if model.selected() == Some(item.index) {
                drawn.item.set_attribute("aria-current", "true")?;
            } else {
                drawn.item.remove_attribute("aria-current")?;
            }
        }
        Ok(())
    }

    fn build(&self, item: &Item) -> Result<Drawn, JsValue> {
        let highlight = &item.highlight;
        let row = category::row(highlight.category);
        let element = dom::instance(&self.mark)?;
        colour(&element, row)?;
        element.set_attribute("data-index", &item.index.to_string())?;
        let set = |selector: &str, text: &str| find::<Element>(&element, selector).map(|part| set_text(&part, text));
        set(".symbol", row.symbol)?;
        set(".kind", &row.short())?;
        set(".phrase", &highlight.phrase)?;
        set(".note", &highlight.note)?;
        find::<HtmlElement>(&element, ".jump")?.set_title(&row.label());
        draw_source(&find(&element, ".source")?, item)?;
        Ok(Drawn {
            index: item.index,
            jump: find(&element, ".jump")?,
            place: find(&element, ".place")?,
            acts: find(&element, ".mark-acts")?,
            ask: find(&element, ".ask-about")?,
            item: element,
        })
    }

    fn draw_pills(&mut self, pills: &[Pill]) -> Result<(), JsValue> {
        show(&self.pills, !pills.is_empty());
        if self.pill_elements.len() < pills.len() {
            clear(&self.pills);
            self.pill_elements.clear();
            for pill in pills {
                let row = category::row(pill.category);
                let element = dom::instance(&self.pill)?;
                colour(&element, row)?;
                element.set_attribute("data-category", row.name)?;
                set_text(&find(&element, ".symbol")?, row.symbol);
                set_text(&find(&element, ".label")?, &row.short());
                self.pills.append_child(&element)?;
                self.pill_elements.push(element);
            }
        }
        for (pill, element) in pills.iter().zip(&self.pill_elements) {
            set_text(&find(element, ".count")?, &words::number(pill.count as u64));
            element.set_attribute("aria-pressed", if pill.pressed { "true" } else { "false" })?;
            element.toggle_attribute_with_force("data-empty", pill.count == 0)?;
        }
        self.drawn_pills = pills.to_vec();
        Ok(())
    }

    /// Focuses the jump button of an item; of the first one shown where none is named.
    pub(super) fn focus(&self, index: Option<u32>) -> Result<(), JsValue> {
        let named = self.items.iter().find(|drawn| Some(drawn.index) == index);
        match named.or_else(|| self.items.iter().find(|drawn| !drawn.item.hidden())) {
            Some(drawn) => drawn.jump.focus()?,
            None => return Ok(()),
        }
        self.scroll_to(index); // with what stands below the button
        Ok(())
    }

    pub(super) fn scroll_to(&self, index: Option<u32>) {
        if let Some(drawn) = self.items.iter().find(|drawn| Some(drawn.index) == index) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            drawn.item.scroll_into_view_with_scroll_into_view_options(&options);
        }
    }
}

/// Only a source that this reading really found is a link; any other is a name, and said to be unverified.
fn draw_source(place: &HtmlElement, item: &Item) -> Result<(), JsValue> {
    let highlight = &item.highlight;
    let host = host_of(&highlight.source_url);
    if highlight.source.is_empty() && host.is_empty() {
        return Ok(());
    }
    show(place, true);
    let words = if highlight.source.is_empty() { &host } else { &highlight.source };
    if highlight.verified && !host.is_empty() {
        let link = dom::element("a", words)?;
        link.set_attribute("href", &highlight.source_url)?;
        link.set_attribute("target", "_blank")?;
        link.set_attribute("rel", "noopener noreferrer")?;
        place.append_child(&link)?;
        place.append_child(&*dom::element("span", &words::say("panel_verified", &[&host]))?)?;
        return Ok(());
    }
    let name = dom::element("span", words)?;
    name.set_dir("auto");
    place.append_child(&name)?;
    if !host.is_empty() && host != *words {
        place.append_child(&*dom::element("span", &host)?)?;
    }
    if !host.is_empty() {
        let mark = dom::element("span", &words::say("panel_unverified", &[]))?;
        mark.set_class_name("unverified");
        place.append_child(&mark)?;
    }
    Ok(())
}

/// The host of a web address; empty for anything else, which is never linked either.
fn host_of(address: &str) -> String {
    Url::parse(address).map(|url| url.host_str().to_owned()).unwrap_or_default()
}

fn draw_legend(place: &Element) -> Result<(), JsValue> {
    for row in &category::CATEGORIES {
        let term = dom::element("dt", &row.label())?;
        colour(&term, row)?;
        place.append_child(&term)?;
        place.append_child(&*dom::element("dd", &row.meaning())?)?;
    }
    Ok(())
}
