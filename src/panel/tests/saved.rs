//! What outlives the panel.

use super::*;
use crate::panel::{Changes, Erased, Filter, MAX_PAGE_BYTES, State, makes_room};
use crate::wire::{CategorySummaries, Source, StopReason, Usage};

/// What a panel that opens next finds in storage.
fn next(panel: &mut Panel) -> (Panel, Map<String, Value>) {
    let stored = panel.handle_save().items;
    let mut next = super::panel(anthropic());
    assert_eq!(next.handle_restore(&stored), Vec::<String>::new());
    (next, stored)
}

/// A reading with everything a reading can have, and a conversation about it.
fn full() -> Panel {
    let mut panel = reading(anthropic());
    panel.handle_message("r1", Request::Analysis, WorkerToPanel::ThinkingDelta { text: "Hm.".to_owned() }, 1_100);
    let sources = vec![Source { url: "https://port.example/report".to_owned(), title: String::new() }];
    panel.handle_message("r1", Request::Analysis, WorkerToPanel::Sources { sources }, 1_200);
    say(
        &mut panel,
        "## Key Claims\n\n- one\n\n## Overall Assessment\n\nTrustworthiness: High — well sourced.\n",
        1_300,
    );
    let mut proven = highlight("Cargo rose", Category::Supported);
    proven.note = "Carries a source.".to_owned();
    proven.source = "Port".to_owned();
    proven.source_url = "https://port.example/report".to_owned();
    proven.verified = true;
    find(&mut panel, 0, proven, 1_400);
    find(&mut panel, 1, highlight("a monstrous scar", Category::Emotional), 1_500);
    let on_page = |index, text: &str| PaintedItem { index, text: text.to_owned() };
    panel.handle_painted(TAB, "r1", vec![on_page(0, "Cargo rose"), on_page(1, "")], false);
    let category_summaries = CategorySummaries::from([(Category::Emotional, "One loaded word.".to_owned())]);
    let result = WorkerToPanel::HighlightsResult { summary: "About a harbour.".to_owned(), category_summaries };
    panel.handle_message("r1", Request::Highlights, result, 1_600);
    panel.handle_message("r1", Request::Highlights, end(), 1_700);
    let usage = Some(Usage { input_tokens: 10, output_tokens: 20, cache_read_tokens: 3, cache_write_tokens: 4 });
    let done = WorkerToPanel::Done { stop_reason: Some(StopReason::MaxTokens), truncated: true, usage };
    panel.handle_message("r1", Request::Analysis, done, 1_800);
    ask(&mut panel, "t1", "Who built it?", "Nobody knows.");
    panel
}

fn ask(panel: &mut Panel, turn: &str, question: &str, answer: &str) {
    panel.handle_draft(question);
    assert!(panel.handle_ask(turn, 2_000).is_some());
    panel.handle_answer(turn, WorkerToPanel::TextDelta { text: answer.to_owned() }, 2_100);
    panel.handle_answer(turn, end(), 2_200);
}

#[test]
fn the_next_panel_shows_the_same_and_can_go_on() {
    let mut panel = full();
    panel.handle_draft("And wh");
    panel.handle_category(Category::Emotional);
    panel.handle_filter("SCAR");
    panel.handle_fold("Key Claims", true);
    panel.handle_thinking_shown(true);
    panel.handle_shown_view("highlights");
    let (mut next, _) = next(&mut panel);

    assert_eq!(next.view(9_000), panel.view(9_000));
    assert_eq!(serde_json::to_value(next.export()).unwrap(), serde_json::to_value(panel.export()).unwrap());
    assert_eq!(next.markdown(), panel.markdown());
    let (old, new) = (panel.reading().unwrap(), next.reading().unwrap());
    assert_eq!(new.analysis().closed(), old.analysis().closed());
    assert_eq!(new.analysis_answer().thinking(), "Hm.");
    assert!(new.analysis_answer().sources().contains("https://port.example/report"));
    assert_eq!(next.filter(), panel.filter());
    assert_eq!(next.filter().typed(), "SCAR");
    assert!(next.is_folded("Key Claims") && next.shows_thinking());
    assert_eq!(next.shown_view(), "highlights");
    assert_eq!(next.chat().unwrap().draft().text, "And wh");
    let asked = next.handle_ask("t2", 3_000).unwrap();
    let Some(crate::wire::PanelToWorker::Chat { content, messages, .. }) = asked.request else { panic!("no request") };
    assert_eq!((content.as_str(), messages.len()), ("text", 2), "the page's text is there, and so is what was said");
}

