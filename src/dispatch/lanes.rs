//! The conversations of one run: a long page is read part by part, a few parts at once.
//!
//! Each part has a lane of its own. The lane whose part comes first is in turn: its text goes on as it comes. The others
//! keep theirs until it is their turn, so that highlights come in the order of the page. A part that fails is named at
//! the end and costs no other.

mod events;
mod openings;

use self::openings::Question;
use super::answer::Answer;
use super::missing::Missing;
use super::outbox::Outbox;
use super::page_side::PageSide;
use super::request::Request;
use super::stage::{Purpose, Stage, output_limit};
use super::{Context, Effect, FetchId};
use crate::agent::{Conversation, ConversationEvent, UrlAllowlist};
use crate::provider::{ResponseHead, Route, Turn};
use crate::reading::citation::SourceSet;
use crate::wire::{ReadingError, StopReason, Usage, WorkerToPanel};
use crate::words;

/// Most conversations in flight.
const IN_FLIGHT: usize = 3;
/// Most with a server on this machine, which works at one: the next one waits at its door.
const IN_FLIGHT_LOCALLY: usize = 2;
/// Most parts begun and not concluded, those included whose answer waits for its turn.
const AHEAD: usize = 8;
/// Most text kept of a lane that is not in turn, in bytes: several times what its output limit allows.
const MAX_KEPT: usize = 128 * 1024;

/// Where the conversations of a run lead.
pub(super) struct Lanes {
    request: Request,
    route: Route,
    seed: u64,
    stage: Stage,
    /// Lanes begun and not concluded, in the order of their parts.
    open: Vec<Lane>,
    /// Number of the last lane.
    last: u32,
    /// The next part to begin.
    next: usize,
    /// Most conversations in flight.
    width: usize,
    /// The model's context in tokens, once it said so.
    context: Option<u64>,
    answer: Answer,
    /// What was written about each part, where that is not for the reader.
    notes: Vec<String>,
    /// What searches and fetches brought, be it to several conversations.
    sources: SourceSet,
    /// The addresses the answers may open, all lanes together.
    allowlist: UrlAllowlist,
    /// Addresses the reader is being asked about.
    questions: Vec<Question>,
    /// Number of the last question.
    last_question: u32,
    missing: Missing,
    /// Why the answer is not whole, be it a single part's.
    reason: StopReason,
    usage: Option<Usage>,
    ending: Option<WorkerToPanel>,
}

struct Lane {
    number: u32,
    part: usize,
    conversation: Conversation,
    /// Size of the request, in bytes.
    asked: usize,
    /// Text that waits for the lane's turn, one for each step of the conversation.
    kept: Vec<String>,
    kept_bytes: usize,
    outcome: Option<Result<StopReason, ReadingError>>,
}

/// Where a step may leave its traces.
pub(super) struct Traces<'a, 'b> {
    pub(super) page: Option<&'a mut PageSide>,
    pub(super) outbox: &'a mut Outbox,
    pub(super) context: &'a mut Context<'b>,
}

impl Lane {
    /// Keeps text until it is wanted; false when it is too much.
    fn keep(&mut self, text: &str) -> bool {
        self.kept_bytes += text.len();
        if let Some(last) = self.kept.last_mut() {
            last.push_str(text);
        }
        self.kept_bytes <= MAX_KEPT
    }

    fn abort(&self, context: &mut Context<'_>) {
        for number in self.conversation.open_fetches() {
            context.effects.push_back(Effect::Abort(context.fetch_id(self.number, number)));
        }
    }
}

impl Lanes {
    pub(super) fn new(mut request: Request, mut route: Route, seed: u64) -> Self {
        let local = route.is_local();
        let allowlist = request.allowlist();
        route.may_fetch = allowlist.may_open(route.tools().web_search);
        let stage = Stage::first(&mut request, local);
        Self {
            answer: Answer::new(request.kind),
            width: if local { IN_FLIGHT_LOCALLY } else { IN_FLIGHT },
            request,
            route,
            seed,
            stage,
            open: Vec::new(),
            last: 0,
            next: 0,
            context: None,
            notes: Vec::new(),
            sources: SourceSet::default(),
            allowlist,
            questions: Vec::new(),
            last_question: 0,
            missing: Missing::default(),
            reason: StopReason::EndTurn,
            usage: None,
            ending: None,
        }
    }

