//! A page as it was read.

use crate::page::{addresses_on_page, text};
use crate::reading::citation::SourceSet;
use crate::wire::Snapshot;
use crate::words;

/// A page that was read.
#[derive(Debug, Clone, Default)]
pub struct ReadPage {
    /// Address without its fragment.
    pub url: String,
    /// Title.
    pub title: String,
    /// Words read; characters where the language sets no spaces.
    pub extent: String,
    /// What was left out and why, for the reader; empty when nothing was.
    pub left_out: String,
    /// The addresses it names: these a model may open.
    pub addresses: Vec<String>,
    /// Those and its own: an answer about it may link there.
    pub links: SourceSet,
    /// Whether it is the reader's alone: they are logged in there, or the window is private.
    pub is_private: bool,
    /// Whether what the reader has selected was read instead of the page.
    pub is_selection: bool,
}

impl ReadPage {
    /// Describes what was taken from a page.
    pub fn new(snapshot: &Snapshot, read: &text::Reading) -> Self {
        let word_count = text::word_count(&read.text) as u64;
        let characters = read.text.chars().count() as u64;
        // Chinese, Japanese and Thai set no spaces between words.
        let extent = if characters > word_count * 15 && word_count != 1 {
            words::count("panel_characters", characters, &[])
        } else {
            words::count("panel_words", word_count, &[])
        };
        let mut left_out = Vec::new();
        if read.selection {
            left_out.push(words::say("page_selection", &[]));
        }
        if read.left_out > 0 {
            left_out.push(words::count("page_left_out", read.left_out as u64, &[]));
        }
        if snapshot.hidden > 0 {
            left_out.push(words::count("page_hidden", snapshot.hidden.into(), &[]));
        }
        if snapshot.unread_frames > 0 {
            left_out.push(words::count("page_frames", snapshot.unread_frames.into(), &[]));
        }
        let addresses = addresses_on_page(snapshot);
        Self {
            url: snapshot.url.clone(),
            title: snapshot.title.clone(),
            extent,
            left_out: left_out.join(" "),
            links: Self::links(&snapshot.url, &addresses),
            addresses,
            is_private: snapshot.signed_in,
            is_selection: read.selection,
        }
    }

    /// Where an answer about a page may link to.
    pub(super) fn links(url: &str, addresses: &[String]) -> SourceSet {
        SourceSet::of(std::iter::once(url).chain(addresses.iter().map(String::as_str)))
    }
}
