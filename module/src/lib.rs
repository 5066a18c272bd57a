//! The crate as a wasm module: what `#[wasm_bindgen]` marks in it is exported.

#[cfg(target_arch = "wasm32")]
pub use sidelight::browser;
