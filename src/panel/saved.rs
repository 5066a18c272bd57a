//! What outlives the panel: each page's reading and chat as one plain value, for `storage.session` and the history.
//!
//! A value carries [`VERSION`]; one of another version is dropped rather than guessed at. Values are read field by
//! field, and what is absent or of another type counts as empty: what comes back is never worth a failure.

use serde_json::{Map, Value};

use super::answer::{Answer, Run};
use super::chat::Chat;
use super::read_page::ReadPage;
use super::reader::ReaderName;
use super::reading::{Item, Reading, Timings};
use crate::page::MAX_ADDRESSES;
use crate::provider::registry;
use crate::reading::category;
use crate::reading::citation::SourceSet;
use crate::wire::{ErrorCode, Highlight, Price, ProviderId, ReadingError, Usage};

/// Of the form of saved values; every change of a field's meaning counts it up.
pub(super) const VERSION: u64 = 2;

/// Most bytes of one page as saved. The text of the page goes first to make room, then what models thought aloud; a page
/// that is larger still is not saved.
pub const MAX_PAGE_BYTES: usize = 400_000;

/// A page's reading and chat as one value; `None` for one that is too large whatever is left out.
pub(super) fn save_page(reading: Option<&Reading>, chat: Option<&Chat>) -> Option<Value> {
    let mut page = object(vec![
        ("version", VERSION.into()),
        ("reading", reading.map_or(Value::Null, Reading::save)),
        ("chat", chat.map_or(Value::Null, Chat::save)),
    ]);
    for dispensable in ["content", "thinking"] {
        if weight(&page) <= MAX_PAGE_BYTES {
            break;
        }
        strip(&mut page, dispensable);
    }
    (weight(&page) <= MAX_PAGE_BYTES).then_some(page)
}

/// What [`save_page`] saved. `None` for another version, and for what holds nothing.
pub(super) fn restore_page(page: &Value, tab: i32) -> Option<(Option<Reading>, Option<Chat>)> {
    if page["version"].as_u64() != Some(VERSION) {
        return None;
    }
    let reading = Reading::restore(&page["reading"], tab);
    let chat = Chat::restore(&page["chat"], tab);
    (reading.is_some() || chat.is_some()).then_some((reading, chat))
}

impl Reading {
    fn save(&self) -> Value {
        let items = self.items.iter().map(|Item { index, highlight }| {
            object(vec![
                ("index", (*index).into()),
                ("phrase", highlight.phrase.as_str().into()),
                ("category", category::row(highlight.category).name.into()),
                ("note", highlight.note.as_str().into()),
                ("source", highlight.source.as_str().into()),
                ("sourceUrl", highlight.source_url.as_str().into()),
                ("verified", highlight.verified.into()),
            ])
        });
        let summaries = self.category_summaries.iter();
        let Timings { first_delta_ms, first_highlight_ms, done_ms } = self.timings;
        object(vec![
            ("id", self.id.as_str().into()),
            ("page", self.page.save()),
            ("content", self.content.as_str().into()),
            ("reader", self.reader.save()),
            ("detached", self.detached.into()),
            ("startedMs", self.started_ms.into()),
            ("analysis", self.analysis.save()),
            ("highlights", self.highlights.save()),
            ("items", items.collect()),
            ("dropped", self.dropped.into()),
            ("painted", self.painted.iter().map(|(index, on)| Value::from(vec![*index, u32::from(*on)])).collect()),
            ("summary", self.summary.as_str().into()),
            (
                "categorySummaries",
                object(summaries.map(|(own, words)| (category::row(*own).name, words.as_str().into())).collect()),
            ),
            ("firstDeltaMs", first_delta_ms.into()),
            ("firstHighlightMs", first_highlight_ms.into()),
            ("doneMs", done_ms.into()),
        ])
    }

