//! A conversation about a page.

use super::*;
use crate::panel::{Answer, Asked, Chat, ChatTurn, Run, TurnAction, TurnView};
use crate::wire::{ChatMessage, ErrorCode, ReadingError, Role, Source, StopReason, Usage};

fn type_and_ask(panel: &mut Panel, question: &str, id: &str) -> Asked {
    panel.handle_draft(question);
    panel.handle_ask(id, 5_000).unwrap_or_else(|| panic!("{question:?} was not sent"))
}

fn write(panel: &mut Panel, turn: &str, text: &str) {
    panel.handle_answer(turn, WorkerToPanel::TextDelta { text: text.to_owned() }, 6_000);
}

fn fail(panel: &mut Panel, turn: &str, code: ErrorCode) {
    panel.handle_answer(turn, ReadingError::retryable(code, "Busy.").into(), 6_500);
}

/// Asks and gets an answer that ends well.
fn exchange(panel: &mut Panel, question: &str, answer: &str, id: &str) {
    type_and_ask(panel, question, id);
    write(panel, id, answer);
    panel.handle_answer(id, end(), 7_000);
}

/// A panel with a model, whose page has been read.
fn ready() -> Panel {
    reading(anthropic())
}

struct Sent {
    content: String,
    messages: Vec<(Role, String)>,
    passages: Vec<String>,
    new_message: String,
    selection: String,
}

fn sent(asked: Asked) -> Sent {
    let Some(crate::wire::PanelToWorker::Chat { content, messages, new_message, selection, tab_id, .. }) =
        asked.request
    else {
        panic!("nothing to send");
    };
    assert_eq!(tab_id, Some(asked.tab));
    let passages = messages.iter().map(|message| message.selection.clone()).collect();
    let messages = messages.into_iter().map(|ChatMessage { role, content, .. }| (role, content)).collect();
    Sent { content, messages, passages, new_message, selection }
}

fn said(user: &str, assistant: &str) -> [(Role, String); 2] {
    [(Role::User, user.to_owned()), (Role::Assistant, assistant.to_owned())]
}

fn last(panel: &Panel) -> TurnView {
    let chat = panel.chat().unwrap();
    panel.turn_view(chat, chat.turns().last().unwrap())
}

fn offers(view: &TurnView) -> Vec<TurnAction> {
    view.actions.iter().map(|(_, action)| *action).collect()
}

#[test]
fn a_question_goes_with_the_page_that_was_read_and_what_was_said_before() {
    let mut panel = ready();
    let first = sent(type_and_ask(&mut panel, "  Who wrote it?\n", "t1"));
    assert_eq!((first.content.as_str(), first.new_message.as_str()), ("text", "Who wrote it?"));
    assert!(first.messages.is_empty());
    assert_eq!(panel.chat().unwrap().draft().text, "", "the input is free for the next");
    write(&mut panel, "t1", "A harbour ");
    write(&mut panel, "t1", "master.");
    panel.handle_answer("t1", end(), 7_000);
    let second = sent(type_and_ask(&mut panel, "When?", "t2"));
    assert_eq!(second.messages, said("Who wrote it?", "A harbour master."));
}

#[test]
fn only_one_answer_is_written_at_a_time_and_the_text_stays_typed() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    panel.handle_draft("Two?");
    assert!(panel.handle_ask("t2", 5_100).is_none());
    assert_eq!(panel.chat().unwrap().draft().text, "Two?");
    panel.handle_draft(" \n ");
    panel.handle_answer("t1", end(), 5_200);
    assert!(panel.handle_ask("t2", 5_300).is_none(), "white space is no question");
}

