//! What a recording is known to say, against what was read of it.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use serde_json::{Value, json};
use sidelight::wire::{StopReason, Usage};

use super::dialect::Dialect;
use super::replay::Said;

/// Compares field by field; what the expectation does not state is not compared.
pub(super) fn compare(dialect: Dialect, said: &Said, expected: &Value) -> Result<()> {
    same("text", &json!(said.text), &expected["text"])?;
    same("thinking", &json!(said.thinking), &expected["thinking"])?;
    same("tools", &json!(said.tools), &expected["tools"])?;
    stop(said, expected)?;
    same("server_tools", &json!(said.server_tools), &expected["server_tools"])?;
    same("citations", &json!(citations(&said.replay)), &expected["citations"])?;
    urls(said, expected)?;
    usage(dialect, said.usage.unwrap_or_default(), &expected["usage"])
}

fn same(field: &str, said: &Value, expected: &Value) -> Result<()> {
    if !expected.is_null() && said != expected {
        let [said, expected] = [said, expected].map(Value::to_string);
        let same = said.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
        let shown = |text: &str| {
            let from = text.floor_char_boundary(same.saturating_sub(20));
            text[from..].chars().take(80).collect::<String>()
        };
        bail!("{field}: …{} instead of …{}", shown(&said), shown(&expected));
    }
    Ok(())
}

/// The end: a reason in the provider's words, or an error.
fn stop(said: &Said, expected: &Value) -> Result<()> {
    let name = expected["stop"].as_str();
    let calls = expected["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let wanted = match name {
        _ if !expected["error"].is_null() => None,
        // A stream that was cut, or failed.
        None | Some("error" | "response.failed") => None,
        // These say the same of an answer and of a call.
        Some("STOP" | "stop" | "response.completed") if calls => Some(StopReason::ToolUse),
        Some("end_turn" | "stop_sequence" | "stop" | "STOP" | "response.completed") => Some(StopReason::EndTurn),
        Some("tool_use" | "tool_calls" | "function_call") => Some(StopReason::ToolUse),
        Some("max_tokens" | "length" | "MAX_TOKENS" | "model_context_window_exceeded") => Some(StopReason::MaxTokens),
        Some("refusal") => Some(StopReason::Refusal),
        Some("pause_turn") => Some(StopReason::PauseTurn),
        Some("content_filter" | "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => {
            Some(StopReason::ContentFilter)
        }
        Some("response.incomplete") if said.end.is_ok() => said.end.as_ref().ok().copied(),
        Some(_) => Some(StopReason::Other),
    };
    match (&said.end, wanted) {
        (Ok(stop), Some(wanted)) if *stop == wanted => Ok(()),
        (Err(_), None) => Ok(()),
        (Ok(stop), _) => bail!("stop: {stop:?} instead of {}", name.unwrap_or("an error")),
        (Err(error), _) => bail!("stop: the error \"{error}\" instead of {}", name.unwrap_or("nothing")),
    }
}

/// Addresses cited in a turn, in order: Anthropic's citations of a text, Responses' annotations of one.
fn citations(turn: &Value) -> Vec<String> {
    let mut urls = Vec::new();
    each_object(turn, &mut |object| {
        for list in [&object["citations"], &object["annotations"]] {
            let cited = list.as_array().into_iter().flatten();
            urls.extend(cited.filter_map(|citation| citation["url"].as_str().map(str::to_owned)));
        }
    });
    urls
}

fn each_object(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| each_object(value, visit)),
        Value::Object(fields) => {
            visit(value);
            fields.values().for_each(|value| each_object(value, visit));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What was cited or found may be linked, and nothing else but what a tool of the provider was told to fetch.
fn urls(said: &Said, expected: &Value) -> Result<()> {
    let stated = |field: &str| -> BTreeSet<&str> {
        expected[field].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let known: BTreeSet<&str> = stated("urls").union(&stated("citations")).copied().collect();
    let found: BTreeSet<&str> = said.sources.iter().map(String::as_str).collect();
    if let Some(missing) = known.difference(&found).next() {
        bail!("urls: {missing} is not among the {} sources", found.len());
    }
    if expected["urls"].is_array() {
        let calls = expected["server_tools"].as_array().into_iter().flatten();
        let fetched: BTreeSet<&str> = calls.filter_map(|call| call["input"]["url"].as_str()).collect();
        if let Some(extra) = found.difference(&known).find(|url| !fetched.contains(*url)) {
            bail!("urls: {extra} is a source that nothing brought");
        }
    }
    Ok(())
}

/// Each count that is stated.
fn usage(dialect: Dialect, usage: Usage, expected: &Value) -> Result<()> {
    let stated = |field: &str| expected[field].as_u64();
    let read = usage.input_tokens + usage.cache_read_tokens;
    let counts: Vec<(&str, Option<u64>, u64)> = match dialect {
        Dialect::Anthropic => vec![
            ("input_tokens", stated("input_tokens"), usage.input_tokens),
            ("output_tokens", stated("output_tokens"), usage.output_tokens),
            ("cache_read_input_tokens", stated("cache_read_input_tokens"), usage.cache_read_tokens),
            ("cache_creation_input_tokens", stated("cache_creation_input_tokens"), usage.cache_write_tokens),
        ],
        Dialect::Chat => {
            // The total tells apart providers that count thinking within the completion from those that do not.
            let total = stated("total_tokens").zip(stated("prompt_tokens"));
            let written = total.map(|(total, prompt)| total.saturating_sub(prompt)).or(stated("completion_tokens"));
            vec![("prompt_tokens", stated("prompt_tokens"), read), ("total - prompt", written, usage.output_tokens)]
        }
        Dialect::Responses => vec![
            ("input_tokens", stated("input_tokens"), read),
            ("output_tokens", stated("output_tokens"), usage.output_tokens),
        ],
        Dialect::Gemini => {
            let thoughts = stated("thoughtsTokenCount").unwrap_or_default();
            let written = stated("candidatesTokenCount").map(|candidates| candidates + thoughts);
            vec![
                ("promptTokenCount", stated("promptTokenCount"), read),
                ("candidates + thoughts", written, usage.output_tokens),
            ]
        }
    };
    for (field, stated, counted) in counts {
        if stated.is_some_and(|stated| stated != counted) {
            bail!("usage: {field} is {counted} instead of {}", stated.unwrap_or_default());
        }
    }
    Ok(())
}
