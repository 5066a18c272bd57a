//! Anthropic's [Messages API](https://platform.claude.com/docs/en/api/messages-streaming): its tools, and what has to
//! go back to it unchanged.

use serde::Serialize;
use serde_json::{Value, json};

use super::decoder::ModelEvent;
use super::dialect::{
    Answer, AnswerReader, Dialect, Fault, REPLAY_BYTES, declared, fetch_url, has_only, index_of, object, text_of,
};
use super::failure::ProviderError;
use super::request::{Prompt, Quirks, Tools, Turn};
use crate::wire::{StopReason, Usage};
use sidelight_stream::sse;

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
        let mut messages: Vec<Value> = Vec::with_capacity(prompt.turns.len());
        for turn in &prompt.turns {
            push_turn(turn, &mut messages);
        }
        if !quirks.no_cache_control && matches!(prompt.turns.last(), Some(Turn::ToolResults(_))) {
            // The loop asks again and again: what was said so far is read from the cache the next time.
            let last = messages.last_mut().and_then(|message| message["content"].as_array_mut()?.last_mut());
            if let Some(block) = last {
                block["cache_control"] = json!({"type": "ephemeral"});
            }
        }
        let stream = !quirks.no_stream;
        let body = Body { model, max_tokens: prompt.max_tokens, stream, system, messages, tools: tools(prompt.tools) };
        // Strings and numbers always serialize.
        serde_json::to_string(&body).unwrap_or_default()
    }

    /// A compatible server has no search of its own.
    fn tools(&self, own_host: bool) -> Tools {
        Tools { web_search: own_host, fetch_url: true }
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
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

/// The provider's search, and the most searches of one request.
const WEB_SEARCH: &str = r#"{"type":"web_search_20250305","name":"web_search","max_uses":8}"#;
const FETCH_URL: &str = concat!("{", fetch_url!("input_schema"), "}");

fn tools(tools: Tools) -> Vec<Value> {
    declared(&[(tools.web_search, WEB_SEARCH), (tools.fetch_url, FETCH_URL)])
}

fn push_turn(turn: &Turn, messages: &mut Vec<Value>) {
    let message = match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant(text) => json!({"role": "assistant", "content": text}),
        Turn::Replay(content) => {
            // A turn that paused and went on is one turn.
            let paused = messages.last_mut().filter(|last| last["role"] == "assistant");
            let paused = paused.and_then(|last| last["content"].as_array_mut());
            if let (Some(blocks), Some(more)) = (paused, content.as_array()) {
                blocks.extend_from_slice(more);
                return;
            }
            json!({"role": "assistant", "content": content})
        }
        Turn::ToolResults(results) => {
            let blocks = results.iter().map(|result| {
                json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text, "is_error": result.is_error})
            });
            json!({"role": "user", "content": blocks.collect::<Vec<_>>()})
        }
    };
    messages.push(message);
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

/// Keeps the blocks of the answer as they came, to be given back.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    /// About what the blocks weigh. Beyond the bound no more is kept, and nothing goes back.
    bytes: usize,
}

/// A content block, put together from its deltas.
#[derive(Default)]
struct Block {
    index: u32,
    /// As it began.
    start: Value,
    text: String,
    thinking: String,
    signature: String,
    citations: Vec<Value>,
    json: String,
}

impl Block {
    /// The whole block; `None` for one that must not be given back.
    fn finish(self) -> Option<Value> {
        let mut block = self.start;
        match &*text_of(&block["type"]).into_owned() {
            "text" => {
                let text = text_of(&block["text"]).into_owned() + &self.text;
                // The API refuses an empty text block.
                if text.trim().is_empty() {
                    return None;
                }
                block["text"] = text.into();
                if !self.citations.is_empty() {
                    block["citations"] = self.citations.into();
                }
            }
            "thinking" => {
                let signature = text_of(&block["signature"]).into_owned() + &self.signature;
                // Unsigned, it was cut off: the API takes it for forged.
                if signature.is_empty() {
                    return None;
                }
                block["thinking"] = (text_of(&block["thinking"]).into_owned() + &self.thinking).into();
                block["signature"] = signature.into();
            }
            _ if !self.json.trim().is_empty() => {
                // A call that is no JSON gets an error for a result; given back it still has to be an object.
                block["input"] = serde_json::from_str(&self.json).unwrap_or_else(|_| json!({}));
            }
            _ => {}
        }
        Some(block)
    }
}

