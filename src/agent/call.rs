//! One answer after the other from a provider: the fetches, their retries and their time limits.

use serde_json::Value;

use super::repetition::Repetition;
use crate::provider::{
    Decoder, HttpRequest, ModelEvent, Prompt, Quirks, ResponseHead, Route, Tools, Turn, request, retry,
};
use crate::reading::prompt::{self, Means};
use crate::wire::{ErrorCode, ReadingError, Source, StopReason, Usage};
use crate::words;

/// Longest wait for a response's first byte, in milliseconds. A local model may read a long page for minutes first.
pub const FIRST_BYTE_TIMEOUT: u64 = 300_000;

/// Most bytes of everything a model is sent in one request. The parts of a prompt have bounds of their own, which together
/// stay below it.
pub const MAX_PROMPT_BYTES: usize = 8 << 20;

/// Longest silence within a response, in milliseconds. Any byte counts, a comment too.
pub const STALL_TIMEOUT: u64 = 60_000;

/// What a call tells the conversation that owns it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CallEvent {
    /// Send this request under this number; what comes for an earlier number is ignored.
    Fetch(u32, HttpRequest),
    /// Abort the fetch of this number.
    Abort(u32),
    /// Text of the answer.
    Text(String),
    /// Thinking aloud.
    Thinking(String),
    /// Pages the provider's own tools brought.
    Sources(Vec<Source>),
    /// The provider runs a tool of its own.
    ServerTool(String),
    /// The model calls a tool of ours.
    ToolUse { id: String, name: String, input: Value },
    /// The answer in the provider's form, to go on from.
    Replay(Value),
    /// Bytes came that show nothing; the model may be thinking.
    Activity,
    /// A label of progress, anew each second: the call waits before it tries again.
    Waiting(String),
    /// The answer is over.
    Finished(StopReason, Option<Usage>),
    /// There will be no (further) answer.
    Failed(ReadingError),
}

/// The state machine of one call, and of those that go on from it.
pub(super) struct Call {
    route: Route,
    prompt: Prompt,
    quirks: Quirks,
    number: u32,
    /// Tries that failed in a way that may pass.
    failures: u32,
    /// Once text is out, asking again would say it twice.
    text_shown: bool,
    /// Whether the model thought aloud.
    thought: bool,
    repetition: Repetition,
    seed: u64,
    state: State,
    usage: Option<Usage>,
    scratch: Vec<ModelEvent>,
}

enum State {
    /// The next try starts at `until`, the next label of the count-down is due at `tick`.
    Waiting {
        until: u64,
        tick: u64,
        why: String,
    },
    /// A fetch is under way, and has been silent since `since` for at most `patience`.
    Open {
        decoder: Box<Decoder>,
        /// Whether status and headers came: from then on a break is one in the middle of the answer. Its text is no
        /// sign of that, for a browser throws away what it still holds of a body whose connection breaks.
        has_begun: bool,
        retry_after: Option<String>,
        since: u64,
        patience: u64,
    },
    Ended,
}

impl Call {
    /// Prepares a call; nothing happens before [`start`](Self::start). `seed` spreads the retries of many clients.
    pub(super) fn new(route: Route, prompt: Prompt, seed: u64) -> Self {
        let offered = route.tools();
        let mut call = Self {
            route,
            prompt,
            quirks: Quirks::default(),
            number: 0,
            failures: 0,
            text_shown: false,
            thought: false,
            repetition: Repetition::default(),
            seed,
            state: State::Ended,
            usage: None,
            scratch: Vec::new(),
        };
        call.leave_only(offered);
        call
    }

    /// Takes away what the provider does not have, from the tools and from the words of the prompt.
    fn leave_only(&mut self, offered: Tools) {
        let asked = self.prompt.tools;
        let left = Tools {
            web_search: asked.web_search && offered.web_search,
            fetch_url: asked.fetch_url && offered.fetch_url,
        };
        prompt::adapt(&mut self.prompt.system, means(asked), means(left));
        self.prompt.tools = left;
    }

    /// Sends the request.
    pub(super) fn start(&mut self, now: u64, out: &mut Vec<CallEvent>) {
        match request(self.route.id, &self.route.config, &self.prompt, self.quirks) {
            Ok(request) if request.body.len() > MAX_PROMPT_BYTES => {
                self.fail(ReadingError::new(ErrorCode::Overflow, words::say("error_research", &[])), out);
            }
            Ok(request) => {
                self.number += 1;
                self.state = State::Open {
                    decoder: Box::new(Decoder::new(self.route.id, &self.route.config)),
                    has_begun: false,
                    retry_after: None,
                    since: now,
                    patience: FIRST_BYTE_TIMEOUT,
                };
                out.push(CallEvent::Fetch(self.number, request));
            }
            Err(error) => self.fail(error, out),
        }
    }

