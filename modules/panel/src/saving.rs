//! What outlives the panel: `storage.session` for the next panel, the database for the history.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;

use super::app::App;
use super::render::TabName;
use sidelight::panel::{Changes, Earlier, Entry, Erased, Finished, makes_room};
use sidelight::wire::ExtensionToPage;
use sidelight::words;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::chrome::storage;
use sidelight_browser::task::spawn;
use sidelight_browser::{clock, dom, page};

/// How long changes are collected before they are saved.
const SAVE_AFTER_MS: u32 = 300;

/// Key in `storage.session`: the reader asked for a tab to be read, in the menu, while the panel was only opening.
const READ_NOW: &str = "readNow";
/// How old that wish may be.
const READ_NOW_MS: u64 = 10_000;

#[wasm_bindgen]
extern "C" {
    /// The module `history.js`.
    pub type Database;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn entries(this: &Database) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn texts(this: &Database) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn page(this: &Database, id: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn put(
        this: &Database,
        id: &str,
        entry: &JsValue,
        text: &str,
        page: &JsValue,
        gone: &JsValue,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn remove(this: &Database, id: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn clear(this: &Database) -> Result<JsValue, JsValue>;
}

impl App {
    pub(super) fn listen_to_hiding(self: &Rc<Self>) -> Result<(), JsValue> {
        self.listen(dom::window()?.as_ref(), "pagehide", |app, _| app.save_now())?;
        self.listen(dom::document()?.as_ref(), "visibilitychange", |app, _| app.save_now())
    }

    /// Saves before long, however many changes come before it.
    pub(super) fn save_soon(self: &Rc<Self>) {
        if self.save_due.replace(true) {
            return;
        }
        let weak = Rc::downgrade(self);
        let timer = Timeout::new(SAVE_AFTER_MS, move || {
            if let Some(app) = weak.upgrade() {
                app.save_now();
            }
        });
        drop(self.save_timer.replace(Some(timer)));
    }

    /// Saves what has changed since the last time.
    pub(super) fn save_now(self: &Rc<Self>) {
        self.save_due.set(false);
        // Before the first look at what there is, nothing of this panel may stand in its place.
        if !self.restored.get() {
            return;
        }
        let Changes { items, gone, finished } = self.model.borrow_mut().handle_save();
        if !items.is_empty() || !gone.is_empty() {
            let app = self.clone();
            spawn(async move { app.write(&items, &gone).await });
        }
        if self.model.borrow().keeps_history() && !self.incognito.get() {
            for finished in finished {
                let app = self.clone();
                // A reading that could not be kept still stands in the panel.
                spawn(async move { drop(app.keep(finished).await) });
            }
        }
    }

    async fn keep(self: Rc<Self>, finished: Finished) -> Result<(), JsValue> {
        let erasures = self.erasures.get();
        let entries = self.kept_entries().await?;
        if self.erasures.get() != erasures {
            return Ok(());
        }
        let Finished { entry, text, page } = &finished;
        let gone = to_js(&finished.makes_room(&entries))?;
        self.database.put(&entry.id, &to_js(&entry.save())?, text, &to_js(page)?, &gone).await?;
        Ok(())
    }

    /// What the list of the history says, in the order of names.
    pub(super) async fn kept_entries(&self) -> Result<Vec<Entry>, JsValue> {
        let entries: Vec<Value> = from_js(self.database.entries().await?)?;
        Ok(entries.iter().filter_map(Entry::restore).collect())
    }

    /// Writes to `storage.session`; when it is full, the pages that were not used for longest make room.
    async fn write(&self, items: &Map<String, Value>, gone: &[String]) {
        let erasures = self.erasures.get();
        remove_session(gone).await;
        let Ok(items) = to_js(items) else { return };
        if self.erasures.get() != erasures || storage::set_session(&items).await.is_ok() {
            return;
        }
        let Ok(stored) = storage::session(&JsValue::NULL).await else { return };
        remove_session(&makes_room(&from_js(stored).unwrap_or_default())).await;
        if self.erasures.get() == erasures {
            // What does not fit now stays with this panel alone.
            drop(storage::set_session(&items).await);
        }
    }

    /// The reader has everything deleted, on the options page: nothing that is known here may be saved after it.
    pub(super) fn erase(self: &Rc<Self>) {
        self.erasures.set(self.erasures.get().wrapping_add(1));
        let Erased { items, requests, tabs } = self.change(|model, _| model.handle_erase());
        for request in &requests {
            self.ports.borrow_mut().close(request);
        }
        self.renderer.borrow().clear_filter();
        self.change_history(|history| history.handle_deleted(None));
        drop(self.saved.take());
        spawn(async move {
            remove_session(&items).await;
            for tab in tabs {
                // A page that is gone has no marks.
                drop(page::send::<Value>(tab, None, &ExtensionToPage::Clear).await);
            }
        });
    }

    /// Goes on from what was saved, and returns it.
    pub(super) async fn restore(self: &Rc<Self>) -> Map<String, Value> {
        let erasures = self.erasures.get();
        let stored: Map<String, Value> = match storage::session(&JsValue::NULL).await {
            Ok(stored) if self.erasures.get() == erasures => from_js(stored).unwrap_or_default(),
            Ok(_) | Err(_) => Map::new(),
        };
        let unusable = self.change(|model, _| model.handle_restore(&stored));
        remove_session(&unusable).await;
        if !self.restored.replace(true) {
            let model = self.model.borrow();
            self.renderer.borrow().set_filter(model.filter().typed());
            let view = TabName::named(model.shown_view());
            // Its elements were there at the start and stay.
            drop(view.map(|view| self.renderer.borrow_mut().show_tab(view, false, &model)));
        }
        stored
    }

    /// Which tab the reader asked to have read while no panel was open. Only a panel that starts takes it.
    pub(super) async fn take_wish(stored: &Map<String, Value>) -> Option<i32> {
        let wish = stored.get(READ_NOW)?;
        remove_session(&[READ_NOW.to_owned()]).await;
        let is_fresh = wish["at"].as_u64().is_some_and(|at| clock::now().saturating_sub(at) < READ_NOW_MS);
        wish["tabId"].as_i64().and_then(|tab| i32::try_from(tab).ok()).filter(|_| is_fresh)
    }

    /// Looks the page in view up in the history, when it is another than before.
    pub(super) fn look_back(self: &Rc<Self>) {
        let url = self.model.borrow().tab().and_then(|tab| tab.url.clone()).unwrap_or_default();
        if *self.looked_up.borrow() == url {
            return;
        }
        self.looked_up.borrow_mut().clone_from(&url);
        if url.is_empty() {
            return;
        }
        let app = self.clone();
        spawn(async move {
            // Without a history there is nothing to offer.
            let entries = app.kept_entries().await.unwrap_or_default();
            let latest = entries.into_iter().filter(|entry| entry.url == url).max_by_key(|entry| entry.time_ms);
            let earlier = latest.map(|entry| Earlier { id: entry.id, url: entry.url, date: date(entry.time_ms) });
            app.change(|model, _| model.handle_earlier(earlier));
        });
    }
}

async fn remove_session(keys: &[String]) {
    if let Ok(keys) = to_js(keys)
        && js_sys::Array::from(&keys).length() > 0
    {
        // What stays is found and removed by the next panel.
        drop(storage::remove_session(&keys).await);
    }
}

/// A moment as the reader's language writes it.
pub(super) fn date(time_ms: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let moment = js_sys::Date::new(&(time_ms as f64).into());
    let styles = [("dateStyle", "medium"), ("timeStyle", "short")];
    let options = to_js(&sidelight::sorted_map::SortedMap::from(styles)).unwrap_or_default();
    moment.to_locale_string(&words::say("language", &[]), &options).into()
}
