//! A request's life as the panel and the page see it, without a browser.

use serde_json::json;

use super::*;
use crate::provider::Transport;
use crate::wire::{Anchor, Category, ProviderConfig, ProviderId, StopReason};

mod long_pages;

mod research;

const PORT: PortId = 1;

/// The world around a dispatcher: keeps what was posted and painted, and the one fetch under way.
struct World {
    dispatcher: Dispatcher,
    settings: Settings,
    now: u64,
    posted: Vec<WorkerToPanel>,
    painted: Vec<(String, bool)>,
    fetches: Vec<FetchId>,
    requests: Vec<HttpRequest>,
    pages: Vec<(FetchId, String)>,
    aborted: Vec<FetchId>,
    ended: Vec<FetchId>,
    anchors: Vec<Option<Anchor>>,
    closed: bool,
    snapshot_asked: bool,
    page_answers: bool,
}

impl World {
    fn new(settings: &serde_json::Value) -> Self {
        let mut world = Self {
            dispatcher: Dispatcher::new(super::World {
                decompose: crate::page::decompose_for_tests,
                read_offline: |text| Some(crate::reading::rules::read(text)),
            }),
            settings: Settings::from_storage(settings.as_object().unwrap()),
            now: 1_000_000,
            posted: Vec::new(),
            painted: Vec::new(),
            fetches: Vec::new(),
            requests: Vec::new(),
            pages: Vec::new(),
            aborted: Vec::new(),
            ended: Vec::new(),
            anchors: Vec::new(),
            closed: false,
            snapshot_asked: false,
            page_answers: true,
        };
        world.dispatcher.handle_connect(PORT, PORT_NAME, true, 7);
        world
    }

    fn openai() -> Self {
        Self::new(&json!({ "provider": "openai", "openaiKey": "sk-test-0123456789", "openaiModel": "m",
            "openaiBaseUrl": "https://models.example" }))
    }

    fn drain(&mut self) {
        while let Some(effect) = self.dispatcher.poll_effect() {
            match effect {
                Effect::Post(_, WorkerToPanel::Batch { events }) => {
                    assert!(events.len() > 1, "a batch of one is no batch");
                    self.posted.extend(events);
                }
                Effect::Post(_, message) => self.posted.push(message),
                Effect::Close(_) => self.closed = true,
                Effect::LoadSettings(port) => {
                    let settings = self.settings.clone();
                    self.dispatcher.handle_settings(port, &settings, self.now);
                }
                Effect::Fetch(id, request) => {
                    self.fetches.push(id);
                    self.requests.push(request);
                }
                Effect::FetchPage(id, url) => self.pages.push((id, url)),
                Effect::Abort(id) => self.aborted.push(id),
                Effect::TakeSnapshot(..) => self.snapshot_asked = true,
                Effect::ToPage(port, _, _, ExtensionToPage::Paint { items, .. }) => {
                    if self.page_answers {
                        self.dispatcher.handle_told(port, self.now);
                    }
                    self.anchors.extend(items.iter().map(|item| item.anchor));
                    self.painted.extend(items.into_iter().map(|item| (item.phrase, item.anchor.is_some())));
                }
                Effect::ToPage(..) => {}
            }
        }
    }

    fn ask(&mut self, message: PanelToWorker) -> &mut Self {
        self.dispatcher.handle_message(PORT, Ok(message), self.now);
        self.drain();
        self
    }

    fn fetch(&self) -> FetchId {
        *self.fetches.last().expect("a fetch is under way")
    }

    fn respond(&mut self, status: u16, content_type: &str, body: &str) -> &mut Self {
        self.head(status, content_type, None).chunk(body.as_bytes());
        self.dispatcher.handle_end(self.fetch(), self.now);
        self.drain();
        self
    }

    fn head(&mut self, status: u16, content_type: &str, retry_after: Option<&str>) -> &mut Self {
        let head = ResponseHead {
            status,
            content_type: content_type.to_owned(),
            retry_after: retry_after.map(str::to_owned),
            url: String::new(),
        };
        self.dispatcher.handle_head(self.fetch(), &head, self.now);
        self.drain();
        self
    }

    fn chunk(&mut self, bytes: &[u8]) -> &mut Self {
        self.dispatcher.handle_chunk(self.fetch(), bytes, self.now);
        self.drain();
        self
    }

    /// Lets time run to the next deadline.
    fn wait(&mut self) -> &mut Self {
        self.now = self.dispatcher.poll_deadline().expect("something is due");
        self.dispatcher.handle_timeout(self.now);
        self.drain();
        self
    }

    fn snapshot(&mut self, text: &str) -> &mut Self {
        let length = u32::try_from(text.encode_utf16().count()).unwrap();
        let snapshot = Snapshot {
            generation: 1,
            text: text.to_owned(),
            nodes: vec![(length, Snapshot::BLOCK | Snapshot::MAIN)],
            ..Snapshot::default()
        };
        self.dispatcher.handle_snapshot(PORT, Some(&snapshot), self.now);
        self.drain();
        self
    }

