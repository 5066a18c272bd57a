//! The open containers.

use sidelight_stream::object::FlatObject;

use super::draft::{Draft, Gate, Key, Limits};
use super::frame::{Container, Expect, Frame, Place};
use super::prose::Opening;
use super::resync::WayOut;
use super::{Found, ScanReport};
use crate::wire::{Category, CategorySummaries};

mod value;

/// Deepest nesting that is understood; what is deeper is skipped.
const MAX_DEPTH: usize = 64;

/// A piece of JSON.
#[derive(Debug)]
pub(super) enum Token<'a> {
    OpenObject,
    CloseObject,
    OpenArray,
    CloseArray,
    Colon,
    Comma,
    String { text: String, overflow: bool },
    Atom(&'a str),
}

/// The tokens make no sense together.
#[derive(Debug)]
pub(super) struct Lost;

/// Everything that is open.
#[derive(Debug)]
pub(super) struct Tree {
    frames: Vec<Frame>,
    /// Containers open beyond [`MAX_DEPTH`].
    beyond: usize,
    /// Whether the value in progress starts a line.
    root: Place,
    /// Whether a known key has been seen in the value in progress.
    is_promising: bool,
    /// Whether the answer has a `highlights` array; from then on highlights come from there alone.
    has_highlights: bool,
    has_summary: bool,
    draft: Option<Draft>,
    /// The category of the highlights in an array, where they stand in one for each category.
    group: Option<Category>,
    summaries: CategorySummaries,
    /// The last string of an array: a colon after it means that the array was never closed.
    element: Key,
    gate: Gate,
    /// Objects that ended, valid or not.
    ended: usize,
}

