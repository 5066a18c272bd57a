//! A reading belongs to its tab and its page.

use super::*;
use crate::panel::{Action, Away, Bar, Shelf, State};

fn tab(id: i32, url: Option<&str>) -> Tab {
    Tab { id, url: url.map(str::to_owned), title: None }
}

#[test]
fn switching_back_shows_the_reading_of_that_tab() {
    let mut panel = done("Of the harbour", &[]);
    panel.handle_tab(tab(8, None));
    assert_eq!(panel.state(), State::Idle);
    assert_eq!(panel.view(0).title, "Another page");
    assert!(panel.view(0).no_analysis.contains("“The harbour”"));
    panel.handle_tab(tab(TAB, Some(URL)));
    assert_eq!(panel.state(), State::Done);
    assert_eq!(panel.reading().unwrap().analysis().source(), "Of the harbour");
}

#[test]
fn a_reading_goes_on_while_another_tab_is_in_view() {
    let mut panel = reading(anthropic());
    panel.handle_tab(tab(8, None));
    say(&mut panel, "Meanwhile", 2_000);
    assert_eq!(panel.handle_stop(2_000), None, "stop means what is in view");
    panel.handle_tab(tab(TAB, Some(URL)));
    assert_eq!(panel.reading().unwrap().analysis().source(), "Meanwhile");
    assert_eq!(panel.state(), State::Reading);
}

#[test]
fn after_a_navigation_the_reading_names_the_page_it_belongs_to() {
    let mut panel = done("Words", &[]);
    panel.handle_document_gone(TAB);
    panel.handle_tab(tab(TAB, None));
    let view = panel.view(0);
    assert_eq!(view.title, "Another page");
    let notice = &view.notices[0];
    assert!(notice.text.starts_with("This reading belongs to “The harbour”. Click the Sidelight button"));
    assert!(notice.actions.is_empty(), "a click in the panel opens no page that Chrome keeps from it");
    assert!(matches!(&view.bar, Bar::Resting { action, .. } if action == "Read this page"));

    panel.handle_tab(tab(TAB, Some("https://elsewhere.example/")));
    assert_eq!(panel.view(0).site, "elsewhere.example");
    let notice = &panel.view(0).notices[0];
    assert_eq!(notice.text, "This reading belongs to “The harbour”.");
    assert_eq!(notice.actions, [("Read this page".to_owned(), Action::Read)]);
    assert_eq!(panel.away(panel.reading().unwrap()), Some(Away::Navigated));
}

#[test]
fn a_page_loaded_again_has_lost_its_marks() {
    let mut panel = done("Words", &[]);
    panel.handle_document_gone(TAB);
    panel.handle_tab(tab(TAB, Some(URL)));
    assert_eq!(panel.away(panel.reading().unwrap()), Some(Away::Reloaded));
}

#[test]
fn a_page_that_was_kept_and_shows_its_marks_was_not_loaded_again() {
    let mut panel = done("Words", &[]);
    let speaks = |panel: &mut Panel, text: &str| {
        panel.handle_painted(TAB, "r1", vec![PaintedItem { index: 0, text: text.to_owned() }], false);
        panel.away(panel.reading().unwrap())
    };
    panel.handle_document_gone(TAB);
    panel.handle_tab(tab(TAB, Some(URL)));
    assert_eq!(speaks(&mut panel, ""), Some(Away::Reloaded), "a frame that goes says nothing of the page");
    assert_eq!(speaks(&mut panel, "marked words"), None);
}

#[test]
fn reading_the_same_page_again_takes_the_place_of_the_old_reading() {
    let mut panel = done("Old", &[]);
    panel.handle_read(TAB);
    let requests = panel.handle_page(TAB, page(URL, "The harbour"), "text".to_owned(), "r2".to_owned(), 9_000);
    assert_eq!(requests.unwrap().gone, ["r1"]);
    assert_eq!(panel.reading().unwrap().analysis().source(), "");
    say(&mut panel, "late words of the old one", 9_100);
    assert_eq!(panel.reading().unwrap().analysis().source(), "");
}

#[test]
fn each_address_of_a_tab_keeps_its_reading() {
    let mut panel = done("Old", &[]);
    panel.handle_page(TAB, page("https://www.example.org/next", "Next"), "text".to_owned(), "r2".to_owned(), 9_000);
    assert_eq!(panel.reading().unwrap().id(), "r2");
    panel.handle_tab(tab(TAB, Some(URL)));
    assert_eq!(panel.reading().unwrap().id(), "r1");
}

#[test]
fn the_shelf_is_bounded_and_says_who_made_room() {
    let mut panel = panel(anthropic());
    for number in 0..Shelf::MAX {
        let page = page(&format!("https://example.org/{number}"), "Page");
        assert!(panel.handle_page(TAB, page, String::new(), format!("r{number}"), 0).unwrap().gone.is_empty());
    }
    let one_more = page("https://example.org/more", "Page");
    assert_eq!(panel.handle_page(TAB, one_more, String::new(), "more".to_owned(), 0).unwrap().gone, ["r0"]);
}

#[test]
fn a_closed_tab_takes_its_readings_along() {
    let mut panel = done("Words", &[]);
    assert_eq!(panel.handle_tab_removed(TAB), ["r1"]);
    assert!(panel.reading().is_none());
}

#[test]
fn a_second_wish_to_read_while_the_text_is_taken_is_the_same_wish() {
    let mut panel = panel(anthropic());
    let wish = panel.handle_read(TAB).unwrap();
    assert_eq!(panel.handle_read(TAB), None);
    assert_eq!(panel.state(), State::Reading);
    panel.handle_loading(TAB);
    assert!(panel.wants_text(TAB, wish), "the text is that of the document to come");
}

