//! Addresses that models open, and long pages, as the reader is asked about them.

use super::*;
use crate::panel::{Action, Choice, State};
use crate::reading::plan::{Plan, UNASKED_TOKENS};
use crate::wire::{PanelToWorker, Source};

const LINE: &str = "The harbour grew again this year, the office says.\n";

fn open_request(id: u32, url: &str) -> WorkerToPanel {
    WorkerToPanel::OpenRequest { id, url: url.to_owned() }
}

fn opened(url: &str) -> WorkerToPanel {
    WorkerToPanel::ToolCall { name: "fetch_url".to_owned(), label: "Fetching URL...".to_owned(), url: url.to_owned() }
}

fn actions(panel: &Panel) -> Vec<Action> {
    panel.view(2_000).notices.iter().flat_map(|notice| notice.actions.iter().map(|(_, action)| *action)).collect()
}

#[test]
fn the_reader_is_asked_with_every_address_in_full_and_once() {
    let long = format!("https://a.example/{}", "x".repeat(1_900));
    let mut panel = reading(anthropic());
    panel.handle_message("r1", Request::Analysis, open_request(1, &long), 1_500);
    panel.handle_message("r1", Request::Analysis, open_request(2, "https://b.example/"), 1_500);
    let notice = panel.view(2_000).notices.into_iter().find(|notice| !notice.addresses.is_empty()).unwrap();
    assert_eq!(notice.addresses, [long.as_str(), "https://b.example/"]);
    assert_eq!(
        notice.actions.iter().map(|(_, act)| *act).collect::<Vec<_>>(),
        [Action::AllowOpen, Action::DeclineOpen]
    );
    assert!(panel.view(2_000).live.contains("wants to open these 2 addresses"));
    let (id, replies) = panel.handle_open_reply(true).unwrap();
    let reply = PanelToWorker::OpenReply { ids: vec![1, 2], allow: true };
    assert_eq!((id.as_str(), replies), ("r1", vec![(Request::Analysis, reply)]));
    assert!(panel.view(2_000).notices.iter().all(|notice| notice.addresses.is_empty()));
    assert_eq!(panel.handle_open_reply(true).unwrap().1, [], "nothing is asked any more");
    panel.handle_message("r1", Request::Analysis, open_request(3, "https://c.example/"), 1_600);
    panel.handle_stop(1_700);
    assert!(!actions(&panel).contains(&Action::AllowOpen), "an answer that was stopped asks for nothing");
}

#[test]
fn what_was_opened_stays_under_the_answer_and_comes_back_with_it() {
    let mut panel = reading(anthropic());
    for url in ["https://a.example/1", "https://a.example/2", "https://a.example/1"] {
        panel.handle_message("r1", Request::Analysis, opened(url), 1_500);
    }
    panel.handle_message("r1", Request::Analysis, end(), 2_000);
    panel.handle_message("r1", Request::Highlights, end(), 2_000);
    let listed = |panel: &Panel| panel.reading().unwrap().analysis_answer().opened().to_vec();
    assert_eq!(listed(&panel), ["https://a.example/1", "https://a.example/2"]);
    let stored = panel.handle_save().items;
    let mut next = Panel::default();
    next.handle_settings(anthropic(), true);
    next.handle_tab(Tab { id: TAB, url: Some(URL.to_owned()), title: None });
    next.handle_restore(&stored);
    assert_eq!(listed(&next), ["https://a.example/1", "https://a.example/2"]);
}

