//! Which handler serves which message: the one place to edit for a new kind of request.

use super::stage::Purpose;
use crate::provider::{Prompt, Route, Tools, Turn};
use crate::reading::prompt::{self, PromptText};
use crate::wire::{ChatMessage, PanelToWorker, Role};

/// What the text of an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Prose about the page.
    Analysis,
    /// Prose in answer to a question.
    Answer,
    /// A list of phrases to mark.
    Highlights,
}

/// A request in the terms of the run that serves it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) kind: Kind,
    /// First label of progress.
    pub(super) label: &'static str,
    /// Text of the page.
    pub(super) content: String,
    url: String,
    title: String,
    detail: Detail,
    /// Who serves it, when that is not for the settings to say.
    pub(super) route: Option<Route>,
    /// The tab to paint in, and the reading to paint for.
    pub(super) paint: Option<(i32, String)>,
}

/// What is asked about the page.
#[derive(Debug)]
enum Detail {
    Analysis,
    Trial,
    Chat { messages: Vec<ChatMessage>, new_message: String, selection: String },
    Highlights { analysis: String },
}

impl Request {
    /// `None` for a message that asks for nothing.
    pub(super) fn of(message: PanelToWorker) -> Option<Self> {
        match message {
            PanelToWorker::Ping => None,
            PanelToWorker::Analyze { url, title, content, .. } => Some(Self {
                kind: Kind::Analysis,
                label: "Analyzing...",
                content,
                url,
                title,
                detail: Detail::Analysis,
                route: None,
                paint: None,
            }),
            PanelToWorker::Test { provider, config } => Some(Self {
                kind: Kind::Answer,
                label: "Asking...",
                content: String::new(),
                url: String::new(),
                title: String::new(),
                detail: Detail::Trial,
                route: Some(Route { id: provider, config, notice: None }),
                paint: None,
            }),
            PanelToWorker::Chat { url, title, content, messages, new_message, selection, .. } => Some(Self {
                kind: Kind::Answer,
                label: "Analyzing...",
                content,
                url,
                title,
                detail: Detail::Chat { messages, new_message, selection },
                route: None,
                paint: None,
            }),
            PanelToWorker::Highlights { content, analysis, url, title, tab_id, reading } => Some(Self {
                kind: Kind::Highlights,
                label: if analysis.is_empty() { "Scanning page..." } else { "Researching claims..." },
                content,
                url,
                title,
                detail: Detail::Highlights { analysis },
                route: None,
                paint: tab_id.map(|tab_id| (tab_id, reading)),
            }),
        }
    }

    /// What a model is asked about `content`, which is the page, or part number `part` (from 1) of `parts`. No provider
    /// has a search tool yet, so none is asked for links.
    pub(super) fn prompt(&self, purpose: Purpose, content: &str, part: usize, parts: usize) -> Prompt {
        let Self { url, title, .. } = self;
        match purpose {
            Purpose::Notes => single(prompt::notes(url, title, content, part, parts), prompt::NOTES_MAX_TOKENS),
            Purpose::Summary => single(prompt::summary(url, title, content), prompt::SUMMARY_MAX_TOKENS),
            Purpose::Answer | Purpose::Highlights => match &self.detail {
                Detail::Analysis => single(prompt::analysis(url, title, content, false), prompt::ANALYSIS_MAX_TOKENS),
                Detail::Trial => single(prompt::trial(), prompt::TRIAL_MAX_TOKENS),
                Detail::Chat { messages, new_message, selection } => {
                    let mut turns: Vec<Turn> = messages.iter().map(turn).collect();
                    turns.push(Turn::User(prompt::question(new_message, selection)));
                    let system = prompt::chat(url, title, content);
                    Prompt { system, turns, max_tokens: prompt::ANALYSIS_MAX_TOKENS, tools: Tools::default() }
                }
                Detail::Highlights { analysis } => {
                    let mut text = prompt::highlights(content, analysis, url, title);
                    if parts > 1 {
                        text.system.push_str(&prompt::part_note(part, parts));
                    }
                    single(text, prompt::HIGHLIGHTS_MAX_TOKENS)
                }
            },
        }
    }

    /// What the reader asks, where passages of a long page must be chosen by it.
    pub(super) fn question(&self) -> Option<String> {
        match &self.detail {
            Detail::Chat { new_message, selection, .. } => Some(format!("{new_message}\n{selection}")),
            Detail::Analysis | Detail::Trial | Detail::Highlights { .. } => None,
        }
    }
}

fn single(text: PromptText, max_tokens: u32) -> Prompt {
    Prompt { system: text.system, turns: vec![Turn::User(text.user)], max_tokens, tools: Tools::default() }
}

fn turn(message: &ChatMessage) -> Turn {
    let content = message.content.clone();
    match message.role {
        Role::User => Turn::User(content),
        Role::Assistant => Turn::Assistant(content),
    }
}
