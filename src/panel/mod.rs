//! What the side panel shows, as a pure view model.
//!
//! [`Panel`] takes everything that happens to the panel as `handle_*` calls (settings, tabs, snapshots, port messages,
//! what the page reports, the reader's keys) with the time as an argument, and answers with plain data: a [`View`] for
//! everything small, and the growing lists ([`Reading::analysis`], [`Reading::items`]) that a renderer draws by appending.
//! The renderer in `modules/panel` knows no rule of its own.

mod analysis;
mod answer;
mod chat;
mod choices;
mod export;
mod filter;
mod history;
mod long_page;
pub mod markdown;
mod model;
mod notice;
mod read_page;
mod reader;
mod reading;
mod requests;
mod saved;
mod session;
mod shelf;
mod trust;
mod usage;
mod view;

pub use analysis::Analysis;
pub use answer::{Answer, Run};
pub use chat::{Asked, Chat, ChatTurn, ChatView, Draft, TurnAction, TurnView};
pub use export::{Export, mark_as_text};
pub use filter::Filter;
pub use history::{Earlier, Entry, Finished, History, PastView, with_export};
pub use long_page::{Choice, Chosen};
pub use model::{Erased, Panel, Tab};
pub use notice::{Action, Notice, NoticeKind};
pub use read_page::ReadPage;
pub use reader::ReaderName;
pub use reading::{Away, Item, Place, Reading, Request, Timings};
pub use requests::Requests;
pub use saved::MAX_PAGE_BYTES;
pub use session::{Changes, makes_room};
pub use shelf::Shelf;
pub use trust::{Level, Trust};
pub use view::{Bar, Pill, State, Summary, View};

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