#[test]
fn the_offline_reader_says_up_front_that_it_cannot_answer() {
    for settings in [Settings::default(), settings(json!({ "provider": "anthropic" }))] {
        let mut panel = panel(settings);
        assert!(panel.view(0).chat.blocked.contains("can’t answer"));
        panel.handle_draft("A long question");
        assert!(panel.handle_ask("t1", 0).is_none());
        assert_eq!(panel.chat().unwrap().draft().text, "A long question");
        panel.handle_settings(anthropic(), true);
        assert_eq!(panel.view(0).chat.blocked, "");
        assert_eq!(type_and_ask(&mut panel, "A long question", "t1").turn, "t1");
    }
    assert_eq!(Panel::default().view(0).chat.blocked, "", "nothing is said before the settings are known");
}

#[test]
fn a_page_nobody_has_read_is_read_for_the_question() {
    let mut panel = panel(anthropic());
    let asked = type_and_ask(&mut panel, "What is it?", "t1");
    assert!(asked.request.is_none());
    assert_eq!(panel.view(5_000).chat.progress, "Reading the page…");
    let text = Ok((page(URL, "The harbour"), "words of the page".to_owned()));
    let request = panel.handle_chat_text("t1", text, 5_500);
    assert_eq!(sent(Asked { turn: String::new(), tab: TAB, request }).content, "words of the page");
    write(&mut panel, "t1", "A harbour.");
    panel.handle_answer("t1", end(), 6_000);
    let next = sent(type_and_ask(&mut panel, "And now?", "t2"));
    assert_eq!(next.content, "words of the page", "its text is taken once");
    assert_eq!(panel.view(0).chat.placeholder, "Ask about this page");
    panel.handle_tab(Tab { id: TAB, url: None, title: None });
    assert_eq!(panel.view(0).chat.placeholder, "Ask about “The harbour”", "Chrome no longer says what the tab shows");
}

#[test]
fn a_page_that_gives_no_text_fails_the_question_and_keeps_it() {
    let mut panel = panel(anthropic());
    type_and_ask(&mut panel, "What is it?", "t1");
    let error = ReadingError::retryable(ErrorCode::Page, "Navigate to a webpage first.");
    assert!(panel.handle_chat_text("t1", Err(error), 5_500).is_none());
    assert_eq!(last(&panel).problem, "Navigate to a webpage first.");
    assert!(offers(&last(&panel)).contains(&TurnAction::Retry));
    assert_eq!(panel.chat().unwrap().turns()[0].question(), "What is it?");
}

#[test]
fn stop_ends_the_wait_for_a_page_too() {
    let mut panel = panel(anthropic());
    type_and_ask(&mut panel, "What is it?", "t1");
    assert_eq!(panel.handle_chat_stop(5_100).as_deref(), Some("t1"));
    let text = Ok((page(URL, "The harbour"), "late".to_owned()));
    assert!(panel.handle_chat_text("t1", text, 5_500).is_none());
    assert_eq!(panel.handle_chat_stop(5_600), None);
}

#[test]
fn a_failed_or_empty_answer_is_never_sent_as_said() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    fail(&mut panel, "t1", ErrorCode::Overloaded);
    exchange(&mut panel, "Two?", "  \n", "t2");
    exchange(&mut panel, "Three?", "Yes.", "t3");
    let next = sent(type_and_ask(&mut panel, "Four?", "t4"));
    assert_eq!(next.messages, said("Three?", "Yes."));
}

#[test]
fn a_partial_answer_is_kept_marked_and_sent() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    write(&mut panel, "t1", "Half an ans");
    panel.handle_answer_lost("t1", 6_000);
    assert!(last(&panel).problem.contains("interrupted"));
    assert_eq!(offers(&last(&panel)), [TurnAction::Copy, TurnAction::Continue, TurnAction::Retry, TurnAction::Edit]);
    let rest = sent(panel.handle_continue("t2", 6_100).unwrap());
    assert_eq!(rest.messages, said("One?", "Half an ans"));
    assert!(!rest.new_message.is_empty());
}

