//! What runs for one port.

use super::answer::Answer;
use super::listing::{LIST_FETCH, Listing};
use super::outbox::Outbox;
use super::page_side::PageSide;
use super::request::Request;
use super::{Context, Effect};
use crate::agent::{Call, CallEvent};
use crate::provider::{ResponseHead, Route, resolve};
use crate::reading::prompt::Instructions;
use crate::wire::{
    ErrorCode, PanelToWorker, ProviderId, ReadingError, Settings, Snapshot, StopReason, Usage, WorkerToPanel,
};

/// A port's request, from its first message to its last.
pub(super) struct Run {
    seed: u64,
    outbox: Outbox,
    phase: Phase,
}

enum Phase {
    /// Nothing was asked yet.
    Connected,
    /// The settings are being loaded.
    Settling(Box<PanelToWorker>),
    /// An answer is on its way.
    Reading(Box<Reading>),
    /// A list of models is on its way.
    Listing(Box<Listing>),
    /// The last word was said; the port stays until the panel closes it.
    Ended,
}

struct Reading {
    /// First label of progress, also of each new try.
    label: &'static str,
    answer: Answer,
    /// None for the offline reader.
    call: Option<Call>,
    page: Option<PageSide>,
    /// The last word, held back until the page has what it should paint.
    ending: Option<WorkerToPanel>,
}

