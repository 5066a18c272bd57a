//! What `chrome.storage.session` holds of the panel, so that one that opens shows what the one before it showed.
//!
//! One item for each page (its reading and its chat), one for how the panel is set. Panels of several windows share
//! them: each writes only what changed in it.

use std::cmp::Reverse;

use serde_json::{Map, Value};

use super::chat::Chat;
use super::history::Finished;
use super::model::Panel;
use super::reading::Reading;
use super::saved::{VERSION, list, object, restore_page, save_page, text};
use crate::reading::category;
use crate::sort::sort_by_key;
use crate::sorted_map::SortedMap;

/// Key of how the panel is set.
const PANEL: &str = "panel";
/// Begins the key of each page; its tab and address follow.
const PAGE: &str = "page ";

/// What has changed since it was last asked for.
#[derive(Debug, Default)]
pub struct Changes {
    /// Items to write.
    pub items: Map<String, Value>,
    /// Keys of items to remove: of closed tabs, and of pages that made room.
    pub gone: Vec<String>,
    /// What ended and belongs into the history, one entry each.
    pub finished: Vec<Finished>,
}

/// How pages were saved last.
#[derive(Debug, Default)]
pub(super) struct Written {
    panel: Option<Value>,
    /// By key: the state written, and the state that went into the history.
    pages: SortedMap<String, (String, String)>,
}

/// A page with what there is about it.
pub(super) struct PageState<'a> {
    key: String,
    tab: i32,
    /// When it was last read, or something last asked about it.
    used_ms: u64,
    pub(super) reading: Option<&'a Reading>,
    pub(super) chat: Option<&'a Chat>,
}

impl PageState<'_> {
    /// Differs when anything that is saved does.
    fn stamp(&self) -> String {
        let reading = self.reading.map(|reading| (&reading.id, reading.changes));
        let chat = self.chat.map(|chat| (chat.serial(), chat.revision()));
        format!("{reading:?} {chat:?}")
    }
}

/// The pages that make room when storage is full: the half that was not used for longest, by their keys.
pub fn makes_room(stored: &Map<String, Value>) -> Vec<String> {
    let mut pages: Vec<_> = stored.iter().filter(|(key, _)| key.starts_with(PAGE)).collect();
    sort_by_key(&mut pages, |(_, page)| page["usedMs"].as_u64());
    pages.truncate(pages.len().div_ceil(2));
    pages.into_iter().map(|(key, _)| key.clone()).collect()
}

impl Panel {
    /// Most pages kept; those that were not used for longest make room.
    pub const MAX_SAVED_PAGES: usize = 20;

    /// What has to be written so that another panel can go on from here.
    pub fn handle_save(&mut self) -> Changes {
        let mut changes = Changes::default();
        let panel = self.save_panel();
        if self.written.panel.as_ref() != Some(&panel) {
            changes.items.insert(PANEL.to_owned(), panel.clone());
        }
        let mut written = Written { panel: Some(panel), pages: SortedMap::new() };
        for page in self.pages() {
            let (session, mut history) = self.written.pages.get(&page.key).cloned().unwrap_or_default();
            let stamp = page.stamp();
            if session != stamp {
                match save_page(page.reading, page.chat) {
                    Some(mut saved) => {
                        saved["tab"] = page.tab.into();
                        saved["usedMs"] = page.used_ms.into();
                        changes.items.insert(page.key.clone(), saved);
                    }
                    // An older state of it would be taken for this one.
                    None => changes.gone.push(page.key.clone()),
                }
            }
            let ended = Finished::stamp(&page);
            if !ended.is_empty() && ended != history {
                changes.finished.extend(Finished::of(&page));
                history = ended;
            }
            written.pages.insert(page.key, (stamp, history));
        }
        let lost = self.written.pages.keys().filter(|key| !written.pages.contains_key(key));
        changes.gone.extend(lost.cloned());
        self.written = written;
        changes
    }