    /// Asks the first questions.
    pub(super) fn start(&mut self, traces: &mut Traces<'_, '_>) {
        self.advance(traces);
    }

    pub(super) fn handle_head(&mut self, fetch: FetchId, head: &ResponseHead) {
        if let Some(lane) = self.open.iter_mut().find(|lane| lane.number == fetch.lane) {
            lane.conversation.handle_head(fetch.number, head);
        }
    }

    /// Takes an input for one lane.
    pub(super) fn step(
        &mut self,
        number: u32,
        traces: &mut Traces<'_, '_>,
        step: impl FnOnce(&mut Conversation, u64, &mut Vec<ConversationEvent>),
    ) {
        let Some(lane) = self.open.iter_mut().find(|lane| lane.number == number) else { return };
        if lane.outcome.is_some() {
            return;
        }
        let mut events = Vec::new();
        step(&mut lane.conversation, traces.context.now, &mut events);
        self.take(number, events, traces);
        self.advance(traces);
    }

    pub(super) fn handle_timeout(&mut self, traces: &mut Traces<'_, '_>) {
        let numbers: Vec<u32> = self.open.iter().map(|lane| lane.number).collect();
        for number in numbers {
            self.step(number, traces, Conversation::handle_timeout);
        }
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        let waiting = self.open.iter().filter(|lane| lane.outcome.is_none());
        waiting.filter_map(|lane| lane.conversation.deadline()).min()
    }

    /// Aborts every fetch under way.
    pub(super) fn abort(&mut self, context: &mut Context<'_>) {
        self.drop_from(0, context);
    }

    /// The run's last word, once.
    pub(super) fn poll_ending(&mut self) -> Option<WorkerToPanel> {
        self.ending.take()
    }

    fn drop_from(&mut self, at: usize, context: &mut Context<'_>) {
        for lane in self.open.drain(at..).filter(|lane| lane.outcome.is_none()) {
            lane.abort(context);
        }
    }

    /// Concludes lanes whose turn it is, begins new ones, and goes on to what comes after the last.
    fn advance(&mut self, traces: &mut Traces<'_, '_>) {
        while self.ending.is_none() {
            if self.open.first().is_some_and(|lane| lane.outcome.is_some()) {
                let lane = self.open.remove(0);
                self.conclude(lane, traces);
                if !self.open.is_empty() {
                    self.begin_turn(traces);
                }
            } else if self.may_begin() {
                self.begin(traces);
            } else if self.open.is_empty() {
                self.go_on(traces);
            } else {
                return;
            }
        }
    }

    fn may_begin(&self) -> bool {
        let in_flight = self.open.iter().filter(|lane| lane.outcome.is_none()).count();
        self.next < self.stage.parts() && in_flight < self.width && self.open.len() < AHEAD
    }

    fn begin(&mut self, traces: &mut Traces<'_, '_>) {
        let part = self.next;
        self.next += 1;
        self.last += 1;
        let parts = self.stage.parts();
        let mut prompt = self.request.prompt(self.stage.purpose, self.stage.text(part), part + 1, parts);
        prompt.max_tokens = output_limit(prompt.max_tokens, self.context);
        let asked = prompt.system.len() + prompt.turns.iter().map(size).sum::<usize>();
        let seed = self.seed.wrapping_add(u64::from(self.last));
        self.open.push(Lane {
            number: self.last,
            part,
            conversation: Conversation::new(self.route.clone(), prompt, self.request.limits(), seed),
            asked,
            kept: vec![String::new()],
            kept_bytes: 0,
            outcome: None,
        });
        if self.open.len() == 1 {
            self.begin_turn(traces);
        }
        self.step_last(traces);
    }

    fn step_last(&mut self, traces: &mut Traces<'_, '_>) {
        let Some(lane) = self.open.last_mut() else { return };
        let mut events = Vec::new();
        lane.conversation.start(traces.context.now, &mut events);
        self.take(self.last, events, traces);
    }

