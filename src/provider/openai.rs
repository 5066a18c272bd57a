//! OpenAI's [chat completions](https://platform.openai.com/docs/api-reference/chat-streaming), and the many servers that
//! speak them more or less.

use serde::Serialize;
use serde_json::{Value, json};

use super::dialect::{
    Answer, AnswerReader, Dialect, Fault, REPLAY_BYTES, declared, fetch_url, has_only, index_of, object, text_of,
};
use super::failure::ProviderError;
use super::request::{Prompt, Quirks, Tools, Turn};
use super::think_block::ThinkBlock;
use crate::wire::{StopReason, Usage};
use sidelight_stream::sse;

/// The dialect.
pub(super) struct ChatCompletions;

impl Dialect for ChatCompletions {
    fn headers(&self, key: &str) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, model: &str, prompt: &Prompt, quirks: Quirks, _own_host: bool) -> String {
        let mut system = prompt.system.as_str();
        let mut messages = Vec::with_capacity(prompt.turns.len() + 1);
        if !quirks.no_system_role && !system.is_empty() {
            messages.push(json!({"role": "system", "content": system}));
            system = "";
        }
        for turn in &prompt.turns {
            match turn {
                Turn::User(text) if !system.is_empty() => {
                    messages.push(json!({"role": "user", "content": format!("{system}\n\n{text}")}));
                    system = "";
                }
                Turn::User(text) => messages.push(json!({"role": "user", "content": text})),
                Turn::Assistant(text) => messages.push(json!({"role": "assistant", "content": text})),
                Turn::Replay(message) => messages.push(message.clone()),
                Turn::ToolResults(results) => messages.extend(
                    results
                        .iter()
                        .map(|result| json!({"role": "tool", "tool_call_id": result.id, "content": result.text})),
                ),
            }
        }
        // Most servers do not know the new name; a few want it.
        let new_name = quirks.other_token_limit;
        let stream = !quirks.no_stream;
        let body = Body {
            model,
            messages,
            stream,
            stream_options: (stream && !quirks.no_stream_options).then_some(StreamOptions { include_usage: true }),
            max_tokens: (!new_name).then_some(prompt.max_tokens),
            max_completion_tokens: new_name.then_some(prompt.max_tokens),
            tools: declared(&[(prompt.tools.fetch_url, FETCH_URL)]),
        };
        // Strings and numbers always serialize.
        serde_json::to_string(&body).unwrap_or_default()
    }

    /// None of these servers has a search that is asked for in the same way as another's.
    fn tools(&self, _own_host: bool) -> Tools {
        Tools { web_search: false, fetch_url: true }
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::<Reader>::default()
    }
}

/// The header that holds the key.
pub(super) fn bearer(key: &str) -> Vec<(&'static str, String)> {
    if key.is_empty() { Vec::new() } else { vec![("authorization", format!("Bearer {key}"))] }
}

