use super::*;
use proptest::prelude::*;

/// What one parse gave: `(event, data, id)` of each event, and the end.
type Parse = (Vec<(String, String, String)>, End);

fn parse_chunks<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limits: Limits) -> Parse {
    let mut parser = Parser::new(limits);
    let mut events = Vec::new();
    let mut keep = |event: Event<'_>| events.push((event.event.into(), event.data.into(), event.id.into()));
    for chunk in chunks {
        let _ = parser.push(chunk, &mut keep);
    }
    let end = parser.finish(&mut keep);
    (events, end)
}

fn parse(bytes: &[u8]) -> Parse {
    parse_chunks([bytes], Limits::default())
}

/// Parses whole, cut in two at every byte, and byte by byte; all must agree.
#[track_caller]
fn check(bytes: &[u8], data: &[&str], end: End) {
    let whole = parse(bytes);
    assert_eq!(whole.0.iter().map(|event| event.1.as_str()).collect::<Vec<_>>(), data);
    assert_eq!(whole.1, end);
    for cut in 0..=bytes.len() {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(parse_chunks([head, tail], Limits::default()), whole, "cut at {cut}");
    }
    assert_eq!(parse_chunks(bytes.chunks(1), Limits::default()), whole, "byte by byte");
}

#[test]
fn lines_end_in_lf_cr_or_crlf() {
    check(b"data: A\r\ndata: B\r\ndata: C\r\n\r\n", &["A\nB\nC"], End::Complete);
    check(b"data: x\r\rdata: y\r\r", &["x", "y"], End::Complete);
    check(b"data: x\n\ndata: y\n\n", &["x", "y"], End::Complete);
    check(b"data: x\n\r\ndata: y\r\n\n", &["x", "y"], End::Complete);
}

#[test]
fn one_space_after_the_colon_is_optional() {
    check(b"data:[DONE]\n\ndata: [DONE]\n\ndata:  two\n\n", &["[DONE]", "[DONE]", " two"], End::Complete);
}

#[test]
fn data_lines_are_joined() {
    check(b"data: {\ndata: \"a\":1}\n\n", &["{\n\"a\":1}"], End::Complete);
    check(b"data\ndata\n\n", &["\n"], End::Complete);
}

#[test]
fn comments_show_nothing() {
    check(b": ping\n\n:\n\n: x\ndata: y\n\n", &["y"], End::Complete);
    let mut parser = Parser::new(Limits::default());
    assert_eq!(parser.push(b": OPENROUTER PROCESSING\n\n", |_| panic!("no event")), Ok(0));
}

#[test]
fn a_comment_wrapped_as_data_and_empty_data_are_events() {
    check(b"data: : PROCESSING\n\ndata:\n\nevent: ping\ndata: \n\n", &[": PROCESSING", "", ""], End::Complete);
}

#[test]
fn an_event_without_data_is_none() {
    check(b"event: x\n\nid: 1\n\ndata: y\n\n", &["y"], End::Complete);
}

#[test]
fn event_id_and_retry_are_read() {
    let (events, _) = parse(b"event: a\nid: 7\ndata: x\n\ndata: y\n\nid: n\0l\nid\ndata: z\n\n");
    let owned = |event: &str, data: &str, id: &str| (event.to_owned(), data.to_owned(), id.to_owned());
    assert_eq!(events, [owned("a", "x", "7"), owned("message", "y", "7"), owned("message", "z", "")]);
    let mut parser = Parser::new(Limits::default());
    parser.push(b"retry: 1500\nretry: soon\n\n", |_| ()).unwrap();
    assert_eq!(parser.retry(), Some(1500));
}

#[test]
fn a_byte_order_mark_is_skipped_once() {
    check(b"\xEF\xBB\xBFdata: x\n\n", &["x"], End::Complete);
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFdata: x\n\n", &[], End::Complete);
    check(b"\xEF\xBBdata: x\n\n", &[], End::Complete);
    check(b"\xEF\xBB", &[], End::Complete);
}

#[test]
fn characters_are_whole_wherever_the_bytes_are_cut() {
    check("data: café 日本語 🐕 использовать\n\n".as_bytes(), &["café 日本語 🐕 использовать"], End::Complete);
}

#[test]
fn bytes_that_are_no_text_cost_only_themselves() {
    check(b"data: a\xFFb\n\ndata: c\n\n", &["a\u{FFFD}b", "c"], End::Complete);
}

