//! Files that leave by the reader's own hand.

use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::dom;

/// The address of a file in memory. Chrome reads it some time after the click, so it stays until the next one is saved.
pub struct ObjectUrl(String);

impl Drop for ObjectUrl {
    fn drop(&mut self) {
        // Fails for no address that was made.
        drop(Url::revoke_object_url(&self.0));
    }
}

/// Has Chrome save a text as a file.
pub fn download(name: &str, media_type: &str, text: &str) -> Result<ObjectUrl, JsValue> {
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
