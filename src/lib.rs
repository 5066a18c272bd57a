//! Sidelight's core: everything the extension knows, as state machines without effects.
//!
//! Floors, from the top; imports run downwards only:
//!
//! - `browser` (wasm32 only): every effect, and the only code that touches JavaScript values
//! - [`panel`]: what the side panel shows, as a pure view model; [`dispatch`]: a request's life
//! - [`reading`]: categories, prompts, live extraction, the offline reader; [`provider`]: models and their dialects
//! - [`page`]: a page's text and how a phrase finds its place in it
//! - [`wire`]: the vocabulary; [`sse`]: the event-stream parser; [`sorted_map`]: a small map
//!
//! Nothing outside `browser` knows a clock, randomness, a network or a browser: time comes in as an argument and
//! effects go out as values, so every line of it is tested natively.

pub mod agent;
pub mod dispatch;
pub mod page;
pub mod panel;
pub mod provider;
pub mod reading;
pub mod sorted_map;
pub mod sse;
pub mod wire;

#[cfg(target_arch = "wasm32")]
pub mod browser;
