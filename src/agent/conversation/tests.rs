//! The loop as its run sees it: scripted answers in, requests and events out.

use crate::reading::prompt;
use serde_json::json;

use super::*;
use crate::agent::{Decision, UrlAllowlist};
use crate::provider::{ToolResult, Tools};
use crate::wire::{OpenLinks, ProviderConfig, ProviderId};

mod dialects;
mod fetching;

const NOW: u64 = 1_000_000;
const PAGE: &str = "The page. PAGE LINKS:\n- one: https://one.example/a\n- two: https://two.example/";

/// A conversation and everything it said.
struct Talk {
    conversation: Conversation,
    allowlist: UrlAllowlist,
    now: u64,
    events: Vec<ConversationEvent>,
    read: usize,
    /// How many events the run has seen.
    seen: usize,
}

impl Talk {
    fn with(id: ProviderId, base_url: &str, limits: Limits) -> Self {
        let config = ProviderConfig {
            key: "sk-0123456789".into(),
            model: "m".into(),
            base_url: base_url.into(),
            ..ProviderConfig::default()
        };
        let route = Route::new(id, config);
        let text = prompt::analysis("", "", PAGE, prompt::Means::Search, &prompt::Instructions::UNCHANGED);
        let prompt = Prompt {
            system: text.system,
            turns: vec![Turn::User("Go.".into())],
            max_tokens: 8000,
            tools: Tools { web_search: true, fetch_url: true },
            schema: "",
        };
        let conversation = Conversation::new(route, prompt, limits, 7);
        let named = ["https://one.example/a", "https://two.example/"].map(str::to_owned);
        let allowlist = UrlAllowlist::new(OpenLinks::Always, &named, "", 0);
        let mut talk = Self { conversation, allowlist, now: NOW, events: Vec::new(), read: 0, seen: 0 };
        talk.conversation.start(talk.now, &mut talk.events);
        talk
    }

    fn anthropic() -> Self {
        Self::with(ProviderId::Anthropic, "", Limits::PROSE)
    }

    /// Does what a run does with the pages that are wanted.
    fn decide(&mut self) -> &mut Self {
        while let Some(event) = self.events.get(self.seen).cloned() {
            self.seen += 1;
            if let ConversationEvent::WantPage(number, url) = event {
                match self.allowlist.decide(&url) {
                    Decision::Open => self.conversation.open_page(number, self.now, &mut self.events),
                    Decision::Refuse(reason) => {
                        self.conversation.handle_page(number, Err(reason.to_owned()), self.now, &mut self.events);
                    }
                    Decision::Ask => {}
                }
            } else if let ConversationEvent::SearchResults(results) = event {
                self.allowlist.add_search_results(&results);
            } else if let ConversationEvent::Links(links) = event {
                self.allowlist.add_links(&links);
            }
        }
        self
    }

    /// Events since the last look.
    fn news(&mut self) -> Vec<ConversationEvent> {
        let news = self.events[self.read..].to_vec();
        self.read = self.events.len();
        news
    }

    fn fetch(&self) -> u32 {
        self.fetches().last().expect("something was fetched").0
    }

    fn fetches(&self) -> Vec<(u32, Value)> {
        let fetch = |event: &ConversationEvent| {
            let ConversationEvent::Fetch(number, request) = event else { return None };
            Some((*number, serde_json::from_str(&request.body).unwrap()))
        };
        self.events.iter().filter_map(fetch).collect()
    }

    fn pages(&self) -> Vec<(u32, &str)> {
        let mut pages = Vec::new();
        for event in &self.events {
            if let ConversationEvent::FetchPage(number, url) = event {
                pages.push((*number, url.as_str()));
            }
        }
        pages
    }

    fn body(&self) -> Value {
        self.fetches().pop().unwrap().1
    }

    /// Answers the fetch under way.
    fn answer(&mut self, body: &str) -> &mut Self {
        self.respond(200, body)
    }

    fn respond(&mut self, status: u16, body: &str) -> &mut Self {
        let number = self.fetch();
        self.conversation.handle_head(number, &ResponseHead { status, ..ResponseHead::default() });
        self.conversation.handle_chunk(number, body.as_bytes(), self.now, &mut self.events);
        self.conversation.handle_end(number, self.now, &mut self.events);
        self.decide()
    }

    fn page(&mut self, number: u32, page: Result<FetchedPage, String>) -> &mut Self {
        self.conversation.handle_page(number, page, self.now, &mut self.events);
        self.decide()
    }

    fn wait(&mut self) -> &mut Self {
        self.now = self.conversation.deadline().expect("something is due");
        self.conversation.handle_timeout(self.now, &mut self.events);
        self
    }

    fn text(&self) -> String {
        self.events
            .iter()
            .filter_map(|e| if let ConversationEvent::Text(text) = e { Some(text.as_str()) } else { None })
            .collect()
    }

