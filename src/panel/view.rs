//! What is shown, as plain data: equal views need no drawing.

use super::answer::Run;
use super::chat::ChatView;
use super::history::PastView;
use super::model::{Attempt, Panel, Tab};
use super::notice::{Notice, name_of};
use super::reading::Reading;
use super::trust::Trust;
use super::usage::usage_line;
use crate::reading::category;
use crate::url::Url;
use crate::wire::{Category, ProviderId};
use crate::words;

/// The state of the reading shown, mirrored in `data-state` of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing was read here.
    Idle,
    /// At work.
    Reading,
    /// Both requests ended, and well.
    Done,
    /// A request failed.
    Failed,
    /// A request was cut off or stopped.
    Interrupted,
    /// The page can't be read.
    Unreadable,
    /// The reader is asked how much of the page is read.
    Choosing,
}

impl State {
    /// The state of a reading.
    pub(super) fn of(reading: &Reading) -> Self {
        let runs = [reading.analysis_run(), reading.highlights_run()];
        if reading.is_running() {
            Self::Reading
        } else if runs.iter().any(|run| matches!(run, Run::Failed(_))) {
            Self::Failed
        } else if runs.iter().any(|run| matches!(run, Run::Interrupted | Run::Stopped)) {
            Self::Interrupted
        } else {
            Self::Done
        }
    }

    /// The word in `data-state`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Reading => "reading",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Unreadable => "unreadable",
            Self::Choosing => "choosing",
        }
    }
}

/// A category's filter button.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pill {
    /// The category.
    pub category: Category,
    /// How many highlights it has.
    pub count: usize,
    /// Whether the list shows it alone (or with others chosen).
    pub pressed: bool,
}

/// The card at the top of the analysis.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Two sentences about the page.
    pub text: String,
    /// One sentence for each category that has something to say.
    pub bullets: Vec<(Category, String)>,
}

/// The fixed bar at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bar {
    /// At work.
    Running {
        /// What is being done and what was found.
        progress: String,
        /// Whole seconds so far, as shown.
        elapsed: String,
    },
    /// At rest.
    Resting {
        /// Words of the main button.
        action: String,
        /// How the last reading ended.
        outcome: String,
        /// Whether there is something to copy or export.
        share: bool,
    },
}

/// Everything small the panel shows; the growing lists are drawn from the [`Reading`] itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// State of the reading shown.
    pub state: State,
    /// The page in view.
    pub title: String,
    /// Its site.
    pub site: String,
    /// Who reads: provider and model.
    pub reader: String,
    /// What there is to say about the past.
    pub past: Option<PastView>,
    /// What there is to say, the most urgent first.
    pub notices: Vec<Notice>,
    /// How far the page can be trusted, once known.
    pub trust: Option<Trust>,
    /// Whether that is still being found out: its line is kept free, so that what is read then does not move.
    pub trust_is_coming: bool,
    /// The card, once there is something on it.
    pub summary: Option<Summary>,
    /// Filter buttons, one for each category; empty while there is nothing to filter.
    pub pills: Vec<Pill>,
    /// How many highlights there are.
    pub found: usize,
    /// In place of the analysis, when there is none.
    pub no_analysis: String,
    /// In place of the list, when it is empty.
    pub no_highlights: String,
    /// The bar at the bottom.
    pub bar: Bar,
    /// The chat.
    pub chat: ChatView,
    /// Spoken once on each change, politely.
    pub live: String,
}

impl Panel {
    /// What is shown now.
    pub fn view(&self, now_ms: u64) -> View {
        let reading = self.reading();
        let state = self.state();
        let found = reading.map_or(0, |reading| reading.items().len());
        View {
            state,
            title: self.title(),
            site: self.site(),
            reader: self.reader_line(),
            past: self.past_view(),
            notices: self.notices(),
            trust: reading.and_then(|reading| reading.analysis().trust().cloned()),
            trust_is_coming: reading.is_some_and(trust_is_coming),
            summary: reading.and_then(summary),
            pills: self.pills(),
            found,
            no_analysis: self.no_analysis(state),
            no_highlights: self.no_highlights(state),
            bar: self.bar(state, now_ms),
            chat: self.chat_view(now_ms),
            live: self.live(state),
        }
    }

