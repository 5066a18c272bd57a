//! Which highlights the list shows.

use crate::wire::{Category, Highlight};
use crate::words::lower;

/// A filter by category and by words; empty, it lets everything through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    categories: Vec<Category>,
    words: Vec<String>,
    typed: String,
}

impl Filter {
    /// Shows a category, or stops showing it. With no category chosen all are shown.
    pub fn handle_category(&mut self, category: Category) {
        match self.categories.iter().position(|chosen| *chosen == category) {
            Some(at) => drop(self.categories.remove(at)),
            None => self.categories.push(category),
        }
    }

    /// Takes what the reader typed: every word has to occur somewhere in a highlight.
    pub fn handle_text(&mut self, typed: &str) {
        self.words = words(typed);
        typed.clone_into(&mut self.typed);
    }

    /// What the reader typed.
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// Whether a category was chosen.
    pub fn names(&self, category: Category) -> bool {
        self.categories.contains(&category)
    }

    /// Whether anything is left out at all.
    pub fn is_empty(&self) -> bool {
        self.categories.is_empty() && self.words.is_empty()
    }

    /// Whether a highlight is shown.
    pub fn shows(&self, highlight: &Highlight) -> bool {
        (self.categories.is_empty() || self.categories.contains(&highlight.category))
            && self.words.iter().all(|word| {
                [&highlight.phrase, &highlight.note, &highlight.source]
                    .into_iter()
                    .any(|text| lower(text).contains(word))
            })
    }
}

/// What is looked for, word by word.
pub(super) fn words(typed: &str) -> Vec<String> {
    typed.split_whitespace().map(lower).collect()
}
