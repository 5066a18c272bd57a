//! Readings and chats of the past: what is kept of them, what makes room, and what a search finds.
//!
//! The database holds three things under the name of each: an [`Entry`] for the list, the text a search looks through,
//! and the page as [saved](super::saved). It knows no rule; they all stand here.

use serde_json::Value;

use super::chat::{Chat, ChatTurn};
use super::export::Export;
use super::filter::words;
use super::model::{Attempt, Panel};
use super::read_page::ReadPage;
use super::reading::Reading;
use super::saved::{number, object, restore_page, save_page, strip, text, weight};
use super::session::PageState;
use crate::sort::sort_by_key;
use crate::words::lower;

/// What the list says of a reading of the past.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Names it in the database.
    pub id: String,
    /// Address of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// When it was read: milliseconds since 1970.
    pub time_ms: u64,
    /// Who read it, and with which model.
    pub reader: String,
    /// How many highlights were found.
    pub found: u64,
    /// How many questions were asked about it.
    pub asked: u64,
    /// Bytes it takes.
    pub bytes: u64,
}

/// Something that ended and is to be kept.
#[derive(Debug)]
pub struct Finished {
    /// What the list will say.
    pub entry: Entry,
    /// What a search will look through.
    pub text: String,
    /// All of it.
    pub page: Value,
}

/// A reading of the past, open to be read.
#[derive(Debug)]
pub(super) struct Past {
    pub(super) reading: Reading,
    pub(super) chat: Option<Chat>,
    /// The day it was read, as the reader's language writes it.
    date: String,
}

/// That the page in view was read before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Names the reading in the database.
    pub id: String,
    /// The page.
    pub url: String,
    /// The day it was read, as the reader's language writes it.
    pub date: String,
}

/// What stands above what was read, about the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PastView {
    /// The page in view was read before, on this day, and is not now.
    Offered(String),
    /// What is shown is of this day; and whether its page is the one in view, to be read again.
    Open(String, bool),
}

/// The list of what was read, as long as the reader looks at it.
#[derive(Debug, Default)]
pub struct History {
    /// With the text each is found by; the latest first.
    entries: Vec<(Entry, String)>,
    /// What was deleted last, to be put back.
    deleted: Option<(Entry, String)>,
    words: Vec<String>,
}

impl Entry {
    /// The entry as the database keeps it.
    pub fn save(&self) -> Value {
        object(vec![
            ("id", self.id.as_str().into()),
            ("url", self.url.as_str().into()),
            ("title", self.title.as_str().into()),
            ("timeMs", self.time_ms.into()),
            ("reader", self.reader.as_str().into()),
            ("found", self.found.into()),
            ("asked", self.asked.into()),
            ("bytes", self.bytes.into()),
        ])
    }

    /// What [`Self::save`] gave; `None` for what has no name.
    pub fn restore(saved: &Value) -> Option<Self> {
        Some(Self {
            id: saved["id"].as_str()?.to_owned(),
            url: text(saved, "url"),
            title: text(saved, "title"),
            time_ms: number(saved, "timeMs"),
            reader: text(saved, "reader"),
            found: number(saved, "found"),
            asked: number(saved, "asked"),
            bytes: number(saved, "bytes"),
        })
    }
}

impl Finished {
    /// Differs when a page has something new for the history; empty while it has nothing, or something runs.
    pub(super) fn stamp(page: &PageState) -> String {
        let runs = page.reading.is_some_and(Reading::is_running) || page.chat.is_some_and(|c| c.running().is_some());
        let reading = page.reading.filter(|reading| has_something(reading)).map(|reading| reading.id.as_str());
        let turn = page.chat.and_then(Chat::answered).map(ChatTurn::id);
        if runs || (reading.is_none() && turn.is_none()) {
            return String::new();
        }
        [reading.unwrap_or_default(), turn.unwrap_or_default()].join(" ")
    }

    /// What is kept of a page; `None` for a chat about a page that is not known, and for what is too large.
    pub(super) fn of(page: &PageState) -> Option<Self> {
        let alone;
        let reading = if let Some(reading) = page.reading {
            reading
        } else {
            alone = chat_alone(page.chat?)?;
            &alone
        };
        let mut saved = save_page(Some(reading), page.chat)?;
        // It is the page's own, and there it stands.
        strip(&mut saved, "content");
        let reader = reading.reader();
        let text = searched(reading, page.chat);
        let entry = Entry {
            id: reading.id.clone(),
            url: reading.page.url.clone(),
            title: reading.page.title.clone(),
            time_ms: reading.started_ms,
            reader: if reader.model.is_empty() { reader.label.clone() } else { reader.model.clone() },
            found: reading.items.len() as u64,
            asked: page.chat.map_or(0, |chat| chat.turns().len() as u64),
            bytes: (weight(&saved) + text.len()) as u64,
        };
        Some(Self { entry, text, page: saved })
    }

    /// Which entries make room for this one: those it takes the place of, and the oldest beyond what is kept.
    pub fn makes_room(&self, entries: &[Entry]) -> Vec<String> {
        let new = &self.entry;
        // An earlier reading of the page by the same reader; but no conversation is lost for a reading without one.
        let is_replaced = |old: &Entry| {
            old.id == new.id
                || (old.url == new.url && old.reader == new.reader && (old.asked == 0 || new.asked >= old.asked))
        };
        let (mut gone, mut kept): (Vec<&Entry>, Vec<_>) = entries.iter().partition(|old| is_replaced(old));
        sort_by_key(&mut kept, |old| std::cmp::Reverse(old.time_ms));
        let mut bytes = new.bytes;
        let fits = |(at, old): &(usize, &Entry)| {
            bytes = bytes.saturating_add(old.bytes);
            at + 1 < History::MAX_ENTRIES && bytes <= History::MAX_BYTES
        };
        let fitting = kept.iter().copied().enumerate().take_while(fits).count();
        gone.extend(&kept[fitting..]);
        gone.into_iter().map(|old| old.id.clone()).collect()
    }
}

