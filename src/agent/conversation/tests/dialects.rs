//! Round trips with tools, in every dialect: what the model said goes back as it came.

use super::*;

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
    let mut run = ToolRun::new(calls, Tools::default(), 0, || 1);
    let expect = ToolResult {
        id: String::new(),
        name: "other".into(),
        text: "There is no tool named “other”.".into(),
        is_error: true,
    };
    assert_eq!(run.take_results(), Some(vec![expect]));
}