const FETCH_URL: &str = concat!(r#"{"type":"function","function":{"#, fetch_url!("parameters"), "}}");

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Value>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

fn usage_of(tokens: &Value) -> Usage {
    let count = |path: &str| tokens.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let (prompt, completion) = (count("/prompt_tokens"), count("/completion_tokens"));
    let cached = count("/prompt_tokens_details/cached_tokens");
    let thinking = count("/completion_tokens_details/reasoning_tokens");
    // xAI counts thinking beside the completion, everybody else as part of it; the total tells.
    let beside = prompt.saturating_add(completion).saturating_add(thinking) == count("/total_tokens");
    Usage {
        input_tokens: prompt.saturating_sub(cached),
        output_tokens: if beside { completion.saturating_add(thinking) } else { completion },
        cache_read_tokens: cached,
        cache_write_tokens: 0,
    }
}

#[derive(Default)]
struct Reader {
    /// Whether the answer has begun.
    said: bool,
    think_block: ThinkBlock,
    /// Tool calls so far. Servers number them by `index`, leave the index out, or give every call the same one; a new id
    /// always opens a new call.
    calls: u32,
    /// The `index` and id the open call was announced with.
    open: Option<(u32, String)>,
    /// What goes back: the answer, the thinking where it came in a field of its own, and the calls.
    content: String,
    reasoning_content: String,
    /// OpenRouter's own form of it, with the signatures of the provider behind it.
    reasoning_details: Vec<Value>,
    tool_calls: Vec<ReplayedCall>,
    /// What content and thinking weigh. Beyond the bound no more is kept, and nothing goes back.
    bytes: usize,
}

/// A call as it was made.
struct ReplayedCall {
    id: String,
    name: String,
    arguments: String,
}

impl AnswerReader for Reader {
    fn handle_event(&mut self, event: sse::Event<'_>, answer: &mut Answer) -> bool {
        if event.data.trim_end() == "[DONE]" {
            self.think_block.finish(&mut answer.thinking, &mut answer.text);
            answer.ended = true;
            return true;
        }
        let Some(chunk) = object(event.data) else { return false };
        if !chunk["error"].is_null() || event.event == "error" {
            answer.fail(Fault::Provider(ProviderError::parse(event.data).unwrap_or_default()));
        } else if chunk["choices"].is_null() && chunk["usage"].is_null() {
            // Neither words nor an end: some servers write the bare fields of an error.
            if let Some(error) = ProviderError::parse(event.data) {
                answer.fail(Fault::Provider(error));
            }
        } else {
            self.handle_answer(&chunk, answer);
        }
        true
    }

    fn text_pointer(&self, event: &Value) -> Option<(&'static str, u32)> {
        let choice = &event["choices"][0];
        let is_text = event["error"].is_null() && event["usage"].is_null() && choice["finish_reason"].is_null();
        (is_text && has_only(&choice["delta"], &["content", "role"])).then_some(("/choices/0/delta/content", 0))
    }

    fn handle_text(&mut self, _block: u32, text: &str, answer: &mut Answer) {
        self.handle_content(text, answer);
    }

    fn handle_document(&mut self, document: &str, answer: &mut Answer) -> bool {
        let Some(chunk) = object(document) else { return false };
        if !chunk["error"].is_null() || !chunk["choices"][0].is_object() {
            return false;
        }
        self.handle_answer(&chunk, answer);
        answer.ended = true;
        true
    }

    fn replay(&mut self) -> Option<Value> {
        if self.tool_calls.is_empty() || self.bytes > REPLAY_BYTES {
            return None;
        }
        let calls = std::mem::take(&mut self.tool_calls).into_iter().map(|call| {
            // Servers that read the arguments of earlier calls fail on what is no JSON.
            let is_json = serde_json::from_str::<Value>(&call.arguments).is_ok();
            let arguments = if is_json { call.arguments } else { "{}".to_owned() };
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
        });
        let calls: Vec<Value> = calls.collect();
        let content = std::mem::take(&mut self.content);
        let content = if content.trim().is_empty() { Value::Null } else { content.into() };
        let mut message = json!({"role": "assistant", "content": content, "tool_calls": calls});
        if !self.reasoning_content.is_empty() {
            // DeepSeek refuses a turn of the same run that comes back without it.
            message["reasoning_content"] = std::mem::take(&mut self.reasoning_content).into();
        }
        if !self.reasoning_details.is_empty() {
            message["reasoning_details"] = std::mem::take(&mut self.reasoning_details).into();
        }
        Some(message)
    }
}

/// Adds a piece of a list of reasoning. A text that streams comes as pieces of one index; what is encrypted comes whole.
fn keep_detail(kept: &mut Vec<Value>, piece: &Value, bytes: &mut usize) {
    *bytes += piece.to_string().len();
    if *bytes > REPLAY_BYTES {
        return;
    }
    let goes_on = |last: &&mut Value| {
        last["type"] == piece["type"] && last["index"] == piece["index"] && piece["type"] != "reasoning.encrypted"
    };
    let (Some(last), Some(fields)) =
        (kept.last_mut().filter(goes_on).and_then(Value::as_object_mut), piece.as_object())
    else {
        kept.push(piece.clone());
        return;
    };
    for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more)) if matches!(name.as_str(), "text" | "summary") => {
                text.push_str(more);
            }
            _ => drop(last.insert(name.clone(), value.clone())),
        }
    }
}

