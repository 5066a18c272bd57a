use super::*;
use crate::provider::decoder::{Decoder, ResponseHead};
use crate::provider::{Quirks, request};
use crate::wire::{ProviderConfig, ProviderId, Source};
use proptest::prelude::*;

const KEY: &str = "AIza-test-0123456789";

/// Everything an answer said, in order, pieces of text and thinking joined.
fn decode<'a>(status: u16, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    let mut decoder =
        Decoder::new(ProviderId::Gemini, &ProviderConfig { key: KEY.into(), ..ProviderConfig::default() });
    let url = "https://generativelanguage.googleapis.com/v1beta".to_owned();
    decoder.handle_head(&ResponseHead { status, url, ..ResponseHead::default() });
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.handle_chunk(chunk, &mut events);
    }
    decoder.handle_end(&mut events);
    let mut joined: Vec<ModelEvent> = Vec::new();
    for event in events {
        match (joined.last_mut(), event) {
            (Some(ModelEvent::Text(all)), ModelEvent::Text(text))
            | (Some(ModelEvent::Thinking(all)), ModelEvent::Thinking(text)) => all.push_str(&text),
            (_, event) => joined.push(event),
        }
    }
    joined
}

/// A body says the same whole, byte by byte and cut in two at every place.
#[track_caller]
fn check(body: &str, expect: &[ModelEvent]) {
    assert_eq!(decode(200, [body.as_bytes()]), expect, "{body}");
    assert_eq!(decode(200, body.as_bytes().chunks(1)), expect, "byte by byte: {body}");
    for at in 0..body.len() {
        let (one, other) = body.as_bytes().split_at(at);
        assert_eq!(decode(200, [one, other]), expect, "cut at {at}: {body}");
    }
}

fn stream(chunks: &[Value]) -> String {
    chunks.iter().fold(String::new(), |body, chunk| body + &format!("data: {chunk}\r\n\r\n"))
}

fn parts(parts: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"content": {"role": "model"}, "finishReason": reason}],
           "usageMetadata": {"promptTokenCount": 10, "cachedContentTokenCount": 4, "toolUsePromptTokenCount": 3,
                             "candidatesTokenCount": 5, "thoughtsTokenCount": 2}})
}

const USAGE: Usage = Usage { input_tokens: 9, output_tokens: 7, cache_read_tokens: 4, cache_write_tokens: 0 };

