use super::*;
use crate::provider::decoder::{Decoder, ResponseHead};
use crate::provider::request;
use crate::provider::request::{Tools, Transport};
use crate::wire::{ProviderConfig, ProviderId};

fn decode(events: &[Value]) -> Vec<ModelEvent> {
    let mut decoder = Decoder::new(ProviderId::Builtin, &ProviderConfig::default());
    decoder.handle_head(&ResponseHead { status: 200, ..ResponseHead::default() });
    let mut out = Vec::new();
    for event in events {
        decoder.handle_chunk(format!("data: {event}\n\n").as_bytes(), &mut out);
    }
    decoder.handle_end(&mut out);
    out
}

#[test]
fn deltas_and_a_download_are_told() {
    let events = decode(&[
        json!({"availability": "downloadable"}),
        json!({"progress": 0}),
        json!({"progress": 0.429}),
        json!({"delta": "So "}),
        json!({"delta": "it is."}),
        json!({"done": true}),
    ]);
    let status = |label: &str| ModelEvent::Status(label.to_owned());
    let text = |text: &str| ModelEvent::Text(text.to_owned());
    assert_eq!(
        events,
        [
            status("Chrome fetches its model first. This happens once."),
            status("Chrome fetches its model: 0 %"),
            status("Chrome fetches its model: 42 %"),
            text("So "),
            text("it is."),
            ModelEvent::Stop(StopReason::EndTurn),
        ]
    );
}

#[test]
fn what_goes_wrong_says_what_to_do_next() {
    for (error, code, words) in [
        (json!({"name": "Missing"}), ErrorCode::NotFound, "Chrome 138"),
        (json!({"name": "Unavailable"}), ErrorCode::NotFound, "22 GB"),
        (
            json!({"name": "QuotaExceededError", "requested": 12215, "quota": 9216}),
            ErrorCode::TooLong,
            "(12,215 tokens; it takes 9,216)",
        ),
        (json!({"name": "QuotaExceededError"}), ErrorCode::TooLong, "Select the part to read"),
        (json!({"name": "NotAllowedError", "message": "gesture"}), ErrorCode::BadRequest, "press Save"),
        (json!({"name": "NotReadableError", "message": "filtered"}), ErrorCode::Refused, "filtered"),
        (json!({"name": "NotSupportedError"}), ErrorCode::BadRequest, "language"),
        (json!({"name": "UnknownError", "message": "oops\u{202E}"}), ErrorCode::Overloaded, "UnknownError: oops)"),
    ] {
        let events = decode(&[json!({"availability": "available"}), json!({ "error": error })]);
        let Some(ModelEvent::Error(error)) = events.last() else { panic!("{events:?}") };
        assert_eq!(error.code, code, "{error}");
        assert!(error.message.contains(words), "{error}");
    }
    let events = decode(&[json!({"delta": "So"})]);
    assert!(matches!(events.last(), Some(ModelEvent::Error(error)) if error.code == ErrorCode::Truncated));
}

#[test]
fn a_question_goes_to_the_offscreen_page_with_its_schema() {
    let prompt = Prompt {
        system: "With care.".into(),
        turns: vec![Turn::User("One?".into()), Turn::Assistant("One.".into()), Turn::User("Two?".into())],
        max_tokens: 10,
        tools: Tools::default(),
        schema: r#"{"type":"object"}"#,
    };
    let ask = |prompt: &Prompt| {
        let sent = request(ProviderId::Builtin, &ProviderConfig::default(), prompt, Quirks::default()).unwrap();
        assert_eq!((sent.via, sent.url.as_str()), (Transport::Offscreen, ""));
        serde_json::from_str::<Value>(&sent.body).unwrap()
    };
    let expect = json!({
        "system": "With care.",
        "turns": [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "One."},
                  {"role": "user", "content": "Two?"}],
        "schema": {"type": "object"},
    });
    assert_eq!(ask(&prompt), expect);
    assert_eq!(ask(&Prompt { schema: "", ..prompt })["schema"], Value::Null);
}
