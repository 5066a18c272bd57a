//! The addresses that the answers of one run may open.
//!
//! Whoever writes a page can have a model do what it says, and a model that chooses an address of its own can carry the
//! reader's words to it. So an address is opened only if somebody other than the model named it, as a whole, and only so
//! many are: what is left to a model is the choice among the addresses it was shown.

use std::collections::{BTreeMap, BTreeSet};

use super::fetch_url::{MAX_URL, check};
use crate::page::addresses_in_message;
use crate::url::{Host, Url};
use crate::wire::{OpenLinks, Source};

/// Most addresses opened for one answer.
pub const MAX_PER_ANSWER: usize = 8;
/// Most of them on one site that nobody but the page named.
pub const MAX_PER_SITE: usize = 3;
/// Most addresses opened in a conversation, over all of its answers.
pub const MAX_PER_CONVERSATION: usize = 24;
/// Most addresses known to a run; further ones can't be opened.
const MAX_KNOWN: usize = 1_000;

/// Who named an address; the last of these that did counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NamedBy {
    /// The page that is read, or one that was opened.
    Page,
    /// A search.
    Search,
    /// The reader, in the message that is answered.
    Reader,
}

/// What becomes of a wish to open an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Open it. It is counted.
    Open,
    /// Ask the reader first.
    Ask,
    /// Do not open it, for this reason.
    Refuse(&'static str),
}

/// The addresses that may be opened, and how many still may.
#[derive(Debug)]
pub struct UrlAllowlist {
    policy: OpenLinks,
    /// By address as the URL standard writes it, without its fragment.
    known: BTreeMap<String, NamedBy>,
    /// Addresses the reader is being asked about, and those agreed to.
    waiting: BTreeSet<String>,
    agreed: BTreeSet<String>,
    /// How many were opened for this answer, and how many earlier in the conversation.
    opened: usize,
    earlier: usize,
    /// How many were opened of each site that only the page named.
    sites: BTreeMap<String, usize>,
}

impl UrlAllowlist {
    /// A list of what the page names and what the reader's message names. `earlier` counts the addresses that earlier
    /// answers of the conversation opened.
    pub fn new(policy: OpenLinks, page: &[String], message: &str, earlier: usize) -> Self {
        let mut list = Self {
            policy,
            known: BTreeMap::new(),
            waiting: BTreeSet::new(),
            agreed: BTreeSet::new(),
            opened: 0,
            earlier,
            sites: BTreeMap::new(),
        };
        for address in addresses_in_message(message) {
            list.add(&address, NamedBy::Reader);
        }
        list.add_links(page);
        list
    }

    /// Adds the results of a search.
    pub fn add_search_results(&mut self, results: &[Source]) {
        for result in results {
            self.add(&result.url, NamedBy::Search);
        }
    }

    /// Adds what an opened page links to.
    pub fn add_links(&mut self, addresses: &[String]) {
        for address in addresses {
            self.add(address, NamedBy::Page);
        }
    }

    fn add(&mut self, address: &str, by: NamedBy) {
        let Some(key) = key(address).filter(|key| key.len() <= MAX_URL) else { return };
        if self.known.len() < MAX_KNOWN || self.known.contains_key(&key) {
            let known = self.known.entry(key).or_insert(by);
            *known = by.max(*known);
        }
    }

    /// Whether there is, or with a search may come to be, an address that a model may open.
    pub fn may_open(&self, searches: bool) -> bool {
        match self.policy {
            OpenLinks::Always | OpenLinks::Ask => searches || !self.known.is_empty(),
            OpenLinks::Never => self.known.values().any(|by| *by == NamedBy::Reader),
        }
    }

    /// Decides about an address that a model names. One that [`Decision::Open`] answers is counted as opened.
    pub fn decide(&mut self, address: &str) -> Decision {
        let Ok(url) = check(address) else { return Decision::Refuse(UNKNOWN) };
        let key = url.before_fragment();
        let Some(by) = self.known.get(key).copied() else { return Decision::Refuse(UNKNOWN) };
        if self.policy == OpenLinks::Never && by != NamedBy::Reader {
            return Decision::Refuse(NEVER);
        }
        let opened = self.opened + self.waiting.len();
        if opened >= MAX_PER_ANSWER {
            return Decision::Refuse(ANSWER_FULL);
        }
        if opened + self.earlier >= MAX_PER_CONVERSATION {
            return Decision::Refuse(CONVERSATION_FULL);
        }
        let site = (by == NamedBy::Page).then(|| site(&url));
        if site.as_ref().and_then(|site| self.sites.get(site)).is_some_and(|opened| *opened >= MAX_PER_SITE) {
            return Decision::Refuse(SITE_FULL);
        }
        if self.policy == OpenLinks::Ask && by != NamedBy::Reader && !self.agreed.contains(key) {
            self.waiting.insert(key.to_owned());
            return Decision::Ask;
        }
        self.opened += 1;
        if let Some(site) = site {
            *self.sites.entry(site).or_default() += 1;
        }
        Decision::Open
    }

    /// The reader's answer about an address, after which [`Self::decide`] is asked about it again if they agree.
    pub fn handle_reply(&mut self, address: &str, agrees: bool) {
        let Some(key) = key(address) else { return };
        self.waiting.remove(&key);
        if agrees {
            self.agreed.insert(key);
        }
    }
}

const UNKNOWN: &str = "only an address that the page, the reader's last message, a search or an opened page named is \
                       opened, and only exactly as it stands there";
const NEVER: &str = "the reader does not let models open links";
const ANSWER_FULL: &str = "at most 8 addresses are opened for one answer";
const CONVERSATION_FULL: &str = "at most 24 addresses are opened in one conversation";
const SITE_FULL: &str = "at most 3 addresses of a site that only the page names are opened for one answer";
/// Why an address is not opened that the reader was asked about.
pub const DECLINED: &str = "the reader does not want it opened";

/// What addresses are compared by. The scheme and the query are part of it, the fragment never leaves the browser.
fn key(address: &str) -> Option<String> {
    check(address).ok().map(|url| url.before_fragment().to_owned())
}

/// The site of an address: the part of its host that one owner most likely has. Without the list of public suffixes that
/// is the last two labels, or three where the second last is as short as in `co.uk`. Where that lumps owners together,
/// fewer addresses are opened, not more.
fn site(url: &Url) -> String {
    match url.host() {
        Host::Ipv4(_) | Host::Ipv6(_) => url.host_str().to_owned(),
        Host::Domain(name) => {
            let labels: Vec<&str> = name.trim_end_matches('.').rsplit('.').collect();
            let count = if labels.get(1).is_some_and(|label| label.len() <= 3) { 3 } else { 2 };
            labels.into_iter().take(count).collect::<Vec<_>>().join(".")
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
