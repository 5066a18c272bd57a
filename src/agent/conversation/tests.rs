//! The loop as its run sees it: scripted answers in, requests and events out.

use crate::reading::prompt;
use serde_json::json;

use super::*;
use crate::provider::{ToolResult, Tools};
use crate::wire::{ProviderConfig, ProviderId};

const NOW: u64 = 1_000_000;
const PAGE: &str = "The page. PAGE LINKS:\n- one: https://one.example/a\n- two: https://two.example/";

/// A conversation and everything it said.
struct Talk {
    conversation: Conversation,
    now: u64,
    events: Vec<ConversationEvent>,
    read: usize,
}

impl Talk {
    fn with(id: ProviderId, base_url: &str, limits: Limits) -> Self {
        let config =
            ProviderConfig { key: "sk-0123456789".into(), model: "m".into(), base_url: base_url.into(), price: None };
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
        let mut talk = Self { conversation, now: NOW, events: Vec::new(), read: 0 };
        talk.conversation.start(talk.now, &mut talk.events);
        talk
    }

    fn anthropic() -> Self {
        Self::with(ProviderId::Anthropic, "", Limits::PROSE)
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
        self
    }

    fn page(&mut self, number: u32, page: Result<FetchedPage, String>) -> &mut Self {
        self.conversation.handle_page(number, page, self.now, &mut self.events);
        self
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
        } else if let ConversationEvent::ToolCall { name, label } = event {
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
fn a_paused_turn_is_submitted_again_unchanged_and_goes_on() {
    let search = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}});
    let more = json!({"type": "text", "text": "More."});
    let mut talk = Talk::anthropic();
    talk.answer(&blocks(std::slice::from_ref(&search), "pause_turn"));
    assert_eq!(talk.body()["messages"][1], json!({"role": "assistant", "content": [search]}));
    talk.answer(&blocks(std::slice::from_ref(&more), "pause_turn"));
    let messages = talk.body()["messages"].clone();
    assert_eq!(messages.as_array().unwrap().len(), 2, "one turn, however often it paused");
    assert_eq!(messages[1]["content"], json!([search, more]));
    assert!(!talk.events.contains(&ConversationEvent::NextStep));
    talk.answer(&blocks(&[json!({"type": "text", "text": " End."})], "end_turn"));
    assert_eq!(talk.text(), "More. End.");
    assert_eq!(talk.finished().0, StopReason::EndTurn);
}

#[test]
fn what_the_model_said_goes_back_as_it_came() {
    let delta = |index: usize, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let start =
        |index: usize, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let citation = json!({"type": "web_search_result_location", "url": "https://f.example/", "title": "F", "encrypted_index": "Eo8B=="});
    let result = json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": [
        {"type": "web_search_result", "url": "https://f.example/", "title": "F", "encrypted_content": "Abc+/=", "page_age": null}]});
    let redacted = json!({"type": "redacted_thinking", "data": "EmwKAhgB"});
    let body = sse(&[
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Hm, "})),
        delta(0, json!({"type": "thinking_delta", "thinking": "so."})),
        delta(0, json!({"type": "signature_delta", "signature": "EvQB"})),
        start(1, redacted.clone()),
        start(2, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"query\": \"a"})),
        delta(2, json!({"type": "input_json_delta", "partial_json": " b\"}"})),
        start(3, result.clone()),
        start(4, json!({"type": "text", "text": "", "citations": []})),
        delta(4, json!({"type": "text_delta", "text": "Gr"})),
        delta(4, json!({"type": "citations_delta", "citation": citation})),
        delta(4, json!({"type": "text_delta", "text": "üße"})),
        start(5, json!({"type": "text", "text": ""})),
        start(6, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(6, json!({"type": "thinking_delta", "thinking": "cut off, unsigned"})),
        start(7, json!({"type": "thinking", "thinking": "", "signature": "signed without words"})),
        start(8, json!({"type": "tool_use", "id": "a", "name": "fetch_url", "input": {}})),
        delta(8, json!({"type": "input_json_delta", "partial_json": ""})),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ]);
    let expect = json!([
        {"type": "thinking", "thinking": "Hm, so.", "signature": "EvQB"},
        redacted,
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "a b"}},
        result,
        {"type": "text", "text": "Grüße", "citations": [citation]},
        {"type": "thinking", "thinking": "", "signature": "signed without words"},
        {"type": "tool_use", "id": "a", "name": "fetch_url", "input": {}},
    ]);
    for size in [1, 7, body.len()] {
        let mut talk = Talk::anthropic();
        talk.conversation.handle_head(1, &ResponseHead { status: 200, ..ResponseHead::default() });
        for chunk in body.as_bytes().chunks(size) {
            talk.conversation.handle_chunk(1, chunk, NOW, &mut talk.events);
        }
        assert_eq!(talk.body()["messages"][1], json!({"role": "assistant", "content": expect}), "in pieces of {size}");
    }
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

