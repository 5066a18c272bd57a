use super::*;
use serde_json::{Value, json};

const KEY: &str = "sk-secret-123";

fn prompt() -> Prompt {
    Prompt {
        system: "Read with care.".into(),
        turns: vec![Turn::User("One?".into()), Turn::Assistant("\"One\".".into()), Turn::User("Two\n?".into())],
        tools: Tools::default(),
        schema: "",
        max_tokens: 8_000,
    }
}

fn config(base_url: &str) -> ProviderConfig {
    ProviderConfig { key: KEY.into(), base_url: base_url.into(), ..ProviderConfig::default() }
}

fn sent(id: ProviderId, config: &ProviderConfig, quirks: Quirks) -> (HttpRequest, Value) {
    let request = request(id, config, &prompt(), quirks).unwrap();
    let body = serde_json::from_str(&request.body).unwrap();
    (request, body)
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    request.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

#[test]
fn anthropic_is_asked_as_its_api_wants() {
    let (request, body) = sent(ProviderId::Anthropic, &config(""), Quirks::default());
    assert_eq!(request.url, "https://api.anthropic.com/v1/messages");
    assert_eq!(header(&request, "x-api-key"), Some(KEY));
    assert_eq!(header(&request, "anthropic-version"), Some("2023-06-01"));
    assert_eq!(header(&request, "anthropic-dangerous-direct-browser-access"), Some("true"));
    assert_eq!(header(&request, "content-type"), Some("application/json"));
    let expect = json!({
        "model": registry::provider(ProviderId::Anthropic).model,
        "max_tokens": 8000,
        "stream": true,
        "system": [{"type": "text", "text": "Read with care.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "\"One\"."},
                     {"role": "user", "content": "Two\n?"}],
    });
    assert_eq!(body, expect);
}

#[test]
fn a_compatible_server_is_asked_in_chat_completions() {
    let (request, body) = sent(ProviderId::Openai, &config("https://models.example"), Quirks::default());
    assert_eq!(request.url, "https://models.example/v1/chat/completions");
    assert_eq!(header(&request, "authorization"), Some("Bearer sk-secret-123"));
    let expect = json!({
        "model": registry::provider(ProviderId::Openai).model,
        "max_tokens": 8000,
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": [{"role": "system", "content": "Read with care."}, {"role": "user", "content": "One?"},
                     {"role": "assistant", "content": "\"One\"."}, {"role": "user", "content": "Two\n?"}],
    });
    assert_eq!(body, expect);
}

#[test]
fn a_compatible_server_gets_the_old_name_of_the_limit_and_no_empty_key() {
    let local = ProviderConfig { model: "gemma".into(), key: String::new(), ..config("localhost:11434") };
    let (request, body) = sent(ProviderId::Openai, &local, Quirks::default());
    assert_eq!(header(&request, "authorization"), None);
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("gemma"), &json!(8000)));
    assert_eq!(body.get("max_completion_tokens"), None);
    let (request, _) = sent(ProviderId::Anthropic, &local, Quirks::default());
    assert_eq!(header(&request, "x-api-key"), None);
}

#[test]
fn openai_itself_is_asked_for_a_response() {
    let (request, body) = sent(ProviderId::Openai, &config(""), Quirks::default());
    assert_eq!(request.url, "https://api.openai.com/v1/responses");
    assert_eq!(header(&request, "authorization"), Some("Bearer sk-secret-123"));
    let expect = json!({
        "model": registry::provider(ProviderId::Openai).model,
        "instructions": "Read with care.",
        "input": [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "\"One\"."},
                  {"role": "user", "content": "Two\n?"}],
        "max_output_tokens": 8000,
        "store": false,
        "stream": true,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"summary": "auto"},
    });
    assert_eq!(body, expect);
    for (model, thinks) in
        [("gpt-5.2", true), ("o4-mini", true), ("gpt-4.1", false), ("gpt-4o", false), ("gpt-3.5", false)]
    {
        let config = ProviderConfig { model: model.into(), ..config("") };
        let (_, body) = sent(ProviderId::Openai, &config, Quirks::default());
        assert_eq!(body.get("reasoning").is_some(), thinks, "{model}");
    }
}

