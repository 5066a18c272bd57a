//! What runs for one port.

use super::answer::Answer;
use super::lanes::{Lanes, Traces, done};
use super::listing::Listing;
use super::outbox::Outbox;
use super::page_side::PageSide;
use super::request::Request;
use super::{Context, Effect, FetchId};
use crate::agent::{Conversation, ConversationEvent, FetchedPage};
use crate::provider::{ResponseHead, Route, resolve};
use crate::wire::{ErrorCode, PanelToWorker, ProviderId, ReadingError, Settings, Snapshot, StopReason, WorkerToPanel};
use crate::words;

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
    Settling(Box<Request>),
    /// An answer is on its way.
    Reading(Box<Reading>),
    /// A list of models is on its way.
    Listing(Box<Listing>),
    /// The last word was said; the port stays until the panel closes it.
    Ended,
}

struct Reading {
    /// None for the offline reader.
    lanes: Option<Lanes>,
    page: Option<PageSide>,
    /// The last word, held back until the page has what it should paint.
    ending: Option<WorkerToPanel>,
}

impl Run {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, outbox: Outbox::default(), phase: Phase::Connected }
    }

    pub(super) fn handle_message(&mut self, message: Result<PanelToWorker, String>, context: &mut Context<'_>) {
        let request = match message {
            Ok(PanelToWorker::Models { provider, config }) if matches!(self.phase, Phase::Connected) => {
                return self.list_models(&Route::new(provider, config), context);
            }
            Ok(PanelToWorker::OpenReply { ids, allow }) => return self.handle_open_reply(&ids, allow, context),
            Ok(message) => Request::of(message),
            Err(reason) => {
                return self.refuse(words::say("error_message", &[&reason]), context);
            }
        };
        match (request, &self.phase) {
            (None, _) => {}
            (Some(request), Phase::Connected) => {
                self.phase = Phase::Settling(Box::new(request));
                context.effects.push_back(Effect::LoadSettings(context.port));
            }
            (Some(_), Phase::Settling(_) | Phase::Reading(_) | Phase::Listing(_) | Phase::Ended) => {
                self.refuse(words::say("error_one_port", &[]), context);
            }
        }
    }

    fn handle_open_reply(&mut self, ids: &[u32], allow: bool, context: &mut Context<'_>) {
        if let Phase::Reading(reading) = &mut self.phase
            && let Some(lanes) = &mut reading.lanes
        {
            let traces = &mut Traces { page: reading.page.as_mut(), outbox: &mut self.outbox, context };
            lanes.handle_open_reply(ids, allow, traces);
        }
        self.settle(context);
    }

    fn list_models(&mut self, route: &Route, context: &mut Context<'_>) {
        match Listing::start(route, context) {
            Ok(listing) => self.phase = Phase::Listing(Box::new(listing)),
            Err(error) => self.end(error.into()),
        }
    }

    /// An error ends what the port asked before, as the protocol says of errors.
    fn refuse(&mut self, message: String, context: &mut Context<'_>) {
        self.abort(context);
        self.end(ReadingError::new(ErrorCode::UnknownMessage, message).into());
    }

    pub(super) fn handle_settings(&mut self, settings: &Settings, context: &mut Context<'_>) {
        match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Settling(mut request) => {
                request.instruct(settings);
                match request.route.take().map_or_else(|| resolve(settings), Ok) {
                    Ok(route) => self.begin(*request, route, context),
                    Err(error) => self.end(error.into()),
                }
            }
            other @ (Phase::Connected | Phase::Reading(_) | Phase::Listing(_) | Phase::Ended) => self.phase = other,
        }
    }

    fn begin(&mut self, mut request: Request, mut route: Route, context: &mut Context<'_>) {
        route.tab = request.tab;
        let notice = route.notice.unwrap_or(request.label);
        self.outbox.push(WorkerToPanel::Status { message: words::say(notice, &[]) });
        let paint = request.paint.take();
        let mut page = paint.map(|(tab_id, reading)| PageSide::new(tab_id, reading, context));
        let mut reading = Reading { lanes: None, page: None, ending: None };
        if route.id == ProviderId::Rules {
            let mut answer = Answer::new(request.kind);
            let read =
                answer.read_offline(&request.content, context.world.read_offline, page.as_mut(), &mut self.outbox);
            reading.ending = Some(match read {
                Ok(()) => done(StopReason::EndTurn, None),
                Err(error) => error.into(),
            });
        } else {
            let lanes = reading.lanes.insert(Lanes::new(request, route, self.seed));
            lanes.start(&mut Traces { page: page.as_mut(), outbox: &mut self.outbox, context });
        }
        reading.page = page;
        self.phase = Phase::Reading(Box::new(reading));
        self.settle(context);
    }

    pub(super) fn handle_head(&mut self, fetch: FetchId, head: &ResponseHead) {
        if let Phase::Listing(listing) = &mut self.phase {
            listing.handle_head(head);
        } else if let Some(Reading { lanes: Some(lanes), .. }) = self.reading() {
            lanes.handle_head(fetch, head);
        }
    }

    pub(super) fn handle_chunk(&mut self, fetch: FetchId, bytes: &[u8], context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &mut self.phase {
            if let Some(error) = listing.handle_chunk(bytes) {
                self.abort(context);
                self.end(error);
            }
            return;
        }
        self.step(fetch.lane, context, |conversation, now, events| {
            conversation.handle_chunk(fetch.number, bytes, now, events);
        });
    }

    pub(super) fn handle_end(&mut self, fetch: FetchId, context: &mut Context<'_>) {
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
        self.step(fetch.lane, context, |conversation, now, events| conversation.handle_end(fetch.number, now, events));
    }

    pub(super) fn handle_fetch_failed(&mut self, fetch: FetchId, reason: &str, context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &self.phase {
            let ending = listing.failed(reason);
            return self.end(ending);
        }
        self.step(fetch.lane, context, |conversation, now, events| {
            conversation.handle_failure(fetch.number, reason, now, events);
        });
    }

    pub(super) fn handle_page(&mut self, fetch: FetchId, page: Result<FetchedPage, String>, context: &mut Context<'_>) {
        self.step(fetch.lane, context, |conversation, now, events| {
            conversation.handle_page(fetch.number, page, now, events);
        });
    }

    pub(super) fn handle_snapshot(&mut self, snapshot: Option<&Snapshot>, context: &mut Context<'_>) {
        if let Some(Reading { page: Some(page), .. }) = self.reading() {
            page.handle_snapshot(snapshot, context);
        }
        self.settle(context);
    }

    pub(super) fn handle_told(&mut self, context: &mut Context<'_>) {
        if let Some(Reading { page: Some(page), .. }) = self.reading() {
            page.handle_told();
        }
        self.settle(context);
    }

    pub(super) fn handle_timeout(&mut self, context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &self.phase
            && listing.deadline <= context.now
        {
            let ending = listing.late();
            self.abort(context);
            return self.end(ending);
        }
        if let Phase::Reading(reading) = &mut self.phase {
            if let Some(page) = &mut reading.page {
                page.handle_timeout(context.now);
            }
            if let Some(lanes) = &mut reading.lanes {
                lanes.handle_timeout(&mut Traces { page: reading.page.as_mut(), outbox: &mut self.outbox, context });
            }
        }
        self.settle(context);
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        let (lanes, page) = match &self.phase {
            Phase::Reading(reading) => {
                (reading.lanes.as_ref().and_then(Lanes::deadline), reading.page.as_ref().and_then(PageSide::deadline))
            }
            Phase::Listing(listing) => (Some(listing.deadline), None),
            Phase::Connected | Phase::Settling(_) | Phase::Ended => (None, None),
        };
        [self.outbox.deadline(), lanes, page].into_iter().flatten().min()
    }

    /// Aborts every fetch under way.
    pub(super) fn abort(&mut self, context: &mut Context<'_>) {
        if let Phase::Listing(_) = self.phase {
            context.effects.push_back(Effect::Abort(Listing::fetch_id(context)));
        } else if let Some(Reading { lanes: Some(lanes), .. }) = self.reading() {
            lanes.abort(context);
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

    fn step(
        &mut self,
        lane: u32,
        context: &mut Context<'_>,
        step: impl FnOnce(&mut Conversation, u64, &mut Vec<ConversationEvent>),
    ) {
        if let Phase::Reading(reading) = &mut self.phase
            && let Some(lanes) = &mut reading.lanes
        {
            let traces = &mut Traces { page: reading.page.as_mut(), outbox: &mut self.outbox, context };
            lanes.step(lane, traces, step);
        }
        self.settle(context);
    }

    /// Paints what waits; says the last word once nothing is owed to the page.
    fn settle(&mut self, context: &mut Context<'_>) {
        let Some(reading) = self.reading() else { return };
        if let Some(ending) = reading.lanes.as_mut().and_then(Lanes::poll_ending) {
            reading.ending = Some(ending);
        }
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
