//! The service worker's module: what `service_worker.js` holds.
#![cfg(target_arch = "wasm32")]

mod offline_reader;
mod worker;

use wasm_bindgen::prelude::*;

/// Runs once, when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    sidelight_browser::start();
}

/// The core as the service worker holds it, one for the worker's life.
#[wasm_bindgen]
pub struct Worker(worker::Worker);

#[wasm_bindgen]
impl Worker {
    /// Starts the core and closes storage to content scripts.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::new_without_default, reason = "a constructor for JavaScript, with an effect")]
    pub fn new() -> Self {
        Self(worker::Worker::new(offline_reader::MODULE))
    }

    /// A port connected; `id` names it in the calls that follow.
    pub fn connect(&self, id: u32, port: JsValue) {
        self.0.connect(id, port);
    }

    /// A message came in on a port.
    pub fn message(&self, id: u32, message: JsValue) {
        self.0.message(id, message);
    }

    /// A port closed.
    pub fn disconnect(&self, id: u32) {
        self.0.disconnect(id);
    }

    /// A message of a page: the answer to send back, or `undefined` for a message that wants none.
    pub fn page_message(&self, message: JsValue) -> JsValue {
        worker::page_message(message)
    }
}
