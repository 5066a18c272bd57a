//! How tagged messages are read: the fields of every kind side by side, then the one message the tag names.
//!
//! What serde derives for a tagged enum first buffers a message of any shape, and then reads each type in it a second
//! way. That code would take a third of the module's budget. It is left to the one direction no Rust of ours reads
//! ([`ExtensionToPage`](super::ExtensionToPage)).

use serde::Deserialize;

use super::{
    Anchor, CategorySummaries, ChatMessage, ErrorCode, Highlight, PageToExtension, PaintedItem, PanelToWorker,
    ProviderConfig, ProviderId, Snapshot, Source, StopReason, Usage, WorkerToExtension, WorkerToPanel,
};

/// Why fields make no message.
#[derive(Debug, thiserror::Error)]
pub(super) enum TaggedError {
    #[error("missing field `{0}`")]
    MissingField(&'static str),
    #[error("unknown type `{0}`")]
    UnknownType(String),
}

fn required<T>(field: Option<T>, name: &'static str) -> Result<T, TaggedError> {
    field.ok_or(TaggedError::MissingField(name))
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct PanelToWorkerFields {
    r#type: Option<String>,
    url: Option<String>,
    title: Option<String>,
    content: Option<String>,
    analysis: Option<String>,
    messages: Option<Vec<ChatMessage>>,
    new_message: Option<String>,
    selection: Option<String>,
    #[serde(rename = "tabId")]
    tab_id: Option<i32>,
    reading: Option<String>,
    provider: Option<ProviderId>,
    config: Option<ProviderConfig>,
    links: Vec<String>,
    private: bool,
    opened: u32,
    ids: Option<Vec<u32>>,
    allow: Option<bool>,
}

impl TryFrom<PanelToWorkerFields> for PanelToWorker {
    type Error = TaggedError;

    fn try_from(fields: PanelToWorkerFields) -> Result<Self, TaggedError> {
        let PanelToWorkerFields { r#type, url, title, content, analysis, messages, new_message, .. } = fields;
        let PanelToWorkerFields { selection, tab_id, reading, provider, config, links, private, .. } = fields;
        let tag = required(r#type, "type")?;
        Ok(match tag.as_str() {
            "analyze" => Self::Analyze {
                url: required(url, "url")?,
                title: required(title, "title")?,
                content: required(content, "content")?,
                links,
                private,
                tab_id,
            },
            "chat" => Self::Chat {
                url: required(url, "url")?,
                title: required(title, "title")?,
                content: required(content, "content")?,
                messages: required(messages, "messages")?,
                new_message: required(new_message, "new_message")?,
                selection: selection.unwrap_or_default(),
                opened: fields.opened,
                links,
                private,
                tab_id,
            },
            "highlights" => Self::Highlights {
                content: required(content, "content")?,
                analysis: required(analysis, "analysis")?,
                url: url.unwrap_or_default(),
                title: title.unwrap_or_default(),
                links,
                private,
                tab_id,
                reading: reading.unwrap_or_default(),
            },
            "test" => Self::Test { provider: required(provider, "provider")?, config: required(config, "config")? },
            "models" => Self::Models { provider: required(provider, "provider")?, config: required(config, "config")? },
            "open_reply" => {
                Self::OpenReply { ids: required(fields.ids, "ids")?, allow: required(fields.allow, "allow")? }
            }
            "ping" => Self::Ping,
            _ => return Err(TaggedError::UnknownType(tag)),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkerToPanelFields {
    r#type: Option<String>,
    message: Option<String>,
    name: Option<String>,
    label: Option<String>,
    url: Option<String>,
    id: Option<u32>,
    text: Option<String>,
    sources: Option<Vec<Source>>,
    highlight: Option<Highlight>,
    index: Option<u32>,
    summary: Option<String>,
    #[serde(rename = "categorySummaries")]
    category_summaries: Option<CategorySummaries>,
    #[serde(rename = "stopReason")]
    stop_reason: Option<StopReason>,
    truncated: bool,
    usage: Option<Usage>,
    models: Option<Vec<String>>,
    code: Option<ErrorCode>,
    retryable: bool,
    events: Option<Vec<WorkerToPanel>>,
}

impl TryFrom<WorkerToPanelFields> for WorkerToPanel {
    type Error = TaggedError;

    fn try_from(fields: WorkerToPanelFields) -> Result<Self, TaggedError> {
        let tag = required(fields.r#type, "type")?;
        Ok(match tag.as_str() {
            "status" => Self::Status { message: required(fields.message, "message")? },
            "tool_call" => Self::ToolCall {
                name: required(fields.name, "name")?,
                label: required(fields.label, "label")?,
                url: fields.url.unwrap_or_default(),
            },
            "open_request" => Self::OpenRequest { id: required(fields.id, "id")?, url: required(fields.url, "url")? },
            "text_delta" => Self::TextDelta { text: required(fields.text, "text")? },
            "thinking_delta" => Self::ThinkingDelta { text: required(fields.text, "text")? },
            "sources" => Self::Sources { sources: required(fields.sources, "sources")? },
            "highlight_item" => Self::HighlightItem {
                highlight: required(fields.highlight, "highlight")?,
                index: required(fields.index, "index")?,
            },
            "highlights_result" => Self::HighlightsResult {
                summary: required(fields.summary, "summary")?,
                category_summaries: required(fields.category_summaries, "categorySummaries")?,
            },
            "models" => Self::Models { models: required(fields.models, "models")? },
            "done" => Self::Done { stop_reason: fields.stop_reason, truncated: fields.truncated, usage: fields.usage },
            "error" => Self::Error {
                message: required(fields.message, "message")?,
                code: fields.code,
                retryable: fields.retryable,
                usage: fields.usage,
            },
            "ping" => Self::Ping,
            "batch" => Self::Batch { events: required(fields.events, "events")? },
            _ => return Err(TaggedError::UnknownType(tag)),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct PageToExtensionFields {
    r#type: Option<String>,
    snapshot: Option<Box<Snapshot>>,
    phrases: Option<Vec<String>>,
    around: Vec<(String, String)>,
    reading: Option<String>,
    items: Option<Vec<PaintedItem>>,
    #[serde(rename = "lateFrames")]
    late_frames: bool,
    index: Option<u32>,
}

impl TryFrom<PageToExtensionFields> for PageToExtension {
    type Error = TaggedError;

    fn try_from(fields: PageToExtensionFields) -> Result<Self, TaggedError> {
        let tag = required(fields.r#type, "type")?;
        Ok(match tag.as_str() {
            "anchor" => Self::Anchor {
                snapshot: required(fields.snapshot, "snapshot")?,
                phrases: required(fields.phrases, "phrases")?,
                around: fields.around,
            },
            "painted" => Self::Painted {
                reading: required(fields.reading, "reading")?,
                items: required(fields.items, "items")?,
                late_frames: fields.late_frames,
            },
            "activated" => Self::Activated {
                reading: required(fields.reading, "reading")?,
                index: required(fields.index, "index")?,
            },
            _ => return Err(TaggedError::UnknownType(tag)),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkerToExtensionFields {
    r#type: Option<String>,
    anchors: Option<Vec<Option<Anchor>>>,
    #[serde(rename = "tabId")]
    tab_id: Option<i32>,
    toggle: bool,
}

impl TryFrom<WorkerToExtensionFields> for WorkerToExtension {
    type Error = TaggedError;

    fn try_from(fields: WorkerToExtensionFields) -> Result<Self, TaggedError> {
        let tag = required(fields.r#type, "type")?;
        Ok(match tag.as_str() {
            "anchors" => Self::Anchors { anchors: required(fields.anchors, "anchors")? },
            "erase" => Self::Erase,
            "read_tab" => Self::ReadTab { tab_id: required(fields.tab_id, "tabId")?, toggle: fields.toggle },
            _ => return Err(TaggedError::UnknownType(tag)),
        })
    }
}
