//! Everything with an effect: the one place that knows JavaScript values, `chrome.*`, the network and the clock.
//!
//! [`Worker`] is what `service_worker.js` holds, `Panel` and `Options` what those pages hold, and [`functions`] what
//! any page may call without an extension around it.

mod boundary;
mod chrome;
mod clock;
mod dom;
mod fetch;
pub mod functions;
mod options;
mod page;
mod panel;
mod storage;
mod subscription;
mod unicode;
mod worker;

pub use options::Options;
pub use panel::Panel;
use wasm_bindgen::prelude::wasm_bindgen;
pub use worker::Worker;

/// Runs once, when the module is instantiated: a panic's words go to the console instead of a bare `unreachable`.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}
