//! What is shown of a chat, as plain data.

use super::{Chat, ChatTurn};
use crate::panel::answer::{Purpose, Run};
use crate::panel::model::Panel;
use crate::panel::notice::{leads_to_settings, name_in_sentence, split_details};
use crate::panel::usage::usage_line;
use crate::panel::view::seconds_shown;
use crate::reading::citation::SourceSet;
use crate::wire::ErrorCode;
use crate::words;

/// What a button of a turn does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnAction {
    /// Put the question back into the input.
    Edit,
    /// Copy the answer.
    Copy,
    /// Ask the same again.
    Retry,
    /// Ask for the rest of an answer that was cut.
    Continue,
    /// Open the options page.
    Settings,
    /// Allow the way through the page, and ask the same again.
    AllowProxy,
    /// Do not allow it.
    DeclineProxy,
    /// Let the model open the addresses it asks for.
    AllowOpen,
    /// Do not let it.
    DeclineOpen,
}

/// The small parts of a turn; its growing answer is drawn from the turn itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnView {
    /// The passage it is about, shortened; empty for the page.
    pub about: String,
    /// Who answered, tokens and cost; empty while the answer runs.
    pub meta: String,
    /// What went wrong or is missing; empty when nothing is.
    pub problem: String,
    /// The rest of a long problem, folded.
    pub details: String,
    /// That the reader stopped it; empty otherwise.
    pub remark: String,
    /// What the model wants to open; empty when it asks for nothing.
    pub open_request: String,
    /// The addresses, in full.
    pub open_addresses: Vec<String>,
    /// Whether the answer is still being written.
    pub running: bool,
    /// Whether its question stands in the input, to be asked anew.
    pub edited: bool,
    /// Buttons: their words and what they do.
    pub actions: Vec<(String, TurnAction)>,
}

/// Everything small about the chat shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatView {
    /// Why nothing can be asked, with the settings as the way out; empty when it can.
    pub blocked: String,
    /// In place of the turns, when there are none.
    pub empty: String,
    /// Whether questions to begin with are offered.
    pub offers_ideas: bool,
    /// In the empty input.
    pub placeholder: String,
    /// The passage the next question is about, shortened; empty for the page.
    pub chip: String,
    /// That an earlier question is being edited; empty otherwise.
    pub editing: String,
    /// That earlier turns made room; empty otherwise.
    pub forgotten: String,
    /// Why the question was not sent; empty otherwise.
    pub remark: String,
    /// What is being done; empty while nothing is.
    pub progress: String,
    /// Seconds so far; empty while nothing runs.
    pub elapsed: String,
    /// Whether an answer is being written.
    pub running: bool,
    /// Whether it is of the past: to be read only.
    pub past: bool,
    /// Spoken once on each change, politely.
    pub live: String,
}

/// Longest passage shown in a chip or above a question, in characters.
const MAX_ABOUT: usize = 120;

impl Panel {
    /// What is shown of the chat.
    pub(in crate::panel) fn chat_view(&self, now_ms: u64) -> ChatView {
        let chat = self.chat();
        let can_ask = !self.settings_known || self.can_answer();
        let running = chat.and_then(Chat::running);
        ChatView {
            blocked: say_if("chat_blocked", !can_ask),
            empty: {
                let is_past = self.past.is_some();
                let key = if is_past { "past_no_chat" } else { "chat_empty" };
                say_if(key, (can_ask || is_past) && chat.is_none_or(|chat| chat.turns.is_empty()))
            },
            offers_ideas: can_ask && self.past.is_none() && chat.is_none_or(|chat| chat.turns.is_empty()),
            placeholder: match self.other_title().filter(|title| !title.trim().is_empty()) {
                Some(title) => words::say("chat_ask_about", &[&name_in_sentence(title)]),
                None => words::say("chat_ask_page", &[]),
            },
            chip: chat.map(|chat| about(&chat.draft.selection)).unwrap_or_default(),
            editing: say_if("chat_editing", chat.is_some_and(Chat::is_editing)),
            forgotten: chat.map(forgotten).unwrap_or_default(),
            remark: chat.map(|chat| say_if(chat.remark, !chat.remark.is_empty())).unwrap_or_default(),
            progress: running.map(progress).unwrap_or_default(),
            elapsed: running
                .map(|turn| seconds_shown(now_ms.saturating_sub(turn.started_ms) / 1000))
                .unwrap_or_default(),
            running: running.is_some(),
            past: self.past.is_some(),
            live: chat.and_then(|chat| chat.turns.last()).map(live).unwrap_or_default(),
        }
    }

    /// The title of the page the chat is about, where the tab shows another or keeps from us which it shows.
    fn other_title(&self) -> Option<&str> {
        if let Some(reading) = self.reading() {
            return self.away(reading).is_some().then_some(&reading.page.title);
        }
        let taken = self.chat()?.page.as_ref()?;
        self.tab.as_ref()?.url.is_none().then_some(&taken.0.title)
    }

