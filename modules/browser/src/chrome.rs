//! The parts of `chrome.*` Sidelight uses, typed once.

#![allow(missing_docs, reason = "these are Chrome's own names, and its documentation says what they do")]

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `chrome.runtime.Port`.
    #[derive(Clone)]
    pub type Port;

    #[wasm_bindgen(method, getter)]
    pub fn name(this: &Port) -> String;

    #[wasm_bindgen(method, getter)]
    pub fn sender(this: &Port) -> Option<MessageSender>;

    /// Throws once the other side is gone.
    #[wasm_bindgen(method, catch, js_name = postMessage)]
    pub fn post_message(this: &Port, message: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(method)]
    pub fn disconnect(this: &Port);

    #[wasm_bindgen(method, getter, js_name = onMessage)]
    pub fn on_message(this: &Port) -> ChromeEvent;

    #[wasm_bindgen(method, getter, js_name = onDisconnect)]
    pub fn on_disconnect(this: &Port) -> ChromeEvent;

    /// `chrome.runtime.MessageSender`.
    #[derive(Clone)]
    pub type MessageSender;

    #[wasm_bindgen(method, getter)]
    pub fn id(this: &MessageSender) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    pub fn url(this: &MessageSender) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    pub fn tab(this: &MessageSender) -> Option<Tab>;

    /// `chrome.tabs.Tab`.
    #[derive(Clone)]
    pub type Tab;

    #[wasm_bindgen(method, getter, js_name = id)]
    pub fn tab_id(this: &Tab) -> Option<i32>;

    #[wasm_bindgen(method, getter, js_name = windowId)]
    pub fn window_id(this: &Tab) -> i32;

    /// Only set where the extension may know the page.
    #[wasm_bindgen(method, getter, js_name = url)]
    pub fn tab_url(this: &Tab) -> Option<String>;

    #[wasm_bindgen(method, getter, js_name = title)]
    pub fn tab_title(this: &Tab) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    pub fn active(this: &Tab) -> bool;

    #[wasm_bindgen(method, getter)]
    pub fn incognito(this: &Tab) -> bool;

    /// `chrome.events.Event`.
    #[derive(Clone)]
    pub type ChromeEvent;

    #[wasm_bindgen(method, js_name = addListener)]
    pub fn add_listener(this: &ChromeEvent, listener: &js_sys::Function);

    #[wasm_bindgen(method, js_name = removeListener)]
    pub fn remove_listener(this: &ChromeEvent, listener: &js_sys::Function);
}

/// `chrome.runtime`.
pub mod runtime {
    use super::{ChromeEvent, JsValue, Port, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "runtime"], js_name = id)]
        pub static ID: String;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "runtime"], js_name = onMessage)]
        pub static ON_MESSAGE: ChromeEvent;

        #[wasm_bindgen(js_namespace = ["chrome", "runtime"])]
        pub fn connect(info: &JsValue) -> Port;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = sendMessage)]
        pub async fn send_message(message: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = openOptionsPage)]
        pub async fn open_options_page() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(js_namespace = ["chrome", "runtime"], js_name = getManifest)]
        pub fn manifest() -> JsValue;

        /// Resolves to an object with the operating system as `os`.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = getPlatformInfo)]
        pub async fn platform_info() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(js_namespace = ["chrome", "runtime"], js_name = getURL)]
        pub fn url(path: &str) -> String;
    }
}

/// `chrome.tabs`.
pub mod tabs {
    use super::{ChromeEvent, JsValue, Port, Tab, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "tabs"], js_name = onActivated)]
        pub static ON_ACTIVATED: ChromeEvent;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "tabs"], js_name = onUpdated)]
        pub static ON_UPDATED: ChromeEvent;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "tabs"], js_name = onRemoved)]
        pub static ON_REMOVED: ChromeEvent;

        /// Resolves to an array of [`Tab`].
        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"])]
        pub async fn query(info: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = get)]
        pub async fn tab(id: i32) -> Result<Tab, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"])]
        pub async fn create(info: &JsValue) -> Result<Tab, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = sendMessage)]
        pub async fn send_message(tab: i32, message: &JsValue, options: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(js_namespace = ["chrome", "tabs"])]
        pub fn connect(tab: i32, info: &JsValue) -> Port;
    }
}

/// `chrome.scripting`.
pub mod scripting {
    use super::{JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = executeScript)]
        pub async fn execute_script(injection: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = insertCSS)]
        pub async fn insert_css(injection: &JsValue) -> Result<JsValue, JsValue>;
    }
}

/// `chrome.storage`.
pub mod storage {
    use super::{ChromeEvent, JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "storage"], js_name = onChanged)]
        pub static ON_CHANGED: ChromeEvent;

        /// All of it for `null`.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = get)]
        pub async fn local(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = set)]
        pub async fn set_local(items: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = remove)]
        pub async fn remove_local(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = clear)]
        pub async fn clear_local() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = clear)]
        pub async fn clear_session() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = get)]
        pub async fn session(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = set)]
        pub async fn set_session(items: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = remove)]
        pub async fn remove_session(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = setAccessLevel)]
        pub async fn set_local_access_level(options: &JsValue) -> Result<JsValue, JsValue>;
    }
}

/// `chrome.declarativeNetRequest`.
pub mod net_rules {
    use super::{JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(catch, js_namespace = ["chrome", "declarativeNetRequest"], js_name = updateSessionRules)]
        pub async fn update_session_rules(change: &JsValue) -> Result<JsValue, JsValue>;
    }
}

/// `chrome.offscreen`.
pub mod offscreen {
    use super::{JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        /// Resolves once the page has loaded; rejects where one stands already.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "offscreen"], js_name = createDocument)]
        pub fn create_document(document: &JsValue) -> Result<js_sys::Promise, JsValue>;
    }
}

/// `chrome.permissions`.
pub mod permissions {
    use super::{ChromeEvent, JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "permissions"], js_name = onAdded)]
        pub static ON_ADDED: ChromeEvent;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "permissions"], js_name = onRemoved)]
        pub static ON_REMOVED: ChromeEvent;

        /// Everything granted, as `{origins, permissions}`.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"], js_name = getAll)]
        pub async fn all() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"])]
        pub async fn remove(permissions: &JsValue) -> Result<JsValue, JsValue>;

        /// Must be called straight from a click.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"])]
        pub async fn request(permissions: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"])]
        pub async fn contains(permissions: &JsValue) -> Result<JsValue, JsValue>;
    }
}