    /// Asks again once an answer is over, with `turns` behind what was said so far.
    pub(super) fn go_on(&mut self, turns: impl IntoIterator<Item = Turn>, now: u64, out: &mut Vec<CallEvent>) {
        self.prompt.turns.extend(turns);
        self.failures = 0;
        self.text_shown = false;
        self.repetition = Repetition::default();
        self.usage = None;
        self.start(now, out);
    }

    /// What is asked.
    pub(super) fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// A number no fetch of this call has or will have.
    pub(super) fn take_number(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    /// Status and headers came.
    pub(super) fn handle_head(&mut self, number: u32, head: &ResponseHead) {
        if number != self.number {
            return;
        }
        if let State::Open { decoder, has_begun, retry_after, .. } = &mut self.state {
            *has_begun = true;
            retry_after.clone_from(&head.retry_after);
            decoder.handle_head(head);
        }
    }

    /// The next bytes of the body came.
    pub(super) fn handle_chunk(&mut self, number: u32, bytes: &[u8], now: u64, out: &mut Vec<CallEvent>) {
        if number != self.number {
            return;
        }
        let State::Open { decoder, since, patience, .. } = &mut self.state else { return };
        (*since, *patience) = (now, STALL_TIMEOUT);
        let mut events = std::mem::take(&mut self.scratch);
        decoder.handle_chunk(bytes, &mut events);
        if events.is_empty() {
            out.push(CallEvent::Activity);
        }
        self.take(events, false, now, out);
    }

    /// The body ended.
    pub(super) fn handle_end(&mut self, number: u32, now: u64, out: &mut Vec<CallEvent>) {
        if number != self.number {
            return;
        }
        let State::Open { decoder, .. } = &mut self.state else { return };
        let mut events = std::mem::take(&mut self.scratch);
        decoder.handle_end(&mut events);
        self.take(events, true, now, out);
    }

    /// The fetch failed below HTTP.
    pub(super) fn handle_failure(&mut self, number: u32, reason: &str, now: u64, out: &mut Vec<CallEvent>) {
        if number != self.number {
            return;
        }
        let State::Open { has_begun, .. } = self.state else { return };
        if self.conclude_broken(now, out) {
            return;
        }
        let message = if has_begun {
            words::say("call_broke", &[reason])
        } else {
            words::say("call_no_connection", &[&self.route.name(), reason])
        };
        self.fail_or_retry(ReadingError::retryable(ErrorCode::Network, message), now, out);
    }

    /// The deadline passed.
    pub(super) fn handle_timeout(&mut self, now: u64, out: &mut Vec<CallEvent>) {
        match &mut self.state {
            State::Waiting { until, .. } if *until <= now => self.start(now, out),
            State::Waiting { until, tick, why } if *tick <= now => {
                out.push(count_down(why, *until, now));
                *tick = next_tick(*until, now);
            }
            State::Open { since, patience, .. } if since.saturating_add(*patience) <= now => {
                let seconds = *patience / 1000;
                out.push(CallEvent::Abort(self.number));
                if self.conclude_broken(now, out) {
                    return;
                }
                let message = words::say("call_silent", &[&words::number(seconds)]);
                self.fail(ReadingError::retryable(ErrorCode::Stalled, message), out);
            }
            State::Waiting { .. } | State::Open { .. } | State::Ended => {}
        }
    }

    /// When [`handle_timeout`](Self::handle_timeout) is due.
    pub(super) fn deadline(&self) -> Option<u64> {
        match self.state {
            State::Waiting { tick, .. } => Some(tick),
            State::Open { since, patience, .. } => Some(since.saturating_add(patience)),
            State::Ended => None,
        }
    }

    /// Whether the model thought aloud, be it to no end.
    pub(super) fn thought(&self) -> bool {
        self.thought
    }

    /// Number of the fetch under way, which must be aborted when the call is dropped.
    pub(super) fn open_fetch(&self) -> Option<u32> {
        matches!(self.state, State::Open { .. }).then_some(self.number)
    }

    /// What the response had already said counts although its connection broke: an answer that was whole, or a refusal.
    /// False when all there is to say is that it broke.
    fn conclude_broken(&mut self, now: u64, out: &mut Vec<CallEvent>) -> bool {
        let State::Open { decoder, .. } = &mut self.state else { return false };
        let mut events = std::mem::take(&mut self.scratch);
        decoder.handle_end(&mut events);
        let before = events.len();
        events.retain(|event| !matches!(event, ModelEvent::Error(error) if error.code == ErrorCode::Truncated));
        let is_explained = events.len() == before;
        self.take(events, true, now, out);
        is_explained || matches!(self.state, State::Ended)
    }

    fn take(&mut self, mut events: Vec<ModelEvent>, body_ended: bool, now: u64, out: &mut Vec<CallEvent>) {
        for event in events.drain(..) {
            if let State::Ended | State::Waiting { .. } = self.state {
                break;
            }
            match event {
                ModelEvent::Text(mut text) => {
                    let runs_away = self.repetition.push(&text);
                    text.truncate(runs_away.unwrap_or(text.len()));
                    self.text_shown |= !text.trim().is_empty();
                    out.push(CallEvent::Text(text));
                    if runs_away.is_some() {
                        let message = words::say("call_repeats", &[]);
                        self.give_up(ReadingError::retryable(ErrorCode::Runaway, message), body_ended, out);
                    }
                }
                ModelEvent::Thinking(text) => {
                    self.thought = true;
                    out.push(CallEvent::Thinking(text));
                }
                ModelEvent::Sources(sources) => out.push(CallEvent::Sources(sources)),
                ModelEvent::ServerTool { name, .. } => out.push(CallEvent::ServerTool(name)),
                ModelEvent::ToolUse { id, name, input } => out.push(CallEvent::ToolUse { id, name, input }),
                ModelEvent::Replay(answer) => out.push(CallEvent::Replay(answer)),
                ModelEvent::Refusal(quoted) => {
                    let message = words::say("call_declined", &[&quoted]);
                    self.give_up(ReadingError::new(ErrorCode::Refused, message), body_ended, out);
                }
                ModelEvent::Status(label) => out.push(CallEvent::Waiting(label)),
                ModelEvent::Usage(usage) => self.usage = Some(usage),
                ModelEvent::Stop(reason) => {
                    if !body_ended {
                        // What may follow (a late error, an empty line) changes nothing, so the connection can go.
                        out.push(CallEvent::Abort(self.number));
                    }
                    self.state = State::Ended;
                    out.push(CallEvent::Finished(reason, self.usage));
                }
                ModelEvent::Error(error) => {
                    if !body_ended {
                        out.push(CallEvent::Abort(self.number));
                    }
                    self.fail_or_retry(error, now, out);
                }
            }
        }
        self.scratch = events;
    }

    fn fail_or_retry(&mut self, mut error: ReadingError, now: u64, out: &mut Vec<CallEvent>) {
        let (mut quirks, retry_after) = match &self.state {
            State::Open { decoder, retry_after, .. } => {
                let named = || decoder.retry_after().map(str::to_owned);
                (decoder.quirks(self.quirks), retry_after.clone().or_else(named))
            }
            State::Waiting { .. } | State::Ended => (None, None),
        };
        if matches!(&self.state, State::Open { decoder, .. } if decoder.is_origin_refused()) {
            match self.route.way_around(self.quirks.via) {
                Ok(way) => quirks = way.map(|via| Quirks { via, ..self.quirks }),
                Err(needs) => error = needs,
            }
        }
        if let Some(quirks) = quirks.filter(|_| !self.text_shown) {
            self.quirks = quirks;
            self.leave_only(quirks.tools());
            return self.start(now, out);
        }
        self.failures += 1;
        let jitter = self.jitter();
        let delay = retry::may_retry(&error, self.text_shown)
            .then(|| retry::delay(self.failures, retry_after.as_deref(), now, jitter))
            .flatten();
        let Some(delay) = delay else {
            if error.retryable && matches!(error.code, ErrorCode::RateLimited | ErrorCode::Overloaded) {
                let pause = retry_after.and_then(|header| retry::asked_delay(&header, now)).map(|ms| ms.div_ceil(1000));
                error.message = match pause {
                    Some(seconds) => words::say("call_try_in", &[&error.message, &words::number(seconds)]),
                    None => words::say("call_try_soon", &[&error.message]),
                };
            }
            return self.fail(error, out);
        };
        let until = now.saturating_add(u64::from(delay));
        out.push(count_down(&error.message, until, now));
        self.state = State::Waiting { until, tick: next_tick(until, now), why: error.message };
    }

    fn give_up(&mut self, error: ReadingError, body_ended: bool, out: &mut Vec<CallEvent>) {
        if !body_ended {
            out.push(CallEvent::Abort(self.number));
        }
        self.fail(error, out);
    }

    fn fail(&mut self, error: ReadingError, out: &mut Vec<CallEvent>) {
        self.state = State::Ended;
        out.push(CallEvent::Failed(error));
    }

    /// A number in 0..1 (splitmix64); spreading clients needs no better.
    fn jitter(&mut self) -> f64 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        #[expect(clippy::cast_precision_loss, reason = "a fraction needs no more than the mantissa")]
        let fraction = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        fraction
    }
}

fn means(tools: Tools) -> Means {
    match tools {
        Tools { web_search: true, .. } => Means::Search,
        Tools { fetch_url: true, .. } => Means::Fetch,
        Tools { .. } => Means::None,
    }
}

fn count_down(why: &str, until: u64, now: u64) -> CallEvent {
    let seconds = words::number(until.saturating_sub(now).div_ceil(1000));
    CallEvent::Waiting(words::say("status_trying_again", &[why, &seconds]))
}

/// When the number of whole seconds until then is next one less.
fn next_tick(until: u64, now: u64) -> u64 {
    until.saturating_sub(until.saturating_sub(now).saturating_sub(1) / 1000 * 1000)
}
