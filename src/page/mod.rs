//! A page's text as the core sees it, and how a phrase finds its place in it.
//!
//! - [`text`]: what a model reads of a [`Snapshot`](crate::wire::Snapshot)
//! - [`windows`]: a long text in parts that a model holds; [`closest_passages`]: what a question is about
//! - [`anchor`]: where a quoted phrase stands in it
//! - [`frames`]: the documents of a tab as one text
//! - [`addresses_on_page`]: the web addresses it names

mod addresses;
pub mod anchor;
mod fold;
pub mod frames;
pub mod html;
mod marks;
mod passages;
pub mod text;
mod windows;

pub use addresses::{MAX_ADDRESS, MAX_ADDRESSES, addresses_in_message, addresses_in_text, addresses_on_page};
pub use anchor::AnchorIndex;
pub use fold::Decompose;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use fold::decompose_for_tests;
pub use frames::Frames;
pub use passages::{Passages, closest_passages};
pub use text::{Reading, reading_text, word_count};
pub use windows::windows;
