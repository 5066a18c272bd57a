//! A request's life: port message → run → events.
//!
//! [`Dispatcher`] is the service worker without its effects. Whoever drives it calls a `handle_*` for every input,
//! then drains [`Dispatcher::poll_effect`] and arms one timer for [`Dispatcher::poll_deadline`]. Times are
//! milliseconds since 1970, since a server may name a date to wait for; one that runs backwards counts as standing still.
//!
//! 1. A port connects; its name and sender are checked.
//! 2. Its first message is the request; settings are loaded for it.
//! 3. The route is chosen: a provider's model, or the offline reader.
//! 4. Events go out, coalesced to one message a frame; highlights go to the page the moment they are complete.
//! 5. `done` or `error` ends it. The port closing at any point cancels everything that runs for it.

mod answer;
mod lanes;
mod listing;
mod missing;
mod outbox;
mod page_side;
mod request;
mod run;
mod stage;

use std::collections::VecDeque;

use run::Run;

use crate::agent::FetchedPage;
use crate::page::Decompose;
use crate::provider::{HttpRequest, ResponseHead};
use crate::reading::rules;
use crate::sorted_map::SortedMap;
use crate::wire::{ErrorCode, ExtensionToPage, PanelToWorker, ReadingError, Settings, Snapshot, WorkerToPanel};
use crate::words;

/// The one name a port may have.
pub const PORT_NAME: &str = "agent";

/// Most ports at one time. A panel uses two for a reading; beyond this something runs away.
pub const MAX_PORTS: usize = 64;

/// A port, numbered by whoever drives the dispatcher.
pub type PortId = u32;

/// A fetch: the port and the lane it serves, and its number within the lane. A late answer to an earlier lane or number is
/// dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FetchId {
    /// The port.
    pub port: PortId,
    /// One of the conversations that run side by side for a port; counts from 1 and is never used again.
    pub lane: u32,
    /// Counts from 1 within the lane.
    pub number: u32,
}

/// Something the world has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Post on a port. A port that is gone is not an error.
    Post(PortId, WorkerToPanel),
    /// Disconnect a port that must not speak.
    Close(PortId),
    /// Load the settings; answer with [`Dispatcher::handle_settings`].
    LoadSettings(PortId),
    /// Send a request; answer with [`Dispatcher::handle_head`], chunks and an end, or a failure.
    Fetch(FetchId, HttpRequest),
    /// Fetch a page for a model, without cookies; answer with [`Dispatcher::handle_page`].
    FetchPage(FetchId, String),
    /// Abort a fetch, of a page too; nothing of it is wanted any more.
    Abort(FetchId),
    /// Take a snapshot of a tab; answer with [`Dispatcher::handle_snapshot`].
    TakeSnapshot(PortId, i32),
    /// Tell the script in a frame (the number behind the tab's) of a page, for a port; answer with [`Dispatcher::handle_told`] once it has answered or can't.
    /// Messages to one tab must keep their order.
    ToPage(PortId, i32, u32, ExtensionToPage),
}

/// How a page is read without a model: [`rules::read`], wherever that stands. `None` when it can't be had.
pub type ReadOffline = fn(&str) -> Option<rules::Reading>;

/// Every open port and what runs for it.
pub struct Dispatcher {
    runs: SortedMap<PortId, Run>,
    effects: VecDeque<Effect>,
    now: u64,
    world: World,
}

/// What the core takes from the world without waiting.
#[derive(Debug, Clone, Copy)]
pub struct World {
    /// What anchoring compares characters by.
    pub decompose: Decompose,
    /// The offline reader. It is asked for after [`Dispatcher::handle_settings`] only.
    pub read_offline: ReadOffline,
}

impl Dispatcher {
    /// A dispatcher without ports.
    pub fn new(world: World) -> Self {
        Self { runs: SortedMap::new(), effects: VecDeque::new(), now: 0, world }
    }

