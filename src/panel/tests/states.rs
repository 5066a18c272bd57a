//! Every state of the panel, in its words.

use super::*;
use crate::panel::{Action, Bar, NoticeKind, State, View};
use crate::wire::{ErrorCode, ReadingError};

fn notice_with<'a>(view: &'a View, words: &str) -> &'a crate::panel::Notice {
    view.notices
        .iter()
        .find(|notice| notice.text.contains(words))
        .unwrap_or_else(|| panic!("no {words:?} in {view:#?}"))
}

#[test]
fn the_first_run_says_what_is_sent_where() {
    let mut panel = panel(Settings::default());
    panel.handle_settings(Settings::default(), false);
    let view = panel.view(0);
    let welcome = notice_with(&view, "nothing leaves this machine");
    assert_eq!(welcome.actions[0].1, Action::Welcomed);
    panel.handle_welcomed();
    assert!(panel.view(0).notices.iter().all(|notice| !notice.text.contains("nothing leaves this machine")));

    panel.handle_settings(anthropic(), false);
    notice_with(&panel.view(0), "go to Anthropic");
}

#[test]
fn nothing_is_said_before_the_settings_are_known() {
    let view = Panel::default().view(0);
    assert_eq!(view.state, State::Idle);
    assert!(view.notices.is_empty());
    assert_eq!(view.reader, "");
}

#[test]
fn without_a_key_the_offline_reader_works_and_one_line_offers_a_provider() {
    let unset = panel(Settings::default()).view(0);
    assert_eq!(unset.reader, "Offline reader");
    let offer = notice_with(&unset, "offline reader");
    assert_eq!(offer.kind, NoticeKind::Hint);
    assert_eq!(offer.actions, [("Set up a provider".to_owned(), Action::Settings)]);

    let keyless = panel(settings(json!({ "provider": "anthropic" }))).view(0);
    assert_eq!(keyless.reader, "Offline reader");
    notice_with(&keyless, "API key not set");

    assert!(panel(anthropic()).view(0).notices.is_empty());
}

#[test]
fn the_header_names_provider_and_model() {
    let reader = panel(anthropic()).view(0).reader;
    assert!(reader.starts_with("Anthropic · claude"), "{reader}");
    let own = settings(json!({
        "provider": "openai", "openaiBaseUrl": "http://127.0.0.1:8080/v1", "openaiModel": "small"
    }));
    assert_eq!(panel(own).view(0).reader, "127.0.0.1:8080 · small");
}

#[test]
fn a_reading_keeps_the_name_of_who_read_it() {
    let mut panel = reading(anthropic());
    panel.handle_settings(Settings::default(), true);
    assert!(panel.view(0).reader.starts_with("Anthropic"));
}

#[test]
fn the_line_of_trust_has_its_place_from_the_first_words_on() {
    let coming = |panel: &Panel| panel.view(0).trust_is_coming;
    let mut panel = reading(anthropic());
    assert!(!coming(&panel), "nothing is there yet that could move");
    say(&mut panel, "## Key Claims\n\nOne.\n\n", 2_000);
    assert!(coming(&panel));
    say(&mut panel, "## Overall Assessment\n\nTrustworthiness: High, all is sourced.\n\n", 2_500);
    assert!(!coming(&panel) && panel.view(0).trust.is_some());

    let mut without = reading(anthropic());
    say(&mut without, "Words.", 2_000);
    without.handle_message("r1", Request::Analysis, end(), 3_000);
    assert!(!coming(&without), "it will not come any more");

    let mut offline = reading(Settings::default());
    say(&mut offline, "Words.", 2_000);
    assert!(!coming(&offline), "the offline reader tells no trust");
}

#[test]
fn what_failed_on_another_page_is_not_offered_again_on_this_one() {
    let mut panel = reading(anthropic());
    let error = ReadingError::new(ErrorCode::Auth, "No.");
    for request in [Request::Analysis, Request::Highlights] {
        panel.handle_message("r1", request, error.clone().into(), 2_000);
    }
    assert!(matches!(panel.view(0).bar, Bar::Resting { ref action, .. } if action == "Retry"));
    let elsewhere = "https://www.example.org/elsewhere".to_owned();
    panel.handle_tab(Tab { id: TAB, url: Some(elsewhere), title: Some("Elsewhere".to_owned()) });
    assert!(matches!(panel.view(0).bar, Bar::Resting { ref action, .. } if action == "Read this page"));
}

