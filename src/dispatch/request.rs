//! Which handler serves which message: the one place to edit for a new kind of request.

use crate::provider::{Prompt, Route, Tools, Turn};
use crate::reading::prompt::{self, Instructions, PromptText};
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
    /// Text of the page, for the offline reader.
    pub(super) content: String,
    /// What a model is asked.
    pub(super) prompt: Prompt,
    /// Who serves it, when that is not for the settings to say.
    pub(super) route: Option<Route>,
    /// The tab to paint in, and the reading to paint for.
    pub(super) paint: Option<(i32, String)>,
}

impl Request {
    /// `None` for a message that asks for nothing. No provider has a search tool yet, so none is asked for links.
    pub(super) fn of(message: PanelToWorker, instructions: &Instructions<'_>) -> Option<Self> {
        match message {
            // A list of models is no question to a model.
            PanelToWorker::Ping | PanelToWorker::Models { .. } => None,
            PanelToWorker::Analyze { url, title, content, .. } => Some(Self {
                kind: Kind::Analysis,
                label: "Analyzing...",
                prompt: single(
                    prompt::analysis(&url, &title, &content, false, instructions),
                    prompt::ANALYSIS_MAX_TOKENS,
                ),
                content,
                route: None,
                paint: None,
            }),
            PanelToWorker::Test { provider, config } => Some(Self {
                kind: Kind::Answer,
                label: "Asking...",
                prompt: single(prompt::trial(), prompt::TRIAL_MAX_TOKENS),
                content: String::new(),
                route: Some(Route { id: provider, config, notice: None }),
                paint: None,
            }),
            PanelToWorker::Chat { url, title, content, messages, new_message, selection, .. } => {
                let mut turns: Vec<Turn> = messages.into_iter().map(turn).collect();
                turns.push(Turn::User(prompt::question(&new_message, &selection)));
                let system = prompt::chat(&url, &title, &content, instructions);
                Some(Self {
                    kind: Kind::Answer,
                    label: "Analyzing...",
                    prompt: Prompt { system, turns, max_tokens: prompt::ANALYSIS_MAX_TOKENS, tools: Tools::default() },
                    content,
                    route: None,
                    paint: None,
                })
            }
            PanelToWorker::Highlights { content, analysis, url, title, tab_id, reading } => Some(Self {
                kind: Kind::Highlights,
                label: if analysis.is_empty() { "Scanning page..." } else { "Researching claims..." },
                prompt: single(
                    prompt::highlights(&content, &analysis, &url, &title, instructions),
                    prompt::HIGHLIGHTS_MAX_TOKENS,
                ),
                content,
                route: None,
                paint: tab_id.map(|tab_id| (tab_id, reading)),
            }),
        }
    }
}

fn single(text: PromptText, max_tokens: u32) -> Prompt {
    Prompt { system: text.system, turns: vec![Turn::User(text.user)], max_tokens, tools: Tools::default() }
}

fn turn(message: ChatMessage) -> Turn {
    match message.role {
        Role::User => Turn::User(message.content),
        Role::Assistant => Turn::Assistant(message.content),
    }
}
