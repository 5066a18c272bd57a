//! Which handler serves which message: the one place to edit for a new kind of request.

use super::stage::Purpose;
use crate::agent::{Limits, UrlAllowlist};
use crate::page::{MAX_ADDRESSES, text::MAX_TEXT};
use crate::provider::{Prompt, Route, Tools, Turn};
use crate::reading::prompt::{
    self, Instructions, MAX_ANALYSIS, MAX_HISTORY, MAX_QUESTION, MAX_SELECTION, Means, PromptText, clipped,
};
use crate::wire::{ChatMessage, OpenLinks, OwnPrompts, PanelToWorker, Role, Settings};

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

/// What prompts ask for; a provider that has less is asked for less, see [`crate::agent::Conversation::new`].
const ALL_TOOLS: Tools = Tools { web_search: true, fetch_url: true };

/// A request in the terms of the run that serves it.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) kind: Kind,
    /// Key of the first label of progress.
    pub(super) label: &'static str,
    /// Text of the page.
    pub(super) content: String,
    url: String,
    title: String,
    detail: Detail,
    /// Instructions of the reader's own, and the language to answer in.
    own: OwnPrompts,
    answer_language: String,
    /// Addresses the page names, whether it is the reader's alone, and how many addresses earlier answers opened.
    links: Vec<String>,
    is_private: bool,
    opened: usize,
    open_links: OpenLinks,
    /// Who serves it, when that is not for the settings to say.
    pub(super) route: Option<Route>,
    /// The tab whose page is read.
    pub(super) tab: Option<i32>,
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
    /// `None` for a message that asks for nothing. Every part is taken as far as its bound.
    pub(super) fn of(message: PanelToWorker) -> Option<Self> {
        let mut request = Self::unbounded(message)?;
        request.content = clipped(request.content, MAX_TEXT);
        request.links.truncate(MAX_ADDRESSES);
        match &mut request.detail {
            Detail::Analysis | Detail::Trial => {}
            Detail::Chat { messages, new_message, selection } => {
                *new_message = clipped(std::mem::take(new_message), MAX_QUESTION);
                *selection = clipped(std::mem::take(selection), MAX_SELECTION);
                keep_latest(messages, MAX_HISTORY);
            }
            Detail::Highlights { analysis } => *analysis = clipped(std::mem::take(analysis), MAX_ANALYSIS),
        }
        Some(request)
    }

    fn unbounded(message: PanelToWorker) -> Option<Self> {
        match message {
            // A list of models is no question to a model.
            PanelToWorker::Ping | PanelToWorker::OpenReply { .. } | PanelToWorker::Models { .. } => None,
            PanelToWorker::Analyze { url, title, content, links, private, tab_id } => Some(Self {
                tab: tab_id,
                content,
                url,
                title,
                links,
                is_private: private,
                ..Self::new(Kind::Analysis, "status_analyzing", Detail::Analysis)
            }),
            PanelToWorker::Test { provider, config } => Some(Self {
                route: Some(Route::new(provider, config)),
                ..Self::new(Kind::Answer, "status_asking", Detail::Trial)
            }),
            PanelToWorker::Chat {
                url,
                title,
                content,
                messages,
                new_message,
                selection,
                opened,
                links,
                private,
                tab_id,
            } => Some(Self {
                tab: tab_id,
                content,
                url,
                title,
                links,
                is_private: private,
                opened: usize::try_from(opened).unwrap_or(usize::MAX),
                ..Self::new(Kind::Answer, "status_analyzing", Detail::Chat { messages, new_message, selection })
            }),
            PanelToWorker::Highlights { content, analysis, url, title, links, private, tab_id, reading } => {
                let label = if analysis.is_empty() { Limits::HIGHLIGHTS.label } else { "status_researching" };
                Some(Self {
                    tab: tab_id,
                    content,
                    url,
                    title,
                    links,
                    is_private: private,
                    paint: tab_id.map(|tab_id| (tab_id, reading)),
                    ..Self::new(Kind::Highlights, label, Detail::Highlights { analysis })
                })
            }
        }
    }

    /// A request about no page, before the settings are known.
    fn new(kind: Kind, label: &'static str, detail: Detail) -> Self {
        Self {
            kind,
            label,
            content: String::new(),
            url: String::new(),
            title: String::new(),
            detail,
            own: OwnPrompts::default(),
            answer_language: String::new(),
            links: Vec::new(),
            is_private: false,
            opened: 0,
            open_links: OpenLinks::Never,
            route: None,
            tab: None,
            paint: None,
        }
    }

    /// Takes what the reader changed about the instructions.
    pub(super) fn instruct(&mut self, settings: &Settings) {
        self.own.clone_from(&settings.prompts);
        self.answer_language.clone_from(&settings.answer_language);
        self.open_links = settings.open_links_of(self.is_private);
    }

    /// What a model is asked about `content`, which is the page, or part number `part` (from 1) of `parts`.
    pub(super) fn prompt(&self, purpose: Purpose, content: &str, part: usize, parts: usize) -> Prompt {
        let Self { url, title, .. } = self;
        let instructions = &Instructions { own: &self.own, answer_language: &self.answer_language };
        let none = Tools::default();
        match purpose {
            Purpose::Notes => {
                single(prompt::notes(url, title, content, (part, parts), instructions), prompt::NOTES_MAX_TOKENS, none)
            }
            Purpose::Summary => {
                single(prompt::summary(url, title, content, instructions), prompt::SUMMARY_MAX_TOKENS, none)
            }
            Purpose::Answer | Purpose::Highlights => match &self.detail {
                Detail::Analysis => {
                    let text = prompt::analysis(url, title, content, Means::Search, instructions);
                    single(text, prompt::ANALYSIS_MAX_TOKENS, ALL_TOOLS)
                }
                Detail::Trial => single(prompt::trial(), prompt::TRIAL_MAX_TOKENS, none),
                Detail::Chat { messages, new_message, selection } => {
                    let mut turns: Vec<Turn> = messages.iter().map(turn).collect();
                    turns.push(Turn::User(prompt::question(new_message, selection)));
                    let system = prompt::chat(url, title, content, Means::Search, instructions);
                    Prompt { system, turns, max_tokens: prompt::ANALYSIS_MAX_TOKENS, tools: ALL_TOOLS, schema: "" }
                }
                Detail::Highlights { analysis } => {
                    // A quick scan looks nothing up: it is there before the analysis is.
                    let quick = analysis.is_empty();
                    let (means, tools) = if quick { (Means::None, none) } else { (Means::Search, ALL_TOOLS) };
                    let mut text = prompt::highlights(content, analysis, url, title, means, instructions);
                    if parts > 1 {
                        text.system.push_str(&prompt::part_note(part, parts));
                    }
                    Prompt { schema: prompt::HIGHLIGHTS_SCHEMA, ..single(text, prompt::HIGHLIGHTS_MAX_TOKENS, tools) }
                }
            },
        }
    }

    /// The addresses that its answers may open.
    pub(super) fn allowlist(&self) -> UrlAllowlist {
        let message = match &self.detail {
            Detail::Chat { new_message, .. } => new_message,
            Detail::Analysis | Detail::Trial | Detail::Highlights { .. } => "",
        };
        UrlAllowlist::new(self.open_links, &self.links, message, self.opened)
    }

    /// How far the model may go, and how its progress is called.
    pub(super) fn limits(&self) -> Limits {
        let limits = match self.kind {
            Kind::Analysis | Kind::Answer => Limits::PROSE,
            Kind::Highlights => Limits::HIGHLIGHTS,
        };
        Limits { label: self.label, ..limits }
    }

    /// What the reader asks, where passages of a long page must be chosen by it.
    pub(super) fn question(&self) -> Option<String> {
        match &self.detail {
            Detail::Chat { new_message, selection, .. } => Some(format!("{new_message}\n{selection}")),
            Detail::Analysis | Detail::Trial | Detail::Highlights { .. } => None,
        }
    }
}

fn single(text: PromptText, max_tokens: u32, tools: Tools) -> Prompt {
    Prompt { system: text.system, turns: vec![Turn::User(text.user)], max_tokens, tools, schema: "" }
}

/// Drops the oldest turns until the others fit.
fn keep_latest(messages: &mut Vec<ChatMessage>, max: usize) {
    let mut room = max;
    let fitting = messages.iter().rev().take_while(|message| {
        let size = message.content.len() + message.selection.len();
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    });
    let dropped = messages.len() - fitting.count();
    messages.drain(..dropped);
}

fn turn(message: &ChatMessage) -> Turn {
    match message.role {
        Role::User => Turn::User(prompt::question(&message.content, &message.selection)),
        Role::Assistant => Turn::Assistant(message.content.clone()),
    }
}
