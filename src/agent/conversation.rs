//! The loop: a model answers, its tools run, it answers again, until it has said its last word or a bound is reached.
//!
//! ```text
//! start ── answer ─┬─ end_turn, a limit, a refusal … ─────────────▶ Finished
//!            ▲     ├─ tool_use ── pages are fetched ── results ─┐
//!            │     └─ pause_turn ───────────────────────────────┤
//!            └──────────────────────────────────────────────────┘
//! ```
//!
//! What the model said goes back in its provider's own form, unchanged, and every tool it called gets exactly one result.

use serde_json::Value;

use super::call::{Call, CallEvent};
use super::fetch_url::FetchedPage;
use super::tools::{ToolCall, ToolRun};
use crate::provider::{HttpRequest, Prompt, ResponseHead, Route, Turn};
use crate::reading::citation::SourceSet;
use crate::wire::{ErrorCode, ReadingError, Source, StopReason, Usage};
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// The most that answers given back may weigh in one conversation, in bytes. They travel again with every step.
pub(super) const MAX_REPLAY_BYTES: usize = 4 << 20;

/// How far a conversation may go, and how its progress is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often the model is asked at most.
    pub steps: u32,
    /// Key of the label of progress of the first step, shown again when it is tried again.
    pub label: &'static str,
    /// Key of the label of a further step.
    pub step_label: &'static str,
}

impl Limits {
    /// For prose.
    pub const PROSE: Self = Self { steps: 12, label: "status_analyzing", step_label: "status_research_step" };
    /// For highlights.
    pub const HIGHLIGHTS: Self = Self { steps: 4, label: "status_scanning", step_label: "status_verify_step" };
}

/// What a conversation tells the run that owns it.
#[derive(Debug, Clone, PartialEq)]
pub enum ConversationEvent {
    /// Send this request under this number; what comes for an earlier number is ignored. Numbers of fetches and of pages
    /// are never the same.
    Fetch(u32, HttpRequest),
    /// The model wants to read the page at this address, under this number. Answer with [`Conversation::open_page`], or
    /// with [`Conversation::handle_page`] and why not.
    WantPage(u32, String),
    /// Fetch the page at this address under this number; answer with [`Conversation::handle_page`].
    FetchPage(u32, String),
    /// Abort the fetch, or the page, of this number.
    Abort(u32),
    /// Text of the answer.
    Text(String),
    /// Thinking aloud.
    Thinking(String),
    /// Pages that a search or a fetch brought, each told once. They come ahead of the text that rests on them.
    Sources(Vec<Source>),
    /// The results of a search, those told before included.
    SearchResults(Vec<Source>),
    /// Addresses that an opened page links to.
    Links(Vec<String>),
    /// A tool is at work.
    ToolCall {
        /// The tool.
        name: String,
        /// What it does, for the reader.
        label: String,
        /// The whole address it opens; empty for a tool that opens none.
        url: String,
    },
    /// The model is asked again, with what its tools brought: what it says from here on begins anew.
    NextStep,
    /// Bytes came that show nothing; the model may be thinking.
    Activity,
    /// A label of progress. One comes with every fetch but the first.
    Status(String),
    /// A label of progress, anew each second: the provider asked for patience, or failed in a way that may pass.
    Waiting(String),
    /// The answer is over. The tokens are those of all steps.
    Finished(StopReason, Option<Usage>),
    /// There will be no (further) answer.
    Failed(ReadingError),
}

/// The state machine of one request to a model.
pub struct Conversation {
    call: Call,
    limits: Limits,
    /// The step under way; 0 before the first fetch.
    step: u32,
    /// What the answer under way called.
    tool_calls: Vec<ToolCall>,
    /// The answer under way as its provider wants it back.
    replay: Option<Value>,
    replay_bytes: usize,
    /// The tools at work between two answers.
    tools: Option<ToolRun>,
    sources: SourceSet,
    /// Whether the provider's search is at work.
    searching: bool,
    /// Whether this answer has text, and whether a paragraph has to end before it.
    speaking: bool,
    break_due: bool,
    usage: Option<Usage>,
    scratch: Vec<CallEvent>,
}