/// A conversation about a page that nobody read, as a reading without anything in it.
fn chat_alone(chat: &Chat) -> Option<Reading> {
    let first = chat.turns().first()?;
    let page: ReadPage = chat.own_page()?.clone();
    let id = first.id().to_owned();
    Some(Reading::new(id, chat.tab(), page, String::new(), first.reader().clone(), chat.used_ms()))
}

fn has_something(reading: &Reading) -> bool {
    !reading.items().is_empty() || !reading.analysis().source().trim().is_empty()
}

/// Everything a reader may remember of a reading: all that is saved of it but what models thought aloud. What bounds the
/// one bounds the other.
fn searched(reading: &Reading, chat: Option<&Chat>) -> String {
    let mut all = lower(&reading.page.title);
    let mut add = |words: &str| {
        all.push('\n');
        all.push_str(&lower(words));
    };
    add(&reading.page.url);
    add(reading.summary());
    reading.category_summaries().iter().for_each(|(_, said)| add(said));
    for item in reading.items() {
        add(&item.highlight.phrase);
        add(&item.highlight.note);
    }
    for turn in chat.map(Chat::turns).unwrap_or_default() {
        add(turn.question());
        add(turn.answer().prose().source());
    }
    add(reading.analysis().source());
    all
}

impl History {
    /// Most readings kept; the oldest make room.
    pub const MAX_ENTRIES: usize = 500;
    /// Most bytes kept; the oldest make room.
    pub const MAX_BYTES: u64 = 50_000_000;

    /// Takes what the database holds: pairs of an entry and its text.
    pub fn new(entries: Vec<(Entry, String)>) -> Self {
        let mut history = Self { entries, deleted: None, words: Vec::new() };
        history.sort();
        history
    }

    fn sort(&mut self) {
        sort_by_key(&mut self.entries, |(entry, _)| std::cmp::Reverse(entry.time_ms));
    }

    /// The reader typed into the search: every word has to occur.
    pub fn handle_search(&mut self, typed: &str) {
        self.words = words(typed);
    }

    /// Entries were deleted; none named means all.
    pub fn handle_deleted(&mut self, id: Option<&str>) {
        let at = self.entries.iter().position(|(entry, _)| id == Some(&entry.id));
        self.deleted = at.map(|at| self.entries.remove(at));
        if id.is_none() {
            self.entries.clear();
        }
    }

    /// The reader wants back what was deleted last. Returns it with its text, for the database.
    pub fn handle_undo(&mut self) -> Option<(Entry, String)> {
        let back = self.deleted.take()?;
        self.entries.push(back.clone());
        self.sort();
        Some(back)
    }

    /// Whether something can be put back.
    pub fn can_undo(&self) -> bool {
        self.deleted.is_some()
    }

    /// What the list shows, the latest first.
    pub fn shown(&self) -> impl Iterator<Item = &Entry> {
        let is_found = |text: &str| self.words.iter().all(|word| text.contains(word.as_str()));
        self.entries.iter().filter(move |(_, text)| is_found(text)).map(|(entry, _)| entry)
    }

    /// How many there are, found or not.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A page of the past as others can use it, with everything it brought; `None` for one of another version.
pub fn with_export<T>(page: &Value, take: impl FnOnce(&Export) -> T) -> Option<T> {
    let (reading, chat) = restore_page(page, NO_TAB)?;
    Some(take(&Export::of(&reading?, chat.as_ref())))
}

/// The tab of a reading of the past.
const NO_TAB: i32 = -1;

impl Panel {
    /// The reader opens a reading of the past, of this day. False for one that can't be shown.
    pub fn handle_past(&mut self, page: &Value, date: String) -> bool {
        let Some((Some(mut reading), chat)) = restore_page(page, NO_TAB) else { return false };
        // The same reading may stand on the shelf; what is drawn of that is no drawing of this.
        reading.id.insert_str(0, "past ");
        reading.painted.clear();
        self.selected = None;
        self.remark.clear();
        self.past = Some(Past { reading, chat, date });
        true
    }

    /// The reader is done with the past.
    pub fn handle_past_closed(&mut self) {
        self.past = None;
        self.selected = None;
        self.remark.clear();
    }

    /// The history knows a page.
    pub fn handle_earlier(&mut self, earlier: Option<Earlier>) {
        self.earlier = earlier;
    }

    /// The reading of the page in view that can be shown instead of reading it.
    pub fn earlier(&self) -> Option<&Earlier> {
        let earlier = self.earlier.as_ref()?;
        let tab = self.tab.as_ref().filter(|tab| tab.url.as_deref() == Some(&earlier.url))?;
        let is_free = self.past.is_none()
            && !matches!(self.attempts.get(&tab.id), Some(Attempt::Extracting { .. }))
            && self.shelf.of_page(tab.id, &earlier.url).is_none();
        is_free.then_some(earlier)
    }

    pub(super) fn past_view(&self) -> Option<PastView> {
        match &self.past {
            Some(past) => {
                let in_view = self.tab.as_ref().and_then(|tab| tab.url.as_ref());
                Some(PastView::Open(past.date.clone(), in_view == Some(&past.reading.page.url)))
            }
            None => self.earlier().map(|earlier| PastView::Offered(earlier.date.clone())),
        }
    }
}
