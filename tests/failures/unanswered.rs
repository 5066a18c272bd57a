//! Two tools in one turn, one of which never answers: over every dialect the model is told so, in its place.

use serde_json::{Value, json};
use sidelight::agent::FetchedPage;
use sidelight::wire::{StopReason, WorkerToPanel};

use super::cases::{Answer, Dialect};
use super::{DIALECTS, World, event, read_in};

const QUICK: &str = "https://quick.example/a";
const HUNG: &str = "https://hung.example/b";

/// A turn that calls `fetch_url` for each address, with ids `call_0`, `call_1`.
pub(super) fn calls(dialect: Dialect, urls: &[&str]) -> String {
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
    let content = format!("The harbour grew.\n\nPAGE LINKS:\n- One: {QUICK}\n- Two: {HUNG}");
    let page = |url: &str| {
        assert!([QUICK, HUNG].contains(&url), "{url}");
        let (content_type, body) = ("text/plain".to_owned(), "Harbours grow.".to_owned());
        (url == QUICK).then(|| FetchedPage { url: url.to_owned(), status: 200, content_type, body, is_cut: false })
    };
    for dialect in DIALECTS {
        let answer = |asked| {
            Answer::Stream(match asked {
                0 => calls(dialect, &[QUICK, HUNG]),
                _ => dialect.whole("One of them answered."),
            })
        };
        let told = read_in(dialect, &content, &World { answer: &answer, page: &page });
        assert_eq!(told.bodies.len(), 2, "{dialect:?}: {:?}", told.events.last());
        assert!(!told.left_open, "{dialect:?}: what nobody waits for is aborted");
        assert!((10_000..11_000).contains(&told.took), "{dialect:?}: after {} ms", told.took);
        let found = results(dialect, &told.bodies[1]);
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["call_0", "call_1"], "{dialect:?}: each call has its one result, in order");
        assert!(found[0].1.contains("Harbours grow."), "{dialect:?}: {}", found[0].1);
        assert!(found[1].1.contains("it took longer than 10 seconds"), "{dialect:?}: {}", found[1].1);
        let end = told.events.last();
        assert!(
            matches!(end, Some(WorkerToPanel::Done { stop_reason: Some(StopReason::EndTurn), .. })),
            "{dialect:?}: {end:?}"
        );
    }
}