/// Adds to what goes back, as long as that is bounded.
fn keep(kept: &mut String, piece: &str, bytes: &mut usize) {
    *bytes += piece.len();
    if *bytes <= REPLAY_BYTES {
        kept.push_str(piece);
    }
}

impl Reader {
    /// Takes a chunk of the stream, or the whole answer: they differ in `delta` and `message` only.
    fn handle_answer(&mut self, chunk: &Value, answer: &mut Answer) {
        let tokens = &chunk["usage"];
        if !tokens.is_null() {
            answer.usage = Some(usage_of(tokens));
        }
        let choice = &chunk["choices"][0];
        if !choice["delta"].is_null() {
            self.handle_delta(&choice["delta"], answer);
        } else if !self.said {
            // In an answer that is not a stream, and in the last chunk of some that are, which repeats everything.
            self.handle_delta(&choice["message"], answer);
        }
        let finish_reason = text_of(&choice["finish_reason"]);
        if !finish_reason.is_empty() {
            self.think_block.finish(&mut answer.thinking, &mut answer.text);
        }
        let reason = match &*finish_reason {
            "" => return,
            _ if !answer.refusal.is_empty() => StopReason::Refusal,
            // Several servers say `stop` when they mean a call.
            "stop" | "tool_calls" | "function_call" if self.calls > 0 => StopReason::ToolUse,
            "stop" | "stop_sequence" | "end_turn" | "eos" => StopReason::EndTurn,
            "length" | "max_tokens" => StopReason::MaxTokens,
            "content_filter" => StopReason::ContentFilter,
            "tool_calls" | "function_call" => StopReason::ToolUse,
            _ => StopReason::Other,
        };
        answer.stop = Some(reason);
    }

    fn handle_content(&mut self, content: &str, answer: &mut Answer) {
        self.said |= !content.is_empty();
        let before = answer.text.len();
        self.think_block.push(content, &mut answer.thinking, &mut answer.text);
        keep(&mut self.content, &answer.text[before..], &mut self.bytes);
    }

    fn handle_delta(&mut self, delta: &Value, answer: &mut Answer) {
        let content = text_of(&delta["content"]);
        let calls = delta["tool_calls"].as_array();
        self.said |= calls.is_some();
        self.handle_content(&content, answer);
        // DeepSeek's name for thinking, also llama.cpp's and xAI's; then OpenRouter's, Ollama's and Groq's. Some servers
        // send both.
        let thinking = text_of(&delta["reasoning_content"]);
        keep(&mut self.reasoning_content, &thinking, &mut self.bytes);
        for piece in delta["reasoning_details"].as_array().into_iter().flatten() {
            keep_detail(&mut self.reasoning_details, piece, &mut self.bytes);
        }
        let thinking = if thinking.is_empty() { text_of(&delta["reasoning"]) } else { thinking };
        answer.thinking.push_str(&thinking);
        answer.push_refusal(&text_of(&delta["refusal"]));
        for call in calls.into_iter().flatten() {
            self.handle_tool_call(call, answer);
        }
    }

    fn handle_tool_call(&mut self, call: &Value, answer: &mut Answer) {
        let index = index_of(&call["index"]);
        let id = text_of(&call["id"]);
        let same = self.open.as_ref().is_some_and(|(open_index, open_id)| {
            *open_index == index && (id.is_empty() || open_id.is_empty() || *open_id == id)
        });
        let function = &call["function"];
        if !same {
            self.calls += 1;
            // A result needs a name for its call, so one is made up where the server gave none.
            let name = text_of(&function["name"]).into_owned();
            let own_id = if id.is_empty() { format!("call_{}", self.calls) } else { id.clone().into_owned() };
            answer.open_tool(self.calls, &own_id, &name, None);
            self.tool_calls.push(ReplayedCall { id: own_id, name, arguments: String::new() });
            self.open = Some((index, id.into_owned()));
        }
        let arguments = text_of(&function["arguments"]);
        if let Some(call) = self.tool_calls.last_mut() {
            call.arguments.push_str(&arguments);
        }
        answer.push_tool_input(self.calls, &arguments);
    }
}
