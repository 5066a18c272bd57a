//! Keys and values: what they mean where they stand.

use super::super::draft::{Draft, Key, cut};
use super::super::frame::{Container, Expect, Frame, Place};
use super::super::string::Role;
use super::super::{Found, MAX_OBJECT_BYTES};
use super::{Lost, Tree};
use crate::reading::category;
use crate::wire::Category;

/// Longest summary, in characters; a longer one is cut.
const MAX_SUMMARY: usize = 1000;
/// Longest sentence about a category, in characters; a longer one is cut.
const MAX_CATEGORY_SUMMARY: usize = 300;

impl Tree {
    /// What a string that starts now is, and how much of it is wanted.
    pub(in crate::reading::scan) fn string_role(&self) -> Role {
        let Some(Frame { place, container: Container::Object { expect: Expect::Value, key, category } }) =
            self.frames.last()
        else {
            return Role::Name;
        };
        let room = match (place, key) {
            _ if self.beyond > 0 => return Role::Name,
            (Place::Bare | Place::Nested, Key::Summary) => MAX_OBJECT_BYTES,
            (Place::Summaries, _) if category.is_some() => MAX_OBJECT_BYTES,
            (
                Place::Bare | Place::Highlights,
                Key::Phrase | Key::Category | Key::Note | Key::Source | Key::SourceUrl,
            ) => self.draft.as_ref().map_or(0, Draft::room),
            _ => 0,
        };
        Role::Value { room }
    }

    /// Takes the beginning of a string the answer ends in.
    pub(in crate::reading::scan) fn cut_string(&mut self, text: String) {
        let Some(Frame { container: Container::Object { expect: Expect::Value, key, .. }, place }) = self.frames.last()
        else {
            return;
        };
        if matches!(place, Place::Bare | Place::Highlights)
            && matches!(key, Key::Note | Key::Source)
            && let Some(draft) = &mut self.draft
        {
            draft.set(*key, text, false);
        }
    }

    pub(super) fn colon(&mut self, out: &mut Vec<Found>) -> Result<(), Lost> {
        match self.frames.last_mut().map(|frame| &mut frame.container) {
            Some(Container::Object { expect: expect @ Expect::Colon, .. }) => {
                *expect = Expect::Value;
                return Ok(());
            }
            Some(Container::Object { .. }) => return Err(Lost),
            Some(Container::Array) | None => {}
        }
        let element = self.element;
        if element.is_of_document() && self.frames.iter().any(|frame| frame.is_document()) {
            while self.frames.last().is_some_and(|frame| !frame.is_document()) {
                self.pop(out);
            }
            self.set_key(element, None, Expect::Value);
        }
        Ok(())
    }

    pub(super) fn string(&mut self, text: String, overflow: bool, out: &mut Vec<Found>) -> Result<(), Lost> {
        let Some(Frame { place, container }) = self.frames.last_mut() else { return Ok(()) };
        let Container::Object { expect, key, category } = container else {
            self.element = Key::parse(&text);
            // Some models name several categories, in an array.
            if let [.., Frame { container: Container::Object { key: Key::Category, .. }, .. }, _] = self.frames[..]
                && let Some(draft) = &mut self.draft
                && !draft.is_complete()
            {
                draft.set(Key::Category, text, overflow);
            }
            return Ok(());
        };
        let (place, key, category) = (*place, *key, *category);
        match expect {
            Expect::Key | Expect::Next => {
                self.name(&text);
                return Ok(());
            }
            Expect::Colon => return Err(Lost),
            Expect::Value => *expect = Expect::Next,
        }
        match (place, key, category) {
            (Place::Bare | Place::Nested, Key::Summary, _) => {
                if overflow {
                    self.gate.dropped.oversize += 1;
                } else if !self.has_summary && !text.trim().is_empty() {
                    self.has_summary = true;
                    out.push(Found::Summary(cut(&text, MAX_SUMMARY)));
                }
            }
            (Place::Summaries, _, Some(category)) if !text.trim().is_empty() => {
                self.summaries.insert(category, cut(&text, MAX_CATEGORY_SUMMARY));
            }
            (Place::Bare | Place::Highlights, ..) => {
                if let Some(draft) = &mut self.draft {
                    draft.set(key, text, overflow);
                }
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn atom(&mut self, text: &str) -> Result<(), Lost> {
        let Some(Frame { container: Container::Object { expect, .. }, .. }) = self.frames.last_mut() else {
            return Ok(());
        };
        match expect {
            Expect::Key => self.name(text),
            Expect::Value => *expect = Expect::Next,
            Expect::Colon | Expect::Next => return Err(Lost),
        }
        Ok(())
    }

    /// Takes the key of the innermost object.
    fn name(&mut self, text: &str) {
        let key = Key::parse(text);
        let mut category = None;
        if let Some(Frame { place, .. }) = self.frames.last_mut() {
            match (*place, key) {
                (Place::Group, Key::Phrase | Key::Category) => {
                    *place = Place::Highlights;
                    self.draft = Some(Draft::default());
                }
                // The model began its document again, in the middle of the list.
                (Place::Highlights, Key::Highlights | Key::CategorySummaries)
                    if !self.draft.as_ref().is_some_and(Draft::has_phrase) =>
                {
                    *place = Place::Nested;
                    self.draft = None;
                }
                (Place::Group | Place::Summaries, _) => category = category::parse(text),
                (Place::Bare | Place::Nested | Place::Highlights | Place::Ignored, _) => {}
            }
        }
        self.set_key(key, category, Expect::Colon);
    }

    pub(super) fn set_key(&mut self, new: Key, named: Option<Category>, then: Expect) {
        self.is_promising |= new != Key::Other;
        if let Some(Frame { container: Container::Object { expect, key, category }, .. }) = self.frames.last_mut() {
            (*key, *category, *expect) = (new, named, then);
        }
    }
}
