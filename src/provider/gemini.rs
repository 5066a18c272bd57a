//! Google's [`generateContent`](https://ai.google.dev/api/generate-content), streamed.

use serde_json::{Map, Value, json};

use super::decoder::ModelEvent;
use super::dialect::{Answer, AnswerReader, Dialect, Fault, REPLAY_BYTES, declared, fetch_url, text_of};
use super::failure::ProviderError;
use super::request::{HttpRequest, Prompt, Quirks, ToolResult, Tools, Transport, Turn};
use crate::wire::{ErrorCode, ReadingError, StopReason, Usage};
use crate::words;
use sidelight_stream::sse;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// The dialect.
pub(super) struct GenerateContent;

impl Dialect for GenerateContent {
    fn headers(&self, key: &str) -> Vec<(&'static str, String)> {
        if key.is_empty() { Vec::new() } else { vec![("x-goog-api-key", key.to_owned())] }
    }

    fn body(&self, _model: &str, prompt: &Prompt, quirks: Quirks, _own_host: bool) -> String {
        let mut body = Map::new();
        let mut contents = Vec::with_capacity(prompt.turns.len() + 1);
        if !prompt.system.is_empty() {
            let instructions = json!({"role": "user", "parts": [{"text": prompt.system}]});
            if quirks.no_system_role {
                contents.push(instructions);
            } else {
                body.insert("systemInstruction".to_owned(), instructions);
            }
        }
        contents.extend(prompt.turns.iter().map(content));
        body.insert("contents".to_owned(), contents.into());
        let mut generation = json!({"maxOutputTokens": prompt.max_tokens});
        if !quirks.no_thinking {
            generation["thinkingConfig"] = json!({"includeThoughts": true});
        }
        body.insert("generationConfig".to_owned(), generation);
        offer(left(prompt.tools, quirks), &mut body);
        Value::Object(body).to_string()
    }

    fn tools(&self, _own_host: bool) -> Tools {
        Tools { web_search: true, fetch_url: true }
    }

    fn finish(&self, request: &mut HttpRequest, key: &str, quirks: Quirks) {
        if quirks.no_stream {
            request.url = request.url.replace(":streamGenerateContent?alt=sse", ":generateContent");
        }
        if let Transport::Page(_) = request.via {
            // A simple request: anything else would be preceded by a preflight, which the API does not answer.
            let mark = if request.url.contains('?') { '&' } else { '?' };
            request.url.push(mark);
            request.url.push_str("key=");
            request.url.extend(form_urlencoded::byte_serialize(key.as_bytes()));
            request.headers = vec![("content-type", "text/plain".to_owned())];
        }
    }

    fn reader(&self) -> Box<dyn AnswerReader> {
        Box::<Reader>::default()
    }
}

fn content(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "parts": [{"text": text}]}),
        Turn::Assistant(text) => json!({"role": "model", "parts": [{"text": text}]}),
        Turn::Replay(parts) => json!({"role": "model", "parts": parts}),
        Turn::ToolResults(results) => {
            json!({"role": "user", "parts": results.iter().map(function_response).collect::<Vec<_>>()})
        }
    }
}

fn function_response(result: &ToolResult) -> Value {
    let field = if result.is_error { "error" } else { "result" };
    let mut response = json!({"name": result.name, "response": {field: result.text}});
    // Only newer models number their calls.
    if !result.id.is_empty() {
        response["id"] = result.id.as_str().into();
    }
    json!({"functionResponse": response})
}

/// Of the tools wanted, those that no refusal took away. Where only one kind goes, the search is worth more.
fn left(wanted: Tools, quirks: Quirks) -> Tools {
    let allowed = quirks.tools();
    let web_search = wanted.web_search && allowed.web_search;
    let fetch_url = wanted.fetch_url && allowed.fetch_url && !(web_search && quirks.no_mixed_tools);
    Tools { web_search, fetch_url }
}

