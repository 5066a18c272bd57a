use super::event::without_lone_surrogates;
use super::*;
use crate::wire::ErrorCode;
use proptest::prelude::*;
use serde_json::json;

/// What the reader ends up with: everything shown, joined, and how it ended.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// Addresses of pages the provider brought.
    pub(crate) sources: Vec<String>,
    pub(crate) thinking: String,
    pub(crate) tools: Vec<(String, Value)>,
    pub(crate) refusal: String,
    pub(crate) usage: Option<Usage>,
    pub(crate) end: Option<Result<StopReason, ReadingError>>,
}

/// Feeds a response in chunks, checking what holds for every stream on the way.
pub(crate) fn decode<'a>(id: ProviderId, head: &ResponseHead, chunks: impl IntoIterator<Item = &'a [u8]>) -> Said {
    // OpenAI itself is spoken to in another dialect.
    let base_url = if id == ProviderId::Openai { COMPATIBLE } else { "" };
    let config = ProviderConfig { key: KEY.into(), base_url: base_url.into(), ..ProviderConfig::default() };
    decode_as(id, &config, head, chunks)
}

const COMPATIBLE: &str = "https://models.example";

fn decode_as<'a>(
    id: ProviderId,
    config: &ProviderConfig,
    head: &ResponseHead,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Said {
    let mut decoder = Decoder::new(id, config);
    decoder.handle_head(head);
    let mut said = Said::default();
    let mut take = |events: Vec<ModelEvent>| {
        assert!(events.iter().filter(|event| matches!(event, ModelEvent::Text(_))).count() <= 1, "{events:?}");
        for event in events {
            assert_eq!(said.end, None, "{event:?} behind the end");
            match event {
                ModelEvent::Text(text) => said.text.push_str(&text),
                ModelEvent::Thinking(text) => said.thinking.push_str(&text),
                ModelEvent::Status(_) | ModelEvent::Replay(_) | ModelEvent::ServerTool { .. } => {}
                ModelEvent::Sources(sources) => said.sources.extend(sources.into_iter().map(|source| source.url)),
                ModelEvent::ToolUse { name, input, .. } => said.tools.push((name, input)),
                ModelEvent::Refusal(words) => said.refusal.push_str(&words),
                ModelEvent::Usage(usage) => said.usage = Some(usage),
                ModelEvent::Stop(reason) => said.end = Some(Ok(reason)),
                ModelEvent::Error(error) => {
                    assert!(!error.message.contains(KEY) && !format!("{error:?}").contains(KEY), "{error:?}");
                    said.end = Some(Err(error));
                }
            }
        }
    };
    for chunk in chunks {
        let mut events = Vec::new();
        decoder.handle_chunk(chunk, &mut events);
        take(events);
    }
    let mut events = Vec::new();
    decoder.handle_end(&mut events);
    take(events);
    assert!(said.end.is_some(), "no end");
    said
}

const KEY: &str = "sk-test-0123456789abcdef";

fn head(status: u16, url: &str) -> ResponseHead {
    ResponseHead { status, url: url.into(), content_type: "text/event-stream".into(), retry_after: None }
}

fn own(id: ProviderId) -> ResponseHead {
    head(200, registry::provider(id).base_url)
}

/// Decodes whole, cut in two at every byte, and byte by byte; all must agree.
#[track_caller]
fn decode_all_ways(id: ProviderId, head: &ResponseHead, body: &str) -> Said {
    let body = body.as_bytes();
    let whole = decode(id, head, [body]);
    for cut in 1..body.len() {
        let (first, second) = body.split_at(cut);
        assert_eq!(decode(id, head, [first, second]), whole, "cut at {cut}");
    }
    assert_eq!(decode(id, head, body.chunks(1)), whole, "byte by byte");
    whole
}

fn openai(body: &str) -> Said {
    decode_all_ways(ProviderId::Openai, &own(ProviderId::Openai), body)
}

fn anthropic(body: &str) -> Said {
    decode_all_ways(ProviderId::Anthropic, &own(ProviderId::Anthropic), body)
}

#[track_caller]
fn error_of(said: &Said) -> &ReadingError {
    said.end.as_ref().unwrap().as_ref().unwrap_err()
}

const OPENAI_TEXT: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Grüße \"}}]}\r\n\r\ndata:{\"choices\":[{\"delta\":\
                           {\"content\":\"an \\ud83d\\udc15\"}}]}\r\n\r\n";
