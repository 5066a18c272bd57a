//! The section on privacy: what is sent where, settings as a file, and the way to leave nothing behind.

use std::rc::Rc;

use js_sys::{Array, Function, JSON, Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{EventTarget, HtmlElement, HtmlInputElement};

use super::Page;
use super::outcome::Outcome;
use sidelight::options::transfer::{self, Import};
use sidelight::provider::PROVIDERS;
use sidelight::wire::WorkerToExtension;
use sidelight::words;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::chrome;
use sidelight_browser::dom::{self, Listener, show};
use sidelight_browser::download::download;

#[wasm_bindgen]
extern "C" {
    /// Resolves to an array of `{name, version}`.
    #[wasm_bindgen(catch, js_namespace = indexedDB)]
    async fn databases() -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_namespace = indexedDB, js_name = deleteDatabase)]
    fn delete_database(name: &JsValue) -> Result<EventTarget, JsValue>;
}

/// Says what is sent where.
pub(super) fn draw_sends() -> Result<(), JsValue> {
    let sends: HtmlElement = dom::by_id("sends")?;
    for row in &PROVIDERS {
        sends.append_child(&*dom::element("dt", &row.label())?)?;
        sends.append_child(&*dom::element("dd", &row.sends())?)?;
    }
    Ok(())
}

impl Page {
    pub(super) fn listen_to_privacy(self: &Rc<Self>) -> Result<(), JsValue> {
        self.on(&dom::by_id("export")?, "click", |page, _| {
            let file = file_of(&transfer::export(&page.stored.borrow()))
                .and_then(|text| download("sidelight-settings.json", "application/json", &text));
            page.privacy.reset();
            page.privacy.say(&if file.is_ok() {
                Outcome::good("options_exported")
            } else {
                Outcome::bad("options_not_exported")
            });
            drop(page.exported.replace(file.ok()));
        })?;
        self.on(&dom::by_id("import")?, "click", |_, _| {
            if let Ok(input) = dom::by_id::<HtmlInputElement>("import-file") {
                input.click();
            }
        })?;
        self.on(&dom::by_id("import-file")?, "change", |page, _| {
            page.start(|page| &page.privacy, |page| async move { page.import().await });
        })?;
        self.on(&dom::by_id("erase")?, "click", |_, _| ask_whether_sure(true))?;
        self.on(&dom::by_id("erase-not")?, "click", |_, _| ask_whether_sure(false))?;
        self.on(&dom::by_id("erase-now")?, "click", |page, _| {
            ask_whether_sure(false);
            page.start(|page| &page.privacy, |page| async move { page.erase().await });
        })
    }

    async fn import(self: Rc<Self>) -> Outcome {
        // What is not JSON is no file of ours, as other JSON is.
        let file = chosen_file().await.unwrap_or_default();
        let read = transfer::import(&file, &self.stored.borrow());
        let Import { items, dropped_keys } = match read {
            Ok(import) => import,
            Err(error) => return Outcome::problem(error.message),
        };
        // Keys go first: no address of the file ever stands beside an old one.
        if !dropped_keys.is_empty()
            && let Err(outcome) = self.remove(&dropped_keys).await
        {
            return outcome;
        }
        if let Err(outcome) = self.store(&items).await {
            return outcome;
        }
        self.form.choose(super::form::in_use(&self.settings()), &self.stored.borrow());
        let mut outcome = Outcome::plain(words::say("options_imported", &[&items.len().to_string()]));
        if !dropped_keys.is_empty() {
            outcome.line("words", words::say("options_import_keys", &[]));
        }
        outcome
    }

    async fn erase(self: Rc<Self>) -> Outcome {
        // Panels forget first: what one knows it would save again. Without one there is nobody to hear it.
        if let Ok(message) = to_js(&WorkerToExtension::Erase) {
            drop(chrome::runtime::send_message(&message).await);
        }
        let emptied = [chrome::storage::clear_local().await, chrome::storage::clear_session().await];
        let gone = delete_databases().await;
        self.load().await;
        self.form.choose(super::form::in_use(&self.settings()), &self.stored.borrow());
        if emptied.iter().all(Result::is_ok) && gone.unwrap_or_default() {
            Outcome::good("options_erased")
        } else {
            Outcome::bad("options_not_erased")
        }
    }
}

fn file_of(content: &Value) -> Result<String, JsValue> {
    JSON::stringify_with_replacer_and_space(&to_js(content)?, &JsValue::NULL, &2.into()).map(Into::into)
}

/// The content of the file the reader chose; the same file can be chosen again.
async fn chosen_file() -> Option<Value> {
    let input: HtmlInputElement = dom::by_id("import-file").ok()?;
    let file = input.files()?.get(0)?;
    let text = (file.size() <= f64::from(transfer::MAX_FILE)).then(|| file.text());
    let text = JsFuture::from(text?).await.ok()?.as_string();
    input.set_value("");
    from_js(JSON::parse(&text?).ok()?).ok()
}

fn ask_whether_sure(asked: bool) {
    let (Ok(question), Ok(erase)) = (dom::by_id::<HtmlElement>("erase-sure"), dom::by_id::<HtmlElement>("erase"))
    else {
        return;
    };
    show(&question, asked);
    // Neither fails for an element that there is.
    drop(erase.set_attribute("aria-expanded", if asked { "true" } else { "false" }));
    let next = if asked { dom::find::<HtmlElement>(&question, "#erase-not").ok() } else { Some(erase) };
    drop(next.map(|button| button.focus()));
}

/// Deletes every database of the extension, whatever keeps them; says whether all are gone.
async fn delete_databases() -> Result<bool, JsValue> {
    let mut gone = true;
    for database in Array::from(&databases().await?).iter() {
        let request = delete_database(&Reflect::get(&database, &"name".into())?)?;
        let mut settle = None;
        let settled = Promise::new(&mut |resolve: Function, _| settle = Some(resolve));
        let settle = settle.ok_or(JsValue::UNDEFINED)?;
        // `blocked` comes while another page keeps the database open.
        let listeners = [("success", true), ("error", false), ("blocked", false)].map(|(event, gone)| {
            let settle = settle.clone();
            Listener::new(&request, event, move |_| drop(settle.call1(&JsValue::NULL, &gone.into())))
        });
        gone &= JsFuture::from(settled).await?.is_truthy();
        drop(listeners);
    }
    Ok(gone)
}