const FETCH_URL: &str = concat!(r#"{"functionDeclarations":[{"#, fetch_url!("parameters"), "}]}");

fn offer(tools: Tools, body: &mut Map<String, Value>) {
    let list = declared(&[(tools.fetch_url, FETCH_URL), (tools.web_search, r#"{"google_search":{}}"#)]);
    if tools.web_search && tools.fetch_url {
        // Models that take both kinds at once want this; the others refuse, and are offered one kind.
        body.insert("toolConfig".to_owned(), json!({"includeServerSideToolInvocations": true}));
    }
    if !list.is_empty() {
        body.insert("tools".to_owned(), list.into());
    }
}

#[derive(Default)]
struct Reader {
    /// Every part of the turn as it came, signatures of thoughts included: they go back unchanged.
    parts: Vec<Value>,
    bytes: usize,
    /// Calls so far.
    calls: u32,
    /// Whether there is a word of the answer.
    said: bool,
}

impl AnswerReader for Reader {
    fn handle_event(&mut self, event: sse::Event<'_>, answer: &mut Answer) -> bool {
        self.handle_json(event.data, answer)
    }

    /// The whole answer as one object, or, where nobody asked for events, all chunks in one list.
    fn handle_document(&mut self, document: &str, answer: &mut Answer) -> bool {
        self.handle_json(document, answer)
    }

    fn replay(&mut self) -> Option<Value> {
        Some(std::mem::take(&mut self.parts)).filter(|parts| !parts.is_empty()).map(Value::Array)
    }
}

impl Reader {
    fn handle_json(&mut self, json: &str, answer: &mut Answer) -> bool {
        self.bytes = self.bytes.saturating_add(json.len());
        if self.bytes > REPLAY_BYTES {
            answer.fail(Fault::Overflow);
            return true;
        }
        match serde_json::from_str(json) {
            Ok(Value::Array(chunks)) if chunks.iter().all(Value::is_object) => {
                chunks.into_iter().all(|chunk| self.handle_chunk(chunk, answer))
            }
            Ok(chunk @ Value::Object(_)) => self.handle_chunk(chunk, answer),
            Ok(_) | Err(_) => false,
        }
    }

    /// False for an object that is no chunk of an answer.
    fn handle_chunk(&mut self, mut chunk: Value, answer: &mut Answer) -> bool {
        if !chunk["error"].is_null() {
            answer.fail(Fault::Provider(ProviderError::from_value(&chunk).unwrap_or_default()));
            return true;
        }
        let feedback = &chunk["promptFeedback"];
        let known = [&chunk["candidates"], &chunk["usageMetadata"], feedback].iter().any(|field| !field.is_null());
        let tokens = &chunk["usageMetadata"];
        let thoughts = count(tokens, "thoughtsTokenCount");
        if !tokens.is_null() {
            answer.usage = Some(usage_of(tokens));
        }
        let block = text_of(&feedback["blockReason"]);
        if !block.is_empty() {
            let words = text_of(&feedback["blockReasonMessage"]);
            answer.push_refusal(if words.is_empty() { &block } else { &words });
            answer.stop = Some(StopReason::ContentFilter);
        }
        let mut candidate = chunk.pointer_mut("/candidates/0").map(Value::take).unwrap_or_default();
        if let Some(Value::Array(parts)) = candidate.pointer_mut("/content/parts").map(Value::take) {
            for part in parts {
                self.handle_part(part, answer);
            }
        }
        for found in candidate["groundingMetadata"]["groundingChunks"].as_array().into_iter().flatten() {
            answer.push_source(&json!({"url": found["web"]["uri"], "title": found["web"]["title"]}));
        }
        self.handle_finish(&candidate, thoughts, answer);
        known
    }

    fn handle_part(&mut self, part: Value, answer: &mut Answer) {
        let text = text_of(&part["text"]);
        if part["thought"] == true {
            answer.thinking.push_str(&text);
        } else {
            self.said |= !text.is_empty();
            answer.text.push_str(&text);
        }
        let call = &part["functionCall"];
        if call.is_object() {
            self.calls += 1;
            let input = call.get("args").filter(|args| args.is_object()).cloned();
            answer.open_tool(self.calls, &text_of(&call["id"]), &text_of(&call["name"]), input);
            answer.close_tool(self.calls);
        }
        // The API refuses a part that says nothing.
        if part.as_object().is_some_and(|part| part.len() > 1 || !text.is_empty() || !part.contains_key("text")) {
            self.parts.push(part);
        }
    }

    fn handle_finish(&mut self, candidate: &Value, thoughts: u64, answer: &mut Answer) {
        let reason = text_of(&candidate["finishReason"]);
        answer.stop = Some(match &*reason {
            "" | "FINISH_REASON_UNSPECIFIED" => return,
            "STOP" if self.calls > 0 => StopReason::ToolUse,
            "STOP" => StopReason::EndTurn,
            "MAX_TOKENS" => {
                if !self.said && thoughts > 0 {
                    // It thought, though it kept that to itself.
                    answer.events.push(ModelEvent::Thinking(String::new()));
                }
                StopReason::MaxTokens
            }
            "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
                StopReason::ContentFilter
            }
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" | "MALFORMED_RESPONSE" => {
                let message = words::say("error_tool_call", &[]);
                answer.fail(Fault::Known(ReadingError::retryable(ErrorCode::Truncated, message)));
                return;
            }
            _ => StopReason::Other,
        });
    }
}

fn count(tokens: &Value, name: &str) -> u64 {
    tokens[name].as_u64().unwrap_or(0)
}

fn usage_of(tokens: &Value) -> Usage {
    let count = |name| count(tokens, name);
    let cached = count("cachedContentTokenCount");
    let read = count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount"));
    Usage {
        input_tokens: read.saturating_sub(cached),
        output_tokens: count("candidatesTokenCount").saturating_add(count("thoughtsTokenCount")),
        cache_read_tokens: cached,
        cache_write_tokens: 0,
    }
}
