//! OpenAI's [Responses API](https://platform.openai.com/docs/api-reference/responses), spoken with OpenAI itself: it has a
//! search of its own, and thinking that can be given back.
//!
//! Nothing is stored there (`store: false`): what the model said goes back whole, its thinking encrypted.

use serde_json::{Value, json};

use super::decoder::ModelEvent;
use super::dialect::{
    Answer, AnswerReader, Dialect, Fault, REPLAY_BYTES, declared, fetch_url, index_of, object, text_of,
};
use super::failure::ProviderError;
use super::openai;
use super::request::{Prompt, Quirks, Tools, Turn};
use crate::wire::{StopReason, Usage};
use sidelight_stream::sse;

/// The dialect.
pub(super) struct Responses;

impl Dialect for Responses {
    fn headers(&self, key: &str) -> Vec<(&'static str, String)> {
        openai::bearer(key)
    }

    fn body(&self, model: &str, prompt: &Prompt, quirks: Quirks, _own_host: bool) -> String {
        let mut input = Vec::with_capacity(prompt.turns.len());
        for turn in &prompt.turns {
            match turn {
                Turn::User(text) => input.push(json!({"role": "user", "content": text})),
                Turn::Assistant(text) => input.push(json!({"role": "assistant", "content": text})),
                Turn::Replay(items) => input.extend(items.as_array().into_iter().flatten().cloned()),
                Turn::ToolResults(results) => input.extend(results.iter().map(
                    |result| json!({"type": "function_call_output", "call_id": result.id, "output": result.text}),
                )),
            }
        }
        let mut body = json!({
            "model": model,
            "input": input,
            "max_output_tokens": prompt.max_tokens,
            "store": false,
            "stream": !quirks.no_stream,
        });
        if !prompt.system.is_empty() {
            body["instructions"] = prompt.system.as_str().into();
        }
        let tools = tools(prompt.tools);
        if !tools.is_empty() {
            body["tools"] = tools.into();
        }
        let mut include = Vec::new();
        if prompt.tools.web_search {
            include.push("web_search_call.action.sources");
        }
        // Asking a model that does not think for its thinking costs a refusal first.
        if thinks(model) {
            if !quirks.no_encrypted_reasoning {
                include.push("reasoning.encrypted_content");
            }
            if !quirks.no_reasoning_summary {
                body["reasoning"] = json!({"summary": "auto"});
            }
        }
        if !include.is_empty() {
            body["include"] = include.into();
        }
        body.to_string()
    }

    fn tools(&self, _own_host: bool) -> Tools {
        Tools { web_search: true, fetch_url: true }
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::<Reader>::default()
    }
}

/// Whether a model's name is one of those that think. A wrong guess costs one refusal, or the summary.
fn thinks(model: &str) -> bool {
    let numbered =
        |prefix: &str, numbers: &[char]| model.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(numbers));
    numbered("gpt-", &['5', '6', '7', '8', '9']) || numbered("o", &['1', '2', '3', '4', '5', '6', '7', '8', '9'])
}

