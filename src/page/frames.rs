//! The documents of a tab as one text.
//!
//! Every frame answers with a snapshot of its own. [`merge`] puts each where its frame stands in the document around it,
//! so that a reader and a model see one page; [`Frames`] leads places in that text back to the frame they belong to.

use crate::sort::sort_by_key;
use crate::wire::{Anchor, FramePart, Snapshot};

/// Most frames of a tab that are read beside the top one.
pub const MAX_FRAMES: usize = 32;

/// Documents deeper than this are left out.
const MAX_DEPTH: usize = 8;

/// One snapshot of the top document and the frames in it, given with Chrome's numbers for them. A frame that no document
/// shows large enough to be read stays out; one whose place is not known comes last.
pub fn merge(top: &Snapshot, mut frames: Vec<(u32, Snapshot)>) -> Snapshot {
    // The top document is a part even where it shows no text itself, as a frame set: what has no place is its to find.
    let parts = vec![FramePart { frame: 0, generation: top.generation, len: 0 }];
    let mut merged = Snapshot { nodes: Vec::new(), embeds: Vec::new(), text: String::new(), parts, ..top.clone() };
    let mut all = Merger { merged: &mut merged, frames: &mut frames, units: 0 };
    all.push(0, top, true, 0);
    // Whatever is left and has no known place: a frame in a shadow tree, say.
    while let Some(at) = all.frames.iter().position(|(_, frame)| frame.path.last() == Some(&UNKNOWN)) {
        let (number, frame) = all.frames.swap_remove(at);
        if !frame.text.is_empty() {
            all.merged.unread_frames = all.merged.unread_frames.saturating_sub(1);
            all.push_child(number, &frame, true, 1);
        }
    }
    merged
}

/// In a path: which of its parent's frames it is is not known.
const UNKNOWN: i32 = -1;

struct Merger<'a> {
    merged: &'a mut Snapshot,
    /// Not yet placed.
    frames: &'a mut Vec<(u32, Snapshot)>,
    /// Length of the merged text so far.
    units: usize,
}

impl Merger<'_> {
    /// Appends a document, with each of its frames in its place. `main`: whether its main content is that of the tab.
    fn push(&mut self, number: u32, document: &Snapshot, main: bool, depth: usize) {
        let mut chars = document.text.chars();
        let mut embeds = document.embeds.iter();
        for &(len, flags) in &document.nodes {
            if flags & Snapshot::FRAME == 0 {
                self.push_node(number, document.generation, super::text::take_utf16(&mut chars, len), flags, main);
            } else if let Some(&embed) = embeds.next() {
                self.push_embed(document, embed, main && flags & Snapshot::MAIN != 0, depth);
            }
        }
    }

    fn push_embed(&mut self, document: &Snapshot, embed: i32, main: bool, depth: usize) {
        let is_here =
            |frame: &Snapshot| embed != UNKNOWN && frame.path.split_last() == Some((&embed, document.path.as_slice()));
        match self.frames.iter().position(|(_, frame)| is_here(frame)) {
            Some(at) if depth < MAX_DEPTH => {
                let (number, frame) = self.frames.swap_remove(at);
                self.push_child(number, &frame, main, depth + 1);
            }
            _ => self.merged.unread_frames += 1,
        }
    }

    fn push_child(&mut self, number: u32, frame: &Snapshot, main: bool, depth: usize) {
        self.merged.hidden = self.merged.hidden.saturating_add(frame.hidden);
        self.merged.truncated |= frame.truncated;
        self.merged.signed_in |= frame.signed_in;
        if self.merged.selection.is_empty() {
            self.merged.selection.clone_from(&frame.selection);
        }
        if main {
            let room = Snapshot::MAX_LINKS.saturating_sub(self.merged.links.len());
            self.merged.links.extend(frame.links.iter().take(room).cloned());
        }
        self.push(number, frame, main, depth);
    }

    fn push_node(&mut self, number: u32, generation: u32, text: &str, flags: u32, main: bool) {
        let units = text.encode_utf16().count();
        if self.units + units > Snapshot::MAX_TEXT {
            self.merged.truncated = true;
            return;
        }
        self.units += units;
        self.merged.text.push_str(text);
        let len = u32::try_from(units).unwrap_or(0); // below MAX_TEXT
        let flags = if main { flags } else { flags & !Snapshot::MAIN };
        match self.merged.parts.last_mut() {
            Some(last) if last.frame == number => {
                last.len += len;
                self.merged.nodes.push((len, flags));
            }
            _ => {
                self.merged.parts.push(FramePart { frame: number, generation, len });
                // A document's edge parts what stands on its sides.
                self.merged.nodes.push((len, (flags | Snapshot::BLOCK) & !Snapshot::BREAK));
            }
        }
    }
}

