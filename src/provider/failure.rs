//! A provider's refusal, in words that say what to do next.
//!
//! Compatible servers agree on the status and on little else, so the body is read leniently, and its own words are
//! always passed on: cleaned, bounded, and without the key, which some servers quote.

use serde_json::{Map, Value};

use crate::wire::{ErrorCode, ReadingError};
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// The longest quotation of a provider, in characters.
const WORDS_CHARS: usize = 300;

/// The shortest key worth hiding, in bytes. Local servers take any word, and striking out "none" would garble sentences.
const SECRET_BYTES: usize = 8;

/// An error as the provider reported it, with empty strings for what it left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProviderError {
    /// The status the report names, which an error inside a stream has instead of a status line.
    pub(super) status: Option<u16>,
    pub(super) kind: String,
    pub(super) code: String,
    /// The parameter at fault.
    pub(super) param: String,
    pub(super) words: String,
    /// Tokens of the request and the most the model takes.
    pub(super) tokens: Option<(u64, u64)>,
    /// How long to wait, as the `retry-after` header would say it: Google puts it in here, as
    /// [`RetryInfo`](https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto).
    pub(super) retry_after: Option<String>,
}

impl ProviderError {
    /// Reads an error report; `None` when the JSON is none, or not JSON.
    pub(super) fn parse(report: &str) -> Option<Self> {
        Self::from_value(&serde_json::from_str(report).ok()?)
    }

    /// Reads the body of a refused request, JSON or not.
    pub(super) fn from_body(body: &str) -> Self {
        let body = body.trim();
        Self::parse(body).unwrap_or_else(|| {
            let words = if body.starts_with('<') { html_title(body) } else { body };
            Self { words: words.to_owned(), ..Self::default() }
        })
    }

    /// Reads an error report; `None` when the value is none.
    pub(super) fn from_value(report: &Value) -> Option<Self> {
        let report = match report {
            Value::Array(list) => return Self::from_value(list.first()?),
            Value::String(words) => return Some(Self { words: words.clone(), ..Self::default() }),
            Value::Object(report) => report,
            Value::Null | Value::Bool(_) | Value::Number(_) => return None,
        };
        match report.get("error") {
            Some(Value::Object(error)) => Some(Self::from_fields(error)),
            Some(Value::String(words)) => Some(Self { words: words.clone(), ..Self::from_fields(report) }),
            _ => Some(Self::from_fields(report)).filter(|error| !error.words.is_empty()),
        }
    }

    fn from_fields(fields: &Map<String, Value>) -> Self {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| fields.get(name).and_then(Value::as_u64);
        // OpenRouter puts the words of the provider behind it here; FastAPI servers say `detail`.
        let behind = fields.get("metadata").and_then(|metadata| metadata.get("raw")).and_then(Value::as_str);
        let detail = match fields.get("detail") {
            Some(Value::Array(list)) => list.first().and_then(|first| first.get("msg")),
            detail => detail,
        };
        let message = fields.get("message").or(detail).and_then(Value::as_str).unwrap_or_default();
        let words = behind.map_or_else(|| message.to_owned(), |behind| format!("{message}: {behind}"));
        // Google names the kind `status`, and the reason, if at all, in one of several details.
        let either = |one: String, other: String| if one.is_empty() { other } else { one };
        let details = || fields.get("details").and_then(Value::as_array).into_iter().flatten();
        let reason = details().find_map(|detail| detail["reason"].as_str()).unwrap_or_default();
        let retry_delay = details().find_map(|detail| detail["retryDelay"].as_str()?.strip_suffix('s'));
        Self {
            status: number("code").or_else(|| number("status")).and_then(|status| u16::try_from(status).ok()),
            kind: either(text("type"), text("status")),
            code: either(text("code"), reason.to_owned()),
            param: text("param"),
            words,
            tokens: number("n_prompt_tokens").zip(number("n_ctx")),
            retry_after: retry_delay.map(str::to_owned),
        }
    }

    /// The status that fits best: for some kinds better than the one sent along.
    fn effective_status(&self, sent: Option<u16>) -> u16 {
        let named = [&self.code, &self.kind].into_iter().find_map(|name| {
            Some(match name.as_str() {
                "authentication_error" | "invalid_api_key" | "API_KEY_INVALID" | "UNAUTHENTICATED" => 401,
                "billing_error" | "insufficient_quota" => 402,
                "permission_error" | "PERMISSION_DENIED" => 403,
                "not_found_error" | "model_not_found" | "NOT_FOUND" => 404,
                "request_too_large" => 413,
                "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
                "invalid_request_error" | "INVALID_ARGUMENT" | "FAILED_PRECONDITION" => 400,
                "api_error" | "server_error" | "internal_server_error" | "INTERNAL" => 500,
                "UNAVAILABLE" => 503,
                "timeout_error" | "DEADLINE_EXCEEDED" => 504,
                "overloaded_error" => 529,
                _ => return None,
            })
        });
        match sent {
            Some(429) if named == Some(402) => 402,
            Some(400) if named == Some(401) => 401,
            Some(sent) => sent,
            None => self.status.filter(|status| (400..600).contains(status)).or(named).unwrap_or(0),
        }
    }

