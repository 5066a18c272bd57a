use super::*;

fn config(base_url: &str) -> ProviderConfig {
    ProviderConfig { base_url: base_url.into(), ..ProviderConfig::default() }
}

#[track_caller]
fn check(id: ProviderId, typed: &str, expect: &str) {
    assert_eq!(endpoint(id, &config(typed)).as_deref(), Ok(expect), "typed {typed}");
}

#[test]
fn openai_base_urls_are_understood_as_pasted() {
    let local = "http://127.0.0.1:11434/v1/chat/completions";
    for typed in [
        "http://127.0.0.1:11434",
        "http://127.0.0.1:11434/",
        "http://127.0.0.1:11434/v1",
        "http://127.0.0.1:11434/v1/",
        "http://127.0.0.1:11434/v1/chat/completions",
        "http://127.0.0.1:11434/v1/chat/completions/",
        "http://127.0.0.1:11434/v1/models",
        "http://127.0.0.1:11434/api/chat",
        "http://localhost:11434",
        "http://LOCALHOST:11434/v1",
        "http://[::1]:11434",
        "http://0.0.0.0:11434",
        "localhost:11434",
        "127.0.0.1:11434/v1",
        "  localhost:11434/v1?x=1#y ",
    ] {
        check(ProviderId::Openai, typed, local);
    }
    let router = "https://openrouter.ai/api/v1/chat/completions";
    for typed in ["https://openrouter.ai/api/v1", "openrouter.ai/api/v1", "https://openrouter.ai/api", router] {
        check(ProviderId::Openai, typed, router);
    }
    // OpenAI itself has an endpoint of its own.
    for typed in ["", "https://api.openai.com/v1", "api.openai.com/v1/chat/completions"] {
        check(ProviderId::Openai, typed, "https://api.openai.com/v1/responses");
    }
    check(ProviderId::Openai, "https://a.test/paas/v4", "https://a.test/paas/v4/chat/completions");
    check(ProviderId::Openai, "https://a.test/v1beta/openai/", "https://a.test/v1beta/openai/chat/completions");
    check(ProviderId::Openai, "192.168.1.20:8080", "http://192.168.1.20:8080/v1/chat/completions");
    check(ProviderId::Openai, "nas.local:1234", "http://nas.local:1234/v1/chat/completions");
    check(ProviderId::Openai, "http://llm.example/", "http://llm.example/v1/chat/completions");
}

#[test]
fn anthropic_base_urls_are_understood_as_pasted() {
    check(ProviderId::Anthropic, "", "https://api.anthropic.com/v1/messages");
    for typed in ["http://localhost:8080", "127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/messages"] {
        check(ProviderId::Anthropic, typed, "http://127.0.0.1:8080/v1/messages");
    }
}

#[test]
fn what_is_no_base_url_is_refused_with_an_example() {
    for typed in ["ftp://a.test", "javascript://x", "http://", "https://a b.test", "my server", "http://a.test:99999"] {
        let error = endpoint(ProviderId::Openai, &config(typed)).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadRequest, "typed {typed}");
        assert!(error.message.contains("http://127.0.0.1:11434"), "{}", error.message);
    }
    let error = endpoint(ProviderId::Openai, &config("https://me:hunter2@a.test")).unwrap_err();
    assert!(error.message.contains("password") && !error.message.contains("hunter2"), "{}", error.message);
}

#[test]
fn a_key_never_goes_out_unencrypted_past_the_own_network() {
    let keyed = |base_url: &str| ProviderConfig { key: "sk-1".into(), ..config(base_url) };
    let error = endpoint(ProviderId::Openai, &keyed("http://llm.example/v1")).unwrap_err();
    assert_eq!(error.message, words::say("base_url_unencrypted", &[]));
    assert!(error.message.contains("with https://"), "{}", error.message);
    for typed in ["http://127.0.0.1:1", "http://10.0.0.2", "http://nas.lan", "http://100.100.1.2", "http://[fd00::1]"] {
        assert!(endpoint(ProviderId::Openai, &keyed(typed)).is_ok(), "typed {typed}");
    }
}

#[test]
fn the_host_to_ask_for_follows_the_base_url() {
    let asked = |id, typed: &str| host_permission(id, &config(typed));
    assert_eq!(asked(ProviderId::Openai, "http://localhost:11434/v1"), None);
    assert_eq!(asked(ProviderId::Openai, "https://localhost/v1").as_deref(), Some("https://127.0.0.1/*"));
    assert_eq!(asked(ProviderId::Openai, "192.168.1.20:8080").as_deref(), Some("http://192.168.1.20/*"));
    assert_eq!(asked(ProviderId::Openai, "openrouter.ai/api").as_deref(), Some("https://openrouter.ai/*"));
    assert_eq!(asked(ProviderId::Openai, "no address"), None);
    assert_eq!(asked(ProviderId::Rules, ""), None);
    for row in registry::PROVIDERS.iter().filter(|row| row.speaks_http()) {
        assert_eq!(asked(row.id, "").as_deref(), Some(row.host_permission));
    }
}

#[test]
fn gemini_base_urls_are_understood_as_pasted() {
    let with = |typed: &str, model: &str| {
        endpoint(ProviderId::Gemini, &ProviderConfig { model: model.into(), ..config(typed) }).unwrap()
    };
    let own = "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse";
    for typed in ["", "https://generativelanguage.googleapis.com", "https://generativelanguage.googleapis.com/v1beta/"]
    {
        assert_eq!(with(typed, "m"), own, "typed {typed}");
    }
    assert_eq!(with("https://generativelanguage.googleapis.com/v1beta/models/other:generateContent?key=x", "m"), own);
    assert_eq!(with("", "models/m"), own);
    assert_eq!(with("localhost:9/v1", "m"), "http://127.0.0.1:9/v1/models/m:streamGenerateContent?alt=sse");
    assert_eq!(with("a.test", "m"), "https://a.test/v1beta/models/m:streamGenerateContent?alt=sse");
    assert!(with("", "").contains(registry::provider(ProviderId::Gemini).model));
    assert!(!with("a.test", "a?b#c").contains("a?b"), "a model's name stays in the path");
}