    /// Takes what storage holds: pages this panel does not know, and at its start how it is set. Returns the keys of
    /// what can't be used, to be removed: of another version, or one page too many.
    pub fn handle_restore(&mut self, stored: &Map<String, Value>) -> Vec<String> {
        if self.written.panel.is_none()
            && let Some(panel) = stored.get(PANEL)
        {
            self.restore_panel(panel);
            self.written.panel = Some(panel.clone());
        }
        let mut pages: Vec<_> = stored.iter().filter(|(key, _)| key.starts_with(PAGE)).collect();
        sort_by_key(&mut pages, |(_, page)| Reverse(page["usedMs"].as_u64()));
        let mut unusable = Vec::new();
        let mut restored = Vec::new();
        for (key, page) in pages {
            let tab = page["tab"].as_i64().and_then(|tab| i32::try_from(tab).ok());
            let has_room = restored.len() < Self::MAX_SAVED_PAGES;
            match tab.filter(|_| has_room).and_then(|tab| restore_page(page, tab)) {
                Some(page) => restored.push((key, page)),
                None => unusable.push(key.clone()),
            }
        }
        // The latest goes onto the shelf last.
        for (key, (reading, chat)) in restored.into_iter().rev() {
            if self.written.pages.contains_key(key) {
                continue;
            }
            if let Some(reading) = reading.filter(|own| self.shelf.of_page(own.tab, &own.page.url).is_none()) {
                self.shelf.insert(reading);
            }
            if let Some(chat) = chat {
                self.chats.restore(chat);
            }
        }
        // What came from storage stands there already, and in the history.
        let known: Vec<_> =
            self.pages().into_iter().map(|page| (page.stamp(), Finished::stamp(&page), page.key)).collect();
        for (stamp, ended, key) in known {
            if stored.contains_key(&key) && !self.written.pages.contains_key(&key) {
                self.written.pages.insert(key, (stamp, ended));
            }
        }
        unusable
    }

    /// Keys of what was saved.
    pub(super) fn written_keys(&self) -> Vec<String> {
        self.written.pages.keys().map(String::as_str).chain([PANEL]).map(str::to_owned).collect()
    }

    /// How the panel is set needs no saving until that changes.
    pub(super) fn handle_written(&mut self) {
        self.written.panel = Some(self.save_panel());
    }

    /// The panel shows another of its views; named as the renderer likes.
    pub fn handle_shown_view(&mut self, name: &str) {
        name.clone_into(&mut self.shown_view);
    }

    /// The view shown last; empty before any was chosen.
    pub fn shown_view(&self) -> &str {
        &self.shown_view
    }

    fn save_panel(&self) -> Value {
        let chosen = category::CATEGORIES.iter().filter(|row| self.filter.names(row.category));
        object(vec![
            ("version", VERSION.into()),
            ("categories", chosen.map(|row| Value::from(row.name)).collect()),
            ("filter", self.filter.typed().into()),
            ("folded", self.folded.as_slice().into()),
            ("thinking", self.shows_thinking.into()),
            ("view", self.shown_view.as_str().into()),
        ])
    }

    fn restore_panel(&mut self, saved: &Value) {
        if saved["version"].as_u64() != Some(VERSION) {
            return;
        }
        for row in &category::CATEGORIES {
            if list(saved, "categories").iter().any(|name| name.as_str() == Some(row.name)) {
                self.filter.handle_category(row.category);
            }
        }
        self.filter.handle_text(&text(saved, "filter"));
        for title in list(saved, "folded").iter().filter_map(Value::as_str) {
            self.handle_fold(title, true);
        }
        self.shows_thinking = saved["thinking"].as_bool().unwrap_or_default();
        self.shown_view = text(saved, "view");
    }

    /// The pages with something about them, the one used last first.
    fn pages(&self) -> Vec<PageState<'_>> {
        let key = |tab: i32, url: &str| format!("{PAGE}{tab} {url}");
        let mut pages: Vec<_> = self
            .shelf
            .iter()
            .map(|reading| PageState {
                key: key(reading.tab, &reading.page.url),
                tab: reading.tab,
                used_ms: reading.started_ms,
                reading: Some(reading),
                chat: None,
            })
            .collect();
        for chat in self.chats.iter().filter(|chat| chat.is_worth_saving()) {
            let (key, used_ms) = (key(chat.tab(), chat.url()), chat.used_ms());
            match pages.iter_mut().find(|page| page.key == key) {
                Some(page) => {
                    page.chat = Some(chat);
                    page.used_ms = page.used_ms.max(used_ms);
                }
                None => pages.push(PageState { key, tab: chat.tab(), used_ms, reading: None, chat: Some(chat) }),
            }
        }
        sort_by_key(&mut pages, |page| Reverse(page.used_ms));
        pages.truncate(Self::MAX_SAVED_PAGES);
        pages
    }
}
