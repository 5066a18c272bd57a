//! Addresses that models want to open: the run decides for all of its lanes together, and may have to ask the reader.

use super::{Lanes, Traces};
use crate::agent::{DECLINED, Decision};
use crate::wire::WorkerToPanel;

/// A page that a lane may open once the reader agrees.
pub(super) struct Question {
    id: u32,
    lane: u32,
    page: u32,
    url: String,
}

impl Lanes {
    /// The reader's answer about addresses that models want to open.
    pub(in crate::dispatch) fn handle_open_reply(&mut self, ids: &[u32], allow: bool, traces: &mut Traces<'_, '_>) {
        let (answered, waiting) = std::mem::take(&mut self.questions).into_iter().partition(|q| ids.contains(&q.id));
        self.questions = waiting;
        let answered: Vec<Question> = answered;
        for Question { lane, page, url, .. } in answered {
            self.allowlist.handle_reply(&url, allow);
            if let Some(at) = self.open.iter().position(|open| open.number == lane) {
                if allow {
                    self.handle_wanted_page(at, page, url, traces);
                } else {
                    self.refuse_page(at, page, DECLINED, traces);
                }
            }
        }
        self.advance(traces);
    }

    /// A lane wants to open an address.
    pub(super) fn handle_wanted_page(&mut self, at: usize, page: u32, url: String, traces: &mut Traces<'_, '_>) {
        match self.allowlist.decide(&url) {
            Decision::Open => {
                let (mut events, lane) = (Vec::new(), &mut self.open[at]);
                lane.conversation.open_page(page, traces.context.now, &mut events);
                let number = lane.number;
                self.take(number, events, traces);
            }
            Decision::Ask => {
                self.last_question += 1;
                let id = self.last_question;
                traces.outbox.push(WorkerToPanel::OpenRequest { id, url: url.clone() });
                self.questions.push(Question { id, lane: self.open[at].number, page, url });
            }
            Decision::Refuse(reason) => self.refuse_page(at, page, reason, traces),
        }
    }

    fn refuse_page(&mut self, at: usize, page: u32, reason: &str, traces: &mut Traces<'_, '_>) {
        let (mut events, lane) = (Vec::new(), &mut self.open[at]);
        lane.conversation.handle_page(page, Err(reason.to_owned()), traces.context.now, &mut events);
        let number = lane.number;
        self.take(number, events, traces);
    }
}
