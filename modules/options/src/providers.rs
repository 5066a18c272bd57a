//! The section of the providers: who reads, with what key, and whether that works.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::outcome::Outcome;
use super::{Origins, Page, questions};
use sidelight::options::transfer::key_names;
use sidelight::provider;
use sidelight::words;
use sidelight_browser::boundary::to_js;
use sidelight_browser::{chrome, dom};

impl Page {
    pub(super) fn listen_to_providers(self: &Rc<Self>) -> Result<(), JsValue> {
        self.on(&dom::by_id("choices")?, "change", |page, _| {
            page.providers.reset();
            page.form.draw_models(&[]);
            page.form.choose(page.form.chosen(), &page.stored.borrow());
            page.form.mark_unsaved(!page.form.is_in_use(&page.settings()));
        })?;
        self.on(&dom::by_id("fields")?, "input", |page, _| {
            page.form.mark_unsaved(true);
            page.form.draw_grant(&page.settings());
        })?;
        self.on(&dom::by_id("presets")?, "click", |page, event| {
            page.form.take_preset(event.target());
            page.form.mark_unsaved(true);
            page.form.draw_grant(&page.settings());
        })?;
        self.on(&dom::by_id("form")?, "submit", |page, event| {
            event.prevent_default();
            page.start(|page| &page.providers, |page| async move { page.save().await });
        })?;
        self.on(&dom::by_id("test")?, "click", |page, _| {
            page.providers.say(&Outcome::good("options_asking"));
            page.start(|page| &page.providers, |page| async move { page.test().await });
        })?;
        self.on(&dom::by_id("list-models")?, "click", |page, _| {
            page.providers.say(&Outcome::good("options_asking"));
            page.start(|page| &page.providers, |page| async move { page.list_models().await });
        })?;
        self.on(&dom::by_id("delete-key")?, "click", |page, _| {
            page.start(|page| &page.providers, |page| async move { page.delete_key().await });
        })
    }

    /// Asks for the provider's host; has to come first after the click, or Chrome does not take it for the reader's wish.
    async fn ask_for_host(&self) -> Result<(), Outcome> {
        let id = self.form.chosen();
        let Some(origin) = provider::host_permission(id, &self.form.config(&self.settings())) else { return Ok(()) };
        let asked = to_js(&Origins { origins: vec![origin.clone()] }).map_err(|_| Outcome::bad("options_not_asked"))?;
        let granted = chrome::permissions::request(&asked).await.ok().and_then(|answer| answer.as_bool());
        if granted == Some(true) {
            return Ok(());
        }
        Err(Outcome::problem(words::say("options_not_granted", &[&origin])))
    }

    async fn save(self: Rc<Self>) -> Outcome {
        let id = self.form.chosen();
        if let Err(error) = self.form.check(&self.settings()) {
            return Outcome::problem(error.message);
        }
        let granted = self.ask_for_host().await;
        let items = self.form.items(&self.settings());
        if let Err(outcome) = self.store(&items).await {
            return outcome;
        }
        self.form.choose(id, &self.stored.borrow());
        self.form.mark_unsaved(false);
        match granted {
            Ok(()) => Outcome::good("options_saved"),
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
        questions::try_out(self.form.chosen(), self.form.config(&settings)).await
    }

    async fn list_models(self: Rc<Self>) -> Outcome {
        let settings = self.settings();
        if let Err(error) = self.form.check(&settings) {
            return Outcome::problem(error.message);
        }
        if let Err(refused) = self.ask_for_host().await {
            return refused;
        }
        let id = self.form.chosen();
        match questions::models(id, self.form.config(&settings)).await {
            Err(outcome) => outcome,
            Ok(models) if self.form.chosen() == id => {
                self.form.draw_models(&models);
                Outcome::plain(words::say("options_models_found", &[&models.len().to_string()]))
            }
            Ok(_) => Outcome::good("options_models_other"),
        }
    }

    async fn delete_key(self: Rc<Self>) -> Outcome {
        let names: Vec<String> = key_names(self.form.chosen().as_str()).collect();
        if let Err(outcome) = self.remove(&names).await {
            return outcome;
        }
        // What is typed in the other fields and not saved yet stays.
        self.form.focus_key();
        Outcome::good("options_key_deleted")
    }
}
