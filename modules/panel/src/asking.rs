//! The reader's side of the chat: questions, and what buttons do with answers.

use std::rc::Rc;

use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;
use web_sys::HtmlTextAreaElement;

use super::app::App;
use super::keys::hit;
use super::ports::Owner;
use super::render::TabName;
use sidelight::panel::{Action, Asked, Panel, TurnAction};
use sidelight_browser::boundary::from_js;
use sidelight_browser::task::spawn;
use sidelight_browser::{chrome, clock, dom};

/// Key in `storage.session`: a passage the reader wants to ask about, left by the context menu for the panel that may
/// only be opening.
const ASK_ABOUT: &str = "askAbout";

impl App {
    pub(super) fn listen_to_chat(self: &Rc<Self>) -> Result<(), JsValue> {
        self.listen(&dom::by_id("question")?, "input", |app, event| {
            if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok()) {
                app.change(|model, _| model.handle_draft(&input.value()));
            }
        })?;
        self.listen(&dom::by_id("chat")?, "click", |app, event| {
            let Some(button) = hit(&event, "button") else { return };
            match button.id().as_str() {
                "send" => app.ask(),
                "stop-answer" => drop(app.stop_answer()),
                "chip-remove" => app.change(|model, _| model.handle_selection("")),
                "edit-cancel" => drop(app.change(|model, _| model.handle_edit_cancelled())),
                "chat-settings" => return app.act(Action::Settings),
                _ if button.class_list().contains("idea") => {
                    let words = button.text_content().unwrap_or_default();
                    app.change(|model, _| model.handle_draft(&words));
                    app.ask();
                }
                _ => {
                    let action = app.renderer.borrow().turn_action_of(&button);
                    return action.into_iter().for_each(|(action, turn)| app.act_on_turn(action, &turn));
                }
            }
            app.renderer.borrow().focus_question();
        })
    }

    /// Sends what stands in the input.
    pub(super) fn ask(self: &Rc<Self>) {
        self.send(Panel::handle_ask);
    }

    /// Takes the phrase chosen in the list along to the chat.
    pub(super) fn ask_about_selected(self: &Rc<Self>) {
        let phrase = self.model.borrow().selected_item().map(|item| item.highlight.phrase.clone());
        self.change(|model, _| model.handle_selection(&phrase.unwrap_or_default()));
        self.show_tab(TabName::Chat, false);
        self.renderer.borrow().focus_question();
    }

    /// Whether an answer was being written.
    pub(super) fn stop_answer(self: &Rc<Self>) -> bool {
        let Some(turn) = self.change(Panel::handle_chat_stop) else { return false };
        self.ports.borrow_mut().close(&turn);
        true
    }

    fn act_on_turn(self: &Rc<Self>, action: TurnAction, turn: &str) {
        match action {
            TurnAction::Edit => {
                self.change(|model, _| model.handle_edit(turn));
                self.draw();
                self.renderer.borrow().focus_question();
            }
            TurnAction::Copy => self.copy(|model| {
                let turn = model.chat()?.turns().iter().find(|known| known.id() == turn)?;
                Some(turn.answer().prose().source().to_owned())
            }),
            TurnAction::Retry => self.send(Panel::handle_retry),
            TurnAction::Continue => self.send(Panel::handle_continue),
            TurnAction::Settings => self.act(Action::Settings),
            TurnAction::AllowProxy => {
                let app = self.clone();
                spawn(async move {
                    app.allow_proxy().await;
                    app.send(Panel::handle_retry);
                });
            }
            TurnAction::DeclineProxy => self.change(|model, _| model.handle_chat_consent_declined(turn)),
            TurnAction::AllowOpen | TurnAction::DeclineOpen => {
                let allow = action == TurnAction::AllowOpen;
                if let Some(reply) = self.change(|model, _| model.handle_chat_open_reply(turn, allow)) {
                    self.ports.borrow().post(&Owner::Turn(turn.to_owned()), &reply);
                }
            }
        }
    }

    fn send(self: &Rc<Self>, ask: fn(&mut Panel, &str, u64) -> Option<Asked>) {
        let id = format!("chat-{:x}-{:x}", clock::now(), clock::seed() >> 32);
        let Some(Asked { turn, tab, request }) = self.change(|model, now| ask(model, &id, now)) else { return };
        self.draw();
        // What had the focus may be gone with the turn that was asked anew.
        self.renderer.borrow().focus_question();
        if let Some(request) = request {
            self.open_port(&Owner::Turn(turn), &request);
        } else {
            let app = self.clone();
            spawn(async move { app.take_chat_text(tab, turn).await });
        }
    }

    /// Nobody has read the page yet: its text is taken for the question, whole, whatever is selected on it.
    async fn take_chat_text(self: &Rc<Self>, tab: i32, turn: String) {
        let taken = self.page_and_text(tab, |snapshot| snapshot.selection.clear()).await;
        if let Some(request) = self.change(|model, now| model.handle_chat_text(&turn, taken, now)) {
            self.open_port(&Owner::Turn(turn), &request);
        }
    }

    /// Takes the passage that the context menu left for this panel. Returns whether there was one.
    pub(super) async fn take_passage(self: &Rc<Self>) -> bool {
        let key = JsValue::from_str(ASK_ABOUT);
        let Ok(stored) = chrome::storage::session(&key).await else { return false };
        let Ok(stored) = from_js::<Map<String, Value>>(stored) else { return false };
        let passage = stored.get(ASK_ABOUT).unwrap_or(&Value::Null);
        let number = |name: &str| passage[name].as_i64().unwrap_or_default();
        let (Some(tab_id), Some(selection)) =
            (self.model.borrow().tab().map(|tab| tab.id), passage["selection"].as_str())
        else {
            return false;
        };
        let is_here = number("windowId") == i64::from(self.window.get()) && number("tabId") == i64::from(tab_id);
        // This panel hears of it twice: of its coming and of its going.
        if !is_here || self.passage.replace(number("at")) >= number("at") {
            return false;
        }
        // Left behind it does no harm: it is older than the next.
        drop(chrome::storage::remove_session(&key).await);
        if let Ok(tab) = chrome::tabs::tab(tab_id).await {
            self.handle_tab_change(tab_id, &tab);
        }
        self.change(|model, _| model.handle_selection(selection));
        self.show_tab(TabName::Chat, false);
        self.renderer.borrow().focus_question();
        true
    }
}
