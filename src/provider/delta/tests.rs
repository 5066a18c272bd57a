use super::super::anthropic::Messages;
use super::super::dialect::{Answer, Dialect};
use super::super::openai::ChatCompletions;
use super::*;
use proptest::prelude::*;
use sidelight_stream::envelope::Deltas;
use sidelight_stream::sse::{Limits, Parser};

/// Longest text that goes the short way, in bytes.
const MAX_TEXT: usize = 64 * 1024;

/// Reads events of one body with and without the short way; true when the short way was taken.
#[track_caller]
fn check(dialect: &dyn Dialect, body: &[u8], size: usize) -> bool {
    let read = |is_short: bool| {
        let (mut reader, mut answer) = (dialect.reader(), Answer::default());
        let (mut parser, mut deltas) = (Parser::new(Limits::default()), Deltas::default());
        let mut texts = 0;
        let long_way = |parser: &mut Parser,
                        deltas: &mut Deltas,
                        mut bytes: &[u8],
                        answer: &mut Answer,
                        reader: &mut dyn AnswerReader| {
            while !bytes.is_empty() {
                let mut proven = None;
                let taken = parser
                    .push_block(bytes, |event| {
                        reader.handle_event(event, answer);
                        proven = prove(&*reader, event);
                    })
                    .unwrap();
                deltas.observe(&bytes[..taken], parser.is_between_blocks(), proven);
                bytes = &bytes[taken..];
                if is_short && parser.is_between_blocks() {
                    break;
                }
            }
            bytes.len()
        };
        for chunk in body.chunks(size) {
            let mut rest = if is_short && deltas.take_part(chunk) { &[] } else { chunk };
            while !rest.is_empty() {
                if is_short && parser.is_between_blocks() {
                    let taken = deltas.take(rest);
                    texts += taken.events;
                    let (block, text) = deltas.text();
                    if taken.events > 0 {
                        reader.handle_text(block, text, &mut answer);
                    }
                    deltas.clear_text();
                    rest = &rest[taken.bytes..];
                    if rest.is_empty() {
                        break;
                    }
                    let withheld = deltas.take_withheld();
                    let mut left = withheld.len();
                    while left > 0 {
                        let bytes = &withheld[withheld.len() - left..];
                        left = long_way(&mut parser, &mut deltas, bytes, &mut answer, &mut *reader);
                    }
                }
                let left = long_way(&mut parser, &mut deltas, rest, &mut answer, &mut *reader);
                rest = &rest[rest.len() - left..];
            }
        }
        let withheld = deltas.take_withheld();
        let _ = parser.push(&withheld, |event| {
            reader.handle_event(event, &mut answer);
        });
        let end = parser.finish(|event| {
            reader.handle_event(event, &mut answer);
        });
        let said =
            (answer.text, answer.thinking, answer.events, answer.usage, answer.stop, answer.ended, reader.replay());
        (texts, said, end, parser.stray().to_vec())
    };
    let (texts, short, end, stray) = read(true);
    let (_, long, long_end, long_stray) = read(false);
    assert_eq!((short, end, stray), (long, long_end, long_stray), "{}", String::from_utf8_lossy(body));
    texts > 0
}

const BLOCKS: &str = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
                      data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";

fn anthropic(text: &str) -> String {
    format!(
        "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
    )
}

fn chat(text: &str) -> String {
    format!(
        "data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":null}}]}}\n\n"
    )
}

#[test]
fn the_second_piece_of_text_takes_the_short_way() {
    for size in [1, 7, 16, 200, 10_000] {
        assert!(check(&Messages, [anthropic("One"), anthropic(" two \\n\\u00e9 \\\"")].concat().as_bytes(), size));
        assert!(check(&ChatCompletions, [chat("One"), chat(" two")].concat().as_bytes(), size));
        let crlf = [anthropic("One"), anthropic(" two"), anthropic(" three")].concat().replace('\n', "\r\n");
        assert!(check(&Messages, crlf.as_bytes(), size), "CRLF in chunks of {size}");
    }
}

#[test]
fn what_is_almost_the_envelope_goes_the_long_way() {
    let first = anthropic("One");
    let others = [
        anthropic("a\",\"text\":\"b"),
        anthropic("a\\"),
        anthropic("\\ud83d"),
        anthropic("a\nb"),
        anthropic("\\x"),
        anthropic("a").replace("\"index\":0", "\"index\":1"),
        anthropic("a").replace("\"}}\n\n", "\"},\"usage\":{\"output_tokens\":7}}\n\n"),
        anthropic("a").replace("\"}}\n\n", "\"}}\nid: 5\n\n"),
        anthropic("a").replace("event: content_block_delta", "event: error"),
        anthropic("a").trim_end().to_owned(),
        format!(": a comment\n\n{}", anthropic("a")),
        format!("stray\n{}", anthropic("a")),
    ];
    for other in &others {
        for size in [1, 5, 16, 10_000] {
            let body = [&first, other, &first].map(String::as_str).concat();
            check(&Messages, body.as_bytes(), size);
        }
    }
}