    /// The small parts of a turn of the chat shown.
    pub fn turn_view(&self, chat: &Chat, turn: &ChatTurn) -> TurnView {
        let run = turn.answer.run();
        let ended = !run.is_running();
        let of_past = self.past.is_some();
        let is_last = !of_past && chat.turns.last().is_some_and(|last| last.id == turn.id);
        let has_text = !turn.text().trim().is_empty();
        let problem = turn.answer.problem(Purpose::Chat);
        let (text, details) = problem.as_ref().map(|error| split_details(&error.message)).unwrap_or_default();
        let code = problem.map(|error| error.code);
        let wants_consent = code == Some(ErrorCode::NeedsConsent) && !turn.consent_declined;
        let open_addresses = turn.answer.open_requests();
        let is_asked = !open_addresses.is_empty();
        let offers = [
            (is_asked, "open_request_allow", TurnAction::AllowOpen),
            (is_asked, "open_request_decline", TurnAction::DeclineOpen),
            (ended && has_text, "chat_copy", TurnAction::Copy),
            (ended && is_last && wants_consent, "notice_allow_proxy", TurnAction::AllowProxy),
            (ended && is_last && wants_consent, "notice_not_now", TurnAction::DeclineProxy),
            (ended && is_last && has_text && !run.is_whole(), "chat_continue", TurnAction::Continue),
            (ended && is_last && !wants_consent, "panel_retry", TurnAction::Retry),
            (!of_past && code.is_some_and(leads_to_settings), "notice_open_settings", TurnAction::Settings),
            (!of_past && chat.running().is_none(), "chat_edit", TurnAction::Edit),
        ];
        TurnView {
            about: about(&turn.selection),
            meta: if ended { meta(turn) } else { String::new() },
            problem: text,
            details,
            remark: say_if("notice_stopped", matches!(run, Run::Stopped)),
            open_request: match open_addresses.len() {
                0 => String::new(),
                count => words::count("open_request", count as u64, &[]),
            },
            open_addresses,
            running: !ended,
            edited: chat.is_edited(turn),
            actions: offers
                .into_iter()
                .filter(|(offered, _, _)| *offered)
                .map(|(_, key, act)| (words::say(key, &[]), act))
                .collect(),
        }
    }

    /// Whether an address in an answer of the chat may be shown as a link: its own run found it, or it stands on the
    /// page the chat is about.
    /// Gives the address as it was found, which is where the link leads.
    pub fn link(&self, chat: &Chat, turn: &ChatTurn, address: &str) -> Option<String> {
        let found = turn.answer.sources().find(address);
        found.or_else(|| self.page_links(chat)?.find(address)).map(str::to_owned)
    }

    fn page_links<'a>(&'a self, chat: &'a Chat) -> Option<&'a SourceSet> {
        let shown = self.past.as_ref().map(|past| &past.reading);
        let read = shown.or_else(|| self.shelf.of_page(chat.tab, &chat.url)).map(|reading| &reading.page);
        read.or(chat.page.as_ref().map(|(page, _)| page)).map(|page| &page.links)
    }
}

fn say_if(key: &str, is_so: bool) -> String {
    if is_so { words::say(key, &[]) } else { String::new() }
}

/// A passage as a chip shows it; empty for none.
fn about(selection: &str) -> String {
    let passage = selection.split_whitespace().collect::<Vec<_>>().join(" ");
    match passage.char_indices().nth(MAX_ABOUT) {
        _ if passage.is_empty() => String::new(),
        None => words::say("chat_about", &[&passage]),
        Some((end, _)) => words::say("chat_about", &[&format!("{}…", passage[..end].trim_end())]),
    }
}

fn forgotten(chat: &Chat) -> String {
    match chat.forgotten {
        0 => String::new(),
        count => words::count("chat_forgotten", count as u64, &[]),
    }
}

fn progress(turn: &ChatTurn) -> String {
    match turn.answer.run() {
        Run::Running(label) if !label.is_empty() && turn.text().is_empty() => label.replace("...", "…"),
        Run::Running(_) | Run::Done { .. } | Run::Failed(_) | Run::Interrupted | Run::Stopped => {
            words::say("chat_generating", &[])
        }
    }
}

fn meta(turn: &ChatTurn) -> String {
    let name = if turn.reader.model.is_empty() { &turn.reader.label } else { &turn.reader.model };
    let usage = usage_line(turn.answer.usage(), turn.reader.price);
    if usage.is_empty() { name.clone() } else { format!("{name} · {usage}") }
}

fn live(turn: &ChatTurn) -> String {
    match turn.answer.run() {
        Run::Running(_) if !turn.answer.open_requests().is_empty() => {
            words::count("open_request", turn.answer.open_requests().len() as u64, &[])
        }
        Run::Running(_) => words::say("panel_generating", &[]),
        Run::Done { truncated: false, .. } => words::say("chat_complete", &[]),
        Run::Stopped => words::say("panel_stopped", &[]),
        Run::Done { .. } | Run::Failed(_) | Run::Interrupted => {
            turn.answer.problem(Purpose::Chat).map(|error| error.message).unwrap_or_default()
        }
    }
}