#[test]
fn an_answer_cut_at_the_limit_says_so_and_offers_the_rest() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    write(&mut panel, "t1", "Long");
    let cut = WorkerToPanel::Done { stop_reason: Some(StopReason::MaxTokens), truncated: true, usage: None };
    panel.handle_answer("t1", cut, 6_000);
    assert_eq!(
        last(&panel).problem,
        "The answer was cut at the model's output limit. Ask for less at a time, or choose another model in ⚙ Settings."
    );
    assert!(offers(&last(&panel)).contains(&TurnAction::Continue));
}

#[test]
fn what_comes_after_stop_is_dropped_and_what_came_before_stays() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    write(&mut panel, "t1", "Kept");
    assert_eq!(panel.handle_chat_stop(6_000).as_deref(), Some("t1"));
    write(&mut panel, "t1", " late");
    panel.handle_answer_lost("t1", 6_100);
    let turn = &panel.chat().unwrap().turns()[0];
    assert_eq!((turn.answer().prose().source(), turn.answer().run()), ("Kept", &Run::Stopped));
    assert_eq!(turn.done_ms(), Some(1_000));
    assert!(last(&panel).problem.is_empty() && last(&panel).remark.starts_with("Stopped"));
    assert_eq!(panel.view(6_000).chat.live, "Stopped");
}

#[test]
fn a_question_edited_takes_what_follows_with_it() {
    let mut panel = ready();
    exchange(&mut panel, "One?", "First.", "t1");
    exchange(&mut panel, "Two?", "Second.", "t2");
    exchange(&mut panel, "Three?", "Third.", "t3");
    panel.handle_draft("something else");
    panel.handle_edit("t2");
    assert_eq!(panel.chat().unwrap().draft().text, "Two?");
    assert!(panel.view(0).chat.editing.contains("removes what follows"));
    assert!(panel.handle_edit_cancelled());
    assert_eq!(panel.chat().unwrap().draft().text, "something else", "what stood there comes back");
    assert_eq!(panel.chat().unwrap().turns().len(), 3);

    panel.handle_edit("t2");
    let asked = sent(type_and_ask(&mut panel, "Two, rather?", "t4"));
    assert_eq!(asked.messages, said("One?", "First."));
    assert_eq!(panel.view(0).chat.editing, "");
    write(&mut panel, "t2", "late words of the old second");
    let turns: Vec<_> = panel.chat().unwrap().turns().iter().map(ChatTurn::question).collect();
    assert_eq!(turns, ["One?", "Two, rather?"]);
    assert_eq!(panel.chat().unwrap().turns()[1].answer().prose().source(), "");
}

#[test]
fn nothing_is_edited_while_an_answer_is_written() {
    let mut panel = ready();
    exchange(&mut panel, "One?", "First.", "t1");
    type_and_ask(&mut panel, "Two?", "t2");
    panel.handle_edit("t1");
    assert!(!panel.chat().unwrap().is_editing());
    let chat = panel.chat().unwrap();
    assert!(!offers(&panel.turn_view(chat, &chat.turns()[0])).contains(&TurnAction::Edit));
}

#[test]
fn retry_asks_the_last_question_again_and_hears_nothing_of_the_first_attempt() {
    let mut panel = ready();
    exchange(&mut panel, "One?", "First.", "t1");
    type_and_ask(&mut panel, "Two?", "t2");
    assert!(panel.handle_retry("t3", 6_000).is_none(), "not while it runs");
    fail(&mut panel, "t2", ErrorCode::Overloaded);
    let again = sent(panel.handle_retry("t3", 7_000).unwrap());
    assert_eq!((again.new_message.as_str(), again.messages.len()), ("Two?", 2));
    write(&mut panel, "t2", "late");
    write(&mut panel, "t3", "Second.");
    let chat = panel.chat().unwrap();
    assert_eq!(chat.turns().len(), 2);
    assert_eq!(chat.turns()[1].answer().prose().source(), "Second.");
}

