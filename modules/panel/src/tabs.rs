//! Which page is in view, and what pages and worker say about it.

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::app::App;
use sidelight::page::text;
use sidelight::panel::{Panel, ReadPage, Tab};
use sidelight::wire::{
    ErrorCode, ExtensionToPage, PageToExtension, PaintedItem, ReadingError, Snapshot, WorkerToExtension,
};
use sidelight::words;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::chrome::{self, MessageSender};
use sidelight_browser::task::spawn;
use sidelight_browser::{clock, page};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TabInView {
    active: bool,
    current_window: bool,
}

/// What `tabs.onActivated` says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Activated {
    tab_id: i32,
    window_id: i32,
}

/// What `tabs.onUpdated` says of a change; other changes (sound, icon) are of no interest.
#[derive(Deserialize)]
struct TabChange {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    title: Option<String>,
}

/// Enough of a runtime message to know whether it is for the panel: snapshots for the worker pass by unread.
#[derive(Deserialize)]
struct Tagged {
    r#type: String,
}

impl App {
    pub(super) fn follow_tabs(self: &Rc<Self>) {
        chrome::tabs::ON_ACTIVATED.with(|event| {
            self.subscribe(event, |app, activated, _, _| {
                if let Ok(Activated { tab_id, window_id }) = from_js(activated)
                    && window_id == app.window.get()
                {
                    app.change(|model, _| model.handle_tab(Tab { id: tab_id, url: None, title: None }));
                    app.clone().learn(tab_id);
                    if !app.model.borrow().knows_tab(tab_id) {
                        // It may come from another window, whose panel read it.
                        let app = app.clone();
                        spawn(async move {
                            app.restore().await;
                        });
                    }
                }
            });
        });
        chrome::tabs::ON_UPDATED.with(|event| {
            self.subscribe(event, |app, tab_id, change, tab| {
                let (Ok(tab_id), Ok(change)) = (from_js(tab_id), from_js::<TabChange>(change)) else { return };
                if change.status.is_some() || change.url.is_some() || change.title.is_some() {
                    app.handle_tab_change(tab_id, tab.unchecked_ref());
                }
                if change.status.as_deref() == Some("loading") {
                    app.change(|model, _| model.handle_loading(tab_id));
                }
                if change.status.is_some() {
                    let is_there = change.status.as_deref() == Some("complete");
                    app.clone().look_for_document(tab_id, is_there);
                }
            });
        });
        chrome::tabs::ON_REMOVED.with(|event| {
            self.subscribe(event, |app, tab_id, _, _| {
                let Ok(tab_id) = from_js(tab_id) else { return };
                for reading in app.change(|model, _| model.handle_tab_removed(tab_id)) {
                    app.ports.borrow_mut().close(&reading);
                }
            });
        });
        chrome::runtime::ON_MESSAGE.with(|event| {
            self.subscribe(event, |app, message, sender, respond| {
                app.handle_runtime_message(message, sender.unchecked_ref(), respond.unchecked_ref());
            });
        });
    }

    pub(super) fn handle_tab_change(self: &Rc<Self>, tab_id: i32, tab: &chrome::Tab) {
        if self.model.borrow().tab().is_some_and(|shown| shown.id == tab_id) {
            self.change(|model, _| model.handle_tab(known(tab_id, tab)));
        }
    }

    /// Asks Chrome what it lets us know of a tab.
    fn learn(self: Rc<Self>, tab_id: i32) {
        spawn(async move {
            if let Ok(tab) = chrome::tabs::tab(tab_id).await {
                self.handle_tab_change(tab_id, &tab);
            }
        });
    }

    /// After a navigation: does our script still answer? Then it moved within its document, and its marks stand. A new
    /// page that is there, and may be read unasked, is.
    fn look_for_document(self: Rc<Self>, tab_id: i32, is_there: bool) {
        if !self.model.borrow().knows_tab(tab_id) {
            return;
        }
        let look = self.model.borrow_mut().handle_look(tab_id);
        spawn(async move {
            let report = async || {
                page::send::<Vec<PaintedItem>>(tab_id, Some(page::TOP), &ExtensionToPage::Report).await.is_ok()
            };
            // The first question may have gone to the document before this one, and fails when this one is there already.
            let stands = report().await || report().await;
            if !self.model.borrow().is_latest_look(tab_id, look) {
                return;
            }
            if !stands {
                self.change(|model, _| model.handle_document_gone(tab_id));
            }
            if is_there && self.model.borrow().follows(tab_id) {
                self.read(tab_id);
            }
        });
    }

