//! The chat: its turns, and the input below them.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, HtmlTemplateElement, HtmlTextAreaElement};

use super::answer::AnswerView;
use super::notices::draw_addresses;
use super::render::draw_placeholder;
use sidelight::panel::{Chat, ChatTurn, ChatView, Panel, TurnAction, TurnView};
use sidelight_browser::dom::{self, clear, find, set_text, show};

pub(super) struct ChatLog {
    log: HtmlElement,
    scroll: HtmlElement,
    template: HtmlTemplateElement,
    composer: Composer,
    turns: Vec<DrawnTurn>,
    /// Serial and revision of the chat as drawn; zeros for none.
    drawn: (u32, u32),
    /// Whether the reader was at its end when it was last in view.
    at_end: bool,
}

struct DrawnTurn {
    id: String,
    element: HtmlElement,
    answer: AnswerView,
    view: TurnView,
}

/// What stands around and below the turns.
struct Composer {
    input: HtmlTextAreaElement,
    /// Which draft the input holds.
    draft: (u32, u32),
    drawn: Option<ChatView>,
}

impl ChatLog {
    pub(super) fn new() -> Result<Self, JsValue> {
        Ok(Self {
            log: dom::by_id("log")?,
            scroll: dom::by_id("chat-scroll")?,
            template: dom::by_id("turn-template")?,
            composer: Composer::new()?,
            turns: Vec::new(),
            drawn: (0, 0),
            at_end: true,
        })
    }

    /// Notes whether the reader is at the end; out of view they stay where they were.
    pub(super) fn note_place(&mut self) {
        if self.scroll.client_height() > 0 {
            self.at_end = self.scroll.scroll_top() + self.scroll.client_height() >= self.scroll.scroll_height() - 2;
        }
    }

    /// Goes to the end, if that is where the reader was.
    pub(super) fn follow(&self) {
        if self.at_end {
            self.scroll.set_scroll_top(self.scroll.scroll_height());
        }
    }

    /// Draws what differs from the last drawing.
    pub(super) fn draw(&mut self, model: &Panel, view: &ChatView) -> Result<(), JsValue> {
        self.composer.draw(model.chat(), view)?;
        let Some(chat) = model.chat() else {
            self.clear();
            return Ok(());
        };
        if self.drawn.0 != chat.serial() {
            self.clear();
        }
        if self.drawn == (chat.serial(), chat.revision()) {
            return Ok(());
        }
        self.note_place();
        self.turns.retain(|drawn| {
            let stays = chat.turns().iter().any(|turn| turn.id() == drawn.id);
            if !stays {
                drawn.element.remove();
            }
            stays
        });
        for (at, turn) in chat.turns().iter().enumerate() {
            if self.turns.len() == at {
                let drawn = self.build(turn, model.shows_thinking())?;
                self.turns.push(drawn);
                // A new question goes into view; an answer is followed as long as the reader stays at its end.
                self.at_end = true;
            }
            self.turns[at].draw(model, chat, turn)?;
        }
        self.follow();
        self.drawn = (chat.serial(), chat.revision());
        Ok(())
    }

    fn clear(&mut self) {
        if !self.turns.is_empty() {
            clear(&self.log);
            self.turns.clear();
        }
        self.drawn = (0, 0);
    }

    fn build(&self, turn: &ChatTurn, shows_thinking: bool) -> Result<DrawnTurn, JsValue> {
        let element = dom::instance(&self.template)?;
        set_text(&*find::<HtmlElement>(&element, ".question")?, turn.question());
        self.log.append_child(&element)?;
        let answer = AnswerView::new(&element, None, shows_thinking)?;
        Ok(DrawnTurn { id: turn.id().to_owned(), answer, element, view: TurnView::default() })
    }

    /// What a button of a turn does, and the turn's name.
    pub(super) fn action_of(&self, button: &Element) -> Option<(TurnAction, String)> {
        let turn = self.turns.iter().find(|turn| turn.element.contains(Some(button)))?;
        let words = button.text_content()?;
        let (_, action) = turn.view.actions.iter().find(|(known, _)| *known == words)?;
        Some((*action, turn.id.clone()))
    }

    /// Puts the focus where the next question is typed.
    pub(super) fn focus(&self) {
        // A fault leaves the focus where it was.
        drop(self.composer.input.focus());
    }
}

