//! One reading of one page: two requests side by side and everything they brought.

use serde::Serialize;

use super::analysis::Analysis;
use super::answer::{Answer, Purpose, Run};
use super::read_page::ReadPage;
use super::reader::ReaderName;
use crate::sorted_map::SortedMap;
use crate::wire::{CategorySummaries, Highlight, PaintedItem, PanelToWorker, ReadingError, Usage, WorkerToPanel};

/// Which of the two requests of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// The prose.
    Analysis,
    /// The marked phrases.
    Highlights,
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
    /// What was read of the page, for questions about it.
    pub(super) content: String,
    pub(super) reader: ReaderName,
    /// Its document is gone from the tab.
    pub(super) detached: bool,
    /// Frames with something to read came later.
    pub(super) late_frames: bool,
    /// The reader does not allow the way through the page that it would need.
    pub(super) consent_declined: bool,
    pub(super) started_ms: u64,
    pub(super) analysis: Answer,
    /// The request for the list; what it found stands in `items`.
    pub(super) highlights: Answer,
    pub(super) items: Vec<Item>,
    pub(super) dropped: usize,
    /// Whether a highlight stands on the page, as that said last.
    pub(super) painted: SortedMap<u32, bool>,
    /// Counts the times it was lent to be changed, so that what is saved of it is known to be old.
    pub(super) changes: u32,
    list_revision: u32,
    pub(super) summary: String,
    pub(super) category_summaries: CategorySummaries,
    pub(super) timings: Timings,
}

impl Reading {
    /// Most highlights kept; the rest are counted and the reader is told.
    pub const MAX_ITEMS: usize = 1_000;

    pub(super) fn new(id: String, tab: i32, page: ReadPage, content: String, reader: ReaderName, now_ms: u64) -> Self {
        Self {
            id,
            tab,
            page,
            content,
            reader,
            detached: false,
            late_frames: false,
            consent_declined: false,
            started_ms: now_ms,
            analysis: Answer::default(),
            highlights: Answer::default(),
            items: Vec::new(),
            dropped: 0,
            painted: SortedMap::new(),
            changes: 0,
            list_revision: 0,
            summary: String::new(),
            category_summaries: CategorySummaries::new(),
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
        if !self.answer(request).run().is_running() {
            return;
        }
        match message {
            WorkerToPanel::HighlightItem { highlight, index } => self.handle_highlight(highlight, index, now_ms),
            WorkerToPanel::HighlightsResult { summary, category_summaries } => {
                self.summary = summary;
                self.category_summaries = category_summaries;
            }
            WorkerToPanel::TextDelta { text } if request == Request::Highlights || text.is_empty() => {}
            WorkerToPanel::Status { .. }
            | WorkerToPanel::ToolCall { .. }
            | WorkerToPanel::OpenRequest { .. }
            | WorkerToPanel::TextDelta { .. }
            | WorkerToPanel::ThinkingDelta { .. }
            | WorkerToPanel::Sources { .. }
            | WorkerToPanel::Done { .. }
            | WorkerToPanel::Error { .. }
            | WorkerToPanel::Models { .. }
            | WorkerToPanel::Ping
            | WorkerToPanel::Batch { .. } => {
                if matches!(message, WorkerToPanel::TextDelta { .. }) {
                    let since_start = self.since_start(now_ms);
                    self.timings.first_delta_ms.get_or_insert(since_start);
                }
                self.answer_mut(request).handle_event(message);
                self.note_end(now_ms);
            }
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

    /// A port closed. Without `done` or `error` before it, the answer is cut: never a silent success.
    pub(super) fn handle_disconnect(&mut self, request: Request, now_ms: u64) {
        self.answer_mut(request).end(Run::Interrupted);
        self.note_end(now_ms);
    }

    /// The reader has had enough. What has arrived stays.
    pub(super) fn handle_stop(&mut self, now_ms: u64) {
        for request in [Request::Analysis, Request::Highlights] {
            self.answer_mut(request).end(Run::Stopped);
        }
        self.note_end(now_ms);
    }

    /// A second passed.
    pub(super) fn handle_tick(&mut self) {
        self.analysis.handle_tick();
    }

    /// The page says what stands on it. That may be known before the highlight itself arrives, so it is kept by number.
    pub(super) fn handle_painted(&mut self, painted: Vec<PaintedItem>) {
        // A document that was kept when the reader left it, and shown again when they came back.
        self.detached &= painted.iter().all(|item| item.text.is_empty());
        for item in painted {
            if self.painted.len() < Self::MAX_ITEMS || self.painted.contains_key(&item.index) {
                self.painted.insert(item.index, !item.text.is_empty());
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

    fn answer(&self, request: Request) -> &Answer {
        match request {
            Request::Analysis => &self.analysis,
            Request::Highlights => &self.highlights,
        }
    }

    fn answer_mut(&mut self, request: Request) -> &mut Answer {
        match request {
            Request::Analysis => &mut self.analysis,
            Request::Highlights => &mut self.highlights,
        }
    }

    /// The reader answers what the model wants to open. Returns the request it belongs to and the message for its port.
    pub(super) fn handle_open_reply(&mut self, allow: bool) -> Vec<(Request, PanelToWorker)> {
        let reply = |request| Some((request, self.answer_mut(request).handle_open_reply(allow)?));
        [Request::Analysis, Request::Highlights].into_iter().filter_map(reply).collect()
    }

    /// The addresses that a model wants to open, while the reader is asked.
    pub(super) fn open_requests(&self) -> Vec<String> {
        [&self.analysis, &self.highlights].into_iter().flat_map(Answer::open_requests).collect()
    }

    fn note_end(&mut self, now_ms: u64) {
        if !self.is_running() {
            let since_start = self.since_start(now_ms);
            self.timings.done_ms.get_or_insert(since_start);
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
        self.analysis_run().is_running() || self.highlights_run().is_running()
    }

    /// The request for prose.
    pub fn analysis_run(&self) -> &Run {
        self.analysis.run()
    }

    /// The request for phrases.
    pub fn highlights_run(&self) -> &Run {
        self.highlights.run()
    }

    /// The prose.
    pub fn analysis(&self) -> &Analysis {
        self.analysis.prose()
    }

    /// The prose with all that came beside it: thinking, sources, tools.
    pub fn analysis_answer(&self) -> &Answer {
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
            Some(false) => Place::Absent,
            Some(true) => Place::OnPage,
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
        Usage::sum(self.analysis.usage(), self.highlights.usage())
    }

    /// When what happened.
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// What went wrong or is missing, equal ones once. Never empty when an answer is not whole, unless the reader
    /// stopped it.
    pub fn errors(&self) -> Vec<ReadingError> {
        let analysis = self.analysis.problem(Purpose::Analysis);
        let highlights = self.highlights.problem(Purpose::Highlights).filter(|error| Some(error) != analysis.as_ref());
        analysis.into_iter().chain(highlights).collect()
    }
}
