//! Draws the model, patching only what changed.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use super::answer::AnswerView;
use super::bar::BarView;
use super::chat::ChatLog;
use super::history::draw_past;
use super::list::List;
use super::notices::Notices;
use sidelight::panel::{Action, Panel, Summary, TurnAction, View};
use sidelight::reading::category::{self, CategoryRow};
use sidelight::words;
use sidelight_browser::dom::{self, clear, set_text, show};

/// The tabs of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TabName {
    Analysis,
    Highlights,
    Chat,
}

impl TabName {
    const ALL: [Self; 3] = [Self::Analysis, Self::Highlights, Self::Chat];

    /// The tab beside it; beyond the last comes the first.
    pub(super) fn beside(self, forward: bool) -> Self {
        match (self, forward) {
            (Self::Analysis, true) | (Self::Chat, false) => Self::Highlights,
            (Self::Highlights, true) | (Self::Analysis, false) => Self::Chat,
            (Self::Chat, true) | (Self::Highlights, false) => Self::Analysis,
        }
    }

    /// The tab of a name that [`Self::id`] gave.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.id() == name)
    }

    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Analysis => "analysis",
            Self::Highlights => "highlights",
            Self::Chat => "chat",
        }
    }
}

/// Everything on the screen, and what was last drawn there.
pub(super) struct Renderer {
    pub(super) tab: TabName,
    drawn: Option<View>,
    reading: String,
    title: HtmlElement,
    site: HtmlElement,
    reader: HtmlElement,
    found: HtmlElement,
    live: HtmlElement,
    trust: HtmlElement,
    summary: HtmlElement,
    no_analysis: HtmlElement,
    analysis: HtmlElement,
    filter: HtmlInputElement,
    notices: Notices,
    answer: AnswerView,
    list: List,
    chat: ChatLog,
    bar: BarView,
}

impl Renderer {
    /// Finds everything in `panel.html`.
    pub(super) fn new() -> Result<Self, JsValue> {
        Ok(Self {
            tab: TabName::Analysis,
            drawn: None,
            reading: String::new(),
            title: dom::by_id("title")?,
            site: dom::by_id("site")?,
            reader: dom::by_id("reader")?,
            found: dom::by_id("found")?,
            live: dom::by_id("live")?,
            trust: dom::by_id("trust")?,
            summary: dom::by_id("summary")?,
            no_analysis: dom::by_id("prose-empty")?,
            analysis: dom::by_id("analysis")?,
            filter: dom::by_id("filter")?,
            notices: Notices::new()?,
            answer: AnswerView::new(&dom::by_id("analysis")?, Some(dom::by_id("section-template")?), false)?,
            list: List::new()?,
            chat: ChatLog::new()?,
            bar: BarView::new()?,
        })
    }

    /// Draws what differs from the last drawing.
    pub(super) fn draw(&mut self, model: &Panel, now_ms: u64) -> Result<(), JsValue> {
        let view = model.view(now_ms);
        let old = self.drawn.take();
        let old = old.as_ref();
        let reading = model.reading();
        let id = reading.map(sidelight::panel::Reading::id).unwrap_or_default();
        if self.reading != id {
            id.clone_into(&mut self.reading);
            self.answer.clear(model.shows_thinking())?;
            self.list.clear();
            self.analysis.set_scroll_top(0);
        }
        self.draw_header(&view);
        if old.is_none_or(|old| old.past != view.past) {
            draw_past(view.past.as_ref())?;
        }
        if old.is_none_or(|old| old.notices != view.notices) {
            self.notices.draw(&view.notices)?;
        }
        if old.is_none_or(|old| (&old.trust, old.trust_is_coming) != (&view.trust, view.trust_is_coming)) {
            self.draw_trust(&view)?;
        }
        if old.is_none_or(|old| old.summary != view.summary) {
            self.draw_summary(view.summary.as_ref())?;
        }
        if let Some(reading) = reading {
            let follow = at_chosen_end(&self.analysis);
            let answer = reading.analysis_answer();
            let link = |address: &str| answer.sources().find(address).map(str::to_owned);
            if self.answer.draw(answer, &|title| model.is_folded(title), &link)? && follow {
                self.analysis.set_scroll_top(self.analysis.scroll_height());
            }
        }
        draw_placeholder(&self.no_analysis, &view.no_analysis);
        self.list.draw(model, &view)?;
        self.chat.draw(model, &view.chat)?;
        if old.is_none_or(|old| old.bar != view.bar) {
            self.bar.draw(&view.bar);
        }
        set_text(&self.live, &view.live);
        self.drawn = Some(view);
        Ok(())
    }

    fn draw_header(&self, view: &View) {
        set_text(&self.title, &view.title);
        if self.title.title() != view.title {
            self.title.set_title(&view.title);
        }
        set_text(&self.site, &view.site);
        show(&self.site, !view.site.is_empty());
        set_text(&self.reader, &view.reader);
        set_text(&self.found, &words::number(view.found as u64));
        show(&self.found, view.found > 0);
    }

