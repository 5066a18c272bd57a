//! Anthropic's [Messages API](https://platform.claude.com/docs/en/api/messages-streaming), single turn.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dialect::{Answer, AnswerReader, Dialect, Fault, Text};
use super::failure::ProviderError;
use super::request::{Prompt, Quirks};
use crate::sse;
use crate::wire::{ChatMessage, StopReason, Usage};

/// The dialect.
pub(super) struct Messages;

impl Dialect for Messages {
    fn path(&self) -> &'static str {
        "/v1/messages"
    }

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
            messages: &prompt.messages,
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
    messages: &'a [ChatMessage],
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

/// One event's data: the fields of every kind of event, so that one pass reads any of them.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Data<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    index: u32,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    content_block: Option<Block<'a>>,
    message: Option<MessageStart>,
    usage: Option<Value>,
    error: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta<'a> {
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    thinking: Text<'a>,
    #[serde(borrow)]
    partial_json: Text<'a>,
    #[serde(borrow)]
    stop_reason: Text<'a>,
    #[serde(borrow)]
    stop_details: Option<StopDetails<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StopDetails<'a> {
    #[serde(borrow)]
    explanation: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    thinking: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    input: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MessageStart {
    usage: Option<Value>,
}

/// An answer that came as one document.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
    #[serde(default, borrow)]
    stop_reason: Text<'a>,
    #[serde(default, borrow)]
    stop_details: Option<StopDetails<'a>>,
    usage: Option<Value>,
}

/// Counts are running totals: a later one replaces, an absent one leaves what was known.
fn add_usage(tokens: &Value, usage: &mut Option<Usage>) {
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
        let Ok(data) = serde_json::from_str::<Data<'_>>(event.data) else { return false };
        // Some servers name the event and leave `type` out.
        let kind = if data.kind.is_empty() { event.event } else { &*data.kind };
        if data.error.is_some() || kind == "error" {
            answer.fail(Fault::Provider(ProviderError::parse(event.data).unwrap_or_default()));
            return true;
        }
        if let Some(usage) = data.usage.or(data.message.and_then(|message| message.usage)) {
            add_usage(&usage, &mut answer.usage);
        }
        if let Some(block) = data.content_block {
            open_block(data.index, block, answer);
        }
        if let Some(delta) = data.delta {
            answer.text.push_str(&delta.text);
            answer.thinking.push_str(&delta.thinking);
            if !delta.partial_json.is_empty() {
                answer.push_tool_input(data.index, &delta.partial_json);
            }
            stop(&delta.stop_reason, delta.stop_details.as_ref(), answer);
        }
        match kind {
            "content_block_stop" => answer.close_tool(data.index),
            "message_stop" => answer.ended = true,
            // Every other kind has said what it had to say above, or is one this version does not know.
            _ => {}
        }
        true
    }

    fn handle_document(&mut self, document: &str, answer: &mut Answer) -> bool {
        let Ok(message) = serde_json::from_str::<Message<'_>>(document) else { return false };
        for (index, block) in (0..).zip(message.content) {
            open_block(index, block, answer);
        }
        if let Some(usage) = message.usage {
            add_usage(&usage, &mut answer.usage);
        }
        stop(&message.stop_reason, message.stop_details.as_ref(), answer);
        answer.ended = true;
        true
    }
}

fn open_block(index: u32, block: Block<'_>, answer: &mut Answer) {
    match &*block.kind {
        "text" => answer.text.push_str(&block.text),
        "thinking" => answer.thinking.push_str(&block.thinking),
        "tool_use" => answer.open_tool(index, &block.id, &block.name, block.input),
        // Tools the provider runs itself, their results, redacted thinking: nothing to show and nothing to do.
        _ => {}
    }
}

fn stop(reason: &str, details: Option<&StopDetails<'_>>, answer: &mut Answer) {
    let reason = match reason {
        "" => return,
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        "tool_use" => StopReason::ToolUse,
        "pause_turn" => StopReason::PauseTurn,
        _ => StopReason::Other,
    };
    answer.stop = Some(reason);
    if let Some(details) = details {
        answer.push_refusal(&details.explanation);
    }
}
