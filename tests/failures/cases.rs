//! The failures, told in each dialect.

use serde_json::{Value, json};
use sidelight::wire::ErrorCode;

use super::event;

/// A key that must never be seen.
pub(crate) const KEY: &str = "sk-of-nobody-0123456789";

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Dialect {
    Anthropic,
    /// Chat Completions, with a server on this machine.
    Chat,
    /// OpenAI's Responses API, which only its own host is asked in.
    Responses,
    Gemini,
}

/// What comes back.
#[derive(Clone)]
pub(crate) enum Answer {
    /// A refusal: status, `retry-after` and a JSON body, or an HTML one where it begins with `<`.
    Status(u16, &'static str, String),
    /// A body of some type under 200.
    Typed(&'static str, String),
    /// An event stream that ends.
    Stream(String),
    /// The beginning of one, then silence.
    Stall(String),
    /// The beginning of one, then the connection breaks.
    Cut(String),
    /// Not even a status.
    Silence,
    /// No connection.
    Unreachable,
}

impl Answer {
    /// Status, content type and `retry-after`.
    pub(crate) fn head(&self) -> Option<(u16, &'static str, &'static str)> {
        match self {
            Self::Status(status, retry_after, body) if body.starts_with('<') => {
                Some((*status, "text/html; charset=utf-8", retry_after))
            }
            Self::Status(status, retry_after, _) => Some((*status, "application/json", retry_after)),
            Self::Typed(content_type, _) => Some((200, content_type, "")),
            Self::Stream(_) | Self::Stall(_) | Self::Cut(_) => Some((200, "text/event-stream", "")),
            Self::Silence | Self::Unreachable => None,
        }
    }

    pub(crate) fn body(&self) -> &str {
        match self {
            Self::Status(_, _, body)
            | Self::Typed(_, body)
            | Self::Stream(body)
            | Self::Stall(body)
            | Self::Cut(body) => body,
            Self::Silence | Self::Unreachable => "",
        }
    }
}

/// How a reading ends.
#[derive(Clone, Copy)]
pub(crate) enum Ends {
    /// With an error: its kind, and whether asking again may help.
    Failed(ErrorCode, bool),
    /// With an answer that is not whole; the panel says so.
    Short,
}

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) answer: fn(Dialect) -> Option<Answer>,
    pub(crate) ends: Ends,
    /// The whole sentence.
    pub(crate) says: &'static str,
    /// Text that stays.
    pub(crate) keeps: &'static str,
    /// How often the provider was asked.
    pub(crate) asked: usize,
    /// Dialects without a way of saying this.
    pub(crate) unsaid: &'static [Dialect],
}

