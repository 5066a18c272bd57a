//! One answer of a model as it streams in: the prose of an analysis, the list beside it, or a turn of the chat.

use super::analysis::Analysis;
use crate::reading::citation::SourceSet;
use crate::wire::{ErrorCode, PanelToWorker, ReadingError, StopReason, Usage, WorkerToPanel};
use crate::words;

/// How a request stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    /// At work, with the last label of progress (empty before the first).
    Running(String),
    /// Complete as far as the worker says.
    Done {
        /// Why the answer ended.
        stop_reason: Option<StopReason>,
        /// Whether something is missing.
        truncated: bool,
    },
    /// The worker said what went wrong.
    Failed(ReadingError),
    /// The port closed before the answer was complete.
    Interrupted,
    /// The reader stopped it.
    Stopped,
}

impl Run {
    /// Whether anything may still come.
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    /// Whether the answer ended and is all there.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Done { truncated: false, .. })
    }
}

/// What an answer is for, in the sentences that say what it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Analysis,
    Highlights,
    Chat,
}

/// An answer, from the request to its end.
#[derive(Debug)]
pub struct Answer {
    pub(super) prose: Analysis,
    run: Run,
    pub(super) thinking: String,
    pub(super) thinking_cut: bool,
    pub(super) sources: SourceSet,
    tools: Vec<(String, u32)>,
    /// Addresses opened for it, in order.
    pub(super) opened: Vec<String>,
    /// Addresses that the reader is asked about: the question's name, and the address.
    open_requests: Vec<(u32, String)>,
    pub(super) usage: Option<Usage>,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            prose: Analysis::default(),
            run: Run::Running(String::new()),
            thinking: String::new(),
            thinking_cut: false,
            sources: SourceSet::default(),
            tools: Vec::new(),
            opened: Vec::new(),
            open_requests: Vec::new(),
            usage: None,
        }
    }
}

impl Answer {
    /// Most bytes of thinking kept; the rest is left out, and the reader is told.
    pub const MAX_THINKING: usize = 256 * 1024;
    /// Most different uses of tools listed; further ones show as the label of progress only.
    pub const MAX_TOOLS: usize = 24;
    /// Most opened addresses listed: more than the worker lets an answer open.
    pub const MAX_OPENED: usize = 32;

    /// Takes an event of the request's port. What comes after its end (a late chunk after Stop) is dropped.
    pub(super) fn handle_event(&mut self, event: WorkerToPanel) {
        if !self.run.is_running() {
            return;
        }
        match event {
            WorkerToPanel::Status { message } => self.run = Run::Running(message),
            WorkerToPanel::ToolCall { label, url, .. } => {
                self.handle_tool(label);
                if !url.is_empty() && self.opened.len() < Self::MAX_OPENED && !self.opened.contains(&url) {
                    self.opened.push(url);
                }
            }
            WorkerToPanel::OpenRequest { id, url } => {
                self.run = Run::Running(words::say("status_open_request", &[]));
                if self.open_requests.len() < Self::MAX_OPENED {
                    self.open_requests.push((id, url));
                }
            }
            WorkerToPanel::TextDelta { text } => {
                if !self.prose.push(&text) {
                    self.end(Run::Failed(ReadingError::new(ErrorCode::Overflow, words::say("answer_too_long", &[]))));
                }
            }
            WorkerToPanel::ThinkingDelta { text } => {
                let room = Self::MAX_THINKING.saturating_sub(self.thinking.len());
                self.thinking.push_str(&text[..text.floor_char_boundary(room)]);
                self.thinking_cut |= text.len() > room;
            }
            WorkerToPanel::Sources { sources } => drop(self.sources.add(sources)),
            WorkerToPanel::Done { stop_reason, truncated, usage } => {
                self.usage = usage;
                self.end(Run::Done { stop_reason, truncated });
            }
            WorkerToPanel::Error { message, code, retryable, usage } => {
                self.usage = usage;
                let code = code.unwrap_or(ErrorCode::Internal);
                let error = ReadingError { message, code, retryable, tokens: None };
                self.end(Run::Failed(error));
            }
            // A list is kept by whoever asked for one. A batch in a batch is against the protocol; it carries nothing.
            WorkerToPanel::HighlightItem { .. }
            | WorkerToPanel::HighlightsResult { .. }
            | WorkerToPanel::Models { .. }
            | WorkerToPanel::Ping
            | WorkerToPanel::Batch { .. } => {}
        }
    }

