//! Replays recorded provider streams through the decoder, in random cuts, and compares what a reader would see with what
//! the recording is known to say. Skipped, saying so, where the recordings are absent.
#![cfg(not(target_arch = "wasm32"))]
// Clippy takes only functions marked `#[test]` for tests.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sidelight::provider::{Decoder, ModelEvent, ResponseHead};
use sidelight::wire::{ErrorCode, ProviderConfig, ProviderId, ReadingError, StopReason, Usage};

/// Where the recordings stand, if they do.
fn recordings() -> Option<PathBuf> {
    let shared = std::env::var_os("SIDELIGHT_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = shared.join("transcripts");
    if !folder.is_dir() {
        println!("skipped: there are no recordings at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// A linear congruential generator (Knuth's MMIX constants), so that a failing cut can be cut again.
struct Cuts(u64);

impl Cuts {
    fn chunks<'a>(&mut self, mut body: &'a [u8]) -> Vec<&'a [u8]> {
        let mut chunks = Vec::new();
        while !body.is_empty() {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = usize::try_from(self.0 >> 40).unwrap();
            // Mostly like network packets, sometimes a few bytes.
            let most = if random & 0x3000 == 0 { 9 } else { 3_000 };
            let (chunk, rest) = body.split_at((1 + random % most).min(body.len()));
            chunks.push(chunk);
            body = rest;
        }
        chunks
    }
}

#[derive(Debug, Default, PartialEq)]
struct Said {
    text: String,
    thinking: String,
    tools: Vec<Value>,
    server_tools: Vec<Value>,
    /// Pages the provider cited or found.
    sources: Vec<String>,
    usage: Option<Usage>,
    end: Option<Result<StopReason, ReadingError>>,
}

/// A provider, and the base URL that says which of its dialects is spoken.
#[derive(Clone, Copy, PartialEq)]
struct Spoken(ProviderId, &'static str);

const ANTHROPIC: Spoken = Spoken(ProviderId::Anthropic, "");
const CHAT_COMPLETIONS: Spoken = Spoken(ProviderId::Openai, "http://127.0.0.1:8080");
const RESPONSES: Spoken = Spoken(ProviderId::Openai, "");
const GEMINI: Spoken = Spoken(ProviderId::Gemini, "");

fn decode(Spoken(id, base_url): Spoken, status: u16, chunks: &[&[u8]]) -> Said {
    let config = ProviderConfig { base_url: base_url.to_owned(), ..ProviderConfig::default() };
    let mut decoder = Decoder::new(id, &config);
    let url = "http://127.0.0.1:8080/v1".to_owned();
    decoder.handle_head(&ResponseHead { status, url, ..ResponseHead::default() });
    let mut events = Vec::new();
    for chunk in chunks {
        let before = events.len();
        decoder.handle_chunk(chunk, &mut events);
        let texts = events[before..].iter().filter(|event| matches!(event, ModelEvent::Text(_))).count();
        assert!(texts <= 1, "one chunk made {texts} texts");
    }
    decoder.handle_end(&mut events);
    let mut said = Said::default();
    for event in events {
        assert_eq!(said.end, None, "{event:?} behind the end");
        match event {
            ModelEvent::Text(text) => said.text.push_str(&text),
            ModelEvent::Thinking(text) => said.thinking.push_str(&text),
            ModelEvent::Status(_) | ModelEvent::Refusal(_) | ModelEvent::Replay(_) => {}
            ModelEvent::Sources(sources) => said.sources.extend(sources.into_iter().map(|source| source.url)),
            ModelEvent::ServerTool { name, input } => said.server_tools.push(json!({"name": name, "input": input})),
            ModelEvent::ToolUse { name, input, .. } => said.tools.push(json!({"name": name, "input": input})),
            ModelEvent::Usage(usage) => said.usage = Some(usage),
            ModelEvent::Stop(reason) => said.end = Some(Ok(reason)),
            ModelEvent::Error(error) => said.end = Some(Err(error)),
        }
    }
    said
}

/// The recording's events as the provider would send them.
fn as_stream(spoken: Spoken, lines: &str) -> String {
    let mut body = String::new();
    for line in lines.lines().filter(|line| !line.is_empty()) {
        if spoken == ANTHROPIC || spoken == RESPONSES {
            let event: Value = serde_json::from_str(line).unwrap();
            writeln!(body, "event: {}", event["type"].as_str().unwrap()).unwrap();
        }
        write!(body, "data: {line}\n\n").unwrap();
    }
    if spoken == CHAT_COMPLETIONS {
        body.push_str("data: [DONE]\n\n");
    }
    body
}

fn stop_of(name: &str) -> StopReason {
    match name {
        "end_turn" | "stop" | "STOP" | "response.completed" => StopReason::EndTurn,
        "tool_use" | "tool_calls" => StopReason::ToolUse,
        "refusal" => StopReason::Refusal,
        "max_tokens" | "length" | "MAX_TOKENS" => StopReason::MaxTokens,
        other => panic!("unknown stop {other}"),
    }
}

/// Compares each count the recording states.
fn check_usage(name: &str, usage: Usage, expected: &Map<String, Value>) {
    let stated = |field: &str| expected.get(field).and_then(Value::as_u64);
    let read = usage.input_tokens + usage.cache_read_tokens;
    // The total tells apart providers that count thinking within the completion from those that do not.
    let written = stated("total_tokens").zip(stated("prompt_tokens")).map(|(total, prompt)| total - prompt);
    let google = stated("totalTokenCount").zip(stated("promptTokenCount")).map(|(total, prompt)| total - prompt);
    for (field, stated, counted) in [
        ("promptTokenCount", stated("promptTokenCount"), read),
        ("totalTokenCount - promptTokenCount", google, usage.output_tokens),
        ("input_tokens", stated("input_tokens"), usage.input_tokens),
        ("output_tokens", stated("output_tokens"), usage.output_tokens),
        ("cache_read", stated("cache_read_input_tokens"), usage.cache_read_tokens),
        ("cache_creation", stated("cache_creation_input_tokens"), usage.cache_write_tokens),
        ("prompt_tokens", stated("prompt_tokens"), read),
        ("total - prompt", written, usage.output_tokens),
    ] {
        if let Some(stated) = stated {
            assert_eq!(counted, stated, "{name}: {field}");
        }
    }
}

#[test]
fn recordings_say_what_they_are_known_to_say() {
    let Some(folder) = recordings() else { return };
    let mut replayed = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.file_name().unwrap().to_str().unwrap().strip_suffix(".expected.json") else { continue };
        let expected: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let spoken = match expected["dialect"].as_str().unwrap() {
            "anthropic" => ANTHROPIC,
            "openai" => CHAT_COMPLETIONS,
            "responses" => RESPONSES,
            "gemini" => GEMINI,
            _ => continue,
        };
        replayed += 1;
        let body = as_stream(spoken, &fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap());
        let whole = decode(spoken, 200, &[body.as_bytes()]);
        assert_eq!(whole.text, expected["text"].as_str().unwrap(), "{name}: text");
        assert_eq!(whole.thinking, expected["thinking"].as_str().unwrap(), "{name}: thinking");
        assert_eq!(Value::from(whole.tools.clone()), expected["tools"], "{name}: tools");
        if let Some(server_tools) = expected.get("server_tools") {
            assert_eq!(&Value::from(whole.server_tools.clone()), server_tools, "{name}: server tools");
        }
        for list in ["citations", "urls"] {
            for url in expected[list].as_array().into_iter().flatten() {
                let url = url.as_str().unwrap();
                assert!(whole.sources.iter().any(|source| source == url), "{name}: {url} of {list} is missing");
            }
        }
        match expected["stop"].as_str().unwrap() {
            "response.failed" => assert!(matches!(&whole.end, Some(Err(_))), "{name}: {:?}", whole.end),
            // Gemini says this of a turn that calls, too.
            "STOP" if !whole.tools.is_empty() => assert_eq!(whole.end, Some(Ok(StopReason::ToolUse)), "{name}: stop"),
            stop => assert_eq!(whole.end, Some(Ok(stop_of(stop))), "{name}: stop"),
        }
        if let Some(usage) = expected["usage"].as_object() {
            check_usage(name, whole.usage.unwrap_or_default(), usage);
        }

        let crlf = body.replace('\n', "\r\n");
        let cr = body.replace('\n', "\r");
        for body in [&body, &crlf, &cr] {
            for seed in 0..8 {
                assert_eq!(decode(spoken, 200, &Cuts(seed).chunks(body.as_bytes())), whole, "{name}: seed {seed}");
            }
            // A recording at each of its bytes in two is minutes for the long ones; byte by byte cuts everywhere at once.
            let bytes: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
            assert_eq!(decode(spoken, 200, &bytes), whole, "{name}: byte by byte");
        }
    }
    println!("{replayed} recordings replayed");
    assert!(replayed > 0, "no recording of these dialects in {}", folder.display());
}

#[test]
fn a_recording_cut_short_is_never_taken_for_whole() {
    let Some(folder) = recordings() else { return };
    for (spoken, name) in [(ANTHROPIC, "anthropic-text"), (CHAT_COMPLETIONS, "openai-azure-router")] {
        let body = as_stream(spoken, &fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap());
        let whole = decode(spoken, 200, &[body.as_bytes()]);
        for cut in 0..body.len() {
            let said = decode(spoken, 200, &[&body.as_bytes()[..cut]]);
            assert!(whole.text.starts_with(&said.text), "{name} cut at {cut}: {}", said.text);
            match said.end.unwrap() {
                Ok(stop) => assert_eq!((Some(Ok(stop)), &said.text), (whole.end.clone(), &whole.text), "cut at {cut}"),
                Err(error) => assert_eq!((error.code, error.retryable), (ErrorCode::Truncated, true), "cut at {cut}"),
            }
        }
    }
}

#[test]
fn bodies_of_a_local_server_are_read_to_their_limit() {
    let Some(folder) = recordings() else { return };
    for (spoken, name) in [
        (ANTHROPIC, "llamacpp-anthropic-analysis.sse"),
        (CHAT_COMPLETIONS, "llamacpp-openai-highlights.sse"),
        (CHAT_COMPLETIONS, "llamacpp-openai-unicode.sse"),
    ] {
        let body = fs::read(folder.join(name)).unwrap();
        let whole = decode(spoken, 200, &[&body]);
        assert!(!whole.text.is_empty() && !whole.text.contains('\u{FFFD}'), "{name}: {}", whole.text);
        assert_eq!(whole.end, Some(Ok(StopReason::MaxTokens)), "{name}");
        for seed in 0..8 {
            assert_eq!(decode(spoken, 200, &Cuts(seed).chunks(&body)), whole, "{name}: seed {seed}");
        }
    }
}

#[test]
fn a_page_too_long_for_a_local_server_is_explained() {
    let Some(folder) = recordings() else { return };
    let body = fs::read(folder.join("llamacpp-anthropic-too-long.body")).unwrap();
    for seed in 0..8 {
        let said = decode(ANTHROPIC, 400, &Cuts(seed).chunks(&body));
        let error = said.end.unwrap().unwrap_err();
        assert_eq!((error.code, error.retryable), (ErrorCode::TooLong, false));
        let start = "The page is too long for this model (12,215 tokens; it takes 8,192).";
        assert!(error.message.starts_with(start), "{error}");
    }
}