    /// Whether a refusal with status 403 may be for the origin of the request: it says so, or says nothing of the caller.
    pub(super) fn may_be_about_origin(&self) -> bool {
        let words = self.words.to_ascii_lowercase();
        // A key for certain websites only is no use from elsewhere either.
        if self.code == "API_KEY_HTTP_REFERRER_BLOCKED" && words.contains("<empty>") {
            return false;
        }
        let says = |marks: &[&str]| marks.iter().any(|mark| words.contains(mark));
        says(&["origin", "referer", "referrer", "cors", "extension"])
            || !says(&[
                "key",
                "permission",
                "project",
                "account",
                "organi",
                "billing",
                "quota",
                "location",
                "country",
                "region",
            ])
    }

    /// Tokens of the request and the most the model takes, when that is what the refusal is about; zeros where unsaid.
    fn too_long(&self) -> Option<(u64, u64)> {
        let known = ["exceed_context_size_error", "context_length_exceeded"];
        let words = self.words.to_ascii_lowercase();
        // Anthropic, vLLM and others have no code for it.
        let phrases =
            ["prompt is too long", "maximum context length", "context size", "context window", "context length"];
        let too_long = self.tokens.is_some()
            || known.contains(&self.kind.as_str())
            || known.contains(&self.code.as_str())
            || phrases.iter().any(|phrase| words.contains(phrase));
        too_long.then(|| self.tokens.or_else(|| numbers_of(&words)).unwrap_or_default())
    }
}

/// The server at the other end.
#[derive(Debug, Default)]
pub(super) struct Site {
    /// Its name for the reader: the provider, or the host of a base URL.
    pub(super) name: String,
    /// Whether it stands on this machine or network.
    pub(super) local: bool,
    /// The key sent there, so that it is never quoted.
    pub(super) secret: String,
}

impl Site {
    /// The failure for a status line and its body (`Some`), or for an error inside a stream (`None`).
    pub(super) fn failure(&self, sent: Option<u16>, error: &ProviderError) -> ReadingError {
        let status = error.effective_status(sent);
        let (code, retryable, key) = match status {
            _ if error.too_long().is_some() => (ErrorCode::TooLong, false, "error_too_long"),
            400 | 403 if error.words.contains("location is not supported") => {
                (ErrorCode::BadRequest, false, "error_no_location")
            }
            403 if error.code == "API_KEY_HTTP_REFERRER_BLOCKED" => (ErrorCode::Auth, false, "error_key_limited"),
            401 => (ErrorCode::Auth, false, "error_key_refused"),
            402 => (ErrorCode::RateLimited, false, "error_no_credit"),
            403 if self.local && error.words.is_empty() => (ErrorCode::OriginRefused, false, "error_origin_local"),
            403 => (ErrorCode::Auth, false, "error_forbidden"),
            404 | 405 | 410 => (ErrorCode::NotFound, false, "error_no_model"),
            413 => (ErrorCode::TooLong, false, "error_page_too_long"),
            429 => (ErrorCode::RateLimited, true, "error_rate_limit"),
            408 | 504 => (ErrorCode::Overloaded, true, "error_slow"),
            503 | 529 => (ErrorCode::Overloaded, true, "error_overloaded"),
            500..=599 => (ErrorCode::Overloaded, true, "error_failing"),
            400..=499 => (ErrorCode::BadRequest, false, "error_not_taken"),
            0 => (ErrorCode::Overloaded, false, "error_broke_off"),
            _ => (ErrorCode::Protocol, false, "error_status"),
        };
        let message = match error.too_long() {
            Some(tokens) => too_long(tokens),
            None => words::say(key, &[&self.name, &status.to_string()]),
        };
        let message = self.with_words(message, &error.words);
        let tokens = error.too_long().filter(|(tokens, limit)| limit < tokens);
        ReadingError { message, code, retryable, tokens }
    }

    /// A message with the provider's own words behind it.
    pub(super) fn with_words(&self, message: String, quoted: &str) -> String {
        let quoted = self.quote(quoted);
        if quoted.is_empty() { message } else { words::say("error_says", &[&message, &quoted]) }
    }

    /// Words of a provider, fit to be shown: one line, bounded, without invisible characters and without the key.
    pub(super) fn quote(&self, words: &str) -> String {
        let mut quoted = one_line(words);
        // Struck out last but for the cut, so that neither can leave a piece of the key behind.
        if self.secret.len() >= SECRET_BYTES {
            quoted = quoted.replace(&self.secret, "…");
        }
        cut(quoted)
    }
}

/// Words of somebody else without a key to hide, fit to be shown: one line, bounded, without invisible characters.
pub(super) fn clean(words: &str) -> String {
    cut(one_line(words))
}

fn one_line(words: &str) -> String {
    let visible: String = words
        .chars()
        .filter(|c| !matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut(mut words: String) -> String {
    if let Some((cut, _)) = words.char_indices().nth(WORDS_CHARS) {
        words.truncate(cut);
        words.push('…');
    }
    words
}

/// What happened and what to do when a page of so many tokens meets a model that takes so many; zeros where unknown.
pub(super) fn too_long((tokens, limit): (u64, u64)) -> String {
    if limit == 0 {
        return words::say("error_too_long", &[]);
    }
    words::say("error_too_long_tokens", &[&words::number(tokens), &words::number(limit)])
}

/// The larger and the smaller of the first two token counts in a sentence about context.
fn numbers_of(words: &str) -> Option<(u64, u64)> {
    let mut counts = words
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .filter(|count| *count >= 256);
    let (one, other): (u64, u64) = (counts.next()?, counts.next()?);
    Some((one.max(other), one.min(other)))
}

/// The title of an error page.
fn html_title(page: &str) -> &str {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|open| {
        let start = open + lower[open..].find('>')? + 1;
        Some(&page[start..start + lower[start..].find('<')?])
    });
    title.unwrap_or_default()
}
