//! Settings as a file: everything but keys and consents, which nobody hands on by accident.

use serde_json::{Map, Value};

use crate::provider::PROVIDERS;
use crate::reading::prompt::MAX_OWN;
use crate::wire::{ErrorCode, ReadingError};
use crate::words;

/// Longest file that is worth reading, in bytes.
pub const MAX_FILE: u32 = 256 * 1024;

/// Names what a file is, beside its version.
const FORMAT: &str = "sidelight";
const VERSION: i32 = 1;
const SETTINGS: &str = "settings";

/// Longest text of a setting other than instructions, in characters.
const MAX_TEXT: usize = 2_000;

/// What a file brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// To be stored.
    pub items: Map<String, Value>,
    /// Keys to be deleted: those of providers that the file sends to another address.
    pub dropped_keys: Vec<String>,
}

/// The settings in storage, as the content of a file. JSON is read and written by the browser.
pub fn export(stored: &Map<String, Value>) -> Value {
    let kept: Map<String, Value> = stored
        .iter()
        .filter(|(name, value)| fits(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Map::from_iter([(FORMAT.to_owned(), VERSION.into()), (SETTINGS.to_owned(), kept.into())]).into()
}

/// Reads the content of a file that [`export`] wrote, perhaps changed by hand; what it holds besides settings is left out. `stored` is
/// what storage holds.
pub fn import(file: &Value, stored: &Map<String, Value>) -> Result<Import, ReadingError> {
    let foreign = || ReadingError::new(ErrorCode::BadRequest, words::say("options_import_foreign", &[]));
    let is_ours = file[FORMAT].as_f64() == Some(f64::from(VERSION));
    let settings = file[SETTINGS].as_object().filter(|_| is_ours).ok_or_else(foreign)?;
    let items: Map<String, Value> = settings
        .iter()
        .filter(|(name, value)| fits(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if items.is_empty() {
        return Err(foreign());
    }
    let text_of = |map: &Map<String, Value>, name: &str| {
        map.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
    };
    let mut dropped_keys = Vec::new();
    for row in &PROVIDERS {
        let base_url = format!("{}BaseUrl", row.id.as_str());
        // A key never follows an address that came with a file.
        if items.contains_key(&base_url) && text_of(&items, &base_url) != text_of(stored, &base_url) {
            dropped_keys.extend(key_names(row.id.as_str()).filter(|name| stored.contains_key(name)));
        }
    }
    Ok(Import { items, dropped_keys })
}

/// Names under which a provider's key may be stored.
pub fn key_names(provider: &str) -> impl Iterator<Item = String> + use<> {
    let legacy = (provider == "anthropic").then(|| "apiKey".to_owned());
    [format!("{provider}Key")].into_iter().chain(legacy)
}

/// Whether this is a setting that may travel, of the right type and of bearable length.
fn fits(name: &str, value: &Value) -> bool {
    let is_text = |limit: usize| value.as_str().is_some_and(|text| text.chars().count() <= limit);
    match name {
        "provider" | "answerLanguage" => is_text(MAX_TEXT),
        "analysisPrompt" | "chatPrompt" | "highlightsPrompt" => is_text(MAX_OWN),
        "readEveryPage" => value.is_boolean(),
        name => PROVIDERS.iter().any(|row| match name.strip_prefix(row.id.as_str()) {
            Some("Model" | "BaseUrl") => is_text(MAX_TEXT),
            Some("InputPrice" | "OutputPrice") => value.is_number(),
            Some(_) | None => false,
        }),
    }
}
