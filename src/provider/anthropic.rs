//! Anthropic's [Messages API](https://platform.claude.com/docs/en/api/messages-streaming), single turn.

use serde::Serialize;
use serde_json::{Value, json};

use super::dialect::{Answer, AnswerReader, Dialect, Fault, has_only, index_of, object, text_of};
use super::failure::ProviderError;
use super::request::{Prompt, Quirks, Turn};
use crate::sse;
use crate::wire::{StopReason, Usage};

/// The dialect.
pub(super) struct Messages;

impl Dialect for Messages {
    fn headers(&self, key: &str) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("anthropic-version", "2023-06-01".to_owned()),
            // Without it the API refuses whatever has a browser's origin, an extension's included.
            ("anthropic-dangerous-direct-browser-access", "true".to_owned()),
        ];
        if !key.is_empty() {
            headers.push(("x-api-key", key.to_owned()));
        }
        headers
    }

    fn body(&self, model: &str, prompt: &Prompt, quirks: Quirks, _own_host: bool) -> String {
        let cache_control = (!quirks.no_cache_control).then_some(CacheControl { kind: "ephemeral" });
        // The API refuses an empty text block.
        let system =
            (!prompt.system.is_empty()).then_some([SystemBlock { kind: "text", text: &prompt.system, cache_control }]);
        let body = Body {
            model,
            max_tokens: prompt.max_tokens,
            stream: !quirks.no_stream,
            system,
            messages: prompt.turns.iter().map(message).collect(),
        };
        // Strings and numbers always serialize.
        serde_json::to_string(&body).unwrap_or_default()
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::<Reader>::default()
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[SystemBlock<'a>; 1]>,
    messages: Vec<Value>,
}

#[derive(Serialize)]
struct SystemBlock<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant(text) => json!({"role": "assistant", "content": text}),
        Turn::Replay(content) => json!({"role": "assistant", "content": content}),
        Turn::ToolResults(results) => {
            let blocks = results.iter().map(|result| {
                json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.is_error})
            });
            json!({"role": "user", "content": blocks.collect::<Vec<_>>()})
        }
    }
}

/// Counts are running totals: a later one replaces, an absent one leaves what was known.
fn add_usage(tokens: &Value, usage: &mut Option<Usage>) {
    if tokens.is_null() {
        return;
    }
    let usage = usage.get_or_insert_default();
    let set = |total: &mut u64, name: &str| *total = tokens.get(name).and_then(Value::as_u64).unwrap_or(*total);
    set(&mut usage.input_tokens, "input_tokens");
    set(&mut usage.output_tokens, "output_tokens");
    set(&mut usage.cache_read_tokens, "cache_read_input_tokens");
    set(&mut usage.cache_write_tokens, "cache_creation_input_tokens");
}

/// Events carry everything they need: there is nothing to remember between them that the answer does not hold.
#[derive(Default)]
struct Reader;

impl AnswerReader for Reader {
    fn handle_event(&mut self, event: sse::Event<'_>, answer: &mut Answer) -> bool {
        let Some(data) = object(event.data) else { return false };
        // Some servers name the event and leave `type` out.
        let kind = data["type"].as_str().filter(|kind| !kind.is_empty()).unwrap_or(event.event);
        if !data["error"].is_null() || kind == "error" {
            answer.fail(Fault::Provider(ProviderError::parse(event.data).unwrap_or_default()));
            return true;
        }
        if data["message"].is_string() {
            // The bare fields of an error; a message that starts is an object.
            return false;
        }
        let index = index_of(&data["index"]);
        for usage in [&data["message"]["usage"], &data["usage"]] {
            add_usage(usage, &mut answer.usage);
        }
        open_block(index, &data["content_block"], answer);
        let delta = &data["delta"];
        answer.text.push_str(&text_of(&delta["text"]));
        answer.thinking.push_str(&text_of(&delta["thinking"]));
        answer.push_tool_input(index, &text_of(&delta["partial_json"]));
        stop(delta, answer);
        match kind {
            "content_block_stop" => answer.close_tool(index),
            "message_stop" => answer.ended = true,
            // Every other kind has said what it had to say above, or is one this version does not know.
            _ => {}
        }
        true
    }

    fn text_pointer(&mut self, event: &Value) -> Option<&'static str> {
        let is_text = event["type"] == "content_block_delta" && event["delta"]["type"] == "text_delta";
        (is_text && has_only(event, &["type", "index", "delta"]) && has_only(&event["delta"], &["type", "text"]))
            .then_some("/delta/text")
    }

    fn handle_text(&mut self, text: &str, answer: &mut Answer) {
        answer.text.push_str(text);
    }

    fn handle_document(&mut self, document: &str, answer: &mut Answer) -> bool {
        let Some(message) = object(document) else { return false };
        let Some(blocks) = message["content"].as_array() else { return false };
        for (index, block) in (0..).zip(blocks) {
            open_block(index, block, answer);
        }
        add_usage(&message["usage"], &mut answer.usage);
        stop(&message, answer);
        answer.ended = true;
        true
    }
}

fn open_block(index: u32, block: &Value, answer: &mut Answer) {
    match &*text_of(&block["type"]) {
        "text" => answer.text.push_str(&text_of(&block["text"])),
        "thinking" => answer.thinking.push_str(&text_of(&block["thinking"])),
        "tool_use" => {
            let input = block.get("input").filter(|input| !input.is_null()).cloned();
            answer.open_tool(index, &text_of(&block["id"]), &text_of(&block["name"]), input);
        }
        // Tools the provider runs itself, their results, redacted thinking: nothing to show and nothing to do.
        _ => {}
    }
}

/// Reads why the answer ended, where `ending` says so.
fn stop(ending: &Value, answer: &mut Answer) {
    let reason = match &*text_of(&ending["stop_reason"]) {
        "" => return,
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        "tool_use" => StopReason::ToolUse,
        "pause_turn" => StopReason::PauseTurn,
        _ => StopReason::Other,
    };
    answer.stop = Some(reason);
    answer.push_refusal(&text_of(&ending["stop_details"]["explanation"]));
}
