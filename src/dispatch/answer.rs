//! What becomes of an answer's text: prose goes on as it is, a list of phrases turns into highlights.

use super::outbox::Outbox;
use super::page_side::PageSide;
use super::request::Kind;
use crate::reading::citation::SourceSet;
use crate::reading::rules;
use crate::reading::scan::{Found, Scanner};
use crate::wire::{CategorySummaries, ErrorCode, Highlight, ReadingError, Source, StopReason, WorkerToPanel};

/// The answer of one run, as far as it has come.
pub(super) enum Answer {
    Prose { kind: Kind, written: bool },
    Highlights { scanner: Box<Scanner>, list: HighlightList },
}

/// Highlights found so far and what they say together.
#[derive(Debug, Default)]
pub(super) struct HighlightList {
    count: u32,
    /// What searches and fetches of this run brought: only such a source is verified.
    sources: SourceSet,
    /// Every phrase so far, and how many of them stem from earlier steps: a step that says them again says them once.
    phrases: Vec<String>,
    earlier: usize,
    summary: String,
    category_summaries: CategorySummaries,
}

impl Answer {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Analysis | Kind::Answer => Self::Prose { kind, written: false },
            Kind::Highlights => Self::Highlights { scanner: Box::new(Scanner::new()), list: HighlightList::default() },
        }
    }

    /// Takes the next text of a model.
    pub(super) fn read(&mut self, text: String, page: Option<&mut PageSide>, outbox: &mut Outbox) {
        match self {
            Self::Prose { kind, written } => {
                let begins = !*written && !text.trim().is_empty();
                if begins && *kind == Kind::Analysis {
                    outbox.push(WorkerToPanel::Status { message: "Writing analysis...".to_owned() });
                }
                *written |= begins;
                outbox.push(WorkerToPanel::TextDelta { text });
            }
            Self::Highlights { scanner, list } => {
                let mut found = Vec::new();
                scanner.push(&text, &mut found);
                if found.is_empty() {
                    outbox.push(WorkerToPanel::Ping);
                }
                list.take(found, page, outbox);
            }
        }
    }

    /// A search or a fetch brought these pages.
    pub(super) fn handle_sources(&mut self, sources: &[Source]) {
        if let Self::Highlights { list, .. } = self {
            list.sources.add(sources.to_vec());
        }
    }

    /// The model is asked again: what it said before its tools ran is a text of its own, half an object perhaps.
    pub(super) fn begin_anew(&mut self) {
        if let Self::Highlights { scanner, list } = self {
            **scanner = Scanner::new();
            list.earlier = list.phrases.len();
        }
    }

    /// The model's text is over. Gets the last out of it, and the run's last word if the text was worth nothing.
    /// `thought` says whether the model thought aloud.
    pub(super) fn finish(
        &mut self,
        reason: Option<StopReason>,
        thought: bool,
        page: Option<&mut PageSide>,
        outbox: &mut Outbox,
    ) -> Option<ReadingError> {
        match self {
            Self::Prose { written, .. } => (!*written).then(|| nothing_usable(Kind::Analysis, reason, thought)),
            Self::Highlights { scanner, list } => {
                let mut found = Vec::new();
                let report = scanner.finish(&mut found);
                list.take(found, page, outbox);
                if list.is_empty() && !report.is_document {
                    return Some(nothing_usable(Kind::Highlights, reason, thought));
                }
                list.conclude(outbox);
                None
            }
        }
    }

    /// Answers without a model.
    pub(super) fn read_offline(
        &mut self,
        content: &str,
        page: Option<&mut PageSide>,
        outbox: &mut Outbox,
    ) -> Result<(), ReadingError> {
        match self {
            Self::Prose { kind: Kind::Answer, .. } => Err(ReadingError::new(
                ErrorCode::NoKey,
                "The offline reader can't answer questions. Set up a provider in ⚙ Settings.",
            )),
            Self::Prose { .. } => {
                outbox.push(WorkerToPanel::TextDelta { text: rules::read(content).analysis });
                Ok(())
            }
            Self::Highlights { list, .. } => {
                let reading = rules::read(content);
                list.summary = reading.summary;
                list.category_summaries = reading.category_summaries;
                list.extend(reading.highlights, page, outbox);
                list.conclude(outbox);
                Ok(())
            }
        }
    }
}

impl HighlightList {
    fn take(&mut self, found: Vec<Found>, page: Option<&mut PageSide>, outbox: &mut Outbox) {
        let mut highlights = Vec::new();
        for found in found {
            match found {
                Found::Highlight(highlight) => highlights.push(highlight),
                Found::Summary(text) => self.summary = text,
                Found::CategorySummaries(summaries) => self.category_summaries = summaries,
            }
        }
        self.extend(highlights, page, outbox);
    }

    fn extend(&mut self, highlights: Vec<Highlight>, mut page: Option<&mut PageSide>, outbox: &mut Outbox) {
        for mut highlight in highlights {
            if self.phrases[..self.earlier].contains(&highlight.phrase) {
                continue;
            }
            self.phrases.push(highlight.phrase.clone());
            highlight.verified = self.sources.contains(&highlight.source_url);
            let index = self.count;
            self.count += 1;
            if let Some(page) = page.as_deref_mut() {
                page.push(index, highlight.clone());
            }
            outbox.push(WorkerToPanel::HighlightItem { highlight, index });
        }
    }

    fn is_empty(&self) -> bool {
        self.count == 0 && self.summary.is_empty() && self.category_summaries.is_empty()
    }

    fn conclude(&mut self, outbox: &mut Outbox) {
        outbox.push(WorkerToPanel::HighlightsResult {
            summary: std::mem::take(&mut self.summary),
            category_summaries: std::mem::take(&mut self.category_summaries),
        });
    }
}

/// An answer came to its end and holds nothing a reader could use.
fn nothing_usable(kind: Kind, reason: Option<StopReason>, thought: bool) -> ReadingError {
    let words = match (kind, reason) {
        (_, Some(StopReason::MaxTokens)) if thought => {
            "Thinking used the model's whole output limit before an answer. Read again, or choose another model in ⚙ Settings."
        }
        (_, Some(StopReason::MaxTokens)) => {
            "The model used its whole output limit without a usable answer. Read again, or choose another model in ⚙ Settings."
        }
        (Kind::Analysis | Kind::Answer, _) if thought => {
            "The model thought, but gave no answer. Read again, or choose another model in ⚙ Settings."
        }
        (Kind::Analysis | Kind::Answer, _) => {
            "The model sent an empty answer. Read again, or choose another model in ⚙ Settings."
        }
        (Kind::Highlights, _) => {
            "The model's answer holds no highlights in the form asked for. Read again, or choose a larger model in ⚙ Settings."
        }
    };
    ReadingError::retryable(ErrorCode::Empty, words)
}
