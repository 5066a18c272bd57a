//! What the modules share of a browser: `chrome.*` typed once, values across the boundary, documents, storage, requests
//! and time. It exports nothing by itself: each module says what it hands to JavaScript.
#![cfg(target_arch = "wasm32")]

pub mod boundary;
pub mod chrome;
pub mod clock;
pub mod dom;
pub mod download;
pub mod i18n;
pub mod language;
pub mod long_text;
pub mod page;
pub mod sleep;
pub mod storage;
pub mod subscription;
pub mod task;
pub mod unicode;
pub mod url;

/// To be called when a module is instantiated: a panic's words go to the console instead of a bare `unreachable`, and the
/// core is lent what the browser has.
pub fn start() {
    console_error_panic_hook::set_once();
    install();
}

/// Lends the core the reader's language and the browser's parser of addresses. Done by [`start`]; a test, whose module is
/// not started, does it itself.
pub fn install() {
    language::install();
    sidelight::url::install(url::parse);
}
