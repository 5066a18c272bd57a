//! Readings of the past.

use super::*;
use crate::panel::{Earlier, Entry, Finished, History, PastView, State, with_export};

fn finished(panel: &mut Panel) -> Finished {
    let mut finished = panel.handle_save().finished;
    assert_eq!(finished.len(), 1);
    finished.remove(0)
}

fn ask(panel: &mut Panel, turn: &str, question: &str, answer: &str) {
    panel.handle_draft(question);
    assert!(panel.handle_ask(turn, 4_000).is_some());
    panel.handle_answer(turn, WorkerToPanel::TextDelta { text: answer.to_owned() }, 4_100);
    panel.handle_answer(turn, end(), 4_200);
}

fn entry(id: &str, url: &str, time_ms: u64) -> Entry {
    Entry { id: id.to_owned(), url: url.to_owned(), time_ms, bytes: 1_000, ..Entry::default() }
}

#[test]
fn what_ended_is_kept_once_and_again_when_something_was_asked() {
    let mut panel = reading(anthropic());
    say(&mut panel, "Words", 2_000);
    find(&mut panel, 0, highlight("phrase", Category::Bias), 2_000);
    assert!(panel.handle_save().finished.is_empty(), "it still runs");
    panel.handle_message("r1", Request::Highlights, end(), 3_000);
    panel.handle_message("r1", Request::Analysis, end(), 3_000);
    let first = finished(&mut panel);
    assert_eq!((first.entry.url.as_str(), first.entry.title.as_str()), (URL, "The harbour"));
    assert_eq!((first.entry.time_ms, first.entry.found, first.entry.asked), (1_000, 1, 0));
    assert!(!serde_json::to_string(&first.page).unwrap().contains("\"content\""), "the page's text is its own");
    panel.handle_draft("Wh");
    assert!(panel.handle_save().finished.is_empty(), "nothing was asked yet");
    ask(&mut panel, "t1", "Who?", "Nobody.");
    let second = finished(&mut panel);
    assert_eq!((second.entry.id, second.entry.asked), (first.entry.id, 1));
}

#[test]
fn a_reading_that_brought_nothing_is_not_kept() {
    let mut panel = done("", &[]);
    assert!(panel.handle_save().finished.is_empty());
}

#[test]
fn a_conversation_about_a_page_nobody_read_is_kept() {
    let mut panel = panel(anthropic());
    panel.handle_draft("Who?");
    panel.handle_ask("t1", 0).unwrap();
    panel.handle_chat_text("t1", Ok((page(URL, "The harbour"), "text".to_owned())), 0).unwrap();
    panel.handle_answer("t1", WorkerToPanel::TextDelta { text: "Nobody.".to_owned() }, 0);
    panel.handle_answer("t1", end(), 0);
    let kept = finished(&mut panel);
    assert_eq!((kept.entry.title.as_str(), kept.entry.asked), ("The harbour", 1));
    assert!(panel.handle_past(&kept.page, "today".to_owned()));
    assert_eq!(panel.chat().unwrap().turns()[0].answer().prose().source(), "Nobody.");
}

#[test]
fn a_search_finds_every_word_in_title_address_text_and_chat() {
    let mut panel =
        done("## Key Claims\n\nThe CRANES were old.", &[highlight("a monstrous scar", Category::Emotional)]);
    panel.handle_settings(anthropic(), true);
    ask(&mut panel, "t1", "Who built it?", "Ada did.");
    let Finished { entry: one, text, .. } = finished(&mut panel);
    let other = entry("other", "https://example.org/", 9_000);
    let mut history = History::new(vec![(one, text), (other, "elsewhere".to_owned())]);
    let ids = |history: &History| history.shown().map(|entry| entry.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&history), ["other", "r1"], "the latest first");
    for typed in ["harbour", "EXAMPLE.ORG/har", "cranes scar", "built ada", "  "] {
        history.handle_search(typed);
        assert!(ids(&history).contains(&"r1".to_owned()), "{typed}");
    }
    history.handle_search("cranes elsewhere");
    assert_eq!(ids(&history), Vec::<String>::new());
    history.handle_search("");
    history.handle_deleted(Some("other"));
    assert_eq!((ids(&history), history.len()), (vec!["r1".to_owned()], 1));
    history.handle_deleted(None);
    assert!(history.is_empty());
}

#[test]
fn what_was_deleted_last_comes_back_to_its_place_once() {
    let kept = |id: &str, time| (entry(id, "https://example.org/", time), format!("text of {id}"));
    let mut history = History::new(vec![kept("old", 1), kept("middle", 2), kept("new", 3)]);
    assert!(!history.can_undo());
    history.handle_deleted(Some("middle"));
    assert!(history.can_undo());
    assert_eq!(history.handle_undo(), Some(kept("middle", 2)));
    let ids: Vec<_> = history.shown().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["new", "middle", "old"]);
    assert_eq!(history.handle_undo(), None);
    history.handle_deleted(Some("old"));
    history.handle_deleted(None);
    assert!(!history.can_undo(), "all is gone for good, as was said");
}

#[test]
fn a_search_looks_through_all_that_is_kept() {
    let long = format!("## Key Claims\n\n{}The last word is zenith.", "A line of many words.\n\n".repeat(6_000));
    let mut panel = done(&long, &[highlight("a monstrous scar", Category::Emotional)]);
    panel.handle_settings(anthropic(), true);
    ask(&mut panel, "t1", "Who built it?", &format!("{}In the end it was Ada.", "They say much. ".repeat(6_000)));
    let Finished { entry, text, .. } = finished(&mut panel);
    assert!(entry.bytes > 2 * (long.len() as u64), "what is searched takes room as well: {}", entry.bytes);
    let mut history = History::new(vec![(entry, text)]);
    for (typed, found) in [("zenith", 1), ("ada scar", 1), ("nadir", 0)] {
        history.handle_search(typed);
        assert_eq!(history.shown().count(), found, "{typed}");
    }
}

