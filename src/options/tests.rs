use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::options::transfer::{export, import};
use crate::wire::Settings;

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|one| (*one).to_owned()).collect()
}

#[test]
fn a_key_is_known_by_its_last_four_characters_unless_it_is_short() {
    assert_eq!(mask_key("sk-0123456789abcd"), "Saved: •••• abcd");
    assert_eq!(mask_key("short"), "A key is saved.");
    assert_eq!(mask_key("ключ-из-двенадцати"), "Saved: •••• цати");
}

#[test]
fn what_can_be_taken_back_is_listed_with_whose_it_is() {
    let granted = strings(&["http://127.0.0.1/*", "https://api.openai.com/*", "http://nas.local/*", "https://*/*"]);
    let listed = sites(&granted, &strings(&["http://127.0.0.1/*"]));
    let rows: Vec<(&str, &str)> = listed.iter().map(|site| (site.label.as_str(), site.provider)).collect();
    assert_eq!(rows, [("api.openai.com", "OpenAI"), ("http://nas.local", ""), ("Every site (https://)", "")]);
    assert!(!covers_every_site(&granted));
    assert!(covers_every_site(&strings(&["http://*/*", "https://*/*"])));
}

#[test]
fn a_file_carries_settings_and_neither_keys_nor_consents() {
    let stored = map(&json!({
        "provider": "openai", "openaiKey": "sk-secret", "apiKey": "sk-old-secret", "openaiModel": "m",
        "openaiInputPrice": 2.5, "answerLanguage": "Deutsch", "readEveryPage": true, "geminiPageProxy": true,
        "openLinks": "always", "openaiLongPages": 900_000, "welcomed": true, "analysisPrompt": "Be kind.", "openaiOutputPrice": null,
    }));
    let content = export(&stored);
    let file = content.to_string();
    assert!(!file.contains("secret") && !file.contains("Key") && !file.contains("Proxy"), "{file}");
    assert!(!file.contains("openLinks") && !file.contains("LongPages"), "consents: {file}");
    let brought = import(&content, &stored).unwrap();
    assert_eq!(brought.dropped_keys, Vec::<String>::new(), "nothing moved");
    let settings = Settings::from_storage(&brought.items);
    assert_eq!(settings.answer_language, "Deutsch");
    assert!(settings.read_every_page);
    assert_eq!(settings.prompts.analysis, "Be kind.");
    assert_eq!(settings.provider.as_deref(), Some("openai"));
    assert_eq!(brought.items["openaiInputPrice"], json!(2.5));
}

#[test]
fn a_file_can_not_lead_a_key_elsewhere() {
    let stored = map(
        &json!({ "openaiKey": "sk-1", "anthropicKey": "sk-2", "apiKey": "sk-3", "openaiBaseUrl": "http://127.0.0.1:1" }),
    );
    let file = |settings: Value| json!({ "sidelight": 1, "settings": settings });
    let moved =
        import(&file(json!({ "openaiBaseUrl": "https://evil.example", "openaiKey": "sk-9" })), &stored).unwrap();
    assert_eq!(moved.dropped_keys, ["openaiKey"]);
    assert!(!moved.items.contains_key("openaiKey"));
    let both = import(&file(json!({ "anthropicBaseUrl": "https://evil.example" })), &stored).unwrap();
    assert_eq!(both.dropped_keys, ["anthropicKey", "apiKey"]);
    let same = import(&file(json!({ "openaiBaseUrl": " http://127.0.0.1:1" })), &stored).unwrap();
    assert_eq!(same.dropped_keys, Vec::<String>::new());
}

#[test]
fn what_is_no_file_of_settings_is_refused_in_words() {
    for file in [
        Value::Null,
        json!([]),
        json!({}),
        json!({ "settings": { "provider": "openai" } }),
        json!({ "sidelight": 2, "settings": { "provider": "openai" } }),
        json!({ "sidelight": 1, "settings": { "provider": 5 } }),
        json!({ "sidelight": 1, "settings": { "provider": "x".repeat(3_000) } }),
    ] {
        let refused = import(&file, &Map::new()).unwrap_err();
        assert_eq!(refused.message, words::say("options_import_foreign", &[]), "{file}");
    }
}

proptest! {
    #[test]
    fn no_file_brings_a_key(name in "[a-z]{0,9}Key", value in "\\PC{0,20}") {
        let file = json!({ "sidelight": 1, "settings": { "provider": "rules", name.clone(): value } });
        prop_assert!(!import(&file, &Map::new()).unwrap().items.contains_key(&name));
    }
}
