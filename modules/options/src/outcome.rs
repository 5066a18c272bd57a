//! How an act ended, and where it is said.

use std::cell::Cell;

use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use sidelight::words;
use sidelight_browser::dom::{self, clear};

/// How an act ended, for the reader.
pub(super) struct Outcome {
    problem: bool,
    /// Each with its class.
    lines: Vec<(&'static str, String)>,
}

impl Outcome {
    pub(super) fn plain(words: impl Into<String>) -> Self {
        Self { problem: false, lines: vec![("words", words.into())] }
    }

    pub(super) fn problem(words: impl Into<String>) -> Self {
        Self { problem: true, ..Self::plain(words) }
    }

    /// Something went well, in the text of a key.
    pub(super) fn good(key: &str) -> Self {
        Self::plain(words::say(key, &[]))
    }

    /// Something went wrong, in the text of a key.
    pub(super) fn bad(key: &str) -> Self {
        Self::problem(words::say(key, &[]))
    }

    /// Adds the address that was really asked.
    pub(super) fn at(mut self, url: &str) -> Self {
        self.lines.push(("url", url.to_owned()));
        self
    }

    /// Adds a line of its own kind: `words`, or a `command` to copy.
    pub(super) fn line(&mut self, class: &'static str, words: impl Into<String>) {
        self.lines.push((class, words.into()));
    }
}

/// The place where a section says how its acts ended: the last one alone is of interest.
pub(super) struct Status {
    element: HtmlElement,
    act: Cell<u32>,
}

impl Status {
    pub(super) fn new(id: &str) -> Result<Self, JsValue> {
        Ok(Self { element: dom::by_id(id)?, act: Cell::new(0) })
    }

    /// Counts an act, so that the outcomes of earlier ones are dropped.
    pub(super) fn begin(&self) -> u32 {
        self.act.set(self.act.get() + 1);
        self.act.get()
    }

    /// Says nothing, and lets no earlier act say anything.
    pub(super) fn reset(&self) {
        self.begin();
        clear(&self.element);
    }

    /// Shows how an act ended unless another came after it.
    pub(super) fn end(&self, act: u32, outcome: &Outcome) {
        if self.act.get() == act {
            self.say(outcome);
        }
    }

    pub(super) fn say(&self, outcome: &Outcome) {
        clear(&self.element);
        // Neither fails for an element that there is.
        drop(self.element.set_attribute("data-kind", if outcome.problem { "problem" } else { "plain" }));
        for (class, line) in &outcome.lines {
            if let Ok(paragraph) = dom::element("p", line) {
                paragraph.set_class_name(class);
                paragraph.set_dir(if *class == "words" { "auto" } else { "ltr" });
                drop(self.element.append_child(&paragraph));
            }
        }
    }
}
