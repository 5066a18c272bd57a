//! Messages on the port `agent`: one port is one request, and closing it cancels the request.

use serde::{Deserialize, Serialize};

use super::{CategorySummaries, ErrorCode, Highlight, ProviderConfig, ProviderId, ReadingError, Source};

/// Who said a turn of a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The reader.
    User,
    /// The model.
    Assistant,
}

/// One earlier turn of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub content: String,
    /// What the reader had selected on the page and asked about; empty for the page as a whole.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub selection: String,
}

/// Panel to worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", try_from = "super::tagged::PanelToWorkerFields")]
pub enum PanelToWorker {
    /// Analyse the page in prose.
    Analyze {
        /// Address of the page.
        url: String,
        /// Title of the page.
        title: String,
        /// Text of the page.
        content: String,
        /// Addresses the page names, as the browser parsed them: these a model may open.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        links: Vec<String>,
        /// Whether the page is the reader's alone: they are logged in there, or the window is private.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        /// The tab the page stands in.
        #[serde(rename = "tabId", skip_serializing_if = "Option::is_none")]
        tab_id: Option<i32>,
    },
    /// Answer a question about the page.
    Chat {
        /// Address of the page.
        url: String,
        /// Title of the page.
        title: String,
        /// Text of the page.
        content: String,
        /// The turns before this one.
        messages: Vec<ChatMessage>,
        /// The new turn.
        new_message: String,
        /// What the reader selected on the page and asks about; empty for the page as a whole.
        #[serde(skip_serializing_if = "String::is_empty")]
        selection: String,
        /// How many addresses earlier answers of the conversation opened.
        #[serde(skip_serializing_if = "is_zero")]
        opened: u32,
        /// Addresses the page names, as the browser parsed them: these a model may open.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        links: Vec<String>,
        /// Whether the page is the reader's alone: they are logged in there, or the window is private.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        /// The tab the page stands in.
        #[serde(rename = "tabId", skip_serializing_if = "Option::is_none")]
        tab_id: Option<i32>,
    },
    /// Name the phrases worth marking.
    Highlights {
        /// Text of the page.
        content: String,
        /// Empty for a quick scan; the finished analysis for a researched run.
        analysis: String,
        /// Address of the page.
        #[serde(skip_serializing_if = "String::is_empty")]
        url: String,
        /// Title of the page.
        #[serde(skip_serializing_if = "String::is_empty")]
        title: String,
        /// Addresses the page names, as the browser parsed them: these a model may open.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        links: Vec<String>,
        /// Whether the page is the reader's alone: they are logged in there, or the window is private.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        /// The tab to paint in; without it nothing is painted.
        #[serde(rename = "tabId", skip_serializing_if = "Option::is_none")]
        tab_id: Option<i32>,
        /// Names the reading the highlights belong to, so that the page can tell two readings apart.
        #[serde(skip_serializing_if = "String::is_empty")]
        reading: String,
    },
    /// Answer with one word, to see whether provider, key, model and address fit together.
    Test {
        /// Who is asked.
        provider: ProviderId,
        /// How to reach it, stored or not.
        config: ProviderConfig,
    },
    /// Name the models a provider has.
    Models {
        /// Who is asked.
        provider: ProviderId,
        /// How to reach it, stored or not.
        config: ProviderConfig,
    },
    /// The reader's answer to [`WorkerToPanel::OpenRequest`]s.
    OpenReply {
        /// Which of them.
        ids: Vec<u32>,
        /// Whether these addresses may be opened.
        allow: bool,
    },
    /// Keeps the worker alive while a model thinks in silence; sent every 20 s.
    Ping,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The answer is complete.
    EndTurn,
    /// The answer hit the output limit and is cut.
    MaxTokens,
    /// The model declined.
    Refusal,
    /// A filter of the provider cut the answer.
    ContentFilter,
    /// The model asked for a tool.
    ToolUse,
    /// The provider paused a long turn.
    PauseTurn,
    /// The provider named a reason unknown here.
    Other,
}

