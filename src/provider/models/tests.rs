use proptest::prelude::*;

use super::*;

fn read(status: u16, body: &str) -> Result<Vec<String>, ReadingError> {
    let config = ProviderConfig { key: "sk-secret-key".to_owned(), ..ProviderConfig::default() };
    let mut list = ModelList::new(ProviderId::Openai, &config);
    let url = "https://api.openai.com/v1/models".to_owned();
    list.handle_head(&ResponseHead { status, url, ..ResponseHead::default() });
    for byte in body.as_bytes() {
        assert!(list.handle_chunk(&[*byte]));
    }
    list.handle_end()
}

#[test]
fn the_list_is_asked_for_where_the_models_are() {
    for (id, base_url, url) in [
        (ProviderId::Openai, "", "https://api.openai.com/v1/models"),
        (ProviderId::Openai, "localhost:11434/v1/chat/completions", "http://127.0.0.1:11434/v1/models"),
        (ProviderId::Openai, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/models"),
        (ProviderId::Anthropic, "", "https://api.anthropic.com/v1/models?limit=1000"),
        (ProviderId::Gemini, "", "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"),
    ] {
        let config = ProviderConfig { base_url: base_url.to_owned(), key: "k".to_owned(), ..ProviderConfig::default() };
        let request = models_request(id, &config).unwrap();
        assert_eq!(request.url, url);
        assert_eq!(request.body, "", "it is a GET");
        assert!(request.headers.iter().any(|(_, value)| value.ends_with('k')), "the key goes along");
    }
    assert!(models_request(ProviderId::Rules, &ProviderConfig::default()).is_err());
}

#[test]
fn each_form_of_list_is_read() {
    for (body, models) in [
        (r#"{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"}]}"#, vec!["b", "a"]),
        (r#"{"models":[{"name":"qwen","model":"qwen"}],"data":[{"id":"qwen"}]}"#, vec!["qwen"]),
        (
            r#"{"models":[{"name":"models/g-1","supportedGenerationMethods":["generateContent"]},
                {"name":"models/embed","supportedGenerationMethods":["embedContent"]}]}"#,
            vec!["g-1"],
        ),
        (r#"{"data":[{"id":7},{},null,{"id":""}]}"#, vec![]),
    ] {
        assert_eq!(read(200, body).unwrap(), models, "{body}");
    }
}

#[test]
fn what_is_no_list_says_what_to_do() {
    for body in ["", "<!doctype html>", "{}", "[]", r#"{"data":"x"}"#] {
        assert!(read(200, body).unwrap_err().message.contains("Type the name"), "{body}");
    }
    let refused = read(401, r#"{"error":{"message":"Bad key sk-secret-key"}}"#).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Auth);
    assert!(refused.message.contains("Bad key …"), "{}", refused.message);
}

#[test]
fn a_list_without_end_is_cut() {
    let mut list = ModelList::new(ProviderId::Openai, &ProviderConfig::default());
    list.handle_head(&ResponseHead { status: 200, ..ResponseHead::default() });
    let chunk = vec![b' '; 1 << 20];
    assert!(list.handle_chunk(&chunk));
    assert!(list.handle_chunk(&chunk));
    assert!(!list.handle_chunk(&chunk));
    let rows: Vec<String> = (0..MAX_MODELS + 5).map(|at| format!(r#"{{"id":"m{at}"}}"#)).collect();
    assert_eq!(read(200, &format!(r#"{{"data":[{}]}}"#, rows.join(","))).unwrap().len(), MAX_MODELS);
}

proptest! {
    #[test]
    fn nothing_a_server_sends_is_a_trap(status in 100_u16..600, body in "\\PC{0,60}") {
        drop(read(status, &body));
    }
}
