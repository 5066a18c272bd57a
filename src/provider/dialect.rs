//! What a dialect must know: how to ask, and how to read the answer.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::decoder::ModelEvent;
use super::failure::ProviderError;
use super::request::{HttpRequest, Prompt, Quirks, Tools};
use super::{anthropic, builtin, gemini, openai, openai_responses};
use crate::wire::{ProviderId, ReadingError, Source, StopReason, Usage};
use sidelight_stream::sse::Event;

/// A provider's protocol. It holds no state; [`Dialect::reader`] makes that, for one answer.
pub(super) trait Dialect: Sync {
    /// Headers besides the content type. An empty key is not sent.
    fn headers(&self, key: &str) -> Vec<(&'static str, String)>;
    /// The request body, as JSON. `own_host` says whether it goes to the provider itself.
    fn body(&self, model: &str, prompt: &Prompt, quirks: Quirks, own_host: bool) -> String;
    /// Last changes to a request, where address or headers depend on more than the model and the key.
    fn finish(&self, _request: &mut HttpRequest, _key: &str, _quirks: Quirks) {}
    /// The tools it has words for. `own_host` says whether the provider itself is asked, or a server compatible with it.
    fn tools(&self, _own_host: bool) -> Tools {
        Tools::default()
    }
    /// Reads one answer.
    fn reader(&self) -> Box<dyn AnswerReader>;
}

/// What is spoken with a provider, or with a server compatible with it; `None` for one that sends nothing. Apart from the
/// table, since the table is also read where nobody speaks to providers.
pub(super) fn dialect(id: ProviderId, own_host: bool) -> Option<&'static dyn Dialect> {
    match id {
        ProviderId::Anthropic => Some(&anthropic::Messages),
        ProviderId::Openai if own_host => Some(&openai_responses::Responses),
        ProviderId::Openai => Some(&openai::ChatCompletions),
        ProviderId::Gemini => Some(&gemini::GenerateContent),
        ProviderId::Builtin => Some(&builtin::PromptApi),
        ProviderId::Rules => None,
    }
}

/// Reads one answer, event by event, into an [`Answer`].
pub(super) trait AnswerReader {
    /// Takes an event of the stream. False when its data is not of this dialect.
    fn handle_event(&mut self, event: Event<'_>, answer: &mut Answer) -> bool;
    /// Where the text stands in an event that says nothing else, as a JSON pointer, and the block it belongs to.
    /// [`handle_text`](Self::handle_text) may then take events that differ from this one in that text alone.
    fn text_pointer(&self, _event: &Value) -> Option<(&'static str, u32)> {
        None
    }
    /// Takes the text of such an event; `block` as [`text_pointer`](Self::text_pointer) named it.
    fn handle_text(&mut self, _block: u32, _text: &str, _answer: &mut Answer) {}
    /// Takes an answer that came as one JSON document. False when it is no answer of this dialect.
    fn handle_document(&mut self, document: &str, answer: &mut Answer) -> bool;
    /// The whole turn as the provider wants it back, once the answer is through. `None` where the dialect can't go on.
    fn replay(&mut self) -> Option<Value> {
        None
    }
}

/// The most bytes of one answer kept to be given back. A larger one is shown like any other, but no tool goes on from it.
pub(super) const REPLAY_BYTES: usize = 4 << 20;

/// The most bytes of tool input held at once.
const TOOL_INPUT_BYTES: usize = 1 << 20;
/// The most tool calls open at once.
const OPEN_TOOLS: usize = 64;
/// The most bytes of a refusal's explanation.
const REFUSAL_BYTES: usize = 2_000;

/// What a reader found. Text gathers until the chunk is through, so that one chunk makes one delta.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) thinking: String,
    /// What tools of the provider did and brought; it comes out ahead of the text that rests on it.
    pub(super) found: Vec<ModelEvent>,
    pub(super) events: Vec<ModelEvent>,
    pub(super) usage: Option<Usage>,
    /// Why the model declined, in its or the provider's words.
    pub(super) refusal: String,
    /// Why the answer ended, as soon as that is known. From then on nothing that goes wrong can undo it.
    pub(super) stop: Option<StopReason>,
    /// The end marker has come.
    pub(super) ended: bool,
    pub(super) fault: Option<Fault>,
    tools: Vec<OpenTool>,
    tool_bytes: usize,
}

/// What went wrong while an answer was read.
pub(super) enum Fault {
    /// The provider said so.
    Provider(ProviderError),
    /// A part of the answer could not be read. Reading goes on, so that the reader sees the rest of it.
    Damaged,
    /// A bound was reached.
    Overflow,
    /// The response is not of this protocol; these are its first words.
    Foreign(String),
    /// The dialect itself has the words for it.
    Known(ReadingError),
}

/// A tool call whose input is still arriving.
struct OpenTool {
    index: u32,
    id: String,
    name: String,
    json: String,
    input: Option<Value>,
}

impl Answer {
    /// Notes that something went wrong. The first report of an unfinished answer counts, but for damage, which a reason
    /// explains.
    pub(super) fn fail(&mut self, fault: Fault) {
        if self.stop.is_none() && matches!(self.fault, None | Some(Fault::Damaged)) {
            self.fault = Some(fault);
        }
    }

    /// Whether reading on is of no use.
    pub(super) fn is_over(&self) -> bool {
        self.ended || self.fault.as_ref().is_some_and(|fault| !matches!(fault, Fault::Damaged))
    }

