//! What becomes of an answer's text: prose goes on as it is, a list of phrases turns into highlights.

use super::ReadOffline;
use super::outbox::Outbox;
use super::page_side::PageSide;
use super::request::Kind;
use crate::reading::category::row;
use crate::reading::citation::SourceSet;
use crate::reading::prompt::{MAX_SUMMARIES, MAX_SUMMARY, clip};
use crate::reading::scan::{Found, Scanner};
use crate::wire::{CategorySummaries, ErrorCode, Highlight, ReadingError, Source, StopReason, WorkerToPanel};
use crate::words;

/// The answer of one run, as far as it has come.
pub(super) enum Answer {
    Prose { kind: Kind, written: bool },
    Highlights { scanner: Box<Scanner>, list: HighlightList },
}

/// Highlights found so far and what they say together.
#[derive(Debug, Default)]
pub(super) struct HighlightList {
    count: u32,
    /// What each part of the page that was read says, in order.
    said: Vec<(String, CategorySummaries)>,
    /// What searches and fetches of this run brought: only such a source is verified.
    sources: SourceSet,
    /// Phrases of the part before, whose end the part in turn repeats, and of this one.
    phrases: Vec<String>,
    /// How many of them stem from the part before.
    before: usize,
    /// How many of them stem from there or from earlier steps: what says them again says them once.
    earlier: usize,
    /// Whether the part in turn brought anything, be it said before.
    has_found: bool,
    /// Whether a part brought an answer in the form asked for.
    is_usable: bool,
    /// Whether the page is read in one go: what is said of it then holds as soon as it is said.
    is_whole: bool,
}

impl Answer {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Analysis | Kind::Answer => Self::Prose { kind, written: false },
            Kind::Highlights => Self::Highlights { scanner: Box::new(Scanner::new()), list: HighlightList::default() },
        }
    }

    /// The text that follows is about another part of the page, counted from 0, of so many; one that comes anew
    /// replaces the old.
    pub(super) fn begin_part(&mut self, part: usize, parts: usize) {
        if let Self::Highlights { scanner, list } = self {
            **scanner = Scanner::new();
            list.begin_part(part);
            list.is_whole = parts == 1;
        }
    }

    /// Takes the next text of a model.
    pub(super) fn read(&mut self, text: String, page: Option<&mut PageSide>, outbox: &mut Outbox) {
        match self {
            Self::Prose { kind, written } => {
                let begins = !*written && !text.trim().is_empty();
                if begins && *kind == Kind::Analysis {
                    outbox.push(WorkerToPanel::Status { message: words::say("status_writing", &[]) });
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

    /// The model's text about a part is over. Gets the last out of it, and what to say if the text was worth nothing.
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
                if !list.has_found && !report.is_document {
                    return Some(nothing_usable(Kind::Highlights, reason, thought));
                }
                list.is_usable = true;
                None
            }
        }
    }

    /// Why a text that ended is worth nothing.
    pub(super) fn worthless(&self, reason: StopReason, thought: bool) -> ReadingError {
        let kind = match self {
            Self::Prose { kind, .. } => *kind,
            Self::Highlights { .. } => Kind::Highlights,
        };
        nothing_usable(kind, Some(reason), thought)
    }

    /// What the parts say, for one summary of them all; `None` when there is no more than one.
    pub(super) fn summaries(&self) -> Option<String> {
        let Self::Highlights { list, .. } = self else { return None };
        let mut text = String::new();
        let mut count = 0;
        for (part, (summary, categories)) in (1..).zip(&list.said) {
            if !summary.is_empty() {
                count += 1;
                push_line(&mut text, &format!("Part {part}"), summary);
                categories.iter().for_each(|(category, said)| push_line(&mut text, row(*category).name, said));
            }
        }
        (count > 1).then_some(text)
    }

    /// Takes a model's summary of the summaries. One that is none leaves the first part's in place.
    pub(super) fn take_summary(&mut self, answer: &str) {
        let Self::Highlights { list, .. } = self else { return };
        let (mut scanner, mut found) = (Scanner::new(), Vec::new());
        scanner.push(answer, &mut found);
        scanner.finish(&mut found);
        let mut said = (String::new(), CategorySummaries::new());
        for found in found {
            match found {
                Found::Summary(text) => said.0 = text,
                Found::CategorySummaries(summaries) => said.1 = summaries,
                Found::Highlight(_) => {}
            }
        }
        if !said.0.is_empty() {
            list.said = vec![said];
        }
    }

    /// Every part is read: says what they say together, if any brought a usable answer.
    pub(super) fn conclude(&mut self, outbox: &mut Outbox) {
        if let Self::Highlights { list, .. } = self
            && list.is_usable
        {
            list.conclude(outbox);
        }
    }

    /// Answers without a model.
    pub(super) fn read_offline(
        &mut self,
        content: &str,
        read: ReadOffline,
        page: Option<&mut PageSide>,
        outbox: &mut Outbox,
    ) -> Result<(), ReadingError> {
        if let Self::Prose { kind: Kind::Answer, .. } = self {
            return Err(ReadingError::new(ErrorCode::NoKey, words::say("offline_no_chat", &[])));
        }
        let Some(reading) = read(content) else {
            return Err(ReadingError::new(ErrorCode::Internal, words::say("offline_not_loaded", &[])));
        };
        match self {
            Self::Prose { .. } => {
                outbox.push(WorkerToPanel::TextDelta { text: reading.analysis });
                Ok(())
            }
            Self::Highlights { list, .. } => {
                list.said = vec![(reading.summary, reading.category_summaries)];
                list.extend(reading.highlights, page, outbox);
                list.conclude(outbox);
                Ok(())
            }
        }
    }
}