const WEB_SEARCH: &str = r#"{"type":"web_search"}"#;
const FETCH_URL: &str = concat!(r#"{"type":"function","#, fetch_url!("parameters"), "}");

fn tools(tools: Tools) -> Vec<Value> {
    declared(&[(tools.web_search, WEB_SEARCH), (tools.fetch_url, FETCH_URL)])
}

/// Keeps the items of the answer as they came, to be given back.
#[derive(Default)]
struct Reader {
    items: Vec<Value>,
    /// About what the items weigh. Beyond the bound no more is kept, and nothing goes back.
    bytes: usize,
    /// Calls of our tools so far.
    calls: u32,
    /// Whether the summary's last part is over, so that the next begins a paragraph.
    summary_break: bool,
}

impl AnswerReader for Reader {
    fn handle_event(&mut self, event: sse::Event<'_>, answer: &mut Answer) -> bool {
        if event.data.trim_end() == "[DONE]" {
            answer.ended = true;
            return true;
        }
        let Some(data) = object(event.data) else { return false };
        let kind = data["type"].as_str().filter(|kind| !kind.is_empty()).unwrap_or(event.event);
        let error = &data["error"];
        if kind == "error" || (!error.is_null() && data["response"].is_null()) {
            answer.fail(Fault::Provider(ProviderError::parse(event.data).unwrap_or_default()));
            return true;
        }
        let index = index_of(&data["output_index"]);
        match kind {
            "response.output_text.delta" => answer.text.push_str(&text_of(&data["delta"])),
            "response.refusal.delta" => answer.push_refusal(&text_of(&data["delta"])),
            "response.reasoning_summary_part.added" => self.summary_break = index_of(&data["summary_index"]) > 0,
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                if std::mem::take(&mut self.summary_break) {
                    answer.thinking.push_str("\n\n");
                }
                answer.thinking.push_str(&text_of(&data["delta"]));
            }
            "response.output_text.annotation.added" => answer.push_source(&data["annotation"]),
            "response.output_item.added" => self.open_item(index, &data["item"], answer),
            "response.function_call_arguments.delta" => answer.push_tool_input(index, &text_of(&data["delta"])),
            "response.output_item.done" => {
                self.bytes += event.data.len();
                self.close_item(index, &data["item"], answer);
            }
            "response.completed" | "response.incomplete" | "response.failed" => self.end(&data["response"], answer),
            // The beginnings and ends of parts, and what this version does not know. An object of no event at all is none
            // of this dialect's.
            _ => return kind.starts_with("response.") || !data["type"].is_null(),
        }
        true
    }

    fn handle_document(&mut self, document: &str, answer: &mut Answer) -> bool {
        let Some(response) = object(document) else { return false };
        let Some(items) = response["output"].as_array().filter(|_| response["error"].is_null()) else { return false };
        for (index, item) in (0..).zip(items) {
            self.open_item(index, item, answer);
            for part in item["content"].as_array().into_iter().flatten() {
                answer.text.push_str(&text_of(&part["text"]));
                answer.push_refusal(&text_of(&part["refusal"]));
                for annotation in part["annotations"].as_array().into_iter().flatten() {
                    answer.push_source(annotation);
                }
            }
            for part in item["summary"].as_array().into_iter().flatten() {
                answer.thinking.push_str(&text_of(&part["text"]));
            }
            self.close_item(index, item, answer);
        }
        self.end(&response, answer);
        true
    }

    fn replay(&mut self) -> Option<Value> {
        if self.bytes > REPLAY_BYTES {
            return None;
        }
        let mut items = std::mem::take(&mut self.items);
        // Thinking that is not encrypted is known to nobody: nothing was stored.
        items.retain(|item| item["type"] != "reasoning" || item["encrypted_content"].is_string());
        (!items.is_empty()).then(|| items.into())
    }
}

impl Reader {
    fn open_item(&mut self, index: u32, item: &Value, answer: &mut Answer) {
        if item["type"] == "function_call" {
            self.calls += 1;
            answer.open_tool(index, &text_of(&item["call_id"]), &text_of(&item["name"]), None);
        }
    }

    /// An item is complete, and says everything once more.
    fn close_item(&mut self, index: u32, item: &Value, answer: &mut Answer) {
        match &*text_of(&item["type"]) {
            "function_call" => answer.replace_tool_input(index, &text_of(&item["arguments"])),
            "web_search_call" => {
                let action = &item["action"];
                answer.found.push(ModelEvent::ServerTool { name: "web_search".to_owned(), input: action.clone() });
                for page in action["sources"].as_array().into_iter().flatten() {
                    answer.push_source(page);
                }
                // The address of a page that was opened.
                answer.push_source(action);
            }
            _ => {}
        }
        if self.bytes <= REPLAY_BYTES {
            self.items.push(item.clone());
        }
    }

    fn end(&mut self, response: &Value, answer: &mut Answer) {
        let tokens = &response["usage"];
        if !tokens.is_null() {
            answer.usage = Some(usage_of(tokens));
        }
        if !response["error"].is_null() {
            answer.fail(Fault::Provider(ProviderError::parse(&response.to_string()).unwrap_or_default()));
            return;
        }
        let reason = match &*text_of(&response["incomplete_details"]["reason"]) {
            "max_output_tokens" => StopReason::MaxTokens,
            "content_filter" => StopReason::ContentFilter,
            _ if !answer.refusal.is_empty() => StopReason::Refusal,
            "" if response["status"] == "incomplete" => StopReason::Other,
            "" if self.calls > 0 => StopReason::ToolUse,
            "" => StopReason::EndTurn,
            _ => StopReason::Other,
        };
        answer.stop = Some(reason);
        answer.ended = true;
    }
}

fn usage_of(tokens: &Value) -> Usage {
    let count = |path: &str| tokens.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let cached = count("/input_tokens_details/cached_tokens");
    Usage {
        input_tokens: count("/input_tokens").saturating_sub(cached),
        output_tokens: count("/output_tokens"),
        cache_read_tokens: cached,
        cache_write_tokens: 0,
    }
}