    #[track_caller]
    fn finished(&self) -> (StopReason, Option<Usage>) {
        assert!(self.conversation.deadline().is_none() && self.conversation.open_fetches().is_empty());
        match self.events.last() {
            Some(ConversationEvent::Finished(reason, usage)) => (*reason, *usage),
            other => panic!("not finished but {other:?}"),
        }
    }

    #[track_caller]
    fn failed(&self) -> &ReadingError {
        match self.events.last() {
            Some(ConversationEvent::Failed(error)) => error,
            other => panic!("not failed but {other:?}"),
        }
    }
}

fn sse(events: &[Value]) -> String {
    events.iter().fold(String::new(), |stream, event| stream + &format!("data: {event}\n\n"))
}

/// An answer of Anthropic's out of whole content blocks.
fn blocks(content: &[Value], stop_reason: &str) -> String {
    let mut events =
        vec![json!({"type": "message_start", "message": {"usage": {"input_tokens": 10, "output_tokens": 1}}})];
    for (index, block) in content.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 5}}));
    events.push(json!({"type": "message_stop"}));
    sse(&events)
}

fn call(id: &str, url: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "fetch_url", "input": {"url": url}})
}

#[allow(clippy::unnecessary_wraps, reason = "as the shell hands a page over")]
fn page(url: &str, text: &str) -> Result<FetchedPage, String> {
    Ok(FetchedPage {
        url: url.into(),
        status: 200,
        content_type: "text/plain".into(),
        body: text.into(),
        is_cut: false,
    })
}

/// Ids and failures of the results in a request to Anthropic.
fn results(body: &Value) -> Vec<(String, bool, String)> {
    let last = body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "user");
    let result = |block: &Value| {
        assert_eq!(block["type"], "tool_result");
        let text = |name: &str| block[name].as_str().unwrap().to_owned();
        (text("tool_use_id"), block["is_error"].as_bool().unwrap(), text("content"))
    };
    last["content"].as_array().unwrap().iter().map(result).collect()
}

#[test]
fn several_tools_in_one_turn_run_at_once_and_are_answered_in_order() {
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(
        &[
            json!({"type": "text", "text": "Let me look."}),
            call("a", "https://one.example/a"),
            json!({"type": "tool_use", "id": "b", "name": "rm_rf", "input": {}}),
            call("c", "https://two.example/"),
            call("d", "http://127.0.0.1/"),
        ],
        "tool_use",
    ));
    assert_eq!(talk.pages(), [(2, "https://one.example/a"), (3, "https://two.example/")]);
    assert_eq!(talk.conversation.open_fetches(), [2, 3]);
    // The second comes first, and nothing is asked before the last.
    talk.page(3, page("https://two.example/", "Two.")).page(3, page("https://two.example/", "Twice."));
    assert_eq!(talk.fetches().len(), 1);
    talk.page(2, Err("no answer".into()));
    let sent = results(&talk.body());
    assert_eq!(
        sent.iter().map(|(id, failed, _)| (id.as_str(), *failed)).collect::<Vec<_>>(),
        [("a", true), ("b", true), ("c", false), ("d", true)]
    );
    assert_eq!(sent[0].2, "Could not fetch URL (https://one.example/a): no answer");
    assert_eq!(sent[1].2, "There is no tool named “rm_rf”.");
    assert!(sent[2].2.contains("Two.") && !sent[2].2.contains("Twice."));
    talk.answer(&blocks(&[json!({"type": "text", "text": "Done."})], "end_turn"));
    assert_eq!(talk.text(), "Let me look.\n\nDone.");
    let usage = Usage { input_tokens: 20, output_tokens: 10, ..Usage::default() };
    assert_eq!(talk.finished(), (StopReason::EndTurn, Some(usage)));
}

#[test]
fn progress_is_told_in_the_words_readers_know() {
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(
        &[
            json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}),
            json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [
                {"type": "web_search_result", "url": "https://found.example/", "title": "Found"}]}),
            call("a", "https://found.example/"),
        ],
        "tool_use",
    ));
    talk.page(2, page("https://found.example/", "Words."));
    let mut told = Vec::new();
    for event in talk.news() {
        if let ConversationEvent::Status(label) = event {
            told.push(label);
        } else if let ConversationEvent::ToolCall { name, label, .. } = event {
            told.push(format!("{name}: {label}"));
        } else if let ConversationEvent::Sources(sources) = event {
            told.push(format!("source {}", sources[0].url));
        }
    }
    assert_eq!(
        told,
        [
            "web_search: Searching the web...",
            "Processing search results...",
            "source https://found.example/",
            "fetch_url: Fetching URL...",
            "Fetching: https://found.example/",
            "Continuing research (step 2)...",
        ]
    );
}