const ANTHROPIC_TEXT: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
                              {\"type\":\"text_delta\",\"text\":\"Grüße\"}}\n\n";

#[test]
fn a_finish_reason_ends_an_answer_with_or_without_done() {
    let finish = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    for tail in ["data: [DONE]\n\n", "data: [DONE]", "", "data: {\"choices\":[],\"usage\":null}\n\n"] {
        let said = openai(&format!("{OPENAI_TEXT}{finish}{tail}"));
        assert_eq!((said.text.as_str(), said.end), ("Grüße an 🐕", Some(Ok(StopReason::EndTurn))), "{tail}");
    }
}

#[test]
fn a_stream_without_its_end_is_truncated_and_keeps_its_text() {
    for said in [openai(OPENAI_TEXT), anthropic(ANTHROPIC_TEXT), openai(&format!("{OPENAI_TEXT}data: {{\"choi"))] {
        assert!(said.text.starts_with("Grüße"));
        let error = error_of(&said);
        assert_eq!((error.code, error.retryable), (ErrorCode::Truncated, true));
    }
    assert_eq!(error_of(&openai("")).code, ErrorCode::Truncated);
}

#[test]
fn a_known_stop_reason_outlives_what_goes_wrong_behind_it() {
    let stop = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n";
    let error =
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n";
    for tail in ["", error, "data: {broken\n\n", "{\"error\":\"x\"}"] {
        assert_eq!(anthropic(&format!("{ANTHROPIC_TEXT}{stop}{tail}")).end, Some(Ok(StopReason::EndTurn)), "{tail}");
    }
}

#[test]
fn an_error_inside_a_stream_ends_it_in_the_providers_words() {
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let said = anthropic(&format!("{ANTHROPIC_TEXT}{overloaded}"));
    assert_eq!(said.text, "Grüße");
    assert_eq!((error_of(&said).code, error_of(&said).retryable), (ErrorCode::Overloaded, true));
    assert!(error_of(&said).message.contains("“Overloaded”"), "{}", error_of(&said).message);

    for report in [
        "data: {\"error\":{\"message\":\"quota exceeded\"}}\n\ndata: [DONE]\n\n",
        "data: {\"error\":\"quota exceeded\"}\n\n",
        "data: {\"object\":\"error\",\"message\":\"quota exceeded\"}\n\n",
        "event: error\ndata: quota exceeded\n\n",
        "{\"error\":{\"message\":\"quota exceeded\"}}",
        "[{\"error\":{\n  \"message\": \"quota exceeded\"\n}}]\n",
        "\"quota exceeded\"",
    ] {
        for said in [openai(report), openai(&format!("{OPENAI_TEXT}{report}")), anthropic(report)] {
            assert!(error_of(&said).message.contains("“quota exceeded”"), "{report}: {}", error_of(&said).message);
        }
    }
}

#[test]
fn frames_that_say_nothing_are_skipped() {
    let noise = ": OPENROUTER PROCESSING\n\ndata: : OPENROUTER PROCESSING\n\ndata:\n\nevent: ping\ndata: \n\ndata: {}\n\n\
                 data: keep-alive\n\nevent: future\ndata: {\"type\":\"future\",\"delta\":{\"type\":\"new_delta\"}}\n\n";
    let end = "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(openai(&format!("{noise}{OPENAI_TEXT}{noise}{end}")).end, Some(Ok(StopReason::EndTurn)));
    let end = "data: {\"type\":\"message_stop\"}\n\n";
    assert_eq!(anthropic(&format!("{noise}{ANTHROPIC_TEXT}{noise}{end}")).end, Some(Ok(StopReason::EndTurn)));

    let mut decoder = Decoder::new(ProviderId::Openai, &ProviderConfig::default());
    let mut out = Vec::new();
    decoder.handle_chunk(b": still here\n\n", &mut out);
    assert_eq!(out, []);
}

#[test]
fn a_frame_that_cannot_be_read_is_reported_behind_the_rest() {
    let said = openai(&format!("data: {{\"choices\":[}}\n\n{OPENAI_TEXT}data: [DONE]\n\n"));
    assert_eq!(said.text, "Grüße an 🐕");
    assert_eq!(error_of(&said).code, ErrorCode::Protocol);
}

#[test]
fn half_an_emoji_costs_itself_and_no_more() {
    let body = r#"data: {"choices":[{"delta":{"content":"a \ud83d"}}]}

data: {"choices":[{"delta":{"content":"\udc15 \\ud83d \ud83d\udc15 b"},"finish_reason":"stop"}]}

"#;
    let said = openai(body);
    assert_eq!((said.text.as_str(), said.end), ("a \u{FFFD}\u{FFFD} \\ud83d 🐕 b", Some(Ok(StopReason::EndTurn))));
    for json in ["", "\\", "\\u", "\\ud8", "\\u12é", "\\\\ud800", "\\ud83d\\udc15", "é\\"] {
        assert_eq!(without_lone_surrogates(json), None, "{json}");
    }
    assert_eq!(without_lone_surrogates("\\ud83d\\ud83d\\udc15").as_deref(), Some("\\ufffd\\ud83d\\udc15"));
}

#[test]
fn a_chunk_makes_one_text_and_one_thinking_however_many_deltas_it_brings() {
    let delta =
        |field: &str, text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"{field}\":\"{text}\"}}}}]}}\n\n");
    let chunk =
        [delta("reasoning", "a"), delta("reasoning_content", "b"), delta("content", "c"), delta("content", "d")];
    let config = ProviderConfig { base_url: COMPATIBLE.into(), ..ProviderConfig::default() };
    let mut decoder = Decoder::new(ProviderId::Openai, &config);
    let mut out = Vec::new();
    decoder.handle_chunk(chunk.concat().as_bytes(), &mut out);
    assert_eq!(out, [ModelEvent::Thinking("ab".into()), ModelEvent::Text("cd".into())]);
}

