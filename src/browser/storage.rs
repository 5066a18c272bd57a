//! Settings in `chrome.storage.local`.

use serde_json::{Map, Value};
use wasm_bindgen::JsValue;

use super::boundary::{error_text, from_js};
use super::chrome;
use crate::wire::{ErrorCode, ReadingError};
#[cfg(feature = "worker")]
use crate::{browser::boundary::to_js, sorted_map::SortedMap, wire::Settings};

/// Takes storage out of the reach of content scripts, which have it by default. To be done before anything is stored.
#[cfg(feature = "worker")]
pub(crate) async fn close_to_pages() -> Result<(), ReadingError> {
    let level =
        to_js(&SortedMap::from([("accessLevel", "TRUSTED_CONTEXTS")])).map_err(|error| broken(&error.to_string()))?;
    chrome::storage::set_local_access_level(&level).await.map(drop).map_err(|thrown| broken(&error_text(&thrown)))
}

/// Everything stored.
pub(crate) async fn stored() -> Result<Map<String, Value>, ReadingError> {
    let stored = chrome::storage::local(&JsValue::NULL).await.map_err(|thrown| broken(&error_text(&thrown)))?;
    from_js(stored).map_err(|error| broken(&error.to_string()))
}

/// The settings as they are now.
#[cfg(feature = "worker")]
pub(crate) async fn settings() -> Result<Settings, ReadingError> {
    stored().await.map(|stored| Settings::from_storage(&stored))
}

fn broken(reason: &str) -> ReadingError {
    ReadingError::retryable(
        ErrorCode::Internal,
        format!("Chrome can't give access to the settings. Reload the extension. ({reason})"),
    )
}
