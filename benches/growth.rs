//! How the work grows with its input: each row doubles the input, and linear work doubles the time.
//!
//! ```text
//! cargo bench --bench growth
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use sidelight::page::AnchorIndex;
use sidelight::panel::markdown::Markdown;
use sidelight::provider::{Decoder, ModelEvent};
use sidelight::reading::rules;
use sidelight::reading::scan::Scanner;
use sidelight::wire::{ProviderConfig, ProviderId, Snapshot};
use sidelight_stream::sse::{Limits, Parser};

/// Bytes of a network chunk, as a worker's fetch hands them over.
const CHUNK: usize = 1_400;

fn main() {
    println!("{:<34}{:>10}{:>12}{:>10}{:>9}", "", "bytes", "time", "MB/s", "growth");
    let long_line = |deltas: usize| format!("data: {}\n\n", "x".repeat(deltas * 40));
    measure("sse, many short events", openai_stream, parse);
    measure("sse, one long line", long_line, parse);
    measure("openai answer", openai_stream, |body| decode(ProviderId::Openai, body));
    measure("anthropic answer", anthropic_stream, |body| decode(ProviderId::Anthropic, body));
    measure("highlights, 20-byte deltas", highlights, extract);
    measure(
        "highlights, one that never ends",
        |size| format!("{{\"highlights\":[{{\"phrase\":\"{}", "x ".repeat(size * 20)),
        extract,
    );
    measure("offline reader", prose, |text| {
        black_box(rules::read(text));
    });
    measure("anchoring, 25 phrases", prose, anchor);
    measure("markdown, 4-byte deltas", |size| prose(size / 10), render);
}

fn highlights(size: usize) -> String {
    let objects = (0..size / 5)
        .map(|n| format!("{{\"phrase\":\"phrase number {n} of the page\",\"category\":\"bias\",\"note\":\"n\"}},"))
        .collect::<Vec<_>>();
    format!("{{\"summary\":\"Two.\",\"highlights\":[{}]}}", objects.concat())
}

fn extract(answer: &str) {
    let mut scanner = Scanner::new();
    let mut found = Vec::new();
    for delta in answer.as_bytes().chunks(20) {
        scanner.push(std::str::from_utf8(delta).unwrap_or_default(), &mut found);
    }
    black_box(scanner.finish(&mut found));
}

fn prose(size: usize) -> String {
    (0..size / 2)
        .map(|n| format!("Sentence {n} says that everyone knows the port of town {n} grew by a lot.\n"))
        .collect::<Vec<_>>()
        .concat()
}

fn anchor(text: &str) {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let snapshot = Snapshot { text: text.to_owned(), nodes: vec![(length, Snapshot::BLOCK)], ..Snapshot::default() };
    let index = AnchorIndex::new(&snapshot, |c, out| {
        unicode_normalization::char::decompose_compatible(c, |part| part.to_lowercase().for_each(&mut *out));
    });
    let phrases: Vec<String> = (0..25).map(|n| format!("everyone knows the prot of town {} grew", n * 7)).collect();
    black_box(index.find_all(&phrases));
}

fn render(text: &str) {
    let mut markdown = Markdown::new();
    for delta in text.as_bytes().chunks(4) {
        black_box(markdown.push(std::str::from_utf8(delta).unwrap_or_default()));
    }
    black_box(markdown.finish());
}

fn openai_stream(deltas: usize) -> String {
    let delta = r#"data: {"id":"chatcmpl-0","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}"#;
    format!("{delta}\n\n").repeat(deltas)
}

fn anthropic_stream(deltas: usize) -> String {
    let delta = r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}"#;
    format!("event: content_block_delta\n{delta}\n\n").repeat(deltas)
}

fn parse(body: &str) {
    let mut parser = Parser::new(Limits::default());
    for chunk in body.as_bytes().chunks(CHUNK) {
        let _ = black_box(parser.push(chunk, |event| {
            black_box(event);
        }));
    }
}

fn decode(id: ProviderId, body: &str) {
    // OpenAI's own host speaks another dialect than the servers that are like it.
    let config = ProviderConfig { base_url: "http://127.0.0.1".to_owned(), ..ProviderConfig::default() };
    let mut decoder = Decoder::new(id, &config);
    let mut out: Vec<ModelEvent> = Vec::new();
    for chunk in body.as_bytes().chunks(CHUNK) {
        decoder.handle_chunk(chunk, &mut out);
        black_box(&out);
        out.clear();
    }
}

fn measure(name: &str, input: impl Fn(usize) -> String, run: impl Fn(&str)) {
    let mut before = Duration::ZERO;
    for deltas in [2_500, 5_000, 10_000, 20_000] {
        let body = input(deltas);
        // The fastest of several runs is the one that least else disturbed.
        let time = (0..9).map(|_| {
            let start = Instant::now();
            run(black_box(&body));
            start.elapsed()
        });
        let time = time.min().unwrap_or_default();
        let growth =
            if before.is_zero() { String::new() } else { format!("{:.2}", time.as_secs_f64() / before.as_secs_f64()) };
        #[allow(clippy::cast_precision_loss)]
        let rate = body.len() as f64 / time.as_secs_f64() / 1e6;
        println!("{name:<34}{:>10}{time:>12.1?}{rate:>10.0}{growth:>9}", body.len());
        before = time;
    }
}
