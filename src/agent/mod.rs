//! Getting an answer out of a provider, over as many turns as the model's tools take.

mod allowlist;
mod call;
mod conversation;
mod fetch_url;
mod repetition;
mod tools;

pub use allowlist::{DECLINED, Decision, MAX_PER_ANSWER, MAX_PER_CONVERSATION, MAX_PER_SITE, UrlAllowlist};
pub use call::{FIRST_BYTE_TIMEOUT, MAX_PROMPT_BYTES, STALL_TIMEOUT};
pub use conversation::{Conversation, ConversationEvent, Limits};
pub use fetch_url::{FetchedPage, MAX_PAGE_BYTES, MAX_TEXT_CHARS, charset, refusal};
