//! The offline reader: marks wording by a word list, without a model and without a network.
//!
//! It judges wording, never truth. So it never uses [`Category::Misinformation`](crate::wire::Category), which takes a
//! source that contradicts, and "supported" only says that a claim carries a source, which it has not read. It prefers
//! missing something to marking something plain. `docs/offline-reader.md` says what it marks and how a language is
//! added: one list in `lists/`, one row in `LISTS`.

mod block;
mod clause;
mod kind;
mod language;
mod lexicon;
mod links;
mod report;
mod scan;
mod select;

pub use language::{Language, language_names};

use serde::{Deserialize, Serialize};

use crate::wire::{CategorySummaries, Highlight};
use crate::words;
use kind::Kind;
use lexicon::Lexicon;
use links::Link;
use scan::Scan;
use select::Candidate;

/// The languages the offline reader reads: the name in `lists/languages.tsv`, and the word list.
const LISTS: &[(&str, &str)] = &[("English", include_str!("lists/en.tsv"))];

/// Most characters of a note.
const NOTE: usize = 90;

/// What the offline reader has to say about a page. Fits the port messages of a reading by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    /// What the text is written in, by its own evidence.
    #[serde(skip)]
    pub language: Language,
    /// At most 25 marks in the order of the page. Each phrase stands verbatim in one line of the text; none overlap.
    pub highlights: Vec<Highlight>,
    /// A few sentences.
    pub summary: String,
    /// One line for each category with marks.
    pub category_summaries: CategorySummaries,
    /// Markdown.
    pub analysis: String,
}

/// Reads a page's text: one block a line, and at its end, after an empty line, `PAGE LINKS:` with one `- text: url` a
/// line if there are links. The same text always gives the same reading, in time linear in its length.
pub fn read(text: &str) -> Reading {
    let (body, links) = links::split(text);
    let language = language::language(body);
    let list = match language {
        Language::Supported(name) => LISTS.iter().find(|&&(listed, _)| listed == name),
        Language::Unsupported(_) => None,
    };
    let Some((_, list)) = list else { return unread(language) };

    let lexicon = Lexicon::parse(list);
    let mut scan = Scan::new(&lexicon, body, &links);
    scan.run();
    let counts = scan.counts;
    let found = scan.candidates.found;
    let marks = scan.candidates.select(body, counts.words);
    Reading {
        language,
        highlights: marks.iter().filter_map(|mark| highlight(&lexicon, body, &links, mark)).collect(),
        summary: report::summary(&counts, &marks),
        category_summaries: report::category_summaries(&marks),
        analysis: report::analysis(&counts, &marks, found),
    }
}

/// The reading of a page in a language without lists.
fn unread(language: Language) -> Reading {
    let summary = words::say("rules_no_lists", &[]);
    let analysis = match language {
        Language::Unsupported(Some(name)) => {
            let name = words::say(&["language_", &name.to_ascii_lowercase()].concat(), &[]);
            [&words::say("rules_seems", &[&name]), " ", &summary, "\n"].concat()
        }
        Language::Unsupported(None) | Language::Supported(_) => [&summary, "\n"].concat(),
    };
    Reading { language, highlights: Vec::new(), summary, category_summaries: CategorySummaries::new(), analysis }
}

fn highlight(lexicon: &Lexicon, text: &str, links: &[Link<'_>], mark: &Candidate) -> Option<Highlight> {
    let trigger = &text[mark.trigger.clone()];
    let link = mark.link.map(|at| &links[at]).filter(|link| mark.kind == Kind::Source && !link.host().is_empty());
    let note = match (mark.entry, link) {
        (Some(entry), _) => note(lexicon.entries[entry].reason, trigger),
        (None, Some(link)) => note("rules_link", link.host()),
        (None, None) => words::say("rules_link_unnamed", &[]),
    };
    Some(Highlight {
        phrase: text[mark.phrase.clone()].to_owned(),
        category: mark.kind.category()?,
        note,
        source: link.map(|link| link.host().to_owned()).unwrap_or_default(),
        source_url: link.map(|link| link.url.to_owned()).unwrap_or_default(),
        verified: false,
    })
}

/// The text of a reason with the words in it; words that would make it too long are cut.
fn note(reason: &str, quoted: &str) -> String {
    // Quotation marks in the words would end those of the reason.
    let quoted = quoted.replace(['“', '«'], "‘").replace(['”', '»', '"'], "’");
    let left = NOTE.saturating_sub(words::say(reason, &[""]).chars().count());
    if quoted.chars().take(left + 1).count() <= left {
        return words::say(reason, &[&quoted]);
    }
    let cut: String = quoted.chars().take(left.saturating_sub(1)).collect();
    let cut = cut.rsplit_once(' ').map_or("", |(whole, _)| whole);
    words::say(reason, &[&[cut, "…"].concat()])
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
