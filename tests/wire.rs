//! The wire does not change by accident: every golden message is read and written back the same.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sidelight::wire::{
    ExtensionToPage, PageToExtension, PanelToWorker, ProviderId, Settings, Snapshot, WorkerToExtension, WorkerToPanel,
};

fn golden(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/wire/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Reads each message as `T`, writes it back, and returns the tags seen.
fn round_trip<T: Serialize + DeserializeOwned + Debug>(name: &str) -> Vec<String> {
    golden(name)
        .into_iter()
        .map(|message| {
            let parsed: T =
                serde_json::from_value(message.clone()).unwrap_or_else(|e| panic!("{name}: {message}: {e}"));
            assert_eq!(serde_json::to_value(&parsed).unwrap(), message, "{name}");
            message["type"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn golden_messages_survive_the_round_trip() {
    let tags = [
        ("panel_to_worker", round_trip::<PanelToWorker>("panel_to_worker"), 7),
        ("worker_to_panel", round_trip::<WorkerToPanel>("worker_to_panel"), 13),
        ("extension_to_page", round_trip::<ExtensionToPage>("extension_to_page"), 5),
        ("page_to_extension", round_trip::<PageToExtension>("page_to_extension"), 3),
        ("worker_to_extension", round_trip::<WorkerToExtension>("worker_to_extension"), 3),
    ];
    for (name, mut seen, kinds) in tags {
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), kinds, "{name} covers every kind of message: {seen:?}");
    }
}

#[test]
fn an_unknown_tag_is_an_error_that_names_it() {
    let error = serde_json::from_value::<PanelToWorker>(json!({ "type": "dance" })).unwrap_err();
    assert!(error.to_string().contains("dance"), "{error}");
}

#[test]
fn nodes_come_in_pairs() {
    let snapshot = |nodes: &str| serde_json::from_str::<Snapshot>(&format!(r#"{{"text":"ab","nodes":{nodes}}}"#));
    assert_eq!(snapshot("[1,3,1,2]").unwrap().nodes, [(1, 3), (1, 2)]);
    assert_eq!(snapshot("[]").unwrap().nodes, []);
    for odd in ["[1]", "[1,3,1]", "[[1,3]]", "[-1,3]", "[1.5,3]"] {
        assert!(snapshot(odd).is_err(), "{odd}");
    }
}

#[test]
fn the_original_messages_are_still_understood() {
    let highlight = json!({
        "type": "highlight_item", "index": 3,
        "highlight": { "phrase": "always", "category": "logical", "note": "", "source": "", "source_url": "" }
    });
    let parsed: WorkerToPanel = serde_json::from_value(highlight).unwrap();
    assert!(matches!(parsed, WorkerToPanel::HighlightItem { index: 3, highlight } if !highlight.verified));
}

fn settings(stored: &Value) -> Settings {
    Settings::from_storage(stored.as_object().unwrap())
}

#[test]
fn keys_lose_what_a_paste_brings_along() {
    for pasted in ["sk-1", " sk-1\n", "“sk-1”", "sk\u{200B}-1", "\u{FEFF}sk-1\u{2028}", "'sk-1'"] {
        let settings = settings(&json!({ "openaiKey": pasted }));
        assert_eq!(settings.config(ProviderId::Openai).key, "sk-1", "{pasted:?}");
    }
}

#[test]
fn the_legacy_key_counts_as_anthropic_unless_there_is_a_newer_one() {
    let legacy = settings(&json!({ "apiKey": "old" }));
    assert_eq!(legacy.config(ProviderId::Anthropic).key, "old");
    let both = settings(&json!({ "apiKey": "old", "anthropicKey": "new" }));
    assert_eq!(both.config(ProviderId::Anthropic).key, "new");
}

#[test]
fn what_storage_holds_of_another_type_counts_as_not_set() {
    let settings = settings(&json!({ "provider": 5, "openaiKey": null, "openaiModel": ["x"] }));
    assert_eq!(settings, Settings::default());
}

#[test]
fn a_printed_config_never_shows_its_key() {
    let settings = settings(&json!({ "openaiKey": "sk-secret" }));
    assert!(!format!("{settings:?}").contains("sk-secret"));
}
