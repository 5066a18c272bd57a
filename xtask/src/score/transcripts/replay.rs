//! One replay: pieces in, what a reader and the next turn would get of them out.

use serde_json::{Value, json};
use sidelight::provider::ModelEvent;
use sidelight::wire::{ReadingError, StopReason, Usage};

use super::dialect::Dialect;

/// Everything an answer said.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) thinking: String,
    /// Calls of our tools: `{name, input}`.
    pub(super) tools: Vec<Value>,
    /// Calls of the provider's own tools: `{name, input}`.
    pub(super) server_tools: Vec<Value>,
    /// Addresses that a search or a fetch of the provider's brought.
    pub(super) sources: Vec<String>,
    /// The turn in the provider's own form; null where it gives none.
    pub(super) replay: Value,
    pub(super) usage: Option<Usage>,
    pub(super) end: Result<StopReason, ReadingError>,
}

impl Said {
    /// In one line.
    pub(super) fn summary(&self) -> String {
        let Self { text, thinking, tools, sources, .. } = self;
        let end = match &self.end {
            Ok(stop) => format!("{stop:?}"),
            Err(error) => format!("error ({})", error.message.chars().take(60).collect::<String>()),
        };
        let [text, thinking] = [text, thinking].map(|text| text.chars().count());
        format!("text {text}, thinking {thinking}, tools {}, sources {}, {end}", tools.len(), sources.len())
    }
}

/// Runs a body, in pieces, through the decoder of a dialect.
pub(super) fn replay(dialect: Dialect, pieces: &[&[u8]]) -> Said {
    let mut decoder = dialect.decoder();
    let mut events = Vec::new();
    for piece in pieces {
        decoder.handle_chunk(piece, &mut events);
    }
    decoder.handle_end(&mut events);
    let mut said = Said {
        text: String::new(),
        thinking: String::new(),
        tools: Vec::new(),
        server_tools: Vec::new(),
        sources: Vec::new(),
        replay: Value::Null,
        usage: None,
        end: Ok(StopReason::Other),
    };
    for event in events {
        match event {
            ModelEvent::Text(text) => said.text.push_str(&text),
            ModelEvent::Thinking(text) => said.thinking.push_str(&text),
            ModelEvent::Status(_) | ModelEvent::Refusal(_) => {}
            ModelEvent::ServerTool { name, input } => said.server_tools.push(json!({"name": name, "input": input})),
            ModelEvent::ToolUse { name, input, .. } => said.tools.push(json!({"name": name, "input": input})),
            ModelEvent::Sources(sources) => said.sources.extend(sources.into_iter().map(|source| source.url)),
            ModelEvent::Replay(turn) => said.replay = turn,
            ModelEvent::Usage(usage) => said.usage = Some(usage),
            ModelEvent::Stop(reason) => said.end = Ok(reason),
            ModelEvent::Error(error) => said.end = Err(error),
        }
    }
    said
}

/// A linear congruential generator (Knuth's MMIX constants), so that a failing cut can be cut again.
pub(super) struct Cuts(pub(super) u64);

impl Cuts {
    /// Cuts a body at random.
    pub(super) fn chunks<'a>(&mut self, mut body: &'a [u8]) -> Vec<&'a [u8]> {
        let mut chunks = Vec::new();
        while !body.is_empty() {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = usize::try_from(self.0 >> 40).unwrap_or_default();
            // Mostly like network packets, sometimes a few bytes.
            let most = if random & 0x3000 == 0 { 9 } else { 3_000 };
            let (chunk, rest) = body.split_at((1 + random % most).min(body.len()));
            chunks.push(chunk);
            body = rest;
        }
        chunks
    }
}
