//! Pages that are fetched for the model, and the sources they make.

use super::*;

#[test]
fn only_so_many_pages_are_fetched_at_a_time() {
    let calls: Vec<Value> = (0..10).map(|n| call(&n.to_string(), "https://one.example/a")).collect();
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(&calls, "tool_use"));
    let open = talk.conversation.open_fetches();
    assert_eq!(open.len(), 8);
    for number in open {
        talk.page(number, page("https://one.example/a", "x"));
    }
    let sent = results(&talk.body());
    assert_eq!(sent.iter().filter(|(_, failed, _)| *failed).count(), 2);
    assert!(sent[9].2.contains("Only 8 pages"));
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
    talk.page(2, page("https://one.example/a", "Go to https://next.example/x"));
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
    for (number, url) in [(4, "https://next.example/x"), (5, "https://one.example/a")] {
        talk.page(number, page(url, "x"));
    }
    assert!(results(&talk.body())[1].2.contains("neither on the page"));
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
