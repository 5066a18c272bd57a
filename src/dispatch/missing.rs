//! What of a page could not be read, in words.

use crate::sort::sort_by_key;
use crate::wire::{ErrorCode, ReadingError};
use crate::words;

/// Parts without an answer.
#[derive(Debug, Default)]
pub(super) struct Missing {
    /// Parts of the stage under way, counted from 0, in no order.
    parts: Vec<usize>,
    /// Why the first of them failed.
    error: Option<ReadingError>,
    /// The verdict over earlier stages.
    verdict: Option<ReadingError>,
    hopeless: bool,
}

impl Missing {
    /// Whether an error speaks of the provider rather than of a part, so that no other part would fare better. A part
    /// too long counts once it can't be made smaller.
    pub(super) fn concerns_all(error: &ReadingError) -> bool {
        match error.code {
            ErrorCode::NoKey
            | ErrorCode::Auth
            | ErrorCode::NotFound
            | ErrorCode::BadRequest
            | ErrorCode::TooLong
            | ErrorCode::RateLimited
            | ErrorCode::Overloaded
            | ErrorCode::Network
            | ErrorCode::OriginRefused
            | ErrorCode::NeedsConsent
            | ErrorCode::UnknownMessage
            | ErrorCode::Interrupted
            | ErrorCode::Page
            | ErrorCode::Internal => true,
            ErrorCode::Refused
            | ErrorCode::Stalled
            | ErrorCode::Truncated
            | ErrorCode::Protocol
            | ErrorCode::Runaway
            | ErrorCode::Empty
            | ErrorCode::Overflow => false,
        }
    }

    pub(super) fn add(&mut self, part: usize, error: &ReadingError) {
        if !self.parts.contains(&part) {
            self.parts.push(part);
        }
        self.hopeless |= Self::concerns_all(error);
        self.error.get_or_insert_with(|| error.clone());
    }

    /// The parts from this one on are cut anew.
    pub(super) fn forget_from(&mut self, part: usize) {
        self.parts.retain(|missing| *missing < part);
        if self.parts.is_empty() {
            self.error = None;
            self.hopeless = false;
        }
    }

    /// Whether asking the provider anything more is of no use.
    pub(super) fn is_hopeless(&self) -> bool {
        self.hopeless
    }

    /// A stage of so many parts is over, and so many characters stand in none of them.
    pub(super) fn close(&mut self, parts: usize, left_out: usize) {
        sort_by_key(&mut self.parts, |&part| part);
        let missing = std::mem::take(&mut self.parts);
        if let Some(mut error) = self.error.take() {
            if missing.len() < parts {
                error.message = named(&missing, parts, &error.message);
            }
            self.verdict = Some(error);
        } else if left_out > 0 && self.verdict.is_none() {
            let [parts, left_out] = [parts, left_out].map(|count| words::number(count as u64));
            let message = words::say("missing_rest", &[&parts, &left_out]);
            self.verdict = Some(ReadingError::new(ErrorCode::TooLong, message));
        }
    }

    /// The verdict over all stages, if anything is missing.
    pub(super) fn take(&mut self) -> Option<ReadingError> {
        self.verdict.take()
    }
}

/// Which parts are missing, and why.
fn named(missing: &[usize], parts: usize, why: &str) -> String {
    let number = |number: usize| words::number(number as u64);
    let parts = number(parts);
    match *missing {
        [one] => words::say("missing_one", &[&number(one + 1), &parts, why]),
        [one, two] => words::say("missing_two", &[&number(one + 1), &number(two + 1), &parts, why]),
        _ => words::say("missing_many", &[&number(missing.len()), &parts, why]),
    }
}