#[test]
fn a_page_that_cannot_be_read_says_why() {
    let mut panel = panel(Settings::default());
    panel.handle_read(TAB);
    panel.handle_unreadable(TAB, ReadingError::retryable(ErrorCode::Page, "Navigate to a webpage first."));
    let view = panel.view(0);
    assert_eq!(view.state, State::Unreadable);
    assert_eq!(notice_with(&view, "Navigate").kind, NoticeKind::Problem);
    assert!(matches!(&view.bar, Bar::Resting { action, .. } if action == "Retry"));
    panel.handle_document_gone(TAB);
    assert_eq!(panel.state(), State::Unreadable, "a document without our script is the one that could not be read");
    panel.handle_loading(TAB);
    assert_eq!(panel.state(), State::Idle);
}

#[test]
fn while_it_reads_the_bar_counts() {
    let mut panel = reading(anthropic());
    let status = WorkerToPanel::Status { message: "Scanning page...".to_owned() };
    panel.handle_message("r1", Request::Highlights, status, 1_000);
    for index in 0..7 {
        find(&mut panel, index, highlight("phrase", Category::Emotional), 1_100);
    }
    let view = panel.view(13_400);
    let running = Bar::Running { progress: "Scanning page… 7 found".to_owned(), elapsed: "12 s".to_owned() };
    assert_eq!(view.bar, running);
    assert_eq!(view.live, "Generating");
}

#[test]
fn nothing_found_is_said_calmly() {
    let view = done("Plain wording.", &[]).view(3_000);
    assert_eq!(view.no_highlights, "Nothing stood out. 1,240 words read.");
    assert!(view.pills.is_empty());
    assert_eq!(view.no_analysis, "");
}

#[test]
fn done_offers_to_read_again_and_to_share() {
    let view = done("Words", &[highlight("a phrase", Category::Bias)]).view(3_000);
    let resting = Bar::Resting { action: "Re-analyze".to_owned(), outcome: "1 highlight".to_owned(), share: true };
    assert_eq!(view.bar, resting);
    assert_eq!(view.live, "Complete. 1 highlight");
}

#[test]
fn an_error_about_the_settings_leads_there() {
    let mut panel = reading(anthropic());
    let error =
        |code| WorkerToPanel::Error { message: "Refused.".to_owned(), code: Some(code), retryable: false, usage: None };
    panel.handle_message("r1", Request::Analysis, error(ErrorCode::Auth), 1_100);
    panel.handle_message("r1", Request::Highlights, error(ErrorCode::Overloaded), 1_100);
    let view = panel.view(1_100);
    assert_eq!(view.live, "Refused.");
    assert_eq!(view.notices[0].actions, [("Open settings".to_owned(), Action::Settings)]);
    assert!(view.notices[1].actions.is_empty());
}

#[test]
fn a_long_message_is_folded_and_none_of_it_lost() {
    let mut panel = reading(anthropic());
    let message = format!("It failed. {}", "The provider says é. ".repeat(60));
    let error = WorkerToPanel::Error { message: message.clone(), code: None, retryable: false, usage: None };
    panel.handle_message("r1", Request::Analysis, error, 1_100);
    let view = panel.view(1_100);
    let notice = &view.notices[0];
    assert!(notice.text.len() < 700 && !notice.details.is_empty());
    assert_eq!(format!("{} {}", notice.text, notice.details), message.trim());
}

#[test]
fn pills_count_and_filter_and_words_find() {
    let mut panel = done(
        "",
        &[
            highlight("a monstrous scar", Category::Emotional),
            highlight("so-called experts", Category::Bias),
            highlight("Every FAMILY", Category::Emotional),
        ],
    );
    let count = |panel: &Panel, category| {
        panel.view(0).pills.iter().find(|pill| pill.category == category).map(|pill| (pill.count, pill.pressed))
    };
    assert_eq!(count(&panel, Category::Emotional), Some((2, false)));
    assert_eq!(count(&panel, Category::Supported), Some((0, false)));
    panel.handle_category(Category::Bias);
    assert_eq!(count(&panel, Category::Bias), Some((1, true)));
    assert_eq!(panel.handle_step(true), Some(1));
    assert_eq!(panel.handle_step(true), Some(1), "the last stays");
    panel.handle_category(Category::Bias);
    panel.handle_filter(" family every ");
    panel.handle_select(0);
    assert_eq!(panel.handle_step(true), Some(2));
    panel.handle_filter("nowhere");
    assert_eq!(panel.view(0).no_highlights, "No highlight fits the filter.");
    assert_eq!(panel.handle_step(true), None);
}

