//! The page's half of a reading: highlights wait for its text, find their places and go to be painted.

use super::{Context, Effect};
use crate::page::Frames;
use crate::page::anchor::AnchorIndex;
use crate::reading::category;
use crate::wire::{ExtensionToPage, Highlight, PaintItem, Snapshot};

/// Longest wait for a page's text, in milliseconds. After it the reading goes on unpainted.
pub(super) const SNAPSHOT_TIMEOUT: u64 = 10_000;

/// Longest wait for a page's word that it has painted, in milliseconds.
pub(super) const ANSWER_TIMEOUT: u64 = 5_000;

pub(super) struct PageSide {
    tab_id: i32,
    reading: String,
    text: PageText,
    /// What was found and not yet sent to the page; bounded by the limits of the extractor and of parts.
    waiting: Vec<Waiting>,
    /// Messages the page has not answered yet, and how long that is waited for.
    unanswered: u32,
    answer_by: u64,
    /// End of the last place found: readings go down the page, so the next phrase most likely follows it.
    near: Option<u32>,
    /// Every frame has heard of this reading, and so let go of the one before.
    announced: bool,
}

enum Waiting {
    /// A part of a long page begins with these words.
    Part(String),
    /// A highlight and its number.
    Highlight(u32, Highlight),
}

enum PageText {
    Asked { until: u64 },
    Here { frames: Frames, index: Box<AnchorIndex> },
    Absent,
}

impl PageSide {
    /// Asks for the page's text at once, so that it is here before the model's first word.
    pub(super) fn new(tab_id: i32, reading: String, context: &mut Context<'_>) -> Self {
        context.effects.push_back(Effect::TakeSnapshot(context.port, tab_id));
        let text = PageText::Asked { until: context.now.saturating_add(SNAPSHOT_TIMEOUT) };
        Self { tab_id, reading, text, waiting: Vec::new(), unanswered: 0, answer_by: 0, near: None, announced: false }
    }

    pub(super) fn push(&mut self, index: u32, highlight: Highlight) {
        self.waiting.push(Waiting::Highlight(index, highlight));
    }

    /// The highlights that follow stand in a part of the page that begins with these words.
    pub(super) fn begin_part(&mut self, words: String) {
        self.waiting.push(Waiting::Part(words));
    }

    pub(super) fn handle_snapshot(&mut self, snapshot: Option<&Snapshot>, context: &Context<'_>) {
        self.text = match snapshot {
            Some(snapshot) => PageText::Here {
                frames: Frames::of(snapshot),
                index: Box::new(AnchorIndex::new(snapshot, context.world.decompose)),
            },
            None => PageText::Absent,
        };
    }

    pub(super) fn handle_timeout(&mut self, now: u64) {
        if let PageText::Asked { until } = self.text
            && until <= now
        {
            self.text = PageText::Absent;
        }
        if self.answer_by <= now {
            self.unanswered = 0;
        }
    }

    /// The page answered a message: what it carried is painted.
    pub(super) fn handle_told(&mut self) {
        self.unanswered = self.unanswered.saturating_sub(1);
    }

    /// Whether there are highlights for which the page still owes its text, or its word that they are painted.
    pub(super) fn is_waiting(&self) -> bool {
        let has_highlights = || self.waiting.iter().any(|waiting| matches!(waiting, Waiting::Highlight(..)));
        self.unanswered > 0 || matches!(self.text, PageText::Asked { .. }) && has_highlights()
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        match self.text {
            PageText::Asked { until } => Some(until),
            PageText::Here { .. } | PageText::Absent => (self.unanswered > 0).then_some(self.answer_by),
        }
    }

    /// Sends everything that waits as one message to each frame it concerns. What has no place goes to the top one.
    pub(super) fn paint(&mut self, context: &mut Context<'_>) {
        let (frames, index) = match &self.text {
            PageText::Here { frames, index } => (frames, index),
            PageText::Asked { .. } => return,
            PageText::Absent => return self.waiting.clear(),
        };
        let mut documents: Vec<(u32, u32, Vec<PaintItem>)> =
            frames.documents().into_iter().map(|(frame, generation)| (frame, generation, Vec::new())).collect();
        let mut found = false;
        for waiting in self.waiting.drain(..) {
            let (number, highlight) = match waiting {
                Waiting::Highlight(number, highlight) => (number, highlight),
                Waiting::Part(words) => {
                    self.near = index.find(&words, self.near).map_or(self.near, |place| Some(place.start));
                    continue;
                }
            };
            found = true;
            let place = index.find(&highlight.phrase, self.near);
            let located = place.and_then(|place| frames.locate(place));
            self.near = located.and(place).map_or(self.near, |place| Some(place.end));
            let frame = located.map_or(0, |(frame, _)| frame);
            let Some((.., items)) = documents.iter_mut().find(|(number, ..)| *number == frame) else { continue };
            let row = category::row(highlight.category);
            items.push(PaintItem {
                index: number,
                phrase: highlight.phrase,
                category: highlight.category,
                label: row.label(),
                note: highlight.note,
                source: highlight.source,
                source_url: highlight.source_url,
                verified: highlight.verified,
                anchor: located.map(|(_, anchor)| anchor),
            });
        }
        if !found {
            return;
        }
        for (frame, generation, items) in documents {
            if items.is_empty() && self.announced {
                continue;
            }
            let message = ExtensionToPage::Paint { reading: self.reading.clone(), generation, items };
            context.effects.push_back(Effect::ToPage(context.port, self.tab_id, frame, message));
            self.unanswered += 1;
        }
        self.announced = true;
        self.answer_by = context.now.saturating_add(ANSWER_TIMEOUT);
    }
}