/// The one error a body ends in.
#[track_caller]
fn failure(status: u16, body: &str) -> ReadingError {
    let whole = decode(status, [body.as_bytes()]);
    for at in 0..body.len() {
        let (one, other) = body.as_bytes().split_at(at);
        assert_eq!(decode(status, [one, other]), whole, "cut at {at}: {body}");
    }
    match whole.last() {
        Some(ModelEvent::Error(error)) => error.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn thoughts_text_calls_and_signatures_are_told_apart_and_go_back_unchanged() {
    let turn = json!([
        {"text": "Let me see. ", "thought": true},
        {"text": "Grüße 🐕 "},
        {"functionCall": {"name": "fetch_url", "args": {"url": "https://a.test"}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "call-2", "name": "fetch_url", "args": {}}},
        {"toolCall": {"toolType": "GOOGLE_SEARCH", "args": {"queries": ["x"]}}, "thoughtSignature": "c2ln2"},
        {"text": "", "thoughtSignature": "bGFzdA=="},
    ]);
    let all = turn.as_array().unwrap();
    let body = stream(&[
        parts(&json!([all[0]])),
        parts(&json!([all[1], all[2], all[3]])),
        parts(&json!([all[4], {"text": ""}, all[5]])),
        finish("STOP"),
    ]);
    let call = |id: &str, input: Value| ModelEvent::ToolUse { id: id.into(), name: "fetch_url".into(), input };
    check(
        &body,
        &[
            ModelEvent::Thinking("Let me see. ".into()),
            ModelEvent::Text("Grüße 🐕 ".into()),
            call("", json!({"url": "https://a.test"})),
            call("call-2", json!({})),
            ModelEvent::Usage(USAGE),
            ModelEvent::Replay(turn.clone()),
            ModelEvent::Stop(StopReason::ToolUse),
        ],
    );
}

#[test]
fn pages_the_search_found_are_named_ahead_of_the_text() {
    let found = json!([{"web": {"uri": "https://a.test/1", "title": "a.test"}}, {"web": {}}, {"retrievedContext": {}}]);
    let body = stream(&[
        json!({"candidates": [{"content": {"parts": [{"text": "So."}]}, "groundingMetadata": {"groundingChunks": found}}]}),
        finish("STOP"),
    ]);
    let source = Source { url: "https://a.test/1".into(), title: "a.test".into() };
    check(
        &body,
        &[
            ModelEvent::Sources(vec![source]),
            ModelEvent::Text("So.".into()),
            ModelEvent::Usage(USAGE),
            ModelEvent::Replay(json!([{"text": "So."}])),
            ModelEvent::Stop(StopReason::EndTurn),
        ],
    );
}

#[test]
fn every_reason_to_end_is_understood() {
    for (reason, stop) in [
        ("STOP", StopReason::EndTurn),
        ("MAX_TOKENS", StopReason::MaxTokens),
        ("SAFETY", StopReason::ContentFilter),
        ("RECITATION", StopReason::ContentFilter),
        ("PROHIBITED_CONTENT", StopReason::ContentFilter),
        ("OTHER", StopReason::Other),
        ("SOMETHING_NEW", StopReason::Other),
    ] {
        let text =
            [ModelEvent::Text("So.".into()), ModelEvent::Usage(USAGE), ModelEvent::Replay(json!([{"text": "So."}]))];
        let body = stream(&[parts(&json!([{"text": "So."}])), finish(reason)]);
        check(&body, &[&text[..], &[ModelEvent::Stop(stop)]].concat());
    }
    let error = failure(200, &stream(&[finish("MALFORMED_FUNCTION_CALL")]));
    assert_eq!((error.code, error.retryable), (ErrorCode::Truncated, true));
    let error = failure(200, &stream(&[parts(&json!([{"text": "So"}]))]));
    assert_eq!((error.code, error.retryable), (ErrorCode::Truncated, true), "no reason, no end");
}

#[test]
fn thinking_that_used_the_whole_output_shows_as_thinking() {
    let body = stream(&[json!({
        "candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}],
        "usageMetadata": {"promptTokenCount": 10, "thoughtsTokenCount": 2999},
    })]);
    let usage = Usage { input_tokens: 10, output_tokens: 2999, ..Usage::default() };
    check(
        &body,
        &[ModelEvent::Thinking(String::new()), ModelEvent::Usage(usage), ModelEvent::Stop(StopReason::MaxTokens)],
    );
}

#[test]
fn a_blocked_question_is_a_refusal_with_its_reason() {
    let body = stream(&[json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})]);
    check(&body, &[ModelEvent::Refusal("PROHIBITED_CONTENT".into()), ModelEvent::Stop(StopReason::ContentFilter)]);
}

#[test]
fn an_answer_in_one_piece_or_as_a_list_of_chunks_is_read_too() {
    let whole = json!({"candidates": [{"content": {"parts": [{"text": "One. Two."}]}, "finishReason": "STOP"}]});
    let list = json!([parts(&json!([{"text": "One. "}])), parts(&json!([{"text": "Two."}])), finish("STOP")]);
    for body in [whole.to_string(), format!("{list:#}"), format!("data: {list}\n\n")] {
        let events = decode(200, body.as_bytes().chunks(3));
        assert_eq!(events[0], ModelEvent::Text("One. Two.".into()), "{body}");
        assert_eq!(events.last(), Some(&ModelEvent::Stop(StopReason::EndTurn)), "{body}");
    }
}

#[test]
fn an_error_is_one_in_whatever_shape_it_comes() {
    let begun = stream(&[parts(&json!([{"text": "So"}]))]);
    let error = json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}});
    for tail in [
        format!("data: {error}\n\n"),
        format!("{error}"),
        format!("{error:#}\n"),
        format!("[{error}]"),
        format!("data: [{error}]\n\n"),
        format!("[{},{error}]", parts(&json!([{"text": " it"}]))),
    ] {
        for body in [tail.clone(), format!("{begun}{tail}")] {
            let failure = failure(200, &body);
            assert_eq!((failure.code, failure.retryable), (ErrorCode::Overloaded, true), "{body}");
            assert!(failure.message.contains("It says: “The model is overloaded.”"), "{failure}");
        }
    }
    for body in ["data: \"quota exceeded\"\n\n", "\"quota exceeded\""] {
        assert!(failure(200, body).message.contains("“quota exceeded”"));
    }
}

