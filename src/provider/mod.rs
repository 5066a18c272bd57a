//! Models and how to talk to them.
//!
//! [`registry`] is the one table of providers: what the options page shows, which host may be asked for, who serves a
//! request ([`resolve`]) and what is spoken there. A provider that asks a model has a dialect of its own, one file each:
//! [`request`] writes the request, [`Decoder`] reads the answer as its bytes arrive. Nothing here sends anything.
//!
//! To add a provider, write its dialect beside `anthropic.rs` and the others and give it a row in the registry; the
//! compiler then asks for its dialect by name.

mod anthropic;
mod base_url;
mod builtin;
mod decoder;
mod delta;
mod dialect;
mod failure;
mod gemini;
mod models;
mod openai;
mod openai_responses;
pub mod presets;
pub mod registry;
mod request;
pub mod retry;
mod route;
mod think_block;

pub use base_url::{endpoint, host_permission};
pub use decoder::{Decoder, ModelEvent, ResponseHead};
pub use models::{MAX_MODELS, ModelList, models_request};
pub use registry::{PROVIDERS, Provider};
pub use request::{HttpRequest, Prompt, Quirks, ToolResult, Tools, Transport, Turn, check_key, request};
pub use route::{NO_KEY_NOTICE, Route, resolve};
