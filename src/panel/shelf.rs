//! The readings of this panel, one for each tab and address.

use super::reading::Reading;

/// A bounded shelf of readings, the latest last.
#[derive(Debug, Default)]
pub struct Shelf {
    readings: Vec<Reading>,
}

impl Shelf {
    /// Most readings kept; the oldest makes room.
    pub const MAX: usize = 20;

    /// Puts a reading on the shelf. Returns the names of those it pushed out, whose ports have to be closed: an earlier
    /// reading of the same page in the same tab, or the oldest of a full shelf.
    pub(super) fn insert(&mut self, reading: Reading) -> Vec<String> {
        let mut gone = Vec::new();
        self.readings.retain(|old| {
            let replaced = old.tab == reading.tab && old.page.url == reading.page.url;
            if replaced {
                gone.push(old.id.clone());
            }
            !replaced
        });
        if self.readings.len() == Self::MAX {
            gone.push(self.readings.remove(0).id);
        }
        self.readings.push(reading);
        gone
    }

    /// Forgets the readings of a closed tab and returns their names.
    pub(super) fn remove_tab(&mut self, tab: i32) -> Vec<String> {
        let (gone, kept) = std::mem::take(&mut self.readings).into_iter().partition(|reading| reading.tab == tab);
        self.readings = kept;
        gone.into_iter().map(|reading: Reading| reading.id).collect()
    }

    /// The reading with this name.
    pub fn by_id(&self, id: &str) -> Option<&Reading> {
        self.readings.iter().find(|reading| reading.id == id)
    }

    pub(super) fn by_id_mut(&mut self, id: &str) -> Option<&mut Reading> {
        self.readings.iter_mut().find(|reading| reading.id == id).map(to_change)
    }

    /// The reading to show for a tab: that of its address where it is known, else the tab's latest.
    pub fn of_tab(&self, tab: i32, url: Option<&str>) -> Option<&Reading> {
        let latest = || self.readings.iter().rev().filter(move |reading| reading.tab == tab);
        url.and_then(|url| latest().find(|reading| reading.page.url == url)).or_else(|| latest().next())
    }

    /// The reading of this very page.
    pub(super) fn of_page(&self, tab: i32, url: &str) -> Option<&Reading> {
        self.readings.iter().find(|reading| reading.tab == tab && reading.page.url == url)
    }

    pub(super) fn of_tab_mut(&mut self, tab: i32) -> impl Iterator<Item = &mut Reading> {
        self.readings.iter_mut().filter(move |reading| reading.tab == tab).map(to_change)
    }

    /// All of them, the latest last.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Reading> {
        self.readings.iter()
    }

    /// The reading made last, in whatever tab.
    pub fn latest(&self) -> Option<&Reading> {
        self.readings.last()
    }
}

/// Whoever takes a reading to change it has changed it, for what is kept of it.
fn to_change(reading: &mut Reading) -> &mut Reading {
    reading.changes = reading.changes.wrapping_add(1);
    reading
}
