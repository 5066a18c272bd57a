//! A page as it was read.

use crate::page::text;
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
    /// Its own address and those its links lead to: an answer about it may link there.
    pub links: SourceSet,
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
        let mut links = SourceSet::default();
        links.insert(&snapshot.url);
        for (_, address) in &snapshot.links {
            links.insert(address);
        }
        Self { url: snapshot.url.clone(), title: snapshot.title.clone(), extent, left_out: left_out.join(" "), links }
    }
}
