//! What becomes of an answer.

use super::*;

#[test]
fn an_analysis_streams_and_ends() {
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None).chunk(delta("Hel").as_bytes());
    world.chunk(delta("lo").as_bytes());
    world.dispatcher.handle_chunk(world.fetch(), stop("stop").as_bytes(), world.now);
    world.drain();
    assert_eq!(world.text(), "Hello");
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert!(matches!(&world.posted[0], WorkerToPanel::Status { message } if message == "Analyzing..."));
}

#[test]
fn any_cut_of_the_stream_tells_the_panel_the_same() {
    let body = format!("{}{}{}", delta("Grüße, 日本"), delta(" 🐕!"), stop("stop"));
    for cut in 0..=body.len() {
        let mut world = World::openai();
        world.ask(analyze()).head(200, STREAM, None);
        world.chunk(&body.as_bytes()[..cut]);
        if world.aborted.is_empty() {
            world.chunk(&body.as_bytes()[cut..]);
        }
        assert_eq!(world.text(), "Grüße, 日本 🐕!", "cut at {cut}");
        assert_eq!(world.done(), (StopReason::EndTurn, false), "cut at {cut}");
    }
}

#[test]
fn an_answer_without_anything_usable_is_said() {
    let mut world = World::openai();
    let body = format!("{}{}", delta("<|im_end|>user\nAn page"), stop("stop"));
    world.ask(highlights(None)).respond(200, STREAM, &body);
    assert_eq!(world.error().0, ErrorCode::Empty);
    let mut world = World::openai();
    world.ask(analyze()).respond(200, STREAM, &stop("stop"));
    assert_eq!(world.error().0, ErrorCode::Empty);
}

#[test]
fn a_whole_document_without_highlights_is_a_good_answer() {
    let mut world = World::openai();
    let body = format!("{}{}", delta(r#"{"summary":"","highlights":[]}"#), stop("stop"));
    world.ask(highlights(None)).respond(200, STREAM, &body);
    assert_eq!(world.done(), (StopReason::EndTurn, false));
}

#[test]
fn a_cut_answer_never_looks_whole() {
    for (reason, expected) in [("length", StopReason::MaxTokens), ("content_filter", StopReason::ContentFilter)] {
        let mut world = World::openai();
        world.ask(analyze()).respond(200, STREAM, &format!("{}{}", delta("Some text"), stop(reason)));
        assert_eq!(world.done(), (expected, true));
    }
    let mut world = World::openai();
    world.ask(analyze()).respond(200, STREAM, &delta("Some text"));
    assert_eq!(world.error().0, ErrorCode::Truncated);
    assert_eq!(world.text(), "Some text", "what came stays");
}

#[test]
fn a_model_that_repeats_itself_is_stopped_and_what_it_said_stays() {
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None);
    for _ in 0..200 {
        world.chunk(delta("The same again. ").as_bytes());
        world.now += 16;
    }
    assert_eq!(world.error().0, ErrorCode::Runaway);
    assert_eq!(world.aborted, world.fetches, "nobody pays for the rest");
    assert!(world.text().starts_with("The same again. "));
}

#[test]
fn thinking_keeps_the_panel_informed_and_is_no_answer() {
    for (reason, words) in [("length", "Thinking used"), ("stop", "gave no answer")] {
        let mut world = World::openai();
        world.ask(analyze()).head(200, STREAM, None);
        for _ in 0..5 {
            world.now += 1000;
            world.chunk(thinking("hm").as_bytes());
        }
        let thoughts = world.posted.iter().filter(|message| matches!(message, WorkerToPanel::ThinkingDelta { .. }));
        assert_eq!(thoughts.count(), 5, "every sign of life reaches the panel");
        world.chunk(stop(reason).as_bytes());
        assert_eq!(world.error().0, ErrorCode::Empty);
        assert!(world.error().1.contains(words), "{:?}", world.error());
    }
}

#[test]
fn white_space_is_no_answer() {
    let mut world = World::openai();
    world.ask(analyze()).respond(200, STREAM, &format!("{}{}", delta("\n\n"), stop("stop")));
    assert_eq!(world.error().0, ErrorCode::Empty);
    assert!(
        !world
            .posted
            .iter()
            .any(|message| matches!(message, WorkerToPanel::Status { message } if message == "Writing analysis..."))
    );
}

#[test]
fn an_answer_in_one_piece_is_as_good_as_a_stream() {
    let body =
        json!({ "choices": [{ "message": { "role": "assistant", "content": OBJECT }, "finish_reason": "stop" }] });
    let mut world = World::openai();
    world.ask(highlights(None)).respond(200, "application/json", &serde_json::to_string_pretty(&body).unwrap());
    assert_eq!(world.posted.iter().filter(|m| matches!(m, WorkerToPanel::HighlightItem { .. })).count(), 2);
    assert_eq!(world.done(), (StopReason::EndTurn, false));
}

#[test]
fn an_empty_list_is_a_good_answer() {
    for answer in ["[]", "```json\n[]\n```", r#"{"highlights":[]}"#, "<think>Nothing.</think>\n[ ]"] {
        let mut world = World::openai();
        world.ask(highlights(None)).respond(200, STREAM, &format!("{}{}", delta(answer), stop("stop")));
        assert_eq!(world.done(), (StopReason::EndTurn, false), "{answer}");
    }
    for answer in ["[] marks an empty list.", "I found none: see [].", "{}"] {
        let mut world = World::openai();
        world.ask(highlights(None)).respond(200, STREAM, &format!("{}{}", delta(answer), stop("stop")));
        assert_eq!(world.error().0, ErrorCode::Empty, "{answer}");
    }
}

#[test]
fn every_event_of_a_provider_reaches_the_panel() {
    let mut world = World::new(&json!({ "provider": "anthropic", "anthropicKey": "sk-ant-0123456789" }));
    world.ask(highlights(None)).head(200, STREAM, None);
    let asked = world.posted.len();
    let events = [
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 3 } } }),
        json!({ "type": "ping" }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "hm" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "x" } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "{\"summary\"" } }),
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "kind_of_tomorrow" } }),
    ];
    for (count, event) in (1..).zip(&events) {
        world.now += 1000;
        world.chunk(format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()).as_bytes());
        assert_eq!(world.posted.len() - asked, count, "{event} left no trace");
    }
}