#[test]
fn the_tail_counts_without_its_line_end() {
    check(b"data: x\n\ndata: [DONE]", &["x", "[DONE]"], End::Truncated);
    check(b"data: x\n", &["x"], End::Truncated);
    check(b"data: x\n\nevent: y", &["x"], End::Truncated);
    check(b"data: x\n\n: bye", &["x"], End::Complete);
    check(b"", &[], End::Complete);
}

#[test]
fn lines_that_are_no_field_are_kept_aside() {
    let body = b"data: x\n\n{\"error\":\n  {\"message\": \"full\"}}";
    for cut in 0..body.len() {
        let mut parser = Parser::new(Limits::default());
        parser.push(&body[..cut], |_| ()).unwrap();
        parser.push(&body[cut..], |_| ()).unwrap();
        parser.finish(|_| ());
        assert_eq!(parser.stray(), b"{\"error\":\n  {\"message\": \"full\"}}\n");
    }
}

#[test]
fn a_field_name_cut_off_at_the_end_is_not_stray() {
    for name in ["d", "dat", "eve", "i", "retr"] {
        let mut parser = Parser::new(Limits::default());
        parser.push(name.as_bytes(), |_| ()).unwrap();
        assert_eq!((parser.finish(|_| ()), parser.stray()), (End::Complete, &b""[..]));
    }
}

#[test]
fn stray_lines_are_bounded() {
    let mut parser = Parser::new(Limits { line: 100, event: 10 });
    for _ in 0..50 {
        parser.push(b"<p>not an event</p>\n", |_| ()).unwrap();
    }
    assert!(parser.stray().len() <= 10);
}

#[test]
fn what_is_too_long_overflows_wherever_it_is_cut() {
    let line = Limits { line: 12, event: 100 };
    let event = Limits { line: 100, event: 10 };
    let cases: [(Limits, &[u8], &str, OverflowError); 2] = [
        (line, b"data: 123456\n\ndata: 1234567\n\ndata: late\n\n", "123456", OverflowError::Line),
        (
            event,
            b"data: 12345\ndata: 1234\n\ndata: 12345\ndata: 12345\n\ndata: late\n\n",
            "12345\n1234",
            OverflowError::Event,
        ),
    ];
    for (limits, body, before, error) in cases {
        let expected = (vec![("message".into(), before.into(), String::new())], End::Overflow(error));
        for cut in 0..body.len() {
            let (head, tail) = body.split_at(cut);
            assert_eq!(parse_chunks([head, tail], limits), expected, "cut at {cut}");
        }
    }
}

#[test]
fn an_overflow_is_final_and_frees_its_memory() {
    let mut parser = Parser::new(Limits { line: 4, event: 4 });
    assert_eq!(parser.push(b"data: long", |_| ()), Err(OverflowError::Line));
    assert_eq!(parser.push(b"\n\ndata\n\n", |_| panic!("late event")), Err(OverflowError::Line));
    assert_eq!(parser.line.capacity() + parser.data.capacity(), 0);
}

/// Growth in steps, not seconds: however the stream is cut, each byte is searched once.
#[test]
fn every_byte_is_examined_once() {
    for size in [1_000, 2_000, 4_000] {
        let mut body = b"data: ".to_vec();
        body.resize(size, b'x');
        body.extend_from_slice(b"\n\nevent: y\ndata: z\n\n");
        for chunk in [1, 7, body.len()] {
            let mut parser = Parser::new(Limits::default());
            for part in body.chunks(chunk) {
                parser.push(part, |_| ()).unwrap();
            }
            assert_eq!(parser.examined, body.len());
        }
    }
}

proptest! {
    /// Any bytes out of the parser's own alphabet, cut anywhere: the same events, the same end.
    #[test]
    fn cuts_change_nothing(
        pieces in prop::collection::vec(prop::sample::select(&[
            "data", "event", "id", ":", " ", "\r", "\n", "\r\n", "\n\n", "x", "é", "{", "\u{FEFF}", "data: 1\n\n",
        ][..]), 0..40),
        cuts in prop::collection::vec(0_usize..200, 0..6),
    ) {
        let body = pieces.concat().into_bytes();
        let limits = Limits { line: 24, event: 16 };
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]);
        prop_assert_eq!(parse_chunks(chunks, limits), parse_chunks([body.as_slice()], limits));
    }
}