impl StopReason {
    /// Whether the answer is whole.
    pub fn is_complete(self) -> bool {
        match self {
            Self::EndTurn => true,
            Self::MaxTokens | Self::Refusal | Self::ContentFilter | Self::ToolUse | Self::PauseTurn | Self::Other => {
                false
            }
        }
    }
}

/// Tokens a request used; zero where the provider did not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Tokens read, cached ones not counted.
    pub input_tokens: u64,
    /// Tokens written, thinking included.
    pub output_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the provider's cache.
    pub cache_write_tokens: u64,
}

impl Usage {
    /// What two requests used together, where either said.
    pub fn sum(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
        Some(Self {
            input_tokens: one.input_tokens.saturating_add(other.input_tokens),
            output_tokens: one.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: one.cache_read_tokens.saturating_add(other.cache_read_tokens),
            cache_write_tokens: one.cache_write_tokens.saturating_add(other.cache_write_tokens),
        })
    }
}

/// Worker to panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", try_from = "super::tagged::WorkerToPanelFields")]
pub enum WorkerToPanel {
    /// A label of progress.
    Status {
        /// The label.
        message: String,
    },
    /// A tool is at work.
    ToolCall {
        /// The tool.
        name: String,
        /// What it does, for the reader.
        label: String,
        /// The whole address it opens; empty for a tool that opens none.
        #[serde(skip_serializing_if = "String::is_empty")]
        url: String,
    },
    /// A model wants to open an address, and the reader is to be asked. Answered with [`PanelToWorker::OpenReply`].
    OpenRequest {
        /// Names this question on its port.
        id: u32,
        /// The whole address.
        url: String,
    },
    /// Text of the answer.
    TextDelta {
        /// The next piece.
        text: String,
    },
    /// Thinking aloud, which is not part of the answer.
    ThinkingDelta {
        /// The next piece.
        text: String,
    },
    /// Pages a search or a fetch of this request really brought. Only these may be shown as links; each is sent once.
    Sources {
        /// The pages.
        sources: Vec<Source>,
    },
    /// One highlight, sent the moment its closing brace arrived.
    HighlightItem {
        /// The highlight.
        highlight: Highlight,
        /// Counts from 0 within the port.
        index: u32,
    },
    /// What the highlights say together.
    HighlightsResult {
        /// Two sentences about the page.
        summary: String,
        /// One sentence for each category.
        #[serde(rename = "categorySummaries")]
        category_summaries: CategorySummaries,
    },
    /// The models a provider has, in its own order.
    Models {
        /// Their names.
        models: Vec<String>,
    },
    /// The request is complete.
    Done {
        /// Why the answer ended.
        #[serde(rename = "stopReason", skip_serializing_if = "Option::is_none")]
        stop_reason: Option<StopReason>,
        /// Whether something is missing from the answer.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        /// Tokens used, where the provider said.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// The request failed; nothing follows.
    Error {
        /// What happened and what to do next.
        message: String,
        /// The kind.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<ErrorCode>,
        /// Whether asking again may help.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        retryable: bool,
        /// Tokens used until then, where a provider said.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A sign of life: the provider sent something that shows nothing.
    Ping,
    /// Everything one network chunk brought, in order, as one message. Never nested.
    Batch {
        /// The messages.
        events: Vec<WorkerToPanel>,
    },
}

impl WorkerToPanel {
    /// Whether nothing may follow on the port.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Done { .. } | Self::Error { .. } => true,
            Self::Batch { events } => events.iter().any(Self::is_final),
            Self::Status { .. }
            | Self::ToolCall { .. }
            | Self::OpenRequest { .. }
            | Self::TextDelta { .. }
            | Self::ThinkingDelta { .. }
            | Self::Sources { .. }
            | Self::HighlightItem { .. }
            | Self::HighlightsResult { .. }
            | Self::Models { .. }
            | Self::Ping => false,
        }
    }
}

impl From<ReadingError> for WorkerToPanel {
    fn from(error: ReadingError) -> Self {
        Self::Error { message: error.message, code: Some(error.code), retryable: error.retryable, usage: None }
    }
}
