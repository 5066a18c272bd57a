//! Settings in `chrome.storage.local`.

use serde_json::{Map, Value};
use wasm_bindgen::JsValue;

use super::boundary::{error_text, from_js};
use super::chrome;
use sidelight::wire::{ErrorCode, ReadingError};
use sidelight::words;

/// Everything stored.
pub async fn stored() -> Result<Map<String, Value>, ReadingError> {
    let stored = chrome::storage::local(&JsValue::NULL).await.map_err(|thrown| broken(&error_text(&thrown)))?;
    from_js(stored).map_err(|error| broken(&error.to_string()))
}

fn broken(reason: &str) -> ReadingError {
    ReadingError::retryable(ErrorCode::Internal, words::say("error_storage", &[reason]))
}
