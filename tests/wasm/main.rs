//! The core in a real browser: port dispatch, provider routing, streams, extraction, anchoring and the JavaScript
//! boundary. Run by `wasm-pack test --headless --chrome`.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

// A module is nothing but a module, so its source is compiled here once more.
#[expect(unreachable_pub, reason = "they are exports of their module")]
#[path = "../../modules/reader/src/functions.rs"]
mod functions;
#[path = "../../modules/worker/src/worker/mod.rs"]
mod worker;

use functions::{extract_complete_highlights, read_offline};
use serde_json::{Value, json};
use sidelight::agent::refusal;
use sidelight::reading::rules;
use sidelight::url::Url;
use sidelight_browser::install;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use worker::{OfflineReader, Worker, page_message};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(module = "/tests/wasm/world.js")]
extern "C" {
    fn reset(settings: JsValue, snapshot: JsValue, answer: JsValue);
    fn open_port(id: u32, name: &str, url: &str) -> JsValue;
    async fn until_final(id: u32) -> JsValue;
    async fn until_posted(id: u32, kind: &str) -> JsValue;
    async fn until_aborted() -> JsValue;
    fn painted_items() -> JsValue;
    fn sent_requests() -> JsValue;
    fn storage_level() -> JsValue;
}

const PANEL: &str = "chrome-extension://test/panel/panel.html";
const TEXT: &str = "The harbour grew. Experts say it will grow again.";

fn js(value: &Value) -> JsValue {
    js_sys::JSON::parse(&value.to_string()).unwrap()
}

fn rust(value: &JsValue) -> Value {
    let text = js_sys::JSON::stringify(value).unwrap();
    serde_json::from_str(&String::from(text)).unwrap()
}

/// A fresh world and a port of the panel in it.
fn world(settings: &Value, answer: &Value) -> Worker {
    install();
    let snapshot = json!({
        "generation": 1, "url": "https://example.org/", "title": "A page", "lang": "en", "text": TEXT,
        "nodes": [TEXT.len(), 3], "hidden": 0, "selection": "", "links": [], "main": "readability"
    });
    reset(js(settings), js(&snapshot), js(answer));
    let offline_reader = OfflineReader { load: || Box::pin(async {}), read: |text| Some(rules::read(text)) };
    let worker = Worker::new(offline_reader);
    connect(&worker, 1, "agent", PANEL);
    worker
}

fn connect(worker: &Worker, id: u32, name: &str, url: &str) {
    worker.connect(id, open_port(id, name, url));
}

fn openai() -> Value {
    json!({ "provider": "openai", "openaiKey": "sk-test", "openaiModel": "m", "openaiBaseUrl": "https://provider.test" })
}

fn anthropic() -> Value {
    json!({ "provider": "anthropic", "anthropicKey": "sk-test", "anthropicBaseUrl": "https://provider.test" })
}

/// A body in chunks of `size` bytes.
fn cut(body: &str, size: usize) -> Vec<Vec<u8>> {
    body.as_bytes().chunks(size).map(<[u8]>::to_vec).collect()
}

fn openai_stream(parts: &[&str]) -> String {
    let mut body = String::new();
    for part in parts {
        let event = json!({ "choices": [{ "index": 0, "delta": { "content": part } }] });
        body.extend(["data: ", &event.to_string(), "\r\n\r\n"]);
    }
    body.push_str(
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n",
    );
    body
}

fn analyze() -> JsValue {
    js(&json!({ "type": "analyze", "url": "https://example.org/", "title": "A page", "content": TEXT, "tabId": 5 }))
}

fn highlights() -> JsValue {
    js(&json!({ "type": "highlights", "content": TEXT, "analysis": "", "tabId": 5, "reading": "r1" }))
}

fn text_of(posted: &Value) -> String {
    posted.as_array().unwrap().iter().filter_map(|message| message["text"].as_str()).collect()
}

#[wasm_bindgen_test]
async fn openai_answers_in_chunks_of_any_size() {
    for size in [1, 2, 3, 7, 64, 100_000] {
        let worker = world(&openai(), &json!({ "chunks": cut(&openai_stream(&["Grüße, ", "日本 🐕", "!"]), size) }));
        worker.message(1, analyze());
        let posted = rust(&until_final(1).await);
        assert_eq!(text_of(&posted), "Grüße, 日本 🐕!", "chunks of {size}");
        assert_eq!(posted.as_array().unwrap().last().unwrap()["stopReason"], "end_turn");
        worker.disconnect(1);
    }
}

