//! The tools a model called in one answer, and their results: exactly one each, in the order of the calls.

use serde_json::Value;

use super::fetch_url::{self, FetchedPage};
use crate::provider::{ToolResult, Tools};
use crate::wire::Source;

/// Longest wait for the word whether a page may be opened, in milliseconds: the reader may be asked.
pub(super) const PERMISSION_TIMEOUT: u64 = 600_000;

/// Most calls of one answer that are served; each further one is told so.
pub(super) const MAX_CALLS: usize = 32;

/// A call as the model made it.
#[derive(Debug)]
pub(super) struct ToolCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
}

/// The calls of one answer while they are served.
pub(super) struct ToolRun {
    slots: Vec<Slot>,
}

/// One call.
struct Slot {
    id: String,
    name: String,
    state: State,
}

enum State {
    /// A page the model wants, under this number. Whether it is opened is not known before `until`.
    Wanted { number: u32, url: String, until: u64 },
    /// A page on its way, at most until then.
    Opened { number: u32, url: String, until: u64 },
    /// Done, or never to be done.
    Ended { text: String, is_error: bool },
}

impl State {
    /// Number, address and deadline of a page that has not come yet.
    fn page(&self) -> Option<(u32, &str, u64)> {
        match self {
            Self::Wanted { number, url, until } | Self::Opened { number, url, until } => Some((*number, url, *until)),
            Self::Ended { .. } => None,
        }
    }
}

impl ToolRun {
    /// Sorts out what can be done, and numbers the pages that are wanted.
    pub(super) fn new(calls: Vec<ToolCall>, offered: Tools, now: u64, mut take_number: impl FnMut() -> u32) -> Self {
        let until = now.saturating_add(PERMISSION_TIMEOUT);
        let mut sort = |(at, call): (usize, ToolCall)| {
            let state = if at >= MAX_CALLS {
                failure(format!("Only {MAX_CALLS} calls are served at a time."))
            } else if call.name != fetch_url::NAME || !offered.fetch_url {
                failure(format!("There is no tool named “{}”.", call.name.chars().take(40).collect::<String>()))
            } else {
                match fetch_url::wanted(&call.input) {
                    Ok(url) => State::Wanted { number: take_number(), url, until },
                    Err(words) => failure(words),
                }
            };
            Slot { id: call.id, name: call.name, state }
        };
        Self { slots: calls.into_iter().enumerate().map(&mut sort).collect() }
    }

    /// The pages that wait for permission: number and address.
    pub(super) fn wanted(&self) -> Vec<(u32, String)> {
        let wanted = |slot: &Slot| match &slot.state {
            State::Wanted { number, url, .. } => Some((*number, url.clone())),
            State::Opened { .. } | State::Ended { .. } => None,
        };
        self.slots.iter().filter_map(wanted).collect()
    }

    /// A page may be opened. Gives its address, unless it is not waited for any more.
    pub(super) fn open(&mut self, number: u32, now: u64) -> Option<String> {
        let slot = self
            .slots
            .iter_mut()
            .find(|slot| matches!(slot.state, State::Wanted { number: own, .. } if own == number))?;
        let url = slot.state.page()?.1.to_owned();
        slot.state = State::Opened { number, url: url.clone(), until: now.saturating_add(fetch_url::TIMEOUT) };
        Some(url)
    }

    /// A page came, or did not. Gives what was read of it.
    pub(super) fn handle_page(&mut self, number: u32, page: Result<FetchedPage, String>) -> Option<Found> {
        let slot = self.slots.iter_mut().find(|slot| slot.state.page().is_some_and(|(own, ..)| own == number))?;
        let (_, url, _) = slot.state.page()?;
        let (state, found) = match page.and_then(|page| fetch_url::read(url, &page)) {
            Ok(read) => {
                let found = Found { sources: read.sources, links: read.links };
                (State::Ended { text: read.text, is_error: !read.is_success }, found)
            }
            Err(reason) => (failure(fetch_url::failure(url, &reason)), Found::default()),
        };
        slot.state = state;
        Some(found)
    }

    /// Gives up on what has not come in time, and gives the numbers to abort.
    pub(super) fn handle_timeout(&mut self, now: u64) -> Vec<u32> {
        let mut late = Vec::new();
        for slot in &mut self.slots {
            let (number, url, reason) = match &slot.state {
                State::Opened { number, url, until } if *until <= now => {
                    (Some(*number), url, format!("it took longer than {} seconds", fetch_url::TIMEOUT / 1000))
                }
                State::Wanted { url, until, .. } if *until <= now => {
                    (None, url, "the reader did not say whether it may be opened".to_owned())
                }
                State::Wanted { .. } | State::Opened { .. } | State::Ended { .. } => continue,
            };
            late.extend(number);
            slot.state = failure(fetch_url::failure(url, &reason));
        }
        late
    }

    /// When the next page is given up.
    pub(super) fn deadline(&self) -> Option<u64> {
        self.slots.iter().filter_map(|slot| slot.state.page()).map(|(.., until)| until).min()
    }

    /// Numbers of the pages under way.
    pub(super) fn under_way(&self) -> Vec<u32> {
        let number = |slot: &Slot| match slot.state {
            State::Opened { number, .. } => Some(number),
            State::Wanted { .. } | State::Ended { .. } => None,
        };
        self.slots.iter().filter_map(number).collect()
    }

    /// Every result, once the last one is there.
    pub(super) fn take_results(&mut self) -> Option<Vec<ToolResult>> {
        if self.slots.iter().any(|slot| slot.state.page().is_some()) {
            return None;
        }
        let result = |slot: Slot| match slot.state {
            State::Ended { text, is_error } => Some(ToolResult { id: slot.id, name: slot.name, text, is_error }),
            State::Wanted { .. } | State::Opened { .. } => None,
        };
        Some(std::mem::take(&mut self.slots).into_iter().filter_map(result).collect())
    }
}

/// What an opened page brought beside its text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The page as a source, under both of its addresses where it was redirected; empty for an error page.
    pub(super) sources: Vec<Source>,
    /// Addresses it links to.
    pub(super) links: Vec<String>,
}

fn failure(text: String) -> State {
    State::Ended { text, is_error: true }
}
