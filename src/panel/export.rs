//! A reading as others can use it: one JSON object, or a Markdown page.

use std::fmt::Write;

use serde::Serialize;

use super::chat::Chat;
use super::model::Panel;
use super::reading::{Item, Place, Reading, Timings};
use super::view::State;
use crate::reading::category;
use crate::wire::{Category, CategorySummaries, ErrorCode, ReadingError, Usage};
use crate::words;

/// The reading shown, with everything it brought.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Export<'a> {
    page: ExportedPage<'a>,
    provider: &'static str,
    model: &'a str,
    analysis: &'a str,
    opened: &'a [String],
    highlights: Vec<ExportedHighlight<'a>>,
    summary: &'a str,
    category_summaries: CategorySummaries,
    timings: Timings,
    usage: Option<Usage>,
    errors: Vec<ExportedError>,
    chat: Vec<ExportedTurn<'a>>,
    state: &'static str,
}

#[derive(Debug, Default, Serialize)]
struct ExportedPage<'a> {
    url: &'a str,
    title: &'a str,
}

#[derive(Debug, Serialize)]
struct ExportedHighlight<'a> {
    index: u32,
    phrase: &'a str,
    category: Category,
    note: &'a str,
    source: &'a str,
    source_url: &'a str,
    verified: bool,
    anchored: bool,
}

#[derive(Debug, Serialize)]
struct ExportedTurn<'a> {
    question: &'a str,
    selection: &'a str,
    answer: &'a str,
    opened: &'a [String],
    model: &'a str,
}

#[derive(Debug, Serialize)]
struct ExportedError {
    code: ErrorCode,
    message: String,
}

impl From<ReadingError> for ExportedError {
    fn from(ReadingError { code, message, .. }: ReadingError) -> Self {
        Self { code, message }
    }
}

impl<'a> Export<'a> {
    /// A reading and the conversation about its page.
    pub(super) fn of(reading: &'a Reading, chat: Option<&'a Chat>) -> Self {
        Self {
            page: ExportedPage { url: &reading.page.url, title: &reading.page.title },
            provider: reading.reader().id.as_str(),
            model: &reading.reader().model,
            analysis: reading.analysis().source(),
            opened: reading.analysis_answer().opened(),
            highlights: reading.items().iter().map(|item| exported(reading, item)).collect(),
            summary: reading.summary(),
            category_summaries: reading.category_summaries().clone(),
            timings: reading.timings(),
            usage: reading.usage(),
            errors: reading.errors().into_iter().map(Into::into).collect(),
            chat: exported_turns(chat),
            state: State::of(reading).as_str(),
        }
    }

    fn empty(state: State) -> Self {
        Self {
            page: ExportedPage::default(),
            provider: "",
            model: "",
            analysis: "",
            opened: &[],
            highlights: Vec::new(),
            summary: "",
            category_summaries: CategorySummaries::new(),
            timings: Timings::default(),
            usage: None,
            errors: Vec::new(),
            chat: Vec::new(),
            state: state.as_str(),
        }
    }
}

impl Panel {
    /// The reading shown; without one, its state and what kept it from being read.
    pub fn export(&self) -> Export<'_> {
        let state = self.state();
        let mut export = self.reading().map_or_else(|| Export::empty(state), |own| Export::of(own, self.chat()));
        if export.chat.is_empty() {
            export.chat = exported_turns(self.chat());
        }
        if self.past.is_none() {
            export.errors.splice(0..0, self.unreadable().map(Into::into));
        }
        export.state = state.as_str();
        export
    }

    /// The reading shown as a Markdown page; `None` when nothing was read.
    pub fn markdown(&self) -> Option<String> {
        let reading = self.reading()?;
        let mut page = String::new();
        // Writing into a String can't fail.
        let _ = write_markdown(&mut page, reading, self.chat());
        Some(page)
    }
}

fn exported_turns(chat: Option<&Chat>) -> Vec<ExportedTurn<'_>> {
    let turns = chat.map(Chat::turns).unwrap_or_default().iter();
    turns
        .map(|turn| ExportedTurn {
            question: turn.question(),
            selection: turn.selection(),
            answer: turn.answer().prose().source(),
            opened: turn.answer().opened(),
            model: &turn.reader().model,
        })
        .collect()
}

