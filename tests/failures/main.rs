//! Every way in which a provider fails, over every dialect, from the request to the words in the panel.
//!
//! The table stands in `cases.rs`. A row is an answer, told in the words of each dialect, and what must become of it: the
//! sentence a reader sees, which says what to do next, and how often the provider was asked.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod cases;
mod obedient;
mod unanswered;

use cases::{Answer, CASES, Dialect, Ends, KEY};
use serde_json::{Value, json};
use sidelight::agent::FetchedPage;
use sidelight::dispatch::{self, Dispatcher, Effect, FetchId, PORT_NAME, PortId};
use sidelight::panel::{Panel, ReadPage, Request, Tab};
use sidelight::provider::ResponseHead;
use sidelight::wire::{ErrorCode, PanelToWorker, Settings, WorkerToPanel};

const PORT: PortId = 1;
const TAB: i32 = 5;

/// Sat, 25 Jul 2026 12:00:00 GMT, in milliseconds since 1970.
const NOW: u64 = 1_784_980_800_000;

const DIALECTS: [Dialect; 4] = [Dialect::Anthropic, Dialect::Chat, Dialect::Responses, Dialect::Gemini];

/// What came of a request.
struct Told {
    events: Vec<WorkerToPanel>,
    /// What the provider was asked, one body for each time.
    bodies: Vec<String>,
    /// Milliseconds from the request to the last word.
    took: u64,
    /// Everything the panel shows of it.
    shown: String,
    /// Whether a connection is still open at the end.
    left_open: bool,
}

impl Told {
    fn text(&self) -> String {
        let text = |event: &WorkerToPanel| {
            if let WorkerToPanel::TextDelta { text } = event { Some(text.clone()) } else { None }
        };
        self.events.iter().filter_map(text).collect()
    }

    fn error(&self) -> Option<(ErrorCode, bool, &str)> {
        if let WorkerToPanel::Error { message, code: Some(code), retryable, .. } = self.events.last()? {
            Some((*code, *retryable, message))
        } else {
            None
        }
    }

    fn count_downs(&self) -> Vec<String> {
        let label = |event: &WorkerToPanel| {
            if let WorkerToPanel::Status { message } = event { Some(message.clone()) } else { None }
        };
        self.events.iter().filter_map(label).filter(|label| label.contains("Trying again in")).collect()
    }
}

fn settings(dialect: Dialect) -> Settings {
    let name = dialect.provider();
    let stored = json!({ "provider": name, format!("{name}Key"): KEY, format!("{name}Model"): "m-1",
        format!("{name}BaseUrl"): dialect.base_url() });
    Settings::from_storage(stored.as_object().unwrap())
}

/// What the world around the worker does.
struct World<'a> {
    /// The provider's answer to a request, which is numbered from zero.
    answer: &'a dyn Fn(usize) -> Answer,
    /// What stands at an address; nobody answers there when there is nothing.
    page: &'a dyn Fn(&str) -> Option<FetchedPage>,
}

/// Reads a page with a provider that answers each request the same way.
fn read(dialect: Dialect, answer: &Answer) -> Told {
    let content = "The harbour grew. ".repeat(10);
    let nowhere = |url: &str| panic!("only an answer was asked for, not {url}");
    read_in(dialect, &content, &World { answer: &|_| answer.clone(), page: &nowhere })
}

/// What the page links to.
const LINKS: [&str; 2] = ["https://quick.example/a", "https://hung.example/b"];

/// Reads a page of this content.
fn read_in(dialect: Dialect, content: &str, world: &World<'_>) -> Told {
    let (url, title, content) = ("https://example.org/".to_owned(), "A page".to_owned(), content.to_owned());
    let links = LINKS.map(str::to_owned).to_vec();
    ask(dialect, PanelToWorker::Analyze { url, title, content, links, private: false, tab_id: None }, world)
}

