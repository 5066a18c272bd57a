//! What a connection may do to an answer: fail, stall, break, be tried again.

use super::*;

#[test]
fn an_overloaded_provider_is_asked_again_before_the_first_word_only() {
    let mut world = World::openai();
    world.ask(analyze()).respond(529, "application/json", r#"{"error":{"message":"Overloaded"}}"#);
    world.wait();
    assert!(matches!(world.posted.last(), Some(WorkerToPanel::Status { message }) if message.contains("again in")));
    while world.fetches.len() < 2 {
        world.wait();
    }
    world.respond(200, STREAM, &format!("{}{}", delta("Hello"), stop("stop")));
    assert_eq!(world.text(), "Hello");
    assert_eq!(world.done(), (StopReason::EndTurn, false));

    let mut world = World::openai();
    let overloaded = r#"data: {"error":{"message":"Overloaded","type":"overloaded_error"}}"#;
    world.ask(analyze()).respond(200, STREAM, &format!("{}{overloaded}\n\n", delta("Hel")));
    assert_eq!(world.fetches.len(), 1, "text was shown: asking again would say it twice");
    assert_eq!(world.text(), "Hel");
    assert!(matches!(world.posted.last(), Some(WorkerToPanel::Error { retryable: true, .. })));
}

#[test]
fn retries_end() {
    let mut world = World::openai();
    world.ask(analyze());
    for _ in 0..20 {
        if world.posted.iter().any(WorkerToPanel::is_final) {
            break;
        }
        let sent = world.fetches.len();
        world.respond(503, "text/html", "<h1>Service Unavailable</h1>");
        while world.fetches.len() == sent && !world.posted.iter().any(WorkerToPanel::is_final) {
            world.wait();
        }
    }
    assert_eq!(world.error().0, ErrorCode::Overloaded);
    assert!(world.fetches.len() <= 5, "{} tries", world.fetches.len());
}

#[test]
fn the_servers_own_wait_is_respected() {
    let mut world = World::openai();
    world.ask(analyze()).head(429, "application/json", Some("7"));
    world.chunk(b"{}");
    world.dispatcher.handle_end(world.fetch(), world.now);
    world.drain();
    let asked = world.now;
    while world.fetches.len() < 2 {
        world.wait();
    }
    assert!(world.now >= asked + 7_000, "waited {} ms", world.now - asked);
}

#[test]
fn a_silent_provider_is_given_up_and_the_connection_closed() {
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None).chunk(delta("Hel").as_bytes());
    let since = world.now;
    while !world.posted.iter().any(WorkerToPanel::is_final) {
        world.wait();
    }
    assert_eq!(world.error().0, ErrorCode::Stalled);
    assert_eq!(world.now, since + crate::agent::STALL_TIMEOUT);
    assert_eq!(world.aborted, world.fetches);
}

#[test]
fn comments_keep_a_slow_stream_alive() {
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None);
    for _ in 0..20 {
        world.now += crate::agent::STALL_TIMEOUT - 1;
        world.dispatcher.handle_timeout(world.now);
        world.chunk(b": keep-alive\n\n");
    }
    world.chunk(format!("{}{}", delta("Hello"), stop("stop")).as_bytes());
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert!(world.posted.contains(&WorkerToPanel::Ping), "each sign of life reaches the panel");
}

#[test]
fn closing_the_port_closes_the_connection_and_late_bytes_are_nothing() {
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None).chunk(delta("Hel").as_bytes());
    world.dispatcher.handle_disconnect(PORT);
    world.drain();
    assert_eq!(world.aborted, world.fetches);
    let posted = world.posted.len();
    world.chunk(delta("lo").as_bytes());
    assert_eq!(world.posted.len(), posted);
    assert_eq!(world.dispatcher.poll_deadline(), None);
}

#[test]
fn bytes_of_an_earlier_try_never_enter_a_later_one() {
    let mut world = World::openai();
    world.ask(analyze()).respond(503, "text/plain", "busy");
    let first = world.fetch();
    while world.fetches.len() < 2 {
        world.wait();
    }
    world.head(200, STREAM, None);
    world.dispatcher.handle_chunk(first, delta("ghost").as_bytes(), world.now);
    world.chunk(format!("{}{}", delta("Hello"), stop("stop")).as_bytes());
    assert_eq!(world.text(), "Hello");
}