fn exported<'a>(reading: &Reading, item: &'a Item) -> ExportedHighlight<'a> {
    let highlight = &item.highlight;
    ExportedHighlight {
        index: item.index,
        phrase: &highlight.phrase,
        category: highlight.category,
        note: &highlight.note,
        source: &highlight.source,
        source_url: &highlight.source_url,
        verified: highlight.verified,
        anchored: reading.place(item.index) == Place::OnPage,
    }
}

fn write_markdown(page: &mut String, reading: &Reading, chat: Option<&Chat>) -> std::fmt::Result {
    writeln!(page, "# {}\n", one_line(&reading.page.title))?;
    writeln!(page, "<{}>\n\n{}", reading.page.url, read_by(reading))?;
    if !reading.summary().is_empty() {
        writeln!(page, "\n{}", reading.summary())?;
    }
    let mut first = true;
    for row in &category::CATEGORIES {
        if let Some(sentence) = reading.category_summaries().get(&row.category) {
            let before = if std::mem::take(&mut first) { "\n" } else { "" };
            writeln!(page, "{before}- {}: {}", row.label(), one_line(sentence))?;
        }
    }
    if !reading.analysis().source().is_empty() {
        writeln!(page, "\n{}", reading.analysis().source().trim_end())?;
    }
    write_opened(page, reading.analysis_answer().opened())?;
    if !reading.items().is_empty() {
        writeln!(page, "\n## {}\n", words::say("panel_highlights", &[]))?;
    }
    for item in reading.items() {
        writeln!(page, "- {}", mark_as_text(item))?;
    }
    let turns = chat.map(Chat::turns).unwrap_or_default();
    if !turns.is_empty() {
        writeln!(page, "\n## Chat")?;
    }
    for turn in turns {
        writeln!(page, "\n### {}", one_line(turn.question()))?;
        if !turn.selection().is_empty() {
            writeln!(page, "\n> {}", one_line(turn.selection()))?;
        }
        writeln!(page, "\n{}", turn.answer().prose().source().trim_end())?;
        write_opened(page, turn.answer().opened())?;
    }
    Ok(())
}

/// The addresses that were opened for an answer.
fn write_opened(page: &mut String, opened: &[String]) -> std::fmt::Result {
    if !opened.is_empty() {
        writeln!(page, "\n{}:\n", words::say("opened", &[]))?;
    }
    opened.iter().try_for_each(|address| writeln!(page, "- <{address}>"))
}

/// Who read it, how long that took and what it used.
fn read_by(reading: &Reading) -> String {
    let reader = reading.reader();
    let name =
        if reader.model.is_empty() { reader.label.clone() } else { format!("{} ({})", reader.label, reader.model) };
    let seconds = reading.timings().done_ms.map(|milliseconds| words::decimal(milliseconds / 100, 1));
    let tokens = reading.usage().map(|usage| (words::number(usage.input_tokens), words::number(usage.output_tokens)));
    match (&seconds, &tokens) {
        (None, None) => words::say("export_read_by", &[&name]),
        (Some(seconds), None) => words::say("export_read_by_time", &[&name, seconds]),
        (None, Some((input, output))) => words::say("export_read_by_tokens", &[&name, input, output]),
        (Some(seconds), Some((input, output))) => words::say("export_read_by_all", &[&name, seconds, input, output]),
    }
}

/// One highlight on one line: its category, phrase, note and source.
pub fn mark_as_text(item: &Item) -> String {
    let highlight = &item.highlight;
    let label = category::row(highlight.category).label();
    let mut text = format!("{label}: “{}”", one_line(&highlight.phrase));
    if !highlight.note.is_empty() {
        text.push_str(" — ");
        text.push_str(&one_line(&highlight.note));
    }
    if !highlight.source.is_empty() || !highlight.source_url.is_empty() {
        let words = [highlight.source.as_str(), highlight.source_url.as_str()];
        let source: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).map(one_line).collect();
        let source = source.join(", ");
        let source = if highlight.verified { source } else { words::say("export_unverified", &[&source]) };
        // Writing into a String can't fail.
        let _ = write!(text, " ({source})");
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
