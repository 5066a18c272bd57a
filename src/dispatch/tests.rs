//! A request's life as the panel and the page see it, without a browser.

use serde_json::json;

use super::*;
use crate::provider::Transport;
use crate::wire::{Anchor, Category, ProviderConfig, ProviderId, StopReason};

mod answers;
mod connections;
mod long_pages;
mod openings;
mod painting;
mod ports;
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

    /// Lets what waits for the next message go out.
    fn frame(&mut self) -> &mut Self {
        self.now += 16;
        self.dispatcher.handle_timeout(self.now);
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
        links: vec!["https://linked.example/a".to_owned()],
        private: false,
        tab_id: Some(5),
    }
}

fn highlights(tab_id: Option<i32>) -> PanelToWorker {
    PanelToWorker::Highlights {
        content: "The harbour grew. Experts say it will grow again.".to_owned(),
        analysis: String::new(),
        url: String::new(),
        title: String::new(),
        links: Vec::new(),
        private: false,
        tab_id,
        reading: "r1".to_owned(),
    }
}

fn delta(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
}

/// A delta of the thinking that servers send beside the answer.
fn thinking(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": text } }] }))
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
fn a_readers_own_instructions_and_language_reach_the_model() {
    let mut world = World::new(&json!({
        "provider": "openai", "openaiKey": "sk-test-0123456789", "answerLanguage": "Esperanto",
        "analysisPrompt": "Count the commas of {text}",
    }));
    world.ask(PanelToWorker::Analyze {
        url: "https://a.example/".to_owned(),
        title: String::new(),
        content: "A page.".to_owned(),
        links: Vec::new(),
        private: false,
        tab_id: None,
    });
    let body = &world.requests[0].body;
    assert!(body.contains("Count the commas of") && body.contains("Write in Esperanto") && body.contains("untrusted"));
}