    /// A port connected. `own_page` says whether the sender is a page of this extension.
    pub fn handle_connect(&mut self, port: PortId, name: &str, own_page: bool, seed: u64) {
        let refusal = if name != PORT_NAME || !own_page {
            Some((ErrorCode::UnknownMessage, "error_port"))
        } else if self.runs.len() >= MAX_PORTS {
            Some((ErrorCode::Overflow, "error_too_many"))
        } else {
            None
        };
        if let Some((code, key)) = refusal {
            let error = ReadingError::new(code, words::say(key, &[]));
            self.effects.push_back(Effect::Post(port, error.into()));
            self.effects.push_back(Effect::Close(port));
            return;
        }
        self.runs.insert(port, Run::new(seed));
    }

    /// A message came in on a port; `Err` carries why it is none we know.
    pub fn handle_message(&mut self, port: PortId, message: Result<PanelToWorker, String>, now: u64) {
        self.drive(port, now, |run, context| run.handle_message(message, context));
    }

    /// A port closed: whatever runs for it stops, silently.
    pub fn handle_disconnect(&mut self, port: PortId) {
        if let Some(mut run) = self.runs.remove(&port) {
            let mut context = Context { port, now: self.now, world: self.world, effects: &mut self.effects };
            run.abort(&mut context);
        }
    }

    /// The settings a port waits for.
    pub fn handle_settings(&mut self, port: PortId, settings: &Settings, now: u64) {
        self.drive(port, now, |run, context| run.handle_settings(settings, context));
    }

    /// Status and headers of a response.
    pub fn handle_head(&mut self, fetch: FetchId, head: &ResponseHead, now: u64) {
        self.drive(fetch.port, now, |run, _| run.handle_head(fetch, head));
    }

    /// The next bytes of a response's body, as the network cut them.
    pub fn handle_chunk(&mut self, fetch: FetchId, bytes: &[u8], now: u64) {
        self.drive(fetch.port, now, |run, context| run.handle_chunk(fetch, bytes, context));
    }

    /// The end of a response's body.
    pub fn handle_end(&mut self, fetch: FetchId, now: u64) {
        self.drive(fetch.port, now, |run, context| run.handle_end(fetch, context));
    }

    /// A fetch that did not come to its end. `reason` is the browser's word for it.
    pub fn handle_fetch_failed(&mut self, fetch: FetchId, reason: &str, now: u64) {
        self.drive(fetch.port, now, |run, context| run.handle_fetch_failed(fetch, reason, context));
    }

    /// A page fetched for a model, or why there is none.
    pub fn handle_page(&mut self, fetch: FetchId, page: Result<FetchedPage, String>, now: u64) {
        self.drive(fetch.port, now, |run, context| run.handle_page(fetch, page, context));
    }

    /// The text of the page a port reads; `None` when it can't be had, and the reading goes on unpainted.
    pub fn handle_snapshot(&mut self, port: PortId, snapshot: Option<&Snapshot>, now: u64) {
        self.drive(port, now, |run, context| run.handle_snapshot(snapshot, context));
    }

    /// The page answered a message sent for a port, or is gone.
    pub fn handle_told(&mut self, port: PortId, now: u64) {
        self.drive(port, now, Run::handle_told);
    }

    /// The deadline passed.
    pub fn handle_timeout(&mut self, now: u64) {
        let ports: Vec<PortId> = self.runs.keys().copied().collect();
        for port in ports {
            self.drive(port, now, Run::handle_timeout);
        }
    }

    /// The next thing to do, until there is none.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// When [`handle_timeout`](Self::handle_timeout) must be called at the latest.
    pub fn poll_deadline(&self) -> Option<u64> {
        self.runs.values().filter_map(Run::deadline).min()
    }

    fn drive(&mut self, port: PortId, now: u64, step: impl FnOnce(&mut Run, &mut Context<'_>)) {
        self.now = self.now.max(now);
        let Some(run) = self.runs.get_mut(&port) else { return };
        let mut context = Context { port, now: self.now, world: self.world, effects: &mut self.effects };
        step(run, &mut context);
        if let Some(message) = run.poll_message(self.now) {
            self.effects.push_back(Effect::Post(port, message));
        }
    }
}

/// What a step of a run may use: the time, and a place for effects.
#[derive(Debug)]
struct Context<'a> {
    port: PortId,
    now: u64,
    world: World,
    effects: &'a mut VecDeque<Effect>,
}

impl Context<'_> {
    fn fetch_id(&self, lane: u32, number: u32) -> FetchId {
        FetchId { port: self.port, lane, number }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