#[test]
fn a_conversation_counts_what_all_its_answers_opened() {
    let mut panel = reading(anthropic());
    let ask = |panel: &mut Panel, turn: &str| {
        panel.handle_draft("Well?");
        let Some(PanelToWorker::Chat { opened, links, private, .. }) = panel.handle_ask(turn, 0).unwrap().request
        else {
            panic!()
        };
        (opened, links.len(), private)
    };
    assert_eq!(ask(&mut panel, "t1"), (0, 0, false));
    panel.handle_answer("t1", open_request(4, "https://a.example/"), 0);
    let chat = panel.chat().unwrap();
    assert_eq!(panel.turn_view(chat, &chat.turns()[0]).open_addresses, ["https://a.example/"]);
    let reply = panel.handle_chat_open_reply("t1", false);
    assert_eq!(reply, Some(PanelToWorker::OpenReply { ids: vec![4], allow: false }));
    for n in 0..3 {
        panel.handle_answer("t1", opened(&format!("https://a.example/{n}")), 0);
    }
    panel.handle_answer("t1", end(), 0);
    assert_eq!(ask(&mut panel, "t2").0, 3);
}

#[test]
fn a_link_leads_to_what_was_found_and_not_to_what_the_model_added() {
    let mut panel = reading(anthropic());
    panel.handle_draft("Well?");
    panel.handle_ask("t1", 0);
    let sources = vec![Source { url: "https://study.example/one?utm_source=openai".to_owned(), title: String::new() }];
    panel.handle_answer("t1", WorkerToPanel::Sources { sources }, 0);
    let chat = panel.chat().unwrap();
    let link = |address| panel.link(chat, &chat.turns()[0], address);
    assert_eq!(
        link("https://study.example/one?utm_content=my+question").as_deref(),
        Some("https://study.example/one?utm_source=openai")
    );
    assert_eq!(link("https://study.example/one?q=my+question"), None);
}

#[test]
fn a_page_that_would_send_much_is_not_read_before_the_reader_has_chosen() {
    let text = LINE.repeat(8_000);
    let plan = Plan::of(&text);
    let mut panel = panel(anthropic());
    panel.handle_read(TAB);
    assert!(panel.handle_page(TAB, page(URL, "Long"), text.clone(), "r1".to_owned(), 0).is_none());
    assert_eq!(panel.state(), State::Choosing);
    let notice = panel.view(0).notices.into_iter().next().unwrap();
    assert!(
        notice.text.contains("to Anthropic") && notice.text.contains(&format!("in {} requests", plan.requests)),
        "{notice:?}"
    );
    assert_eq!(actions(&panel)[..3], [Action::ReadAll, Action::ReadFirstPart, Action::ReadSelection]);
    let chosen = panel.handle_choice(Choice::All, "r1".to_owned(), 0).unwrap();
    let PanelToWorker::Analyze { content, .. } = chosen.requests.analyze else { panic!() };
    assert_eq!((content, panel.state()), (text.clone(), State::Reading));
    assert_eq!(chosen.remembered, ("anthropicLongPages".to_owned(), json!(plan.sent)));
    assert!(panel.handle_choice(Choice::All, "r2".to_owned(), 0).is_none(), "nothing waits any more");

    let agreed =
        json!({ "provider": "anthropic", "anthropicKey": "sk-ant-of-nobody", "anthropicLongPages": plan.sent });
    panel.handle_settings(settings(agreed), true);
    panel.handle_read(TAB);
    assert!(panel.handle_page(TAB, page(URL, "Long"), text.clone(), "r2".to_owned(), 0).is_some(), "up to that length");
    panel.handle_read(TAB);
    assert!(
        panel.handle_page(TAB, page(URL, "Longer"), text.repeat(2), "r3".to_owned(), 0).is_none(),
        "a longer one is another matter"
    );
    panel.handle_loading(TAB);
    assert_ne!(panel.state(), State::Choosing, "another page is in view");
}

