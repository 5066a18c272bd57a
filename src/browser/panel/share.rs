//! Copy and export: what leaves the panel, by the reader's own hand.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::app::App;
use crate::browser::boundary::to_js;
use crate::browser::dom;
use crate::browser::task::spawn;
use crate::panel::{Panel, mark_as_text};

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
            let remark = if JsFuture::from(copying).await.is_ok() { "Copied" } else { "Chrome did not allow the copy" };
            app.change(|model, _| model.handle_remark(remark));
        });
    }

    fn save(self: &Rc<Self>, name: &str, media_type: &str, text: impl Fn(&Panel) -> Option<String>) {
        let Some(text) = text(&self.model.borrow()) else { return };
        let downloading = download(name, media_type, &text);
        let remark = if downloading.is_ok() { "Saved" } else { "Chrome did not allow the download" };
        drop(self.saved.replace(downloading.ok()));
        self.change(|model, _| model.handle_remark(remark));
    }
}

fn json(model: &Panel) -> Option<String> {
    model.reading()?;
    let export = to_js(&model.export()).ok()?;
    js_sys::JSON::stringify_with_replacer_and_space(&export, &JsValue::NULL, &JsValue::from(2)).ok().map(Into::into)
}

/// The address of a file in memory. Chrome reads it some time after the click, so it stays until the next one is saved.
pub(super) struct ObjectUrl(String);

impl Drop for ObjectUrl {
    fn drop(&mut self) {
        // Fails for no address that was made.
        drop(Url::revoke_object_url(&self.0));
    }
}

fn download(name: &str, media_type: &str, text: &str) -> Result<ObjectUrl, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let blob = Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&JsValue::from_str(text)), &options)?;
    let url = ObjectUrl(Url::create_object_url_with_blob(&blob)?);
    let link: HtmlAnchorElement = dom::element("a", "")?.unchecked_into();
    link.set_href(&url.0);
    link.set_download(name);
    link.click();
    Ok(url)
}