#[test]
fn entries_come_back_as_they_were_kept() {
    let whole = finished(&mut done("Words", &[])).entry;
    assert_eq!(Entry::restore(&whole.save()), Some(whole));
    assert_eq!(Entry::restore(&json!({ "url": "x" })), None);
}

#[test]
fn a_new_reading_takes_the_place_of_the_old_one_but_of_no_conversation() {
    let new = finished(&mut done("Words", &[]));
    let same = Entry { reader: new.entry.reader.clone(), ..entry("same", URL, 1) };
    let asked = Entry { asked: 1, ..same.clone() };
    let by_another = Entry { reader: "another".to_owned(), ..same.clone() };
    let elsewhere = Entry { url: "https://example.org/".to_owned(), ..same.clone() };
    assert_eq!(new.makes_room(&[same]), ["same"]);
    assert_eq!(new.makes_room(&[asked, by_another, elsewhere]), Vec::<String>::new());
}

#[test]
fn the_oldest_make_room() {
    let mut new = finished(&mut done("Words", &[]));
    let entries: Vec<_> = (0..History::MAX_ENTRIES as u64)
        .map(|number| entry(&format!("e{number}"), &format!("https://example.org/{number}"), number))
        .collect();
    assert_eq!(new.makes_room(&entries[1..]), Vec::<String>::new());
    assert_eq!(new.makes_room(&entries), ["e0"]);
    new.entry.bytes = History::MAX_BYTES - 2_500;
    let gone = new.makes_room(&entries[..5]);
    assert_eq!(gone, ["e2", "e1", "e0"]);
}

#[test]
fn the_past_is_shown_in_place_of_the_page_and_can_only_be_read() {
    let mut panel = done("Of the past", &[highlight("phrase", Category::Bias)]);
    panel.handle_settings(anthropic(), true);
    ask(&mut panel, "t1", "Who?", "Nobody.");
    let kept = finished(&mut panel).page;
    panel.handle_tab(Tab { id: 8, url: Some("https://example.org/".to_owned()), title: Some("Elsewhere".to_owned()) });
    assert!(panel.handle_past(&kept, "30 Nov 2026".to_owned()));
    let view = panel.view(0);
    assert_eq!((view.title.as_str(), view.site.as_str()), ("The harbour", "example.org"));
    assert_eq!(view.past, Some(PastView::Open("30 Nov 2026".to_owned(), false)));
    assert_eq!(view.state, State::Done);
    assert_eq!(panel.reading().unwrap().analysis().source(), "Of the past");
    assert!(view.chat.past);
    let chat = panel.chat().unwrap();
    let actions = panel.turn_view(chat, &chat.turns()[0]).actions;
    assert_eq!(actions, [("Copy".to_owned(), crate::panel::TurnAction::Copy)]);
    panel.handle_draft("More?");
    assert!(panel.handle_ask("t9", 0).is_none());
    assert!(panel.handle_retry("t9", 0).is_none());
    panel.handle_past_closed();
    assert_eq!(panel.state(), State::Idle);
    assert!(panel.handle_past(&kept, String::new()));
    panel.handle_tab(Tab { id: TAB, url: Some(URL.to_owned()), title: None });
    assert_eq!(panel.reading().unwrap().id(), "r1", "another tab is another matter");
    assert!(panel.handle_past(&kept, String::new()));
    assert_eq!(panel.view(0).past, Some(PastView::Open(String::new(), true)), "its page is in view");
    panel.handle_read(TAB).unwrap();
    assert!(!panel.is_past());
    assert!(!panel.handle_past(&json!({ "version": 99 }), String::new()));
}

#[test]
fn a_page_that_was_read_before_is_offered_until_it_is_read() {
    let mut panel = panel(anthropic());
    let earlier = |url: &str| Earlier { id: "e1".to_owned(), url: url.to_owned(), date: "30 Nov 2026".to_owned() };
    panel.handle_earlier(Some(earlier("https://example.org/another")));
    assert_eq!(panel.view(0).past, None);
    panel.handle_earlier(Some(earlier(URL)));
    assert_eq!(panel.view(0).past, Some(PastView::Offered("30 Nov 2026".to_owned())));
    panel.handle_read(TAB).unwrap();
    assert_eq!(panel.view(0).past, None);
    panel.handle_page(TAB, page(URL, "The harbour"), "text".to_owned(), "r1".to_owned(), 0);
    assert_eq!(panel.view(0).past, None);
}

#[test]
fn the_past_is_exported_like_any_reading() {
    let mut panel = done("Words", &[highlight("phrase", Category::Bias)]);
    panel.handle_settings(anthropic(), true);
    ask(&mut panel, "t1", "Who?", "Nobody.");
    let kept = finished(&mut panel).page;
    let export = with_export(&kept, |export| serde_json::to_value(export).unwrap()).unwrap();
    let mut own = serde_json::to_value(panel.export()).unwrap();
    assert_eq!(
        own["chat"],
        json!([{ "question": "Who?", "selection": "", "answer": "Nobody.", "opened": [], "model": own["chat"][0]["model"] }])
    );
    own["state"] = "done".into();
    assert_eq!(export, own);
    assert!(panel.markdown().unwrap().ends_with("\n## Chat\n\n### Who?\n\nNobody.\n"));
}