#[test]
fn what_ran_when_the_panel_closed_is_interrupted_and_says_so() {
    let mut panel = reading(anthropic());
    say(&mut panel, "Half a sen", 2_000);
    panel.handle_draft("Who?");
    panel.handle_ask("t1", 2_000).unwrap();
    let (next, _) = next(&mut panel);
    assert_eq!(next.state(), State::Interrupted);
    assert_eq!(next.reading().unwrap().analysis().source(), "Half a sen");
    let notice = &next.view(0).notices[0];
    assert!(notice.text.contains("interrupted") && notice.text.contains("read the page again"), "{notice:?}");
    let chat = next.chat().unwrap();
    assert!(next.turn_view(chat, &chat.turns()[0]).problem.contains("interrupted"));
}

#[test]
fn only_what_changed_is_written() {
    let mut panel = full();
    assert_eq!(panel.handle_save().items.len(), 2, "the page, and how the panel is set");
    let nothing = panel.handle_save();
    assert!(nothing.items.is_empty() && nothing.gone.is_empty() && nothing.finished.is_empty());
    panel.handle_category(Category::Bias);
    assert_eq!(panel.handle_save().items.keys().collect::<Vec<_>>(), ["panel"]);
    panel.handle_painted(TAB, "r1", vec![PaintedItem { index: 1, text: "a scar".to_owned() }], false);
    let changes = panel.handle_save();
    assert_eq!(changes.items.keys().collect::<Vec<_>>(), [&format!("page {TAB} {URL}")]);
    assert!(changes.finished.is_empty(), "where marks stand is nothing for the history");
}

#[test]
fn the_next_panel_writes_nothing_anew() {
    let (mut next, _) = next(&mut full());
    let changes = next.handle_save();
    assert!(changes.items.is_empty() && changes.gone.is_empty() && changes.finished.is_empty(), "{changes:?}");
}

#[test]
fn a_closed_tab_leaves_storage() {
    let mut panel = full();
    panel.handle_save();
    panel.handle_tab_removed(TAB);
    assert_eq!(panel.handle_save().gone, [format!("page {TAB} {URL}")]);
}

#[test]
fn no_key_is_saved() {
    let saved = serde_json::to_string(&full().handle_save().items).unwrap();
    assert!(!saved.contains("sk-ant"));
}

#[test]
fn a_page_that_is_too_large_leaves_its_text_behind_then_thinking_then_goes() {
    let sizes = |content: usize, thinking: usize, analysis: usize| {
        let agreed =
            json!({ "provider": "anthropic", "anthropicKey": "sk-ant-of-nobody", "anthropicLongPages": 1_000_000 });
        let mut panel = panel(settings(agreed));
        panel.handle_read(TAB);
        panel.handle_page(TAB, page(URL, "The harbour"), "x".repeat(content), "r1".to_owned(), 0);
        let thinking = WorkerToPanel::ThinkingDelta { text: "y".repeat(thinking) };
        panel.handle_message("r1", Request::Analysis, thinking, 0);
        say(&mut panel, &"z ".repeat(analysis / 2), 0);
        panel.handle_message("r1", Request::Analysis, end(), 0);
        panel.handle_message("r1", Request::Highlights, end(), 0);
        panel.handle_save()
    };
    let key = format!("page {TAB} {URL}");
    let has = |changes: &crate::panel::Changes, name: &str| {
        let page = &changes.items[&key];
        serde_json::to_string(page).unwrap().contains(&format!("\"{name}\""))
    };
    let fits = sizes(1_000, 1_000, 1_000);
    assert!(has(&fits, "content") && has(&fits, "thinking"));
    let without_text = sizes(MAX_PAGE_BYTES, 1_000, 1_000);
    assert!(!has(&without_text, "content") && has(&without_text, "thinking"));
    let without_thinking = sizes(1_000, 250_000, 300_000);
    assert!(!has(&without_thinking, "thinking"));
    let dropped = sizes(0, 0, MAX_PAGE_BYTES);
    assert_eq!(dropped.gone, std::slice::from_ref(&key));
    assert!(!dropped.items.contains_key(&key));

    let mut next = panel(anthropic());
    next.handle_restore(&without_text.items);
    next.handle_draft("Who?");
    let asked = next.handle_ask("t1", 0).unwrap();
    assert!(asked.request.is_none(), "the text is taken again");
    let other = (page("https://example.org/other", "Other"), "text".to_owned());
    assert!(next.handle_chat_text("t1", Ok(other), 0).is_none(), "and not that of another page");
    let same = next.handle_retry("t2", 0).unwrap();
    assert!(next.handle_chat_text(&same.turn, Ok((page(URL, ""), "text".to_owned())), 0).is_some());
}

#[test]
fn the_pages_used_last_are_kept() {
    let mut panel = panel(anthropic());
    let url = |number: u64| format!("https://example.org/{number:02}");
    for number in 0..Panel::MAX_SAVED_PAGES as u64 {
        panel.handle_page(TAB, page(&url(number), "Page"), String::new(), format!("r{number}"), number);
        assert!(panel.handle_save().gone.is_empty());
    }
    panel.handle_page(TAB, page(&url(99), "Page"), String::new(), "r99".to_owned(), 99);
    assert_eq!(panel.handle_save().gone, [format!("page {TAB} {}", url(0))]);
}