#[test]
fn compatible_servers_are_offered_no_search() {
    for id in [ProviderId::Anthropic, ProviderId::Openai] {
        let talk = Talk::with(id, "http://127.0.0.1:8080", Limits::PROSE);
        let body = talk.body().to_string();
        assert!(body.contains("fetch_url") && !body.contains("web_search"), "{body}");
        assert!(!body.contains("Search the web"));
    }
}

/// A round trip over chat completions.
#[test]
fn chat_completions_go_on_with_calls_results_and_reasoning() {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let tool = |index: u32, id: &str, url: &str| json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": {"name": "fetch_url", "arguments": json!({"url": url}).to_string()}}]});
    let mut talk = Talk::with(ProviderId::Openai, "http://127.0.0.1:8080", Limits::PROSE);
    talk.answer(&sse(&[
        chunk(json!({"reasoning_content": "I look "})),
        chunk(json!({"reasoning_content": "at both."})),
        chunk(tool(0, "x", "https://one.example/a")),
        chunk(tool(1, "", "https://two.example/")),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}),
    ]));
    assert!(talk.events.contains(&ConversationEvent::Thinking("I look at both.".into())));
    talk.page(2, page("https://one.example/a", "One.")).page(3, Err("no".into()));
    let messages = talk.body()["messages"].clone();
    let function = |url: &str| json!({"name": "fetch_url", "arguments": json!({"url": url}).to_string()});
    assert_eq!(
        messages[2],
        json!({"role": "assistant", "content": null, "reasoning_content": "I look at both.", "tool_calls": [
        {"id": "x", "type": "function", "function": function("https://one.example/a")},
        {"id": "call_2", "type": "function", "function": function("https://two.example/")}]})
    );
    assert_eq!((&messages[3]["role"], &messages[3]["tool_call_id"]), (&json!("tool"), &json!("x")));
    assert_eq!(
        messages[4],
        json!({"role": "tool", "tool_call_id": "call_2", "content": "Could not fetch URL (https://two.example/): no"})
    );
    talk.answer(&sse(&[
        chunk(json!({"content": "Done."})),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
    ]));
    assert_eq!(talk.text(), "Done.");
    assert_eq!(
        talk.finished(),
        (StopReason::EndTurn, Some(Usage { input_tokens: 5, output_tokens: 2, ..Usage::default() }))
    );
}

