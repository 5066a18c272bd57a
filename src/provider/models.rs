//! Which models a provider has, from its own list.

use super::base_url::models_endpoint;
use super::decoder::{Decoder, ModelEvent, ResponseHead};
use super::dialect::{dialect, object};
use super::request::{HttpRequest, Transport, check_key};
use crate::wire::{ErrorCode, ProviderConfig, ProviderId, ReadingError};
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// Most models shown; the rest of a longer list is left out.
pub const MAX_MODELS: usize = 1_000;

/// Longest list that is read, in bytes. The longest known one, of a reseller of all models there are, has half of that.
const MAX_BYTES: usize = 2 << 20;

/// Writes the request for the list; fails with what to change in the settings.
pub fn models_request(id: ProviderId, config: &ProviderConfig) -> Result<HttpRequest, ReadingError> {
    check_key(&config.key)?;
    let url = models_endpoint(id, config)?;
    let headers = dialect(id, false).map(|dialect| dialect.headers(&config.key)).unwrap_or_default();
    Ok(HttpRequest { url, headers, body: String::new(), via: Transport::Direct })
}

/// Reads the answer to [`models_request`].
pub struct ModelList {
    /// Knows how a refusal is put into words.
    refusal: Decoder,
    is_refused: bool,
    body: Vec<u8>,
}

impl ModelList {
    /// For the answer of one provider.
    pub fn new(id: ProviderId, config: &ProviderConfig) -> Self {
        Self { refusal: Decoder::new(id, config), is_refused: false, body: Vec::new() }
    }

    /// Status and headers came.
    pub fn handle_head(&mut self, head: &ResponseHead) {
        self.is_refused = !(200..300).contains(&head.status);
        self.refusal.handle_head(head);
    }

    /// The next bytes came. False when the list is longer than what is read.
    pub fn handle_chunk(&mut self, bytes: &[u8]) -> bool {
        if self.is_refused {
            self.refusal.handle_chunk(bytes, &mut Vec::new());
        } else if self.body.len() + bytes.len() > MAX_BYTES {
            return false;
        } else {
            self.body.extend_from_slice(bytes);
        }
        true
    }

    /// The body ended: the models in the provider's order, each once.
    pub fn handle_end(&mut self) -> Result<Vec<String>, ReadingError> {
        if self.is_refused {
            let mut events = Vec::new();
            self.refusal.handle_end(&mut events);
            let error = events
                .into_iter()
                .find_map(|event| if let ModelEvent::Error(error) = event { Some(error) } else { None });
            return Err(error.unwrap_or_else(no_list));
        }
        parse(&self.body).ok_or_else(no_list)
    }
}

/// Reads `{"data": [{"id": …}]}`, as most write it, or `{"models": [{"name": "models/…"}]}`, as Gemini does. Of Gemini's
/// only those count that write text.
fn parse(body: &[u8]) -> Option<Vec<String>> {
    // As events are read: a decoder of bytes besides that of text would be another in the module.
    let list = object(&String::from_utf8_lossy(body))?;
    let rows = list["data"].as_array().or_else(|| list["models"].as_array())?;
    let mut models: Vec<String> = Vec::new();
    for row in rows {
        let writes = row["supportedGenerationMethods"].as_array();
        let name = row["id"].as_str().or_else(|| row["name"].as_str()).unwrap_or_default();
        let name = name.strip_prefix("models/").unwrap_or(name);
        let is_known = models.iter().any(|known| known == name);
        if name.is_empty() || is_known || writes.is_some_and(|all| !all.iter().any(|one| one == "generateContent")) {
            continue;
        }
        if models.len() == MAX_MODELS {
            break;
        }
        models.push(name.to_owned());
    }
    Some(models)
}

fn no_list() -> ReadingError {
    ReadingError::new(ErrorCode::Protocol, words::say("models_none", &[]))
}
