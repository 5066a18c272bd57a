//! The form: what is in it and how it looks.

use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, HtmlInputElement};

use crate::browser::dom::{self, clear, set_text, show};
use crate::provider::{self, PROVIDERS, registry};
use crate::sorted_map::SortedMap;
use crate::wire::settings::clean_key;
use crate::wire::{ProviderConfig, ProviderId, ReadingError, Settings};

/// How an act ended, for the reader.
pub(super) struct Outcome {
    problem: bool,
    lines: Vec<String>,
}

impl Outcome {
    pub(super) fn plain(words: impl Into<String>) -> Self {
        Self { problem: false, lines: vec![words.into()] }
    }

    pub(super) fn problem(words: impl Into<String>) -> Self {
        Self { problem: true, lines: vec![words.into()] }
    }

    /// Adds the address that was really asked.
    pub(super) fn at(mut self, url: &str) -> Self {
        self.lines.push(url.to_owned());
        self
    }
}

pub(super) struct Form {
    choices: Vec<(ProviderId, HtmlInputElement, HtmlElement)>,
    fields: HtmlElement,
    key: HtmlInputElement,
    key_state: HtmlElement,
    delete_key: HtmlElement,
    key_page: HtmlElement,
    model: HtmlInputElement,
    base_url_row: HtmlElement,
    base_url: HtmlInputElement,
    grant: HtmlElement,
    test: HtmlElement,
    result: HtmlElement,
}

impl Form {
    pub(super) fn new() -> Result<Self, JsValue> {
        let template = dom::by_id("choice-template")?;
        let place: HtmlElement = dom::by_id("choices")?;
        let mut choices = Vec::new();
        for row in &PROVIDERS {
            let choice = dom::instance(&template)?;
            let input: HtmlInputElement = dom::find(&choice, "input")?;
            input.set_value(row.id.as_str());
            set_text(&dom::find(&choice, ".label")?, row.label);
            place.append_child(&choice)?;
            choices.push((row.id, input, dom::find(&choice, ".state")?));
        }
        Ok(Self {
            choices,
            fields: dom::by_id("fields")?,
            key: dom::by_id("key")?,
            key_state: dom::by_id("key-state")?,
            delete_key: dom::by_id("delete-key")?,
            key_page: dom::by_id("key-page")?,
            model: dom::by_id("model")?,
            base_url_row: dom::by_id("base-url-row")?,
            base_url: dom::by_id("base-url")?,
            grant: dom::by_id("grant")?,
            test: dom::by_id("test")?,
            result: dom::by_id("result")?,
        })
    }

    /// The provider chosen in the form.
    pub(super) fn chosen(&self) -> ProviderId {
        self.choices.iter().find(|(_, input, _)| input.checked()).map_or(ProviderId::Rules, |(id, _, _)| *id)
    }

    /// Shows a provider's fields as they are stored.
    pub(super) fn choose(&self, id: ProviderId, settings: &Settings) {
        for (own, input, _) in &self.choices {
            input.set_checked(*own == id);
        }
        let row = registry::provider(id);
        let config = settings.config(id);
        show(&self.fields, row.speaks_http());
        show(&self.test, row.speaks_http());
        self.key.set_value("");
        self.model.set_value(&config.model);
        self.model.set_placeholder(row.model);
        self.base_url.set_value(&config.base_url);
        self.base_url.set_placeholder(row.base_url);
        show(&self.base_url_row, row.base_url_editable);
        show(&self.key_page, !row.key_page.is_empty());
        // Fails for no element that there is.
        drop(self.key_page.set_attribute("href", row.key_page));
        clear(&self.result);
        self.draw_states(settings);
        self.draw_grant(settings);
    }

    /// Says which provider is in use and which key is saved.
    pub(super) fn draw_states(&self, settings: &Settings) {
        let in_use = settings.provider.as_deref().and_then(registry::by_name).map_or(ProviderId::Rules, |row| row.id);
        for (id, _, state) in &self.choices {
            set_text(state, if *id == in_use { "In use" } else { "" });
        }
        let id = self.chosen();
        let key = settings.config(id).key;
        show(&self.delete_key, !key.is_empty());
        self.key.set_placeholder(if key.is_empty() { "Paste a key" } else { "Paste another key to replace it" });
        let words = match (key.is_empty(), registry::provider(id).needs_key) {
            (false, _) => mask(&key),
            (true, true) => "No key saved. A server of your own may do without one.".to_owned(),
            (true, false) => "No key saved, and none needed.".to_owned(),
        };
        set_text(&self.key_state, &words);
    }

    /// Puts the focus where a key is typed: its button is gone with the key.
    pub(super) fn focus_key(&self) {
        // Fails for no element that there is.
        drop(self.key.focus());
    }

    /// Says what Chrome will ask, before it does.
    pub(super) fn draw_grant(&self, settings: &Settings) {
        let host = provider::host_permission(self.chosen(), &self.config(settings));
        let words = host.map(|host| {
            format!("On Save or Test, Chrome may ask to allow {host}: page text is sent there when you read a page.")
        });
        set_text(&self.grant, words.as_deref().unwrap_or_default());
        show(&self.grant, words.is_some());
    }

    /// What the form says now; an empty key field means the saved key.
    pub(super) fn config(&self, settings: &Settings) -> ProviderConfig {
        let typed = clean_key(&self.key.value());
        ProviderConfig {
            key: if typed.is_empty() { settings.config(self.chosen()).key } else { typed },
            model: self.model.value().trim().to_owned(),
            base_url: self.base_url.value().trim().to_owned(),
            price: settings.config(self.chosen()).price,
        }
    }

    /// Whether what is typed can be used at all.
    pub(super) fn check(&self, settings: &Settings) -> Result<(), ReadingError> {
        let id = self.chosen();
        if !registry::provider(id).speaks_http() {
            return Ok(());
        }
        let config = self.config(settings);
        provider::check_key(&config.key)?;
        provider::endpoint(id, &config).map(drop)
    }

    /// What to store.
    pub(super) fn items(&self, settings: &Settings) -> SortedMap<String, String> {
        let id = self.chosen();
        let name = id.as_str();
        let mut items = SortedMap::from([("provider".to_owned(), name.to_owned())]);
        if registry::provider(id).speaks_http() {
            let config = self.config(settings);
            items.insert(format!("{name}Model"), config.model);
            items.insert(format!("{name}BaseUrl"), config.base_url);
            if !config.key.is_empty() {
                items.insert(format!("{name}Key"), config.key);
            }
        }
        items
    }

    /// Shows how an act ended.
    pub(super) fn say(&self, outcome: &Outcome) {
        clear(&self.result);
        // Fails for no element that there is.
        drop(self.result.set_attribute("data-kind", if outcome.problem { "problem" } else { "plain" }));
        for (at, line) in outcome.lines.iter().enumerate() {
            if let Ok(paragraph) = dom::element("p", line) {
                paragraph.set_class_name(if at == 0 { "words" } else { "url" });
                drop(self.result.append_child(&paragraph));
            }
        }
    }
}

/// A saved key by its last four characters; a short one, which four would give away, by none.
fn mask(key: &str) -> String {
    let length = key.chars().count();
    if length < 12 {
        return "A key is saved.".to_owned();
    }
    let last: String = key.chars().skip(length - 4).collect();
    format!("Saved: •••• {last}")
}