    pub(super) fn restore(saved: &Value, tab: i32) -> Option<Self> {
        let id = saved["id"].as_str()?.to_owned();
        let reader = ReaderName::restore(&saved["reader"])?;
        let page = ReadPage::restore(&saved["page"]);
        let mut reading = Self::new(id, tab, page, text(saved, "content"), reader, number(saved, "startedMs"));
        reading.detached = saved["detached"].as_bool().unwrap_or_default();
        reading.analysis = Answer::restore(&saved["analysis"]);
        reading.highlights = Answer::restore(&saved["highlights"]);
        for item in list(saved, "items").iter().take(Self::MAX_ITEMS) {
            reading.items.extend(restore_item(item));
        }
        reading.dropped = small(&saved["dropped"]) as usize;
        for painted in list(saved, "painted").iter().take(Self::MAX_ITEMS) {
            reading.painted.insert(small(&painted[0]), small(&painted[1]) > 0);
        }
        reading.summary = text(saved, "summary");
        for row in &category::CATEGORIES {
            if let Some(words) = saved["categorySummaries"][row.name].as_str() {
                reading.category_summaries.insert(row.category, words.to_owned());
            }
        }
        reading.timings = Timings {
            first_delta_ms: saved["firstDeltaMs"].as_u64(),
            first_highlight_ms: saved["firstHighlightMs"].as_u64(),
            done_ms: saved["doneMs"].as_u64(),
        };
        Some(reading)
    }
}

fn restore_item(saved: &Value) -> Option<Item> {
    let name = saved["category"].as_str()?;
    let highlight = Highlight {
        phrase: text(saved, "phrase"),
        category: category::CATEGORIES.iter().find(|row| row.name == name)?.category,
        note: text(saved, "note"),
        source: text(saved, "source"),
        source_url: text(saved, "sourceUrl"),
        verified: saved["verified"].as_bool().unwrap_or_default(),
    };
    Some(Item { index: small(&saved["index"]), highlight })
}

impl Answer {
    pub(super) fn save(&self) -> Value {
        let mut fields = vec![
            ("text", self.prose().source().into()),
            ("thinking", self.thinking.as_str().into()),
            ("thinkingCut", self.thinking_cut.into()),
            ("sources", self.sources.urls().collect()),
            ("opened", self.opened.as_slice().into()),
        ];
        if let Some(usage) = self.usage {
            let Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
            fields.push(("usage", vec![input_tokens, output_tokens, cache_read_tokens, cache_write_tokens].into()));
        }
        let run = match self.run() {
            // Its port closes with the panel.
            Run::Running(_) | Run::Interrupted => "interrupted",
            Run::Stopped => "stopped",
            Run::Done { stop_reason, truncated } => {
                // Neither fails: both are mere names.
                fields.push(("stopReason", serde_json::to_value(stop_reason).unwrap_or_default()));
                fields.push(("truncated", (*truncated).into()));
                "done"
            }
            Run::Failed(error) => {
                fields.push(("message", error.message.as_str().into()));
                fields.push(("code", serde_json::to_value(error.code).unwrap_or_default()));
                fields.push(("retryable", error.retryable.into()));
                "failed"
            }
        };
        fields.push(("run", run.into()));
        object(fields)
    }