#[test]
fn an_answer_that_asks_for_tools_to_the_end_ends_at_the_bound() {
    for (limits, label) in
        [(Limits::PROSE, "Continuing research (step 12)..."), (Limits::HIGHLIGHTS, "Verifying sources (step 4)...")]
    {
        let mut talk = Talk::with(ProviderId::Anthropic, "", limits);
        for _ in 1..limits.steps {
            talk.answer(&blocks(&[json!({"type": "tool_use", "id": "a", "name": "nothing", "input": {}})], "tool_use"));
        }
        assert_eq!(talk.fetches().len(), limits.steps as usize);
        assert!(talk.events.contains(&ConversationEvent::Status(label.to_owned())));
        talk.answer(&blocks(&[json!({"type": "tool_use", "id": "a", "name": "nothing", "input": {}})], "tool_use"));
        assert_eq!(talk.finished().0, StopReason::ToolUse);
        assert!(!talk.finished().0.is_complete(), "an end at a bound is told as one");
    }
    let mut talk = Talk::with(ProviderId::Anthropic, "", Limits::HIGHLIGHTS);
    for _ in 0..4 {
        talk.answer(&blocks(&[json!({"type": "text", "text": "x"})], "pause_turn"));
    }
    assert_eq!(talk.finished().0, StopReason::PauseTurn);
}

#[test]
fn an_answer_cut_at_its_limit_runs_no_tools() {
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(&[call("a", "https://one.example/a")], "max_tokens"));
    assert_eq!(talk.finished().0, StopReason::MaxTokens);
    assert_eq!(talk.pages(), []);
}

#[test]
fn a_later_step_is_tried_again_until_it_has_said_something() {
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(&[json!({"type": "text", "text": "First."}), call("a", "x")], "tool_use"));
    talk.respond(529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
    while talk.fetches().len() < 3 {
        talk.wait();
    }
    let labels =
        talk.events.iter().filter(|e| **e == ConversationEvent::Status("Continuing research (step 2)...".into()));
    assert_eq!(labels.count(), 2, "shown again when the wait is over");
    // Overloaded in the middle of the stream, behind text: what is there stays, and nobody asks again.
    let text = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Second."}});
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    talk.answer(&sse(&[text, error]));
    assert_eq!((talk.failed().code, talk.failed().retryable), (ErrorCode::Overloaded, true));
    assert_eq!(talk.text(), "First.\n\nSecond.");
}

#[test]
fn a_later_step_that_stalls_or_is_cut_is_an_error() {
    let step = blocks(&[call("a", "x")], "tool_use");
    let mut talk = Talk::anthropic();
    talk.answer(&step);
    let number = talk.fetch();
    let bytes = b"data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"Hm\"}}\n\n";
    talk.conversation.handle_head(number, &ResponseHead { status: 200, ..ResponseHead::default() });
    talk.conversation.handle_chunk(number, bytes, talk.now, &mut talk.events);
    talk.wait();
    assert_eq!(talk.failed().code, ErrorCode::Stalled);
    assert!(talk.events.contains(&ConversationEvent::Abort(number)));

    let mut talk = Talk::anthropic();
    talk.answer(&step).answer(std::str::from_utf8(bytes).unwrap());
    assert_eq!(talk.failed().code, ErrorCode::Truncated);
}

#[test]
fn answers_that_weigh_too_much_end_the_loop() {
    let heavy = json!({"type": "redacted_thinking", "data": "x".repeat(900_000)});
    let mut talk = Talk::anthropic();
    for _ in 0..4 {
        talk.answer(&blocks(&[heavy.clone(), call("a", "x")], "tool_use"));
    }
    assert_eq!(talk.fetches().len(), 5);
    talk.answer(&blocks(&[heavy, call("a", "x")], "tool_use"));
    assert_eq!(talk.failed().code, ErrorCode::Overflow);
}

#[test]
fn a_server_that_refuses_a_tool_is_asked_without_it_and_without_asking_for_what_it_brings() {
    let mut talk = Talk::anthropic();
    assert_eq!(talk.body()["tools"][0]["type"], "web_search_20250305");
    assert!(talk.body()["system"][0]["text"].as_str().unwrap().contains("Search the web"));
    talk.respond(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"Web search is not enabled for this organization."}}"#,
    );
    let body = talk.body();
    assert_eq!(body["tools"].as_array().unwrap().len(), 1);
    assert!(!body["system"][0]["text"].as_str().unwrap().contains("Search the web"));
    talk.respond(400, r#"{"error":{"message":"this model does not support tools"}}"#);
    let body = talk.body();
    assert_eq!(body.get("tools"), None);
    assert!(body["system"][0]["text"].as_str().unwrap().contains("write no links"));
    talk.answer(&blocks(&[json!({"type": "text", "text": "Plain."})], "end_turn"));
    assert_eq!(talk.finished().0, StopReason::EndTurn);
}
