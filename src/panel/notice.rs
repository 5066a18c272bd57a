//! What there is to say above what was read.

use super::answer::Run;
use super::model::{Attempt, Panel};
use super::reading::{Away, Reading};
use crate::wire::{ErrorCode, ProviderId, ReadingError};
use crate::words;

/// What a button does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Read the page in view.
    Read,
    /// Open the options page.
    Settings,
    /// Close the first-run card.
    Welcomed,
    /// Allow the way through the page, and read again.
    AllowProxy,
    /// Do not allow it.
    DeclineProxy,
    /// Let the model open the addresses it asks for.
    AllowOpen,
    /// Do not let it.
    DeclineOpen,
    /// Read all of a long page.
    ReadAll,
    /// Read its first part.
    ReadFirstPart,
    /// Read what is selected on it.
    ReadSelection,
}

/// How a notice looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something to know.
    Plain,
    /// Something went wrong.
    Problem,
    /// One quiet line.
    Hint,
}

/// Something to say above what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// How it looks.
    pub kind: NoticeKind,
    /// What happened and what to do.
    pub text: String,
    /// Addresses it is about, in full.
    pub addresses: Vec<String>,
    /// For those who want to know exactly, folded; empty for none.
    pub details: String,
    /// Buttons: their words and what they do.
    pub actions: Vec<(String, Action)>,
}

impl Panel {
    /// Everything there is to say, the most urgent first.
    pub(super) fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        if let Some(Attempt::Failed(error)) = self.tab.as_ref().and_then(|tab| self.attempts.get(&tab.id))
            && self.past.is_none()
        {
            notices.push(problem(error));
        }
        notices.extend(self.long_page_notice().filter(|_| self.past.is_none()));
        if let Some(reading) = self.reading() {
            notices.extend(open_request(reading));
            notices.extend(self.away(reading).map(|away| self.away_notice(reading, away)));
            let declined = |error: &&ReadingError| error.code == ErrorCode::NeedsConsent && reading.consent_declined;
            notices.extend(reading.errors().iter().filter(|error| !declined(error)).map(problem));
            notices.extend(remarks(reading));
        }
        // What is urgent goes first, and alone: at the start the panel is small.
        if notices.iter().all(|notice| notice.kind == NoticeKind::Hint) {
            notices.extend(self.welcome());
        }
        notices.extend(self.offer());
        notices
    }

    /// The reading shown is not of the page in view. A button of ours opens no page Chrome keeps from us: only a click
    /// on the toolbar does.
    fn away_notice(&self, reading: &Reading, away: Away) -> Notice {
        let is_open = self.tab.as_ref().is_some_and(|tab| tab.url.is_some());
        let name = name_of(reading);
        let text = match (away, is_open) {
            (Away::Reloaded, _) => words::say("notice_reloaded", &[]),
            (Away::Navigated, true) => words::say("notice_belongs", &[&name]),
            (Away::Navigated, false) => words::say("notice_belongs_click", &[&name]),
        };
        let actions = if is_open { vec![(words::say("panel_read", &[]), Action::Read)] } else { Vec::new() };
        Notice { kind: NoticeKind::Plain, text, addresses: Vec::new(), details: String::new(), actions }
    }

    /// First run: what is sent where.
    fn welcome(&self) -> Option<Notice> {
        if !self.settings_known || self.welcomed {
            return None;
        }
        let reader = self.reader();
        let (text, settings) = match reader.id {
            ProviderId::Rules => (words::say("notice_welcome_rules", &[]), "panel_set_up"),
            ProviderId::Builtin => (words::say("notice_welcome_builtin", &[]), "panel_settings"),
            ProviderId::Anthropic | ProviderId::Openai | ProviderId::Gemini => {
                (words::say("notice_welcome_provider", &[&reader.label]), "panel_settings")
            }
        };
        let actions =
            vec![(words::say("notice_got_it", &[]), Action::Welcomed), (words::say(settings, &[]), Action::Settings)];
        Some(Notice { kind: NoticeKind::Plain, text, addresses: Vec::new(), details: String::new(), actions })
    }

    /// With the offline reader at work, one line offers a provider.
    fn offer(&self) -> Option<Notice> {
        if !self.settings_known || !self.welcomed || self.reader().id != ProviderId::Rules {
            return None;
        }
        let (text, button) =
            if self.lacks_key() { ("notice_no_key", "notice_add_key") } else { ("notice_offline", "panel_set_up") };
        let actions = vec![(words::say(button, &[]), Action::Settings)];
        Some(Notice {
            kind: NoticeKind::Hint,
            text: words::say(text, &[]),
            addresses: Vec::new(),
            details: String::new(),
            actions,
        })
    }
}