#[test]
fn refusals_are_put_in_words() {
    let report = |code: u16, status: &str, reason: &str, message: &str| {
        let details = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]);
        json!({"error": {"code": code, "status": status, "message": message, "details": details}}).to_string()
    };
    for (status, body, code, words) in [
        (
            400,
            report(400, "FAILED_PRECONDITION", "", "User location is not supported for the API use."),
            ErrorCode::BadRequest,
            "not offered where you are",
        ),
        (
            400,
            report(400, "INVALID_ARGUMENT", "API_KEY_INVALID", "API key not valid."),
            ErrorCode::Auth,
            "did not accept the API key",
        ),
        (
            403,
            report(
                403,
                "PERMISSION_DENIED",
                "API_KEY_HTTP_REFERRER_BLOCKED",
                "Requests from referer <empty> are blocked.",
            ),
            ErrorCode::Auth,
            "limited to certain websites",
        ),
        (
            403,
            report(403, "PERMISSION_DENIED", "", "The caller does not have permission"),
            ErrorCode::Auth,
            "may use this model",
        ),
        (404, report(404, "NOT_FOUND", "", "models/x is not found"), ErrorCode::NotFound, "no such model"),
        (
            429,
            report(429, "RESOURCE_EXHAUSTED", "", "Resource has been exhausted"),
            ErrorCode::RateLimited,
            "too many requests",
        ),
        (503, report(503, "UNAVAILABLE", "", "The model is overloaded."), ErrorCode::Overloaded, "overloaded"),
    ] {
        let error = failure(status, &body);
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(words) && error.message.starts_with(|c: char| c.is_uppercase()), "{error}");
    }
}

#[test]
fn only_a_refusal_that_says_nothing_of_the_caller_is_tried_from_elsewhere() {
    let is_origin = |status: u16, body: &str| {
        let mut decoder = Decoder::new(ProviderId::Gemini, &ProviderConfig::default());
        decoder.handle_head(&ResponseHead { status, ..ResponseHead::default() });
        decoder.handle_chunk(body.as_bytes(), &mut Vec::new());
        decoder.handle_end(&mut Vec::new());
        decoder.is_origin_refused()
    };
    for body in [
        "",
        "Forbidden",
        "<title>403</title>",
        r#"{"error":{"code":403,"message":"Requests from referer chrome-extension://x are blocked."}}"#,
    ] {
        assert!(is_origin(403, body), "{body}");
    }
    for body in [
        r#"{"error":{"message":"The caller does not have permission"}}"#,
        r#"{"error":{"message":"Your API key was reported as leaked."}}"#,
        r#"{"error":{"message":"Requests from referer <empty> are blocked.","details":[{"reason":"API_KEY_HTTP_REFERRER_BLOCKED"}]}}"#,
    ] {
        assert!(!is_origin(403, body), "{body}");
    }
    assert!(!is_origin(401, "") && !is_origin(200, ""));
}

fn prompt(tools: Tools) -> Prompt {
    let turns = vec![
        Turn::User("Read.".into()),
        Turn::Replay(json!([{"functionCall": {"name": "fetch_url", "args": {}}, "thoughtSignature": "c2ln"}])),
        Turn::ToolResults(vec![
            ToolResult { id: String::new(), name: "fetch_url".into(), text: "A page.".into(), is_error: false },
            ToolResult { id: "call-2".into(), name: "fetch_url".into(), text: "Gone.".into(), is_error: true },
        ]),
        Turn::Assistant("Read.".into()),
        Turn::User("And?".into()),
    ];
    Prompt { system: "With care.".into(), turns, max_tokens: 8_000, tools, schema: "" }
}

fn sent(tools: Tools, quirks: Quirks) -> (HttpRequest, Value) {
    let config = ProviderConfig { key: KEY.into(), model: "m".into(), ..ProviderConfig::default() };
    let request = request(ProviderId::Gemini, &config, &prompt(tools), quirks).unwrap();
    let body = serde_json::from_str(&request.body).unwrap();
    (request, body)
}

const BOTH: Tools = Tools { web_search: true, fetch_url: true };