    fn draw_trust(&self, view: &View) -> Result<(), JsValue> {
        show(&self.trust, view.trust.is_some() || view.trust_is_coming);
        self.trust.toggle_attribute_with_force("data-coming", view.trust.is_none())?;
        let (level, reason) = match &view.trust {
            Some(trust) => (trust.level.label(), trust.reason.as_str()),
            None => (words::say("trust_coming", &[]), ""),
        };
        set_text(&dom::find(&self.trust, ".level")?, &level);
        set_text(&dom::find(&self.trust, ".reason")?, reason);
        Ok(())
    }

    fn draw_summary(&self, summary: Option<&Summary>) -> Result<(), JsValue> {
        show(&self.summary, summary.is_some());
        let Some(summary) = summary else { return Ok(()) };
        let text: HtmlElement = dom::find(&self.summary, ".text")?;
        set_text(&text, &summary.text);
        show(&text, !summary.text.is_empty());
        let bullets: Element = dom::find(&self.summary, "ul")?;
        clear(&bullets);
        for (category, sentence) in &summary.bullets {
            let row = category::row(*category);
            let symbol = dom::element("span", row.symbol)?;
            symbol.set_class_name("symbol");
            symbol.set_attribute("aria-hidden", "true")?;
            let words = dom::element("span", "")?;
            words.append_child(&*dom::element("b", &row.short())?)?;
            words.append_child(&dom::document()?.create_text_node(": "))?;
            // Its language may run the other way.
            words.append_child(&*dom::element("bdi", sentence)?)?;
            let bullet = dom::element("li", "")?;
            colour(&bullet, row)?;
            bullet.append_child(&symbol)?;
            bullet.append_child(&words)?;
            bullets.append_child(&bullet)?;
        }
        Ok(())
    }

    /// Brings a tab to the front.
    pub(super) fn show_tab(&mut self, tab: TabName, focus: bool, model: &Panel) -> Result<(), JsValue> {
        self.chat.note_place();
        self.tab = tab;
        for each in TabName::ALL {
            let button: HtmlElement = dom::by_id(&format!("tab-{}", each.id()))?;
            button.set_attribute("aria-selected", if each == tab { "true" } else { "false" })?;
            button.set_tab_index(if each == tab { 0 } else { -1 });
            show(&dom::by_id(each.id())?, each == tab);
            if focus && each == tab {
                button.focus()?;
            }
        }
        // The chat has a bar of its own.
        show(&dom::by_id("foot")?, tab != TabName::Chat);
        match tab {
            TabName::Highlights => self.list.refresh(model)?,
            TabName::Chat => self.chat.follow(),
            TabName::Analysis => {}
        }
        Ok(())
    }

    /// Puts the focus on the chosen item, or on the first.
    pub(super) fn focus_item(&mut self, model: &Panel) {
        // A fault leaves the focus where it was.
        drop(self.list.refresh(model).and_then(|()| self.list.focus(model.selected())));
    }

    /// Scrolls the list to the chosen item; the focus stays where the reader is.
    pub(super) fn scroll_to_item(&mut self, model: &Panel) {
        // A fault leaves the list where it was.
        drop(self.list.refresh(model));
        self.list.scroll_to(model.selected());
    }

    /// Whether there is a filter to focus.
    pub(super) fn focus_filter(&self) -> bool {
        !self.filter.closest("[hidden]").is_ok_and(|hidden| hidden.is_some()) && self.filter.focus().is_ok()
    }

    pub(super) fn clear_filter(&self) {
        self.set_filter("");
    }

    pub(super) fn set_filter(&self, typed: &str) {
        self.filter.set_value(typed);
    }

    /// Puts the focus into the input of the chat.
    pub(super) fn focus_question(&self) {
        self.chat.focus();
    }

    /// What a button of a turn does, and the turn's name.
    pub(super) fn turn_action_of(&self, button: &Element) -> Option<(TurnAction, String)> {
        self.chat.action_of(button)
    }

    pub(super) fn action_of(&self, button: &Element) -> Option<Action> {
        self.notices.action_of(button)
    }
}

/// Text in place of something that is not there, or nothing.
pub(super) fn draw_placeholder(element: &HtmlElement, text: &str) {
    set_text(element, text);
    show(element, !text.is_empty());
}

/// Lends an element the two colours of a category.
pub(super) fn colour(element: &HtmlElement, row: &CategoryRow) -> Result<(), JsValue> {
    element.style().set_property("--cat", &format!("var(--cat-{})", row.name))?;
    element.style().set_property("--cat-text", &format!("var(--cat-{}-text)", row.name))
}

/// Whether the reader went to the end and wants to stay there. A panel that was never scrolled stays at its top.
fn at_chosen_end(panel: &HtmlElement) -> bool {
    let top = panel.scroll_top();
    top > 0 && top + panel.client_height() >= panel.scroll_height() - 2
}
