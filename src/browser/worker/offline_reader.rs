//! The offline reader, in a module of its own: most readings have a model, and a worker that wakes should not wait for
//! word lists. It is loaded for the first reading without one.

#[cfg(not(feature = "reader"))]
pub(super) use module::{load, read};
#[cfg(feature = "reader")]
pub(super) use own::{load, read};

#[cfg(not(feature = "reader"))]
mod module {
    use wasm_bindgen::prelude::*;

    use crate::browser::boundary::from_js;
    use crate::browser::chrome;
    use crate::reading::rules;

    /// As it stands beside this one in `pkg/`.
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
    pub(crate) async fn load() {
        let options = format!(r#"{{"module_or_path":"{}"}}"#, chrome::runtime::url(WASM));
        let Ok(options) = js_sys::JSON::parse(&options) else { return };
        drop(init(&options).await);
    }

    pub(crate) fn read(text: &str) -> Option<rules::Reading> {
        from_js(read_offline(text).ok()?).ok()
    }
}

/// A build that has both in one.
#[cfg(feature = "reader")]
mod own {
    use crate::reading::rules;

    #[expect(clippy::unused_async, reason = "the other one waits")]
    pub(crate) async fn load() {}

    pub(crate) fn read(text: &str) -> Option<rules::Reading> {
        Some(rules::read(text))
    }
}
