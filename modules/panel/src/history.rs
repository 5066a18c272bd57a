//! The history: a list over the panel, and a reading of the past in place of that of the page in view.

use std::rc::Rc;

use serde_json::Value;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlDialogElement, HtmlElement, HtmlInputElement, HtmlTemplateElement};

use super::app::App;
use super::keys::hit;
use super::saving::date;
use sidelight::panel::{Action, Entry, History, PastView, with_export};
use sidelight::words;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::dom::{self, clear, find, set_text, show};
use sidelight_browser::download::download;
use sidelight_browser::task::spawn;

/// The dialog.
pub(super) struct HistoryView {
    dialog: HtmlDialogElement,
    search: HtmlInputElement,
    list: HtmlElement,
    template: HtmlTemplateElement,
    empty: HtmlElement,
    count: HtmlElement,
    acts: HtmlElement,
    sure: HtmlElement,
    undo: HtmlElement,
    /// The page of what was deleted last.
    deleted: JsValue,
    /// The readings in the list, in its order.
    shown: Vec<String>,
}

impl HistoryView {
    pub(super) fn new() -> Result<Self, JsValue> {
        Ok(Self {
            dialog: dom::by_id("history")?,
            search: dom::by_id("history-search")?,
            list: dom::by_id("history-list")?,
            template: dom::by_id("entry-template")?,
            empty: dom::by_id("history-empty")?,
            count: dom::by_id("history-count")?,
            acts: dom::by_id("history-acts")?,
            sure: dom::by_id("history-sure")?,
            undo: dom::by_id("history-undo")?,
            deleted: JsValue::UNDEFINED,
            shown: Vec::new(),
        })
    }

    fn open(&mut self) -> Result<(), JsValue> {
        self.search.set_value("");
        show(&self.sure, false);
        self.dialog.show_modal()?;
        self.search.focus()
    }

    fn draw(&mut self, history: &History) -> Result<(), JsValue> {
        clear(&self.list);
        self.shown.clear();
        for entry in history.shown() {
            self.list.append_child(&*self.build(entry)?)?;
            self.shown.push(entry.id.clone());
        }
        let nothing = if history.is_empty() { "history_none" } else { "history_not_found" };
        set_text(&self.empty, &if self.shown.is_empty() { words::say(nothing, &[]) } else { String::new() });
        show(&self.empty, self.shown.is_empty());
        show(&self.acts, !history.is_empty());
        show(&self.undo, history.can_undo());
        let (shown, all) = (self.shown.len() as u64, history.len() as u64);
        self.say(&match (shown == all, history.can_undo()) {
            (true, true) => words::say("history_deleted", &[]),
            (true, false) => words::count("history_readings", all, &[]),
            (false, _) => words::say("history_count", &[&words::number(shown), &words::number(all)]),
        });
        Ok(())
    }

    fn build(&self, entry: &Entry) -> Result<HtmlElement, JsValue> {
        let element = dom::instance(&self.template)?;
        let title = if entry.title.trim().is_empty() { &entry.url } else { &entry.title };
        set_text(&*find::<HtmlElement>(&element, ".title")?, title);
        set_text(&*find::<HtmlElement>(&element, ".url")?, &entry.url);
        let mut meta = vec![date(entry.time_ms), entry.reader.clone()];
        for (key, count) in [("panel_found", entry.found), ("history_asked", entry.asked)] {
            if count > 0 {
                meta.push(words::count(key, count, &[]));
            }
        }
        set_text(&*find::<HtmlElement>(&element, ".meta")?, &meta.join(" · "));
        find::<HtmlElement>(&element, ".delete")?
            .set_attribute("aria-label", &words::say("history_delete", &[title]))?;
        Ok(element)
    }

    /// Says how it stands, also aloud.
    fn say(&self, words: &str) {
        set_text(&self.count, words);
    }

    fn ask_whether_sure(&self, asked: bool) {
        show(&self.sure, asked);
        show(&self.acts, !asked);
        let next = if asked { "history-clear-not" } else { "history-clear" };
        // A fault leaves the focus where it was.
        drop(dom::by_id::<HtmlElement>(next).map(|button| button.focus()));
    }

