//! The state of one side panel.

use super::chat::Chats;
use super::filter::Filter;
use super::history::{Earlier, Past};
use super::long_page::LongPage;
use super::reading::{Away, Reading, Request};
use super::session::Written;
use super::shelf::Shelf;
use super::view::State;
use crate::sorted_map::SortedMap;
use crate::wire::{PaintedItem, PanelToWorker, ProviderId, ReadingError, Settings, WorkerToPanel};

/// A tab as the browser lets us know it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tab {
    /// Its number.
    pub id: i32,
    /// Address, known only where the reader let us in.
    pub url: Option<String>,
    /// Title, likewise.
    pub title: Option<String>,
}

/// What the panel knew of when everything was deleted.
#[derive(Debug, PartialEq, Eq)]
pub struct Erased {
    /// Keys in `storage.session` that may stand there again: of a save that was on its way.
    pub items: Vec<String>,
    /// Readings and turns whose ports have to be closed.
    pub requests: Vec<String>,
    /// Tabs with highlights on their pages.
    pub tabs: Vec<i32>,
}

/// How far the latest attempt to read a tab has come, until it becomes a [`Reading`].
#[derive(Debug)]
pub(super) enum Attempt {
    /// The page's text is being taken.
    Extracting {
        /// Number of the wish it is taken for.
        wish: u32,
        /// Another document has begun to load since.
        is_overtaken: bool,
    },
    /// Reading it would send much, and the reader is asked how much of it is read.
    Choosing(Box<LongPage>),
    /// The page can't be read.
    Failed(ReadingError),
}

/// Everything a side panel knows.
#[derive(Debug, Default)]
pub struct Panel {
    pub(super) settings: Settings,
    pub(super) settings_known: bool,
    pub(super) welcomed: bool,
    pub(super) tab: Option<Tab>,
    pub(super) attempts: SortedMap<i32, Attempt>,
    /// By tab: number of the latest look for its document.
    looks: SortedMap<i32, u32>,
    /// The tab of which the reader wants to have read only what they have selected.
    pub(super) wants_selection: Option<i32>,
    pub(super) shelf: Shelf,
    pub(super) chats: Chats,
    pub(super) filter: Filter,
    pub(super) remark: String,
    pub(super) past: Option<Past>,
    pub(super) earlier: Option<Earlier>,
    pub(super) written: Written,
    pub(super) shown_view: String,
    pub(super) shows_thinking: bool,
    pub(super) folded: Vec<String>,
    pub(super) selected: Option<u32>,
    wishes: u32,
}

impl Panel {
    /// Takes the settings as they are now; `welcomed` says whether the reader has seen what is sent where.
    pub fn handle_settings(&mut self, settings: Settings, welcomed: bool) {
        self.settings = settings;
        self.welcomed = welcomed;
        self.settings_known = true;
    }

    /// The reader closed the first-run card.
    pub fn handle_welcomed(&mut self) {
        self.welcomed = true;
    }

    /// The tab in view, when it changes and when more is known about it.
    pub fn handle_tab(&mut self, mut tab: Tab) {
        if let Some((page, _fragment)) = tab.url.as_deref().and_then(|url| url.split_once('#')) {
            tab.url = Some(page.to_owned());
        }
        if self.tab.as_ref().is_none_or(|old| old.id != tab.id) {
            self.handle_past_closed();
        }
        self.tab = Some(tab);
    }

    /// The panel begins to look whether the document of a tab still stands. Returns the number of this look.
    pub fn handle_look(&mut self, tab: i32) -> u32 {
        let look = self.looks.get(&tab).map_or(0, |latest| latest.wrapping_add(1));
        self.looks.insert(tab, look);
        look
    }

    /// Whether what a look found is true of what the tab shows: not once a later one has begun. A failure may come long
    /// after the reader has gone back to a page that the browser kept.
    pub fn is_latest_look(&self, tab: i32, look: u32) -> bool {
        self.looks.get(&tab) == Some(&look)
    }

    /// The document of a tab is gone: it was closed, reloaded or left.
    pub fn handle_document_gone(&mut self, tab: i32) {
        for reading in self.shelf.of_tab_mut(tab) {
            reading.handle_document_gone();
        }
    }

    /// Another document begins to load in a tab: what kept the one before from being read is history. Text that is being
    /// taken may be that of either.
    pub fn handle_loading(&mut self, tab: i32) {
        match self.attempts.get(&tab) {
            Some(Attempt::Extracting { wish, .. }) => {
                let overtaken = Attempt::Extracting { wish: *wish, is_overtaken: true };
                self.attempts.insert(tab, overtaken);
            }
            Some(Attempt::Failed(_) | Attempt::Choosing(_)) => drop(self.attempts.remove(&tab)),
            None => {}
        }
    }

