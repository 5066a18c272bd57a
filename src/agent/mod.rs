//! Getting an answer out of a provider, over as many turns as the model's tools take.

mod call;
mod conversation;
mod fetch_url;
mod repetition;
mod tools;

pub use call::{FIRST_BYTE_TIMEOUT, STALL_TIMEOUT};
pub use conversation::{Conversation, ConversationEvent, Limits};
pub use fetch_url::{FetchedPage, MAX_PAGE_BYTES, MAX_TEXT_CHARS, charset, refusal};
