//! Which handler serves which message: the one place to edit for a new kind of request.

use crate::agent::Limits;
use crate::provider::{Prompt, Route, Tools, Turn};
use crate::reading::prompt::{self, Instructions, Means, PromptText};
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

/// What prompts ask for; a provider that has less is asked for less.
const ALL_TOOLS: Tools = Tools { web_search: true, fetch_url: true };

/// A request in the terms of the run that serves it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) kind: Kind,
    /// First label of progress.
    pub(super) label: &'static str,
    /// Text of the page, for the offline reader.
    pub(super) content: String,
    /// What a model is asked. It is written for a model with every tool, see [`crate::agent::Conversation::new`].
    pub(super) prompt: Prompt,
    /// Who serves it, when that is not for the settings to say.
    pub(super) route: Option<Route>,
    /// The tab to paint in, and the reading to paint for.
    pub(super) paint: Option<(i32, String)>,
}

impl Request {
    /// `None` for a message that asks for nothing.
    pub(super) fn of(message: PanelToWorker, instructions: &Instructions<'_>) -> Option<Self> {
        match message {
            // A list of models is no question to a model.
            PanelToWorker::Ping | PanelToWorker::Models { .. } => None,
            PanelToWorker::Analyze { url, title, content, .. } => Some(Self {
                kind: Kind::Analysis,
                label: "Analyzing...",
                prompt: single(
                    prompt::analysis(&url, &title, &content, Means::Search, instructions),
                    prompt::ANALYSIS_MAX_TOKENS,
                    ALL_TOOLS,
                ),
                content,
                route: None,
                paint: None,
            }),
            PanelToWorker::Test { provider, config } => Some(Self {
                kind: Kind::Answer,
                label: "Asking...",
                prompt: single(prompt::trial(), prompt::TRIAL_MAX_TOKENS, Tools::default()),
                content: String::new(),
                route: Some(Route { id: provider, config, notice: None }),
                paint: None,
            }),
            PanelToWorker::Chat { url, title, content, messages, new_message, selection, .. } => {
                let mut turns: Vec<Turn> = messages.into_iter().map(turn).collect();
                turns.push(Turn::User(prompt::question(&new_message, &selection)));
                let system = prompt::chat(&url, &title, &content, Means::Search, instructions);
                Some(Self {
                    kind: Kind::Answer,
                    label: "Analyzing...",
                    prompt: Prompt { system, turns, max_tokens: prompt::ANALYSIS_MAX_TOKENS, tools: ALL_TOOLS },
                    content,
                    route: None,
                    paint: None,
                })
            }
            PanelToWorker::Highlights { content, analysis, url, title, tab_id, reading } => {
                // A quick scan looks nothing up: it is there before the analysis is.
                let (label, means, tools) = if analysis.is_empty() {
                    (Limits::HIGHLIGHTS.label, Means::None, Tools::default())
                } else {
                    ("Researching claims...", Means::Search, ALL_TOOLS)
                };
                let text = prompt::highlights(&content, &analysis, &url, &title, means, instructions);
                Some(Self {
                    kind: Kind::Highlights,
                    label,
                    prompt: single(text, prompt::HIGHLIGHTS_MAX_TOKENS, tools),
                    content,
                    route: None,
                    paint: tab_id.map(|tab_id| (tab_id, reading)),
                })
            }
        }
    }

    /// How far the model may go, and how its progress is called.
    pub(super) fn limits(&self) -> Limits {
        let limits = match self.kind {
            Kind::Analysis | Kind::Answer => Limits::PROSE,
            Kind::Highlights => Limits::HIGHLIGHTS,
        };
        Limits { label: self.label, ..limits }
    }
}

fn single(text: PromptText, max_tokens: u32, tools: Tools) -> Prompt {
    Prompt { system: text.system, turns: vec![Turn::User(text.user)], max_tokens, tools }
}

fn turn(message: ChatMessage) -> Turn {
    match message.role {
        Role::User => Turn::User(message.content),
        Role::Assistant => Turn::Assistant(message.content),
    }
}
