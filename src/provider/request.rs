//! One question to a model, as an HTTP request.

use std::fmt;

use super::base_url::{endpoint, is_own_host};
use super::dialect::dialect;
use super::failure::ProviderError;
use super::registry;
use crate::wire::{ErrorCode, ProviderConfig, ProviderId, ReadingError};
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The standing instructions.
    pub system: String,
    /// The turns, the new one last.
    pub turns: Vec<Turn>,
    /// The most tokens to write, thinking included.
    pub max_tokens: u32,
    /// The tools the model may use. A dialect declares those it has a word for.
    pub tools: Tools,
    /// JSON schema of the answer, for a model that can be held to one; empty for prose.
    pub schema: &'static str,
}

/// One turn of the conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// What the reader, or we in the reader's name, said.
    User(String),
    /// What the model said before this run began, as text.
    Assistant(String),
    /// What the model said in this run, in its provider's own form, to be given back unchanged: thinking and its
    /// signatures, citations and encrypted search results stand in it. The value is what the dialect's reader made.
    Replay(serde_json::Value),
    /// The result of every tool the turn before called, in its order.
    ToolResults(Vec<ToolResult>),
}

/// What a tool of ours brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// Names the call; empty where the server gave none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The result, or why there is none.
    pub text: String,
    /// Whether `text` tells of a failure.
    pub is_error: bool,
}

/// Which tools a model may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tools {
    /// A search of the web that the provider runs itself.
    pub web_search: bool,
    /// Our own `fetch_url`.
    pub fetch_url: bool,
}

/// How a request leaves the extension.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Transport {
    /// From the worker, as it is.
    #[default]
    Direct,
    /// From the worker, with its `Origin` header taken off on the way out.
    WithoutOrigin,
    /// From the page in this tab, in the page's name. The key stands in the address.
    Page(i32),
    /// To the model in the browser itself, through the offscreen document. The address is empty.
    Offscreen,
}

/// A request, ready to send: a POST of its body, a GET without one.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// Where to.
    pub url: String,
    /// Every header to set. One of them may hold the key.
    pub headers: Vec<(&'static str, String)>,
    /// A JSON document; empty for a GET.
    pub body: String,
    /// How it leaves.
    pub via: Transport,
}

impl fmt::Debug for HttpRequest {
    /// Names of headers only and no query, since a value may be the key, and the body's size instead of the reader's page.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| *name).collect();
        f.debug_struct("HttpRequest")
            .field("url", &self.url.split('?').next())
            .field("via", &self.via)
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// What a server turned out not to take, so that the request is sent once more without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
// Independent facts, each with its own consequence: there is no state machine in them.
#[allow(clippy::struct_excessive_bools)]
pub struct Quirks {
    /// The output limit goes by its other name: `max_tokens` or `max_completion_tokens`.
    pub other_token_limit: bool,
    /// No `stream_options`: the server won't say how many tokens were used.
    pub no_stream_options: bool,
    /// No `stream`: the answer comes in one piece.
    pub no_stream: bool,
    /// No system role: the instructions open the first turn instead.
    pub no_system_role: bool,
    /// No `cache_control`.
    pub no_cache_control: bool,
    /// No search of the provider's.
    pub no_web_search: bool,
    /// No search of the provider's beside tools of ours.
    pub no_mixed_tools: bool,
    /// No tools at all.
    pub no_tools: bool,
    /// No thinking aloud.
    pub no_thinking: bool,
    /// No summary of the thinking.
    pub no_reasoning_summary: bool,
    /// No encrypted thinking to be given back.
    pub no_encrypted_reasoning: bool,
    /// The way that is left to send requests.
    pub via: Transport,
}

/// Words by which servers say that they do not take something.
const UNSUPPORTED: [&str; 14] = [
    "unsupported",
    "not support",
    "that support",
    "unrecognized",
    "unknown",
    "not permitted",
    "unexpected",
    "extra fields",
    "not enabled",
    "does not match any",
    "must be verified",
    "cannot be combined",
    // llama.cpp and vLLM have tools only when started for them.
    "requires --",
    "param requires",
];

impl Quirks {
    /// The tools that are left.
    pub fn tools(self) -> Tools {
        Tools { web_search: !self.no_web_search && !self.no_tools, fetch_url: !self.no_tools }
    }