/// Which frame shows what of a snapshot's text.
#[derive(Debug, Clone, Default)]
pub struct Frames(Vec<FramePart>);

impl Frames {
    /// The frames of a snapshot, merged or of one document.
    pub fn of(snapshot: &Snapshot) -> Self {
        if snapshot.parts.is_empty() {
            return Self(vec![FramePart { frame: 0, generation: snapshot.generation, len: u32::MAX }]);
        }
        Self(snapshot.parts.clone())
    }

    /// Every frame once, with the snapshot of it that places mean; the top one first.
    pub fn documents(&self) -> Vec<(u32, u32)> {
        let mut documents: Vec<(u32, u32)> = self.0.iter().map(|part| (part.frame, part.generation)).collect();
        sort_by_key(&mut documents, |&document| document);
        documents.dedup();
        documents
    }

    /// The frame of a place and the place within it; `None` for one that crosses the edge of a frame, which is never
    /// marked in part.
    pub fn locate(&self, place: Anchor) -> Option<(u32, Anchor)> {
        let mut start = 0_u32;
        for (at, part) in self.0.iter().enumerate() {
            let end = start.saturating_add(part.len);
            if place.start < end {
                let before: u32 =
                    self.0[..at].iter().filter(|earlier| earlier.frame == part.frame).map(|earlier| earlier.len).sum();
                let shift = |unit: u32| unit - start + before;
                return (place.end <= end)
                    .then(|| (part.frame, Anchor { start: shift(place.start), end: shift(place.end) }));
            }
            start = end;
        }
        None
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{Frames, merge};
    use crate::wire::{Anchor, Snapshot};

    const BLOCK: u32 = Snapshot::BLOCK;
    const MAIN: u32 = Snapshot::MAIN;
    const FRAME: u32 = Snapshot::FRAME;

    fn document(path: &[i32], nodes: &[(&str, u32)], embeds: &[i32]) -> Snapshot {
        Snapshot {
            generation: 7,
            text: nodes.iter().map(|(text, _)| *text).collect(),
            nodes: nodes
                .iter()
                .map(|(text, flags)| (u32::try_from(text.encode_utf16().count()).unwrap(), *flags))
                .collect(),
            embeds: embeds.to_vec(),
            path: path.to_vec(),
            ..Snapshot::default()
        }
    }

    fn anchor_of(snapshot: &Snapshot, phrase: &str) -> Anchor {
        let at = snapshot.text.find(phrase).unwrap();
        let start = u32::try_from(snapshot.text[..at].encode_utf16().count()).unwrap();
        Anchor { start, end: start + u32::try_from(phrase.encode_utf16().count()).unwrap() }
    }

    /// A top document with two frames, the first of which holds another.
    fn nested() -> (Snapshot, Vec<(u32, Snapshot)>) {
        let top = document(
            &[],
            &[
                ("Top 😀 one.", BLOCK | MAIN),
                ("", FRAME | BLOCK | MAIN),
                ("Top two.", BLOCK | MAIN),
                ("", FRAME | BLOCK),
            ],
            &[1, 0],
        );
        let first = document(&[1], &[("First a.", MAIN), ("", FRAME | MAIN), ("First b.", BLOCK | MAIN)], &[0]);
        let inner = document(&[1, 0], &[("Inner.", BLOCK | MAIN)], &[]);
        let second = document(&[0], &[("Second.", BLOCK | MAIN)], &[]);
        (top, vec![(5, second), (9, inner), (4, first)])
    }

    #[test]
    fn frames_stand_where_their_documents_show_them() {
        let (top, frames) = nested();
        let merged = merge(&top, frames);
        assert_eq!(merged.text, "Top 😀 one.First a.Inner.First b.Top two.Second.");
        assert_eq!(merged.unread_frames, 0);
        let flags: Vec<u32> = merged.nodes.iter().map(|(_, flags)| *flags).collect();
        let both = BLOCK | MAIN;
        assert_eq!(
            flags,
            [both, both, both, both, both, BLOCK],
            "an edge parts; what is beside the main content stays so"
        );
        let units: u32 = merged.nodes.iter().map(|(len, _)| len).sum();
        assert_eq!(units as usize, merged.text.encode_utf16().count());
    }

    #[test]
    fn a_place_leads_back_to_its_frame() {
        let (top, frames) = nested();
        let merged = merge(&top, frames.clone());
        let map = Frames::of(&merged);
        assert_eq!(map.documents(), [(0, 7), (4, 7), (5, 7), (9, 7)]);
        let local = |number: u32| frames.iter().find(|(n, _)| *n == number).map_or(&top, |(_, frame)| frame);
        for (phrase, frame) in
            [("😀 one", 0), ("Top two", 0), ("First a", 4), ("First b.", 4), ("Inner", 9), ("Second.", 5)]
        {
            assert_eq!(
                map.locate(anchor_of(&merged, phrase)),
                Some((frame, anchor_of(local(frame), phrase))),
                "{phrase}"
            );
        }
        assert_eq!(map.locate(anchor_of(&merged, "one.First")), None, "a mark never crosses a frame's edge");
        assert_eq!(map.locate(Anchor { start: 900, end: 901 }), None);
    }

    #[test]
    fn one_document_is_its_own_map() {
        let alone = document(&[], &[("Some text.", BLOCK)], &[]);
        let place = Anchor { start: 5, end: 9 };
        assert_eq!(Frames::of(&alone).locate(place), Some((0, place)));
        assert_eq!(merge(&alone, Vec::new()).text, alone.text);
    }

    #[test]
    fn frames_that_nobody_shows_stay_out_and_those_that_cannot_be_read_are_counted() {
        let top = document(&[], &[("Top.", BLOCK), ("", FRAME), ("", FRAME)], &[0, 1]);
        let tiny = document(&[2], &[("An advertisement.", BLOCK | MAIN)], &[]);
        let read = document(&[1], &[("Read.", BLOCK)], &[]);
        let merged = merge(&top, vec![(3, tiny), (4, read)]);
        assert_eq!((merged.text.as_str(), merged.unread_frames), ("Top.Read.", 1));
    }

    #[test]
    fn a_frame_without_a_known_place_comes_last() {
        let top = document(&[], &[("", FRAME), ("Top.", BLOCK)], &[-1]);
        let lost = document(&[-1], &[("In a shadow tree.", BLOCK | MAIN)], &[]);
        let merged = merge(&top, vec![(6, lost)]);
        assert_eq!((merged.text.as_str(), merged.unread_frames), ("Top.In a shadow tree.", 0));
    }

    #[test]
    fn links_selection_and_hidden_passages_add_up_within_their_bounds() {
        let mut top = document(&[], &[("Top.", BLOCK | MAIN), ("", FRAME | MAIN)], &[0]);
        top.hidden = 1;
        top.links = vec![("a".to_owned(), "https://a.example/".to_owned()); 30];
        let mut frame = document(&[0], &[("Frame.", BLOCK | MAIN)], &[]);
        frame.hidden = 2;
        frame.selection = "Chosen words".to_owned();
        frame.links = vec![("b".to_owned(), "https://b.example/".to_owned()); 30];
        let merged = merge(&top, vec![(1, frame)]);
        assert_eq!((merged.hidden, merged.links.len()), (3, Snapshot::MAX_LINKS));
        assert_eq!(merged.selection, "Chosen words");
    }

    #[test]
    fn a_top_document_without_text_is_still_told() {
        let top = document(&[], &[("", FRAME)], &[0]);
        let merged = merge(&top, vec![(3, document(&[0], &[("Framed.", BLOCK | MAIN)], &[]))]);
        assert_eq!(Frames::of(&merged).documents(), [(0, 7), (3, 7)]);
        assert_eq!(Frames::of(&merged).locate(anchor_of(&merged, "Framed")), Some((3, Anchor { start: 0, end: 6 })));
    }

    #[test]
    fn text_beyond_the_bound_is_left_out_and_said() {
        let top = document(&[], &[("Top.", BLOCK), ("", FRAME)], &[0]);
        let long = "x".repeat(Snapshot::MAX_TEXT);
        let merged = merge(&top, vec![(1, document(&[0], &[(&long, BLOCK)], &[]))]);
        assert_eq!((merged.text.as_str(), merged.truncated), ("Top.", true));
    }
}
