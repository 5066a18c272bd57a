//! The side panel: what happens goes into [`sidelight::panel::Panel`], what it says is drawn.
#![cfg(target_arch = "wasm32")]

mod answer;
mod app;
mod asking;
mod bar;
mod chat;
mod history;
mod keys;
mod list;
mod notices;
mod ports;
mod prose;
mod render;
mod saving;
mod share;
mod tabs;

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use self::app::App;
use self::saving::Database;
use sidelight_browser::boundary::to_js;
use sidelight_browser::{dom, i18n};

/// Runs once, when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    sidelight_browser::start();
}

/// What `panel.js` holds.
#[wasm_bindgen]
pub struct Panel {
    app: Rc<App>,
}

#[wasm_bindgen]
impl Panel {
    /// Starts the panel in this document and reads the page in view, unless it was read before. `history` is the module
    /// `history.js`.
    ///
    /// # Errors
    /// When the document is not `panel.html`.
    #[wasm_bindgen(constructor)]
    pub fn new(history: Database) -> Result<Panel, JsValue> {
        i18n::translate(&dom::document()?)?;
        let app = App::start(history)?;
        Ok(Panel { app })
    }

    /// The reading shown: `{page, provider, model, analysis, highlights, summary, categorySummaries, timings, usage,
    /// errors, state}`.
    pub fn export(&self) -> Result<JsValue, JsError> {
        Ok(to_js(&self.app.model.borrow().export())?)
    }
}
