//! Two tools in one turn, one of which never answers: over every dialect the model is told so, in its place.

use serde_json::{Value, json};
use sidelight::agent::FetchedPage;
use sidelight::dispatch::{Dispatcher, Effect, PORT_NAME, World};
use sidelight::provider::ResponseHead;
use sidelight::wire::{PanelToWorker, StopReason, WorkerToPanel};

use super::cases::Dialect;
use super::{DIALECTS, NOW, PORT, event, settings};

const QUICK: &str = "https://quick.example/a";
const HUNG: &str = "https://hung.example/b";

/// A turn that calls `fetch_url` for each address, with ids `call_0`, `call_1`.
fn calls(dialect: Dialect, urls: &[&str]) -> String {
    let mut body = String::new();
    for (index, url) in urls.iter().enumerate() {
        let (id, input) = (format!("call_{index}"), json!({ "url": url }));
        let item =
            json!({ "type": "function_call", "call_id": id, "name": "fetch_url", "arguments": input.to_string() });
        let events = match dialect {
            Dialect::Anthropic => vec![
                json!({ "type": "content_block_start", "index": index,
                    "content_block": { "type": "tool_use", "id": id, "name": "fetch_url", "input": {} } }),
                json!({ "type": "content_block_delta", "index": index,
                    "delta": { "type": "input_json_delta", "partial_json": input.to_string() } }),
                json!({ "type": "content_block_stop", "index": index }),
            ],
            Dialect::Chat => {
                vec![json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{ "index": index, "id": id,
                "type": "function", "function": { "name": "fetch_url", "arguments": input.to_string() } }] } }] })]
            }
            Dialect::Responses => vec![
                json!({ "type": "response.output_item.added", "output_index": index, "item": item }),
                json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
            ],
            Dialect::Gemini => vec![json!({ "candidates": [{ "content": { "role": "model", "parts": [
                { "functionCall": { "id": id, "name": "fetch_url", "args": input } }] } }] })],
        };
        body.extend(events.iter().map(|data| event(dialect, data)));
    }
    body + &dialect.end(["tool_use", "tool_calls", "completed", "STOP"])
}

/// Ids and texts of the results in a request, in order.
fn results(dialect: Dialect, body: &str) -> Vec<(String, String)> {
    let body: Value = serde_json::from_str(body).unwrap();
    let list = |name: &str| body[name].as_array().unwrap().clone();
    let found: Vec<(Value, Value)> = match dialect {
        Dialect::Anthropic => list("messages")
            .iter()
            .flat_map(|message| message["content"].as_array().cloned().unwrap_or_default())
            .filter(|block| block["type"] == "tool_result")
            .map(|block| (block["tool_use_id"].clone(), block["content"].clone()))
            .collect(),
        Dialect::Chat => list("messages")
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| (message["tool_call_id"].clone(), message["content"].clone()))
            .collect(),
        Dialect::Responses => list("input")
            .iter()
            .filter(|item| item["type"] == "function_call_output")
            .map(|item| (item["call_id"].clone(), item["output"].clone()))
            .collect(),
        Dialect::Gemini => list("contents")
            .iter()
            .flat_map(|content| content["parts"].as_array().cloned().unwrap_or_default())
            .filter(|part| part["functionResponse"].is_object())
            .map(|part| (part["functionResponse"]["id"].clone(), part["functionResponse"]["response"].clone()))
            .collect(),
    };
    found.iter().map(|(id, text)| (id.as_str().unwrap().to_owned(), text.to_string())).collect()
}

#[test]
fn a_tool_that_never_answers_is_told_to_the_model_beside_the_one_that_did() {
    for dialect in DIALECTS {
        let settings = settings(dialect);
        let mut dispatcher = Dispatcher::new(World { decompose: |c, out| out(c), read_offline: |_| None });
        let (mut now, mut events, mut bodies, mut aborted) = (NOW, Vec::new(), Vec::new(), Vec::new());
        let mut hung = None;
        dispatcher.handle_connect(PORT, PORT_NAME, true, 7);
        let content = format!("The harbour grew.\n\nPAGE LINKS:\n- One: {QUICK}\n- Two: {HUNG}");
        let (url, title) = ("https://example.org/".to_owned(), String::new());
        dispatcher.handle_message(PORT, Ok(PanelToWorker::Analyze { url, title, content, tab_id: None }), now);
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
                    bodies.push(request.body);
                    let answer = match bodies.len() {
                        1 => calls(dialect, &[QUICK, HUNG]),
                        _ => dialect.whole("One of them answered."),
                    };
                    let head = ResponseHead { status: 200, url: request.url, ..ResponseHead::default() };
                    dispatcher.handle_head(id, &head, now);
                    dispatcher.handle_chunk(id, answer.as_bytes(), now);
                    dispatcher.handle_end(id, now);
                }
                Effect::FetchPage(id, url) if url == QUICK => {
                    let content_type = "text/plain".to_owned();
                    let page = FetchedPage {
                        url,
                        status: 200,
                        content_type,
                        body: "Harbours grow.".to_owned(),
                        is_cut: false,
                    };
                    dispatcher.handle_page(id, Ok(page), now);
                }
                Effect::FetchPage(id, url) => {
                    assert_eq!(url, HUNG);
                    hung = Some(id);
                }
                Effect::Abort(id) => aborted.push(id),
                Effect::Close(_) | Effect::TakeSnapshot(..) | Effect::ToPage(..) => {
                    panic!("only an answer was asked for")
                }
            }
        }
        assert_eq!(bodies.len(), 2, "{dialect:?}: {:?}", events.last());
        assert!(aborted.contains(&hung.unwrap()), "{dialect:?}: what nobody waits for is aborted");
        let given_up = now - NOW;
        assert!((10_000..11_000).contains(&given_up), "{dialect:?}: after {given_up} ms");
        let told = results(dialect, &bodies[1]);
        let ids: Vec<&str> = told.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["call_0", "call_1"], "{dialect:?}: each call has its one result, in order");
        assert!(told[0].1.contains("Harbours grow."), "{dialect:?}: {}", told[0].1);
        assert!(told[1].1.contains("it took longer than 10 seconds"), "{dialect:?}: {}", told[1].1);
        let end = events.last();
        assert!(
            matches!(end, Some(WorkerToPanel::Done { stop_reason: Some(StopReason::EndTurn), .. })),
            "{dialect:?}: {end:?}"
        );
    }
}