impl HighlightList {
    fn begin_part(&mut self, part: usize) {
        self.phrases.drain(..self.before);
        self.before = self.phrases.len();
        self.earlier = self.before;
        self.has_found = false;
        self.said.truncate(part);
        self.said.resize_with(part + 1, Default::default);
    }

    fn take(&mut self, found: Vec<Found>, page: Option<&mut PageSide>, outbox: &mut Outbox) {
        self.has_found |= !found.is_empty();
        let mut highlights = Vec::new();
        let mut says_more = false;
        for found in found {
            match found {
                Found::Highlight(highlight) => highlights.push(highlight),
                Found::Summary(text) => {
                    self.part().0 = text;
                    says_more = true;
                }
                Found::CategorySummaries(summaries) => {
                    self.part().1 = summaries;
                    says_more = true;
                }
            }
        }
        if says_more && self.is_whole {
            let (summary, category_summaries) = self.part().clone();
            outbox.push(WorkerToPanel::HighlightsResult { summary, category_summaries });
        }
        self.extend(highlights, page, outbox);
    }

    fn extend(&mut self, highlights: Vec<Highlight>, mut page: Option<&mut PageSide>, outbox: &mut Outbox) {
        for mut highlight in highlights {
            if self.phrases[..self.earlier].contains(&highlight.phrase) {
                outbox.push(WorkerToPanel::Ping);
                continue;
            }
            self.phrases.push(highlight.phrase.clone());
            let found = self.sources.find(&highlight.source_url).map(str::to_owned);
            highlight.verified = found.is_some();
            highlight.source_url = found.unwrap_or(highlight.source_url);
            let index = self.count;
            self.count += 1;
            if let Some(page) = page.as_deref_mut() {
                page.push(index, highlight.clone());
            }
            outbox.push(WorkerToPanel::HighlightItem { highlight, index });
        }
    }

    /// What the part in turn says.
    fn part(&mut self) -> &mut (String, CategorySummaries) {
        if self.said.is_empty() {
            self.said.push(Default::default());
        }
        let last = self.said.len() - 1;
        &mut self.said[last]
    }

    /// The summary of all parts, else the first one there is; of each category the first sentence.
    fn conclude(&mut self, outbox: &mut Outbox) {
        let mut whole = (String::new(), CategorySummaries::new());
        for (summary, categories) in std::mem::take(&mut self.said) {
            if whole.0.is_empty() {
                whole.0 = summary;
            }
            for (category, said) in categories.iter() {
                if !whole.1.contains_key(category) {
                    whole.1.insert(*category, said.clone());
                }
            }
        }
        outbox.push(WorkerToPanel::HighlightsResult { summary: whole.0, category_summaries: whole.1 });
    }
}

fn push_line(text: &mut String, name: &str, words: &str) {
    if text.len() > MAX_SUMMARIES {
        return;
    }
    for piece in [name, ": ", &clip(words, MAX_SUMMARY), "\n"] {
        text.push_str(piece);
    }
}

/// An answer came to its end and holds nothing a reader could use.
fn nothing_usable(kind: Kind, reason: Option<StopReason>, thought: bool) -> ReadingError {
    let key = match (kind, reason) {
        (_, Some(StopReason::MaxTokens)) if thought => "empty_thinking",
        (_, Some(StopReason::MaxTokens)) => "empty_limit",
        (Kind::Analysis | Kind::Answer, _) if thought => "empty_thought",
        (Kind::Analysis | Kind::Answer, _) => "empty_answer",
        (Kind::Highlights, _) => "empty_list",
    };
    ReadingError::retryable(ErrorCode::Empty, words::say(key, &[]))
}
