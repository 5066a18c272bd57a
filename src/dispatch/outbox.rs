//! What a port is told, and how often.

use crate::wire::WorkerToPanel;

/// Shortest time between two messages on a port, in milliseconds: a frame. A message costs far more than the text in
/// it, and nobody sees two updates within one frame.
pub(super) const FRAME: u64 = 16;

/// Collects events and releases them as one message when the port is due.
///
/// Bounded by construction: adjoining text becomes one event, a sign of life beside a real event is dropped, and
/// everything else is limited by what one frame of a provider's stream can carry.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    pending: Vec<WorkerToPanel>,
    due: u64,
}

impl Outbox {
    /// Adds an event after those that wait.
    pub(super) fn push(&mut self, event: WorkerToPanel) {
        if let WorkerToPanel::Ping = event {
            if self.pending.is_empty() {
                self.pending.push(event);
            }
            return;
        }
        if let Some(WorkerToPanel::Ping) = self.pending.last() {
            self.pending.pop();
        }
        match (self.pending.last_mut(), &event) {
            (Some(WorkerToPanel::TextDelta { text: waiting }), WorkerToPanel::TextDelta { text })
            | (Some(WorkerToPanel::ThinkingDelta { text: waiting }), WorkerToPanel::ThinkingDelta { text }) => {
                waiting.push_str(text);
                return;
            }
            _ => {}
        }
        self.pending.push(event);
    }

    /// The message to post now, if one waits and the port is due.
    pub(super) fn poll(&mut self, now: u64) -> Option<WorkerToPanel> {
        let urgent = self.pending.last().is_some_and(WorkerToPanel::is_final);
        if self.pending.is_empty() || (now < self.due && !urgent) {
            return None;
        }
        self.due = now.saturating_add(FRAME);
        match self.pending.len() {
            1 => self.pending.pop(),
            _ => Some(WorkerToPanel::Batch { events: std::mem::take(&mut self.pending) }),
        }
    }

    /// When [`poll`](Self::poll) has something to give, in the clock of its `now`.
    pub(super) fn deadline(&self) -> Option<u64> {
        (!self.pending.is_empty()).then_some(self.due)
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn text(text: &str) -> WorkerToPanel {
        WorkerToPanel::TextDelta { text: text.to_owned() }
    }

    #[test]
    fn first_event_goes_out_at_once_and_the_next_ones_share_a_frame() {
        let mut outbox = Outbox::default();
        outbox.push(text("a"));
        assert_eq!(outbox.poll(1000), Some(text("a")));
        outbox.push(text("b"));
        outbox.push(text("c"));
        assert_eq!(outbox.poll(1001), None);
        assert_eq!(outbox.deadline(), Some(1000 + FRAME));
        assert_eq!(outbox.poll(1000 + FRAME), Some(text("bc")));
        assert_eq!(outbox.deadline(), None);
    }

    #[test]
    fn an_end_does_not_wait_and_keeps_the_order() {
        let mut outbox = Outbox::default();
        outbox.push(text("a"));
        assert!(outbox.poll(0).is_some());
        let done = WorkerToPanel::Done { stop_reason: None, truncated: false, usage: None };
        outbox.push(text("b"));
        outbox.push(done.clone());
        assert_eq!(outbox.poll(1), Some(WorkerToPanel::Batch { events: vec![text("b"), done] }));
    }

    #[test]
    fn a_sign_of_life_never_stands_beside_a_real_event() {
        let mut outbox = Outbox::default();
        outbox.push(WorkerToPanel::Ping);
        outbox.push(WorkerToPanel::Ping);
        outbox.push(text("a"));
        outbox.push(WorkerToPanel::Ping);
        assert_eq!(outbox.poll(0), Some(text("a")));
        outbox.push(WorkerToPanel::Ping);
        assert_eq!(outbox.poll(FRAME), Some(WorkerToPanel::Ping));
    }

    #[test]
    fn a_flood_of_deltas_is_at_most_sixty_messages_a_second() {
        let mut outbox = Outbox::default();
        let mut posted = 0;
        for millisecond in 0..1000 {
            for _ in 0..13 {
                outbox.push(text("word "));
            }
            posted += usize::from(outbox.poll(millisecond).is_some());
        }
        assert!(posted <= 63, "{posted} messages in a second");
    }
}