    fn text(&self) -> String {
        self.posted
            .iter()
            .filter_map(
                |message| if let WorkerToPanel::TextDelta { text } = message { Some(text.as_str()) } else { None },
            )
            .collect()
    }

    fn error(&self) -> (ErrorCode, &str) {
        match self.posted.last() {
            Some(WorkerToPanel::Error { message, code: Some(code), .. }) => (*code, message),
            other => panic!("no error at the end but {other:?}"),
        }
    }

    fn done(&self) -> (StopReason, bool) {
        match self.posted.last() {
            Some(WorkerToPanel::Done { stop_reason: Some(reason), truncated, .. }) => (*reason, *truncated),
            other => panic!("not done but {other:?}"),
        }
    }
}

fn analyze() -> PanelToWorker {
    PanelToWorker::Analyze {
        url: "https://example.org/".to_owned(),
        title: "A page".to_owned(),
        content: "The harbour grew. Experts say it will grow again.".to_owned(),
        tab_id: Some(5),
    }
}

fn highlights(tab_id: Option<i32>) -> PanelToWorker {
    PanelToWorker::Highlights {
        content: "The harbour grew. Experts say it will grow again.".to_owned(),
        analysis: String::new(),
        url: String::new(),
        title: String::new(),
        tab_id,
        reading: "r1".to_owned(),
    }
}

fn delta(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}

fn stop(reason: &str) -> String {
    format!(
        "data: {}\n\ndata: [DONE]\n\n",
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
    )
}

const STREAM: &str = "text/event-stream";

const OBJECT: &str = r#"{"summary":"Two sentences. Here.","category_summaries":{"bias":"One."},"highlights":[
    {"phrase":"Experts say it will grow","category":"logical","note":"nobody is named","source":"","source_url":""},
    {"phrase":"a phrase that is not there","category":"bias","note":"","source":"","source_url":""}]}"#;

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
fn a_highlight_is_painted_when_its_brace_arrives_and_before_the_end_is_told() {
    let mut world = World::openai();
    world.ask(highlights(Some(5)));
    assert!(world.snapshot_asked, "the page's text is asked for with the model, not after it");
    world.head(200, STREAM, None);
    world.snapshot("The harbour grew. Experts say it will grow again.");
    let first = OBJECT.find("},\n    {\"phrase\":\"a phrase").unwrap() + 1;
    world.chunk(delta(&OBJECT[..first]).as_bytes());
    assert_eq!(world.painted, [("Experts say it will grow".to_owned(), true)]);
    world.chunk(delta(&OBJECT[first..]).as_bytes()).chunk(stop("stop").as_bytes());
    assert_eq!(world.painted[1], ("a phrase that is not there".to_owned(), false));
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    let indices: Vec<u32> = world
        .posted
        .iter()
        .filter_map(|m| if let WorkerToPanel::HighlightItem { index, .. } = m { Some(*index) } else { None })
        .collect();
    assert_eq!(indices, [0, 1]);
    assert!(world.posted.iter().any(|m| matches!(m, WorkerToPanel::HighlightsResult { summary, category_summaries }
        if summary == "Two sentences. Here." && category_summaries.contains_key(&Category::Bias))));
}

#[test]
fn done_waits_for_the_page_but_not_for_ever() {
    let mut world = World::openai();
    let body = format!("{}{}", delta(OBJECT), stop("stop"));
    world.ask(highlights(Some(5))).respond(200, STREAM, &body);
    assert!(!world.posted.iter().any(WorkerToPanel::is_final), "the page has not given its text yet");
    while !world.posted.iter().any(WorkerToPanel::is_final) {
        world.wait();
    }
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert_eq!(world.now, 1_000_000 + page_side::SNAPSHOT_TIMEOUT);
}

#[test]
fn a_failure_does_not_wait_for_a_page_with_nothing_to_paint() {
    let mut world = World::openai();
    world.ask(highlights(Some(5))).respond(401, "application/json", "{}");
    assert_eq!(world.error().0, ErrorCode::Auth);
    assert_eq!(world.now, 1_000_000);
}

#[test]
fn a_page_that_is_gone_does_not_stop_the_reading() {
    let mut world = World::openai();
    world.ask(highlights(Some(5))).respond(200, STREAM, &format!("{}{}", delta(OBJECT), stop("stop")));
    world.dispatcher.handle_snapshot(PORT, None, world.now);
    world.drain();
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert!(world.painted.is_empty());
}

#[test]
fn without_a_provider_the_offline_reader_answers_and_nothing_is_fetched() {
    let mut world = World::new(&json!({}));
    world.ask(analyze());
    assert!(!world.text().is_empty());
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert!(world.requests.is_empty());
}