impl Run {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, outbox: Outbox::default(), phase: Phase::Connected }
    }

    pub(super) fn handle_message(&mut self, message: Result<PanelToWorker, String>, context: &mut Context<'_>) {
        let message = match message {
            Ok(PanelToWorker::Ping) => return,
            Ok(message) => message,
            Err(reason) => {
                return self.refuse(&format!("Message not understood ({reason}). Reload the extension."), context);
            }
        };
        match (message, &self.phase) {
            (PanelToWorker::Models { provider, config }, Phase::Connected) => {
                self.list_models(&Route { id: provider, config, notice: None }, context);
            }
            (message, Phase::Connected) => {
                self.phase = Phase::Settling(Box::new(message));
                context.effects.push_back(Effect::LoadSettings(context.port));
            }
            (_, Phase::Settling(_) | Phase::Reading(_) | Phase::Listing(_) | Phase::Ended) => {
                self.refuse("One port is one request. Open another port.", context);
            }
        }
    }

    fn list_models(&mut self, route: &Route, context: &mut Context<'_>) {
        match Listing::start(route, context.now) {
            Ok((listing, request)) => {
                self.phase = Phase::Listing(Box::new(listing));
                context.effects.push_back(Effect::Fetch(context.fetch_id(LIST_FETCH), request));
            }
            Err(error) => self.end(error.into()),
        }
    }

    /// An error ends what the port asked before, as the protocol says of errors.
    fn refuse(&mut self, words: &str, context: &mut Context<'_>) {
        if let Some(number) = self.open_fetch() {
            context.effects.push_back(Effect::Abort(context.fetch_id(number)));
        }
        self.end(ReadingError::new(ErrorCode::UnknownMessage, words).into());
    }

    pub(super) fn handle_settings(&mut self, settings: &Settings, context: &mut Context<'_>) {
        match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Settling(message) => {
                let instructions = Instructions { own: &settings.prompts, answer_language: &settings.answer_language };
                let Some(mut request) = Request::of(*message, &instructions) else { return };
                match request.route.take().map_or_else(|| resolve(settings), Ok) {
                    Ok(route) => self.begin(request, route, context),
                    Err(error) => self.end(error.into()),
                }
            }
            other @ (Phase::Connected | Phase::Reading(_) | Phase::Listing(_) | Phase::Ended) => self.phase = other,
        }
    }

    fn begin(&mut self, request: Request, route: Route, context: &mut Context<'_>) {
        let notice = route.notice.unwrap_or(request.label);
        self.outbox.push(WorkerToPanel::Status { message: notice.to_owned() });
        let page = request.paint.map(|(tab_id, reading)| PageSide::new(tab_id, reading, context));
        let mut reading =
            Reading { label: request.label, answer: Answer::new(request.kind), call: None, page, ending: None };
        let mut events = Vec::new();
        if route.id == ProviderId::Rules {
            let read = reading.answer.read_offline(&request.content, reading.page.as_mut(), &mut self.outbox);
            reading.ending = Some(match read {
                Ok(()) => done(StopReason::EndTurn, None),
                Err(error) => error.into(),
            });
        } else {
            let call = reading.call.insert(Call::new(route, request.prompt, self.seed));
            call.start(context.now, &mut events);
        }
        self.phase = Phase::Reading(Box::new(reading));
        self.take(events, context);
    }

    pub(super) fn handle_head(&mut self, number: u32, head: &ResponseHead) {
        if let Phase::Listing(listing) = &mut self.phase {
            listing.handle_head(head);
        } else if let Some(call) = self.call() {
            call.handle_head(number, head);
        }
    }

    pub(super) fn handle_chunk(&mut self, number: u32, bytes: &[u8], context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &mut self.phase {
            if let Some(error) = listing.handle_chunk(bytes) {
                context.effects.push_back(Effect::Abort(context.fetch_id(LIST_FETCH)));
                self.end(error);
            }
            return;
        }
        self.step(context, |call, now, events| call.handle_chunk(number, bytes, now, events));
    }

    pub(super) fn handle_end(&mut self, number: u32, context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &mut self.phase {
            let ending = match listing.handle_end() {
                Ok(models) => {
                    self.outbox.push(WorkerToPanel::Models { models });
                    done(StopReason::EndTurn, None)
                }
                Err(error) => error.into(),
            };
            return self.end(ending);
        }
        self.step(context, |call, now, events| call.handle_end(number, now, events));
    }

    pub(super) fn handle_fetch_failed(&mut self, number: u32, reason: &str, context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &self.phase {
            let ending = listing.failed(reason);
            return self.end(ending);
        }
        self.step(context, |call, now, events| call.handle_failure(number, reason, now, events));
    }

    pub(super) fn handle_snapshot(&mut self, snapshot: Option<&Snapshot>, context: &mut Context<'_>) {
        if let Some(page) = self.page() {
            page.handle_snapshot(snapshot, context);
        }
        self.settle(context);
    }

    pub(super) fn handle_told(&mut self, context: &mut Context<'_>) {
        if let Some(page) = self.page() {
            page.handle_told();
        }
        self.settle(context);
    }

    pub(super) fn handle_timeout(&mut self, context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &self.phase {
            if listing.deadline <= context.now {
                let ending = listing.late();
                context.effects.push_back(Effect::Abort(context.fetch_id(LIST_FETCH)));
                self.end(ending);
            }
            return;
        }
        if let Some(page) = self.page() {
            page.handle_timeout(context.now);
        }
        self.step(context, Call::handle_timeout);
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        let (call, page) = match &self.phase {
            Phase::Reading(reading) => {
                (reading.call.as_ref().and_then(Call::deadline), reading.page.as_ref().and_then(PageSide::deadline))
            }
            Phase::Listing(listing) => (Some(listing.deadline), None),
            Phase::Connected | Phase::Settling(_) | Phase::Ended => (None, None),
        };
        [self.outbox.deadline(), call, page].into_iter().flatten().min()
    }

    /// Number of the fetch that must be aborted when the run is dropped.
    pub(super) fn open_fetch(&self) -> Option<u32> {
        match &self.phase {
            Phase::Reading(reading) => reading.call.as_ref().and_then(Call::open_fetch),
            Phase::Listing(_) => Some(LIST_FETCH),
            Phase::Connected | Phase::Settling(_) | Phase::Ended => None,
        }
    }

    pub(super) fn poll_message(&mut self, now: u64) -> Option<WorkerToPanel> {
        self.outbox.poll(now)
    }

    fn reading(&mut self) -> Option<&mut Reading> {
        match &mut self.phase {
            Phase::Reading(reading) => Some(reading),
            Phase::Connected | Phase::Settling(_) | Phase::Listing(_) | Phase::Ended => None,
        }
    }

    fn call(&mut self) -> Option<&mut Call> {
        self.reading()?.call.as_mut()
    }

    fn page(&mut self) -> Option<&mut PageSide> {
        self.reading()?.page.as_mut()
    }

    fn step(&mut self, context: &mut Context<'_>, step: impl FnOnce(&mut Call, u64, &mut Vec<CallEvent>)) {
        let mut events = Vec::new();
        if let Some(call) = self.call() {
            step(call, context.now, &mut events);
        }
        self.take(events, context);
    }

    fn take(&mut self, events: Vec<CallEvent>, context: &mut Context<'_>) {
        let Phase::Reading(reading) = &mut self.phase else { return };
        let thought = reading.call.as_ref().is_some_and(Call::thought);
        let Reading { label, answer, page, ending, .. } = &mut **reading;
        let outbox = &mut self.outbox;
        for event in events {
            match event {
                CallEvent::Fetch(number, request) => {
                    if number > 1 {
                        outbox.push(WorkerToPanel::Status { message: (*label).to_owned() });
                    }
                    context.effects.push_back(Effect::Fetch(context.fetch_id(number), request));
                }
                CallEvent::Abort(number) => context.effects.push_back(Effect::Abort(context.fetch_id(number))),
                CallEvent::Text(text) => answer.read(text, page.as_mut(), outbox),
                CallEvent::Activity => outbox.push(WorkerToPanel::Ping),
                CallEvent::Waiting(message) => outbox.push(WorkerToPanel::Status { message }),
                CallEvent::Finished(reason, usage) => {
                    let worthless = answer.finish(Some(reason), thought, page.as_mut(), outbox);
                    // A refusal or a filter explains an empty answer better than its emptiness does.
                    let explained = !reason.is_complete() && reason != StopReason::MaxTokens;
                    *ending = Some(match worthless {
                        Some(error) if !explained => error.into(),
                        Some(_) | None => done(reason, usage),
                    });
                }
                CallEvent::Failed(error) => {
                    // What came before the failure stays; that it is not whole is what the error says.
                    answer.finish(None, thought, page.as_mut(), outbox);
                    *ending = Some(error.into());
                }
            }
        }
        self.settle(context);
    }

    /// Paints what waits; says the last word once nothing is owed to the page.
    fn settle(&mut self, context: &mut Context<'_>) {
        let Some(reading) = self.reading() else { return };
        if let Some(page) = &mut reading.page {
            page.paint(context);
            if page.is_waiting() {
                return;
            }
        }
        if let Some(ending) = reading.ending.take() {
            self.end(ending);
        }
    }

    fn end(&mut self, ending: WorkerToPanel) {
        self.outbox.push(ending);
        self.phase = Phase::Ended;
    }
}

fn done(reason: StopReason, usage: Option<Usage>) -> WorkerToPanel {
    WorkerToPanel::Done { stop_reason: Some(reason), truncated: !reason.is_complete(), usage }
}