    pub(super) fn restore(saved: &Value) -> Self {
        let mut answer = Self::default();
        answer.prose.push(saved["text"].as_str().unwrap_or_default());
        answer.thinking = text(saved, "thinking");
        answer.thinking_cut = saved["thinkingCut"].as_bool().unwrap_or_default();
        answer.sources = SourceSet::of(list(saved, "sources").iter().filter_map(Value::as_str));
        answer.opened = list(saved, "opened").iter().filter_map(owned).take(Self::MAX_OPENED).collect();
        answer.usage = saved["usage"].as_array().map(|tokens| {
            let count = |at: usize| tokens.get(at).and_then(Value::as_u64).unwrap_or_default();
            Usage {
                input_tokens: count(0),
                output_tokens: count(1),
                cache_read_tokens: count(2),
                cache_write_tokens: count(3),
            }
        });
        answer.end(match saved["run"].as_str() {
            Some("done") => Run::Done {
                stop_reason: serde_json::from_value(saved["stopReason"].clone()).unwrap_or_default(),
                truncated: saved["truncated"].as_bool().unwrap_or_default(),
            },
            Some("stopped") => Run::Stopped,
            Some("failed") => {
                let code = serde_json::from_value(saved["code"].clone()).unwrap_or(ErrorCode::Internal);
                let retryable = saved["retryable"].as_bool().unwrap_or_default();
                Run::Failed(ReadingError { message: text(saved, "message"), code, retryable, tokens: None })
            }
            Some(_) | None => Run::Interrupted,
        });
        answer
    }
}

impl ReadPage {
    pub(super) fn save(&self) -> Value {
        object(vec![
            ("url", self.url.as_str().into()),
            ("title", self.title.as_str().into()),
            ("extent", self.extent.as_str().into()),
            ("leftOut", self.left_out.as_str().into()),
            ("addresses", self.addresses.as_slice().into()),
            ("private", self.is_private.into()),
            ("selection", self.is_selection.into()),
        ])
    }

    pub(super) fn restore(saved: &Value) -> Self {
        let url = text(saved, "url");
        let addresses: Vec<String> = list(saved, "addresses").iter().filter_map(owned).take(MAX_ADDRESSES).collect();
        Self {
            title: text(saved, "title"),
            extent: text(saved, "extent"),
            left_out: text(saved, "leftOut"),
            links: Self::links(&url, &addresses),
            url,
            addresses,
            is_private: saved["private"].as_bool().unwrap_or_default(),
            is_selection: saved["selection"].as_bool().unwrap_or_default(),
        }
    }
}

impl ReaderName {
    pub(super) fn save(&self) -> Value {
        object(vec![
            ("provider", self.id.as_str().into()),
            ("label", self.label.as_str().into()),
            ("model", self.model.as_str().into()),
            ("price", self.price.map_or(Value::Null, |price| vec![price.input, price.output].into())),
        ])
    }

    pub(super) fn restore(saved: &Value) -> Option<Self> {
        let id: ProviderId = registry::by_name(saved["provider"].as_str()?)?.id;
        let price = saved["price"][0].as_u64().zip(saved["price"][1].as_u64());
        let price = price.map(|(input, output)| Price { input, output });
        Some(Self { id, label: text(saved, "label"), model: text(saved, "model"), price })
    }
}

/// An object with these fields.
pub(super) fn object(fields: Vec<(&'static str, Value)>) -> Value {
    // Not collected: a map that is, sorts first.
    let mut object = Map::new();
    for (name, value) in fields {
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}

/// A field that is text; empty for any other.
pub(super) fn text(saved: &Value, name: &str) -> String {
    saved[name].as_str().unwrap_or_default().to_owned()
}

/// A field that is a number; 0 for any other.
pub(super) fn number(saved: &Value, name: &str) -> u64 {
    saved[name].as_u64().unwrap_or_default()
}

/// A field that is a list; empty for any other.
pub(super) fn list<'a>(saved: &'a Value, name: &str) -> &'a [Value] {
    saved[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn small(saved: &Value) -> u32 {
    saved.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

fn owned(saved: &Value) -> Option<String> {
    saved.as_str().map(str::to_owned)
}

/// Bytes a value takes, as Chrome counts them: roughly.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 8,
        Value::Array(items) => items.iter().map(weight).sum::<usize>() + 8,
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + 8 + weight(value)).sum::<usize>() + 8,
    }
}

/// Takes a field out, at whatever depth.
pub(super) fn strip(value: &mut Value, name: &str) {
    match value {
        Value::Object(fields) => {
            fields.remove(name);
            fields.values_mut().for_each(|value| strip(value, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