    /// The same tool twice is one entry, counted.
    fn handle_tool(&mut self, label: String) {
        self.run = Run::Running(label.clone());
        if let Some((_, times)) = self.tools.iter_mut().find(|(known, _)| *known == label) {
            *times += 1;
        } else if self.tools.len() < Self::MAX_TOOLS {
            self.tools.push((label, 1));
        }
    }

    /// Ends a running answer: what has arrived stays.
    pub(super) fn end(&mut self, run: Run) {
        if self.run.is_running() {
            self.run = run;
            self.open_requests.clear();
            self.prose.finish();
        }
    }

    /// The reader answers what a model wants to open. Returns the message for the request's port; `None` when nothing is
    /// asked.
    pub(super) fn handle_open_reply(&mut self, allow: bool) -> Option<PanelToWorker> {
        let ids: Vec<u32> = std::mem::take(&mut self.open_requests).into_iter().map(|(id, _)| id).collect();
        (!ids.is_empty()).then_some(PanelToWorker::OpenReply { ids, allow })
    }

    /// A second passed. A long block is not parsed with every delta; by now it is due.
    pub(super) fn handle_tick(&mut self) {
        if self.run.is_running() {
            self.prose.refresh();
        }
    }

    /// What was written.
    pub fn prose(&self) -> &Analysis {
        &self.prose
    }

    /// How the request stands.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What the model thought aloud.
    pub fn thinking(&self) -> &str {
        &self.thinking
    }

    /// Whether it thought more than is kept.
    pub fn is_thinking_cut(&self) -> bool {
        self.thinking_cut
    }

    /// What searches and fetches of this request brought: only these may be shown as links.
    pub fn sources(&self) -> &SourceSet {
        &self.sources
    }

    /// What tools did, by their labels in order of first use, and how often.
    pub fn tools(&self) -> &[(String, u32)] {
        &self.tools
    }

    /// The addresses opened for it, in order.
    pub fn opened(&self) -> &[String] {
        &self.opened
    }

    /// The addresses that a model wants to open, while the reader is asked.
    pub fn open_requests(&self) -> Vec<String> {
        self.open_requests.iter().map(|(_, url)| url.clone()).collect()
    }

    /// Tokens used, where the provider said.
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// What went wrong or is missing; nothing when the reader stopped it.
    pub(super) fn problem(&self, purpose: Purpose) -> Option<ReadingError> {
        match &self.run {
            Run::Failed(error) => Some(error.clone()),
            Run::Interrupted => {
                let is_chat = purpose == Purpose::Chat;
                let key = if is_chat { "answer_interrupted" } else { "answer_reading_interrupted" };
                Some(ReadingError::retryable(ErrorCode::Interrupted, words::say(key, &[])))
            }
            Run::Done { stop_reason, truncated: true } => Some(shortfall(purpose, *stop_reason)),
            Run::Done { truncated: false, .. } | Run::Running(_) | Run::Stopped => None,
        }
    }
}

/// What an answer that ended too early lacks.
fn shortfall(purpose: Purpose, stop_reason: Option<StopReason>) -> ReadingError {
    let (code, keys) = match stop_reason {
        Some(StopReason::MaxTokens) => {
            (ErrorCode::Truncated, ["answer_analysis_cut", "answer_highlights_cut", "answer_chat_cut"])
        }
        Some(StopReason::Refusal) => {
            (ErrorCode::Refused, ["answer_analysis_refused", "answer_highlights_refused", "answer_chat_refused"])
        }
        Some(StopReason::ContentFilter) => {
            (ErrorCode::Refused, ["answer_analysis_filtered", "answer_highlights_filtered", "answer_chat_filtered"])
        }
        Some(StopReason::EndTurn | StopReason::ToolUse | StopReason::PauseTurn | StopReason::Other) | None => (
            ErrorCode::Truncated,
            ["answer_analysis_incomplete", "answer_highlights_incomplete", "answer_chat_incomplete"],
        ),
    };
    let [analysis, highlights, chat] = keys;
    let key = match purpose {
        Purpose::Analysis => analysis,
        Purpose::Highlights => highlights,
        Purpose::Chat => chat,
    };
    ReadingError::new(code, words::say(key, &[]))
}
