//! Who may ask what, and the requests that are no reading.

use super::*;

#[test]
fn strangers_get_no_port() {
    for (name, own_page) in [("agent", false), ("other", true)] {
        let mut world = World::openai();
        world.dispatcher.handle_connect(2, name, own_page, 0);
        world.drain();
        assert!(world.closed);
        world.dispatcher.handle_message(2, Ok(analyze()), world.now);
        world.drain();
        assert!(world.requests.is_empty());
    }
}

#[test]
fn ports_are_bounded() {
    let mut world = World::openai();
    for port in 2..200 {
        world.dispatcher.handle_connect(port, PORT_NAME, true, 0);
    }
    world.drain();
    assert!(world.closed);
    assert_eq!(world.dispatcher.runs.len(), MAX_PORTS);
}

#[test]
fn an_unknown_message_is_answered_and_a_second_request_refused() {
    let mut world = World::openai();
    world.dispatcher.handle_message(PORT, Err("unknown variant `dance`".to_owned()), world.now);
    world.drain();
    assert!(world.error().1.contains("dance"));

    let mut world = World::openai();
    world.ask(analyze()).ask(analyze());
    assert_eq!(world.error().0, ErrorCode::UnknownMessage);
    assert_eq!(world.aborted, world.fetches, "what ran is not left running");
}

#[test]
fn a_ping_is_no_request_and_has_no_answer() {
    let mut world = World::openai();
    world.ask(PanelToWorker::Ping);
    assert!(world.posted.is_empty());
    world.ask(analyze());
    assert_eq!(world.requests.len(), 1);
}

#[test]
fn no_failure_shows_the_key() {
    for status in [400, 401, 403, 404, 429, 500] {
        let mut world = World::openai();
        world.ask(analyze()).respond(
            status,
            "application/json",
            r#"{"error":{"message":"bad key sk-test-0123456789"}}"#,
        );
        while !world.posted.iter().any(WorkerToPanel::is_final) {
            world.wait();
            if world.aborted.len() < world.fetches.len() && !world.posted.iter().any(WorkerToPanel::is_final) {
                world.respond(status, "application/json", r#"{"error":{"message":"bad key sk-test-0123456789"}}"#);
            }
        }
        assert!(!format!("{:?}", world.posted).contains("sk-test-0123456789"), "{status}: {:?}", world.posted);
    }
}

#[test]
fn a_trial_asks_with_what_it_was_given_and_not_with_what_is_stored() {
    let mut world = World::new(&json!({ "provider": "rules" }));
    let config = ProviderConfig { base_url: "http://127.0.0.1:8080".to_owned(), ..ProviderConfig::default() };
    world.ask(PanelToWorker::Test { provider: ProviderId::Openai, config });
    assert_eq!(world.requests[0].url, "http://127.0.0.1:8080/v1/chat/completions");
    world.respond(200, STREAM, &format!("{}{}", delta("Hello"), stop("stop")));
    assert_eq!(world.text(), "Hello");
    assert_eq!(world.done(), (StopReason::EndTurn, false));
}

fn list_models() -> PanelToWorker {
    let config = ProviderConfig { key: "sk-typed".to_owned(), ..ProviderConfig::default() };
    PanelToWorker::Models { provider: ProviderId::Openai, config }
}

#[test]
fn a_list_of_models_is_fetched_with_what_was_typed_and_answered_once() {
    let mut world = World::openai();
    world.ask(list_models()).respond(200, "application/json", r#"{"data":[{"id":"one"},{"id":"two"}]}"#);
    assert_eq!(world.requests[0].url, "https://api.openai.com/v1/models");
    assert!(world.requests[0].headers.contains(&("authorization", "Bearer sk-typed".to_owned())));
    assert_eq!(world.posted[0], WorkerToPanel::Models { models: vec!["one".to_owned(), "two".to_owned()] });
    assert!(world.posted[1].is_final() && world.posted.len() == 2);
    assert_eq!(world.dispatcher.poll_deadline(), None, "nothing is left to wait for");
}

#[test]
fn a_list_of_models_that_does_not_come_is_an_error_in_words() {
    let error = |world: &World| match world.posted.last() {
        Some(WorkerToPanel::Error { message, .. }) => message.clone(),
        other => panic!("{other:?}"),
    };
    let mut refused = World::openai();
    refused.ask(list_models()).respond(401, "application/json", r#"{"error":{"message":"no"}}"#);
    assert!(error(&refused).contains("did not accept the API key"));

    let mut broken = World::openai();
    broken.ask(list_models());
    broken.dispatcher.handle_fetch_failed(broken.fetch(), "refused", broken.now);
    broken.drain();
    assert!(error(&broken).starts_with("No connection to OpenAI."));

    let mut late = World::openai();
    late.ask(list_models());
    late.now = late.dispatcher.poll_deadline().unwrap();
    late.dispatcher.handle_timeout(late.now);
    late.drain();
    assert!(error(&late).contains("in time"));
    assert_eq!(late.aborted, late.fetches);

    let mut closed = World::openai();
    closed.ask(list_models());
    closed.dispatcher.handle_disconnect(PORT);
    closed.drain();
    assert_eq!(closed.aborted, closed.fetches);
}
