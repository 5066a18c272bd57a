//! One reading of one page: two requests side by side and everything they brought.

use serde::Serialize;

use super::analysis::Analysis;
use super::model::{ReadPage, ReaderName};
use crate::sorted_map::SortedMap;
use crate::wire::{
    CategorySummaries, ErrorCode, Highlight, PaintedItem, ReadingError, Source, StopReason, Usage, WorkerToPanel,
};

/// Which of the two requests of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// The prose.
    Analysis,
    /// The marked phrases.
    Highlights,
}

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
}

/// Milliseconds since the requests were sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Timings {
    /// Until the first text of the analysis.
    pub first_delta_ms: Option<u64>,
    /// Until the first highlight.
    pub first_highlight_ms: Option<u64>,
    /// Until the last of the two requests ended.
    pub done_ms: Option<u64>,
}

/// Where a highlight stands on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The page has not answered yet.
    Unknown,
    /// Painted.
    OnPage,
    /// Its phrase is not on the page.
    Absent,
}

/// One entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Number within the reading.
    pub index: u32,
    /// What was said.
    pub highlight: Highlight,
}

/// Why a reading no longer belongs to what its tab shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// The same address was loaded again; the marks are gone.
    Reloaded,
    /// The tab shows another page.
    Navigated,
}

/// A reading, from its two requests to its end.
#[derive(Debug)]
pub struct Reading {
    pub(super) id: String,
    pub(super) tab: i32,
    pub(super) page: ReadPage,
    pub(super) reader: ReaderName,
    /// Its document is gone from the tab.
    pub(super) detached: bool,
    started_ms: u64,
    analysis: Analysis,
    analysis_run: Run,
    highlights_run: Run,
    items: Vec<Item>,
    dropped: usize,
    painted: SortedMap<u32, String>,
    list_revision: u32,
    summary: String,
    category_summaries: CategorySummaries,
    usage: Option<Usage>,
    /// What the model thought aloud while it wrote the analysis.
    thinking: String,
    /// What searches and fetches of this reading brought: only these are shown as links.
    sources: Vec<Source>,
    timings: Timings,
}

impl Reading {
    /// Most highlights kept; the rest are counted and the reader is told.
    pub const MAX_ITEMS: usize = 1_000;
    /// Most bytes of thinking kept; the rest is left out.
    pub const MAX_THINKING: usize = 256 * 1024;
    /// Most sources kept; a link to a further one is shown as one nobody checked.
    pub const MAX_SOURCES: usize = 1_000;

    pub(super) fn new(id: String, tab: i32, page: ReadPage, reader: ReaderName, now_ms: u64) -> Self {
        Self {
            id,
            tab,
            page,
            reader,
            detached: false,
            started_ms: now_ms,
            analysis: Analysis::default(),
            analysis_run: Run::Running(String::new()),
            highlights_run: Run::Running(String::new()),
            items: Vec::new(),
            dropped: 0,
            painted: SortedMap::new(),
            list_revision: 0,
            summary: String::new(),
            category_summaries: CategorySummaries::new(),
            usage: None,
            thinking: String::new(),
            sources: Vec::new(),
            timings: Timings::default(),
        }
    }

    /// Takes a message of a request's port. What comes after the request's end (a late chunk after Stop) is dropped.
    pub(super) fn handle_message(&mut self, request: Request, message: WorkerToPanel, now_ms: u64) {
        if let WorkerToPanel::Batch { events } = message {
            for event in events {
                self.handle_event(request, event, now_ms);
            }
        } else {
            self.handle_event(request, message, now_ms);
        }
    }

