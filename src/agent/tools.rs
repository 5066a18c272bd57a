//! The tools a model called in one answer, and their results: exactly one each, in the order of the calls.

use serde_json::Value;

use super::fetch_url::{self, FetchedPage};
use crate::provider::{ToolResult, Tools};
use crate::wire::Source;

/// Most pages fetched for one answer. A model that wants more is told so, and can ask again.
pub(super) const MAX_PAGES: usize = 8;

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
    until: u64,
}

/// One call.
struct Slot {
    id: String,
    name: String,
    state: State,
}

enum State {
    /// A page to fetch, under this number once it is under way.
    Page { number: u32, url: String },
    /// Done, or never to be done.
    Ended { text: String, is_error: bool },
}

impl ToolRun {
    /// Sorts out what can be done. `known` says whether an address may be fetched, see [`fetch_url::is_told`].
    pub(super) fn new(calls: Vec<ToolCall>, offered: Tools, now: u64, known: &mut dyn FnMut(&str) -> bool) -> Self {
        let mut pages = 0;
        let mut sort = |call: ToolCall| {
            let state = if call.name != fetch_url::NAME || !offered.fetch_url {
                failure(format!("There is no tool named “{}”.", call.name.chars().take(40).collect::<String>()))
            } else {
                match fetch_url::wanted(&call.input, known) {
                    Ok(_) if pages == MAX_PAGES => {
                        failure(format!("Only {MAX_PAGES} pages are fetched at a time. Ask again for this one."))
                    }
                    Ok(url) => {
                        pages += 1;
                        State::Page { number: 0, url }
                    }
                    Err(words) => failure(words),
                }
            };
            Slot { id: call.id, name: call.name, state }
        };
        let slots = calls.into_iter().map(&mut sort).collect();
        Self { slots, until: now.saturating_add(fetch_url::TIMEOUT) }
    }

    /// Numbers the pages and hands out what to fetch.
    pub(super) fn start(&mut self, mut take_number: impl FnMut() -> u32, out: &mut Vec<(u32, String)>) {
        for slot in &mut self.slots {
            if let State::Page { number, url } = &mut slot.state {
                *number = take_number();
                out.push((*number, url.clone()));
            }
        }
    }

    /// A page came, or did not. Gives the page as a source if it is one.
    pub(super) fn handle_page(&mut self, number: u32, page: Result<FetchedPage, String>) -> Option<Vec<Source>> {
        let slot = self
            .slots
            .iter_mut()
            .find(|slot| matches!(slot.state, State::Page { number: own, .. } if own == number))?;
        let State::Page { url, .. } = &slot.state else { return None };
        let (state, sources) = match page.and_then(|page| fetch_url::read(url, &page)) {
            Ok(read) => (State::Ended { text: read.text, is_error: !read.is_success }, read.sources),
            Err(reason) => (failure(fetch_url::failure(url, &reason)), Vec::new()),
        };
        slot.state = state;
        Some(sources)
    }

    /// Gives up on what has not come in time, and gives the numbers to abort.
    pub(super) fn handle_timeout(&mut self, now: u64) -> Vec<u32> {
        if now < self.until {
            return Vec::new();
        }
        let open = self.open();
        for number in &open {
            self.handle_page(*number, Err(format!("it took longer than {} seconds", fetch_url::TIMEOUT / 1000)));
        }
        open
    }

    pub(super) fn deadline(&self) -> u64 {
        self.until
    }

    /// Numbers of the pages under way.
    pub(super) fn open(&self) -> Vec<u32> {
        let number = |slot: &Slot| match slot.state {
            State::Page { number, .. } => Some(number),
            State::Ended { .. } => None,
        };
        self.slots.iter().filter_map(number).collect()
    }

    /// Every result, once the last one is there.
    pub(super) fn take_results(&mut self) -> Option<Vec<ToolResult>> {
        if self.slots.iter().any(|slot| matches!(slot.state, State::Page { .. })) {
            return None;
        }
        let result = |slot: Slot| match slot.state {
            State::Ended { text, is_error } => Some(ToolResult { id: slot.id, name: slot.name, text, is_error }),
            State::Page { .. } => None,
        };
        Some(std::mem::take(&mut self.slots).into_iter().filter_map(result).collect())
    }
}

fn failure(text: String) -> State {
    State::Ended { text, is_error: true }
}