    /// Opens a tool call. `input` is what came with it; pieces of JSON that follow replace it.
    pub(super) fn open_tool(&mut self, index: u32, id: &str, name: &str, input: Option<Value>) {
        if self.tools.len() == OPEN_TOOLS {
            self.fail(Fault::Overflow);
            return;
        }
        self.tools.push(OpenTool { index, id: id.to_owned(), name: name.to_owned(), json: String::new(), input });
    }

    /// Adds a piece of JSON to the input of an open call. Pieces for other blocks are no business of ours.
    pub(super) fn push_tool_input(&mut self, index: u32, piece: &str) {
        let Some(tool) = self.tools.iter_mut().rev().find(|tool| tool.index == index) else { return };
        self.tool_bytes += piece.len();
        if self.tool_bytes > TOOL_INPUT_BYTES {
            self.fail(Fault::Overflow);
        } else {
            tool.json.push_str(piece);
        }
    }

    /// Closes the open call of this index with its whole input, whatever pieces came of it.
    pub(super) fn replace_tool_input(&mut self, index: u32, json: &str) {
        if let Some(tool) = self.tools.iter_mut().rev().find(|tool| tool.index == index) {
            self.tool_bytes -= tool.json.len().min(self.tool_bytes);
            tool.json.clear();
        }
        self.push_tool_input(index, json);
        self.close_tool(index);
    }

    /// Closes the call of this index, if one is open.
    pub(super) fn close_tool(&mut self, index: u32) {
        if let Some(at) = self.tools.iter().position(|tool| tool.index == index) {
            let tool = self.tools.remove(at);
            self.finish_tool(tool);
        }
    }

    /// Closes every call.
    pub(super) fn close_tools(&mut self) {
        for tool in std::mem::take(&mut self.tools) {
            self.finish_tool(tool);
        }
    }

    /// Notes a page the provider brought. Bounded, as everything that gathers for one chunk, by what a chunk can hold.
    pub(super) fn push_source(&mut self, page: &Value) {
        let url = text_of(&page["url"]);
        if url.is_empty() {
            return;
        }
        let source = Source { url: url.into_owned(), title: text_of(&page["title"]).into_owned() };
        match self.found.last_mut() {
            Some(ModelEvent::Sources(sources)) => sources.push(source),
            _ => self.found.push(ModelEvent::Sources(vec![source])),
        }
    }

    /// Adds to the explanation of a refusal, up to its bound.
    pub(super) fn push_refusal(&mut self, piece: &str) {
        let room = REFUSAL_BYTES.saturating_sub(self.refusal.len());
        self.refusal.push_str(&piece[..piece.floor_char_boundary(room)]);
    }

    fn finish_tool(&mut self, tool: OpenTool) {
        self.tool_bytes -= tool.json.len().min(self.tool_bytes);
        let input = if tool.json.trim().is_empty() {
            // A tool without parameters: no piece came, or only empty ones.
            Ok(tool.input.unwrap_or_else(|| Value::Object(Map::new())))
        } else {
            serde_json::from_str(&tool.json)
        };
        match input {
            Ok(input) => self.events.push(ModelEvent::ToolUse { id: tool.id, name: tool.name, input }),
            // Cut off with the answer itself, which the stop reason says already.
            Err(_) if self.stop == Some(StopReason::MaxTokens) => {}
            // The tool says what is wrong with it, and the model may try again.
            Err(_) => self.events.push(ModelEvent::ToolUse { id: tool.id, name: tool.name, input: Value::Null }),
        }
    }
}

/// What models are told of our tool. Declarations of tools are JSON as it stands: building them costs more of the module.
macro_rules! fetch_url {
    ($parameters:literal) => {
        concat!(
            r#""name":"fetch_url","description":"Reads one web page as plain text. Only addresses that stand on the reader's page, in the reader's messages, in search results or on pages fetched before can be fetched.",""#,
            $parameters,
            r#"":{"type":"object","properties":{"url":{"type":"string","description":"An http or https address, copied exactly."}},"required":["url"]}"#
        )
    };
}
pub(super) use fetch_url;

/// Declarations of tools out of their JSON.
pub(super) fn declared(tools: &[(bool, &str)]) -> Vec<Value> {
    let offered = tools.iter().filter(|(is_offered, _)| *is_offered);
    offered.filter_map(|(_, json)| serde_json::from_str(json).ok()).collect()
}

/// A string of an answer.
///
/// Providers write `null` for "nothing", and some a list of parts (`[{"type":"text","text":"…"}]`) for a string. Both are
/// read; any other value counts as nothing, so that one odd field never costs the event.
pub(super) fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => parts.iter().map(|part| text_of(&part["text"])).collect::<String>().into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Cow::Borrowed(""),
    }
}

/// A JSON object, or `None` for anything else.
///
/// Events are read as plain values: a typed struct for each of their many shapes would be a decoder each in the module.
pub(super) fn object(json: &str) -> Option<Value> {
    serde_json::from_str(json).ok().filter(Value::is_object)
}

/// Whether a value is an object without any other field than these.
pub(super) fn has_only(value: &Value, names: &[&str]) -> bool {
    value.as_object().is_some_and(|fields| fields.keys().all(|name| names.contains(&name.as_str())))
}

/// A number of an answer that counts or names something; zero for anything else.
pub(super) fn index_of(value: &Value) -> u32 {
    value.as_u64().and_then(|index| u32::try_from(index).ok()).unwrap_or(0)
}