/// A prompt in the middle of a loop.
fn looping() -> Prompt {
    let result =
        |id: &str, is_error| ToolResult { id: id.into(), name: "fetch_url".into(), text: "So.".into(), is_error };
    Prompt {
        turns: vec![
            Turn::User("Go.".into()),
            Turn::Replay(json!([{"type": "tool_use", "id": "a", "name": "fetch_url", "input": {}}])),
            Turn::ToolResults(vec![result("a", false), result("b", true)]),
        ],
        tools: Tools { web_search: true, fetch_url: true },
        ..prompt()
    }
}

fn looping_body(id: ProviderId, base_url: &str, quirks: Quirks) -> Value {
    serde_json::from_str(&request(id, &config(base_url), &looping(), quirks).unwrap().body).unwrap()
}

#[test]
fn anthropic_is_given_tools_results_and_a_place_to_cache_up_to() {
    let body = looping_body(ProviderId::Anthropic, "", Quirks::default());
    assert_eq!(body["tools"][0], json!({"type": "web_search_20250305", "name": "web_search", "max_uses": 8}));
    let fetch_url = &body["tools"][1];
    assert_eq!((&fetch_url["name"], &fetch_url["input_schema"]["required"]), (&json!("fetch_url"), &json!(["url"])));
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "fetch_url", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "So.", "is_error": false},
                {"type": "tool_result", "tool_use_id": "b", "content": "So.", "is_error": true,
                 "cache_control": {"type": "ephemeral"}}]},
        ])
    );
    let plain = Quirks { no_cache_control: true, ..Quirks::default() };
    assert!(!looping_body(ProviderId::Anthropic, "", plain).to_string().contains("cache_control"));
}

#[test]
fn openai_is_given_tools_as_functions() {
    let body = looping_body(ProviderId::Openai, "http://127.0.0.1:1", Quirks::default());
    assert_eq!(body["tools"].as_array().unwrap().len(), 1, "no search");
    let tool = &body["tools"][0];
    assert_eq!((&tool["type"], &tool["function"]["name"]), (&json!("function"), &json!("fetch_url")));
    assert_eq!(tool["function"]["parameters"]["properties"]["url"]["type"], "string");
    assert_eq!(body["messages"][3], json!({"role": "tool", "tool_call_id": "a", "content": "So."}));
    assert_eq!(body["messages"][4], json!({"role": "tool", "tool_call_id": "b", "content": "So."}));

    let body = looping_body(ProviderId::Openai, "", Quirks::default());
    assert_eq!(body["tools"][0], json!({"type": "web_search"}));
    assert_eq!((&body["tools"][1]["type"], &body["tools"][1]["name"]), (&json!("function"), &json!("fetch_url")));
    assert_eq!(body["include"], json!(["web_search_call.action.sources", "reasoning.encrypted_content"]));
    assert_eq!(body["input"][3], json!({"type": "function_call_output", "call_id": "b", "output": "So."}));
    let plain = Quirks { no_reasoning_summary: true, no_encrypted_reasoning: true, ..Quirks::default() };
    let body = looping_body(ProviderId::Openai, "", plain);
    assert_eq!((body.get("reasoning"), &body["include"]), (None, &json!(["web_search_call.action.sources"])));
}

/// A refusal, and what the next request leaves out because of it.
#[track_caller]
fn check(refusal: &str, expect: Option<Quirks>) -> Quirks {
    let learned = Quirks::default().learn(&ProviderError::from_body(refusal));
    assert_eq!(learned, expect, "{refusal}");
    learned.unwrap_or_default()
}