#[test]
fn a_whole_answer_in_one_document_is_understood() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": "Hi", "reasoning_content": "hm",
        "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\"x\":1}"}},
                       {"id": "b", "function": {"name": "g", "arguments": ""}}]}, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}});
    let expect = Said {
        text: "Hi".into(),
        thinking: "hm".into(),
        tools: vec![("f".into(), json!({"x": 1})), ("g".into(), json!({}))],
        usage: Some(Usage { input_tokens: 6, output_tokens: 2, cache_read_tokens: 4, cache_write_tokens: 0 }),
        end: Some(Ok(StopReason::ToolUse)),
        ..Said::default()
    };
    assert_eq!(openai(&body.to_string()), expect);
    assert_eq!(openai(&serde_json::to_string_pretty(&body).unwrap()), expect);

    let body = json!({"type": "message", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Hi"},
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}], "stop_reason": "max_tokens",
        "usage": {"input_tokens": 6, "output_tokens": 2, "cache_creation_input_tokens": 3}});
    let said = anthropic(&body.to_string());
    assert_eq!((said.text.as_str(), said.thinking.as_str()), ("Hi", "hm"));
    assert_eq!(said.tools, [("f".into(), json!({"x": 1}))]);
    assert_eq!(said.usage.unwrap().cache_write_tokens, 3);
    assert_eq!(said.end, Some(Ok(StopReason::MaxTokens)));
}

#[test]
fn thinking_in_the_text_is_told_from_the_answer() {
    let delta = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let said = openai(&[delta("<th"), delta("ink>hm</think>"), delta("\n\nHi <think>"), stop.into()].concat());
    assert_eq!((said.thinking.as_str(), said.text.trim()), ("hm", "Hi <think>"));
    assert_eq!(openai(&[delta("<"), stop.into()].concat()).text, "<");
    let whole = json!({"choices": [{"message": {"content": "<think>hm</think>Hi"}, "finish_reason": "stop"}]});
    assert_eq!(openai(&whole.to_string()).text, "Hi");
}

#[test]
fn a_document_cut_off_is_truncated() {
    assert_eq!(error_of(&openai("{\"choices\":[{\"message\":{\"content\":\"Hi")).code, ErrorCode::Truncated);
}

#[test]
fn what_is_no_answer_at_all_is_named() {
    let page = "<!doctype html>\n<html><head><TITLE>Router login</TITLE></head>\n<body>data: x</body></html>";
    let html =
        ResponseHead { content_type: "text/html; charset=utf-8".into(), ..head(200, "http://127.0.0.1:3000/v1") };
    let error = decode_all_ways(ProviderId::Openai, &html, page);
    let error = error_of(&error);
    assert_eq!(error.code, ErrorCode::Protocol);
    for words in ["127.0.0.1:3000", "text/html", "Router login", "base URL"] {
        assert!(error.message.contains(words), "{}", error.message);
    }
    assert_eq!(error_of(&openai("upstream says hello")).code, ErrorCode::Protocol);
    assert_eq!(error_of(&openai("{\"models\":[]}")).code, ErrorCode::Protocol);
}

