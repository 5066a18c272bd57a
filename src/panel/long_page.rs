//! A page whose reading would send much: the reader chooses how much of it.

use serde_json::Value;

use super::model::{Attempt, Panel};
use super::notice::{Action, Notice, NoticeKind};
use super::read_page::ReadPage;
use super::requests::Requests;
use super::usage::cost;
use crate::page::closest_passages;
use crate::provider::{self, registry};
use crate::reading::plan::{Plan, UNASKED_TOKENS, first_part, tokens};
use crate::reading::prompt::PASSAGES_NOTE;
use crate::wire::LongPages;
use crate::words;

/// How much of a long page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// All of it.
    All,
    /// Its first part: what is read of other pages unasked.
    FirstPart,
}

/// A page whose text is here and that waits for the reader's choice.
#[derive(Debug)]
pub(super) struct LongPage {
    page: ReadPage,
    content: String,
    plan: Plan,
    /// Whether the reader wanted what is selected, and nothing was.
    lacks_selection: bool,
}

/// What has to be done once the reader has chosen.
#[derive(Debug)]
pub struct Chosen {
    /// The requests of the reading.
    pub requests: Requests,
    /// The choice as it is remembered in `storage.local`: key and value.
    pub remembered: (String, Value),
}

impl Panel {
    /// What is to be read of a page's text. `None` when the reader is asked first; it waits for the answer then.
    pub(super) fn hold_long_page(&mut self, tab: i32, page: ReadPage, content: String) -> Option<(ReadPage, String)> {
        let Some(limit) = self.unasked_tokens() else { return Some((page, content)) };
        let plan = Plan::of(&content);
        if plan.sent <= limit {
            return Some((page, content));
        }
        if self.long_pages() == LongPages::FirstPart {
            return Some(cut(page, &content));
        }
        let lacks_selection = self.wants_selection.take() == Some(tab) && !page.is_selection;
        self.attempts.insert(tab, Attempt::Choosing(Box::new(LongPage { page, content, plan, lacks_selection })));
        None
    }

    /// How many tokens a reading may send unasked; `None` for any number: nobody else's machine is asked.
    fn unasked_tokens(&self) -> Option<u64> {
        let route = provider::resolve(&self.settings).ok()?;
        if !registry::provider(route.id).speaks_http() || route.is_local() {
            return None;
        }
        Some(match self.long_pages() {
            LongPages::Ask | LongPages::FirstPart => UNASKED_TOKENS,
            LongPages::UpTo(tokens) => tokens.max(UNASKED_TOKENS),
        })
    }

    fn long_pages(&self) -> LongPages {
        self.settings.config(self.reader().id).long_pages
    }

    /// The reader chose how much of the page in view is read: a reading named `id` begins. `None` when nothing waits for
    /// a choice.
    pub fn handle_choice(&mut self, choice: Choice, id: String, now_ms: u64) -> Option<Chosen> {
        let tab = self.tab.as_ref()?.id;
        let long = match self.attempts.remove(&tab) {
            Some(Attempt::Choosing(long)) => *long,
            Some(other) => {
                self.attempts.insert(tab, other);
                return None;
            }
            None => return None,
        };
        let LongPage { page, content, plan, .. } = long;
        let remembered = match choice {
            Choice::All => LongPages::UpTo(plan.sent),
            Choice::FirstPart => LongPages::FirstPart,
        };
        let (page, content) = if choice == Choice::All { (page, content) } else { cut(page, &content) };
        let key = LongPages::key(self.reader().id);
        let requests = self.begin_reading(tab, page, content, id, now_ms);
        Some(Chosen { requests, remembered: (key, remembered.to_stored()) })
    }

    /// The reader wants only what they have selected on a long page. Returns the number of the wish, as
    /// [`Panel::handle_read`] does.
    pub fn handle_read_selection(&mut self, tab: i32) -> Option<u32> {
        let wish = self.handle_read(tab);
        self.wants_selection = Some(tab);
        wish
    }

    /// What of a page's text goes with a question: all of it where that is little or agreed to, else the passages closest
    /// to the question.
    pub(super) fn text_for_question(&self, content: &str, question: &str) -> Option<String> {
        let limit = self.unasked_tokens()?;
        let all = tokens(content);
        if all <= limit {
            return None;
        }
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX).saturating_mul(UNASKED_TOKENS) / all.max(1);
        let room = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_sub(PASSAGES_NOTE.len());
        Some(format!("{PASSAGES_NOTE}{}", closest_passages(content, question, room).text))
    }

    /// What the reader is asked about the page in view.
    pub(super) fn long_page_notice(&self) -> Option<Notice> {
        let Attempt::Choosing(long) = self.attempts.get(&self.tab.as_ref()?.id)? else { return None };
        let LongPage { plan, lacks_selection, .. } = &**long;
        let reader = self.reader();
        let (tokens, requests) = (words::number(rounded(plan.sent)), words::number(plan.requests));
        let mut text = match reader.price {
            Some(price) => words::say(
                "long_page_cost",
                &[&tokens, &reader.label, &requests, &cost(plan.sent, plan.received, price)],
            ),
            None => words::say("long_page", &[&tokens, &reader.label, &requests]),
        };
        if *lacks_selection {
            text.insert(0, ' ');
            text.insert_str(0, &words::say("long_page_no_selection", &[]));
        }
        let actions = [
            ("long_page_all", Action::ReadAll),
            ("long_page_first", Action::ReadFirstPart),
            ("long_page_selection", Action::ReadSelection),
        ];
        Some(Notice {
            kind: NoticeKind::Plain,
            text,
            addresses: Vec::new(),
            details: words::say("long_page_remembered", &[&reader.label]),
            actions: actions.into_iter().map(|(key, action)| (words::say(key, &[]), action)).collect(),
        })
    }
}

/// The first part of a page, which says that it is one.
fn cut(mut page: ReadPage, content: &str) -> (ReadPage, String) {
    let part = first_part(content);
    let percent = (part.len() * 100).div_ceil(content.len().max(1));
    let note = words::say("page_first_part", &[&words::number(percent as u64)]);
    page.left_out = if page.left_out.is_empty() { note } else { [&note, " ", &page.left_out].concat() };
    (page, part.to_owned())
}

/// An estimate to two digits: more would promise more than it holds.
fn rounded(tokens: u64) -> u64 {
    let unit = 10_u64.pow(tokens.checked_ilog10().unwrap_or_default().saturating_sub(1));
    tokens.div_ceil(unit) * unit
}
