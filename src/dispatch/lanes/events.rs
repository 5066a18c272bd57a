//! What a conversation of one lane says, and what becomes of it.

use super::super::Effect;
use super::super::missing::Missing;
use super::super::stage::smaller;
use super::{Lane, Lanes, Traces};
use crate::agent::ConversationEvent;
use crate::wire::{ErrorCode, ReadingError, Usage, WorkerToPanel};
use crate::words;

impl Lanes {
    pub(super) fn take(&mut self, number: u32, events: Vec<ConversationEvent>, traces: &mut Traces<'_, '_>) {
        for event in events {
            // A lane that is gone or given up has nothing more to say; its fetches were aborted.
            let Some(at) = self.open.iter().position(|lane| lane.number == number) else { return };
            if self.open[at].outcome.is_some() {
                return;
            }
            self.take_event(at, event, traces);
        }
    }

    fn take_event(&mut self, at: usize, event: ConversationEvent, traces: &mut Traces<'_, '_>) {
        let in_turn = at == 0;
        let lane = &mut self.open[at];
        let number = lane.number;
        // Progress of a lane that is not in turn is a sign of life and no more.
        let progress = |message| if in_turn { message } else { WorkerToPanel::Ping };
        match event {
            ConversationEvent::Fetch(fetch, request) => {
                traces.context.effects.push_back(Effect::Fetch(traces.context.fetch_id(number, fetch), request));
            }
            ConversationEvent::WantPage(page, url) => self.handle_wanted_page(at, page, url, traces),
            ConversationEvent::FetchPage(fetch, url) => {
                traces.context.effects.push_back(Effect::FetchPage(traces.context.fetch_id(number, fetch), url));
            }
            ConversationEvent::Abort(fetch) => {
                traces.context.effects.push_back(Effect::Abort(traces.context.fetch_id(number, fetch)));
            }
            ConversationEvent::Text(text) if in_turn && self.stage.purpose.is_shown() => {
                self.answer.read(text, traces.page.as_deref_mut(), traces.outbox);
            }
            ConversationEvent::Text(text) => {
                traces.outbox.push(WorkerToPanel::Ping);
                if !lane.keep(&text) {
                    lane.abort(traces.context);
                    lane.outcome = Some(Err(endless()));
                }
            }
            ConversationEvent::NextStep if in_turn && self.stage.purpose.is_shown() => self.answer.begin_anew(),
            ConversationEvent::NextStep => lane.kept.push(String::new()),
            ConversationEvent::Thinking(text) => traces.outbox.push(progress(WorkerToPanel::ThinkingDelta { text })),
            ConversationEvent::Sources(sources) => {
                self.answer.handle_sources(&sources);
                let sources = self.sources.add(sources);
                let news = if sources.is_empty() { WorkerToPanel::Ping } else { WorkerToPanel::Sources { sources } };
                traces.outbox.push(news);
            }
            ConversationEvent::SearchResults(results) => self.allowlist.add_search_results(&results),
            ConversationEvent::Links(addresses) => self.allowlist.add_links(&addresses),
            // What leaves for an address is shown, whichever part of the page asks for it.
            ConversationEvent::ToolCall { name, label, url } if !url.is_empty() => {
                traces.outbox.push(WorkerToPanel::ToolCall { name, label, url });
            }
            ConversationEvent::ToolCall { name, label, url } => {
                traces.outbox.push(progress(WorkerToPanel::ToolCall { name, label, url }));
            }
            ConversationEvent::Activity => traces.outbox.push(WorkerToPanel::Ping),
            ConversationEvent::Status(message) => {
                // The conversation knows nothing of parts.
                let is_first = message == words::say(self.request.label, &[]);
                let message = if is_first { self.stage.status(lane.part) } else { message };
                traces.outbox.push(progress(WorkerToPanel::Status { message }));
            }
            ConversationEvent::Waiting(message) => {
                // A provider that asks for patience is asked one question at a time from here on.
                self.width = 1;
                traces.outbox.push(progress(WorkerToPanel::Status { message }));
            }
            ConversationEvent::Finished(reason, usage) => {
                lane.outcome = Some(Ok(reason));
                self.usage = Usage::sum(self.usage, usage);
            }
            ConversationEvent::Failed(error) => self.handle_failure(at, error, traces),
        }
    }

    fn handle_failure(&mut self, at: usize, error: ReadingError, traces: &mut Traces<'_, '_>) {
        let Lane { part, asked, .. } = self.open[at];
        if error.code == ErrorCode::TooLong
            && let Some(size) = smaller(self.stage.text(part).len(), asked, error.tokens)
            && self.stage.shrink(part, size, &self.request)
        {
            self.context = error.tokens.map(|(_, limit)| limit).or(self.context);
            self.drop_from(at, traces.context);
            self.next = part;
            self.missing.forget_from(part);
            return;
        }
        if Missing::concerns_all(&error) {
            // What one part was refused, no other will get. Those under way may still come to their end.
            (self.next..self.stage.parts()).for_each(|part| self.missing.add(part, &error));
            self.next = self.stage.parts();
        }
        self.open[at].outcome = Some(Err(error));
    }
}

fn endless() -> ReadingError {
    ReadingError::retryable(ErrorCode::Overflow, words::say("error_endless", &[]))
}
