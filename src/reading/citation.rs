//! Which addresses a run really brought. A link that no search and no fetch produced is the model's invention, or the
//! page's wish, and is never shown as a source.

use super::address::web_address;
use crate::wire::Source;

/// Most addresses one run keeps. Beyond it an address counts as not found, so it is shown without a link.
pub const MAX_SOURCES: usize = 1000;

/// Parameters that tell where a visitor came from and nothing about the page.
const TRACKING: [&str; 4] = ["gclid", "fbclid", "msclkid", "mc_cid"];

/// The addresses of a run, compared by what they lead to rather than by how they are written.
///
/// What is compared leniently must not be opened leniently: parameters that a model adds could carry the reader's words
/// away. So [`SourceSet::find`] gives the address as it was found, and that is the one to link to.
#[derive(Debug, Clone, Default)]
pub struct SourceSet {
    /// What an address is compared by, and the address as it was found; sorted.
    found: Vec<(String, String)>,
    /// How many of them lead to different places.
    places: usize,
}

impl SourceSet {
    /// A set of these addresses.
    pub fn of<'a>(addresses: impl IntoIterator<Item = &'a str>) -> Self {
        let mut set = Self::default();
        for address in addresses {
            set.insert(address);
        }
        set
    }

    /// Adds pages; gives those that are new, and drops what is no web address.
    pub fn add(&mut self, sources: Vec<Source>) -> Vec<Source> {
        sources.into_iter().filter(|source| self.insert(&source.url)).collect()
    }

    /// The addresses as they were found.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.found.iter().map(|(_, url)| url.as_str())
    }

    /// The address that was found for this one: the same, else one that leads to the same place.
    pub fn find(&self, url: &str) -> Option<&str> {
        let (key, url) = key_and_url(url)?;
        let at = self.found.partition_point(|(own, _)| *own < key);
        let mut alike = self.found[at..].iter().take_while(|(own, _)| *own == key).map(|(_, found)| found.as_str());
        let first = alike.next()?;
        Some(if first == url { first } else { alike.find(|found| *found == url).unwrap_or(first) })
    }

    /// Whether this address, or one that leads to the same place, is among them.
    pub fn contains(&self, url: &str) -> bool {
        self.find(url).is_some()
    }

    /// How many different places there are.
    pub fn len(&self) -> usize {
        self.places
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Adds an address; false for one whose place is known, that leads nowhere on the web, or is one too many.
    pub fn insert(&mut self, url: &str) -> bool {
        let Some(entry) = key_and_url(url).filter(|_| self.found.len() < MAX_SOURCES) else { return false };
        let is_new = !self.contains(url);
        if let Err(at) = self.found.binary_search(&entry) {
            self.found.insert(at, entry);
        }
        self.places += usize::from(is_new);
        is_new
    }
}

/// What an address is compared by: no scheme, default port, fragment, closing slash and tracking parameters. Host names
/// have no case; the rest does. Beside it the address as the URL standard writes it.
fn key_and_url(url: &str) -> Option<(String, String)> {
    let url = web_address(url)?;
    let mut key = url.host_and_port_str().to_owned();
    key.push_str(url.path().trim_end_matches('/'));
    let is_tracking = |pair: &&str| {
        form_urlencoded::parse(pair.as_bytes()).any(|(name, _)| name.starts_with("utm_") || TRACKING.contains(&&*name))
    };
    let mut separator = '?';
    for pair in url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)) {
        key.push(separator);
        key.push_str(pair);
        separator = '&';
    }
    Some((key, url.as_str().to_owned()))
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn source(url: &str) -> Source {
        Source { url: url.to_owned(), title: String::new() }
    }

    fn set(url: &str) -> SourceSet {
        let mut set = SourceSet::default();
        set.add(vec![source(url)]);
        set
    }

    #[test]
    fn an_address_is_known_by_where_it_leads() {
        let known = set("https://News.example/a/B?id=1&utm_source=openai");
        for same in [
            "https://news.example/a/B?id=1",
            "http://news.example:80/a/B/?id=1#part",
            " HTTPS://NEWS.EXAMPLE/a/B?utm_medium=x&id=1&gclid=2 ",
        ] {
            assert!(known.contains(same), "{same}");
        }
        for other in [
            "https://news.example/a/b?id=1",
            "https://news.example/a/B",
            "https://news.example/a/B?id=2",
            "https://news.example.evil.example/a/B?id=1",
            "https://news.example:8443/a/B?id=1",
            "https://evil.example/?u=https://news.example/a/B?id=1",
            "javascript:alert(1)",
            "",
        ] {
            assert!(!known.contains(other), "{other}");
        }
    }

    #[test]
    fn a_link_leads_to_the_address_that_was_found() {
        let mut known = SourceSet::of(["https://news.example/a?id=1&utm_source=openai"]);
        for asked in [
            "https://news.example/a?id=1&utm_source=openai",
            "https://news.example/a?id=1",
            "http://news.example/a/?id=1&utm_content=the+reader's+words&gclid=more#and+more",
        ] {
            assert_eq!(known.find(asked), Some("https://news.example/a?id=1&utm_source=openai"), "{asked}");
        }
        known.insert("http://news.example/a?id=1");
        assert_eq!(
            known.find("http://news.example/a?id=1"),
            Some("http://news.example/a?id=1"),
            "the same, where it is there"
        );
        assert_eq!((known.len(), known.urls().count()), (1, 2));
        assert_eq!(known.find("https://news.example/a?id=1&words=the+reader's"), None);
    }

    #[test]
    fn each_source_is_new_once() {
        let mut set = SourceSet::default();
        let twice = vec![source("https://a.example/"), source("https://a.example"), source("data:text/html,x")];
        assert_eq!(set.add(twice), [source("https://a.example/")]);
        assert_eq!(set.add(vec![source("http://a.example/#top")]), []);
    }

    #[test]
    fn beyond_the_bound_nothing_counts_as_found() {
        let mut set = SourceSet::default();
        let many = (0..=MAX_SOURCES).map(|n| source(&format!("https://a.example/{n}"))).collect();
        assert_eq!(set.add(many).len(), MAX_SOURCES);
        assert!(!set.contains(&format!("https://a.example/{MAX_SOURCES}")));
    }

    proptest! {
        #[test]
        fn what_was_added_is_found_and_nothing_panics(url in "\\PC{0,60}", path in "[a-z/?&=#%.]{0,30}") {
            set(&url).contains(&url);
            let address = format!("https://a.example/{path}");
            prop_assert!(set(&address).contains(&address));
        }
    }
}