#[test]
fn an_answer_that_was_whole_stays_whole_when_its_connection_breaks() {
    let finish = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None);
    world.chunk(format!("{}data: {finish}\n\n", delta("Hello")).as_bytes());
    world.dispatcher.handle_fetch_failed(world.fetch(), "network error", world.now);
    world.drain();
    assert_eq!(world.done(), (StopReason::EndTurn, false));

    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None).chunk(delta("Hello").as_bytes());
    world.dispatcher.handle_fetch_failed(world.fetch(), "network error", world.now);
    world.drain();
    assert_eq!(world.error().0, ErrorCode::Network);
    assert_eq!(world.text(), "Hello");
}

#[test]
fn a_wait_is_counted_down() {
    let mut world = World::openai();
    world.ask(analyze()).head(429, "application/json", Some("3")).chunk(b"{}");
    world.dispatcher.handle_end(world.fetch(), world.now);
    world.drain();
    while world.fetches.len() < 2 {
        world.wait();
    }
    let left: Vec<&str> = world
        .posted
        .iter()
        .filter_map(
            |message| if let WorkerToPanel::Status { message } = message { Some(message.as_str()) } else { None },
        )
        .filter_map(|message| message.split_once("Trying again in ").map(|(_, left)| left))
        .collect();
    assert_eq!(left, ["3 s.", "2 s.", "1 s."]);
    assert!(
        matches!(world.posted.last(), Some(WorkerToPanel::Status { message }) if message == "Analyzing..."),
        "the wait is over: {:?}",
        world.posted.last()
    );
}

#[test]
fn a_whole_answer_survives_a_connection_nobody_closes() {
    let finish = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None).chunk(format!("{}data: {finish}\n\n", delta("Hello")).as_bytes());
    while !world.posted.iter().any(WorkerToPanel::is_final) {
        world.wait();
    }
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert_eq!(world.aborted, world.fetches);
}

#[test]
fn a_stall_names_the_time_that_really_passed() {
    let mut world = World::openai();
    world.ask(analyze()).head(200, STREAM, None).chunk(thinking("hm").as_bytes());
    while !world.posted.iter().any(WorkerToPanel::is_final) {
        world.wait();
    }
    assert!(world.error().1.contains("60 seconds"), "{:?}", world.error());
}

#[test]
fn a_refusal_whose_body_breaks_off_is_still_that_refusal() {
    let mut world = World::openai();
    world.ask(analyze()).head(401, "application/json", None).chunk(br#"{"error":{"mess"#);
    world.dispatcher.handle_fetch_failed(world.fetch(), "network error", world.now);
    world.drain();
    assert_eq!(world.error().0, ErrorCode::Auth);
}

#[test]
fn a_server_that_refuses_a_parameter_is_asked_without_it_at_once() {
    let mut world = World::openai();
    world.ask(analyze()).respond(
        400,
        "application/json",
        r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#,
    );
    assert_eq!(world.requests.len(), 2);
    assert!(world.requests[0].body.contains("\"max_tokens\""));
    assert!(
        world.requests[1].body.contains("max_completion_tokens") && !world.requests[1].body.contains("\"max_tokens")
    );
    world.respond(400, "application/json", r#"{"error":{"message":"unknown field stream_options"}}"#);
    world.respond(200, STREAM, &format!("{}{}", delta("Hello"), stop("stop")));
    assert_eq!(world.text(), "Hello");
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert!(!format!("{:?}", world.posted).contains("400"), "nobody needs to know: {:?}", world.posted);
}

#[test]
fn a_login_page_instead_of_an_answer_is_named() {
    let mut world = World::openai();
    world.ask(analyze()).respond(200, "text/html", "<!doctype html><title>Sign in</title>\n<p>a: b</p>");
    assert_eq!(world.error().0, ErrorCode::Protocol);
    assert!(world.error().1.contains("Sign in"), "{:?}", world.error());
    assert_eq!(world.fetches.len(), 1);
}

#[test]
fn a_local_server_that_refuses_extensions_is_told_how_to_allow_them() {
    let mut world = World::new(&json!({ "provider": "openai", "openaiBaseUrl": "localhost:11434" }));
    world.ask(analyze());
    let url = world.requests[0].url.clone();
    let head = ResponseHead { status: 403, url, ..ResponseHead::default() };
    for via in [Transport::Direct, Transport::WithoutOrigin] {
        assert_eq!(world.requests.last().unwrap().via, via);
        world.dispatcher.handle_head(world.fetch(), &head, world.now);
        world.dispatcher.handle_end(world.fetch(), world.now);
        world.drain();
    }
    assert_eq!(world.error().0, ErrorCode::OriginRefused);
    assert!(world.error().1.contains("OLLAMA_ORIGINS=chrome-extension://*"), "{:?}", world.error());
}
