use super::*;
use serde_json::{Value, json};

fn settings(stored: &Value) -> Settings {
    Settings::from_storage(stored.as_object().unwrap())
}

#[track_caller]
fn check(stored: &Value, id: ProviderId, notice: Option<&str>) -> Route {
    let route = resolve(&settings(stored)).unwrap();
    assert_eq!((route.id, route.notice), (id, notice));
    route
}

#[test]
fn without_a_provider_the_offline_reader_serves_silently() {
    check(&json!({}), ProviderId::Rules, None);
    check(&json!({"provider": "rules"}), ProviderId::Rules, None);
    check(&json!({"provider": "  ", "openaiKey": "sk-1"}), ProviderId::Rules, None);
}

#[test]
fn without_a_key_the_offline_reader_serves_and_says_so() {
    let notice = Some(NO_KEY_NOTICE);
    assert_eq!(words::say(NO_KEY_NOTICE, &[]), "API key not set. Click ⚙ Settings to configure.");
    check(&json!({"provider": "anthropic"}), ProviderId::Rules, notice);
    check(&json!({"provider": "openai", "openaiKey": " \u{200B}\n"}), ProviderId::Rules, notice);
    check(&json!({"provider": "openai", "openaiBaseUrl": "api.openai.com/v1"}), ProviderId::Rules, notice);
}

#[test]
fn a_base_url_of_ones_own_works_without_a_key() {
    let stored = json!({"provider": "openai", "openaiBaseUrl": "localhost:11434", "openaiModel": "gemma"});
    assert_eq!(check(&stored, ProviderId::Openai, None).config.model, "gemma");
    check(&json!({"provider": "anthropic", "anthropicBaseUrl": "http://127.0.0.1:8080"}), ProviderId::Anthropic, None);
}

#[test]
fn a_key_routes_to_the_provider_with_its_default_model() {
    let route = check(&json!({"provider": "anthropic", "apiKey": "“sk-old”"}), ProviderId::Anthropic, None);
    assert_eq!(route.config.key, "sk-old");
    assert_eq!(route.config.model, registry::provider(ProviderId::Anthropic).model);
}

#[test]
fn what_cannot_work_is_said_at_once() {
    let error = |stored: &Value| resolve(&settings(stored)).unwrap_err();
    let unknown = error(&json!({"provider": "mis\u{0}tral"}));
    assert_eq!(unknown.code, ErrorCode::BadRequest);
    assert!(unknown.message.contains("“mistral”") && unknown.message.contains("Settings"), "{}", unknown.message);
    assert!(error(&json!({"provider": "openai", "openaiBaseUrl": "my server"})).message.contains("base URL"));
    let key = error(&json!({"provider": "openai", "openaiKey": "sk-１23"}));
    assert!(key.message.contains("Character 4") && !key.message.contains("sk-"), "{}", key.message);
}

#[test]
fn a_model_in_the_browser_needs_neither_key_nor_address() {
    check(&json!({"provider": "builtin"}), ProviderId::Builtin, None);
}

#[test]
fn what_is_refused_for_its_origin_goes_the_next_way_and_through_the_page_only_with_consent() {
    let mut gemini = check(&json!({"provider": "gemini", "geminiKey": "k"}), ProviderId::Gemini, None);
    gemini.tab = Some(5);
    assert_eq!(gemini.way_around(Transport::Direct), Ok(Some(Transport::WithoutOrigin)));
    let error = gemini.way_around(Transport::WithoutOrigin).unwrap_err();
    assert_eq!((error.code, error.retryable), (ErrorCode::NeedsConsent, false));
    assert!(error.message.contains("your API key then passes through that page"), "{error}");

    let stored = json!({"provider": "gemini", "geminiKey": "k", "geminiPageProxy": true});
    let mut allowed = check(&stored, ProviderId::Gemini, None);
    assert_eq!(allowed.way_around(Transport::WithoutOrigin).unwrap_err().code, ErrorCode::OriginRefused);
    allowed.tab = Some(5);
    assert_eq!(allowed.way_around(Transport::WithoutOrigin), Ok(Some(Transport::Page(5))));
    assert_eq!(allowed.way_around(Transport::Page(5)), Ok(None));

    let stored = json!({"provider": "openai", "openaiBaseUrl": "localhost:1", "geminiPageProxy": true});
    let openai = Route { tab: Some(5), ..check(&stored, ProviderId::Openai, None) };
    assert_eq!(openai.way_around(Transport::Direct), Ok(Some(Transport::WithoutOrigin)));
    assert_eq!(openai.way_around(Transport::WithoutOrigin), Ok(None));
}
