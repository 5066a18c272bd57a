//! A reading as others can use it: one JSON object, or a Markdown page.

use std::fmt::Write;

use serde::Serialize;

use super::model::Panel;
use super::reading::{Item, Place, Reading, Timings};
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
    highlights: Vec<ExportedHighlight<'a>>,
    summary: &'a str,
    category_summaries: CategorySummaries,
    timings: Timings,
    usage: Option<Usage>,
    errors: Vec<ExportedError>,
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
struct ExportedError {
    code: ErrorCode,
    message: String,
}

impl From<ReadingError> for ExportedError {
    fn from(ReadingError { code, message, .. }: ReadingError) -> Self {
        Self { code, message }
    }
}

impl Panel {
    /// The reading shown; without one, its state and what kept it from being read.
    pub fn export(&self) -> Export<'_> {
        let reading = self.reading();
        let unreadable = self.unreadable();
        Export {
            page: reading
                .map_or_else(ExportedPage::default, |r| ExportedPage { url: &r.page.url, title: &r.page.title }),
            provider: reading.map_or("", |reading| reading.reader().id.as_str()),
            model: reading.map_or("", |reading| &reading.reader().model),
            analysis: reading.map_or("", |reading| reading.analysis().source()),
            highlights: reading.map_or_else(Vec::new, |r| r.items().iter().map(|item| exported(r, item)).collect()),
            summary: reading.map_or("", Reading::summary),
            category_summaries: reading.map(|reading| reading.category_summaries().clone()).unwrap_or_default(),
            timings: reading.map(Reading::timings).unwrap_or_default(),
            usage: reading.and_then(Reading::usage),
            errors: unreadable
                .into_iter()
                .chain(reading.into_iter().flat_map(Reading::errors))
                .map(Into::into)
                .collect(),
            state: self.state().as_str(),
        }
    }

    /// The reading shown as a Markdown page; `None` when nothing was read.
    pub fn markdown(&self) -> Option<String> {
        let reading = self.reading()?;
        let mut page = String::new();
        // Writing into a String can't fail.
        let _ = write_markdown(&mut page, reading);
        Some(page)
    }
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

fn write_markdown(page: &mut String, reading: &Reading) -> std::fmt::Result {
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
    if !reading.items().is_empty() {
        writeln!(page, "\n## {}\n", words::say("panel_highlights", &[]))?;
    }
    for item in reading.items() {
        writeln!(page, "- {}", mark_as_text(item))?;
    }
    Ok(())
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