#[test]
fn only_the_last_answer_can_be_had_again() {
    let mut panel = ready();
    exchange(&mut panel, "One?", "First.", "t1");
    exchange(&mut panel, "Two?", "Second.", "t2");
    let chat = panel.chat().unwrap();
    assert_eq!(offers(&panel.turn_view(chat, &chat.turns()[0])), [TurnAction::Copy, TurnAction::Edit]);
    assert_eq!(offers(&last(&panel)), [TurnAction::Copy, TurnAction::Retry, TurnAction::Edit]);
}

#[test]
fn a_passage_goes_with_its_question_only_and_is_remembered_with_it() {
    let mut panel = ready();
    panel.handle_selection("  the   tide\nrose ");
    assert_eq!(panel.view(0).chat.chip, "About: “the tide rose”");
    let asked = sent(type_and_ask(&mut panel, "How far?", "t1"));
    assert_eq!(asked.selection, "the   tide\nrose");
    assert_eq!(panel.view(0).chat.chip, "");
    assert_eq!(last(&panel).about, "About: “the tide rose”");
    write(&mut panel, "t1", "A metre.");
    panel.handle_answer("t1", end(), 6_000);
    let next = sent(type_and_ask(&mut panel, "And then?", "t2"));
    assert_eq!(next.selection, "");
    assert_eq!(next.passages, ["the   tide\nrose", ""]);
    panel.handle_answer("t2", end(), 6_000);
    panel.handle_edit("t1");
    assert_eq!(panel.view(0).chat.chip, "About: “the tide rose”");
    panel.handle_selection("");
    assert_eq!(panel.view(0).chat.chip, "");
}

#[test]
fn a_long_passage_is_cut_where_it_is_taken_and_where_it_is_shown() {
    let mut panel = ready();
    panel.handle_selection(&"é".repeat(Chat::MAX_SELECTION));
    assert!(panel.chat().unwrap().draft().selection.len() <= Chat::MAX_SELECTION);
    assert_eq!(panel.view(0).chat.chip, format!("About: “{}…”", "é".repeat(120)));
}

#[test]
fn a_question_too_long_stays_typed_and_says_so() {
    let mut panel = ready();
    panel.handle_draft(&"?".repeat(Chat::MAX_QUESTION + 1));
    assert!(panel.handle_ask("t1", 0).is_none());
    assert!(panel.view(0).chat.remark.contains("too long"));
    panel.handle_draft("?");
    assert_eq!(panel.view(0).chat.remark, "");
}

#[test]
fn the_oldest_turns_make_room_and_that_is_said() {
    let mut panel = ready();
    for number in 0..=Chat::MAX_TURNS {
        exchange(&mut panel, &format!("{number}?"), "Yes.", &format!("t{number}"));
    }
    let chat = panel.chat().unwrap();
    assert_eq!((chat.turns().len(), chat.forgotten()), (Chat::MAX_TURNS, 1));
    assert_eq!(chat.turns()[0].question(), "1?");
    assert!(panel.view(0).chat.forgotten.starts_with("The first question was removed"));
}

#[test]
fn what_is_sent_along_is_bounded_in_bytes() {
    let mut panel = ready();
    let long = "word ".repeat(Chat::MAX_BYTES / 15);
    for number in 0..5 {
        exchange(&mut panel, "?", &long, &format!("t{number}"));
    }
    let asked = sent(type_and_ask(&mut panel, "?", "last"));
    let bytes: usize = asked.messages.iter().map(|(_, words)| words.len()).sum();
    assert!(bytes <= Chat::MAX_BYTES && asked.messages.len() == 6, "{bytes}");
    assert_eq!(panel.chat().unwrap().forgotten(), 2);
}

