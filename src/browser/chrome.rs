//! The parts of `chrome.*` Sidelight uses, typed once.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `chrome.runtime.Port`.
    #[derive(Clone)]
    pub(crate) type Port;

    #[wasm_bindgen(method, getter)]
    pub(crate) fn name(this: &Port) -> String;

    #[wasm_bindgen(method, getter)]
    pub(crate) fn sender(this: &Port) -> Option<MessageSender>;

    /// Throws once the other side is gone.
    #[wasm_bindgen(method, catch, js_name = postMessage)]
    pub(crate) fn post_message(this: &Port, message: &JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(method)]
    pub(crate) fn disconnect(this: &Port);

    #[wasm_bindgen(method, getter, js_name = onMessage)]
    pub(crate) fn on_message(this: &Port) -> ChromeEvent;

    #[wasm_bindgen(method, getter, js_name = onDisconnect)]
    pub(crate) fn on_disconnect(this: &Port) -> ChromeEvent;

    /// `chrome.runtime.MessageSender`.
    #[derive(Clone)]
    pub(crate) type MessageSender;

    #[wasm_bindgen(method, getter)]
    pub(crate) fn id(this: &MessageSender) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    pub(crate) fn url(this: &MessageSender) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    pub(crate) fn tab(this: &MessageSender) -> Option<Tab>;

    /// `chrome.tabs.Tab`.
    #[derive(Clone)]
    pub(crate) type Tab;

    #[wasm_bindgen(method, getter, js_name = id)]
    pub(crate) fn tab_id(this: &Tab) -> Option<i32>;

    #[wasm_bindgen(method, getter, js_name = windowId)]
    pub(crate) fn window_id(this: &Tab) -> i32;

    /// Only set where the extension may know the page.
    #[wasm_bindgen(method, getter, js_name = url)]
    pub(crate) fn tab_url(this: &Tab) -> Option<String>;

    #[wasm_bindgen(method, getter, js_name = title)]
    pub(crate) fn tab_title(this: &Tab) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    pub(crate) fn active(this: &Tab) -> bool;

    #[wasm_bindgen(method, getter)]
    pub(crate) fn incognito(this: &Tab) -> bool;

    /// `chrome.events.Event`.
    #[derive(Clone)]
    pub(crate) type ChromeEvent;

    #[wasm_bindgen(method, js_name = addListener)]
    pub(crate) fn add_listener(this: &ChromeEvent, listener: &js_sys::Function);

    #[wasm_bindgen(method, js_name = removeListener)]
    pub(crate) fn remove_listener(this: &ChromeEvent, listener: &js_sys::Function);
}

/// `chrome.runtime`.
pub(crate) mod runtime {
    use super::{ChromeEvent, JsValue, Port, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "runtime"], js_name = id)]
        pub(crate) static ID: String;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "runtime"], js_name = onMessage)]
        pub(crate) static ON_MESSAGE: ChromeEvent;

        #[wasm_bindgen(js_namespace = ["chrome", "runtime"])]
        pub(crate) fn connect(info: &JsValue) -> Port;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = sendMessage)]
        pub(crate) async fn send_message(message: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = openOptionsPage)]
        pub(crate) async fn open_options_page() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(js_namespace = ["chrome", "runtime"], js_name = getManifest)]
        pub(crate) fn manifest() -> JsValue;

        /// Resolves to an object with the operating system as `os`.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "runtime"], js_name = getPlatformInfo)]
        pub(crate) async fn platform_info() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(js_namespace = ["chrome", "runtime"], js_name = getURL)]
        pub(crate) fn url(path: &str) -> String;
    }
}

/// `chrome.tabs`.
pub(crate) mod tabs {
    use super::{ChromeEvent, JsValue, Port, Tab, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "tabs"], js_name = onActivated)]
        pub(crate) static ON_ACTIVATED: ChromeEvent;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "tabs"], js_name = onUpdated)]
        pub(crate) static ON_UPDATED: ChromeEvent;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "tabs"], js_name = onRemoved)]
        pub(crate) static ON_REMOVED: ChromeEvent;

        /// Resolves to an array of [`Tab`].
        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"])]
        pub(crate) async fn query(info: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = get)]
        pub(crate) async fn tab(id: i32) -> Result<Tab, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"])]
        pub(crate) async fn create(info: &JsValue) -> Result<Tab, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "tabs"], js_name = sendMessage)]
        pub(crate) async fn send_message(tab: i32, message: &JsValue, options: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(js_namespace = ["chrome", "tabs"])]
        pub(crate) fn connect(tab: i32, info: &JsValue) -> Port;
    }
}

/// `chrome.scripting`.
pub(crate) mod scripting {
    use super::{JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = executeScript)]
        pub(crate) async fn execute_script(injection: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "scripting"], js_name = insertCSS)]
        pub(crate) async fn insert_css(injection: &JsValue) -> Result<JsValue, JsValue>;
    }
}

/// `chrome.storage`.
pub(crate) mod storage {
    use super::{ChromeEvent, JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "storage"], js_name = onChanged)]
        pub(crate) static ON_CHANGED: ChromeEvent;

        /// All of it for `null`.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = get)]
        pub(crate) async fn local(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = set)]
        pub(crate) async fn set_local(items: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = remove)]
        pub(crate) async fn remove_local(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = clear)]
        pub(crate) async fn clear_local() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = clear)]
        pub(crate) async fn clear_session() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = get)]
        pub(crate) async fn session(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = set)]
        pub(crate) async fn set_session(items: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "session"], js_name = remove)]
        pub(crate) async fn remove_session(keys: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "storage", "local"], js_name = setAccessLevel)]
        pub(crate) async fn set_local_access_level(options: &JsValue) -> Result<JsValue, JsValue>;
    }
}

/// `chrome.declarativeNetRequest`.
pub(crate) mod net_rules {
    use super::{JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(catch, js_namespace = ["chrome", "declarativeNetRequest"], js_name = updateSessionRules)]
        pub(crate) async fn update_session_rules(change: &JsValue) -> Result<JsValue, JsValue>;
    }
}

/// `chrome.offscreen`.
pub(crate) mod offscreen {
    use super::{JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        /// Resolves once the page has loaded; rejects where one stands already.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "offscreen"], js_name = createDocument)]
        pub(crate) fn create_document(document: &JsValue) -> Result<js_sys::Promise, JsValue>;
    }
}

/// `chrome.permissions`.
pub(crate) mod permissions {
    use super::{ChromeEvent, JsValue, wasm_bindgen};

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "permissions"], js_name = onAdded)]
        pub(crate) static ON_ADDED: ChromeEvent;

        #[wasm_bindgen(thread_local_v2, js_namespace = ["chrome", "permissions"], js_name = onRemoved)]
        pub(crate) static ON_REMOVED: ChromeEvent;

        /// Everything granted, as `{origins, permissions}`.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"], js_name = getAll)]
        pub(crate) async fn all() -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"])]
        pub(crate) async fn remove(permissions: &JsValue) -> Result<JsValue, JsValue>;

        /// Must be called straight from a click.
        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"])]
        pub(crate) async fn request(permissions: &JsValue) -> Result<JsValue, JsValue>;

        #[wasm_bindgen(catch, js_namespace = ["chrome", "permissions"])]
        pub(crate) async fn contains(permissions: &JsValue) -> Result<JsValue, JsValue>;
    }
}
