//! The request for a provider's list of models: one fetch, without retries.

use super::{Context, Effect, FetchId};
use crate::provider::{ModelList, ResponseHead, Route, models_request};
use crate::wire::{ErrorCode, ReadingError, WorkerToPanel};
use crate::words;

/// Longest wait for a list, in milliseconds.
pub(super) const LIST_TIMEOUT: u64 = 20_000;

/// A list on its way.
pub(super) struct Listing {
    list: ModelList,
    name: String,
    pub(super) deadline: u64,
}

impl Listing {
    /// Asks the provider of a route; fails with what to change in the settings.
    pub(super) fn start(route: &Route, context: &mut Context<'_>) -> Result<Self, ReadingError> {
        let request = models_request(route.id, &route.config)?;
        let list = ModelList::new(route.id, &route.config);
        context.effects.push_back(Effect::Fetch(Self::fetch_id(context), request));
        Ok(Self { list, name: route.name(), deadline: context.now.saturating_add(LIST_TIMEOUT) })
    }

    /// The only fetch.
    pub(super) fn fetch_id(context: &Context<'_>) -> FetchId {
        context.fetch_id(1, 1)
    }

    pub(super) fn handle_head(&mut self, head: &ResponseHead) {
        self.list.handle_head(head);
    }

    /// The last word, once no more need be read.
    pub(super) fn handle_chunk(&mut self, bytes: &[u8]) -> Option<WorkerToPanel> {
        let too_long = || ReadingError::new(ErrorCode::Overflow, words::say("models_too_long", &[])).into();
        (!self.list.handle_chunk(bytes)).then(too_long)
    }

    pub(super) fn handle_end(&mut self) -> Result<Vec<String>, ReadingError> {
        self.list.handle_end()
    }

    pub(super) fn failed(&self, reason: &str) -> WorkerToPanel {
        let message = words::say("models_no_connection", &[&self.name, reason]);
        ReadingError::retryable(ErrorCode::Network, message).into()
    }

    pub(super) fn late(&self) -> WorkerToPanel {
        ReadingError::retryable(ErrorCode::Stalled, words::say("models_late", &[&self.name])).into()
    }
}
