//! The model in Chrome itself, behind its [Prompt API](https://developer.chrome.com/docs/ai/prompt-api).
//!
//! The API lives in pages, so `extension/offscreen.js` speaks it. Between here and there goes what looks like a request and
//! a stream of events, one JSON object each: `{availability}`, `{progress}` of a download from 0 to 1, `{delta}`, and in
//! the end `{done}` or `{error: {name, message}}`.

use serde_json::{Value, json};

use super::decoder::ModelEvent;
use super::dialect::{Answer, AnswerReader, Dialect, Fault, object, text_of};
use super::failure;
use super::request::{Prompt, Quirks, Turn};
use crate::wire::{ErrorCode, ReadingError, StopReason};
use crate::words;
use sidelight_stream::sse;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// The dialect.
pub(super) struct PromptApi;

impl Dialect for PromptApi {
    fn headers(&self, _key: &str) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn body(&self, _model: &str, prompt: &Prompt, _quirks: Quirks, _own_host: bool) -> String {
        let schema: Value = serde_json::from_str(prompt.schema).unwrap_or_default();
        let turns: Vec<Value> = prompt.turns.iter().map(turn).collect();
        json!({"system": prompt.system, "turns": turns, "schema": schema}).to_string()
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::new(Reader)
    }
}

/// It has no tools, so nothing of the last two kinds ever comes.
fn turn(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant(text) => json!({"role": "assistant", "content": text}),
        Turn::Replay(_) | Turn::ToolResults(_) => json!({"role": "user", "content": ""}),
    }
}

struct Reader;

impl AnswerReader for Reader {
    fn handle_event(&mut self, event: sse::Event<'_>, answer: &mut Answer) -> bool {
        let Some(event) = object(event.data) else { return false };
        answer.text.push_str(&text_of(&event["delta"]));
        if event["availability"] == "downloadable" || event["availability"] == "downloading" {
            answer.events.push(ModelEvent::Status(words::say("status_model_download", &[])));
        }
        if let Some(progress) = event["progress"].as_f64() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
            let percent = words::number((progress.clamp(0.0, 1.0) * 100.0) as u64);
            answer.events.push(ModelEvent::Status(words::say("status_model_progress", &[&percent])));
        }
        if event["error"].is_object() {
            answer.fail(Fault::Known(explain(&event["error"])));
        }
        if event["done"] == true {
            answer.stop = Some(StopReason::EndTurn);
            answer.ended = true;
        }
        true
    }

    fn handle_document(&mut self, _document: &str, _answer: &mut Answer) -> bool {
        false
    }
}

/// A `DOMException` of the API, in words that say what to do next; the first two names are of `offscreen.js`.
fn explain(error: &Value) -> ReadingError {
    let chrome_says = failure::clean(&text_of(&error["message"]));
    let tokens = |name: &str| error[name].as_u64().unwrap_or(0);
    let (code, key) = match &*text_of(&error["name"]) {
        "Missing" => (ErrorCode::NotFound, "builtin_missing"),
        "Unavailable" => (ErrorCode::NotFound, "builtin_unavailable"),
        "QuotaExceededError" => {
            return ReadingError::new(ErrorCode::TooLong, failure::too_long((tokens("requested"), tokens("quota"))));
        }
        "NotAllowedError" => (ErrorCode::BadRequest, "builtin_not_allowed"),
        "NotReadableError" => (ErrorCode::Refused, "builtin_withheld"),
        "NotSupportedError" => (ErrorCode::BadRequest, "builtin_not_supported"),
        name => {
            let message = words::say("builtin_stopped", &[&failure::clean(name), &chrome_says]);
            return ReadingError::retryable(ErrorCode::Overloaded, message);
        }
    };
    ReadingError::new(code, words::say(key, &[&chrome_says]))
}
