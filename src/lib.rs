//! Sidelight's core: everything the extension knows, as state machines without effects.
//!
//! Floors, from the top; imports run downwards only:
//!
//! - the crates in `modules/`: every effect, and the only code that touches JavaScript values
//! - [`panel`] and [`options`]: what the side panel and the options page show, as pure view models; [`dispatch`]: a
//!   request's life
//! - [`reading`]: categories, prompts, live extraction, the offline reader; [`provider`]: models and their dialects
//! - [`page`]: a page's text and how a phrase finds its place in it
//! - [`wire`]: the vocabulary; [`sorted_map`], [`sort`]: what the standard library has larger; [`words`]: what the
//!   interface says, by key; [`url`]: web addresses
//! - [`sidelight_stream`]: what looks at every byte of an answer, the event-stream parser among it; compiled for speed,
//!   the rest for size
//!
//! Nothing here knows a clock, randomness, a network or a browser: time comes in as an argument and
//! effects go out as values, so every line of it is tested natively.

pub mod agent;
pub mod dispatch;
pub mod options;
pub mod page;
pub mod panel;
pub mod provider;
pub mod reading;
pub mod sort;
pub mod sorted_map;
pub mod url;
pub mod wire;
pub mod words;