    /// The first lane is in turn now.
    fn begin_turn(&mut self, traces: &mut Traces<'_, '_>) {
        let lane = &mut self.open[0];
        let (part, kept) = (lane.part, std::mem::take(&mut lane.kept));
        let status = self.stage.status(part);
        if self.last > 1 || status != words::say(self.request.label, &[]) {
            traces.outbox.push(WorkerToPanel::Status { message: status });
        }
        match self.stage.purpose {
            Purpose::Highlights => {
                self.answer.begin_part(part, self.stage.parts());
                if part > 0
                    && let Some(page) = traces.page.as_deref_mut()
                {
                    page.begin_part(first_words(self.stage.text(part)));
                }
                for (step, text) in kept.into_iter().enumerate() {
                    if step > 0 {
                        self.answer.begin_anew();
                    }
                    if !text.is_empty() {
                        self.answer.read(text, traces.page.as_deref_mut(), traces.outbox);
                    }
                }
            }
            Purpose::Answer => {}
            Purpose::Notes | Purpose::Summary => self.open[0].kept = kept,
        }
    }

    /// Takes the end of a lane that was in turn.
    fn conclude(&mut self, lane: Lane, traces: &mut Traces<'_, '_>) {
        let Lane { part, kept, outcome, conversation, .. } = lane;
        let Some(outcome) = outcome else { return };
        match self.stage.purpose {
            Purpose::Notes => {
                let kept = kept.concat();
                let empty = kept.trim().is_empty();
                self.notes.truncate(part);
                self.notes.resize(part, String::new());
                self.notes.push(kept);
                match outcome {
                    Ok(reason) if empty => {
                        self.missing.add(part, &self.answer.worthless(reason, conversation.thought()));
                    }
                    Ok(reason) => self.note_reason(reason),
                    Err(error) => self.missing.add(part, &error),
                }
            }
            Purpose::Summary => self.answer.take_summary(&kept.concat()),
            Purpose::Answer | Purpose::Highlights => {
                let reason = outcome.as_ref().ok().copied();
                let page = traces.page.as_deref_mut();
                let worthless = self.answer.finish(reason, conversation.thought(), page, traces.outbox);
                match (outcome, worthless) {
                    // What came before the failure stays; that it is not whole is what the error says.
                    (Err(error), _) => self.missing.add(part, &error),
                    // A refusal or a filter explains an empty answer better than its emptiness does.
                    (Ok(reason), Some(error)) if reason.is_complete() || reason == StopReason::MaxTokens => {
                        self.missing.add(part, &error);
                    }
                    (Ok(reason), _) => self.note_reason(reason),
                }
            }
        }
    }

    fn note_reason(&mut self, reason: StopReason) {
        if self.reason.is_complete() {
            self.reason = reason;
        }
    }

    /// Every part of the stage is concluded.
    fn go_on(&mut self, traces: &mut Traces<'_, '_>) {
        self.missing.close(self.stage.parts(), self.stage.left_out());
        self.next = 0;
        match self.stage.purpose {
            Purpose::Notes
                if !self.missing.is_hopeless() && self.notes.iter().any(|notes| !notes.trim().is_empty()) =>
            {
                let notes = std::mem::take(&mut self.notes);
                return self.stage.answer_from(&notes, &self.request);
            }
            Purpose::Highlights if !self.missing.is_hopeless() => {
                if let Some(summaries) = self.answer.summaries() {
                    return self.stage.sum_up(summaries);
                }
            }
            Purpose::Notes | Purpose::Highlights | Purpose::Answer | Purpose::Summary => {}
        }
        self.answer.conclude(traces.outbox);
        self.ending = Some(match self.missing.take() {
            Some(ReadingError { message, code, retryable, .. }) => {
                WorkerToPanel::Error { message, code: Some(code), retryable, usage: self.usage }
            }
            None => done(self.reason, self.usage),
        });
    }
}

impl Purpose {
    /// Whether the text is for the reader, as it comes.
    fn is_shown(self) -> bool {
        match self {
            Self::Answer | Self::Highlights => true,
            Self::Notes | Self::Summary => false,
        }
    }
}

/// The last word of an answer that came to its end.
pub(super) fn done(reason: StopReason, usage: Option<Usage>) -> WorkerToPanel {
    WorkerToPanel::Done { stop_reason: Some(reason), truncated: !reason.is_complete(), usage }
}

fn size(turn: &Turn) -> usize {
    match turn {
        Turn::User(text) | Turn::Assistant(text) => text.len(),
        Turn::Replay(_) | Turn::ToolResults(_) => 0,
    }
}

/// Words by which the place of a part is found on the page: the beginning of its first block.
fn first_words(text: &str) -> String {
    let block = text.trim_start().lines().next().unwrap_or_default();
    block.chars().take(160).collect()
}