impl DrawnTurn {
    fn draw(&mut self, model: &Panel, chat: &Chat, turn: &ChatTurn) -> Result<(), JsValue> {
        self.answer.draw(turn.answer(), &|_| false, &|address| model.link(chat, turn, address))?;
        let view = model.turn_view(chat, turn);
        if view == self.view {
            return Ok(());
        }
        let text = |selector: &str, text: &str| {
            find::<HtmlElement>(&self.element, selector).map(|part| draw_placeholder(&part, text))
        };
        text(".about", &view.about)?;
        text(".meta", &view.meta)?;
        text(".remark", &view.remark)?;
        text(".problem .text", &view.problem)?;
        text(".problem .details", &view.details)?;
        let request: HtmlElement = find(&self.element, ".open-request")?;
        set_text(&*find::<HtmlElement>(&request, ".text")?, &view.open_request);
        draw_addresses(&find(&request, "ul")?, &view.open_addresses)?;
        show(&request, !view.open_addresses.is_empty());
        show(&find(&self.element, ".problem")?, !view.problem.is_empty());
        show(&find(&self.element, ".problem details")?, !view.details.is_empty());
        self.element.toggle_attribute_with_force("data-running", view.running)?;
        self.element.toggle_attribute_with_force("data-edited", view.edited)?;
        if view.actions != self.view.actions {
            self.draw_actions(&view)?;
        }
        self.view = view;
        Ok(())
    }

    fn draw_actions(&self, view: &TurnView) -> Result<(), JsValue> {
        let places: [HtmlElement; 2] = [find(&self.element, ".turn-acts")?, find(&self.element, ".ask-acts")?];
        for place in &places {
            clear(place);
        }
        for (words, action) in &view.actions {
            let button = dom::element("button", words)?;
            button.set_class_name("button quiet");
            button.set_attribute("type", "button")?;
            if *action == TurnAction::AllowOpen {
                button.set_class_name("button primary");
            }
            let place = &places[usize::from(*action == TurnAction::Edit)];
            place.append_child(&button)?;
        }
        Ok(())
    }
}

impl Composer {
    fn new() -> Result<Self, JsValue> {
        Ok(Self { input: dom::by_id("question")?, draft: (0, 0), drawn: None })
    }

    fn draw(&mut self, chat: Option<&Chat>, view: &ChatView) -> Result<(), JsValue> {
        let draft = chat.map_or((0, 0), |chat| (chat.serial(), chat.draft_revision()));
        let words = chat.map_or("", |chat| &chat.draft().text);
        // A chat that begins with what was just typed holds the same words.
        if self.draft != draft && self.input.value() != words {
            self.input.set_value(words);
        }
        self.draft = draft;
        if self.drawn.as_ref() == Some(view) {
            return Ok(());
        }
        self.input.set_placeholder(&view.placeholder);
        for (id, words) in [
            ("chat-empty", &view.empty),
            ("chat-forgotten", &view.forgotten),
            ("chat-remark", &view.remark),
            ("chat-progress", &view.progress),
            ("chat-elapsed", &view.elapsed),
        ] {
            draw_placeholder(&dom::by_id(id)?, words);
        }
        for (id, words) in [("chat-blocked", &view.blocked), ("chat-editing", &view.editing), ("chip", &view.chip)] {
            let line: HtmlElement = dom::by_id(id)?;
            set_text(&*find::<HtmlElement>(&line, ".text")?, words);
            show(&line, !words.is_empty());
        }
        show(&dom::by_id("chat-ideas")?, view.offers_ideas);
        let (send, stop): (HtmlElement, HtmlElement) = (dom::by_id("send")?, dom::by_id("stop-answer")?);
        send.toggle_attribute_with_force("disabled", !view.blocked.is_empty())?;
        let had_focus = super::bar::has_focus(&stop);
        show(&stop, view.running);
        show(&send, !view.running);
        show(&dom::by_id("chat-running")?, view.running);
        if had_focus && !view.running {
            self.input.focus()?;
        }
        show(&dom::by_id("composer")?, !view.past);
        set_text(&*dom::by_id::<HtmlElement>("chat-live")?, &view.live);
        self.drawn = Some(view.clone());
        Ok(())
    }
}
