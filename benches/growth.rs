//! How reading a stream grows with its length: each row doubles the input, and linear work doubles the time.
//!
//! ```text
//! cargo bench --bench growth
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use sidelight::provider::{Decoder, ModelEvent};
use sidelight::sse::{Limits, Parser};
use sidelight::wire::{ProviderConfig, ProviderId};

/// Bytes of a network chunk, as a worker's fetch hands them over.
const CHUNK: usize = 1_400;

fn main() {
    println!("{:<28}{:>10}{:>12}{:>10}{:>9}", "", "bytes", "time", "MB/s", "growth");
    let long_line = |deltas: usize| format!("data: {}\n\n", "x".repeat(deltas * 40));
    measure("sse, many short events", openai_stream, parse);
    measure("sse, one long line", long_line, parse);
    measure("openai answer", openai_stream, |body| decode(ProviderId::Openai, body));
    measure("anthropic answer", anthropic_stream, |body| decode(ProviderId::Anthropic, body));
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
    let mut decoder = Decoder::new(id, &ProviderConfig::default());
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
        let time = (0..25).map(|_| {
            let start = Instant::now();
            run(black_box(&body));
            start.elapsed()
        });
        let time = time.min().unwrap_or_default();
        let growth =
            if before.is_zero() { String::new() } else { format!("{:.2}", time.as_secs_f64() / before.as_secs_f64()) };
        #[allow(clippy::cast_precision_loss)]
        let rate = body.len() as f64 / time.as_secs_f64() / 1e6;
        println!("{name:<28}{:>10}{time:>12.1?}{rate:>10.0}{growth:>9}", body.len());
        before = time;
    }
}
