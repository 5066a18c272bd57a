//! Every action by keyboard, and by pointer.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent, MouseEvent};

use super::app::App;
use super::render::TabName;
use sidelight::panel::{Action, Panel, State};
use sidelight::wire::Category;
use sidelight_browser::dom;

impl App {
    pub(super) fn listen_to_keys(self: &Rc<Self>) -> Result<(), JsValue> {
        self.listen(dom::document()?.as_ref(), "keydown", |app, event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            // Enter and letters that compose a character belong to the input method; some send the last of them, 229,
            // when composing is over.
            if event.is_composing()
                || event.key_code() == 229
                || event.ctrl_key()
                || event.meta_key()
                || event.alt_key()
            {
                return;
            }
            if app.handle_key(event) {
                event.prevent_default();
            }
        })
    }

    /// Whether the key meant something here.
    fn handle_key(self: &Rc<Self>, event: &KeyboardEvent) -> bool {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let inside =
            |selector: &str| target.as_ref().is_some_and(|target| target.closest(selector).ok().flatten().is_some());
        let typing = inside("input, textarea, select");
        let key = event.key();
        // What is open over the panel has keys of its own.
        if inside("dialog") {
            return false;
        }
        match key.as_str() {
            "ArrowLeft" | "ArrowRight" if inside("[role=tab]") => {
                let beside = self.renderer.borrow().tab.beside(key == "ArrowRight");
                self.show_tab(beside, true);
                true
            }
            "Enter" if inside("#question") && !event.shift_key() => {
                self.ask();
                true
            }
            "Escape" if inside("#chat") => self.stop_answer() || self.change(|model, _| model.handle_edit_cancelled()),
            "ArrowDown" if inside("#filter") => self.step(true),
            "Escape" if typing => {
                self.change(|model, _| model.handle_filter(""));
                self.renderer.borrow().clear_filter();
                self.focus_list();
                true
            }
            "Escape" if inside("[popover]") => false,
            "Escape" if self.model.borrow().is_past() => {
                self.change(|model, _| model.handle_past_closed());
                true
            }
            "Escape" => self.stop(),
            _ if typing => false,
            "ArrowDown" | "ArrowUp" if inside("#highlights") => self.step(key == "ArrowDown"),
            "j" | "k" => {
                self.show_tab(TabName::Highlights, false);
                self.step(key == "j")
            }
            "/" => {
                self.show_tab(TabName::Highlights, false);
                self.renderer.borrow().focus_filter()
            }
            "c" => {
                self.copy_selected();
                true
            }
            _ => false,
        }
    }

    fn step(self: &Rc<Self>, forward: bool) -> bool {
        let arrived = self.change(|model, _| model.handle_step(forward)).is_some();
        if arrived {
            self.focus_list();
        }
        arrived
    }

    /// Focus goes to the chosen item, which has to be drawn for that.
    fn focus_list(&self) {
        let model = self.model.borrow();
        self.renderer.borrow_mut().focus_item(&model);
    }

    /// Whether there was anything to stop.
    fn stop(self: &Rc<Self>) -> bool {
        let is_running = self.model.borrow().state() == State::Reading;
        if let Some(stopped) = self.change(Panel::handle_stop) {
            self.ports.borrow_mut().close(&stopped);
        }
        is_running
    }

    /// The page chose a highlight: show it in the list.
    pub(super) fn show_selected(self: &Rc<Self>) {
        self.show_tab(TabName::Highlights, false);
        let model = self.model.borrow();
        if model.filter().is_empty() {
            // The filter that hid it was lifted, and its words go with it.
            self.renderer.borrow().clear_filter();
        }
        self.renderer.borrow_mut().scroll_to_item(&model);
    }

    pub(super) fn show_tab(self: &Rc<Self>, tab: TabName, focus: bool) {
        self.model.borrow_mut().handle_shown_view(tab.id());
        self.save_soon();
        let model = self.model.borrow();
        // Its elements were there at the start and stay.
        drop(self.renderer.borrow_mut().show_tab(tab, focus, &model));
    }

    pub(super) fn listen_to_pointer(self: &Rc<Self>) -> Result<(), JsValue> {
        for (id, tab) in [("tab-analysis", TabName::Analysis), ("tab-highlights", TabName::Highlights)] {
            self.listen(&dom::by_id(id)?, "click", move |app, _| app.show_tab(tab, false))?;
        }
        self.listen(&dom::by_id("tab-chat")?, "click", |app, event| {
            app.show_tab(TabName::Chat, false);
            // A click of the pointer leads on to the input; one of the keyboard stays among the tabs.
            if event.dyn_ref::<MouseEvent>().is_some_and(|click| click.detail() > 0) {
                app.renderer.borrow().focus_question();
            }
        })?;
        self.listen(&dom::by_id("settings")?, "click", |app, _| app.act(Action::Settings))?;
        self.listen(&dom::by_id("read")?, "click", |app, _| app.act(Action::Read))?;
        self.listen(&dom::by_id("stop")?, "click", |app, _| {
            app.stop();
        })?;
        self.listen(&dom::by_id("notices")?, "click", |app, event| {
            let action = hit(&event, "button").and_then(|button| app.renderer.borrow().action_of(&button));
            if let Some(action) = action {
                app.act(action);
            }
        })?;
        self.listen(&dom::by_id("pills")?, "click", |app, event| {
            let category = hit(&event, "[data-category]")
                .and_then(|pill| pill.get_attribute("data-category"))
                .and_then(|name| category_named(&name));
            if let Some(category) = category {
                app.change(|model, _| model.handle_category(category));
            }
        })?;
        self.listen(&dom::by_id("list")?, "click", |app, event| {
            let Some(button) = hit(&event, "button") else { return };
            let item = button.closest("[data-index]").ok().flatten();
            let Some(index) = item.and_then(|item| item.get_attribute("data-index")?.parse().ok()) else { return };
            app.change(|model, _| model.handle_select(index));
            match button.class_name().as_str() {
                "jump" => {
                    app.renderer.borrow_mut().scroll_to_item(&app.model.borrow());
                    app.focus_on_page(index);
                }
                class if class.ends_with("ask-about") => app.ask_about_selected(),
                _ => app.copy_selected(),
            }
        })?;
        self.listen(&dom::by_id("show-all")?, "click", |app, _| {
            app.change(|model, _| model.handle_filter_dropped());
            app.renderer.borrow().clear_filter();
            app.focus_list();
        })?;
        self.listen(&dom::by_id("filter")?, "input", |app, event| {
            if let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) {
                app.change(|model, _| model.handle_filter(&input.value()));
            }
        })?;
        self.listen(dom::by_id::<Element>("panels")?.as_ref(), "click", |app, event| {
            // The click comes before the fold, so `open` still says how it was.
            let thinking = hit(&event, ".thinking > summary").and_then(|summary| summary.parent_element());
            if let Some(thinking) = thinking {
                app.change(|model, _| model.handle_thinking_shown(!thinking.has_attribute("open")));
            }
        })?;
        self.listen(&dom::by_id("prose")?, "click", |app, event| {
            // The click that folds comes before the fold, so `open` still says how it was.
            let Some(section) = hit(&event, "summary").and_then(|summary| summary.parent_element()) else { return };
            let title = section.query_selector("summary").ok().flatten().and_then(|node| node.text_content());
            let folded = section.has_attribute("open");
            app.change(|model, _| model.handle_fold(title.unwrap_or_default().trim(), folded));
        })
    }
}

/// The element around an event's target that fits a selector.
pub(super) fn hit(event: &Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok().flatten()
}

fn category_named(name: &str) -> Option<Category> {
    sidelight::reading::category::CATEGORIES.iter().find(|row| row.name == name).map(|row| row.category)
}
