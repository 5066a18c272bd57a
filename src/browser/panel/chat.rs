//! The chat: its turns, and the input below them.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlButtonElement, HtmlElement, HtmlTemplateElement, HtmlTextAreaElement};

use super::answer::AnswerView;
use super::render::draw_placeholder;
use crate::browser::dom::{self, clear, find, set_text, show};
use crate::panel::{Chat, ChatTurn, ChatView, Panel, TurnAction, TurnView};

pub(super) struct ChatLog {
    log: HtmlElement,
    scroll: HtmlElement,
    template: HtmlTemplateElement,
    composer: Composer,
    turns: Vec<DrawnTurn>,
    /// Serial and revision of the chat as drawn; zeros for none.
    drawn: (u32, u32),
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
    send: HtmlButtonElement,
    stop: HtmlElement,
    empty: HtmlElement,
    forgotten: HtmlElement,
    blocked: HtmlElement,
    editing: HtmlElement,
    chip: HtmlElement,
    remark: HtmlElement,
    running: HtmlElement,
    progress: HtmlElement,
    elapsed: HtmlElement,
    live: HtmlElement,
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
        })
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
        let at_end = self.scroll.scroll_top() + self.scroll.client_height() >= self.scroll.scroll_height() - 2;
        self.turns.retain(|drawn| {
            let stays = chat.turns().iter().any(|turn| turn.id() == drawn.id);
            if !stays {
                drawn.element.remove();
            }
            stays
        });
        let mut asked = false;
        for (at, turn) in chat.turns().iter().enumerate() {
            if self.turns.len() == at {
                let drawn = self.build(turn, model.shows_thinking())?;
                self.turns.push(drawn);
                asked = true;
            }
            self.turns[at].draw(model, chat, turn)?;
        }
        // A new question goes into view; an answer is followed as long as the reader stays at its end.
        if asked || at_end {
            self.scroll.set_scroll_top(self.scroll.scroll_height());
        }
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
        set_text(&*find::<Element>(&element, ".question")?, turn.question());
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
        self.answer.draw(turn.answer(), &|_| false, &|address| model.may_link(chat, turn, address))?;
        let view = model.turn_view(chat, turn);
        if view == self.view {
            return Ok(());
        }
        let text = |selector: &str, text: &str| {
            find::<HtmlElement>(&self.element, selector).map(|part| draw_placeholder(&part, text))
        };
        text(".about", &view.about)?;
        text(".meta", &view.meta)?;
        text(".remark", view.remark)?;
        text(".problem .text", &view.problem)?;
        text(".problem .details", &view.details)?;
        show(&find(&self.element, ".problem")?, !view.problem.is_empty());
        show(&find(&self.element, ".problem details")?, !view.details.is_empty());
        self.element.toggle_attribute_with_force("data-running", view.running)?;
        if view.actions != self.view.actions {
            self.draw_actions(&view)?;
        }
        self.view = view;
        Ok(())
    }

    fn draw_actions(&self, view: &TurnView) -> Result<(), JsValue> {
        let places: [Element; 2] = [find(&self.element, ".turn-acts")?, find(&self.element, ".ask-acts")?];
        for place in &places {
            clear(place);
        }
        for (words, action) in &view.actions {
            let button = dom::element("button", words)?;
            button.set_class_name("button quiet");
            button.set_attribute("type", "button")?;
            let place = &places[usize::from(*action == TurnAction::Edit)];
            place.append_child(&button)?;
        }
        Ok(())
    }
}

impl Composer {
    fn new() -> Result<Self, JsValue> {
        Ok(Self {
            input: dom::by_id("question")?,
            send: dom::by_id("send")?,
            stop: dom::by_id("stop-answer")?,
            empty: dom::by_id("chat-empty")?,
            forgotten: dom::by_id("chat-forgotten")?,
            blocked: dom::by_id("chat-blocked")?,
            editing: dom::by_id("chat-editing")?,
            chip: dom::by_id("chip")?,
            remark: dom::by_id("chat-remark")?,
            running: dom::by_id("chat-running")?,
            progress: dom::by_id("chat-progress")?,
            elapsed: dom::by_id("chat-elapsed")?,
            live: dom::by_id("chat-live")?,
            draft: (0, 0),
            drawn: None,
        })
    }

    fn draw(&mut self, chat: Option<&Chat>, view: &ChatView) -> Result<(), JsValue> {
        let draft = chat.map_or((0, 0), |chat| (chat.serial(), chat.draft_revision()));
        let typed = self.input.value();
        // A chat that begins with what was just typed holds the same words.
        if self.draft != draft && typed != chat.map_or("", |chat| &chat.draft().text) {
            self.input.set_value(chat.map_or("", |chat| &chat.draft().text));
        }
        self.draft = draft;
        if self.drawn.as_ref() == Some(view) {
            return Ok(());
        }
        draw_placeholder(&self.empty, view.empty);
        draw_placeholder(&self.forgotten, &view.forgotten);
        draw_placeholder(&self.remark, view.remark);
        for (place, words) in [(&self.blocked, view.blocked), (&self.editing, view.editing), (&self.chip, &view.chip)] {
            set_text(&*find::<Element>(place, ".text")?, words);
            show(place, !words.is_empty());
        }
        self.input.set_placeholder(&view.placeholder);
        set_text(&self.progress, &view.progress);
        set_text(&self.elapsed, &view.elapsed);
        set_text(&self.live, &view.live);
        self.send.set_disabled(!view.blocked.is_empty());
        let stop_had_focus = dom::document()?.active_element().is_some_and(|at| at.is_same_node(Some(&self.stop)));
        show(&self.running, view.running);
        show(&self.stop, view.running);
        show(&self.send, !view.running);
        if stop_had_focus && !view.running {
            self.input.focus()?;
        }
        self.drawn = Some(view.clone());
        Ok(())
    }
}
