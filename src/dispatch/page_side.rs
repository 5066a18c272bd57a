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
    /// Highlights not yet sent to the page; bounded by the limit of the extractor.
    waiting: Vec<(u32, Highlight)>,
    /// Messages the page has not answered yet, and how long that is waited for.
    unanswered: u32,
    answer_by: u64,
    /// End of the last place found: readings go down the page, so the next phrase most likely follows it.
    near: Option<u32>,
    /// Every frame has heard of this reading, and so let go of the one before.
    announced: bool,
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
        self.waiting.push((index, highlight));
    }

    pub(super) fn handle_snapshot(&mut self, snapshot: Option<&Snapshot>, context: &Context<'_>) {
        self.text = match snapshot {
            Some(snapshot) => PageText::Here {
                frames: Frames::of(snapshot),
                index: Box::new(AnchorIndex::new(snapshot, context.decompose)),
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
        self.unanswered > 0 || matches!(self.text, PageText::Asked { .. }) && !self.waiting.is_empty()
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        match self.text {
            PageText::Asked { until } => Some(until),
            PageText::Here { .. } | PageText::Absent => (self.unanswered > 0).then_some(self.answer_by),
        }
    }

    /// Sends everything that waits as one message to each frame it concerns. What has no place goes to the top one.
    pub(super) fn paint(&mut self, context: &mut Context<'_>) {
        let PageText::Here { frames, index } = &self.text else { return };
        if self.waiting.is_empty() {
            return;
        }
        let mut documents: Vec<(u32, u32, Vec<PaintItem>)> =
            frames.documents().into_iter().map(|(frame, generation)| (frame, generation, Vec::new())).collect();
        for (number, highlight) in self.waiting.drain(..) {
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
                label: row.label.to_owned(),
                note: highlight.note,
                source: highlight.source,
                source_url: highlight.source_url,
                verified: highlight.verified,
                anchor: located.map(|(_, anchor)| anchor),
            });
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