#[test]
fn each_page_of_each_tab_keeps_its_chat_and_what_is_typed_there() {
    let mut panel = ready();
    exchange(&mut panel, "One?", "First.", "t1");
    panel.handle_draft("half a quest");
    let other = |id, url: &str| Tab { id, url: Some(url.to_owned()), title: None };
    panel.handle_tab(other(8, "https://elsewhere.example/"));
    assert!(panel.chat().is_none());
    panel.handle_draft("of another tab");
    panel.handle_tab(other(TAB, &format!("{URL}#chapter")));
    let chat = panel.chat().unwrap();
    assert_eq!((chat.turns().len(), chat.draft().text.as_str()), (1, "half a quest"));
    let next = page("https://www.example.org/next", "Next");
    panel.handle_page(TAB, next, "other text".to_owned(), "r2".to_owned(), 9_000);
    assert!(panel.chat().is_none(), "another page of the same tab");
    assert_eq!(sent(type_and_ask(&mut panel, "?", "t9")).content, "other text");
}

#[test]
fn an_answer_goes_on_while_another_tab_is_in_view() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    panel.handle_tab(Tab { id: 8, url: None, title: None });
    write(&mut panel, "t1", "Meanwhile");
    assert_eq!(panel.handle_chat_stop(6_000), None, "stop means what is in view");
    panel.handle_tab(Tab { id: TAB, url: Some(URL.to_owned()), title: None });
    assert_eq!(panel.chat().unwrap().turns()[0].answer().prose().source(), "Meanwhile");
}

#[test]
fn reading_the_page_again_keeps_the_chat_and_gives_it_the_new_text() {
    let mut panel = ready();
    exchange(&mut panel, "One?", "First.", "t1");
    panel.handle_read(TAB);
    panel.handle_page(TAB, page(URL, "The harbour"), "newer text".to_owned(), "r2".to_owned(), 9_000);
    let asked = sent(type_and_ask(&mut panel, "Two?", "t2"));
    assert_eq!((asked.content.as_str(), asked.messages.len()), ("newer text", 2));
}

#[test]
fn a_closed_tab_takes_its_chat_along_and_names_the_port_to_close() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    assert_eq!(panel.handle_tab_removed(TAB), ["r1", "t1"]);
    assert!(panel.chat().is_none());
}

#[test]
fn chats_are_bounded_and_one_that_is_answered_stays() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    for number in 0..30 {
        panel.handle_tab(Tab { id: 100 + number, url: Some(format!("https://example.org/{number}")), title: None });
        panel.handle_draft("typed");
    }
    panel.handle_tab(Tab { id: TAB, url: Some(URL.to_owned()), title: None });
    assert_eq!(panel.chat().unwrap().turns()[0].question(), "One?");
    panel.handle_tab(Tab { id: 100, url: Some("https://example.org/0".to_owned()), title: None });
    assert!(panel.chat().is_none(), "the oldest idle one made room");
}

#[test]
fn an_answer_links_to_what_its_own_run_found_and_to_what_stands_on_the_page() {
    let mut panel = panel(anthropic());
    let mut read = page(URL, "The harbour");
    read.links.insert("https://port.example/report");
    panel.handle_page(TAB, read, "text".to_owned(), "r1".to_owned(), 0);
    exchange(&mut panel, "One?", "x", "t1");
    type_and_ask(&mut panel, "Two?", "t2");
    let sources = vec![Source { url: "https://study.example/a/?b=1#part".to_owned(), title: String::new() }];
    panel.handle_answer("t2", WorkerToPanel::Sources { sources }, 6_000);
    let chat = panel.chat().unwrap();
    let may = |turn: usize, address: &str| panel.link(chat, &chat.turns()[turn], address).is_some();
    for turn in [0, 1] {
        assert!(may(turn, "https://port.example/report/"));
        assert!(!may(turn, "https://port.example/other"));
        assert!(!may(turn, "javascript:alert(1)"));
    }
    assert!(may(1, "HTTPS://study.example/a/?b=1") && !may(0, "https://study.example/a/?b=1"));
    assert!(!may(1, "https://study.example/a/?b=2"));
}