impl Dialect {
    pub(crate) fn provider(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Chat | Self::Responses => "openai",
            Self::Gemini => "gemini",
        }
    }

    pub(crate) fn base_url(self) -> &'static str {
        if self == Self::Chat { "http://127.0.0.1:8080/v1" } else { "" }
    }

    /// What the reader knows it by.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic",
            Self::Chat => "127.0.0.1:8080",
            Self::Responses => "OpenAI",
            Self::Gemini => "Gemini",
        }
    }

    /// An error report as it stands in the body of a refusal.
    pub(crate) fn report(self, status: u16, words: &str) -> String {
        self.error(status, words).to_string()
    }

    fn error(self, status: u16, words: &str) -> Value {
        let (anthropic, openai, google) = match status {
            400 => ("invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
            401 => ("authentication_error", "invalid_request_error", "UNAUTHENTICATED"),
            403 => ("permission_error", "invalid_request_error", "PERMISSION_DENIED"),
            404 => ("not_found_error", "invalid_request_error", "NOT_FOUND"),
            429 => ("rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"),
            503 => ("overloaded_error", "server_error", "UNAVAILABLE"),
            529 => ("overloaded_error", "overloaded_error", "UNAVAILABLE"),
            _ => ("api_error", "server_error", "INTERNAL"),
        };
        match self {
            Self::Anthropic => json!({ "type": "error", "error": { "type": anthropic, "message": words } }),
            Self::Chat | Self::Responses => json!({ "error": { "message": words, "type": openai, "code": null } }),
            Self::Gemini => json!({ "error": { "code": status, "message": words, "status": google } }),
        }
    }

    /// An error inside a stream.
    fn error_event(self, status: u16, words: &str) -> String {
        let report = self.error(status, words);
        let report = match self {
            Self::Responses => json!({ "type": "response.failed", "response": { "status": "failed",
                "error": report["error"] } }),
            Self::Anthropic | Self::Chat | Self::Gemini => report,
        };
        event(self, &report)
    }

    /// The beginning of a stream, with some text.
    pub(crate) fn text(self, text: &str) -> String {
        match self {
            Self::Anthropic => [
                json!({ "type": "message_start", "message": { "usage": { "input_tokens": 9, "output_tokens": 1 } } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                json!({ "type": "content_block_delta", "index": 0,
                    "delta": { "type": "text_delta", "text": text } }),
            ]
            .iter()
            .map(|data| event(self, data))
            .collect(),
            Self::Chat => event(self, &json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })),
            Self::Responses => {
                event(self, &json!({ "type": "response.output_text.delta", "output_index": 0, "delta": text }))
            }
            Self::Gemini => event(self, &json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] })),
        }
    }

    /// The end of a stream, for a reason in the words of each dialect: Anthropic, Chat Completions, Responses, Gemini.
    pub(crate) fn end(self, [anthropic, chat, responses, gemini]: [&str; 4]) -> String {
        match self {
            Self::Anthropic => [
                json!({ "type": "message_delta", "delta": { "stop_reason": anthropic } }),
                json!({ "type": "message_stop" }),
            ]
            .iter()
            .map(|data| event(self, data))
            .collect(),
            Self::Chat => {
                event(self, &json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": chat }] }))
                    + "data: [DONE]\n\n"
            }
            Self::Responses if responses == "completed" => {
                event(self, &json!({ "type": "response.completed", "response": { "status": "completed" } }))
            }
            Self::Responses => event(
                self,
                &json!({ "type": "response.incomplete", "response": { "status": "incomplete",
                    "incomplete_details": { "reason": responses } } }),
            ),
            Self::Gemini => event(self, &json!({ "candidates": [{ "content": {}, "finishReason": gemini }] })),
        }
    }

    pub(crate) fn whole(self, text: &str) -> String {
        self.text(text) + &self.end(STOP)
    }
}

const STOP: [&str; 4] = ["end_turn", "stop", "completed", "STOP"];
const LENGTH: [&str; 4] = ["max_tokens", "length", "max_output_tokens", "MAX_TOKENS"];
const FILTER: [&str; 4] = ["refusal", "content_filter", "content_filter", "SAFETY"];

const GATEWAY: &str =
    "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>";
const LOST: &str = "<!doctype html><html><head><title>Not Found</title></head><body><h1>404</h1></body></html>";
const PORTAL: &str = "<!doctype html><html><title>Sign in to this network</title><body><h1>Wi-Fi</h1></body></html>";

const fn failed(
    name: &'static str,
    code: ErrorCode,
    says: &'static str,
    answer: fn(Dialect) -> Option<Answer>,
) -> Case {
    Case { name, answer, ends: Ends::Failed(code, false), says, keeps: "", asked: 1, unsaid: &[] }
}

/// A failure that may pass, and that is asked again for as often as there are attempts.
const fn passing(
    name: &'static str,
    code: ErrorCode,
    says: &'static str,
    answer: fn(Dialect) -> Option<Answer>,
) -> Case {
    Case { ends: Ends::Failed(code, true), asked: 4, ..failed(name, code, says, answer) }
}

/// A failure behind the text `Some`, which stays.
const fn late(name: &'static str, code: ErrorCode, says: &'static str, answer: fn(Dialect) -> Option<Answer>) -> Case {
    Case { keeps: "Some", asked: 1, ..passing(name, code, says, answer) }
}

const fn short(name: &'static str, says: &'static str, answer: fn(Dialect) -> Option<Answer>) -> Case {
    Case { ends: Ends::Short, keeps: "Some", ..failed(name, ErrorCode::Truncated, says, answer) }
}

use Dialect::{Anthropic, Chat, Gemini, Responses};