#[test]
fn an_offline_reader_that_did_not_load_is_an_error_that_says_what_to_do() {
    let mut world = World::new(&json!({}));
    world.dispatcher =
        Dispatcher::new(super::World { decompose: crate::page::decompose_for_tests, read_offline: |_| None });
    world.dispatcher.handle_connect(PORT, PORT_NAME, true, 7);
    world.ask(analyze());
    assert!(world.error().1.contains("Reload the extension"), "{:?}", world.error());
}

#[test]
fn a_missing_key_is_said_and_the_offline_reader_still_reads() {
    let mut world = World::new(&json!({ "provider": "anthropic" }));
    world.ask(highlights(None));
    assert!(
        matches!(&world.posted[0], WorkerToPanel::Status { message } if message == "API key not set. Click ⚙ Settings to configure.")
    );
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert!(world.requests.is_empty());
}

#[test]
fn an_unknown_provider_is_an_error_that_says_where_to_choose_another() {
    let mut world = World::new(&json!({ "provider": "oracle" }));
    world.ask(analyze());
    assert!(world.error().1.contains("Settings"), "{:?}", world.error());
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
fn a_trial_asks_with_what_it_was_given_and_not_with_what_is_stored() {
    let mut world = World::new(&json!({ "provider": "rules" }));
    let config = ProviderConfig { base_url: "http://127.0.0.1:8080".to_owned(), ..ProviderConfig::default() };
    world.ask(PanelToWorker::Test { provider: ProviderId::Openai, config });
    assert_eq!(world.requests[0].url, "http://127.0.0.1:8080/v1/chat/completions");
    world.respond(200, STREAM, &format!("{}{}", delta("Hello"), stop("stop")));
    assert_eq!(world.text(), "Hello");
    assert_eq!(world.done(), (StopReason::EndTurn, false));
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

/// A delta of the thinking that servers send beside the answer.
fn thinking(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": text } }] }))
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
fn an_answer_in_one_piece_is_as_good_as_a_stream() {
    let body =
        json!({ "choices": [{ "message": { "role": "assistant", "content": OBJECT }, "finish_reason": "stop" }] });
    let mut world = World::openai();
    world.ask(highlights(None)).respond(200, "application/json", &serde_json::to_string_pretty(&body).unwrap());
    assert_eq!(world.posted.iter().filter(|m| matches!(m, WorkerToPanel::HighlightItem { .. })).count(), 2);
    assert_eq!(world.done(), (StopReason::EndTurn, false));
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
fn phrases_in_the_models_markup_are_found() {
    let page = "The harbour grew. Tom & Jerry say \u{201c}it\u{201d} will <grow> again, and Müller's boats with it.";
    for phrase in [
        "**The harbour grew**",
        "The **harbour** grew",
        "*The harbour* grew.",
        "`The harbour grew`",
        "Tom &amp; Jerry say",
        "say &quot;it&quot; will &lt;grow&gt; again",
        "and Müller&#39;s boats",
        "and Müller&#x27;s boats",
        "<b>The harbour</b> grew",
        "The [harbour](https://example.org/harbour) grew",
    ] {
        let mut world = World::openai();
        world.ask(highlights(Some(5))).head(200, STREAM, None).snapshot(page);
        let object = json!([{ "phrase": phrase, "category": "bias" }]).to_string();
        world.chunk(delta(&object).as_bytes());
        assert_eq!(world.painted, [(phrase.to_owned(), true)]);
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

#[test]
fn done_means_painted_but_a_page_that_never_answers_holds_nothing_up() {
    let mut world = World::openai();
    world.page_answers = false;
    world.ask(highlights(Some(5))).snapshot("The harbour grew. Experts say it will grow again.");
    world.respond(200, STREAM, &format!("{}{}", delta(OBJECT), stop("stop")));
    assert_eq!(world.painted.len(), 2);
    assert!(!world.posted.iter().any(WorkerToPanel::is_final), "the page has not said that it painted");
    world.dispatcher.handle_told(PORT, world.now);
    world.drain();
    assert_eq!(world.done(), (StopReason::EndTurn, false));

    let mut world = World::openai();
    world.page_answers = false;
    world.ask(highlights(Some(5))).snapshot("The harbour grew. Experts say it will grow again.");
    world.respond(200, STREAM, &format!("{}{}", delta(OBJECT), stop("stop")));
    while !world.posted.iter().any(WorkerToPanel::is_final) {
        world.wait();
    }
    assert_eq!(world.now, 1_000_000 + page_side::ANSWER_TIMEOUT);
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

#[test]
fn a_readers_own_instructions_and_language_reach_the_model() {
    let mut world = World::new(&json!({
        "provider": "openai", "openaiKey": "sk-test-0123456789", "answerLanguage": "Esperanto",
        "analysisPrompt": "Count the commas of {text}",
    }));
    world.ask(PanelToWorker::Analyze {
        url: "https://a.example/".to_owned(),
        title: String::new(),
        content: "A page.".to_owned(),
        tab_id: None,
    });
    let body = &world.requests[0].body;
    assert!(body.contains("Count the commas of") && body.contains("Write in Esperanto") && body.contains("untrusted"));
}