    /// The state of the reading shown.
    pub fn state(&self) -> State {
        let attempt = self.tab.as_ref().and_then(|tab| self.attempts.get(&tab.id));
        match attempt.filter(|_| self.past.is_none()) {
            Some(Attempt::Extracting { .. }) => return State::Reading,
            Some(Attempt::Choosing(_)) => return State::Choosing,
            Some(Attempt::Failed(_)) => return State::Unreadable,
            None => {}
        }
        let Some(reading) = self.reading() else { return State::Idle };
        State::of(reading)
    }

    fn title(&self) -> String {
        let known = |tab: &Tab| tab.title.clone().or_else(|| tab.url.clone()).filter(|title| !title.trim().is_empty());
        let in_view = self.tab.as_ref().filter(|_| self.past.is_none()).and_then(known);
        let read = || {
            let reading = self.reading().filter(|reading| self.away(reading).is_none())?;
            Some(if reading.page.title.trim().is_empty() {
                site_of(&reading.page.url)
            } else {
                reading.page.title.clone()
            })
        };
        in_view.or_else(read).unwrap_or_else(|| words::say("panel_another_page", &[]))
    }

    fn site(&self) -> String {
        let in_view = self.tab.as_ref().filter(|_| self.past.is_none()).and_then(|tab| tab.url.as_deref());
        let read = || self.reading().filter(|reading| self.away(reading).is_none()).map(|r| r.page.url.as_str());
        in_view.or_else(read).map(site_of).unwrap_or_default()
    }

    /// The header names who read what is shown, and else who would read.
    fn reader_line(&self) -> String {
        if !self.settings_known {
            return String::new();
        }
        let reader = self.reading().map_or_else(|| self.reader(), |reading| reading.reader().clone());
        if reader.model.is_empty() { reader.label } else { format!("{} · {}", reader.label, reader.model) }
    }

    fn pills(&self) -> Vec<Pill> {
        let Some(reading) = self.reading().filter(|reading| !reading.items().is_empty()) else { return Vec::new() };
        let count = |category| reading.items().iter().filter(|item| item.highlight.category == category).count();
        category::CATEGORIES
            .iter()
            .map(|row| Pill {
                category: row.category,
                count: count(row.category),
                pressed: self.filter.names(row.category),
            })
            .collect()
    }

    fn no_analysis(&self, state: State) -> String {
        let Some(reading) = self.reading() else { return self.nothing_read(state) };
        if !reading.analysis().source().trim().is_empty() {
            return String::new();
        }
        match reading.analysis_run() {
            Run::Running(_) => words::say("panel_analysis_coming", &[]),
            Run::Done { .. } => words::say("panel_no_analysis_written", &[]),
            Run::Failed(_) | Run::Interrupted | Run::Stopped => words::say("panel_no_analysis", &[]),
        }
    }

    fn no_highlights(&self, state: State) -> String {
        let Some(reading) = self.reading() else { return self.nothing_read(state) };
        if !reading.items().is_empty() {
            let shown = reading.items().iter().any(|item| self.filter.shows(&item.highlight));
            return if shown { String::new() } else { words::say("panel_no_match", &[]) };
        }
        match reading.highlights_run() {
            Run::Running(_) => words::say("panel_highlights_coming", &[]),
            Run::Done { .. } => words::say("panel_nothing_stood_out", &[&reading.page.extent]),
            Run::Failed(_) | Run::Interrupted | Run::Stopped => words::say("panel_no_highlights", &[]),
        }
    }

    fn nothing_read(&self, state: State) -> String {
        match state {
            State::Unreadable | State::Choosing => String::new(),
            State::Reading => words::say("panel_taking_text", &[]),
            State::Idle | State::Done | State::Failed | State::Interrupted => match self.shelf.latest() {
                Some(latest) => words::say("panel_not_read_latest", &[&name_of(latest)]),
                None => words::say("panel_not_read", &[]),
            },
        }
    }