#[test]
fn tokens_and_cost_stand_below_the_answer() {
    let priced = json!({
        "provider": "anthropic", "anthropicKey": "sk-ant-of-nobody", "anthropicModel": "m",
        "anthropicInputPrice": 3, "anthropicOutputPrice": 15
    });
    let mut panel = reading(settings(priced));
    type_and_ask(&mut panel, "One?", "t1");
    assert_eq!(last(&panel).meta, "");
    write(&mut panel, "t1", "Yes.");
    let usage = Usage { input_tokens: 1_000, output_tokens: 500, cache_read_tokens: 91, cache_write_tokens: 0 };
    panel.handle_answer("t1", WorkerToPanel::Done { stop_reason: None, truncated: false, usage: Some(usage) }, 6_000);
    assert_eq!(last(&panel).meta, "m · 1,091 tokens in · 500 out · $0.011");
}

#[test]
fn leave_is_asked_for_in_words_and_can_be_declined() {
    let mut panel = ready();
    type_and_ask(&mut panel, "One?", "t1");
    fail(&mut panel, "t1", ErrorCode::NeedsConsent);
    assert_eq!(offers(&last(&panel)), [TurnAction::AllowProxy, TurnAction::DeclineProxy, TurnAction::Edit]);
    panel.handle_chat_consent_declined("t1");
    assert_eq!(offers(&last(&panel)), [TurnAction::Retry, TurnAction::Edit]);
}

#[test]
fn one_status_says_how_the_answer_stands() {
    let mut panel = ready();
    assert_eq!(panel.view(0).chat.live, "");
    type_and_ask(&mut panel, "One?", "t1");
    let view = panel.view(8_200).chat;
    assert_eq!((view.live.as_str(), view.elapsed.as_str(), view.running), ("Generating", "3 s", true));
    let label = WorkerToPanel::ToolCall {
        name: "web_search".to_owned(),
        label: "Searching the web...".to_owned(),
        url: String::new(),
    };
    panel.handle_answer("t1", label, 6_000);
    assert_eq!(panel.view(6_000).chat.progress, "Searching the web…");
    write(&mut panel, "t1", "Yes");
    assert_eq!(panel.view(6_000).chat.progress, "Generating…");
    panel.handle_answer("t1", end(), 6_000);
    assert_eq!(panel.view(6_000).chat.live, "Complete");
    assert_eq!(panel.view(6_000).chat.progress, "");
}

#[test]
fn tools_are_counted_by_their_label_and_bounded() {
    let mut answer = Answer::default();
    let call =
        |label: &str| WorkerToPanel::ToolCall { name: String::new(), label: label.to_owned(), url: String::new() };
    answer.handle_event(call("Searching the web..."));
    answer.handle_event(call("Fetching URL..."));
    answer.handle_event(call("Searching the web..."));
    assert_eq!(answer.tools(), [("Searching the web...".to_owned(), 2), ("Fetching URL...".to_owned(), 1)]);
    for number in 0..100 {
        answer.handle_event(call(&format!("Fetching {number}")));
    }
    assert_eq!(answer.tools().len(), Answer::MAX_TOOLS);
    assert_eq!(answer.run(), &Run::Running("Fetching 99".to_owned()), "the last is always shown");
}

#[test]
fn thinking_is_kept_beside_the_answer_up_to_its_bound() {
    let mut answer = Answer::default();
    let think = |text: String| WorkerToPanel::ThinkingDelta { text };
    answer.handle_event(think("Let me see.".to_owned()));
    assert_eq!((answer.thinking(), answer.prose().source()), ("Let me see.", ""));
    assert!(!answer.is_thinking_cut());
    answer.handle_event(think("é".repeat(Answer::MAX_THINKING)));
    assert!(answer.thinking().len() <= Answer::MAX_THINKING && answer.is_thinking_cut());
}

#[test]
fn an_unfolded_thought_stays_the_choice_for_the_next() {
    let mut panel = ready();
    assert!(!panel.shows_thinking());
    panel.handle_thinking_shown(true);
    assert!(panel.shows_thinking());
}
