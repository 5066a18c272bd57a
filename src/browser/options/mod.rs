//! The options page: who reads, with what key, and whether that works.

mod form;
mod trial;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;
use web_sys::{Event, HtmlElement};

use self::form::{Form, Outcome};
use super::boundary::{from_js, to_js};
use super::dom::{self, Listener, set_text};
use super::subscription::Subscription;
use super::{chrome, storage};
use crate::browser::task::spawn;
use crate::provider::{self, PROVIDERS};
use crate::wire::{ProviderId, Settings};

/// What `options.js` holds.
#[wasm_bindgen]
pub struct Options {
    _page: Rc<Page>,
}

struct Page {
    form: Form,
    stored: RefCell<Map<String, Value>>,
    /// Counts saves and trials: the outcome of an earlier one is no longer of interest.
    act: Cell<u32>,
    listeners: RefCell<Vec<Listener>>,
    subscription: RefCell<Option<Subscription>>,
}

/// What `chrome.permissions.request` wants.
#[derive(serde::Serialize)]
struct Origins {
    origins: [String; 1],
}

#[wasm_bindgen]
impl Options {
    /// Starts the options page in this document.
    ///
    /// # Errors
    /// When the document is not `options.html`.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Options, JsValue> {
        let page = Rc::new(Page {
            form: Form::new()?,
            stored: RefCell::default(),
            act: Cell::new(0),
            listeners: RefCell::default(),
            subscription: RefCell::default(),
        });
        draw_words()?;
        page.listen()?;
        let starting = page.clone();
        spawn(async move {
            starting.load().await;
            let settings = starting.settings();
            let chosen = settings.provider.as_deref().and_then(provider::registry::by_name);
            starting.form.choose(chosen.map_or(ProviderId::Rules, |row| row.id), &settings);
        });
        Ok(Options { _page: page })
    }
}

impl Page {
    fn settings(&self) -> Settings {
        Settings::from_storage(&self.stored.borrow())
    }

    async fn load(&self) {
        match storage::stored().await {
            Ok(stored) => {
                *self.stored.borrow_mut() = stored;
                self.form.draw_states(&self.settings());
            }
            Err(error) => self.form.say(&Outcome::problem(error.message)),
        }
    }

    fn listen(self: &Rc<Self>) -> Result<(), JsValue> {
        self.on(&dom::by_id("choices")?, "change", |page, _| {
            page.act.set(page.act.get() + 1);
            page.form.choose(page.form.chosen(), &page.settings());
        })?;
        self.on(&dom::by_id("fields")?, "input", |page, _| page.form.draw_grant(&page.settings()))?;
        self.on(&dom::by_id("form")?, "submit", |page, event| {
            event.prevent_default();
            page.start(|page| async move { page.save().await });
        })?;
        self.on(&dom::by_id("test")?, "click", |page, _| {
            page.form.say(&Outcome::plain("Asking…"));
            page.start(|page| async move { page.test().await });
        })?;
        self.on(&dom::by_id("delete-key")?, "click", |page, _| {
            page.start(|page| async move { page.delete_key().await });
        })?;
        let weak = Rc::downgrade(self);
        let subscription = chrome::storage::ON_CHANGED.with(|event| {
            Subscription::new(event, move |_, _, _| {
                if let Some(page) = weak.upgrade() {
                    spawn(async move { page.load().await });
                }
            })
        });
        *self.subscription.borrow_mut() = Some(subscription);
        Ok(())
    }

    fn on(
        self: &Rc<Self>,
        target: &web_sys::EventTarget,
        event: &'static str,
        handle: fn(&Rc<Page>, Event),
    ) -> Result<(), JsValue> {
        let weak = Rc::downgrade(self);
        let listener = Listener::new(target, event, move |event| {
            if let Some(page) = weak.upgrade() {
                handle(&page, event);
            }
        })?;
        self.listeners.borrow_mut().push(listener);
        Ok(())
    }

    /// Starts what a click asked for, and shows how it went unless another click came after it.
    fn start<F: Future<Output = Outcome> + 'static>(self: &Rc<Self>, work: impl FnOnce(Rc<Self>) -> F) {
        let act = self.act.get() + 1;
        self.act.set(act);
        let page = self.clone();
        let working = work(self.clone());
        spawn(async move {
            let outcome = working.await;
            if page.act.get() == act {
                page.form.say(&outcome);
            }
        });
    }

    /// Asks for the provider's host; has to come first after the click, or Chrome does not take it for the reader's wish.
    async fn ask_for_host(&self) -> Result<(), Outcome> {
        let id = self.form.chosen();
        let Some(origin) = provider::host_permission(id, &self.form.config(&self.settings())) else { return Ok(()) };
        let asked = to_js(&Origins { origins: [origin.clone()] })
            .map_err(|error| Outcome::problem(format!("Chrome could not be asked: {error}")))?;
        let granted = chrome::permissions::request(&asked).await.ok().and_then(|answer| answer.as_bool());
        if granted == Some(true) {
            return Ok(());
        }
        Err(Outcome::problem(format!("Without access to {origin} nothing can be sent there. Try again and allow it.")))
    }

    async fn save(self: Rc<Self>) -> Outcome {
        let id = self.form.chosen();
        if let Err(error) = self.form.check(&self.settings()) {
            return Outcome::problem(error.message);
        }
        let granted = self.ask_for_host().await;
        let items = self.form.items(&self.settings());
        let Ok(items) = to_js(&items) else { return Outcome::problem("The settings could not be written.") };
        if chrome::storage::set_local(&items).await.is_err() {
            return Outcome::problem("Chrome could not store the settings. Reload this page and try again.");
        }
        self.load().await;
        self.form.choose(id, &self.settings());
        match granted {
            Ok(()) => Outcome::plain("Saved."),
            Err(refused) => refused,
        }
    }

    async fn test(self: Rc<Self>) -> Outcome {
        let settings = self.settings();
        if let Err(error) = self.form.check(&settings) {
            return Outcome::problem(error.message);
        }
        if let Err(refused) = self.ask_for_host().await {
            return refused;
        }
        trial::ask(self.form.chosen(), self.form.config(&settings)).await
    }

    async fn delete_key(self: Rc<Self>) -> Outcome {
        let id = self.form.chosen();
        let mut names = vec![format!("{}Key", id.as_str())];
        if id == ProviderId::Anthropic {
            names.push("apiKey".to_owned());
        }
        let Ok(names) = to_js(&names) else { return Outcome::problem("The key could not be named.") };
        if chrome::storage::remove_local(&names).await.is_err() {
            return Outcome::problem("Chrome could not delete the key. Reload this page and try again.");
        }
        self.load().await;
        // What is typed in the other fields and not saved yet stays.
        self.form.focus_key();
        Outcome::plain("Key deleted.")
    }
}

/// What is sent where, and which version this is.
fn draw_words() -> Result<(), JsValue> {
    let sends: HtmlElement = dom::by_id("sends")?;
    for row in &PROVIDERS {
        sends.append_child(&*dom::element("dt", row.label)?)?;
        sends.append_child(&*dom::element("dd", row.sends)?)?;
    }
    let manifest: Manifest = from_js(chrome::runtime::manifest())?;
    set_text(&dom::by_id("version")?, &manifest.version);
    Ok(())
}

#[derive(serde::Deserialize)]
struct Manifest {
    version: String,
}