    fn bar(&self, state: State, now_ms: u64) -> Bar {
        let reading = self.reading();
        if state == State::Reading {
            let seconds = reading.filter(|r| r.is_running()).map(|reading| reading.since_start(now_ms) / 1000);
            return Bar::Running {
                progress: reading
                    .filter(|r| r.is_running())
                    .map_or_else(|| words::say("panel_reading_page", &[]), progress),
                elapsed: seconds.map(seconds_shown).unwrap_or_default(),
            };
        }
        let away = self.past.is_some() || reading.is_some_and(|reading| self.away(reading).is_some());
        let action = match state {
            State::Idle | State::Choosing => words::say("panel_read", &[]),
            State::Done | State::Reading | State::Failed | State::Interrupted if away => words::say("panel_read", &[]),
            State::Done | State::Reading => words::say("panel_reanalyze", &[]),
            State::Failed | State::Interrupted | State::Unreadable => words::say("panel_retry", &[]),
        };
        let outcome = match reading {
            _ if !self.remark.is_empty() => self.remark.clone(),
            Some(reading) if state == State::Done => outcome(reading),
            Some(_) | None => String::new(),
        };
        let share = reading.is_some_and(|r| !r.items().is_empty() || !r.analysis().source().is_empty());
        Bar::Resting { action, outcome, share }
    }

    fn live(&self, state: State) -> String {
        match (state, self.reading()) {
            _ if !self.remark.is_empty() => self.remark.clone(),
            (State::Reading, Some(reading)) if !reading.open_requests().is_empty() => {
                words::count("open_request", reading.open_requests().len() as u64, &[])
            }
            (State::Reading, _) => words::say("panel_generating", &[]),
            (State::Done, Some(reading)) => words::say("panel_complete", &[&found(reading.items().len())]),
            (State::Failed, Some(reading)) => {
                reading.errors().into_iter().next().map(|error| error.message).unwrap_or_default()
            }
            (State::Interrupted, Some(reading)) if reading.errors().is_empty() => words::say("panel_stopped", &[]),
            (State::Interrupted, _) => words::say("panel_interrupted", &[]),
            (State::Unreadable, _) => words::say("panel_unreadable", &[]),
            (State::Choosing, _) => self.long_page_notice().map(|notice| notice.text).unwrap_or_default(),
            (State::Idle | State::Done | State::Failed, _) => String::new(),
        }
    }
}

/// The offline reader tells no trust.
fn trust_is_coming(reading: &Reading) -> bool {
    reading.reader().id != ProviderId::Rules
        && reading.analysis_run().is_running()
        && reading.analysis().trust().is_none()
        && !reading.analysis().source().trim().is_empty()
}

fn summary(reading: &Reading) -> Option<Summary> {
    let bullets: Vec<_> = category::CATEGORIES
        .iter()
        .filter_map(|row| Some((row.category, reading.category_summaries().get(&row.category)?.clone())))
        .filter(|(_, sentence)| !sentence.trim().is_empty())
        .collect();
    let text = reading.summary().trim().to_owned();
    (!text.is_empty() || !bullets.is_empty()).then_some(Summary { text, bullets })
}

/// What is being done: the phrases first, since they end first, then the prose.
fn progress(reading: &Reading) -> String {
    let count = reading.items().len();
    let (label, otherwise) = match (reading.highlights_run(), reading.analysis_run()) {
        (Run::Running(label), _) => (label.clone(), "status_scanning"),
        (_, Run::Running(label)) => (label.clone(), "status_writing"),
        (_, _) => return String::new(),
    };
    let label = if label.is_empty() { words::say(otherwise, &[]) } else { label };
    let label = label.replace("...", "…");
    if count == 0 { label } else { words::say("panel_progress_found", &[&label, &words::number(count as u64)]) }
}

fn outcome(reading: &Reading) -> String {
    let found = found(reading.items().len());
    let usage = usage_line(reading.usage(), reading.reader().price);
    if usage.is_empty() { found } else { format!("{found} · {usage}") }
}

fn found(count: usize) -> String {
    match count {
        0 => words::say("panel_found_none", &[]),
        count => words::count("panel_found", count as u64, &[]),
    }
}

/// Whole seconds, as a clock that runs.
pub(super) fn seconds_shown(seconds: u64) -> String {
    words::say("panel_seconds", &[&words::number(seconds)])
}

/// The host of an address, as a reader names a site; the address itself where it is not of the web.
fn site_of(address: &str) -> String {
    let Some(url) = Url::parse(address) else { return address.to_owned() };
    let host = url.host_str();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}
