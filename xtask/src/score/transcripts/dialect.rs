//! Which protocol a recording speaks, and how its events were sent.

use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::Value;
use sidelight::provider::{Decoder, ResponseHead};
use sidelight::wire::{ProviderConfig, ProviderId};

/// A protocol of the recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Anthropic,
    /// `OpenAI`'s chat completions, and whoever speaks like it.
    Chat,
    /// `OpenAI`'s Responses.
    Responses,
    Gemini,
}

impl Dialect {
    /// By the words of a file's name, else by what the expectation states.
    pub(super) fn of(name: &str, stated: Option<&str>) -> Option<Self> {
        let named = |word: &str| match word {
            "anthropic" => Some(Self::Anthropic),
            "openai" => Some(Self::Chat),
            "responses" => Some(Self::Responses),
            "gemini" => Some(Self::Gemini),
            _ => None,
        };
        let mut words = name.split('-').peekable();
        while let Some(word) = words.next() {
            match named(word) {
                Some(Self::Chat) if words.peek() == Some(&"responses") => return Some(Self::Responses),
                Some(dialect) => return Some(dialect),
                None => {}
            }
        }
        stated.and_then(named)
    }

    /// The events, one a line, as the provider sends them.
    pub(super) fn as_stream(self, lines: &str) -> Result<String> {
        let mut body = String::new();
        for (nth, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if matches!(self, Self::Anthropic | Self::Responses) {
                let event: Value =
                    serde_json::from_str(line).with_context(|| format!("line {} is no JSON", nth + 1))?;
                writeln!(body, "event: {}", event["type"].as_str().unwrap_or("message"))?;
            }
            write!(body, "data: {line}\n\n")?;
        }
        if self == Self::Chat {
            body.push_str("data: [DONE]\n\n");
        }
        Ok(body)
    }

    /// A decoder that has seen the head of a successful answer.
    pub(super) fn decoder(self) -> Decoder {
        let (id, url) = match self {
            Self::Anthropic => (ProviderId::Anthropic, "https://api.anthropic.com/v1/messages"),
            Self::Chat => (ProviderId::Openai, "http://127.0.0.1:8080/v1/chat/completions"),
            Self::Responses => (ProviderId::Openai, "https://api.openai.com/v1/responses"),
            Self::Gemini => (ProviderId::Gemini, "https://generativelanguage.googleapis.com/v1beta/models"),
        };
        // OpenAI's own endpoint speaks Responses, every other one chat completions.
        let base_url = if self == Self::Chat { "http://127.0.0.1:8080/v1" } else { "" };
        let mut decoder =
            Decoder::new(id, &ProviderConfig { base_url: base_url.to_owned(), ..ProviderConfig::default() });
        let content_type = "text/event-stream".to_owned();
        decoder.handle_head(&ResponseHead {
            status: 200,
            content_type,
            url: url.to_owned(),
            ..ResponseHead::default()
        });
        decoder
    }
}