impl Tree {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            frames: Vec::new(),
            beyond: 0,
            root: Place::Nested,
            is_promising: false,
            has_highlights: false,
            has_summary: false,
            draft: None,
            group: None,
            summaries: CategorySummaries::new(),
            element: Key::Other,
            gate: Gate::new(limits),
            ended: 0,
        }
    }

    /// Whether the next object is a highlight of the list.
    pub(super) fn is_in_list(&self) -> bool {
        let is_list = |frame: &Frame| frame.is_array() && frame.place == Place::Highlights;
        self.beyond == 0 && self.frames.len() < MAX_DEPTH && self.frames.last().is_some_and(is_list)
    }

    /// Takes a whole object where one of the list [was to come](Self::is_in_list).
    pub(super) fn take_object(&mut self, object: &FlatObject, out: &mut Vec<Found>) {
        let mut draft = Draft::of(self.group);
        draft.fill(object);
        self.is_promising = true;
        self.draft = None;
        self.settle(draft, out);
    }

    /// Starts a value in prose.
    pub(super) fn open_root(&mut self, opening: Opening) {
        self.frames.clear();
        self.beyond = 0;
        self.draft = None;
        self.is_promising = false;
        match opening {
            Opening::Object { is_bare } => {
                self.root = if is_bare { Place::Bare } else { Place::Nested };
                self.push_object(self.root);
            }
            Opening::Array => {
                self.root = Place::Bare;
                self.frames.push(Frame::array(Place::Bare));
            }
        }
    }

    /// Starts inside a `highlights` array whose beginning lies before the text.
    pub(super) fn open_highlights(&mut self) {
        self.has_highlights = true;
        self.frames.push(Frame::object(Place::Nested));
        self.frames.push(Frame::array(Place::Highlights));
    }

    /// Whether nothing is open.
    pub(super) fn is_closed(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether the value in progress, or the last one, starts a line.
    pub(super) fn root_is_bare(&self) -> bool {
        self.root == Place::Bare
    }

    /// Highlight objects that ended so far, valid or not.
    pub(super) fn ended(&self) -> usize {
        self.ended
    }

    /// Takes the next token.
    pub(super) fn take(&mut self, token: Token<'_>, out: &mut Vec<Found>) -> Result<(), Lost> {
        if self.beyond > 0 {
            match token {
                Token::OpenObject | Token::OpenArray => self.beyond += 1,
                Token::CloseObject | Token::CloseArray => self.beyond -= 1,
                Token::Colon | Token::Comma | Token::String { .. } | Token::Atom(_) => {}
            }
            return Ok(());
        }
        match token {
            Token::OpenObject => self.open(true, out),
            Token::OpenArray => self.open(false, out),
            Token::CloseObject => {
                self.close_object(out);
                Ok(())
            }
            Token::CloseArray => {
                self.close_array(out);
                Ok(())
            }
            Token::Colon => self.colon(out),
            Token::Comma => {
                if let Some(Frame { container: Container::Object { expect, .. }, .. }) = self.frames.last_mut() {
                    *expect = Expect::Key;
                }
                Ok(())
            }
            Token::String { text, overflow } => self.string(text, overflow, out),
            Token::Atom(text) => self.atom(text),
        }
    }

    /// Something made no sense: drops the highlight in progress. False when the whole value was just prose with braces.
    pub(super) fn lose(&mut self) -> bool {
        if !self.is_promising {
            self.frames.clear();
            self.draft = None;
            return false;
        }
        self.drop_draft();
        true
    }

    /// Goes on at a key that [`super::resync`] recognised.
    pub(super) fn resume(&mut self, way_out: WayOut, out: &mut Vec<Found>) {
        match self.draft.take() {
            Some(draft) if draft.is_complete() && self.takes_drafts() => self.settle(draft, out),
            draft => {
                self.draft = draft;
                self.drop_draft();
            }
        }
        self.beyond = 0;
        let place = if way_out.key.is_of_document() {
            if way_out.opens_object {
                self.frames.clear();
            }
            while self.frames.last().is_some_and(|frame| !frame.is_document()) {
                self.pop(out);
            }
            Place::Bare
        } else {
            while self.frames.last().is_some_and(|frame| !frame.holds_highlights()) {
                self.pop(out);
            }
            self.frames.last().map_or(Place::Bare, |frame| frame.place_inside())
        };
        if self.frames.last().is_none_or(|frame| frame.holds_highlights()) {
            if self.frames.is_empty() {
                self.root = place;
            }
            self.push_object(place);
        }
        self.set_key(way_out.key, None, Expect::Value);
    }

    /// Ends the answer.
    pub(super) fn finish(&mut self, out: &mut Vec<Found>) -> ScanReport {
        let truncated = !self.frames.is_empty();
        if let Some(draft) = self.draft.take()
            && draft.has_phrase()
            && self.takes_drafts()
        {
            self.settle(draft, out);
        }
        self.yield_summaries(out);
        self.frames.clear();
        ScanReport {
            found: self.gate.found(),
            dropped: self.gate.dropped,
            truncated,
            is_document: self.has_highlights || self.has_summary,
        }
    }

    fn open(&mut self, is_object: bool, out: &mut Vec<Found>) -> Result<(), Lost> {
        if let Some(Frame { container: Container::Object { expect, .. }, .. }) = self.frames.last_mut() {
            match expect {
                Expect::Value => *expect = Expect::Next,
                // The object before was never closed.
                Expect::Key | Expect::Next if is_object => {
                    self.pop(out);
                    return self.open(is_object, out);
                }
                Expect::Key | Expect::Next | Expect::Colon => return Err(Lost),
            }
        }
        if self.frames.len() == MAX_DEPTH {
            self.beyond = 1;
            return Ok(());
        }
        let place = match self.frames.last() {
            None => self.root,
            Some(Frame { place, container: Container::Array }) => *place,
            Some(Frame { place: Place::Bare | Place::Nested, container: Container::Object { key, .. } }) => match key {
                Key::Highlights if is_object => Place::Group,
                Key::Highlights => Place::Highlights,
                Key::CategorySummaries if is_object => Place::Summaries,
                Key::Phrase
                | Key::Category
                | Key::Note
                | Key::Source
                | Key::SourceUrl
                | Key::Summary
                | Key::CategorySummaries
                | Key::Other => Place::Nested,
            },
            Some(Frame { place: Place::Group, container: Container::Object { category, .. } }) => {
                self.group = *category;
                Place::Highlights
            }
            Some(Frame { place: Place::Highlights | Place::Summaries | Place::Ignored, .. }) => Place::Ignored,
        };
        self.has_highlights |= place == Place::Group || (place == Place::Highlights && !is_object);
        if is_object {
            self.push_object(place);
        } else {
            self.element = Key::Other;
            self.frames.push(Frame::array(place));
        }
        Ok(())
    }

    fn push_object(&mut self, place: Place) {
        self.frames.push(Frame::object(place));
        match place {
            Place::Bare | Place::Highlights => self.draft = Some(Draft::of(self.group)),
            Place::Summaries => self.summaries.clear(),
            Place::Group => self.group = None,
            Place::Nested | Place::Ignored => {}
        }
    }

    fn close_object(&mut self, out: &mut Vec<Found>) {
        // One brace too many after a highlight.
        if self.frames.last().is_some_and(|frame| frame.is_list()) {
            return;
        }
        while let Some(frame) = self.pop(out) {
            if !frame.is_array() {
                break;
            }
        }
    }

    fn close_array(&mut self, out: &mut Vec<Found>) {
        if self.frames.iter().any(|frame| frame.is_array()) {
            while let Some(frame) = self.pop(out) {
                if frame.is_array() {
                    break;
                }
            }
        }
    }

    /// Closes the innermost container.
    fn pop(&mut self, out: &mut Vec<Found>) -> Option<Frame> {
        let frame = self.frames.pop()?;
        if !frame.is_array() {
            match frame.place {
                Place::Bare | Place::Highlights => {
                    if let Some(draft) = self.draft.take()
                        && (frame.place == Place::Highlights || (draft.has_phrase() && !self.has_highlights))
                    {
                        self.settle(draft, out);
                    }
                }
                Place::Summaries => self.yield_summaries(out),
                Place::Group => self.group = None,
                Place::Nested | Place::Ignored => {}
            }
        }
        Some(frame)
    }

    /// Whether the draft, if there is one, counts as a highlight.
    fn takes_drafts(&self) -> bool {
        !self.has_highlights || self.frames.iter().any(|frame| frame.place == Place::Highlights)
    }

    fn drop_draft(&mut self) {
        if self.draft.take().is_some_and(|draft| draft.has_phrase()) && self.takes_drafts() {
            self.gate.dropped.malformed += 1;
            self.ended += 1;
        }
    }

    fn settle(&mut self, draft: Draft, out: &mut Vec<Found>) {
        self.ended += 1;
        self.gate.settle(draft, out);
    }

    fn yield_summaries(&mut self, out: &mut Vec<Found>) {
        if !self.summaries.is_empty() {
            out.push(Found::CategorySummaries(std::mem::take(&mut self.summaries)));
        }
    }
}
