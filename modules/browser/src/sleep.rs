//! Waiting.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Lets `ms` milliseconds pass.
pub async fn sleep(ms: u32) {
    let over = js_sys::Promise::new(&mut |resolve, _| set_timeout(&resolve, ms));
    drop(JsFuture::from(over).await);
}

#[wasm_bindgen]
extern "C" {
    /// In a window and in a worker alike.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &js_sys::Function, ms: u32);
}
