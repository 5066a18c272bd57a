//! The options page: providers, reading, sites, privacy. What stands in storage is what it shows, whoever changed it.
#![cfg(target_arch = "wasm32")]

mod form;
mod outcome;
mod privacy;
mod providers;
mod questions;
mod reading;
mod sites;

use std::cell::RefCell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;
use web_sys::Event;

use self::form::Form;
use self::outcome::{Outcome, Status};
use self::reading::ReadingForm;
use self::sites::SiteList;
use sidelight::wire::Settings;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::chrome::ChromeEvent;
use sidelight_browser::dom::{self, Listener, set_text};
use sidelight_browser::download::ObjectUrl;
use sidelight_browser::subscription::Subscription;
use sidelight_browser::task::spawn;
use sidelight_browser::{chrome, i18n, storage};

/// Runs once, when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    sidelight_browser::start();
}

/// What `options.js` holds.
#[wasm_bindgen]
pub struct Options {
    _page: Rc<Page>,
}

struct Page {
    form: Form,
    reading_form: ReadingForm,
    site_list: SiteList,
    /// One for each section that says something.
    providers: Status,
    reading: Status,
    sites: Status,
    privacy: Status,
    stored: RefCell<Map<String, Value>>,
    exported: RefCell<Option<ObjectUrl>>,
    listeners: RefCell<Vec<Listener>>,
    subscriptions: RefCell<Vec<Subscription>>,
}

/// What `chrome.permissions` takes and gives.
#[derive(Serialize, Deserialize)]
struct Origins {
    origins: Vec<String>,
}

#[derive(Deserialize)]
struct Manifest {
    version: String,
    host_permissions: Vec<String>,
}

#[wasm_bindgen]
impl Options {
    /// Starts the options page in this document.
    ///
    /// # Errors
    /// When the document is not `options.html`.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Options, JsValue> {
        i18n::translate(&dom::document()?)?;
        let page = Rc::new(Page {
            form: Form::new()?,
            reading_form: ReadingForm::new()?,
            site_list: SiteList::new()?,
            providers: Status::new("result")?,
            reading: Status::new("reading-result")?,
            sites: Status::new("sites-result")?,
            privacy: Status::new("privacy-result")?,
            stored: RefCell::default(),
            exported: RefCell::default(),
            listeners: RefCell::default(),
            subscriptions: RefCell::default(),
        });
        privacy::draw_sends()?;
        let manifest: Manifest = from_js(chrome::runtime::manifest())?;
        set_text(&dom::by_id("version")?, &manifest.version);
        page.listen_to_providers()?;
        page.listen_to_reading()?;
        page.listen_to_sites()?;
        page.listen_to_privacy()?;
        chrome::storage::ON_CHANGED.with(|event| page.subscribe(event, Page::follow));
        page.follow();
        Ok(Options { _page: page })
    }
}

impl Page {
    fn settings(&self) -> Settings {
        Settings::from_storage(&self.stored.borrow())
    }

    /// Shows what storage holds now. What is typed and not saved stays.
    fn follow(self: &Rc<Self>) {
        let page = self.clone();
        spawn(async move { page.load().await });
    }

    async fn load(&self) {
        match storage::stored().await {
            Ok(stored) => {
                let is_clean = self.form.is_clean(&self.stored.borrow());
                *self.stored.borrow_mut() = stored;
                let stored = self.stored.borrow();
                if is_clean {
                    self.form.choose(form::in_use(&Settings::from_storage(&stored)), &stored);
                } else {
                    self.form.draw_states(&Settings::from_storage(&stored));
                }
                self.reading_form.draw(&stored);
            }
            Err(error) => self.providers.say(&Outcome::problem(error.message)),
        }
    }

    async fn store(&self, items: &Map<String, Value>) -> Result<(), Outcome> {
        let failed = || Outcome::bad("options_not_saved");
        chrome::storage::set_local(&to_js(items).map_err(|_| failed())?).await.map_err(|_| failed())?;
        self.load().await;
        Ok(())
    }

    async fn remove(&self, names: &[String]) -> Result<(), Outcome> {
        let failed = || Outcome::bad("options_not_saved");
        chrome::storage::remove_local(&to_js(names).map_err(|_| failed())?).await.map_err(|_| failed())?;
        self.load().await;
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

    fn subscribe(self: &Rc<Self>, event: &ChromeEvent, handle: fn(&Rc<Page>)) {
        let weak = Rc::downgrade(self);
        let subscription = Subscription::new(event, move |_, _, _| {
            if let Some(page) = weak.upgrade() {
                handle(&page);
            }
        });
        self.subscriptions.borrow_mut().push(subscription);
    }

    /// Starts what a click asked for, and shows in its section how it went unless another click came after it.
    fn start<F: Future<Output = Outcome> + 'static>(
        self: &Rc<Self>,
        status: fn(&Page) -> &Status,
        work: impl FnOnce(Rc<Self>) -> F,
    ) {
        let act = status(self).begin();
        let page = self.clone();
        let working = work(self.clone());
        spawn(async move {
            let outcome = working.await;
            status(&page).end(act, &outcome);
        });
    }
}