    /// Whether text was taken, or could not be, of a document that another has replaced meanwhile. `url` is the address
    /// that came with it.
    pub fn is_overtaken(&self, tab: i32, url: Option<&str>) -> bool {
        let shown = self.tab.as_ref().filter(|shown| shown.id == tab).and_then(|shown| shown.url.as_deref());
        matches!(self.attempts.get(&tab), Some(Attempt::Extracting { is_overtaken: true, .. }))
            && url.is_none_or(|url| shown.is_some_and(|shown| shown != url))
    }

    /// What came of such a document is of no use. Returns whether to take the text of the one that stands now: not when
    /// that is read already, as a page is that the reader went back to.
    pub fn handle_overtaken(&mut self, tab: i32) -> bool {
        let Some(Attempt::Extracting { wish, .. }) = self.attempts.remove(&tab) else { return false };
        let is_read = self.tab.as_ref().is_some_and(|shown| shown.id == tab) && self.is_read();
        if !is_read {
            self.attempts.insert(tab, Attempt::Extracting { wish, is_overtaken: false });
        }
        !is_read
    }

    /// A tab was closed. Returns the readings and turns whose ports have to be closed.
    pub fn handle_tab_removed(&mut self, tab: i32) -> Vec<String> {
        self.attempts.remove(&tab);
        self.looks.remove(&tab);
        let mut gone = self.shelf.remove_tab(tab);
        gone.extend(self.chats.remove_tab(tab));
        gone
    }

    /// Everything stored is deleted: what is known here goes as well, and nothing is saved of it again. Only how the
    /// panel looks stays, and which tab is in view.
    pub fn handle_erase(&mut self) -> Erased {
        let mut tabs: Vec<i32> = self.shelf.iter().map(Reading::tab).collect();
        tabs.dedup();
        let mut requests: Vec<String> = self.shelf.iter().map(|reading| reading.id().to_owned()).collect();
        requests.extend(self.chats.remove_all());
        let items = self.written_keys();
        *self = Self {
            tab: self.tab.take(),
            settings_known: self.settings_known,
            looks: std::mem::take(&mut self.looks),
            wishes: self.wishes,
            chats: std::mem::take(&mut self.chats),
            shown_view: std::mem::take(&mut self.shown_view),
            shows_thinking: self.shows_thinking,
            ..Self::default()
        };
        self.handle_written();
        Erased { items, requests, tabs }
    }

    /// The reader asked to read a tab; its text is being taken. Returns the number of this wish; `None` when one is
    /// being fulfilled already.
    pub fn handle_read(&mut self, tab: i32) -> Option<u32> {
        self.remark.clear();
        self.past = None;
        self.wants_selection = None;
        if matches!(self.attempts.get(&tab), Some(Attempt::Extracting { .. })) {
            return None;
        }
        self.wishes = self.wishes.wrapping_add(1);
        self.attempts.insert(tab, Attempt::Extracting { wish: self.wishes, is_overtaken: false });
        Some(self.wishes)
    }

    /// Whether the text of a tab is still wanted for this wish: not once the reader has stopped it or closed the tab.
    pub fn wants_text(&self, tab: i32, wish: u32) -> bool {
        matches!(self.attempts.get(&tab), Some(Attempt::Extracting { wish: current, .. }) if *current == wish)
    }

    /// The page can't be read.
    pub fn handle_unreadable(&mut self, tab: i32, error: ReadingError) {
        self.attempts.insert(tab, Attempt::Failed(error));
    }

    /// A page told its own address and title. True when it is the one in view.
    pub(super) fn handle_page_known(&mut self, tab: i32, url: &str, title: &str) -> bool {
        let Some(current) = self.tab.as_mut().filter(|current| current.id == tab) else { return false };
        current.url = Some(url.to_owned());
        current.title = Some(title.to_owned());
        true
    }

    /// A message came on a port.
    pub fn handle_message(&mut self, reading: &str, request: Request, message: WorkerToPanel, now_ms: u64) {
        if let Some(reading) = self.shelf.by_id_mut(reading) {
            reading.handle_message(request, message, now_ms);
            if !reading.is_running() {
                // How it ended is news, and what was said before it no longer is.
                self.remark.clear();
            }
        }
    }

    /// The worker's end of a port is gone.
    pub fn handle_disconnect(&mut self, reading: &str, request: Request, now_ms: u64) {
        if let Some(reading) = self.shelf.by_id_mut(reading) {
            reading.handle_disconnect(request, now_ms);
        }
    }

    /// The reader stops what is at work in the tab in view: the taking of its text, which a page can hold up for ever,
    /// and the reading shown. Returns the name of that, when it was running.
    pub fn handle_stop(&mut self, now_ms: u64) -> Option<String> {
        let tab = self.tab.as_ref()?.id;
        if matches!(self.attempts.get(&tab), Some(Attempt::Extracting { .. })) {
            self.attempts.remove(&tab);
        }
        let id = self.current().filter(|reading| reading.is_running())?.id.clone();
        self.shelf.by_id_mut(&id)?.handle_stop(now_ms);
        Some(id)
    }