    fn handle_runtime_message(self: &Rc<Self>, message: JsValue, sender: &MessageSender, respond: &js_sys::Function) {
        let Ok(Tagged { r#type }) = from_js(message.clone()) else { return };
        match r#type.as_str() {
            "read_tab" => {
                if let Ok(WorkerToExtension::ReadTab { tab_id, toggle }) = from_js(message) {
                    if toggle && self.model.borrow().is_settled(tab_id) {
                        // Only the worker can close a panel. One that hears nothing leaves it open.
                        drop(respond.call1(&JsValue::NULL, &JsValue::TRUE));
                        return;
                    }
                    let app = self.clone();
                    spawn(async move { app.read_on_click(tab_id).await });
                }
            }
            "erase" => self.erase(),
            "painted" | "activated" => {
                let Some(tab_id) = sender.tab().and_then(|tab| tab.tab_id()) else { return };
                match from_js(message) {
                    Ok(PageToExtension::Painted { reading, items, late_frames }) => {
                        self.change(|model, _| model.handle_painted(tab_id, &reading, items, late_frames));
                    }
                    Ok(PageToExtension::Activated { reading, index }) => {
                        if self.change(|model, _| model.handle_activated(&reading, index)) {
                            self.show_selected();
                        }
                    }
                    Ok(PageToExtension::Anchor { .. }) | Err(_) => {}
                }
            }
            _ => {}
        }
    }

    /// Reads the tab in view in this window, unless that was done for another panel, or this one was opened to ask about a
    /// passage. `wished` is the tab the reader asked to have read in any case.
    pub(super) async fn read_tab_in_view(self: &Rc<Self>, wished: Option<i32>) {
        let Ok(query) = to_js(&TabInView { active: true, current_window: true }) else { return };
        let Ok(tabs) = chrome::tabs::query(&query).await else { return };
        let Some(tab) = tabs.dyn_into::<js_sys::Array>().ok().and_then(|tabs| tabs.iter().next()) else { return };
        let tab: chrome::Tab = tab.unchecked_into();
        let Some(tab_id) = tab.tab_id() else { return };
        self.window.set(tab.window_id());
        self.incognito.set(tab.incognito());
        self.change(|model, _| model.handle_tab(known(tab_id, &tab)));
        let is_read = self.model.borrow().is_read();
        if is_read {
            // Do its marks still stand?
            self.clone().look_for_document(tab_id, true);
        }
        if !self.take_passage().await && (!is_read || wished == Some(tab_id)) {
            self.read(tab_id);
        }
    }

    /// The reader clicked the toolbar button. A second click on a page that is being read changes nothing.
    async fn read_on_click(self: &Rc<Self>, tab_id: i32) {
        let Ok(tab) = chrome::tabs::tab(tab_id).await else { return };
        if tab.window_id() != self.window.get() {
            return;
        }
        self.change(|model, _| model.handle_tab(known(tab_id, &tab)));
        let being_read = {
            let model = self.model.borrow();
            model.reading().is_some_and(|reading| reading.is_running() && model.away(reading).is_none())
        };
        if !being_read {
            self.read(tab_id);
        }
    }

    /// Reads a tab. The panel shows so before anything is waited for.
    pub(super) fn read(self: &Rc<Self>, tab_id: i32) {
        self.read_as(tab_id, Panel::handle_read);
    }

    pub(super) fn read_as(self: &Rc<Self>, tab_id: i32, wish: fn(&mut Panel, i32) -> Option<u32>) {
        if let Some(wish) = self.change(|model, _| wish(model, tab_id)) {
            let app = self.clone();
            spawn(async move { app.take_text(tab_id, wish).await });
        }
    }

    async fn take_text(self: &Rc<Self>, tab_id: i32, wish: u32) {
        let taken = loop {
            let taken = self.page_and_text(tab_id, |_| {}).await;
            if !self.model.borrow().wants_text(tab_id, wish) {
                return;
            }
            let url = taken.as_ref().ok().map(|(page, _)| page.url.as_str());
            if !self.model.borrow().is_overtaken(tab_id, url) {
                break taken;
            }
            if !self.change(|model, _| model.handle_overtaken(tab_id)) {
                return;
            }
        };
        match taken {
            Ok((page, content)) => {
                let id = reading_id(tab_id);
                let requests = self.change(|model, now| model.handle_page(tab_id, page, content, id.clone(), now));
                if let Some(requests) = requests {
                    self.open_ports(&id, &requests);
                }
            }
            Err(error) => self.change(|model, _| model.handle_unreadable(tab_id, error)),
        }
    }

    /// A page and its text to read; `adjust` may change what was taken of it first.
    pub(super) async fn page_and_text(
        &self,
        tab_id: i32,
        adjust: fn(&mut Snapshot),
    ) -> Result<(ReadPage, String), ReadingError> {
        let mut snapshot = page::extract(tab_id).await?;
        adjust(&mut snapshot);
        let (mut page, text) = page_and_text(&snapshot)?;
        page.is_private |= self.incognito.get();
        Ok((page, text))
    }

    /// Scrolls the page to a highlight of the reading shown.
    pub(super) fn focus_on_page(self: &Rc<Self>, index: u32) {
        let target = self.model.borrow().reading().map(|reading| (reading.tab(), reading.id().to_owned()));
        let Some((tab_id, reading)) = target else { return };
        spawn(async move {
            // A page that is gone has nothing to scroll to; the notice above the list says so.
            drop(page::send::<Value>(tab_id, None, &ExtensionToPage::Focus { reading, index }).await);
        });
    }
}

fn known(tab_id: i32, tab: &chrome::Tab) -> Tab {
    let url = tab.tab_url().filter(|url| !url.is_empty());
    Tab { id: tab_id, url, title: tab.tab_title().filter(|title| !title.is_empty()) }
}

/// A name for a new reading of a tab.
pub(super) fn reading_id(tab_id: i32) -> String {
    format!("{tab_id}-{:x}-{:x}", clock::now(), clock::seed() >> 32)
}

fn page_and_text(snapshot: &Snapshot) -> Result<(ReadPage, String), ReadingError> {
    let read = text::reading_text(snapshot);
    if snapshot.content_type == "application/pdf" {
        return Err(ReadingError::new(ErrorCode::Page, words::say("page_pdf", &[])));
    }
    if read.text.trim().is_empty() && snapshot.unread_frames > 0 {
        return Err(ReadingError::retryable(ErrorCode::Page, words::say("page_frame", &[])));
    }
    if read.text.trim().is_empty() {
        return Err(ReadingError::retryable(ErrorCode::Page, words::say("page_no_text", &[])));
    }
    Ok((ReadPage::new(snapshot, &read), read.text))
}
