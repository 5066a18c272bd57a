//! The offline reader, in a module of its own: most readings have a model, and a worker that wakes should not wait for
//! word lists. It is loaded for the first reading without one.

use sidelight::reading::rules;
use sidelight_browser::boundary::from_js;
use sidelight_browser::chrome;
use wasm_bindgen::prelude::*;

use crate::worker::OfflineReader;

/// The module beside this one in `pkg/`.
pub(crate) const MODULE: OfflineReader = OfflineReader { load: || Box::pin(load()), read };

const WASM: &str = "pkg/reader_bg.wasm";

#[wasm_bindgen(raw_module = "./reader.js")]
extern "C" {
    /// Resolves at once when it is loaded.
    #[wasm_bindgen(catch, js_name = default)]
    async fn init(options: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = readOffline)]
    fn read_offline(text: &str) -> Result<JsValue, JsValue>;
}

/// Has the reader ready. Where that fails, [`read`] says so.
async fn load() {
    let options = format!(r#"{{"module_or_path":"{}"}}"#, chrome::runtime::url(WASM));
    let Ok(options) = js_sys::JSON::parse(&options) else { return };
    drop(init(&options).await);
}

fn read(text: &str) -> Option<rules::Reading> {
    from_js(read_offline(text).ok()?).ok()
}