    /// A second passed while something runs.
    pub fn handle_tick(&mut self) {
        self.chats.handle_tick();
        let running = self.current().filter(|reading| reading.is_running()).map(|reading| reading.id.clone());
        if let Some(reading) = running.and_then(|id| self.shelf.by_id_mut(&id)) {
            reading.handle_tick();
        }
    }

    /// The page in a tab says which highlights of its own reading stand on it.
    pub fn handle_painted(&mut self, tab: i32, reading: &str, items: Vec<PaintedItem>, late_frames: bool) {
        if let Some(reading) = self.shelf.by_id_mut(reading).filter(|reading| reading.tab == tab) {
            reading.late_frames |= late_frames;
            reading.handle_painted(items);
        }
    }

    /// The reader does not allow the way through the page now.
    pub fn handle_consent_declined(&mut self) {
        let shown = self.reading().map(|reading| reading.id.clone());
        if let Some(reading) = shown.and_then(|id| self.shelf.by_id_mut(&id)) {
            reading.consent_declined = true;
        }
    }

    /// The reader says whether what the model of the reading shown wants to open may be opened. Returns the reading's name
    /// and a message for each of its ports that asked.
    pub fn handle_open_reply(&mut self, allow: bool) -> Option<(String, Vec<(Request, PanelToWorker)>)> {
        let id = self.current()?.id.clone();
        let replies = self.shelf.by_id_mut(&id)?.handle_open_reply(allow);
        Some((id, replies))
    }

    /// Something to say in the bar until the next act ("Copied.").
    pub fn handle_remark(&mut self, remark: &str) {
        remark.clone_into(&mut self.remark);
    }

    /// The tab in view.
    pub fn tab(&self) -> Option<&Tab> {
        self.tab.as_ref()
    }

    /// The reading shown: one of the past that the reader has opened, or that of the tab in view.
    pub fn reading(&self) -> Option<&Reading> {
        self.past.as_ref().map(|past| &past.reading).or_else(|| self.current())
    }

    /// Whether a reading of the past is shown.
    pub fn is_past(&self) -> bool {
        self.past.is_some()
    }

    /// Whether what ends goes into the history.
    pub fn keeps_history(&self) -> bool {
        !self.settings.forgets_readings
    }

    /// The reading that belongs to the tab in view.
    pub(super) fn current(&self) -> Option<&Reading> {
        let tab = self.tab.as_ref()?;
        self.shelf.of_tab(tab.id, tab.url.as_deref())
    }

    /// Whether a reading no longer belongs to what its tab shows.
    pub fn away(&self, reading: &Reading) -> Option<Away> {
        let url = self.tab.as_ref().filter(|tab| tab.id == reading.tab).and_then(|tab| tab.url.as_deref());
        match url {
            Some(url) if url != reading.page.url => Some(Away::Navigated),
            Some(_) if reading.detached => Some(Away::Reloaded),
            None if reading.detached => Some(Away::Navigated),
            Some(_) | None => None,
        }
    }

    /// Whether to read a tab unasked, now that it shows another page than the one read there. The offline reader always
    /// follows; a provider where the reader wants every page read, and not again what was only loaded again. A page the
    /// browser keeps from us can't be followed to.
    pub fn follows(&self, tab: i32) -> bool {
        let Some(shown) = self.tab.as_ref().filter(|shown| shown.id == tab && shown.url.is_some()) else {
            return false;
        };
        let Some(away) = self.current().and_then(|reading| self.away(reading)) else { return false };
        let offline = self.reader().id == ProviderId::Rules;
        let wanted = offline || (self.settings.read_every_page && away == Away::Navigated);
        wanted && self.settings_known && !matches!(self.attempts.get(&shown.id), Some(Attempt::Extracting { .. }))
    }

    /// Whether the tab in view shows the page of its reading, so that there is nothing to read unasked.
    pub fn is_read(&self) -> bool {
        self.current().is_some_and(|reading| self.away(reading).is_none())
    }

    /// Whether a click on the toolbar button has nothing left to do for a tab: the page it shows is read, or being read.
    pub fn is_settled(&self, tab: i32) -> bool {
        self.tab.as_ref().is_some_and(|shown| shown.id == tab)
            && matches!(self.state(), State::Reading | State::Done)
            && self.reading().is_some_and(|reading| self.away(reading).is_none())
    }

    /// Why the tab in view can't be read.
    pub(super) fn unreadable(&self) -> Option<ReadingError> {
        match self.attempts.get(&self.tab.as_ref()?.id)? {
            Attempt::Failed(error) => Some(error.clone()),
            Attempt::Extracting { .. } | Attempt::Choosing(_) => None,
        }
    }

    /// Whether a tab has readings.
    pub fn knows_tab(&self, tab: i32) -> bool {
        self.attempts.contains_key(&tab) || self.shelf.of_tab(tab, None).is_some()
    }
}
