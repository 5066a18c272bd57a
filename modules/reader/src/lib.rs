//! The reading core for the worker, the playground and whoever embeds it.
#![cfg(target_arch = "wasm32")]

mod functions;

pub use functions::{extract_complete_highlights, read_offline};
use wasm_bindgen::prelude::*;

/// Runs once, when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    sidelight_browser::start();
}
