//! The part of the instructions that a reader may rewrite.
//!
//! What keeps a reading safe is not in it: the page stands in its block, and links, HTML and the form of the
//! highlights are ours to say.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Block, MAX_TITLE, OwnPrompts, SECTIONS, safe_url};

/// Most of a reader's own instructions that is used, in characters.
pub const MAX_OWN: usize = 20_000;

/// Most of the name of a language that is used, in characters.
const MAX_LANGUAGE: usize = 60;

/// Where the reader named no language.
const PAGES: &str = "the language of the page";

/// A set of instructions that can be rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction {
    /// How to analyse a page.
    Analysis,
    /// How to answer questions about it.
    Chat,
    /// What to mark on it.
    Highlights,
}

impl Instruction {
    /// Our own words. `{text}` is where the page stands, as a block that says it is untrusted data.
    pub fn ours(self) -> Cow<'static, str> {
        match self {
            Self::Analysis => {
                let mut words = String::from(
                    "You are a careful reading companion. You help a reader judge one web page: what it claims, what \
                     supports those claims, what speaks against them, and how the wording tries to persuade. Be fair: \
                     a sound page deserves to be called sound.\n\n\
                     {text}\n\
                     Your tasks:\n\
                     1. Check the main factual claims.\n\
                     2. Judge the credibility and leaning of the source.\n\
                     3. Give the evidence that supports the claims.\n\
                     4. Give the strongest opposing views.\n\
                     5. Add the context a reader needs and the page leaves out.\n\n\
                     Answer in markdown with exactly these sections, in this order, each heading written as shown:\n",
                );
                for section in SECTIONS {
                    // Writing to a `String` can't fail.
                    let _ = writeln!(words, "## {section}");
                }
                words.push_str(
                    "\nThe first line under `## Overall Assessment` has this form, with one of the three words: \
                     `Trustworthiness: Low|Medium|High — reason in one sentence`.\n\
                     A section with nothing to report says so in one sentence.",
                );
                words.into()
            }
            Self::Chat => "You are a careful reading companion. Answer the reader's questions about one web page: \
                           briefly and in plain words.\n\n\
                           {text}\n\
                           Base answers on the page and cite it by quoting the words you rely on. Say plainly when the \
                           page does not answer a question, and keep what you know from elsewhere apart from what the \
                           page says."
                .into(),
            Self::Highlights => "Mark the most telling phrases for a reader who wants to judge the page. Fewer is \
                                 better than weak ones; an empty list is a good answer for a neutral page."
                .into(),
        }
    }
}

/// What a reader changed about the instructions.
#[derive(Debug, Clone, Copy)]
pub struct Instructions<'a> {
    /// Instructions of the reader's own; empty ones mean ours.
    pub own: &'a OwnPrompts,
    /// Language of answers, as the reader named it; empty for the page's, and in a chat the question's.
    pub answer_language: &'a str,
}

impl Instructions<'static> {
    /// Nothing changed.
    pub const UNCHANGED: Self = {
        static OURS: OwnPrompts =
            OwnPrompts { analysis: String::new(), chat: String::new(), highlights: String::new() };
        Self { own: &OURS, answer_language: "" }
    };
}

impl Instructions<'_> {
    fn words(&self, which: Instruction) -> Cow<'_, str> {
        let own = match which {
            Instruction::Analysis => &self.own.analysis,
            Instruction::Chat => &self.own.chat,
            Instruction::Highlights => &self.own.highlights,
        };
        let own = own.trim();
        if own.is_empty() {
            return which.ours();
        }
        own.char_indices().nth(MAX_OWN).map_or(own, |(end, _)| &own[..end]).into()
    }

    /// Instructions with the page in them, whatever the reader wrote.
    pub(super) fn about_page(&self, which: Instruction, url: &str, title: &str, content: &str) -> String {
        let words = self.words(which);
        let mut system = String::with_capacity(words.len() + content.len() + 4096);
        let stands = fill(&words, url, title, Some(content), &mut system);
        system.push('\n');
        if !stands {
            Block::page(url, title, content).append_to(&mut system);
        }
        system
    }

    /// What to look for. The page is not in it: it has a turn of its own.
    pub(super) fn append_aim(&self, url: &str, title: &str, system: &mut String) {
        system.push_str("What to look for:\n");
        fill(&self.words(Instruction::Highlights), url, title, None, system);
        system.push('\n');
    }

    /// The language to write in.
    pub(super) fn append_language(&self, which: Instruction, system: &mut String) {
        let (otherwise, rest) = match which {
            Instruction::Analysis => (PAGES, "; headings and the line on trustworthiness keep their English words"),
            Instruction::Chat => ("the language of the question", ""),
            Instruction::Highlights => {
                (PAGES, "; phrases stay as they stand on the page, and names of categories as given")
            }
        };
        self.append_language_or(otherwise, rest, system);
    }

    /// The language to write notes and summaries of parts in, so that what is written from them keeps to it.
    pub(super) fn append_language_of_parts(&self, system: &mut String) {
        self.append_language_or(
            PAGES,
            "; quotations stay as they stand on the page, and names of categories as given",
            system,
        );
    }

    fn append_language_or(&self, otherwise: &str, rest: &str, system: &mut String) {
        let language: String = self.answer_language.chars().filter(|c| !c.is_control()).take(MAX_LANGUAGE).collect();
        let language = if language.trim().is_empty() { otherwise } else { language.trim() };
        // Writing to a `String` can't fail.
        let _ = writeln!(system, "Write in {language}{rest}.");
    }
}

/// Copies `words` with the page in the places named; says whether its text came to stand there. What is filled in is
/// not looked at again, and the text stands once however often it is named.
fn fill(words: &str, url: &str, title: &str, content: Option<&str>, out: &mut String) -> bool {
    let mut stands = false;
    let mut rest = words;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let next = if let Some(next) = rest.strip_prefix("{text}") {
            match content.filter(|_| !stands) {
                Some(content) => {
                    Block::page(url, title, content).append_to(out);
                    stands = true;
                }
                None => out.push_str("the page"),
            }
            next
        } else if let Some(next) = rest.strip_prefix("{title}") {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            Block::new("TITLE", title.chars().take(MAX_TITLE).collect()).append_to(out);
            next
        } else if let Some(next) = rest.strip_prefix("{url}") {
            Block::new("URL", safe_url(url)).append_to(out);
            next
        } else {
            out.push('{');
            &rest[1..]
        };
        rest = next;
    }
    out.push_str(rest);
    stands
}
