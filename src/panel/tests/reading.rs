//! What the ports bring, and what becomes of it.

use super::*;
use crate::panel::{Analysis, Place, Reading, State, Timings};
use crate::wire::{ErrorCode, PaintedItem, StopReason, Usage};

#[test]
fn a_batch_is_taken_in_order_and_timed_since_the_requests_were_sent() {
    let mut panel = reading(anthropic());
    let events = vec![
        WorkerToPanel::Status { message: "Scanning page...".to_owned() },
        WorkerToPanel::HighlightItem { highlight: highlight("one", Category::Bias), index: 0 },
        WorkerToPanel::HighlightItem { highlight: highlight("two", Category::Logical), index: 1 },
    ];
    panel.handle_message("r1", Request::Highlights, WorkerToPanel::Batch { events }, 1_400);
    say(&mut panel, "Words", 1_250);
    panel.handle_message("r1", Request::Highlights, end(), 1_900);
    panel.handle_message("r1", Request::Analysis, end(), 2_600);
    let reading = panel.reading().unwrap();
    let phrases: Vec<_> = reading.items().iter().map(|item| item.highlight.phrase.as_str()).collect();
    assert_eq!(phrases, ["one", "two"]);
    let timings = Timings { first_delta_ms: Some(250), first_highlight_ms: Some(400), done_ms: Some(1_600) };
    assert_eq!(reading.timings(), timings);
}

#[test]
fn done_only_when_both_ports_are() {
    let mut panel = reading(anthropic());
    panel.handle_message("r1", Request::Highlights, end(), 2_000);
    assert_eq!(panel.state(), State::Reading);
    panel.handle_message("r1", Request::Analysis, end(), 2_000);
    assert_eq!(panel.state(), State::Done);
}

#[test]
fn a_port_that_closes_without_an_end_is_an_interruption_at_once() {
    let mut panel = reading(anthropic());
    say(&mut panel, "Half a sent", 1_500);
    panel.handle_disconnect("r1", Request::Analysis, 1_600);
    panel.handle_disconnect("r1", Request::Highlights, 1_600);
    assert_eq!(panel.state(), State::Interrupted);
    let reading = panel.reading().unwrap();
    assert_eq!(reading.analysis().source(), "Half a sent");
    assert_eq!(reading.errors()[0].code, ErrorCode::Interrupted);
    assert!(reading.errors()[0].retryable);
}

#[test]
fn a_port_that_closes_after_its_end_changes_nothing() {
    let mut panel = done("Words", &[]);
    panel.handle_disconnect("r1", Request::Analysis, 4_000);
    assert_eq!(panel.state(), State::Done);
    assert_eq!(panel.reading().unwrap().timings().done_ms, Some(2_000));
}

#[test]
fn stop_keeps_what_arrived_and_drops_what_comes_late() {
    let mut panel = reading(anthropic());
    say(&mut panel, "Kept", 1_500);
    assert_eq!(panel.handle_stop(1_600).as_deref(), Some("r1"));
    say(&mut panel, " late", 1_700);
    find(&mut panel, 0, highlight("late", Category::Bias), 1_700);
    let reading = panel.reading().unwrap();
    assert_eq!(reading.analysis().source(), "Kept");
    assert!(reading.items().is_empty());
    assert_eq!(panel.state(), State::Interrupted);
    assert!(reading.errors().is_empty(), "the reader's own wish is no error");
    assert_eq!(panel.handle_stop(1_800), None);
}

#[test]
fn an_error_ends_its_port_and_equal_errors_are_told_once() {
    let mut panel = reading(anthropic());
    let error = || WorkerToPanel::Error {
        message: "No key.".to_owned(),
        code: Some(ErrorCode::Auth),
        retryable: false,
        usage: None,
    };
    panel.handle_message("r1", Request::Analysis, error(), 1_100);
    panel.handle_message("r1", Request::Highlights, error(), 1_100);
    say(&mut panel, "late", 1_200);
    assert_eq!(panel.state(), State::Failed);
    let reading = panel.reading().unwrap();
    assert_eq!(reading.errors().len(), 1);
    assert_eq!(reading.analysis().source(), "");
}

#[test]
fn an_answer_that_is_cut_says_so() {
    for (reason, code) in [
        (StopReason::MaxTokens, ErrorCode::Truncated),
        (StopReason::Refusal, ErrorCode::Refused),
        (StopReason::ContentFilter, ErrorCode::Refused),
    ] {
        let mut panel = reading(anthropic());
        let cut = WorkerToPanel::Done { stop_reason: Some(reason), truncated: true, usage: None };
        panel.handle_message("r1", Request::Analysis, cut, 1_100);
        panel.handle_message("r1", Request::Highlights, end(), 1_100);
        let errors = panel.reading().unwrap().errors();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].code, code);
        assert!(panel.view(1_100).notices.iter().any(|notice| notice.text == errors[0].message));
    }
}

#[test]
fn tokens_of_both_requests_are_added() {
    let mut panel = reading(anthropic());
    for request in [Request::Analysis, Request::Highlights] {
        let usage = Usage { input_tokens: 1_000, output_tokens: 20, ..Usage::default() };
        let end = WorkerToPanel::Done { stop_reason: Some(StopReason::EndTurn), truncated: false, usage: Some(usage) };
        panel.handle_message("r1", request, end, 1_100);
    }
    let usage = panel.reading().unwrap().usage().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (2_000, 40));
}

#[test]
fn the_page_says_where_highlights_stand_even_before_they_arrive() {
    let mut panel = reading(anthropic());
    let painted = |index, text: &str| PaintedItem { index, text: text.to_owned() };
    panel.handle_painted(TAB, "r1", vec![painted(0, "one"), painted(1, "")], false);
    for index in 0..3 {
        find(&mut panel, index, highlight("one", Category::Bias), 1_100);
    }
    let places = [0, 1, 2].map(|index| panel.reading().unwrap().place(index));
    assert_eq!(places, [Place::OnPage, Place::Absent, Place::Unknown]);
}

#[test]
fn a_page_speaks_for_its_own_tab_only() {
    let mut panel = reading(anthropic());
    panel.handle_painted(TAB + 1, "r1", vec![PaintedItem { index: 0, text: "one".to_owned() }], false);
    assert_eq!(panel.reading().unwrap().place(0), Place::Unknown);
}

#[test]
fn highlights_beyond_the_bound_are_counted_and_told() {
    let mut panel = reading(anthropic());
    for index in 0..u32::try_from(Reading::MAX_ITEMS).unwrap() + 3 {
        find(&mut panel, index, highlight("again", Category::Bias), 1_100);
    }
    assert_eq!(panel.reading().unwrap().items().len(), Reading::MAX_ITEMS);
    assert!(panel.view(1_100).notices.iter().any(|notice| notice.text.starts_with("3 more highlights")));
}

#[test]
fn an_analysis_beyond_the_bound_ends_with_words() {
    let mut panel = reading(anthropic());
    let piece = "word ".repeat(Analysis::MAX_BYTES / 10 / 5);
    for _ in 0..11 {
        say(&mut panel, &piece, 1_100);
    }
    let reading = panel.reading().unwrap();
    assert!(reading.analysis().source().len() <= Analysis::MAX_BYTES);
    assert_eq!(reading.errors()[0].code, ErrorCode::Overflow);
}