/// Sends a request to a provider of this dialect, and plays the world until it has ended.
fn ask(dialect: Dialect, request: PanelToWorker, world: &World<'_>) -> Told {
    let settings = settings(dialect);
    let offline = dispatch::World { decompose: |c, out| out(c), read_offline: |_| None };
    let mut dispatcher = Dispatcher::new(offline);
    let (mut now, mut events, mut bodies) = (NOW, Vec::new(), Vec::new());
    let mut open: Vec<FetchId> = Vec::new();
    dispatcher.handle_connect(PORT, PORT_NAME, true, 7);
    dispatcher.handle_message(PORT, Ok(request), now);
    while !events.iter().any(WorkerToPanel::is_final) {
        let Some(effect) = dispatcher.poll_effect() else {
            now = dispatcher.poll_deadline().expect("a reading without an end has something due");
            dispatcher.handle_timeout(now);
            continue;
        };
        match effect {
            Effect::Post(_, WorkerToPanel::Batch { events: batch }) => events.extend(batch),
            Effect::Post(_, event) => events.push(event),
            Effect::LoadSettings(port) => dispatcher.handle_settings(port, &settings, now),
            Effect::Fetch(id, request) => {
                assert!(!request.url.contains(KEY) && !request.body.contains(KEY), "a key belongs into a header");
                let is_over = give(&mut dispatcher, id, &request.url, &(world.answer)(bodies.len()), now);
                bodies.push(request.body);
                open.extend((!is_over).then_some(id));
            }
            Effect::FetchPage(id, url) => match (world.page)(&url) {
                Some(page) => dispatcher.handle_page(id, Ok(page), now),
                None => open.push(id),
            },
            Effect::Abort(id) => open.retain(|other| *other != id),
            Effect::Close(_) | Effect::TakeSnapshot(..) | Effect::ToPage(..) => {
                panic!("only an answer was asked for")
            }
        }
    }
    while let Some(effect) = dispatcher.poll_effect() {
        if let Effect::Abort(id) = effect {
            open.retain(|other| *other != id);
        }
    }
    let shown = show(settings, &events, now);
    Told { events, bodies, took: now - NOW, shown, left_open: !open.is_empty() }
}

/// Plays an answer; true when its connection is over.
fn give(dispatcher: &mut Dispatcher, id: FetchId, url: &str, answer: &Answer, now: u64) -> bool {
    if let Some((status, content_type, retry_after)) = answer.head() {
        let head = ResponseHead {
            status,
            content_type: content_type.to_owned(),
            retry_after: (!retry_after.is_empty()).then(|| retry_after.to_owned()),
            url: url.to_owned(),
        };
        dispatcher.handle_head(id, &head, now);
    }
    let body = answer.body().as_bytes();
    for piece in body.chunks(if body.len() > 100_000 { 100_000 } else { 7 }) {
        dispatcher.handle_chunk(id, piece, now);
    }
    match answer {
        Answer::Status(..) | Answer::Typed(..) | Answer::Stream(_) => dispatcher.handle_end(id, now),
        Answer::Cut(_) | Answer::Unreachable => dispatcher.handle_fetch_failed(id, "network error", now),
        Answer::Stall(_) | Answer::Silence => return false,
    }
    true
}

/// What the panel shows of the notices of a reading.
fn show(settings: Settings, events: &[WorkerToPanel], now: u64) -> String {
    let mut panel = Panel::default();
    panel.handle_settings(settings, true);
    let (url, title) = ("https://example.org/".to_owned(), "A page".to_owned());
    panel.handle_tab(Tab { id: TAB, url: Some(url.clone()), title: Some(title.clone()) });
    panel.handle_read(TAB);
    panel.handle_page(TAB, ReadPage { url, title, ..ReadPage::default() }, String::new(), "r1".to_owned(), NOW);
    for event in events {
        panel.handle_message("r1", Request::Analysis, event.clone(), now);
    }
    panel.handle_message("r1", Request::Highlights, events.last().unwrap().clone(), now);
    let notices = panel.view(now).notices;
    notices.into_iter().flat_map(|notice| [notice.text, notice.details]).collect::<Vec<_>>().join("\n")
}

/// What a person can do, as the sentences say it.
const STEPS: [&str; 8] = [
    "in ⚙ Settings",
    "Try again",
    "try again",
    "Select the part to read",
    "Add some there",
    "Check that it runs",
    "Allow this only if",
    "choose another model",
];