#[test]
fn what_another_version_saved_and_what_is_too_much_is_removed() {
    let (_, mut stored) = next(&mut full());
    let page = stored[&format!("page {TAB} {URL}")].clone();
    stored.insert("askAbout".to_owned(), json!({ "selection": "not ours" }));
    stored.insert(
        "page 3 old".to_owned(),
        json!({ "version": 0, "tab": 3, "usedMs": 9_999, "reading": page["reading"] }),
    );
    stored.insert("page 4 nothing".to_owned(), json!("?"));
    let mut next = super::panel(anthropic());
    let mut unusable = next.handle_restore(&stored);
    unusable.sort();
    assert_eq!(unusable, ["page 3 old", "page 4 nothing"]);
    assert_eq!(next.state(), State::Done);

    stored.insert("panel".to_owned(), json!({ "version": 0, "filter": "x" }));
    for number in 0..30 {
        let mut page = page.clone();
        page["usedMs"] = number.into();
        stored.insert(format!("page {TAB} {number:02}"), page);
    }
    let mut next = super::panel(anthropic());
    assert_eq!(next.handle_restore(&stored).iter().filter(|key| key.starts_with("page 7")).count(), 11);
    assert_eq!(*next.filter(), Filter::default(), "of another version");
}

#[test]
fn when_storage_is_full_the_older_half_makes_room() {
    let stored: Map<String, Value> = (0..5).map(|n| (format!("page {n}"), json!({ "usedMs": n }))).collect();
    assert_eq!(makes_room(&stored), ["page 0", "page 1", "page 2"]);
    assert_eq!(makes_room(&Map::new()), Vec::<String>::new());
}

#[test]
fn nothing_that_stands_in_storage_breaks_the_panel() {
    let (_, stored) = next(&mut full());
    let page = stored[&format!("page {TAB} {URL}")].clone();
    let mut broken = vec![Value::Null, json!([]), json!({ "version": 1 })];
    for part in ["reading", "chat"] {
        for name in page[part].as_object().unwrap().keys() {
            for value in [Value::Null, json!(-1), json!("?"), json!([[[]], {}, -5]), json!({ "x": 1 })] {
                let mut page = page.clone();
                page[part][name] = value;
                broken.push(page);
            }
        }
    }
    for page in broken {
        let mut next = panel(anthropic());
        next.handle_restore(&Map::from_iter([(format!("page {TAB} {URL}"), page)]));
        next.view(0);
        next.handle_save();
    }
}

#[test]
fn what_was_deleted_is_not_saved_again() {
    let mut panel = full();
    panel.handle_draft("And wh");
    panel.handle_filter("SCAR");
    panel.handle_fold("Key Claims", true);
    panel.handle_shown_view("chat");
    let mut stored: Vec<String> = panel.handle_save().items.keys().cloned().collect();
    let Erased { mut items, requests, tabs } = panel.handle_erase();
    items.sort_unstable();
    stored.sort_unstable();
    assert_eq!(items, stored, "a save on its way is undone");
    assert_eq!((requests, tabs), (vec!["r1".to_owned()], vec![TAB]));
    // Whatever still comes for what is gone.
    say(&mut panel, "More prose.", 3_000);
    panel.handle_answer("t1", WorkerToPanel::TextDelta { text: "More.".to_owned() }, 3_000);
    panel.handle_painted(TAB, "r1", vec![PaintedItem { index: 0, text: "Cargo rose".to_owned() }], false);
    panel.handle_tick();
    let Changes { items, gone, finished } = panel.handle_save();
    assert!(items.is_empty() && gone.is_empty() && finished.is_empty(), "{items:?} {gone:?} {finished:?}");
    assert_eq!((panel.state(), panel.shown_view()), (State::Idle, "chat"));
    assert!(panel.reading().is_none() && panel.chat().is_none() && panel.filter().is_empty());
}

#[test]
fn what_ran_when_everything_was_deleted_is_cancelled_and_the_next_reading_is_kept() {
    let mut panel = reading(anthropic());
    panel.handle_draft("Why?");
    assert!(panel.handle_ask("t1", 2_000).is_some());
    let wish = panel.handle_read(TAB + 1).unwrap();
    assert_eq!(panel.handle_erase().requests, ["r1", "t1"]);
    assert!(!panel.wants_text(TAB + 1, wish), "text that is being taken is wanted no more");
    assert!(panel.handle_save().items.is_empty());
    let next = page("https://port.example/", "Port");
    drop(panel.handle_page(TAB, next, "Cargo rose.".to_owned(), "r2".to_owned(), 3_000));
    assert_eq!(panel.handle_save().items.len(), 1);
}
