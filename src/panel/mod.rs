//! What the side panel shows, as a pure view model.

pub mod markdown;
