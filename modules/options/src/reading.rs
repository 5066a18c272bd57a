//! The section on reading: language, which pages, and the instructions. Everything is saved as it is changed.

use std::rc::Rc;

use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

use super::Page;
use super::outcome::Outcome;
use sidelight::provider::PROVIDERS;
use sidelight::reading::prompt::Instruction;
use sidelight::wire::{LongPages, OpenLinks};
use sidelight::words;
use sidelight_browser::dom::{self, set_text, show};

/// The instructions in the order of the page, with their names in storage.
const PROMPTS: [(Instruction, &str); 3] = [
    (Instruction::Analysis, "analysisPrompt"),
    (Instruction::Chat, "chatPrompt"),
    (Instruction::Highlights, "highlightsPrompt"),
];

pub(super) struct ReadingForm {
    language: HtmlInputElement,
    every_page: HtmlInputElement,
    keep_history: HtmlInputElement,
    open_links: HtmlSelectElement,
    long_pages: HtmlElement,
    prompts: Vec<PromptField>,
}

struct PromptField {
    which: Instruction,
    name: &'static str,
    text: HtmlTextAreaElement,
    state: HtmlElement,
    reset: HtmlElement,
}

impl ReadingForm {
    pub(super) fn new() -> Result<Self, JsValue> {
        let fields = dom::document()?.query_selector_all(".prompt")?;
        let prompts = PROMPTS.into_iter().zip(0..).map(|((which, name), at)| {
            let field = fields.get(at).ok_or_else(|| JsValue::from_str(name))?.unchecked_into();
            let (text, state) = (dom::find(&field, "textarea")?, dom::find(&field, ".state")?);
            Ok(PromptField { which, name, text, state, reset: dom::find(&field, "button")? })
        });
        Ok(Self {
            language: dom::by_id("answer-language")?,
            every_page: dom::by_id("read-every-page")?,
            keep_history: dom::by_id("keep-history")?,
            open_links: dom::by_id("open-links")?,
            long_pages: dom::by_id("long-pages")?,
            prompts: prompts.collect::<Result<_, JsValue>>()?,
        })
    }

    /// Shows what is stored, but for the field the reader is typing in.
    pub(super) fn draw(&self, stored: &Map<String, Value>) {
        let active = dom::document().ok().and_then(|document| document.active_element());
        let is_free = |field: &web_sys::Element| active.as_ref() != Some(field);
        let text = |name: &str| stored.get(name).and_then(Value::as_str).unwrap_or_default().trim();
        if is_free(&self.language) {
            self.language.set_value(text("answerLanguage"));
        }
        self.every_page.set_checked(stored.get("readEveryPage").and_then(Value::as_bool).unwrap_or_default());
        self.keep_history.set_checked(stored.get("keepHistory").and_then(Value::as_bool).unwrap_or(true));
        let open_links = OpenLinks::named(text("openLinks")).map(OpenLinks::as_str).unwrap_or_default();
        self.open_links.set_value(open_links);
        show(&self.long_pages, PROVIDERS.iter().any(|row| stored.contains_key(&LongPages::key(row.id))));
        for prompt in &self.prompts {
            let own = text(prompt.name);
            if is_free(&prompt.text) {
                let shown = if own.is_empty() { prompt.which.ours() } else { own.into() };
                prompt.text.set_value(&shown);
            }
            let state = if own.is_empty() { String::new() } else { words::say("options_prompt_own", &[]) };
            set_text(&prompt.state, &state);
            show(&prompt.reset, !own.is_empty());
        }
    }

    /// What to store; our own instructions are stored as none, so that they follow ours when those change.
    fn items(&self) -> Map<String, Value> {
        let mut items = Map::new();
        items.insert("answerLanguage".to_owned(), self.language.value().trim().into());
        items.insert("readEveryPage".to_owned(), self.every_page.checked().into());
        items.insert("keepHistory".to_owned(), self.keep_history.checked().into());
        items.insert("openLinks".to_owned(), self.open_links.value().into());
        for prompt in &self.prompts {
            let text = prompt.text.value();
            let own = if text.trim() == prompt.which.ours().trim() { "" } else { text.trim() };
            items.insert(prompt.name.to_owned(), own.into());
        }
        items
    }

    fn put_back(&self, clicked: Option<web_sys::EventTarget>) -> bool {
        let clicked = clicked.and_then(|target| target.dyn_into::<HtmlElement>().ok());
        let Some(prompt) = self.prompts.iter().find(|prompt| Some(&prompt.reset) == clicked.as_ref()) else {
            return false;
        };
        prompt.text.set_value(&prompt.which.ours());
        // Its button goes; fails for no element that there is.
        drop(prompt.text.focus());
        true
    }
}

impl Page {
    pub(super) fn listen_to_reading(self: &Rc<Self>) -> Result<(), JsValue> {
        self.on(&dom::by_id("long-pages-ask")?, "click", |page, _| page.forget_long_pages())?;
        let section = dom::by_id("reading")?;
        self.on(&section, "change", |page, _| page.save_reading())?;
        self.on(&section, "click", |page, event| {
            if page.reading_form.put_back(event.target()) {
                page.save_reading();
            }
        })
    }

    /// The reader wants to be asked about long pages again.
    fn forget_long_pages(self: &Rc<Self>) {
        self.start(
            |page| &page.reading,
            |page| async move {
                let keys: Vec<String> = PROVIDERS.iter().map(|row| LongPages::key(row.id)).collect();
                match page.remove(&keys).await {
                    Ok(()) => Outcome::good("options_saved"),
                    Err(outcome) => outcome,
                }
            },
        );
    }

    fn save_reading(self: &Rc<Self>) {
        self.start(
            |page| &page.reading,
            |page| async move {
                match page.store(&page.reading_form.items()).await {
                    Ok(()) => Outcome::good("options_saved"),
                    Err(outcome) => outcome,
                }
            },
        );
    }
}