#[test]
fn tool_input_is_put_together_by_block() {
    let tool = |index: u32, name: &str| {
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{{\"type\":\"tool_use\",\"name\":\"{name}\",\"input\":{{}}}}}}\n\n"
        )
    };
    let piece = |index: u32, json: &str| {
        let json = json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": json}});
        format!("data: {json}\n\n")
    };
    let body = [
        tool(0, "a"),
        tool(1, "b"),
        piece(0, "{\"file_"),
        piece(1, ""),
        piece(0, "path\": \"a.py\", \"cont"),
        piece(0, "ent\":\"…\"}"),
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n".into(),
        "data: {\"type\":\"message_stop\"}\n\n".into(),
    ];
    let said = anthropic(&body.concat());
    assert_eq!(said.tools, [("a".into(), json!({"file_path": "a.py", "content": "…"})), ("b".into(), json!({}))]);
    assert_eq!(said.end, Some(Ok(StopReason::ToolUse)));
}

#[test]
fn tool_calls_are_told_apart_whatever_index_they_carry() {
    let call = |index: &str, id: &str, name: &str, arguments: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{{index}\"id\":{id},\"function\":{{\"name\":{name},\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n"
        )
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    for (first, second) in [("\"index\":0,", "\"index\":1,"), ("\"index\":0,", "\"index\":0,"), ("", "")] {
        let body = [
            call(first, "\"1\"", "\"a\"", ""),
            call(first, "null", "null", "{}"),
            call(second, "\"2\"", "\"b\"", "{\\\"x\\\":"),
            call(second, "\"2\"", "\"b\"", "1}"),
        ]
        .concat();
        let said = openai(&format!("{body}{end}"));
        assert_eq!(said.tools, [("a".into(), json!({})), ("b".into(), json!({"x": 1}))], "{first} {second}");
        assert_eq!(said.end, Some(Ok(StopReason::ToolUse)));
    }
}

#[test]
fn tool_input_that_is_no_json_is_none_and_told_to_the_model_unless_the_answer_was_cut() {
    let call = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"a\",\"arguments\":\"{\\\"x\"}}]}}]}\n\n";
    let end = |reason: &str| format!("data: {{\"choices\":[{{\"finish_reason\":\"{reason}\"}}]}}\n\n");
    let said = openai(&format!("{call}{}", end("tool_calls")));
    assert_eq!((said.tools, said.end), (vec![("a".into(), Value::Null)], Some(Ok(StopReason::ToolUse))));
    assert_eq!(openai(&format!("{call}{}", end("length"))).end, Some(Ok(StopReason::MaxTokens)));
}

#[test]
fn tool_input_is_bounded() {
    let body = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"a\",\"arguments\":\"@\"}}]}}]}\n\n"
        .replace('@', &"x".repeat(600_000));
    let said = decode(ProviderId::Openai, &own(ProviderId::Openai), [body.as_bytes(), body.as_bytes()]);
    assert_eq!(error_of(&said).code, ErrorCode::Overflow);
}

#[test]
fn a_line_without_end_is_an_overflow() {
    let chunk = "x".repeat(600_000);
    let said = decode(ProviderId::Openai, &own(ProviderId::Openai), [chunk.as_bytes(), chunk.as_bytes()]);
    assert_eq!(error_of(&said).code, ErrorCode::Overflow);
}

#[test]
fn a_refusal_is_told_in_its_own_words() {
    let said = openai(
        "data: {\"choices\":[{\"delta\":{\"refusal\":\"I can't \"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"refusal\":\"help.\"}}]}\n\n\
                       data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    );
    assert_eq!((said.refusal.as_str(), said.end), ("I can't help.", Some(Ok(StopReason::Refusal))));
    let said = anthropic(
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":{\"explanation\":\"Not allowed.\"}}}\n\n\
                          data: {\"type\":\"message_stop\"}\n\n",
    );
    assert_eq!((said.refusal.as_str(), said.end), ("Not allowed.", Some(Ok(StopReason::Refusal))));
}

#[test]
fn stop_reasons_are_mapped() {
    for (reason, stop) in [
        ("stop", StopReason::EndTurn),
        ("length", StopReason::MaxTokens),
        ("tool_calls", StopReason::ToolUse),
        ("content_filter", StopReason::ContentFilter),
        ("who_knows", StopReason::Other),
    ] {
        let body = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n"
        );
        assert_eq!(openai(&body).end, Some(Ok(stop)), "{reason}");
    }
    for (reason, stop) in [
        ("end_turn", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("model_context_window_exceeded", StopReason::MaxTokens),
        ("refusal", StopReason::Refusal),
        ("tool_use", StopReason::ToolUse),
        ("pause_turn", StopReason::PauseTurn),
        ("who_knows", StopReason::Other),
    ] {
        let body = format!(
            "data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
        );
        assert_eq!(anthropic(&body).end, Some(Ok(stop)), "{reason}");
    }
}

#[test]
fn odd_fields_cost_nothing_but_themselves() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"thinking\",\"thinking\":[]}],\"refusal\":0,\"reasoning\":{\"x\":[]}}},{\"delta\":{\"content\":\"second choice\"}}],\"usage\":{\"prompt_tokens\":null,\"completion_tokens\":1.5}}\n\n\
                data: {\"choices\":[{\"delta\":null,\"finish_reason\":null}]}\n\ndata: [DONE]\n\n";
    let said = openai(body);
    assert_eq!((said.text.as_str(), said.end), ("a", Some(Ok(StopReason::EndTurn))));
}

#[test]
fn a_last_chunk_that_repeats_the_answer_adds_nothing() {
    let body = format!(
        "{OPENAI_TEXT}data: {{\"choices\":[{{\"message\":{{\"content\":\"Grüße an 🐕\"}},\"finish_reason\":\"stop\"}}]}}\n\n"
    );
    assert_eq!(openai(&body).text, "Grüße an 🐕");
    let alone = "data: {\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(openai(alone).text, "Hi");
}

#[test]
fn a_refused_request_is_read_to_its_end_and_no_further_than_its_bound() {
    let report =
        json!({"error": {"message": format!("Incorrect API key: {KEY}."), "code": "invalid_api_key"}}).to_string();
    let said = decode_all_ways(ProviderId::Openai, &head(401, "https://api.openai.com/v1/chat/completions"), &report);
    let error = error_of(&said);
    assert_eq!((error.code, error.retryable), (ErrorCode::Auth, false));
    assert_eq!(
        error.message,
        "OpenAI did not accept the API key. Check it in ⚙ Settings. It says: “Incorrect API key: ….”"
    );

    let page = vec![b'x'; 1 << 20];
    let said = decode(ProviderId::Openai, &head(500, "https://api.openai.com/"), page.chunks(1 << 16));
    assert!(error_of(&said).message.chars().count() < 500);
}

#[test]
fn a_refusal_tells_what_to_leave_out_and_what_fits() {
    let refused = |body: Value| {
        let config = ProviderConfig { base_url: COMPATIBLE.into(), ..ProviderConfig::default() };
        let mut decoder = Decoder::new(ProviderId::Openai, &config);
        decoder.handle_head(&head(400, "http://127.0.0.1:8080/v1/chat/completions"));
        let mut out = Vec::new();
        decoder.handle_chunk(body.to_string().as_bytes(), &mut out);
        decoder.handle_end(&mut out);
        (decoder, out.pop().unwrap())
    };
    let (decoder, _) =
        refused(json!({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this \
        model. Use 'max_completion_tokens' instead.", "param": "max_tokens", "code": "unsupported_parameter"}}));
    let learned = decoder.quirks(Quirks::default()).unwrap();
    assert_eq!(learned, Quirks { other_token_limit: true, ..Quirks::default() });
    assert_eq!(decoder.quirks(learned), None, "once");

    let (decoder, event) =
        refused(json!({"error": {"code": 400, "message": "request (12215 tokens) exceeds the available \
        context size (8192 tokens)", "type": "exceed_context_size_error", "n_prompt_tokens": 12215, "n_ctx": 8192}}));
    assert_eq!(decoder.quirks(Quirks::default()), None);
    let ModelEvent::Error(error) = event else { panic!("{event:?}") };
    assert_eq!(error.code, ErrorCode::TooLong);
    assert!(
        error.message.starts_with("The page is too long for this model (12,215 tokens; it takes 8,192)."),
        "{error}"
    );
}

proptest! {
    /// Streams of whatever order and cut: decoding never panics, ends once, and does not depend on the cuts.
    #[test]
    fn cuts_change_nothing(
        pieces in prop::collection::vec(prop::sample::select(&[
            OPENAI_TEXT, ANTHROPIC_TEXT, ": ping\n\n", "data: [DONE]\n\n", "data: {\"type\":\"message_stop\"}\n\n", "data: {", "\n\n", "\r",
            "{\"error\":\"x\"}\n", "data: {\"choices\":[{\"finish_reason\":\"length\"}]}\n\n", "<p>", "event: error\n", "\u{FEFF}",
        ][..]), 0..12),
        cuts in prop::collection::vec(0_usize..1_500, 0..6),
    ) {
        let body = pieces.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        for id in [ProviderId::Openai, ProviderId::Anthropic] {
            let chunks = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]);
            prop_assert_eq!(decode(id, &own(id), chunks), decode(id, &own(id), [body.as_slice()]));
        }
    }
}