#[test]
fn what_a_refusal_names_is_left_out_the_next_time() {
    let none = Quirks::default();
    let body = |id, quirks| sent(id, &config("http://10.0.0.2:8000"), quirks).1;

    let quirks = check(
        r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.","param":"max_tokens"}}"#,
        Some(Quirks { other_token_limit: true, ..none }),
    );
    assert_eq!(body(ProviderId::Openai, quirks)["max_completion_tokens"], json!(8000));
    assert_eq!(body(ProviderId::Openai, quirks).get("max_tokens"), None);

    let quirks = check(
        "Unrecognized request argument supplied: stream_options",
        Some(Quirks { no_stream_options: true, ..none }),
    );
    assert_eq!(body(ProviderId::Openai, quirks).get("stream_options"), None);
    assert_eq!(body(ProviderId::Openai, quirks)["stream"], json!(true));

    let quirks = check(
        r#"{"error":{"message":"Your organization must be verified to stream this model.","param":"stream","code":"unsupported_value"}}"#,
        Some(Quirks { no_stream: true, ..none }),
    );
    assert_eq!(body(ProviderId::Openai, quirks)["stream"], json!(false));
    assert_eq!(body(ProviderId::Openai, quirks).get("stream_options"), None);

    let quirks = check(
        r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'system' with this model.","param":"messages[0].role","code":"unsupported_value"}}"#,
        Some(Quirks { no_system_role: true, ..none }),
    );
    assert_eq!(
        body(ProviderId::Openai, quirks)["messages"][0],
        json!({"role": "user", "content": "Read with care.\n\nOne?"})
    );

    let quirks = check(
        "system.0.cache_control: Extra inputs are not permitted",
        Some(Quirks { no_cache_control: true, ..none }),
    );
    assert_eq!(body(ProviderId::Anthropic, quirks)["system"], json!([{"type": "text", "text": "Read with care."}]));

    for refusal in [
        "registry.ollama.ai/library/gemma:2b does not support tools",
        "tools param requires --jinja flag",
        "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
        "No endpoints found that support tool use.",
    ] {
        let learned = check(refusal, Some(Quirks { no_tools: true, ..none }));
        assert_eq!(learned.tools(), Tools::default());
    }
    for refusal in [
        "Web search is not enabled for this organization.",
        "tools.0: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags: 'custom'",
        r#"{"error":{"message":"Hosted tool 'web_search' is not supported with gpt-4.1-nano.","param":"tools"}}"#,
    ] {
        let learned = check(refusal, Some(Quirks { no_web_search: true, ..none }));
        assert_eq!(learned.tools(), Tools { web_search: false, fetch_url: true });
    }
    check(
        r#"{"error":{"message":"Your organization must be verified to generate reasoning summaries.","param":"reasoning.summary","code":"unsupported_value"}}"#,
        Some(Quirks { no_reasoning_summary: true, ..none }),
    );
    check(
        r#"{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}"#,
        Some(Quirks { no_encrypted_reasoning: true, ..none }),
    );

    check("max_tokens: 8000 is more than this model writes", None);
    check("The model does not exist", None);
    check("", None);
}

#[test]
fn a_key_that_no_header_takes_is_refused_with_its_place() {
    for (key, place) in
        [("sk-１", "Character 4 "), ("“sk", "Character 1 "), ("sk\u{7}", "Character 3 "), ("日", "Character 1 ")]
    {
        let error = check_key(key).unwrap_err();
        assert!(error.message.starts_with(place), "{error}");
        let config = ProviderConfig { key: key.into(), ..ProviderConfig::default() };
        assert_eq!(request(ProviderId::Openai, &config, &prompt(), Quirks::default()), Err(error));
    }
    assert_eq!(check_key("sk-proj_Aé9"), Ok(()));
}

#[test]
fn nothing_that_is_printed_holds_the_key() {
    for id in [ProviderId::Anthropic, ProviderId::Openai] {
        let (request, _) = sent(id, &config(""), Quirks::default());
        let printed = format!("{request:?} {:?}", config(""));
        assert!(!printed.contains("secret") && !printed.contains("Read with care"), "{printed}");
        assert!(!request.url.contains("secret") && !request.body.contains("secret"));
    }
}

#[test]
fn the_offline_reader_has_no_request() {
    assert!(request(ProviderId::Rules, &ProviderConfig::default(), &prompt(), Quirks::default()).is_err());
}
