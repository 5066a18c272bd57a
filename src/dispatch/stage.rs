//! What is read in one go and in which parts.
//!
//! Sizes are bytes. A token is worth three to four of them in most scripts.

use std::ops::Range;

use super::request::{Kind, Request};
use crate::page::{closest_passages, windows};
use crate::reading::plan::{MAX_PARTS, NOTES_PART, OVERLAP, WHOLE, window};
use crate::reading::prompt;
use crate::words;

/// A model that can't hold this much of a page can't read it.
const MIN_PART: usize = 1_000;
/// Most rounds of notes, and of notes on notes.
const MAX_ROUNDS: u32 = 3;

/// What the answers of a stage are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Prose for the reader.
    Answer,
    /// Phrases to mark, part by part.
    Highlights,
    /// Notes on each part, from which the answer is written then.
    Notes,
    /// One summary of the parts' summaries.
    Summary,
}

/// A text to read, and its parts.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) purpose: Purpose,
    /// Label of progress, without the part.
    label: String,
    content: String,
    /// Passages of `content` to read instead of it.
    passages: Option<String>,
    parts: Vec<Range<usize>>,
    /// Least size of a part so far: what was too long for one is too long for the others.
    size: usize,
    /// How often notes were taken: on the page, then on notes that were too long themselves.
    rounds: u32,
}

impl Stage {
    /// How a request begins. Takes its text.
    pub(super) fn first(request: &mut Request, local: bool) -> Self {
        let content = std::mem::take(&mut request.content);
        let purpose = match request.kind {
            Kind::Highlights => Purpose::Highlights,
            Kind::Analysis | Kind::Answer => Purpose::Answer,
        };
        let mut stage = Self {
            purpose,
            label: String::new(),
            content: String::new(),
            passages: None,
            parts: Vec::new(),
            size: usize::MAX,
            rounds: 0,
        };
        stage.go_on(purpose, words::say(request.label, &[]), content);
        if purpose == Purpose::Highlights {
            stage.cut(0, window(stage.content.len(), local));
        } else if stage.content.len() > WHOLE {
            stage.shrink_answer(request, WHOLE);
        }
        stage
    }

    /// Goes on to another text, read at once.
    fn go_on(&mut self, purpose: Purpose, label: String, content: String) {
        self.purpose = purpose;
        self.label = label;
        self.passages = None;
        self.size = usize::MAX;
        self.parts = std::iter::once(0..content.len()).collect();
        self.content = content;
    }

    /// Goes on to the answer, from notes on the parts.
    pub(super) fn answer_from(&mut self, notes: &[String], request: &Request) {
        self.go_on(Purpose::Answer, words::say(request.label, &[]), prompt::joined_notes(notes));
    }

    /// Goes on to one summary of the parts' summaries.
    pub(super) fn sum_up(&mut self, summaries: String) {
        self.go_on(Purpose::Summary, words::say("status_summing", &[]), summaries);
    }

    /// Makes do with `size` bytes, since a model can't hold that part; false when that is of no use.
    pub(super) fn shrink(&mut self, part: usize, size: usize, request: &Request) -> bool {
        match self.purpose {
            Purpose::Highlights | Purpose::Notes => {
                self.cut(part, size);
                true
            }
            Purpose::Answer => self.shrink_answer(request, size),
            Purpose::Summary => false,
        }
    }

    /// A question is then answered from the passages closest to it, everything else from notes on all parts.
    fn shrink_answer(&mut self, request: &Request, size: usize) -> bool {
        let Some(question) = request.question() else {
            self.rounds += 1;
            if self.rounds > MAX_ROUNDS {
                return false;
            }
            self.purpose = Purpose::Notes;
            self.label = words::say("status_in_parts", &[]);
            self.cut(0, size.min(NOTES_PART));
            return true;
        };
        let room = size.saturating_sub(prompt::PASSAGES_NOTE.len());
        let passages = closest_passages(&self.content, &question, room);
        let [taken, all] = [passages.taken, passages.all].map(|count| words::number(count as u64));
        self.label = words::say("status_passages", &[&taken, &all]);
        let text = format!("{}{}", prompt::PASSAGES_NOTE, passages.text);
        self.parts = std::iter::once(0..text.len()).collect();
        self.passages = Some(text);
        passages.taken > 0
    }

    /// Cuts into windows of at most `size` from a part on.
    fn cut(&mut self, part: usize, size: usize) {
        self.size = self.size.min(size);
        let start = self.parts[part].start;
        self.parts.truncate(part);
        let windows = windows(&self.content[start..], self.size, OVERLAP);
        self.parts.extend(windows.into_iter().map(|window| start + window.start..start + window.end));
        self.parts.truncate(MAX_PARTS);
    }

    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn text(&self, part: usize) -> &str {
        &self.passages.as_ref().unwrap_or(&self.content)[self.parts[part].clone()]
    }

    /// Label of progress while a part is in turn.
    pub(super) fn status(&self, part: usize) -> String {
        match self.parts() {
            0 | 1 => self.label.clone(),
            parts => {
                let [part, parts] = [part + 1, parts].map(|number| words::number(number as u64));
                words::say("status_part", &[&self.label, &part, &parts])
            }
        }
    }

    /// Characters after the last part.
    pub(super) fn left_out(&self) -> usize {
        let end = self.parts.last().map_or(0, |last| last.end);
        if self.passages.is_some() { 0 } else { self.content[end..].chars().count() }
    }
}

/// How many bytes of a part to try next, after one of `part` bytes in a request of `asked` bytes was too long. `tokens`
/// are those of the request and the most the model takes, if it said so. `None` when a model takes too little.
pub(super) fn smaller(part: usize, asked: usize, tokens: Option<(u64, u64)>) -> Option<usize> {
    let fitting = match tokens {
        Some((tokens, limit)) => {
            let share = |bytes: usize| {
                u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(answerable(limit)) / tokens.max(1)
            };
            usize::try_from(share(asked)).unwrap_or(usize::MAX).saturating_sub(asked.saturating_sub(part))
        }
        None => part / 2,
    };
    // What counts as a token differs along a page, so each try must be clearly smaller than the one before.
    let size = fitting.min(part / 4 * 3);
    (size >= MIN_PART).then_some(size)
}

/// Tokens of a model's context that a request may take, so that the answer has room.
fn answerable(limit: u64) -> u64 {
    limit - limit / 4
}

/// The output limit for a model whose context is known.
pub(super) fn output_limit(max_tokens: u32, limit: Option<u64>) -> u32 {
    let room = limit.map_or(u64::from(max_tokens), |limit| (limit / 4).max(64));
    max_tokens.min(u32::try_from(room).unwrap_or(max_tokens))
}