#[test]
fn every_failure_over_every_dialect_is_said_in_words_with_the_next_step() {
    let mut wrong = Vec::new();
    for case in CASES {
        for dialect in DIALECTS {
            let Some(answer) = (case.answer)(dialect) else { continue };
            let told = read(dialect, &answer);
            let says = case.says.replace("{name}", dialect.name());
            let mut fault = |what: String| wrong.push(format!("{} over {dialect:?}: {what}", case.name));
            match case.ends {
                Ends::Failed(code, retryable) => {
                    if told.error() != Some((code, retryable, &says)) {
                        fault(format!("not {code:?}, {retryable}, {says:?}\n    but {:?}", told.events.last()));
                    }
                }
                Ends::Short => {
                    if told.error().is_some() || !told.shown.contains(&says) {
                        fault(format!("not {says:?}\n    but {:?}", told.shown));
                    }
                }
            }
            if told.bodies.len() != case.asked {
                fault(format!("asked {} times, not {}", told.bodies.len(), case.asked));
            }
            if !told.shown.contains(&says) {
                fault(format!("the panel does not show it: {:?}", told.shown));
            }
            if !STEPS.iter().any(|step| told.shown.contains(step)) {
                fault(format!("no next step in {:?}", told.shown));
            }
            if told.text() != case.keeps {
                fault(format!("keeps {:?}, not {:?}", told.text(), case.keeps));
            }
            if told.left_open {
                fault("its connection stays open".to_owned());
            }
            let all = format!("{:?}{}", told.events, told.shown);
            for secret in [KEY, &KEY[..12], "<html", "<body", "<h1", "</"] {
                if all.contains(secret) {
                    fault(format!("shows {secret:?}: {all}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_case_is_told_in_every_dialect_that_can_say_it() {
    for case in CASES {
        let silent: Vec<_> = DIALECTS.into_iter().filter(|dialect| (case.answer)(*dialect).is_none()).collect();
        assert_eq!(silent, case.unsaid, "{}", case.name);
    }
}

#[test]
fn a_pause_that_a_provider_asks_for_is_kept_to_and_counted_down() {
    for dialect in DIALECTS {
        let busy = |retry_after| Answer::Status(429, retry_after, dialect.report(429, "slow down"));
        for (retry_after, seconds) in [("7", 7), ("Sat, 25 Jul 2026 12:00:07 GMT", 7), ("7200", 60)] {
            let told = read(dialect, &busy(retry_after));
            let first = &told.count_downs()[0];
            assert!(first.ends_with(&format!(" Trying again in {seconds} s.")), "{dialect:?} {retry_after}: {first}");
            assert!(told.count_downs().len() > 6, "{dialect:?}: the count-down moves");
            assert!(told.took >= seconds * 1_000, "{dialect:?} {retry_after}: after {} ms", told.took);
        }
    }
}

/// Google names the pause inside the report.
#[test]
fn a_pause_inside_the_report_is_kept_to_like_one_in_the_header() {
    let report = |delay: &str| {
        json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down", "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]}})
    };
    for (delay, seconds) in [("7s", 7), ("6.2s", 7), ("7200s", 60)] {
        let refused = read(Dialect::Gemini, &Answer::Status(429, "", report(delay).to_string()));
        let in_stream = read(Dialect::Gemini, &Answer::Stream(event(Dialect::Gemini, &report(delay))));
        for told in [refused, in_stream] {
            let first = &told.count_downs()[0];
            assert!(first.ends_with(&format!(" Trying again in {seconds} s.")), "{delay}: {first}");
            assert!(told.took >= seconds * 1_000, "{delay}: after {} ms", told.took);
        }
    }
    // What is no duration is no pause.
    let told = read(Dialect::Gemini, &Answer::Status(429, "", report("soon").to_string()));
    assert!(told.took < 60_000, "{} ms", told.took);
}

#[test]
fn silence_is_borne_for_five_minutes_before_the_first_byte_and_for_one_behind_it() {
    for dialect in DIALECTS {
        assert_eq!(read(dialect, &Answer::Silence).took, 300_000, "{dialect:?}");
        assert_eq!(read(dialect, &Answer::Stall(dialect.text("Some"))).took, 60_000, "{dialect:?}");
    }
}

#[test]
fn a_whole_answer_is_no_failure() {
    for dialect in DIALECTS {
        let told = read(dialect, &Answer::Stream(dialect.whole("All of it.")));
        assert_eq!((told.text().as_str(), told.error(), told.shown.as_str()), ("All of it.", None, ""), "{dialect:?}");
        let told = read(dialect, &Answer::Cut(dialect.whole("All of it.")));
        assert_eq!((told.text().as_str(), told.error()), ("All of it.", None), "{dialect:?}: cut behind its end");
    }
}

/// JSON as one event of a stream.
fn event(dialect: Dialect, data: &Value) -> String {
    match dialect {
        Dialect::Anthropic | Dialect::Responses => {
            format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or("error"))
        }
        Dialect::Chat | Dialect::Gemini => format!("data: {data}\n\n"),
    }
}