impl Conversation {
    /// Prepares a conversation; nothing happens before [`start`](Self::start). Of the tools `prompt` asks for, those stay
    /// that the provider has. `seed` spreads the retries of many clients.
    pub fn new(route: Route, prompt: Prompt, limits: Limits, seed: u64) -> Self {
        Self {
            call: Call::new(route, prompt, seed),
            limits,
            step: 0,
            tool_calls: Vec::new(),
            replay: None,
            replay_bytes: 0,
            tools: None,
            sources: SourceSet::default(),
            searching: false,
            speaking: false,
            break_due: false,
            usage: None,
            scratch: Vec::new(),
        }
    }

    /// Asks the model for the first time.
    pub fn start(&mut self, now: u64, out: &mut Vec<ConversationEvent>) {
        self.drive(now, out, |call, events| call.start(now, events));
    }

    /// Status and headers came.
    pub fn handle_head(&mut self, number: u32, head: &ResponseHead) {
        self.call.handle_head(number, head);
    }

    /// The next bytes of a body came.
    pub fn handle_chunk(&mut self, number: u32, bytes: &[u8], now: u64, out: &mut Vec<ConversationEvent>) {
        self.drive(now, out, |call, events| call.handle_chunk(number, bytes, now, events));
    }

    /// A body ended.
    pub fn handle_end(&mut self, number: u32, now: u64, out: &mut Vec<ConversationEvent>) {
        self.drive(now, out, |call, events| call.handle_end(number, now, events));
    }

    /// A fetch failed below HTTP.
    pub fn handle_failure(&mut self, number: u32, reason: &str, now: u64, out: &mut Vec<ConversationEvent>) {
        self.drive(now, out, |call, events| call.handle_failure(number, reason, now, events));
    }

    /// A page came, or `Err` says why it did not.
    pub fn handle_page(
        &mut self,
        number: u32,
        page: Result<FetchedPage, String>,
        now: u64,
        out: &mut Vec<ConversationEvent>,
    ) {
        let Some(tools) = &mut self.tools else { return };
        if let Some(found) = tools.handle_page(number, page) {
            let new = self.sources.add(found.sources);
            if !new.is_empty() {
                out.push(ConversationEvent::Sources(new));
            }
            if !found.links.is_empty() {
                out.push(ConversationEvent::Links(found.links));
            }
        }
        self.go_on_when_ready(now, out);
    }

    /// A page that the model wants may be opened.
    pub fn open_page(&mut self, number: u32, now: u64, out: &mut Vec<ConversationEvent>) {
        let Some(url) = self.tools.as_mut().and_then(|tools| tools.open(number, now)) else { return };
        let name = super::fetch_url::NAME.to_owned();
        out.push(ConversationEvent::ToolCall { name, label: words::say("status_fetching", &[]), url: url.clone() });
        out.push(ConversationEvent::Status(super::fetch_url::label(&url)));
        out.push(ConversationEvent::FetchPage(number, url));
    }

