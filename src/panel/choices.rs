//! What the reader chose to see of a reading: an item, a part of the list, sections folded away.

use super::filter::Filter;
use super::model::Panel;
use super::reading::{Item, Reading};
use crate::wire::Category;

impl Panel {
    /// Most folded section titles remembered; one more than that is simply not remembered.
    pub const MAX_FOLDED: usize = 64;

    /// The reader activated a highlight on the page. True when it belongs to the reading shown; a filter that hides it
    /// is lifted.
    pub fn handle_activated(&mut self, reading: &str, index: u32) -> bool {
        let Some(item) = self.reading().filter(|shown| shown.id == reading).and_then(|shown| item_at(shown, index))
        else {
            return false;
        };
        if !self.filter.shows(&item.highlight) {
            self.filter = Filter::default();
        }
        self.selected = Some(index);
        true
    }

    /// The reader chose an item of the list.
    pub fn handle_select(&mut self, index: u32) {
        self.selected = Some(index);
    }

    /// The reader steps through the list as filtered. Returns the item arrived at.
    pub fn handle_step(&mut self, forward: bool) -> Option<u32> {
        let shown: Vec<u32> = self
            .reading()?
            .items()
            .iter()
            .filter(|item| self.filter.shows(&item.highlight))
            .map(|item| item.index)
            .collect();
        let at = self.selected.and_then(|selected| shown.iter().position(|index| *index == selected));
        let next = match (at, forward) {
            (None, true) => 0,
            (None, false) => shown.len().checked_sub(1)?,
            (Some(at), true) => (at + 1).min(shown.len() - 1),
            (Some(at), false) => at.saturating_sub(1),
        };
        self.selected = shown.get(next).copied();
        self.selected
    }

    /// The reader chose or dropped a category of the filter.
    pub fn handle_category(&mut self, category: Category) {
        self.filter.handle_category(category);
    }

    /// The reader typed into the filter.
    pub fn handle_filter(&mut self, typed: &str) {
        self.filter.handle_text(typed);
    }

    /// The reader wants to see the whole list again.
    pub fn handle_filter_dropped(&mut self) {
        self.filter = Filter::default();
    }

    /// The reader folded or unfolded a section; it stays so in every reading of this panel.
    pub fn handle_fold(&mut self, title: &str, folded: bool) {
        if !folded {
            self.folded.retain(|known| known != title);
        } else if self.folded.len() < Self::MAX_FOLDED && !self.is_folded(title) {
            self.folded.push(title.to_owned());
        }
    }

    /// The reader unfolded what a model thought aloud, or folded it; answers to come are shown the same way.
    pub fn handle_thinking_shown(&mut self, shown: bool) {
        self.shows_thinking = shown;
    }

    /// Whether what a model thinks aloud is shown unfolded.
    pub fn shows_thinking(&self) -> bool {
        self.shows_thinking
    }

    /// Whether a section is folded.
    pub fn is_folded(&self, title: &str) -> bool {
        self.folded.iter().any(|known| known == title)
    }

    /// The filter of the list.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The item chosen in the list.
    pub fn selected(&self) -> Option<u32> {
        self.selected
    }

    /// The chosen item of the reading shown.
    pub fn selected_item(&self) -> Option<&Item> {
        item_at(self.reading()?, self.selected?)
    }
}

fn item_at(reading: &Reading, index: u32) -> Option<&Item> {
    reading.items().iter().find(|item| item.index == index)
}