#[test]
fn what_a_look_finds_counts_for_as_long_as_no_later_one_has_begun() {
    let mut panel = done("Words", &[]);
    let left = panel.handle_look(TAB);
    assert!(panel.is_latest_look(TAB, left));
    let came_back = panel.handle_look(TAB);
    let other_tab = panel.handle_look(TAB + 1);
    assert!(!panel.is_latest_look(TAB, left), "it asked the page in between");
    assert!(panel.is_latest_look(TAB, came_back) && panel.is_latest_look(TAB + 1, other_tab));
    panel.handle_tab_removed(TAB);
    assert!(!panel.is_latest_look(TAB, came_back));
}

#[test]
fn text_of_a_document_that_another_replaced_is_taken_anew_and_of_a_page_that_is_read_not_at_all() {
    const NEXT: &str = "https://www.example.org/next";
    let mut panel = done("Words", &[]);
    panel.handle_document_gone(TAB);
    panel.handle_tab(tab(TAB, Some(NEXT)));
    let wish = panel.handle_read(TAB).unwrap();
    assert!(!panel.is_overtaken(TAB, None), "a failure is one while nothing else loads");

    // On to a third page, of which nothing is known yet.
    panel.handle_loading(TAB);
    panel.handle_tab(tab(TAB, Some("https://www.example.org/third")));
    assert!(panel.is_overtaken(TAB, None) && panel.is_overtaken(TAB, Some(NEXT)));
    assert!(!panel.is_overtaken(TAB, Some("https://www.example.org/third")), "its text was taken in time");
    assert!(panel.handle_overtaken(TAB));
    assert!(panel.wants_text(TAB, wish) && !panel.is_overtaken(TAB, None));

    // Back to the page that the browser kept.
    panel.handle_loading(TAB);
    panel.handle_tab(tab(TAB, Some(URL)));
    panel.handle_painted(TAB, "r1", vec![PaintedItem { index: 0, text: "marked words".to_owned() }], false);
    assert!(panel.is_overtaken(TAB, None));
    assert!(!panel.handle_overtaken(TAB));
    assert_eq!(panel.state(), State::Done);
    assert!(!panel.wants_text(TAB, wish));
}

#[test]
fn stop_ends_the_wish_for_a_text_that_does_not_come() {
    let mut panel = panel(anthropic());
    panel.handle_tab(tab(TAB, None));
    let first = panel.handle_read(TAB).unwrap();
    assert_eq!(panel.handle_stop(0), None);
    assert_eq!(panel.state(), State::Idle);
    assert!(!panel.wants_text(TAB, first));
    let second = panel.handle_read(TAB).unwrap();
    assert!(!panel.wants_text(TAB, first), "what comes late is of an earlier wish");
    assert!(panel.wants_text(TAB, second));
    panel.handle_tab_removed(TAB);
    assert!(!panel.wants_text(TAB, second));
}

#[test]
fn a_long_title_is_cut_where_a_sentence_names_it() {
    let mut panel = panel(anthropic());
    panel.handle_read(TAB);
    panel.handle_page(TAB, page("https://example.org/", &"é".repeat(500)), "Text.".to_owned(), "r1".to_owned(), 0);
    panel.handle_tab(tab(9, None));
    let words = panel.view(0).no_analysis;
    assert!(words.ends_with(&format!("belongs to “{}…”.", "é".repeat(80))), "{words}");
}

#[test]
fn a_place_within_the_page_is_the_same_page() {
    let mut panel = done("Words", &[]);
    panel.handle_tab(tab(TAB, Some(&format!("{URL}#part-two"))));
    assert_eq!(panel.away(panel.reading().unwrap()), None);
}

#[test]
fn the_offline_reader_follows_a_navigation_and_a_provider_only_where_told_to() {
    let told = settings(json!({ "provider": "anthropic", "anthropicKey": "sk-ant-of-nobody", "readEveryPage": true }));
    for (settings, navigation, reload) in
        [(Settings::default(), true, true), (anthropic(), false, false), (told, true, false)]
    {
        let mut panel = reading(settings);
        panel.handle_message("r1", Request::Analysis, end(), 0);
        panel.handle_message("r1", Request::Highlights, end(), 0);
        assert!(!panel.follows(TAB), "the page is read");
        panel.handle_document_gone(TAB);
        assert_eq!(panel.follows(TAB), reload);
        panel.handle_tab(tab(TAB, Some("https://www.example.org/next")));
        assert_eq!(panel.follows(TAB), navigation);
        assert!(!panel.follows(TAB + 1), "only what is in view");
        panel.handle_tab(tab(TAB, None));
        assert!(!panel.follows(TAB), "nobody can follow to where Chrome lets nobody in");
    }
}

#[test]
fn nothing_is_followed_twice_or_before_anything_was_read() {
    let mut unread = panel(Settings::default());
    assert!(!unread.follows(TAB));
    unread.handle_read(TAB);
    assert!(!unread.follows(TAB));
    let mut panel = done("Words", &[]);
    panel.handle_tab(tab(TAB, Some("https://www.example.org/next")));
    panel.handle_read(TAB);
    assert!(!panel.follows(TAB));
}

#[test]
fn a_second_click_finds_nothing_to_do_on_a_page_that_is_read() {
    let mut panel = reading(anthropic());
    assert!(panel.is_settled(TAB) && !panel.is_settled(TAB + 1));
    panel.handle_stop(0);
    assert!(!panel.is_settled(TAB), "what was stopped is read again");
    let mut panel = done("Words", &[]);
    assert!(panel.is_settled(TAB));
    panel.handle_document_gone(TAB);
    assert!(!panel.is_settled(TAB));
}
