//! Everything with an effect: the one place that knows JavaScript values, `chrome.*`, the network and the clock.
//!
//! [`Worker`] is what `service_worker.js` holds, `Panel` and `Options` what those pages hold, and [`functions`] what
//! any page may call without an extension around it.

#[cfg(feature = "bench")]
pub mod bench;
#[cfg_attr(not(feature = "extension"), expect(dead_code, reason = "plain functions only give values out"))]
mod boundary;
#[cfg(feature = "extension")]
mod chrome;
#[cfg(feature = "extension")]
mod clock;
#[cfg(feature = "document")]
mod dom;
#[cfg(feature = "document")]
mod download;
#[cfg(feature = "worker")]
mod fetch;
#[cfg(feature = "reader")]
pub mod functions;
#[cfg(feature = "document")]
pub mod i18n;
#[cfg(any(feature = "extension", feature = "reader"))]
mod language;
#[cfg(any(feature = "worker", feature = "panel"))]
mod long_text;
#[cfg(feature = "options")]
mod options;
#[cfg(any(feature = "worker", feature = "panel"))]
mod page;
#[cfg(feature = "panel")]
mod panel;
#[cfg(any(feature = "worker", feature = "panel"))]
mod sleep;
#[cfg(feature = "extension")]
mod storage;
#[cfg(feature = "extension")]
mod subscription;
#[cfg(feature = "extension")]
mod task;
#[cfg(feature = "worker")]
mod unicode;
#[cfg(feature = "extension")]
mod url;
#[cfg(feature = "worker")]
mod worker;

#[cfg(feature = "options")]
pub use options::Options;
#[cfg(feature = "panel")]
pub use panel::Panel;
use wasm_bindgen::prelude::wasm_bindgen;
#[cfg(feature = "worker")]
pub use worker::Worker;

/// Runs once, when the module is instantiated: a panic's words go to the console instead of a bare `unreachable`.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    #[cfg(any(feature = "extension", feature = "reader"))]
    install();
}

/// Lends the core what the browser has: the reader's language and the parser of addresses. Done by [`start`]; a test,
/// whose module is not started, does it itself.
#[cfg(any(feature = "extension", feature = "reader"))]
pub fn install() {
    language::install();
    #[cfg(feature = "extension")]
    crate::url::install(url::parse);
}
