use super::AnchorIndex;
use crate::wire::{Anchor, Snapshot};

const BLOCK: u32 = Snapshot::BLOCK;
const MAIN: u32 = Snapshot::MAIN;

fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap()
}

fn page(nodes: &[(&str, u32)]) -> Snapshot {
    Snapshot {
        text: nodes.iter().map(|(text, _)| *text).collect(),
        nodes: nodes.iter().map(|(text, flags)| (units(text), *flags)).collect(),
        ..Snapshot::default()
    }
}

/// What a range covers, as the page would report it but without the space of a block boundary.
fn covered(page: &Snapshot, anchor: Anchor) -> String {
    let text: Vec<u16> = page.text.encode_utf16().collect();
    String::from_utf16(&text[anchor.start as usize..anchor.end as usize]).expect("a range never splits a pair")
}

fn found(nodes: &[(&str, u32)], phrase: &str) -> Option<String> {
    let page = page(nodes);
    AnchorIndex::new(&page).find(phrase, None).map(|anchor| covered(&page, anchor))
}

#[track_caller]
fn check(text: &str, phrase: &str, expected: &str) {
    assert_eq!(found(&[(text, BLOCK)], phrase).as_deref(), Some(expected), "{phrase:?} in {text:?}");
}

#[track_caller]
fn check_absent(text: &str, phrase: &str) {
    assert_eq!(found(&[(text, BLOCK)], phrase), None, "{phrase:?} in {text:?}");
}
