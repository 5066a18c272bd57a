//! Getting an answer out of a provider.

mod call;
mod repetition;

pub use call::{Call, CallEvent, FIRST_BYTE_TIMEOUT, STALL_TIMEOUT};
