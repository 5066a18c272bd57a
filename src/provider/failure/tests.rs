use super::*;

fn site(name: &str, local: bool) -> Site {
    Site { name: name.into(), local, secret: "sk-0123456789".into() }
}

/// A refused request and the failure it makes: code, whether it may pass, and words that must stand in the message.
#[track_caller]
fn check(status: u16, body: &str, code: ErrorCode, retryable: bool, words: &[&str]) {
    let error = site("OpenAI", false).failure(Some(status), &ProviderError::from_body(body));
    assert_eq!((error.code, error.retryable), (code, retryable), "{error}");
    for word in words {
        assert!(error.message.contains(word), "{word:?} is not in {error}");
    }
}

#[test]
fn every_status_says_what_to_do_next() {
    let report = r#"{"error":{"message":"in its own words"}}"#;
    for (status, code, retryable, next) in [
        (400, ErrorCode::BadRequest, false, "Settings"),
        (401, ErrorCode::Auth, false, "Check it in ⚙ Settings"),
        (402, ErrorCode::RateLimited, false, "Add some there"),
        (403, ErrorCode::Auth, false, "may use this model"),
        (404, ErrorCode::NotFound, false, "base URL"),
        (413, ErrorCode::TooLong, false, "Select the part"),
        (418, ErrorCode::BadRequest, false, "418"),
        (422, ErrorCode::BadRequest, false, "422"),
        (429, ErrorCode::RateLimited, true, "too many requests"),
        (500, ErrorCode::Overloaded, true, "500"),
        (502, ErrorCode::Overloaded, true, "502"),
        (503, ErrorCode::Overloaded, true, "overloaded"),
        (504, ErrorCode::Overloaded, true, "took too long"),
        (529, ErrorCode::Overloaded, true, "overloaded"),
        (302, ErrorCode::Protocol, false, "base URL"),
    ] {
        check(status, report, code, retryable, &[next, "It says: “in its own words”"]);
    }
}

#[test]
fn a_used_up_quota_is_no_matter_of_waiting() {
    let report = r#"{"error":{"message":"You exceeded your quota","type":"insufficient_quota"}}"#;
    check(429, report, ErrorCode::RateLimited, false, &["credit"]);
}

#[test]
fn a_local_server_that_refuses_extensions_gets_its_line() {
    let error = site("127.0.0.1:11434", true).failure(Some(403), &ProviderError::from_body(""));
    assert_eq!(error.code, ErrorCode::OriginRefused);
    assert!(error.message.contains("OLLAMA_ORIGINS=chrome-extension://*"), "{error}");
    assert_eq!(site("OpenAI", false).failure(Some(403), &ProviderError::from_body("")).code, ErrorCode::Auth);
    assert_eq!(site("nas", true).failure(Some(403), &ProviderError::from_body("no")).code, ErrorCode::Auth);
}

#[test]
fn a_page_too_long_is_named_in_tokens() {
    for body in [
        r#"{"error":{"code":400,"message":"x","type":"exceed_context_size_error","n_prompt_tokens":12215,"n_ctx":8192}}"#,
        r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 12215 tokens > 8192 maximum"}}"#,
        r#"{"error":{"code":"context_length_exceeded","message":"maximum context length is 8192 tokens, you sent 12215"}}"#,
        "This model's maximum context length is 8192 tokens. However, you requested 12215 tokens (12000 in the messages).",
    ] {
        check(400, body, ErrorCode::TooLong, false, &["(12,215 tokens; it takes 8,192)", "Select the part to read"]);
    }
    check(
        400,
        r#"{"error":{"code":"context_length_exceeded"}}"#,
        ErrorCode::TooLong,
        false,
        &["for this model. Select"],
    );
}

#[test]
fn reports_of_any_shape_give_their_words() {
    for body in [
        r#"{"error":{"message":"the words"}}"#,
        r#"{"error":"the words"}"#,
        r#"{"code":"invalid","error":"the words"}"#,
        r#"[{"error":{"code":500,"message":"the words"}}]"#,
        r#"{"message":"the words"}"#,
        r#"{"detail":"the words"}"#,
        r#"{"detail":[{"loc":["body"],"msg":"the words"}]}"#,
        r#""the words""#,
        "the words",
        "<html><head><title>the words</title></head><body>nginx</body></html>",
    ] {
        assert_eq!(ProviderError::from_body(body).words, "the words", "{body}");
    }
    let behind = ProviderError::from_body(
        r#"{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"busy"}}}"#,
    );
    assert_eq!((behind.status, behind.words.as_str()), (Some(502), "Provider returned error: busy"));
    for body in ["", "<html></html>", "<title>", "<title>x", "{}", "[]", "null", "{\"error\":null}"] {
        let _ = ProviderError::from_body(body);
        assert_eq!(ProviderError::parse(body), None, "{body}");
    }
}

#[test]
fn an_error_inside_a_stream_is_judged_by_its_kind() {
    for (report, code, retryable) in [
        (r#"{"error":{"type":"overloaded_error","message":"x"}}"#, ErrorCode::Overloaded, true),
        (r#"{"error":{"type":"rate_limit_error","message":"x"}}"#, ErrorCode::RateLimited, true),
        (r#"{"error":{"type":"authentication_error","message":"x"}}"#, ErrorCode::Auth, false),
        (
            r#"{"error":{"type":"invalid_request_error","code":"model_not_found","message":"x"}}"#,
            ErrorCode::NotFound,
            false,
        ),
        (r#"{"error":{"type":"api_error","message":"x"}}"#, ErrorCode::Overloaded, true),
        (r#"{"error":{"code":429,"message":"x"}}"#, ErrorCode::RateLimited, true),
        (r#"{"error":{"code":7,"message":"x"}}"#, ErrorCode::Overloaded, false),
        (r#"{"error":{"message":"template failed"}}"#, ErrorCode::Overloaded, false),
    ] {
        let error = site("OpenAI", false).failure(None, &ProviderError::parse(report).unwrap());
        assert_eq!((error.code, error.retryable), (code, retryable), "{report}");
    }
}

#[test]
fn quotations_are_clean_bounded_and_without_the_key() {
    let site = site("OpenAI", false);
    assert_eq!(site.quote("a\u{0}\r\n\t b\u{202E}c\u{200B}d\u{1b}[31m"), "a bcd [31m");
    assert_eq!(site.quote("key sk-0123456789 and sk-01234\u{200B}56789."), "key … and ….");
    let long = site.quote(&"é".repeat(1_000));
    assert_eq!(long.chars().count(), 301);
    for lead in 280..310 {
        let quoted = site.quote(&format!("{}sk-0123456789", "x".repeat(lead)));
        assert!(!quoted.contains("sk"), "{quoted}");
    }
}