#[wasm_bindgen_test]
async fn anthropic_is_spoken_with_its_own_headers() {
    let body = concat!(
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n",
        "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
        "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n",
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    );
    let worker = world(&anthropic(), &json!({ "chunks": cut(body, 50) }));
    worker.message(1, analyze());
    let posted = rust(&until_final(1).await);
    assert_eq!(text_of(&posted), "Hello");
    assert_eq!(posted.as_array().unwrap().last().unwrap()["usage"]["outputTokens"], 9);
    let request = &rust(&sent_requests())[0];
    assert_eq!(request["url"], "https://provider.test/v1/messages");
    assert_eq!(request["headers"]["x-api-key"], "sk-test");
    assert_eq!(request["headers"]["anthropic-dangerous-direct-browser-access"], "true");
    assert_eq!(request["body"]["stream"], true);
}

#[wasm_bindgen_test]
async fn highlights_are_extracted_anchored_and_painted() {
    let answer = r#"```json
{"summary":"One. Two.","highlights":[{"phrase":"Experts say it will grow","category":"logical","note":"nobody named"}]}
```"#;
    let worker = world(&openai(), &json!({ "chunks": cut(&openai_stream(&[answer]), 20) }));
    worker.message(1, highlights());
    let posted = rust(&until_final(1).await);
    let item = posted.as_array().unwrap().iter().find(|message| message["type"] == "highlight_item").unwrap();
    assert_eq!(item["highlight"]["category"], "logical");
    let painted = &rust(&painted_items())[0];
    assert_eq!(painted["anchor"], json!({ "start": 18, "end": 42 }));
    assert_eq!(painted["phrase"], "Experts say it will grow");
}

#[wasm_bindgen_test]
async fn without_settings_the_offline_reader_reads_and_nothing_is_sent() {
    let worker = world(&json!({}), &json!({}));
    worker.message(1, analyze());
    let posted = rust(&until_final(1).await);
    assert!(!text_of(&posted).is_empty());
    assert_eq!(rust(&sent_requests()), json!([]));
    assert_eq!(storage_level().as_string().as_deref(), Some("TRUSTED_CONTEXTS"));
}

#[wasm_bindgen_test]
async fn a_closed_port_aborts_its_fetch() {
    let body = format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": "Hel" } }] }));
    let worker = world(&openai(), &json!({ "chunks": cut(&body, 30), "hang": true }));
    worker.message(1, analyze());
    until_posted(1, "text_delta").await;
    worker.disconnect(1);
    assert_eq!(until_aborted().await.as_f64(), Some(1.0));
}

#[wasm_bindgen_test]
async fn an_error_page_becomes_words() {
    let answer =
        json!({ "status": 404, "headers": { "content-type": "text/html" }, "chunks": cut("<h1>Not Found</h1>", 9) });
    let worker = world(&openai(), &answer);
    worker.message(1, analyze());
    let posted = rust(&until_final(1).await);
    let error = posted.as_array().unwrap().last().unwrap();
    assert_eq!(error["type"], "error");
    assert_eq!(error["code"], "not_found");
}

#[wasm_bindgen_test]
async fn what_is_no_message_is_answered_not_trapped() {
    for nonsense in [
        json!(null),
        json!(5),
        json!("analyze"),
        json!([]),
        json!({}),
        json!({ "type": "dance" }),
        json!({ "type": "analyze" }),
    ] {
        let worker = world(&json!({}), &json!({}));
        worker.message(1, js(&nonsense));
        let posted = rust(&until_final(1).await);
        assert_eq!(posted[0]["code"], "unknown_message", "{nonsense}");
    }
}

#[wasm_bindgen_test]
async fn strangers_get_no_port() {
    let worker = world(&json!({}), &json!({}));
    connect(&worker, 2, "agent", "https://evil.test/");
    let posted = rust(&until_final(2).await);
    assert_eq!(posted[0]["type"], "error");
}

#[wasm_bindgen_test]
fn a_page_asks_where_its_phrases_stand_now() {
    let _worker = world(&json!({}), &json!({}));
    let snapshot = json!({ "generation": 2, "text": "Grüße 🐕 aus Köln", "nodes": [17, 3] });
    let question = json!({ "type": "anchor", "snapshot": snapshot, "phrases": ["aus Köln", "not there at all"] });
    let answer = rust(&page_message(js(&question)));
    assert_eq!(answer, json!({ "type": "anchors", "anchors": [{ "start": 9, "end": 17 }, null] }));
    assert!(page_message(js(&json!({ "type": "other" }))).is_undefined());
}

/// The browser's own normalisation stands in for the tables that native tests use.
#[wasm_bindgen_test]
fn spellings_that_mean_the_same_are_found() {
    let _worker = world(&json!({}), &json!({}));
    for (text, phrase, marked) in [
        ("a \u{fb01}ne o\u{fb03}ce here", "fine office", "\u{fb01}ne o\u{fb03}ce"),
        ("a fine office here", "\u{fb01}ne o\u{fb03}ce", "fine office"),
        ("年は１９８０年", "1980", "１９８０"),
        ("ｶﾞｲﾄﾞブック", "ガイド", "ｶﾞｲﾄﾞ"),
        ("그는 \u{1112}\u{1161}\u{11ab}글을 쓴다", "한글을 쓴다", "\u{1112}\u{1161}\u{11ab}글을 쓴다"),
        ("그는 한글을 쓴다", "\u{1112}\u{1161}\u{11ab}글을 쓴다", "한글을 쓴다"),
        ("هذا قَلَمٌ جديد", "قلم جديد", "قَلَمٌ جديد"),
        ("هذا قلم جديد", "قَلَمٌ جديد", "قلم جديد"),
        ("un cafe\u{301} noir", "café noir", "cafe\u{301} noir"),
        ("un café noir", "cafe\u{301} noir", "café noir"),
        ("ten \u{212b}ngstr\u{f6}m wide", "ångström wide", "\u{212b}ngstr\u{f6}m wide"),
        ("half ½ of x² is", "1⁄2 of x2", "½ of x²"),
    ] {
        let units = |text: &str| text.encode_utf16().count();
        let start = units(&text[..text.find(marked).unwrap()]);
        let snapshot = json!({ "generation": 1, "text": text, "nodes": [units(text), 3] });
        let answer = page_message(js(&json!({ "type": "anchor", "snapshot": snapshot, "phrases": [phrase] })));
        let expected = json!([{ "start": start, "end": start + units(marked) }]);
        assert_eq!(rust(&answer)["anchors"], expected, "{phrase} in {text}");
    }
}

/// The rules for `fetch_url` are tested natively, where a library parses addresses: here the browser does.
#[wasm_bindgen_test]
fn the_rules_for_addresses_hold_with_the_browsers_parser() {
    install();
    let table: Value = serde_json::from_str(include_str!("../fixtures/addresses.json")).unwrap();
    let addresses = |kind: &str| table[kind].as_array().unwrap().iter().map(|address| address.as_str().unwrap());
    for address in addresses("public") {
        assert_eq!(refusal(address, "text/html"), None, "{address}");
    }
    for address in addresses("refused") {
        assert!(refusal(address, "text/html").is_some(), "{address}");
    }
    let further = [
        "https://BÜCHER.example/ä?ä#ä",
        "https://jo:p w@a.example:443/a/./b/../c d",
        "http:///a.example\\b",
        "http://a.example:99999/",
        "http://a b.example/",
        "http://a%20b.example/",
        "http://a%zz.example/",
        "http://a<b>\"|^`{}'c.example/",
        "http://a\u{7f}b\u{ad}c.example/",
        "http://\u{ff41}.example\u{3002}org/",
        "http://1.2.3/",
        "http://1.2.3.4./",
        "http://256.1/",
        "http://09.1/",
        "http://1.2.3.4.5/",
        "http://[::127.0.0.1]/",
        "http://[1:2]/",
        "http://",
        "  http://a.example/\t\n?'\"<>`{}|^\\  ",
    ];
    let base = "https://a.example/b/c?d#e";
    for address in addresses("public").chain(addresses("refused")).chain(further) {
        let is_web = |url: &url::Url| matches!(url.scheme(), "http" | "https");
        let theirs = url::Url::parse(address).ok().filter(is_web);
        assert_eq!(Url::parse(address).as_ref().map(Url::as_str), theirs.as_ref().map(url::Url::as_str), "{address}");
        let theirs = url::Url::parse(base).unwrap().join(address).ok().filter(is_web);
        let ours = Url::parse(base).unwrap().join(address);
        assert_eq!(ours.as_ref().map(Url::as_str), theirs.as_ref().map(url::Url::as_str), "{address} on a page");
    }
}

#[wasm_bindgen_test]
fn complete_highlights_come_out_of_a_growing_buffer() {
    let whole = r#"Grüße 🐕 [{"phrase":"the first phrase","category":"bias","note":"n"}, {"phrase":"the second phrase","category":"emotional"}]"#;
    let cut = whole.find(", {").unwrap() + 8;
    let first = rust(&extract_complete_highlights(&whole[..cut], 0).unwrap_throw());
    assert_eq!(first["highlights"].as_array().unwrap().len(), 1);
    let next = usize::try_from(first["nextPos"].as_u64().unwrap()).unwrap();
    let second = rust(&extract_complete_highlights(whole, next).unwrap_throw());
    assert_eq!(second["highlights"][0]["phrase"], "the second phrase");
    assert_eq!(second["highlights"].as_array().unwrap().len(), 1);
}

#[wasm_bindgen_test]
fn the_playground_reads_offline() {
    let reading = rust(&read_offline(TEXT).unwrap_throw());
    assert!(reading["analysis"].as_str().is_some_and(|analysis| !analysis.is_empty()));
    assert!(reading["categorySummaries"].is_object());
}
