//! The vocabulary: what crosses a port, a tab message or storage, as serde types and nothing else.
//!
//! Field names are the wire and never change their spelling; what Sidelight adds to the protocol it descends from is
//! optional. Golden files in `tests/fixtures/wire/` are read by the Rust and the JavaScript tests alike.

pub mod content;
pub mod error;
pub mod highlight;
pub mod port;
pub mod settings;
mod tagged;

pub use content::{
    Anchor, ExtensionToPage, FramePart, PageToExtension, PaintItem, PaintedItem, Snapshot, WorkerToExtension,
};
pub use error::{ErrorCode, ReadingError};
pub use highlight::{Category, CategorySummaries, Highlight, Source};
pub use port::{ChatMessage, PanelToWorker, Role, StopReason, Usage, WorkerToPanel};
pub use settings::{LongPages, OpenLinks, OwnPrompts, Price, ProviderConfig, ProviderId, Settings};
