//! Copy and export: what leaves the panel, by the reader's own hand.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::app::App;
use sidelight::panel::{Panel, mark_as_text};
use sidelight::words;
use sidelight_browser::boundary::to_js;
use sidelight_browser::dom;
use sidelight_browser::download::download;
use sidelight_browser::task::spawn;

impl App {
    pub(super) fn listen_to_shares(self: &Rc<Self>) -> Result<(), JsValue> {
        self.listen(&dom::by_id("copy")?, "click", |app, _| app.copy(Panel::markdown))?;
        self.listen(&dom::by_id("save-markdown")?, "click", |app, _| {
            app.save("reading.md", "text/markdown", Panel::markdown);
        })?;
        self.listen(&dom::by_id("save-json")?, "click", |app, _| app.save("reading.json", "application/json", json))
    }

    /// Copies the highlight chosen in the list; without one, the whole reading.
    pub(super) fn copy_selected(self: &Rc<Self>) {
        self.copy(|model| model.selected_item().map(mark_as_text).or_else(|| model.markdown()));
    }

    pub(super) fn copy(self: &Rc<Self>, text: impl Fn(&Panel) -> Option<String>) {
        let Some(text) = text(&self.model.borrow()) else { return };
        let Ok(window) = dom::window() else { return };
        let copying = window.navigator().clipboard().write_text(&text);
        let app = self.clone();
        spawn(async move {
            let remark = if JsFuture::from(copying).await.is_ok() { "share_copied" } else { "share_not_copied" };
            app.change(|model, _| model.handle_remark(&words::say(remark, &[])));
        });
    }

    fn save(self: &Rc<Self>, name: &str, media_type: &str, text: impl Fn(&Panel) -> Option<String>) {
        let Some(text) = text(&self.model.borrow()) else { return };
        let downloading = download(name, media_type, &text);
        let remark = if downloading.is_ok() { "share_saved" } else { "share_not_saved" };
        drop(self.saved.replace(downloading.ok()));
        self.change(|model, _| model.handle_remark(&words::say(remark, &[])));
    }
}

fn json(model: &Panel) -> Option<String> {
    model.reading()?;
    let export = to_js(&model.export()).ok()?;
    js_sys::JSON::stringify_with_replacer_and_space(&export, &JsValue::NULL, &JsValue::from(2)).ok().map(Into::into)
}
