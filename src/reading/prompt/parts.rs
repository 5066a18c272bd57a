//! What models are told when a page is too long to be read at once.

use std::fmt::Write as _;

use super::{Block, CATEGORIES, Instructions, MAX_NOTE, PromptText, clip};

/// Output limit of the notes on a part, in tokens.
pub const NOTES_MAX_TOKENS: u32 = 2000;
/// Output limit of a summary of summaries, in tokens.
pub const SUMMARY_MAX_TOKENS: u32 = 1500;

/// Stands before passages of a page, where the page does not fit whole.
pub const PASSAGES_NOTE: &str = "(The page is too long to be given whole. These are the passages closest to the question, in \
                                 the page's order; […] marks what was left out.)\n\n";

/// Tells a model that names phrases that it sees a part of the page only. Parts count from 1.
pub fn part_note(part: usize, parts: usize) -> String {
    format!(
        "\nThis is part {part} of {parts} of a long page. summary and category_summaries are about this part, without \
         saying that it is one.\n"
    )
}

/// Asks for notes on a part of a page, from which a later question is answered. Parts count from 1.
pub fn notes(
    url: &str,
    title: &str,
    content: &str,
    (part, parts): (usize, usize),
    instructions: &Instructions<'_>,
) -> PromptText {
    let mut system = String::with_capacity(content.len() + 2048);
    let _ = writeln!(
        system,
        "You take notes on a web page that is too long to be read at once. This is part {part} of {parts}. The notes \
         are all that a later reader will have of it.\n"
    );
    Block::page(url, title, content).append_to(&mut system);
    system.push_str(
        "\nNote, in the page's order: each claim of weight and what it rests on (source, number, quotation, or \
         nothing); whom and what the page quotes; wording that is loaded, one-sided or alarming, quoted word for word; \
         gaps of reasoning. Add nothing that does not stand there. Plain short lines, at most 400 words.\n",
    );
    instructions.append_language_of_parts(&mut system);
    PromptText { system, user: "Write the notes.".to_owned() }
}

/// Notes on the parts of a page, in order, as the text to read instead of the page. A part without notes is named.
pub fn joined_notes(notes: &[String]) -> String {
    let parts = notes.len();
    let mut text = format!(
        "The page is too long to be read at once. These are notes on its {parts} parts, in order; what they quote are \
         the page's own words.\n"
    );
    for (at, notes) in notes.iter().enumerate() {
        let notes = notes.trim();
        let notes = if notes.is_empty() { "This part could not be read." } else { notes };
        let _ = write!(text, "\nPart {} of {parts}\n{}\n", at + 1, clip(notes, MAX_NOTE));
    }
    text
}

/// Asks for one summary of a page out of the summaries of its parts, in the shape of a highlights answer.
pub fn summary(url: &str, title: &str, summaries: &str, instructions: &Instructions<'_>) -> PromptText {
    let mut system = String::with_capacity(1024);
    system.push_str(
        "A web page was read in parts, and each part summed up. You sum up the whole page. Answer with one JSON object \
         and nothing else: no prose, no code fence.\n\nShape:\n{\"summary\": string, \"category_summaries\": {",
    );
    for (i, row) in CATEGORIES.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        let _ = write!(system, "{comma}\"{}\": string", row.name);
    }
    system.push_str(
        "}}\n\nsummary: two sentences about the whole page. category_summaries: one sentence for each category that \
         occurs; leave out the others.\n",
    );
    instructions.append_language_of_parts(&mut system);
    let mut user = String::with_capacity(summaries.len() + 1024);
    Block::page(url, title, summaries).append_to(&mut user);
    user.push_str("\nWrite the JSON object now.");
    PromptText { system, user }
}