/// What the model wants to open, each address in full.
fn open_request(reading: &Reading) -> Option<Notice> {
    let addresses = reading.open_requests();
    (!addresses.is_empty()).then(|| Notice {
        kind: NoticeKind::Plain,
        text: words::count("open_request", addresses.len() as u64, &[]),
        addresses,
        details: words::say("open_request_details", &[]),
        actions: vec![
            (words::say("open_request_allow", &[]), Action::AllowOpen),
            (words::say("open_request_decline", &[]), Action::DeclineOpen),
        ],
    })
}

/// What happened and what to do, with the button that does it (Retry stands in the bar); what is very long is folded.
fn problem(error: &ReadingError) -> Notice {
    let (text, details) = split_details(&error.message);
    let mut actions = Vec::new();
    if error.code == ErrorCode::NeedsConsent {
        actions.push((words::say("notice_allow_proxy", &[]), Action::AllowProxy));
        actions.push((words::say("notice_not_now", &[]), Action::DeclineProxy));
    } else if leads_to_settings(error.code) {
        actions.push((words::say("notice_open_settings", &[]), Action::Settings));
    }
    Notice { kind: NoticeKind::Problem, text, addresses: Vec::new(), details, actions }
}

/// Whether the settings are where a failure is mended.
pub(super) fn leads_to_settings(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::NoKey | ErrorCode::Auth | ErrorCode::NotFound | ErrorCode::BadRequest | ErrorCode::OriginRefused
    )
}

/// Longest message shown unfolded, in bytes.
const MAX_UNFOLDED: usize = 600;

/// The first sentences up to [`MAX_UNFOLDED`], and the rest.
pub(super) fn split_details(message: &str) -> (String, String) {
    if message.len() <= MAX_UNFOLDED {
        return (message.to_owned(), String::new());
    }
    let end = message.len().min(MAX_UNFOLDED);
    let end = (0..=end).rev().find(|at| message.is_char_boundary(*at)).unwrap_or_default();
    let head = &message[..end];
    let cut = head
        .rfind(". ")
        .map(|at| at + 1)
        .or_else(|| head.rfind('。').map(|at| at + '。'.len_utf8()))
        .or_else(|| head.rfind(": ").map(|at| at + 1))
        .or_else(|| head.rfind(' '))
        .unwrap_or(end);
    (message[..cut].trim().to_owned(), message[cut..].trim().to_owned())
}

/// What is neither right nor wrong, but should be known.
fn remarks(reading: &Reading) -> Option<Notice> {
    let mut remarks = Vec::new();
    let runs = [reading.analysis_run(), reading.highlights_run()];
    if runs.iter().any(|run| matches!(run, Run::Stopped)) {
        remarks.push(words::say("notice_stopped", &[]));
    }
    if reading.dropped() > 0 {
        remarks.push(words::count("notice_dropped", reading.dropped() as u64, &[]));
    }
    if !reading.page.left_out.is_empty() {
        remarks.push(reading.page.left_out.clone());
    }
    if reading.late_frames && !reading.detached {
        remarks.push(words::say("notice_late_frames", &[]));
    }
    let text = remarks.join(" ");
    (!text.is_empty()).then_some(Notice {
        kind: NoticeKind::Hint,
        text,
        addresses: Vec::new(),
        details: String::new(),
        actions: Vec::new(),
    })
}

/// Longest name of a page within a sentence, in characters.
const MAX_NAME: usize = 80;

/// The page a reading belongs to, by its title where it has one, at a length that fits a sentence.
pub(super) fn name_of(reading: &Reading) -> String {
    let name = if reading.page.title.trim().is_empty() { &reading.page.url } else { &reading.page.title };
    name_in_sentence(name)
}

/// A name at a length that fits a sentence.
pub(super) fn name_in_sentence(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
    }
}