    /// The reading whose entry was hit, its place in the list, and whether it is to be deleted.
    fn hit(&self, event: &web_sys::Event) -> Option<(usize, String, bool)> {
        let button = hit(event, "button")?;
        let entry = button.closest(".entry").ok()??;
        let children = self.list.children();
        let at =
            (0..children.length()).find(|at| children.item(*at).is_some_and(|own| own.is_same_node(Some(&entry))))?;
        let id = self.shown.get(at as usize)?.clone();
        Some((at as usize, id, button.class_list().contains("delete")))
    }

    /// Puts the focus beside an entry that is gone.
    fn focus_entry(&self, at: usize) {
        let entries = self.list.children();
        let at = u32::try_from(at).unwrap_or_default().min(entries.length().saturating_sub(1));
        let next = entries.item(at).and_then(|entry| find::<HtmlElement>(&entry, ".open").ok());
        // A fault leaves the focus where it was.
        drop(next.map_or_else(|| self.search.focus(), |button| button.focus()));
    }
}

/// Draws what stands above what was read, about the past.
pub(super) fn draw_past(view: Option<&PastView>) -> Result<(), JsValue> {
    let (text, offered, again) = match view {
        None => (String::new(), false, false),
        Some(PastView::Offered(date)) => (words::say("past_offered", &[date]), true, false),
        Some(PastView::Open(date, again)) => (words::say("past_open", &[date]), false, *again),
    };
    let past: HtmlElement = dom::by_id("past")?;
    set_text(&*find::<HtmlElement>(&past, ".text")?, &text);
    show(&dom::by_id("past-show")?, offered);
    show(&dom::by_id("past-again")?, again);
    show(&dom::by_id("past-close")?, !offered);
    show(&past, view.is_some());
    Ok(())
}

impl App {
    pub(super) fn listen_to_history(self: &Rc<Self>) -> Result<(), JsValue> {
        self.listen(&dom::by_id("history-open")?, "click", |app, _| app.open_history())?;
        self.listen(&dom::by_id("history-close")?, "click", |app, _| app.close_history())?;
        self.listen(&dom::by_id("history")?, "close", |app, _| *app.history.borrow_mut() = None)?;
        self.listen(&dom::by_id("history-search")?, "input", |app, _| {
            let typed = app.history_view.borrow().search.value();
            app.change_history(|history| history.handle_search(&typed));
        })?;
        self.listen(&dom::by_id("history-list")?, "click", |app, event| {
            let hit = app.history_view.borrow().hit(&event);
            let Some((at, id, delete)) = hit else { return };
            let app = app.clone();
            spawn(async move { if delete { app.delete_past(at, &id).await } else { app.show_past(&id).await } });
        })?;
        self.listen(&dom::by_id("history-export")?, "click", |app, _| {
            let app = app.clone();
            spawn(async move { app.export_history().await });
        })?;
        self.listen(&dom::by_id("history-undo")?, "click", |app, _| {
            let app = app.clone();
            spawn(async move { app.undo_delete().await });
        })?;
        self.listen(&dom::by_id("history-clear")?, "click", |app, _| app.history_view.borrow().ask_whether_sure(true))?;
        self.listen(&dom::by_id("history-clear-not")?, "click", |app, _| {
            app.history_view.borrow().ask_whether_sure(false);
        })?;
        self.listen(&dom::by_id("history-clear-now")?, "click", |app, _| {
            let app = app.clone();
            spawn(async move { app.clear_history().await });
        })?;
        self.listen(&dom::by_id("past")?, "click", |app, event| {
            match hit(&event, "button").map(|button| button.id()).unwrap_or_default().as_str() {
                "past-show" => {
                    let id = app.model.borrow().earlier().map(|earlier| earlier.id.clone());
                    let app = app.clone();
                    spawn(async move {
                        if let Some(id) = id {
                            app.show_past(&id).await;
                        }
                    });
                }
                "past-again" => app.act(Action::Read),
                "past-close" => app.change(|model, _| model.handle_past_closed()),
                _ => {}
            }
        })
    }