/// OpenRouter, which checks that the reasoning of the model behind it comes back as it was.
#[test]
fn reasoning_details_go_back_as_one_list_with_their_signatures() {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let text = |index: u32, more: Value| {
        let mut piece = json!({"type": "reasoning.text", "format": "anthropic-claude-v1", "index": index});
        piece.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        chunk(json!({"reasoning": piece["text"], "reasoning_details": [piece]}))
    };
    let sealed = |data: &str| json!({"type": "reasoning.encrypted", "data": data, "id": "rs_1", "index": 1});
    let mut talk = Talk::with(ProviderId::Openai, "https://openrouter.ai/api/v1", Limits::PROSE);
    talk.answer(&sse(&[
        text(0, json!({"text": "I look "})),
        text(0, json!({"text": "at both.", "signature": null})),
        text(0, json!({"text": "", "signature": "c2ln"})),
        chunk(json!({"reasoning_details": [sealed("AAAA"), sealed("BBBB")]})),
        chunk(json!({"reasoning_details": [{"type": "reasoning.summary", "summary": "Both ", "index": 2}]})),
        chunk(json!({"reasoning_details": [{"type": "reasoning.summary", "summary": "pages.", "index": 2}]})),
        chunk(json!({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "fetch_url", "arguments": "{\"url\":\"https://one.example/a\"}"}}]})),
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
    ]));
    assert!(talk.events.contains(&ConversationEvent::Thinking("I look at both.".into())));
    talk.page(2, page("https://one.example/a", "One."));
    let details = &talk.body()["messages"][2]["reasoning_details"];
    let whole = json!({"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0,
        "text": "I look at both.", "signature": "c2ln"});
    let summary = json!({"type": "reasoning.summary", "summary": "Both pages.", "index": 2});
    assert_eq!(*details, json!([whole, sealed("AAAA"), sealed("BBBB"), summary]));
}

/// A round trip over the Responses API.
#[test]
fn responses_go_on_with_every_item_and_encrypted_reasoning() {
    let items = [
        json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAA=="}),
        json!({"id": "rs_2", "type": "reasoning", "summary": []}),
        json!({"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q",
            "sources": [{"type": "url", "url": "https://found.example/"}]}}),
        json!({"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "fetch_url", "arguments": "{\"url\":\"https://found.example/\"}"}),
        json!({"id": "fc_2", "type": "function_call", "call_id": "c2", "name": "other", "arguments": "{broken"}),
    ];
    let mut events = Vec::new();
    for (index, item) in items.iter().enumerate() {
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": {"type": item["type"], "call_id": item["call_id"], "name": item["name"]}}));
        if item["type"] == "function_call" {
            events.push(
                json!({"type": "response.function_call_arguments.delta", "output_index": index, "delta": "{\"u"}),
            );
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    events.push(json!({"type": "response.completed", "response": {"status": "completed", "error": null, "usage": {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 3}}}}));
    let mut talk = Talk::with(ProviderId::Openai, "", Limits::PROSE);
    let body = talk.body();
    assert_eq!(
        (&body["store"], &body["tools"][0]["type"], &body["tools"][1]["name"]),
        (&json!(false), &json!("web_search"), &json!("fetch_url"))
    );
    talk.answer(&sse(&events));
    assert_eq!(talk.pages(), [(2, "https://found.example/")]);
    talk.page(2, page("https://found.example/", "Found."));
    let input = talk.body()["input"].clone();
    assert_eq!([&input[1], &input[2], &input[3], &input[4]], [&items[0], &items[2], &items[3], &items[4]]);
    assert_eq!((&input[5]["type"], &input[5]["call_id"]), (&json!("function_call_output"), &json!("c1")));
    assert_eq!(
        input[6],
        json!({"type": "function_call_output", "call_id": "c2", "output": "There is no tool named “other”."})
    );
    let text = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Done."});
    let end = json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}});
    talk.answer(&sse(&[text, end]));
    assert_eq!(
        talk.finished(),
        (
            StopReason::MaxTokens,
            Some(Usage { input_tokens: 6, output_tokens: 4, cache_read_tokens: 3, cache_write_tokens: 0 })
        )
    );
}

#[test]
fn a_result_names_its_tool_for_providers_that_want_it() {
    let calls = vec![ToolCall { id: String::new(), name: "other".into(), input: json!({}) }];
    let mut run = ToolRun::new(calls, Tools::default(), 0, &mut |_| true);
    let expect = ToolResult {
        id: String::new(),
        name: "other".into(),
        text: "There is no tool named “other”.".into(),
        is_error: true,
    };
    assert_eq!(run.take_results(), Some(vec![expect]));
}
