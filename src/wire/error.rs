//! What can go wrong with a reading, in words that say what to do next.

use serde::{Deserialize, Serialize};

/// The kind of a failure, for code that must react; people read [`ReadingError::message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// A message the worker does not understand.
    UnknownMessage,
    /// The chosen provider has no key.
    NoKey,
    /// The provider refused the key (401, 403).
    Auth,
    /// The provider knows no such model or address (404).
    NotFound,
    /// The provider refused the request as malformed (400, 422).
    BadRequest,
    /// The page does not fit the model's context.
    TooLong,
    /// Too many requests, or the quota is used up (429, 402).
    RateLimited,
    /// The provider is overloaded or failing (5xx, 529).
    Overloaded,
    /// The model declined to answer.
    Refused,
    /// No connection to the provider.
    Network,
    /// A local server refuses requests of browser extensions (403 without a body).
    OriginRefused,
    /// The provider refuses requests of browser extensions; the page could send them, once the reader agrees.
    NeedsConsent,
    /// The stream stood still for too long.
    Stalled,
    /// The stream ended before the answer did.
    Truncated,
    /// The provider answered something that is not its protocol.
    Protocol,
    /// The model says the same thing over and over.
    Runaway,
    /// The answer holds nothing that can be used.
    Empty,
    /// A bound was reached (a line, an event, a queue).
    Overflow,
    /// The worker ended in the middle of a reading.
    Interrupted,
    /// The page can't be read (browser pages, PDF, no permission).
    Page,
    /// A fault of ours.
    Internal,
}

/// A failure as the reader sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ReadingError {
    /// What happened and what to do next, in one or two short sentences.
    pub message: String,
    /// The kind.
    pub code: ErrorCode,
    /// Whether the same request may succeed when sent again.
    pub retryable: bool,
    /// Tokens of the request and the most the model takes, where a provider refused with [`ErrorCode::TooLong`] and said
    /// so. For the worker alone.
    #[serde(skip)]
    pub tokens: Option<(u64, u64)>,
}

impl ReadingError {
    /// A failure that sending again will not mend.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { message: message.into(), code, retryable: false, tokens: None }
    }

    /// A failure that may pass.
    pub fn retryable(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { message: message.into(), code, retryable: true, tokens: None }
    }
}