#[test]
fn the_first_part_is_what_is_read_unasked_and_is_said_to_be_one() {
    let text = LINE.repeat(8_000);
    let mut panel = panel(anthropic());
    panel.handle_read(TAB);
    panel.handle_page(TAB, page(URL, "Long"), text.clone(), "r1".to_owned(), 0);
    let chosen = panel.handle_choice(Choice::FirstPart, "r1".to_owned(), 0).unwrap();
    let PanelToWorker::Highlights { content, .. } = chosen.requests.highlights else { panic!() };
    assert!(text.starts_with(&content) && Plan::of(&content).sent <= UNASKED_TOKENS);
    assert_eq!(chosen.remembered, ("anthropicLongPages".to_owned(), json!("first")));
    assert!(
        panel.view(0).notices.iter().any(|notice| notice.text.contains("Only the first part of the page was read"))
    );
    panel.handle_settings(
        settings(json!({ "provider": "anthropic", "anthropicKey": "k-of-nobody", "anthropicLongPages": "first" })),
        true,
    );
    panel.handle_read(TAB);
    assert!(panel.handle_page(TAB, page(URL, "Long"), text, "r2".to_owned(), 0).is_some(), "remembered");
}

#[test]
fn only_what_is_selected_is_read_when_something_is() {
    let text = LINE.repeat(8_000);
    let mut panel = panel(anthropic());
    panel.handle_read(TAB);
    panel.handle_page(TAB, page(URL, "Long"), text.clone(), "r1".to_owned(), 0);
    assert!(panel.handle_read_selection(TAB).is_some());
    assert!(panel.handle_page(TAB, page(URL, "Long"), text.clone(), "r1".to_owned(), 0).is_none());
    assert!(panel.view(0).notices[0].text.starts_with("Nothing is selected on the page."));
    assert!(panel.handle_read_selection(TAB).is_some());
    let selected = ReadPage { is_selection: true, ..page(URL, "Long") };
    assert!(panel.handle_page(TAB, selected, LINE.to_owned(), "r1".to_owned(), 0).is_some());
}

#[test]
fn nobody_is_asked_where_nothing_is_sent_to_another_machine() {
    let text = LINE.repeat(80_000);
    for stored in [
        json!({}),
        json!({ "provider": "builtin" }),
        json!({ "provider": "openai", "openaiBaseUrl": "http://127.0.0.1:8080", "openaiModel": "m" }),
        json!({ "provider": "anthropic", "anthropicBaseUrl": "http://localhost:8080", "anthropicModel": "m" }),
    ] {
        let mut panel = panel(settings(stored.clone()));
        panel.handle_read(TAB);
        assert!(panel.handle_page(TAB, page(URL, "Long"), text.clone(), "r1".to_owned(), 0).is_some(), "{stored}");
    }
}

#[test]
fn a_price_is_named_where_the_reader_has_set_one() {
    let priced = json!({ "provider": "anthropic", "anthropicKey": "k-of-nobody", "anthropicInputPrice": 3, "anthropicOutputPrice": 15 });
    let mut panel = panel(settings(priced));
    panel.handle_read(TAB);
    panel.handle_page(TAB, page(URL, "Long"), LINE.repeat(8_000), "r1".to_owned(), 0);
    let text = &panel.view(0).notices[0].text;
    assert!(text.contains("costs about $0.") || text.contains("costs about $1."), "{text}");
}

#[test]
fn a_question_about_a_long_page_sends_what_is_closest_to_it_unless_more_was_agreed_to() {
    let needle = "The lighthouse keeper is called Amalia.\n";
    let text = [LINE.repeat(9_000), needle.to_owned(), LINE.repeat(9_000)].concat();
    let ask = |stored: Value| {
        let mut panel = panel(settings(json!({})));
        panel.handle_read(TAB);
        panel.handle_page(TAB, page(URL, "Long"), text.clone(), "r1".to_owned(), 0).unwrap();
        panel.handle_settings(settings(stored), true);
        panel.handle_draft("What is the keeper of the lighthouse called?");
        let Some(PanelToWorker::Chat { content, .. }) = panel.handle_ask("t1", 0).unwrap().request else { panic!() };
        content
    };
    let short = ask(json!({ "provider": "anthropic", "anthropicKey": "k-of-nobody" }));
    assert!(crate::reading::plan::tokens(&short) <= UNASKED_TOKENS && short.contains(needle.trim()));
    let agreed = json!({ "provider": "anthropic", "anthropicKey": "k-of-nobody", "anthropicLongPages": 10_000_000 });
    assert_eq!(ask(agreed), text);
}