    fn open_history(self: &Rc<Self>) {
        if self.history_view.borrow_mut().open().is_err() {
            return;
        }
        let app = self.clone();
        spawn(async move {
            let kept = app.all_kept().await;
            if kept.is_err() {
                app.history_view.borrow().say(&words::say("history_failed", &[]));
            }
            *app.history.borrow_mut() = Some(History::new(kept.unwrap_or_default()));
            app.change_history(|_| {});
        });
    }

    async fn all_kept(&self) -> Result<Vec<(Entry, String)>, JsValue> {
        let texts: Vec<String> = from_js(self.database.texts().await?)?;
        Ok(self.kept_entries().await?.into_iter().zip(texts).collect())
    }

    fn close_history(&self) {
        self.history_view.borrow().dialog.close();
    }

    pub(super) fn change_history(&self, change: impl FnOnce(&mut History)) {
        if let Some(history) = &mut *self.history.borrow_mut() {
            change(history);
            // A fault while drawing leaves what was there.
            drop(self.history_view.borrow_mut().draw(history));
        }
    }

    async fn page_of(&self, id: &str) -> Option<Value> {
        from_js(self.database.page(id).await.ok()?).ok()
    }

    async fn show_past(self: &Rc<Self>, id: &str) {
        let time = self.kept_entries().await.unwrap_or_default().into_iter().find(|entry| entry.id == id);
        let date = date(time.map_or(0, |entry| entry.time_ms));
        let page = self.page_of(id).await.unwrap_or_default();
        if self.change(|model, _| model.handle_past(&page, date)) {
            self.close_history();
        } else {
            self.history_view.borrow().say(&words::say("history_failed", &[]));
        }
    }

    async fn delete_past(self: &Rc<Self>, at: usize, id: &str) {
        let page = self.database.page(id).await;
        if self.database.remove(id).await.is_err() {
            return self.history_view.borrow().say(&words::say("history_failed", &[]));
        }
        self.history_view.borrow_mut().deleted = page.unwrap_or_default();
        self.change_history(|history| history.handle_deleted(Some(id)));
        self.history_view.borrow().focus_entry(at);
        if self.model.borrow().earlier().is_some_and(|earlier| earlier.id == id) {
            self.change(|model, _| model.handle_earlier(None));
        }
    }

    async fn undo_delete(self: &Rc<Self>) {
        let mut back = None;
        self.change_history(|history| back = history.handle_undo());
        let Some((entry, text)) = back else { return };
        let page = self.history_view.borrow().deleted.clone();
        let put = match to_js(&entry.save()) {
            Ok(saved) => self.database.put(&entry.id, &saved, &text, &page, &js_sys::Array::new()).await.is_ok(),
            Err(_) => false,
        };
        if !put {
            self.change_history(|history| history.handle_deleted(Some(&entry.id)));
            return self.history_view.borrow().say(&words::say("history_failed", &[]));
        }
        let at = self.history_view.borrow().shown.iter().position(|shown| *shown == entry.id);
        self.history_view.borrow().focus_entry(at.unwrap_or_default());
    }

    async fn clear_history(self: &Rc<Self>) {
        self.history_view.borrow().ask_whether_sure(false);
        if self.database.clear().await.is_err() {
            return self.history_view.borrow().say(&words::say("history_failed", &[]));
        }
        self.change_history(|history| history.handle_deleted(None));
        self.history_view.borrow().focus_entry(0);
        self.change(|model, _| model.handle_earlier(None));
    }

    /// All that is kept, as one file of the same form as a single export.
    async fn export_history(self: &Rc<Self>) {
        let all = js_sys::Array::new();
        for entry in self.kept_entries().await.unwrap_or_default() {
            let page = self.page_of(&entry.id).await.unwrap_or_default();
            if let Some(Ok(export)) = with_export(&page, |export| to_js(export)) {
                all.push(&export);
            }
        }
        let text = js_sys::JSON::stringify_with_replacer_and_space(&all, &JsValue::NULL, &2.into());
        let file = text.and_then(|text| download("sidelight-history.json", "application/json", &String::from(text)));
        let said = if file.is_ok() { "history_exported" } else { "history_failed" };
        self.history_view.borrow().say(&words::say(said, &[]));
        drop(self.saved.replace(file.ok()));
    }
}
