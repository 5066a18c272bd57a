//! The prose, and the trust line in it.

use proptest::prelude::*;

use crate::panel::markdown::Block;
use crate::panel::{Analysis, Level, Trust};

fn trust(text: &str) -> Option<(Level, String)> {
    Trust::parse(text).map(|trust| (trust.level, trust.reason))
}

#[test]
fn the_trust_line_is_read_in_the_shapes_models_give_it() {
    for line in [
        "Trustworthiness: Medium — two sources are named.",
        "Trustworthiness: medium - two sources are named.",
        "Overall trustworthiness is **Medium**. two sources are named.",
        "Trustworthiness rating: Medium (two sources are named.",
        "TRUSTWORTHINESS – MEDIUM; two sources are named.",
    ] {
        assert_eq!(trust(line), Some((Level::Medium, "two sources are named.".to_owned())), "{line}");
    }
    assert_eq!(trust("Trustworthiness: High"), Some((Level::High, String::new())));
}

#[test]
fn other_words_are_no_grade() {
    for line in [
        "Trustworthiness",
        "The trustworthiness of the highest court is not in question.",
        "High prices are named.",
        "Trustworthiness: Lowland farms are named.",
        "",
    ] {
        assert_eq!(trust(line), None, "{line}");
    }
}

#[test]
fn a_long_reason_is_cut_at_a_word() {
    let (_, reason) = trust(&format!("Trustworthiness: Low — {}", "évidence ".repeat(60))).unwrap();
    assert!(reason.chars().count() <= 241 && reason.ends_with("évidence…"), "{reason}");
}

const PROSE: &str = "Opening words.\n\n## Key Claims\n\n- Trustworthiness: High is what the seller claims\n\n\
    ## Overall Assessment\n\n**Trustworthiness: Low** — the study says *otherwise*.\n\nMore words.\n";

#[test]
fn the_line_counts_in_its_own_section_and_shows_as_soon_as_it_is_known() {
    let mut analysis = Analysis::default();
    let (before, after) = PROSE.split_at(PROSE.find(" — the").unwrap());
    analysis.push(&before[..before.len() - 10]);
    assert_eq!(analysis.trust(), None);
    analysis.push(&before[before.len() - 10..]);
    analysis.push(" — the st");
    assert_eq!(analysis.trust().map(|trust| trust.level), Some(Level::Low));
    analysis.push(&after[" — the st".len()..]);
    analysis.finish();
    assert_eq!(analysis.trust().unwrap().reason, "the study says otherwise.");
}

fn blocks(analysis: &Analysis) -> Vec<Block> {
    analysis.closed().iter().chain(analysis.tail()).cloned().collect()
}

proptest! {
    #[test]
    fn every_cut_of_the_stream_ends_the_same(at in 0..PROSE.len(), second in 0..PROSE.len()) {
        let (at, second) = (at.min(second), at.max(second));
        prop_assume!(PROSE.is_char_boundary(at) && PROSE.is_char_boundary(second));
        let mut whole = Analysis::default();
        whole.push(PROSE);
        whole.finish();
        let mut cut = Analysis::default();
        for piece in [&PROSE[..at], &PROSE[at..second], &PROSE[second..]] {
            cut.push(piece);
        }
        cut.finish();
        prop_assert_eq!(blocks(&whole), blocks(&cut));
        prop_assert_eq!(whole.trust(), cut.trust());
        prop_assert_eq!(whole.source(), cut.source());
    }
}

#[test]
fn closed_blocks_are_never_touched_again() {
    let mut analysis = Analysis::default();
    let mut closed: Vec<Block> = Vec::new();
    for piece in PROSE.split_inclusive(' ') {
        analysis.push(piece);
        assert_eq!(analysis.closed()[..closed.len()], closed[..]);
        closed = analysis.closed().to_vec();
    }
    assert!(closed.len() > 3);
}