pub(crate) const CASES: &[Case] = &[
    passing(
        "429 with seconds",
        ErrorCode::RateLimited,
        "{name} gets too many requests. It says: “slow down” Try again in 2 s.",
        |d| Some(Answer::Status(429, "2", d.report(429, "slow down"))),
    ),
    passing(
        "429 with a date that has passed by the last attempt",
        ErrorCode::RateLimited,
        "{name} gets too many requests. It says: “slow down” Try again in a moment.",
        |d| Some(Answer::Status(429, "Sat, 25 Jul 2026 12:00:02 GMT", d.report(429, "slow down"))),
    ),
    passing(
        "429 without a word",
        ErrorCode::RateLimited,
        "{name} gets too many requests. Try again in a moment.",
        |_| Some(Answer::Status(429, "", String::new())),
    ),
    passing(
        "529",
        ErrorCode::Overloaded,
        "{name} is overloaded. It says: “Overloaded” Try again in a moment.",
        |d| Some(Answer::Status(529, "", d.report(529, "Overloaded"))),
    ),
    passing(
        "500",
        ErrorCode::Overloaded,
        "{name} is failing (500). It says: “Internal error” Try again in a moment.",
        |d| Some(Answer::Status(500, "", d.report(500, "Internal error"))),
    ),
    passing(
        "502 as a page of the gateway",
        ErrorCode::Overloaded,
        "{name} is failing (502). It says: “502 Bad Gateway” Try again in a moment.",
        |_| Some(Answer::Status(502, "", GATEWAY.to_owned())),
    ),
    passing(
        "503",
        ErrorCode::Overloaded,
        "{name} is overloaded. It says: “Loading model” Try again in 3 s.",
        |d| Some(Answer::Status(503, "3", d.report(503, "Loading model"))),
    ),
    passing(
        "overload inside the stream, before text",
        ErrorCode::Overloaded,
        "{name} is overloaded. It says: “Overloaded” Try again in a moment.",
        |d| Some(Answer::Stream(d.error_event(529, "Overloaded"))),
    ),
    late(
        "overload inside the stream, behind text",
        ErrorCode::Overloaded,
        "{name} is overloaded. It says: “Overloaded” Try again in a moment.",
        |d| Some(Answer::Stream(d.text("Some") + &d.error_event(529, "Overloaded"))),
    ),
    Case {
        ends: Ends::Failed(ErrorCode::Overloaded, false),
        ..late(
            "an error of no known kind, behind text",
            ErrorCode::Overloaded,
            "{name} broke the answer off with an error. Try again, or choose another model in ⚙ Settings. It says: “template failed”",
            |d| {
                let report = json!({ "type": "error", "error": { "message": "template failed" } });
                Some(Answer::Stream(d.text("Some") + &event(d, &report)))
            },
        )
    },
    Case {
        asked: 1,
        ..passing(
            "silence before the first byte",
            ErrorCode::Stalled,
            "The provider sent nothing for 300 seconds. Try again, or choose another model.",
            |_| Some(Answer::Silence),
        )
    },
    late(
        "silence in mid-stream",
        ErrorCode::Stalled,
        "The provider sent nothing for 60 seconds. Try again, or choose another model.",
        |d| Some(Answer::Stall(d.text("Some"))),
    ),
    passing(
        "no connection",
        ErrorCode::Network,
        "No connection to {name}. Check that it runs and that the address in ⚙ Settings is right. (network error)",
        |_| Some(Answer::Unreachable),
    ),
    late(
        "a connection that breaks in mid-stream",
        ErrorCode::Network,
        "The connection broke in the middle of the answer (network error). Try again for a whole one.",
        |d| Some(Answer::Cut(d.text("Some"))),
    ),
    passing(
        "a connection that breaks before the first word",
        ErrorCode::Network,
        "The connection broke in the middle of the answer (network error). Try again for a whole one.",
        |_| Some(Answer::Cut(String::new())),
    ),
    late(
        "a stream that ends too early",
        ErrorCode::Truncated,
        "The connection to {name} ended before the answer did. Try again.",
        |d| Some(Answer::Stream(d.text("Some"))),
    ),
    passing(
        "a stream without a word",
        ErrorCode::Truncated,
        "The connection to {name} closed without an answer. Try again.",
        |_| Some(Answer::Stream(String::new())),
    ),
    failed(
        "a wrong key, quoted",
        ErrorCode::Auth,
        "{name} did not accept the API key. Check it in ⚙ Settings. It says: “Incorrect API key provided: ….”",
        |d| Some(Answer::Status(401, "", d.report(401, &format!("Incorrect API key provided: {KEY}.")))),
    ),
    failed(
        "a key that may not",
        ErrorCode::Auth,
        "{name} refused access. Check in ⚙ Settings that the key may use this model. It says: “Your API key may not use this model.”",
        |d| Some(Answer::Status(403, "", d.report(403, "Your API key may not use this model."))),
    ),
    // That may be for the origin of the request, which is therefore left out the second time.
    Case {
        asked: 2,
        ..failed(
            "a refusal of access without a reason",
            ErrorCode::Auth,
            "{name} refused access. Check in ⚙ Settings that the key may use this model. It says: “Forbidden”",
            |d| (d != Gemini).then(|| Answer::Status(403, "", d.report(403, "Forbidden"))),
        )
        .unsaid(&[Gemini])
    },
    Case {
        asked: 2,
        ..failed(
            "a refusal of access without a reason, where the page could ask",
            ErrorCode::NeedsConsent,
            "{name} refuses requests of browser extensions. The page you read can ask in Sidelight's place, but your API key \
             then passes through that page, whose scripts could read it. Allow this only if you trust the pages you read.",
            |d| (d == Gemini).then(|| Answer::Status(403, "", d.report(403, "Forbidden"))),
        )
        .unsaid(&[Anthropic, Chat, Responses])
    },
    Case {
        asked: 2,
        ..failed(
            "a local server that refuses extensions",
            ErrorCode::OriginRefused,
            "{name} refuses browser extensions. Start the server with OLLAMA_ORIGINS=chrome-extension://* set, then try again.",
            |d| (d == Chat).then(|| Answer::Status(403, "", String::new())),
        )
        .unsaid(&[Anthropic, Responses, Gemini])
    },
    failed(
        "a page too long for the model",
        ErrorCode::TooLong,
        "The page is too long for this model (300 tokens; it takes 256). Select the part to read, or choose a model with a \
         larger context in ⚙ Settings. It says: “prompt is too long: 300 tokens > 256 maximum”",
        |d| Some(Answer::Status(400, "", d.report(400, "prompt is too long: 300 tokens > 256 maximum"))),
    ),
    failed(
        "a wrong model",
        ErrorCode::NotFound,
        "{name} has no such model or address. Check the model and the base URL in ⚙ Settings. It says: “model: m-1”",
        |d| Some(Answer::Status(404, "", d.report(404, "model: m-1"))),
    ),
    failed(
        "a wrong address, which answers with a page",
        ErrorCode::NotFound,
        "{name} has no such model or address. Check the model and the base URL in ⚙ Settings. It says: “Not Found”",
        |_| Some(Answer::Status(404, "", LOST.to_owned())),
    ),
    failed(
        "a page under 200",
        ErrorCode::Protocol,
        "{name} sent text/html that is no model's answer. Check the base URL in ⚙ Settings. It says: “Sign in to this network”",
        |_| Some(Answer::Typed("text/html; charset=utf-8", PORTAL.to_owned())),
    ),
    failed(
        "a page under 200 that calls itself a stream",
        ErrorCode::Protocol,
        "{name} sent text/event-stream that is no model's answer. Check the base URL in ⚙ Settings. It says: “Sign in to this network”",
        |_| Some(Answer::Stream(PORTAL.to_owned())),
    ),
    failed(
        "JSON under 200 that is somebody else's",
        ErrorCode::Protocol,
        "{name} sent application/json that is no model's answer. Check the base URL in ⚙ Settings. It says: “{\"status\":\"ok\"}”",
        |_| Some(Answer::Typed("application/json", r#"{"status":"ok"}"#.to_owned())),
    ),
    failed(
        "JSON under 200 that is a wrong key",
        ErrorCode::Auth,
        "{name} did not accept the API key. Check it in ⚙ Settings. It says: “no”",
        |d| {
            let report = match d {
                Chat | Responses => json!({ "error": { "message": "no", "code": "invalid_api_key" } }),
                Anthropic | Gemini => d.error(401, "no"),
            };
            Some(Answer::Typed("application/json", report.to_string()))
        },
    ),
    failed(
        "a quota that is used up",
        ErrorCode::RateLimited,
        "The credit at {name} is used up. Add some there, or choose another provider in ⚙ Settings. It says: “no credit”",
        |d| {
            Some(match d {
                Anthropic => {
                    let report = json!({ "type": "error", "error": { "type": "billing_error", "message": "no credit" } });
                    Answer::Status(402, "", report.to_string())
                }
                Chat | Responses => {
                    let report = json!({ "error": { "message": "no credit", "type": "insufficient_quota" } });
                    Answer::Status(429, "5", report.to_string())
                }
                Gemini => Answer::Status(402, "", d.report(402, "no credit")),
            })
        },
    ),
    failed(
        "a place where it is not offered",
        ErrorCode::BadRequest,
        "{name} is not offered where you are. Choose another provider in ⚙ Settings. It says: “User location is not supported for the API use.”",
        |d| (d == Gemini).then(|| Answer::Status(400, "", d.report(400, "User location is not supported for the API use."))),
    )
    .unsaid(&[Anthropic, Chat, Responses]),
    short(
        "a refusal behind text",
        "The analysis is not complete: the model declined to go on. Choose another model in ⚙ Settings.",
        |d| matches!(d, Anthropic).then(|| Answer::Stream(d.text("Some") + &d.end(FILTER))),
    )
    .unsaid(&[Chat, Responses, Gemini]),
    short(
        "a block of a safety filter behind text",
        "The analysis was cut by a filter of the provider. Choose another model in ⚙ Settings.",
        |d| (d != Anthropic).then(|| Answer::Stream(d.text("Some") + &d.end(FILTER))),
    )
    .unsaid(&[Anthropic]),
    failed(
        "a refusal in words",
        ErrorCode::Refused,
        "The model declined to answer. Choose another model in ⚙ Settings. It says: “I can't read that.”",
        |d| {
            let words = "I can't read that.";
            Some(Answer::Stream(match d {
                Anthropic => return None,
                Chat => event(d, &json!({ "choices": [{ "index": 0, "delta": { "refusal": words } }] })) + &d.end(STOP),
                Responses => {
                    event(d, &json!({ "type": "response.refusal.delta", "output_index": 0, "delta": words })) + &d.end(STOP)
                }
                Gemini => event(d, &json!({ "promptFeedback": { "blockReason": "SAFETY", "blockReasonMessage": words } })),
            }))
        },
    )
    .unsaid(&[Anthropic]),
    Case {
        asked: 1,
        ..passing(
            "an empty answer",
            ErrorCode::Empty,
            "The model sent an empty answer. Try again, or choose another model in ⚙ Settings.",
            |d| Some(Answer::Stream(d.end(STOP))),
        )
    },
    short(
        "an answer cut at the output limit",
        "The analysis was cut at the model's output limit. Select the part to read, or choose another model in ⚙ Settings.",
        |d| Some(Answer::Stream(d.text("Some") + &d.end(LENGTH))),
    ),
    Case {
        asked: 1,
        ..passing(
            "an output limit used up before the first word",
            ErrorCode::Empty,
            "The model used its whole output limit without a usable answer. Try again, or choose another model in ⚙ Settings.",
            |d| Some(Answer::Stream(d.end(LENGTH))),
        )
    },
    Case {
        ends: Ends::Failed(ErrorCode::Overflow, false),
        ..failed(
            "a piece beyond all bounds",
            ErrorCode::Overflow,
            "{name} sent more in one piece than an answer can hold. Try again, or choose another model in ⚙ Settings.",
            |d| Some(Answer::Stream(d.text(&"x".repeat(2 << 20)))),
        )
    },
];

impl Case {
    const fn unsaid(self, unsaid: &'static [Dialect]) -> Self {
        Self { unsaid, ..self }
    }
}
