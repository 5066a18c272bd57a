//! A highlight as it crosses every boundary.

use serde::{Deserialize, Serialize};

use crate::sorted_map::SortedMap;

/// What a highlight says about its phrase. Words, colours and synonyms stand in [`crate::reading::category`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A claim a source contradicts.
    Misinformation,
    /// Wording that works on feelings.
    Emotional,
    /// One-sided selection or framing.
    Bias,
    /// A claim that carries a source.
    Supported,
    /// A flaw of reasoning.
    Logical,
}

/// One sentence for each category that has something to say.
pub type CategorySummaries = SortedMap<Category, String>;

/// A page that a search or a fetch of a request brought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// Its address, as the provider or the fetch named it.
    pub url: String,
    /// Its title; empty when unknown.
    pub title: String,
}

/// One marked phrase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Highlight {
    /// The phrase, as the reader quoted it from the page.
    pub phrase: String,
    /// What is said about it.
    pub category: Category,
    /// Why, in one short sentence.
    #[serde(default)]
    pub note: String,
    /// The name of the source, empty when there is none.
    #[serde(default)]
    pub source: String,
    /// The address of the source, empty when there is none.
    #[serde(default)]
    pub source_url: String,
    /// Whether `source_url` came out of a search or a fetch of this very run. Only then may it be shown as a link.
    #[serde(default)]
    pub verified: bool,
}
