use proptest::prelude::*;

use super::*;

fn texts<'a>(text: &'a str, windows: &[Range<usize>]) -> Vec<&'a str> {
    windows.iter().map(|window| &text[window.clone()]).collect()
}

/// A page of numbered paragraphs.
fn page(paragraphs: usize) -> String {
    let paragraph = |n| format!("Paragraph {n} says that the harbour grew. It says so twice.\n");
    (0..paragraphs).map(paragraph).collect::<Vec<_>>().concat()
}

#[test]
fn a_short_text_is_one_window() {
    for text in ["", "One block.", "Two\nblocks."] {
        assert_eq!(texts(text, &windows(text, 1_000, 100)), [text]);
    }
}

#[test]
fn windows_end_with_blocks_and_begin_with_the_last_blocks_before() {
    let text = page(100);
    let cut = windows(&text, 1_000, 150);
    assert!(cut.len() > 5);
    for pair in cut.windows(2) {
        assert!(text[pair[0].clone()].ends_with('\n'));
        let shared = &text[pair[1].start..pair[0].end];
        assert_eq!(shared.lines().count(), 2, "{shared:?}");
        assert!(shared.starts_with("Paragraph ") && shared.ends_with(".\n"));
    }
}

#[test]
fn what_hardly_fits_into_two_windows_is_halved_instead_of_leaving_a_crumb() {
    let text = page(20);
    let sizes: Vec<usize> = windows(&text, text.len() - 10, 100).iter().map(Range::len).collect();
    assert_eq!(sizes.len(), 2);
    assert!(sizes.iter().all(|size| *size > text.len() / 3), "{sizes:?} of {}", text.len());
}

#[test]
fn a_block_longer_than_a_window_is_cut_between_sentences_else_between_words() {
    let sentences = "The harbour grew again. ".repeat(50);
    for window in texts(&sentences, &windows(&sentences, 200, 60)) {
        assert!(window.trim().starts_with("The harbour") && window.trim_end().ends_with("again."), "{window:?}");
    }
    let words = "harbour ".repeat(100);
    for window in texts(&words, &windows(&words, 200, 60)) {
        assert!(window.trim().split(' ').all(|word| word == "harbour"), "{window:?}");
    }
    let japanese = "港は大きくなった。".repeat(50);
    for window in texts(&japanese, &windows(&japanese, 200, 60)) {
        assert!(window.starts_with('港') && window.ends_with('。'), "{window:?}");
    }
}

#[test]
fn characters_stay_whole() {
    // A letter with two marks, a flag, a skin tone, a family.
    for whole in ["e\u{301}\u{323}", "🇩🇪 ", "👍🏽", "👩\u{200d}👧 ", "각"] {
        let text = whole.repeat(200);
        for window in texts(&text, &windows(&text, 100, 20)) {
            assert_eq!(window.replace(whole, ""), "", "{window:?}");
        }
    }
}

#[test]
fn a_single_endless_character_is_cut_all_the_same() {
    let text = format!("a{}", "\u{301}".repeat(10_000));
    let cut = windows(&text, 100, 20);
    assert!(cut.len() < 500);
    assert_eq!(cut.last().unwrap().end, text.len());
}

#[test]
fn the_number_of_windows_grows_with_the_text_and_no_faster() {
    let count = |paragraphs| windows(&page(paragraphs), 24_000, 600).len();
    assert!((40..50).contains(&count(16_700)), "{} windows of a megabyte", count(16_700));
    assert!(count(33_400) <= 2 * count(16_700) + 1);
}

proptest! {
    #[test]
    fn nothing_is_lost_nothing_is_too_long_and_it_ends(
        text in "([a-c]{1,9}|[ .\n]|[。é\u{301}\u{200d}😀🇩🇪🏽字]){0,120}",
        size in 0_usize..300,
        overlap in 0_usize..300,
    ) {
        let cut = windows(&text, size, overlap);
        prop_assert_eq!(cut[0].start, 0);
        prop_assert_eq!(cut.last().unwrap().end, text.len());
        for window in &cut {
            prop_assert!(text.is_char_boundary(window.start) && text.is_char_boundary(window.end));
            prop_assert!(window.len() <= size.max(64));
        }
        for pair in cut.windows(2) {
            prop_assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end, "each brings something new");
            prop_assert!(pair[1].start <= pair[0].end, "nothing falls between two");
            prop_assert!(pair[0].end - pair[1].start <= overlap.min(size.max(64) / 4));
        }
    }

    /// Every block that fits into the overlap is whole in some window.
    #[test]
    fn short_blocks_are_never_only_torn_apart(lines in prop::collection::vec("[a-z .]{1,40}", 1..24)) {
        let text = lines.join("\n");
        let cut = windows(&text, 240, 60);
        let mut at = 0;
        for line in &lines {
            let whole = cut.iter().any(|window| window.start <= at && at + line.len() <= window.end);
            prop_assert!(whole, "{line:?} at {at} of {cut:?}");
            at += line.len() + 1;
        }
    }
}