    fn handle_event(&mut self, request: Request, message: WorkerToPanel, now_ms: u64) {
        if !self.run(request).is_running() {
            return;
        }
        match message {
            WorkerToPanel::Status { message } => self.set_run(request, Run::Running(message), now_ms),
            WorkerToPanel::ToolCall { label, .. } => self.set_run(request, Run::Running(label), now_ms),
            WorkerToPanel::TextDelta { text } => self.handle_text(request, &text, now_ms),
            WorkerToPanel::HighlightItem { highlight, index } => self.handle_highlight(highlight, index, now_ms),
            WorkerToPanel::HighlightsResult { summary, category_summaries } => {
                self.summary = summary;
                self.category_summaries = category_summaries;
            }
            WorkerToPanel::Done { stop_reason, truncated, usage } => {
                self.add_usage(usage);
                self.set_run(request, Run::Done { stop_reason, truncated }, now_ms);
            }
            WorkerToPanel::Error { message, code, retryable } => {
                let error = ReadingError { message, code: code.unwrap_or(ErrorCode::Internal), retryable };
                self.set_run(request, Run::Failed(error), now_ms);
            }
            WorkerToPanel::ThinkingDelta { text } => {
                let room = Self::MAX_THINKING.saturating_sub(self.thinking.len());
                self.thinking.push_str(&text[..text.floor_char_boundary(room)]);
            }
            WorkerToPanel::Sources { sources } => {
                let room = Self::MAX_SOURCES.saturating_sub(self.sources.len());
                self.sources.extend(sources.into_iter().take(room));
            }
            // A batch in a batch is against the protocol; it carries nothing.
            WorkerToPanel::Ping | WorkerToPanel::Models { .. } | WorkerToPanel::Batch { .. } => {}
        }
    }

    fn handle_text(&mut self, request: Request, text: &str, now_ms: u64) {
        if request == Request::Highlights || text.is_empty() {
            return;
        }
        let since_start = self.since_start(now_ms);
        self.timings.first_delta_ms.get_or_insert(since_start);
        if !self.analysis.push(text) {
            let error = ReadingError::new(
                ErrorCode::Overflow,
                "The analysis is longer than the panel can hold. Its beginning is shown.",
            );
            self.set_run(request, Run::Failed(error), now_ms);
        }
    }

    fn handle_highlight(&mut self, highlight: Highlight, index: u32, now_ms: u64) {
        if self.items.len() == Self::MAX_ITEMS {
            self.dropped += 1;
            return;
        }
        let since_start = self.since_start(now_ms);
        self.timings.first_highlight_ms.get_or_insert(since_start);
        self.items.push(Item { index, highlight });
        self.list_revision += 1;
    }

    /// What the model thought aloud.
    pub fn thinking(&self) -> &str {
        &self.thinking
    }

    /// What searches and fetches brought.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// A port closed. Without `done` or `error` before it, the answer is cut: never a silent success.
    pub(super) fn handle_disconnect(&mut self, request: Request, now_ms: u64) {
        if self.run(request).is_running() {
            self.set_run(request, Run::Interrupted, now_ms);
        }
    }

    /// The reader has had enough. What has arrived stays.
    pub(super) fn handle_stop(&mut self, now_ms: u64) {
        for request in [Request::Analysis, Request::Highlights] {
            if self.run(request).is_running() {
                self.set_run(request, Run::Stopped, now_ms);
            }
        }
    }

    /// A second passed. A long block is not parsed with every delta; by now it is due.
    pub(super) fn handle_tick(&mut self) {
        if self.analysis_run.is_running() {
            self.analysis.refresh();
        }
    }

    /// The page says what stands on it. That may be known before the highlight itself arrives, so it is kept by number.
    pub(super) fn handle_painted(&mut self, painted: Vec<PaintedItem>) {
        for item in painted {
            if self.painted.len() < Self::MAX_ITEMS || self.painted.contains_key(&item.index) {
                self.painted.insert(item.index, item.text);
            }
        }
        self.list_revision += 1;
    }

    /// The document was unloaded, and nothing is painted on the one after it.
    pub(super) fn handle_document_gone(&mut self) {
        self.detached = true;
        self.painted.clear();
        self.list_revision += 1;
    }

    fn run(&self, request: Request) -> &Run {
        match request {
            Request::Analysis => &self.analysis_run,
            Request::Highlights => &self.highlights_run,
        }
    }