impl Reader {
    fn open_block(&mut self, index: u32, block: &Value, answer: &mut Answer) {
        match &*text_of(&block["type"]) {
            "text" => {
                answer.text.push_str(&text_of(&block["text"]));
                for citation in block["citations"].as_array().into_iter().flatten() {
                    answer.push_source(citation);
                }
            }
            "thinking" => answer.thinking.push_str(&text_of(&block["thinking"])),
            "tool_use" => {
                let input = block.get("input").filter(|input| !input.is_null()).cloned();
                answer.open_tool(index, &text_of(&block["id"]), &text_of(&block["name"]), input);
            }
            // What tools of the provider brought: pages found by a search, or one that was fetched.
            "web_search_tool_result" => {
                for page in block["content"].as_array().into_iter().flatten() {
                    answer.push_source(page);
                }
            }
            "web_fetch_tool_result" => {
                let page = &block["content"];
                answer.push_source(&json!({"url": page["url"], "title": page["content"]["title"]}));
            }
            // Other tools the provider runs itself, redacted thinking: nothing to show and nothing to do.
            _ => {}
        }
        if self.bytes <= REPLAY_BYTES {
            self.blocks.push(Block { index, start: block.clone(), ..Block::default() });
        }
    }

    /// Adds a piece to an open block.
    fn push_delta(&mut self, index: u32, delta: &Value, answer: &mut Answer) {
        let text = text_of(&delta["text"]);
        let thinking = text_of(&delta["thinking"]);
        let json = text_of(&delta["partial_json"]);
        answer.text.push_str(&text);
        answer.thinking.push_str(&thinking);
        answer.push_tool_input(index, &json);
        let citation = &delta["citation"];
        answer.push_source(citation);
        self.bytes += text.len() + thinking.len() + json.len();
        if self.bytes > REPLAY_BYTES {
            return;
        }
        let Some(block) = self.blocks.iter_mut().rfind(|block| block.index == index) else { return };
        block.text.push_str(&text);
        block.thinking.push_str(&thinking);
        block.json.push_str(&json);
        block.signature.push_str(&text_of(&delta["signature"]));
        if !citation.is_null() {
            block.citations.push(citation.clone());
        }
    }

    /// Says which tool of the provider's is at work, once its input is there.
    fn close_block(&self, index: u32, answer: &mut Answer) {
        answer.close_tool(index);
        let Some(block) = self.blocks.iter().rfind(|block| block.index == index) else { return };
        if block.start["type"] == "server_tool_use" {
            let name = text_of(&block.start["name"]).into_owned();
            let input = serde_json::from_str(&block.json).unwrap_or_else(|_| block.start["input"].clone());
            answer.found.push(ModelEvent::ServerTool { name, input });
        }
    }
}

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
        let block = &data["content_block"];
        if !block.is_null() {
            self.bytes += event.data.len();
            self.open_block(index, block, answer);
        }
        let delta = &data["delta"];
        self.push_delta(index, delta, answer);
        stop(delta, answer);
        match kind {
            "content_block_stop" => self.close_block(index, answer),
            "message_stop" => answer.ended = true,
            // Every other kind has said what it had to say above, or is one this version does not know.
            _ => {}
        }
        true
    }

    fn text_pointer(&self, event: &Value) -> Option<(&'static str, u32)> {
        let is_text = event["type"] == "content_block_delta" && event["delta"]["type"] == "text_delta";
        (is_text && has_only(event, &["type", "index", "delta"]) && has_only(&event["delta"], &["type", "text"]))
            .then(|| ("/delta/text", index_of(&event["index"])))
    }

    fn handle_text(&mut self, block: u32, text: &str, answer: &mut Answer) {
        self.bytes += text.len();
        if self.bytes > REPLAY_BYTES {
            return answer.fail(Fault::Overflow);
        }
        answer.text.push_str(text);
        if let Some(block) = self.blocks.iter_mut().rfind(|open| open.index == block) {
            block.text.push_str(text);
        }
    }

    fn handle_document(&mut self, document: &str, answer: &mut Answer) -> bool {
        let Some(message) = object(document) else { return false };
        let Some(blocks) = message["content"].as_array() else { return false };
        for (index, block) in (0..).zip(blocks) {
            self.open_block(index, block, answer);
        }
        add_usage(&message["usage"], &mut answer.usage);
        stop(&message, answer);
        answer.ended = true;
        true
    }

    fn replay(&mut self) -> Option<Value> {
        if self.bytes > REPLAY_BYTES {
            return None;
        }
        let blocks: Vec<Value> = std::mem::take(&mut self.blocks).into_iter().filter_map(Block::finish).collect();
        (!blocks.is_empty()).then(|| blocks.into())
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
