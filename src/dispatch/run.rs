//! What runs for one port.

use super::answer::Answer;
use super::listing::{LIST_FETCH, Listing};
use super::outbox::Outbox;
use super::page_side::PageSide;
use super::request::Request;
use super::{Context, Effect};
use crate::agent::{Conversation, ConversationEvent, FetchedPage};
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
    answer: Answer,
    /// None for the offline reader.
    conversation: Option<Conversation>,
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
        for number in self.open_fetches() {
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
        let limits = request.limits();
        let page = request.paint.map(|(tab_id, reading)| PageSide::new(tab_id, reading, context));
        let mut reading = Reading { answer: Answer::new(request.kind), conversation: None, page, ending: None };
        let mut events = Vec::new();
        if route.id == ProviderId::Rules {
            let read = reading.answer.read_offline(&request.content, reading.page.as_mut(), &mut self.outbox);
            reading.ending = Some(match read {
                Ok(()) => done(StopReason::EndTurn, None),
                Err(error) => error.into(),
            });
        } else {
            let conversation = Conversation::new(route, request.prompt, limits, self.seed);
            reading.conversation.insert(conversation).start(context.now, &mut events);
        }
        self.phase = Phase::Reading(Box::new(reading));
        self.take(events, context);
    }

    pub(super) fn handle_head(&mut self, number: u32, head: &ResponseHead) {
        if let Phase::Listing(listing) = &mut self.phase {
            listing.handle_head(head);
        } else if let Some(conversation) = self.conversation() {
            conversation.handle_head(number, head);
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
        self.step(context, |conversation, now, events| conversation.handle_chunk(number, bytes, now, events));
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
        self.step(context, |conversation, now, events| conversation.handle_end(number, now, events));
    }

    pub(super) fn handle_fetch_failed(&mut self, number: u32, reason: &str, context: &mut Context<'_>) {
        if let Phase::Listing(listing) = &self.phase {
            let ending = listing.failed(reason);
            return self.end(ending);
        }
        self.step(context, |conversation, now, events| conversation.handle_failure(number, reason, now, events));
    }

    pub(super) fn handle_page(&mut self, number: u32, page: Result<FetchedPage, String>, context: &mut Context<'_>) {
        self.step(context, |conversation, now, events| conversation.handle_page(number, page, now, events));
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
        self.step(context, Conversation::handle_timeout);
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        let (conversation, page) = match &self.phase {
            Phase::Reading(reading) => (
                reading.conversation.as_ref().and_then(Conversation::deadline),
                reading.page.as_ref().and_then(PageSide::deadline),
            ),
            Phase::Listing(listing) => (Some(listing.deadline), None),
            Phase::Connected | Phase::Settling(_) | Phase::Ended => (None, None),
        };
        [self.outbox.deadline(), conversation, page].into_iter().flatten().min()
    }

    /// Numbers of the fetches that must be aborted when the run is dropped.
    pub(super) fn open_fetches(&self) -> Vec<u32> {
        match &self.phase {
            Phase::Reading(reading) => {
                reading.conversation.as_ref().map(Conversation::open_fetches).unwrap_or_default()
            }
            Phase::Listing(_) => vec![LIST_FETCH],
            Phase::Connected | Phase::Settling(_) | Phase::Ended => Vec::new(),
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

    fn conversation(&mut self) -> Option<&mut Conversation> {
        self.reading()?.conversation.as_mut()
    }

    fn page(&mut self) -> Option<&mut PageSide> {
        self.reading()?.page.as_mut()
    }

    fn step(
        &mut self,
        context: &mut Context<'_>,
        step: impl FnOnce(&mut Conversation, u64, &mut Vec<ConversationEvent>),
    ) {
        let mut events = Vec::new();
        if let Some(conversation) = self.conversation() {
            step(conversation, context.now, &mut events);
        }
        self.take(events, context);
    }

    fn take(&mut self, events: Vec<ConversationEvent>, context: &mut Context<'_>) {
        let Phase::Reading(reading) = &mut self.phase else { return };
        let thought = reading.conversation.as_ref().is_some_and(Conversation::thought);
        let Reading { answer, page, ending, .. } = &mut **reading;
        let outbox = &mut self.outbox;
        for event in events {
            match event {
                ConversationEvent::Fetch(number, request) => {
                    context.effects.push_back(Effect::Fetch(context.fetch_id(number), request));
                }
                ConversationEvent::FetchPage(number, url) => {
                    context.effects.push_back(Effect::FetchPage(context.fetch_id(number), url));
                }
                ConversationEvent::Abort(number) => context.effects.push_back(Effect::Abort(context.fetch_id(number))),
                ConversationEvent::Text(text) => answer.read(text, page.as_mut(), outbox),
                ConversationEvent::Thinking(text) => outbox.push(WorkerToPanel::ThinkingDelta { text }),
                ConversationEvent::Sources(sources) => {
                    answer.handle_sources(&sources);
                    outbox.push(WorkerToPanel::Sources { sources });
                }
                ConversationEvent::ToolCall { name, label } => {
                    outbox.push(WorkerToPanel::ToolCall { name, label: label.to_owned() });
                }
                ConversationEvent::NextStep => answer.begin_anew(),
                ConversationEvent::Activity => outbox.push(WorkerToPanel::Ping),
                ConversationEvent::Status(message) => outbox.push(WorkerToPanel::Status { message }),
                ConversationEvent::Finished(reason, usage) => {
                    let worthless = answer.finish(Some(reason), thought, page.as_mut(), outbox);
                    // A refusal or a filter explains an empty answer better than its emptiness does.
                    let explained = !reason.is_complete() && reason != StopReason::MaxTokens;
                    *ending = Some(match worthless {
                        Some(error) if !explained => error.into(),
                        Some(_) | None => done(reason, usage),
                    });
                }
                ConversationEvent::Failed(error) => {
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