#[test]
fn nothing_is_learnt_for_ever_from_events_that_differ_each_time() {
    let body: String = (0..40).map(|n| anthropic("a").replace("\"index\":0", &format!("\"index\":{n}"))).collect();
    assert!(!check(&Messages, body.as_bytes(), 10_000));
}

#[test]
fn a_long_text_goes_the_long_way() {
    let long = anthropic(&"x".repeat(3 * MAX_TEXT));
    assert!(check(&Messages, [anthropic("One"), anthropic(" two"), long, anthropic("End")].concat().as_bytes(), 1000));
}

/// Strings as they stand in JSON, sound and damaged.
fn written() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        8 => "[a-z ]{0,6}",
        2 => proptest::sample::select(vec!["\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\udc15", "é", "犬", "🐕"])
            .prop_map(str::to_owned),
        1 => proptest::sample::select(vec!["\\ud83d", "\\x", "\"", "\n", "\r", "\\", "\u{1}", "\"}}\n\n", "\u{feff}"])
            .prop_map(str::to_owned),
    ];
    proptest::collection::vec(pieces, 0..4).prop_map(|pieces| pieces.concat())
}

/// Data of an event: fields in any order, with any white space, some foreign.
fn anthropic_data() -> impl Strategy<Value = String> {
    let fields = (written(), 0..3_usize, 0..6_usize, any::<bool>(), 0..2_u32);
    fields.prop_map(|(text, order, extra, spaced, index)| {
        let [colon, comma] = if spaced { [" : ", " , "] } else { [":", ","] };
        let delta = format!("{{\"type\"{colon}\"text_delta\"{comma}\"text\"{colon}\"{text}\"}}");
        let mut parts = vec![
            format!("\"type\"{colon}\"content_block_delta\""),
            format!("\"index\"{colon}{index}"),
            format!("\"delta\"{colon}{delta}"),
        ];
        parts.rotate_left(order);
        match extra {
            0 => parts.push("\"usage\":{\"output_tokens\":3}".to_owned()),
            1 => parts.push("\"delta\":{\"type\":\"text_delta\",\"text\":\"again\"}".to_owned()),
            2 => parts.insert(0, "\"note\":\"\\\"text\\\":\\\"\"".to_owned()),
            _ => {}
        }
        format!("{{{}}}", parts.join(comma))
    })
}

fn block(data: &str, shape: u8) -> String {
    match shape {
        0 => format!("data: {data}\n\n"),
        1 => format!("event: content_block_delta\r\ndata:{data}\r\n\r\n"),
        2 => format!(": ping\n\nevent: content_block_delta\ndata: {data}\n\n"),
        3 => format!("data: {data}\revent: x\r\r"),
        4 => format!("id: 1\ndata: {data}\n\n"),
        _ => format!("event: content_block_delta\ndata: {data}\n\n"),
    }
}

proptest! {
    #[test]
    fn short_and_long_way_find_the_same(
        events in proptest::collection::vec((anthropic_data(), 0..12_u8), 1..8),
        repeats in 1..4_usize,
        size in 1..400_usize,
        cut in 0..40_usize,
    ) {
        let body: String = events.iter().flat_map(|(data, shape)| vec![block(data, *shape); repeats]).collect();
        let mut body = format!("{BLOCKS}{body}");
        while cut > 0 && !body.is_char_boundary(body.len().saturating_sub(cut)) {
            body.pop();
        }
        body.truncate(body.len().saturating_sub(cut));
        check(&Messages, body.as_bytes(), size);
    }

    #[test]
    fn pieces_of_text_in_one_envelope_are_the_same_either_way(
        texts in proptest::collection::vec(written(), 2..12), size in 1..300_usize, is_chat in any::<bool>(),
    ) {
        let events = texts.iter().map(|text| if is_chat { chat(text) } else { anthropic(text) });
        let body = if is_chat { events.collect() } else { format!("{BLOCKS}{}", events.collect::<String>()) };
        check(if is_chat { &ChatCompletions } else { &Messages }, body.as_bytes(), size);
    }
}
