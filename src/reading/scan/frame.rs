//! One open container.

use super::draft::Key;
use crate::wire::Category;

/// What a container is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// An answer of its own: a document or, if no document has been seen, a highlight; or an array of these.
    Bare,
    /// Part of a document: may hold the `highlights`, is none.
    Nested,
    /// The `highlights`, or one of them.
    Highlights,
    /// An object in place of the array of `highlights`: they have names, or stand in an array for each category. One
    /// that turns out to be a highlight itself becomes [`Place::Highlights`].
    Group,
    /// The `category_summaries`.
    Summaries,
    /// Of no interest.
    Ignored,
}

/// What an object expects next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    Key,
    Colon,
    Value,
    /// A comma, or the end.
    Next,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Container {
    Array,
    Object {
        expect: Expect,
        key: Key,
        /// The key as a category, for `category_summaries` and groups.
        category: Option<Category>,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) place: Place,
    pub(super) container: Container,
}

impl Frame {
    pub(super) fn object(place: Place) -> Self {
        Self { place, container: Container::Object { expect: Expect::Key, key: Key::Other, category: None } }
    }

    pub(super) fn array(place: Place) -> Self {
        Self { place, container: Container::Array }
    }

    pub(super) fn is_array(self) -> bool {
        matches!(self.container, Container::Array)
    }

    /// An object that may hold `summary`, `category_summaries` and `highlights`.
    pub(super) fn is_document(self) -> bool {
        !self.is_array() && matches!(self.place, Place::Bare | Place::Nested)
    }

    /// An array whose objects are highlights.
    pub(super) fn is_list(self) -> bool {
        self.is_array() && matches!(self.place, Place::Bare | Place::Highlights)
    }

    /// Something whose objects are highlights.
    pub(super) fn holds_highlights(self) -> bool {
        self.is_list() || self.place == Place::Group
    }

    /// The place of the objects in something that [`holds_highlights`](Self::holds_highlights).
    pub(super) fn place_inside(self) -> Place {
        if self.place == Place::Group { Place::Highlights } else { self.place }
    }
}
