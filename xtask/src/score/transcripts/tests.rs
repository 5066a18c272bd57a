use serde_json::json;

use super::dialect::Dialect;
use super::expected::compare;
use super::replay::replay;

const LINES: &str = r#"{"choices":[{"delta":{"content":"Hello"}}]}
{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}"#;

#[test]
fn a_file_is_known_by_its_name() {
    let dialect = |name| Dialect::of(name, None).map(|dialect| format!("{dialect:?}"));
    assert_eq!(dialect("openai-responses-web").as_deref(), Some("Responses"));
    assert_eq!(dialect("openai-text").as_deref(), Some("Chat"));
    assert_eq!(dialect("llamacpp-anthropic-analysis").as_deref(), Some("Anthropic"));
    assert_eq!(dialect("somebody-else"), None);
    assert!(Dialect::of("somebody-else", Some("gemini")) == Some(Dialect::Gemini));
}

#[test]
fn what_differs_is_named() {
    let body = Dialect::Chat.as_stream(LINES).unwrap();
    let said = replay(Dialect::Chat, &[body.as_bytes()]);
    let known = json!({"text": "Hello", "thinking": "", "tools": [], "stop": "stop",
        "usage": {"prompt_tokens": 3, "total_tokens": 5}});
    compare(Dialect::Chat, &said, &known).unwrap();
    for (field, value) in [
        ("text", json!("Hello.")),
        ("thinking", json!("Hm")),
        ("tools", json!([{"name": "fetch_url", "input": {}}])),
        ("server_tools", json!([{"name": "web_search", "input": {}}])),
        ("stop", json!("length")),
        ("citations", json!(["https://cited.example/"])),
        ("urls", json!(["https://found.example/"])),
        ("usage", json!({"prompt_tokens": 4})),
    ] {
        let mut other = known.clone();
        other[field] = value;
        let error = compare(Dialect::Chat, &said, &other).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{field}:")), "{field}: {error}");
    }
}