#[test]
fn gemini_is_asked_as_its_api_wants() {
    let (request, body) = sent(Tools::default(), Quirks::default());
    assert_eq!(request.url, "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse");
    assert!(request.headers.contains(&("x-goog-api-key", KEY.to_owned())));
    assert_eq!(request.via, Transport::Direct);
    let response = |response: Value| json!({"functionResponse": response});
    let expect = json!({
        "systemInstruction": {"role": "user", "parts": [{"text": "With care."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Read."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "fetch_url", "args": {}}, "thoughtSignature": "c2ln"}]},
            {"role": "user", "parts": [
                response(json!({"name": "fetch_url", "response": {"result": "A page."}})),
                response(json!({"name": "fetch_url", "id": "call-2", "response": {"error": "Gone."}})),
            ]},
            {"role": "model", "parts": [{"text": "Read."}]},
            {"role": "user", "parts": [{"text": "And?"}]},
        ],
        "generationConfig": {"maxOutputTokens": 8000, "thinkingConfig": {"includeThoughts": true}},
    });
    assert_eq!(body, expect);
}

/// What a refusal teaches.
#[track_caller]
fn learn(quirks: Quirks, words: &str) -> Quirks {
    quirks.learn(&ProviderError::from_body(&json!({"error": {"code": 400, "message": words}}).to_string())).unwrap()
}

#[test]
fn tools_are_offered_together_then_one_kind_at_a_time() {
    let offered = |quirks| {
        let body = sent(BOTH, quirks).1;
        let names: Vec<String> = body["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|tool| tool.as_object().unwrap().keys().cloned())
            .collect();
        (names, body.get("toolConfig").is_some())
    };
    let none = Quirks::default();
    assert_eq!(offered(none), (vec!["functionDeclarations".to_owned(), "google_search".to_owned()], true));
    let one =
        learn(none, "Built-in tools ({google_search}) and Function Calling cannot be combined in the same request.");
    assert_eq!(offered(one), (vec!["google_search".to_owned()], false));
    assert_eq!(learn(none, "Tool use with function calling is unsupported"), one);
    let other = learn(one, "Search Grounding is not supported.");
    assert_eq!(offered(other), (vec!["functionDeclarations".to_owned()], false));
    let without = learn(other, "Function calling is not enabled for models/m");
    assert_eq!(offered(without), (vec![], false));
}

#[test]
fn what_a_model_does_not_know_is_left_out() {
    let none = Quirks::default();
    let quirks = learn(none, "Thinking is not supported for this model.");
    assert_eq!(sent(BOTH, quirks).1["generationConfig"], json!({"maxOutputTokens": 8000}));
    let quirks = learn(none, "Developer instruction is not enabled for models/gemma-3-4b-it");
    let body = sent(BOTH, quirks).1;
    assert_eq!(body.get("systemInstruction"), None);
    assert_eq!(body["contents"][0], json!({"role": "user", "parts": [{"text": "With care."}]}));
    let quirks = learn(none, "models/m is not supported for streamGenerateContent");
    assert!(sent(BOTH, quirks).0.url.ends_with("/v1beta/models/m:generateContent"));
}

#[test]
fn through_the_page_goes_a_simple_request_with_the_key_in_its_address() {
    let page = Quirks { via: Transport::Page(5), ..Quirks::default() };
    let (request, _) = sent(BOTH, page);
    assert!(request.url.ends_with(":streamGenerateContent?alt=sse&key=AIza-test-0123456789"), "{}", request.url);
    assert_eq!(request.headers, [("content-type", "text/plain".to_owned())]);
    assert!(!format!("{request:?}").contains(KEY));
    let (request, _) = sent(BOTH, Quirks { no_stream: true, ..page });
    assert!(request.url.ends_with(":generateContent?key=AIza-test-0123456789"), "{}", request.url);
    for via in [Transport::Direct, Transport::WithoutOrigin] {
        let (request, _) = sent(BOTH, Quirks { via, ..page });
        assert!(!request.url.contains(KEY) && !request.body.contains(KEY));
    }
}

#[test]
fn a_turn_too_long_to_be_kept_is_an_overflow() {
    let chunk = stream(&[parts(&json!([{"text": "x".repeat(1 << 19)}]))]);
    let events = decode(200, std::iter::repeat_n(chunk.as_bytes(), 9));
    assert!(matches!(events.last(), Some(ModelEvent::Error(error)) if error.code == ErrorCode::Overflow));
}

proptest! {
    #[test]
    fn no_stream_makes_the_reader_panic_and_every_one_ends(
        values in prop::collection::vec(prop_oneof![
            Just(parts(&json!([{"text": "So."}, {"functionCall": 1}, null, 7, {"thought": true}]))),
            Just(parts(&json!("text"))),
            Just(json!({"candidates": []})),
            Just(json!({"candidates": [{"groundingMetadata": {"groundingChunks": [{}, 1, null]}}]})),
            Just(finish("STOP")),
            Just(json!([])),
            Just(json!({})),
            Just(json!({"error": 1})),
        ], 0..6),
        size in 1_usize..40,
    ) {
        let body = stream(&values);
        let ends = |events: &[ModelEvent]| {
            events.iter().filter(|event| matches!(event, ModelEvent::Stop(_) | ModelEvent::Error(_))).count()
        };
        let whole = decode(200, [body.as_bytes()]);
        prop_assert_eq!(ends(&whole), 1);
        prop_assert_eq!(decode(200, body.as_bytes().chunks(size)), whole);
    }
}
