//! Pages that are fetched for the model, and the sources they make.

use super::*;

#[test]
fn every_call_has_its_result_however_many_there_are() {
    let calls: Vec<Value> = (0..40).map(|n| call(&n.to_string(), "https://one.example/a")).collect();
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(&calls, "tool_use"));
    let open = talk.conversation.open_fetches();
    assert_eq!(open.len(), 3, "of a site that only the page names");
    for number in open {
        talk.page(number, page("https://one.example/a", "x"));
    }
    let sent = results(&talk.body());
    assert_eq!(sent.len(), 40);
    assert!(sent[3].2.contains("at most 3 addresses of a site"), "{}", sent[3].2);
    assert_eq!(sent[39].2, "Only 32 calls are served at a time.");
}

#[test]
fn a_page_waits_for_permission_and_its_time_begins_then() {
    let mut talk = Talk::anthropic();
    talk.allowlist = UrlAllowlist::new(OpenLinks::Ask, &["https://one.example/a".to_owned()], "", 0);
    talk.answer(&blocks(&[call("a", "https://one.example/a")], "tool_use"));
    assert_eq!((talk.pages().len(), talk.conversation.open_fetches().len()), (0, 0));
    assert_eq!(talk.conversation.deadline(), Some(NOW + 600_000));
    talk.now += 60_000;
    talk.conversation.open_page(2, talk.now, &mut talk.events);
    assert_eq!(talk.conversation.deadline(), Some(NOW + 70_000));
    talk.page(2, page("https://one.example/a", "One."));
    assert!(results(&talk.body())[0].2.contains("One."));

    let mut silent = Talk::anthropic();
    silent.allowlist = UrlAllowlist::new(OpenLinks::Ask, &["https://one.example/a".to_owned()], "", 0);
    silent.answer(&blocks(&[call("a", "https://one.example/a")], "tool_use")).wait();
    assert!(results(&silent.body())[0].2.contains("did not say whether"));
    silent.conversation.open_page(2, silent.now, &mut silent.events);
    assert_eq!(silent.pages(), [], "too late");
}

#[test]
fn a_page_that_does_not_come_is_given_up_after_ten_seconds() {
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(&[call("a", "https://one.example/a"), call("b", "https://two.example/")], "tool_use"));
    talk.page(2, page("https://one.example/a", "One."));
    talk.wait();
    assert_eq!(talk.now, NOW + 10_000);
    assert!(talk.events.contains(&ConversationEvent::Abort(3)));
    let sent = results(&talk.body());
    assert!(!sent[0].1 && sent[1].1);
    assert!(sent[1].2.contains("took longer than 10 seconds"));
    let asked = talk.fetches().len();
    talk.page(3, page("https://two.example/", "Late."));
    assert_eq!(talk.fetches().len(), asked, "what comes late changes nothing");
}

#[test]
fn an_address_out_of_a_fetched_page_or_a_search_may_follow_and_an_invented_one_may_not() {
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(&[call("a", "https://one.example/a")], "tool_use"));
    talk.page(2, page("https://one.example/a", "Go to https://next.example/x and read."));
    talk.answer(&blocks(
        &[
            call("b", "https://next.example/x"),
            call("c", "https://next.example/x?q=words"),
            call("d", "https://one.example/a"),
        ],
        "tool_use",
    ));
    assert_eq!(
        talk.pages()[1..].iter().map(|(_, url)| *url).collect::<Vec<_>>(),
        ["https://next.example/x", "https://one.example/a"]
    );
    for (number, url) in [(4, "https://next.example/x"), (6, "https://one.example/a")] {
        talk.page(number, page(url, "x"));
    }
    assert!(results(&talk.body())[1].2.contains("exactly as it stands there"));
}

#[test]
fn each_source_is_told_once() {
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(&[call("a", "https://one.example/a")], "tool_use"))
        .page(2, page("https://one.example/a/", "x"));
    talk.answer(&blocks(&[call("b", "https://one.example/a")], "tool_use")).page(4, page("https://one.example/a", "x"));
    let sources = talk.events.iter().filter(|event| matches!(event, ConversationEvent::Sources(_))).count();
    assert_eq!(sources, 1);
}