    fn set_run(&mut self, request: Request, run: Run, now_ms: u64) {
        let ended = !run.is_running();
        match request {
            Request::Analysis => self.analysis_run = run,
            Request::Highlights => self.highlights_run = run,
        }
        if ended && request == Request::Analysis {
            self.analysis.finish();
        }
        if ended && !self.is_running() {
            self.timings.done_ms = Some(self.since_start(now_ms));
        }
    }

    fn add_usage(&mut self, usage: Option<Usage>) {
        if let Some(more) = usage {
            let sum = self.usage.get_or_insert_default();
            sum.input_tokens += more.input_tokens;
            sum.output_tokens += more.output_tokens;
            sum.cache_read_tokens += more.cache_read_tokens;
            sum.cache_write_tokens += more.cache_write_tokens;
        }
    }

    /// Milliseconds since the requests were sent.
    pub fn since_start(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.started_ms)
    }

    /// Names the reading to the page and the worker.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The tab it was read in.
    pub fn tab(&self) -> i32 {
        self.tab
    }

    /// The page that was read.
    pub fn page(&self) -> &ReadPage {
        &self.page
    }

    /// Who read it.
    pub fn reader(&self) -> &ReaderName {
        &self.reader
    }

    /// Whether either request is at work.
    pub fn is_running(&self) -> bool {
        self.analysis_run.is_running() || self.highlights_run.is_running()
    }

    /// The request for prose.
    pub fn analysis_run(&self) -> &Run {
        &self.analysis_run
    }

    /// The request for phrases.
    pub fn highlights_run(&self) -> &Run {
        &self.highlights_run
    }

    /// The prose.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// The marked phrases, in order of arrival; only ever appended to.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// How many highlights were beyond [`Self::MAX_ITEMS`].
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Counts the changes of items and their places, for renderers.
    pub fn list_revision(&self) -> u32 {
        self.list_revision
    }

    /// Where a highlight stands.
    pub fn place(&self, index: u32) -> Place {
        match self.painted.get(&index) {
            None => Place::Unknown,
            Some(text) if text.is_empty() => Place::Absent,
            Some(_) => Place::OnPage,
        }
    }

    /// Two sentences about the page, empty until known.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// One sentence for each category that has something to say.
    pub fn category_summaries(&self) -> &CategorySummaries {
        &self.category_summaries
    }

    /// Tokens used by both requests, where the provider said.
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// When what happened.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// What went wrong or is missing, equal ones once. Never empty when an answer is not whole, unless the reader
    /// stopped it.
    pub fn errors(&self) -> Vec<ReadingError> {
        let mut errors = Vec::new();
        for (what, run) in [("The analysis", &self.analysis_run), ("The list of highlights", &self.highlights_run)] {
            let error = match run {
                Run::Failed(error) => error.clone(),
                Run::Interrupted => ReadingError::retryable(
                    ErrorCode::Interrupted,
                    "The reading was interrupted. What has arrived stays; retry to read the page again.",
                ),
                Run::Done { stop_reason, truncated: true } => shortfall(what, *stop_reason),
                Run::Done { truncated: false, .. } | Run::Running(_) | Run::Stopped => continue,
            };
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        errors
    }
}

/// What an answer that ended too early lacks.
fn shortfall(what: &str, stop_reason: Option<StopReason>) -> ReadingError {
    let (code, why) = match stop_reason {
        Some(StopReason::MaxTokens) => (ErrorCode::Truncated, "was cut at the model's output limit"),
        Some(StopReason::Refusal) => (ErrorCode::Refused, "is not complete: the model declined to go on"),
        Some(StopReason::ContentFilter) => (ErrorCode::Refused, "was cut by a filter of the provider"),
        Some(StopReason::EndTurn | StopReason::ToolUse | StopReason::PauseTurn | StopReason::Other) | None => {
            (ErrorCode::Truncated, "is not complete")
        }
    };
    ReadingError::new(code, format!("{what} {why}."))
}