#[test]
fn steps_go_both_ways_and_stop_at_the_ends() {
    let phrases = ["one", "two", "three"].map(|phrase| highlight(phrase, Category::Bias));
    let mut panel = done("", &phrases);
    assert_eq!(panel.handle_step(false), Some(2));
    assert_eq!(panel.handle_step(false), Some(1));
    assert_eq!(panel.handle_step(true), Some(2));
    assert_eq!(panel.handle_step(true), Some(2));
}

#[test]
fn a_highlight_activated_on_the_page_is_shown_whatever_the_filter() {
    let mut panel = done("", &[highlight("one", Category::Bias), highlight("two", Category::Logical)]);
    panel.handle_category(Category::Logical);
    assert!(panel.handle_activated("r1", 0));
    assert_eq!(panel.selected(), Some(0));
    assert!(panel.filter().is_empty());
    assert!(!panel.handle_activated("another", 0));
    assert!(!panel.handle_activated("r1", 9));
}

#[test]
fn a_remark_gives_way_to_how_the_reading_ends() {
    let mut panel = reading(anthropic());
    panel.handle_remark("Copied");
    panel.handle_message("r1", Request::Highlights, end(), 2_000);
    assert_eq!(panel.view(2_000).live, "Copied");
    panel.handle_message("r1", Request::Analysis, end(), 2_100);
    assert_eq!(panel.view(2_100).live, "Complete. Nothing found");
}

#[test]
fn a_folded_section_stays_folded() {
    let mut panel = panel(anthropic());
    panel.handle_fold("Key Claims", true);
    assert!(panel.is_folded("Key Claims"));
    panel.handle_fold("Key Claims", false);
    assert!(!panel.is_folded("Key Claims"));
    for number in 0..Panel::MAX_FOLDED {
        panel.handle_fold(&number.to_string(), true);
    }
    panel.handle_fold("one more", true);
    assert!(!panel.is_folded("one more"));
}

#[test]
fn leave_for_the_way_through_the_page_is_asked_for_in_the_words_of_the_worker() {
    let mut panel = reading(anthropic());
    let words = "Gemini refuses extensions. The page could ask instead, and would see your key.";
    panel.handle_message("r1", Request::Analysis, ReadingError::new(ErrorCode::NeedsConsent, words).into(), 1_100);
    panel.handle_message("r1", Request::Highlights, ReadingError::new(ErrorCode::NeedsConsent, words).into(), 1_100);
    let view = panel.view(0);
    let notice = notice_with(&view, words);
    assert_eq!(
        notice.actions,
        [("Allow once for Gemini".to_owned(), Action::AllowProxy), ("Not now".to_owned(), Action::DeclineProxy)]
    );
    panel.handle_consent_declined();
    assert!(panel.view(0).notices.iter().all(|notice| notice.text != words));
    panel.handle_read(TAB);
    panel.handle_page(TAB, page(URL, "The harbour"), "text".to_owned(), "r2".to_owned(), 2_000);
    panel.handle_message("r2", Request::Analysis, ReadingError::new(ErrorCode::NeedsConsent, words).into(), 2_100);
    notice_with(&panel.view(0), words);
}

#[test]
fn the_bar_says_what_a_reading_cost() {
    let priced = json!({
        "provider": "anthropic", "anthropicKey": "sk-ant-of-nobody", "anthropicInputPrice": 1, "anthropicOutputPrice": 20
    });
    let mut panel = reading(settings(priced));
    for request in [Request::Analysis, Request::Highlights] {
        let usage = crate::wire::Usage { input_tokens: 1_000, output_tokens: 250, ..Default::default() };
        let end = WorkerToPanel::Done { stop_reason: None, truncated: false, usage: Some(usage) };
        panel.handle_message("r1", request, end, 2_000);
    }
    let Bar::Resting { outcome, .. } = panel.view(0).bar else { panic!("still running") };
    assert_eq!(outcome, "Nothing found · 2,000 tokens in · 500 out · $0.012");
}
