//! The form of the providers: what is in it and how it looks.

use serde_json::{Map, Number, Value};
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use sidelight::options::mask_key;
use sidelight::provider::presets::PRESETS;
use sidelight::provider::{self, PROVIDERS, registry};
use sidelight::wire::settings::clean_key;
use sidelight::wire::{ProviderConfig, ProviderId, ReadingError, Settings};
use sidelight::words;
use sidelight_browser::dom::{self, clear, set_text, show};

pub(super) struct Form {
    choices: Vec<(ProviderId, HtmlInputElement, HtmlElement)>,
    fields: HtmlElement,
    key: HtmlInputElement,
    key_state: HtmlElement,
    delete_key: HtmlElement,
    key_page: HtmlElement,
    model: HtmlInputElement,
    models: HtmlElement,
    list_models: HtmlElement,
    base_url_row: HtmlElement,
    base_url: HtmlInputElement,
    presets: HtmlElement,
    prices: [HtmlInputElement; 2],
    grant: HtmlElement,
    test: HtmlElement,
    unsaved: HtmlElement,
}

/// Names of the prices in storage, behind the provider's.
const PRICES: [&str; 2] = ["InputPrice", "OutputPrice"];

impl Form {
    pub(super) fn new() -> Result<Self, JsValue> {
        let template = dom::by_id("choice-template")?;
        let place: HtmlElement = dom::by_id("choices")?;
        let mut choices = Vec::new();
        for row in &PROVIDERS {
            let choice = dom::instance(&template)?;
            let input: HtmlInputElement = dom::find(&choice, "input")?;
            input.set_value(row.id.as_str());
            set_text(&dom::find(&choice, ".label")?, &row.label());
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
            models: dom::by_id("models")?,
            list_models: dom::by_id("list-models")?,
            base_url_row: dom::by_id("base-url-row")?,
            base_url: dom::by_id("base-url")?,
            presets: dom::by_id("presets")?,
            prices: [dom::by_id("input-price")?, dom::by_id("output-price")?],
            grant: dom::by_id("grant")?,
            test: dom::by_id("test")?,
            unsaved: dom::by_id("unsaved")?,
        })
    }

    /// The provider chosen in the form.
    pub(super) fn chosen(&self) -> ProviderId {
        self.choices.iter().find(|(_, input, _)| input.checked()).map_or(ProviderId::Rules, |(id, _, _)| *id)
    }

    /// Says whether the form holds what is not saved yet.
    pub(super) fn mark_unsaved(&self, unsaved: bool) {
        show(&self.unsaved, unsaved);
    }

    /// Whether the provider chosen is the one that reads.
    pub(super) fn is_in_use(&self, settings: &Settings) -> bool {
        self.chosen() == in_use(settings)
    }

    /// Shows a provider's fields as they are stored.
    pub(super) fn choose(&self, id: ProviderId, stored: &Map<String, Value>) {
        for (own, input, _) in &self.choices {
            input.set_checked(*own == id);
        }
        let row = registry::provider(id);
        let settings = Settings::from_storage(stored);
        let config = settings.config(id);
        show(&self.fields, row.speaks_http());
        show(&self.test, row.speaks_http());
        self.key.set_value("");
        self.model.set_value(&config.model);
        self.model.set_placeholder(row.model);
        self.base_url.set_value(&config.base_url);
        self.base_url.set_placeholder(row.base_url);
        show(&self.base_url_row, row.base_url_editable);
        show(&self.list_models, row.lists_models());
        for (field, price) in self.prices.iter().zip(PRICES) {
            match price_of(stored, id, price) {
                Some(dollars) => field.set_value_as_number(dollars),
                None => field.set_value(""),
            }
        }
        show(&self.key_page, !row.key_page.is_empty());
        // Neither fails for an element that there is.
        drop(self.key_page.set_attribute("href", row.key_page));
        drop(self.draw_presets(id));
        self.draw_states(&settings);
        self.draw_grant(&settings);
    }

    /// Offers the models a provider named.
    pub(super) fn draw_models(&self, models: &[String]) {
        clear(&self.models);
        for model in models {
            if let Ok(option) = dom::element("option", "") {
                // Neither fails for an element that there is.
                drop(option.set_attribute("value", model));
                drop(self.models.append_child(&option));
            }
        }
        if !models.is_empty() {
            drop(self.model.focus());
            self.model.select();
        }
    }

    fn draw_presets(&self, id: ProviderId) -> Result<(), JsValue> {
        clear(&self.presets);
        for preset in PRESETS.iter().filter(|preset| preset.provider == id) {
            let button = dom::element("button", preset.name)?;
            button.set_class_name("button");
            button.set_attribute("type", "button")?;
            button.set_attribute("value", preset.base_url)?;
            self.presets.append_child(&button)?;
        }
        show(&self.presets, self.presets.has_child_nodes());
        Ok(())
    }

    /// Takes the address of the preset that was clicked.
    pub(super) fn take_preset(&self, clicked: Option<web_sys::EventTarget>) {
        let button = clicked.and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(address) = button.and_then(|button| button.get_attribute("value")) {
            self.base_url.set_value(&address);
        }
    }

    /// Says which provider is in use and which key is saved.
    pub(super) fn draw_states(&self, settings: &Settings) {
        let in_use = in_use(settings);
        for (id, _, state) in &self.choices {
            let words = if *id == in_use { words::say("options_in_use", &[]) } else { String::new() };
            set_text(state, &words);
        }
        let id = self.chosen();
        let key = settings.config(id).key;
        show(&self.delete_key, !key.is_empty());
        self.key.set_placeholder(&words::say(
            if key.is_empty() { "options_key_paste" } else { "options_key_replace" },
            &[],
        ));
        let words = match (key.is_empty(), registry::provider(id).needs_key) {
            (false, _) => mask_key(&key),
            (true, true) => words::say("options_key_none", &[]),
            (true, false) => words::say("options_key_not_needed", &[]),
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
        let words = host.map(|host| words::say("options_grant", &[&host]));
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
            ..ProviderConfig::default()
        }
    }

    /// Whether the form says what storage does, so that nothing typed is lost when it is drawn anew.
    pub(super) fn is_clean(&self, stored: &Map<String, Value>) -> bool {
        let id = self.chosen();
        let settings = Settings::from_storage(stored);
        let config = ProviderConfig { price: None, ..settings.config(id) };
        let same_price = |(field, price): (&HtmlInputElement, &str)| {
            Some(field.value_as_number()).filter(|typed| !typed.is_nan()) == price_of(stored, id, price)
        };
        id == in_use(&settings)
            && self.key.value().is_empty()
            && self.config(&settings) == config
            && self.prices.iter().zip(PRICES).all(same_price)
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
    pub(super) fn items(&self, settings: &Settings) -> Map<String, Value> {
        let id = self.chosen();
        let name = id.as_str();
        let mut items = Map::new();
        items.insert("provider".to_owned(), name.into());
        if registry::provider(id).speaks_http() {
            let config = self.config(settings);
            items.insert(format!("{name}Model"), config.model.into());
            items.insert(format!("{name}BaseUrl"), config.base_url.into());
            if !config.key.is_empty() {
                items.insert(format!("{name}Key"), config.key.into());
            }
            for (field, price) in self.prices.iter().zip(PRICES) {
                let dollars = Number::from_f64(field.value_as_number());
                items.insert(format!("{name}{price}"), dollars.map_or(Value::Null, Value::Number));
            }
        }
        items
    }
}

/// The provider that reads.
pub(super) fn in_use(settings: &Settings) -> ProviderId {
    settings.provider.as_deref().and_then(registry::by_name).map_or(ProviderId::Rules, |row| row.id)
}

fn price_of(stored: &Map<String, Value>, id: ProviderId, price: &str) -> Option<f64> {
    stored.get(&format!("{}{price}", id.as_str())).and_then(Value::as_f64)
}