    /// Adds what a refusal names as unsupported; `None` when it names nothing that has not been left out already.
    pub(super) fn learn(self, refusal: &ProviderError) -> Option<Self> {
        let words = refusal.words.to_ascii_lowercase();
        let unsupported = refusal.code.starts_with("unsupported_")
            || refusal.code.starts_with("unknown_parameter")
            || UNSUPPORTED.iter().any(|marker| words.contains(marker));
        if !unsupported {
            return None;
        }
        // The parameter a refusal names outright counts; only without one are its words searched.
        let subject = if refusal.param.is_empty() { words.as_str() } else { refusal.param.as_str() };
        let mut learned = self;
        // A search of the provider's may be refused by its own name or by that of the list it stands in.
        let says = |names: &[&str]| names.iter().any(|name| words.contains(name));
        if !self.no_mixed_tools && says(&["combined", "function calling", "serversidetool", "server_side_tool"]) {
            learned.no_mixed_tools = true;
        } else if says(&["web_search", "web search", "google_search", "search grounding", "search as a tool"]) {
            learned.no_web_search = true;
        } else if subject.contains("tool") || words.contains("function calling") {
            learned.no_tools = true;
        } else if subject.contains("include") || subject.contains("encrypted") {
            learned.no_encrypted_reasoning = true;
        } else if subject.contains("reasoning") {
            learned.no_reasoning_summary = true;
        } else if subject.contains("max_tokens") || subject.contains("max_completion_tokens") {
            learned.other_token_limit = true;
        } else if subject.contains("stream_options") {
            learned.no_stream_options = true;
        } else if subject.contains("cache_control") {
            learned.no_cache_control = true;
        } else if subject.contains("stream") {
            learned.no_stream = true;
        } else if subject.contains("thinking") {
            learned.no_thinking = true;
        } else if ["system", "developer instruction"].iter().any(|name| subject.contains(name) || words.contains(name))
        {
            learned.no_system_role = true;
        }
        (learned != self).then_some(learned)
    }
}

/// Writes the request that asks a provider; fails with what to change in the settings.
pub fn request(
    id: ProviderId,
    config: &ProviderConfig,
    prompt: &Prompt,
    quirks: Quirks,
) -> Result<HttpRequest, ReadingError> {
    check_key(&config.key)?;
    let row = registry::provider(id);
    // A model without an address is the browser's own.
    let (url, via) =
        if row.speaks_http() { (endpoint(id, config)?, quirks.via) } else { (String::new(), Transport::Offscreen) };
    let own_host = is_own_host(row, &url);
    let Some(dialect) = dialect(id, own_host) else {
        return Err(ReadingError::new(
            ErrorCode::Internal,
            words::say("error_no_requests", &[&row.name_in_sentence()]),
        ));
    };
    let model = if config.model.is_empty() { row.model } else { &config.model };
    let mut headers = dialect.headers(&config.key);
    headers.push(("content-type", "application/json".to_owned()));
    let body = dialect.body(model, prompt, quirks, own_host);
    let mut request = HttpRequest { url, headers, body, via };
    dialect.finish(&mut request, &config.key, quirks);
    Ok(request)
}

/// Whether a key can stand in a header; fails with the place of the first character that can't.
pub fn check_key(key: &str) -> Result<(), ReadingError> {
    let Some(at) = key.chars().position(|c| c.is_control() || c.is_whitespace() || c > '\u{FF}') else { return Ok(()) };
    let place = (at + 1).to_string();
    Err(ReadingError::new(ErrorCode::Auth, words::say("error_key_character", &[&place])))
}
