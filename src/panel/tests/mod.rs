//! What a reader of the panel would notice.

mod analysis;
mod chat;
mod export;
mod history;
mod openings;
mod reading;
mod saved;
mod states;
mod tabs;
mod usage;

use serde_json::{Map, Value, json};

use super::{Panel, ReadPage, Request, Tab};
use crate::wire::{Category, Highlight, PaintedItem, Settings, WorkerToPanel};

const TAB: i32 = 7;
const URL: &str = "https://www.example.org/harbour";

fn settings(stored: Value) -> Settings {
    let Value::Object(stored) = stored else { return Settings::from_storage(&Map::new()) };
    Settings::from_storage(&stored)
}

fn anthropic() -> Settings {
    settings(json!({ "provider": "anthropic", "anthropicKey": "sk-ant-of-nobody" }))
}

/// A panel over one tab, with nothing read yet.
fn panel(settings: Settings) -> Panel {
    let mut panel = Panel::default();
    panel.handle_settings(settings, true);
    panel.handle_tab(Tab { id: TAB, url: Some(URL.to_owned()), title: Some("The harbour".to_owned()) });
    panel
}

fn page(url: &str, title: &str) -> ReadPage {
    ReadPage { url: url.to_owned(), title: title.to_owned(), extent: "1,240 words".to_owned(), ..ReadPage::default() }
}

/// A panel whose tab is being read since 1,000 ms, as reading `r1`.
fn reading(settings: Settings) -> Panel {
    let mut panel = panel(settings);
    assert!(panel.handle_read(TAB).is_some());
    panel.handle_page(TAB, page(URL, "The harbour"), "text".to_owned(), "r1".to_owned(), 1_000);
    panel
}

/// A panel whose reading ended well at 3,000 ms with this analysis and these highlights.
fn done(analysis: &str, highlights: &[Highlight]) -> Panel {
    let mut panel = reading(Settings::default());
    say(&mut panel, analysis, 2_000);
    for (index, highlight) in (0..).zip(highlights) {
        find(&mut panel, index, highlight.clone(), 2_500);
    }
    panel.handle_message("r1", Request::Highlights, end(), 2_900);
    panel.handle_message("r1", Request::Analysis, end(), 3_000);
    panel
}

fn say(panel: &mut Panel, text: &str, now_ms: u64) {
    panel.handle_message("r1", Request::Analysis, WorkerToPanel::TextDelta { text: text.to_owned() }, now_ms);
}

fn find(panel: &mut Panel, index: u32, highlight: Highlight, now_ms: u64) {
    panel.handle_message("r1", Request::Highlights, WorkerToPanel::HighlightItem { highlight, index }, now_ms);
}

fn end() -> WorkerToPanel {
    WorkerToPanel::Done { stop_reason: None, truncated: false, usage: None }
}

fn highlight(phrase: &str, category: Category) -> Highlight {
    Highlight {
        phrase: phrase.to_owned(),
        category,
        note: String::new(),
        source: String::new(),
        source_url: String::new(),
        verified: false,
    }
}