    /// The deadline passed.
    pub fn handle_timeout(&mut self, now: u64, out: &mut Vec<ConversationEvent>) {
        let Some(tools) = &mut self.tools else {
            return self.drive(now, out, |call, events| call.handle_timeout(now, events));
        };
        out.extend(tools.handle_timeout(now).into_iter().map(ConversationEvent::Abort));
        self.go_on_when_ready(now, out);
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    pub fn deadline(&self) -> Option<u64> {
        self.tools.as_ref().map_or_else(|| self.call.deadline(), ToolRun::deadline)
    }

    /// Whether the model thought aloud, be it to no end.
    pub fn thought(&self) -> bool {
        self.call.thought()
    }

    /// Numbers of the fetches and pages under way, which must be aborted when the conversation is dropped.
    pub fn open_fetches(&self) -> Vec<u32> {
        self.tools.as_ref().map_or_else(|| self.call.open_fetch().into_iter().collect(), ToolRun::under_way)
    }

    /// Lets the call take a step, and takes what it says.
    fn drive(&mut self, now: u64, out: &mut Vec<ConversationEvent>, step: impl FnOnce(&mut Call, &mut Vec<CallEvent>)) {
        let mut events = std::mem::take(&mut self.scratch);
        step(&mut self.call, &mut events);
        for event in events.drain(..) {
            self.take(event, now, out);
        }
        // Steps do not nest deeper than once: a new call's first word is its fetch.
        self.scratch = events;
    }

    fn take(&mut self, event: CallEvent, now: u64, out: &mut Vec<ConversationEvent>) {
        match event {
            CallEvent::Fetch(number, request) => {
                match self.step {
                    0 => self.step = 1,
                    1 => out.push(ConversationEvent::Status(words::say(self.limits.label, &[]))),
                    step => {
                        let label = words::say(self.limits.step_label, &[&words::number(step.into())]);
                        out.push(ConversationEvent::Status(label));
                    }
                }
                out.push(ConversationEvent::Fetch(number, request));
            }
            CallEvent::Abort(number) => out.push(ConversationEvent::Abort(number)),
            CallEvent::Text(mut text) => {
                if !self.speaking && !text.trim().is_empty() {
                    self.speaking = true;
                    if self.break_due {
                        text.insert_str(0, "\n\n");
                    }
                }
                out.push(ConversationEvent::Text(text));
            }
            CallEvent::Thinking(text) => out.push(ConversationEvent::Thinking(text)),
            CallEvent::Sources(sources) => {
                if std::mem::take(&mut self.searching) {
                    out.push(ConversationEvent::Status(words::say("status_search_results", &[])));
                }
                out.push(ConversationEvent::SearchResults(sources.clone()));
                let new = self.sources.add(sources);
                out.push(if new.is_empty() { ConversationEvent::Activity } else { ConversationEvent::Sources(new) });
            }
            CallEvent::ServerTool(name) => {
                let key = if name.contains("search") { "status_searching" } else { "status_fetching" };
                self.searching |= name.contains("search");
                out.push(ConversationEvent::ToolCall { name, label: words::say(key, &[]), url: String::new() });
            }
            CallEvent::ToolUse { id, name, input } => {
                self.tool_calls.push(ToolCall { id, name, input });
                out.push(ConversationEvent::Activity);
            }
            CallEvent::Replay(answer) => self.replay = Some(answer),
            CallEvent::Activity => out.push(ConversationEvent::Activity),
            CallEvent::Waiting(label) => out.push(ConversationEvent::Waiting(label)),
            CallEvent::Finished(reason, usage) => self.finish_answer(reason, usage, now, out),
            CallEvent::Failed(error) => out.push(ConversationEvent::Failed(error)),
        }
    }

    /// An answer is through: is it the last?
    fn finish_answer(&mut self, reason: StopReason, usage: Option<Usage>, now: u64, out: &mut Vec<ConversationEvent>) {
        self.usage = Usage::sum(self.usage, usage);
        let calls = std::mem::take(&mut self.tool_calls);
        let replay = self.replay.take();
        let goes_on = match reason {
            StopReason::ToolUse => !calls.is_empty(),
            StopReason::PauseTurn => true,
            StopReason::EndTurn
            | StopReason::MaxTokens
            | StopReason::Refusal
            | StopReason::ContentFilter
            | StopReason::Other => false,
        };
        let replay = replay.filter(|_| goes_on && self.step < self.limits.steps);
        let Some(replay) = replay else {
            return out.push(ConversationEvent::Finished(reason, self.usage));
        };
        self.replay_bytes += weight(&replay);
        if self.replay_bytes > MAX_REPLAY_BYTES {
            let message = words::say("error_research", &[]);
            return out.push(ConversationEvent::Failed(ReadingError::new(ErrorCode::Overflow, message)));
        }
        self.step += 1;
        if reason == StopReason::PauseTurn {
            // The same turn goes on where it paused, so what it says is one text.
            return self.drive(now, out, |call, events| call.go_on([Turn::Replay(replay)], now, events));
        }
        self.break_due |= std::mem::take(&mut self.speaking);
        self.replay = Some(replay);
        let offered = self.call.prompt().tools;
        let call = &mut self.call;
        let tools = ToolRun::new(calls, offered, now, || call.take_number());
        out.extend(tools.wanted().into_iter().map(|(number, url)| ConversationEvent::WantPage(number, url)));
        self.tools = Some(tools);
        self.go_on_when_ready(now, out);
    }

    /// Asks the model again once every tool has its result.
    fn go_on_when_ready(&mut self, now: u64, out: &mut Vec<ConversationEvent>) {
        let Some(results) = self.tools.as_mut().and_then(ToolRun::take_results) else { return };
        self.tools = None;
        let replay = self.replay.take().unwrap_or_default();
        out.push(ConversationEvent::NextStep);
        let turns = [Turn::Replay(replay), Turn::ToolResults(results)];
        self.drive(now, out, |call, events| call.go_on(turns, now, events));
    }
}

/// About what a value takes as JSON, in bytes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| weight(item) + 1).sum(),
        Value::Object(fields) => fields.iter().map(|(name, field)| name.len() + weight(field) + 4).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 5,
    }
}
