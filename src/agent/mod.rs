//! Getting an answer out of a provider.

mod call;

pub use call::{Call, CallEvent, FIRST_BYTE_TIMEOUT, STALL_TIMEOUT};
