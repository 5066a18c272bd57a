//! Which addresses a run really brought. A link that no search and no fetch produced is the model's invention, or the
//! page's wish, and is never shown as a source.

use super::address::web_address;
use crate::wire::Source;

/// Most addresses one run keeps. Beyond it an address counts as not found, so it is shown without a link.
pub const MAX_SOURCES: usize = 1000;

/// Parameters that tell where a visitor came from and nothing about the page.
const TRACKING: [&str; 4] = ["gclid", "fbclid", "msclkid", "mc_cid"];

/// The addresses of a run, compared by what they lead to rather than by how they are written.
#[derive(Debug, Clone, Default)]
pub struct SourceSet {
    /// Sorted.
    keys: Vec<String>,
}

impl SourceSet {
    /// Adds pages; gives those that are new, and drops what is no web address.
    pub fn add(&mut self, sources: Vec<Source>) -> Vec<Source> {
        sources.into_iter().filter(|source| self.insert(&source.url)).collect()
    }

    /// The addresses as they are compared, for [`Self::from_keys`].
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// A set of what [`Self::keys`] gave.
    pub fn from_keys(keys: Vec<String>) -> Self {
        let mut set = Self::default();
        for key in keys.into_iter().take(MAX_SOURCES) {
            if let Err(at) = set.keys.binary_search(&key) {
                set.keys.insert(at, key);
            }
        }
        set
    }

    /// Whether this address is among them.
    pub fn contains(&self, url: &str) -> bool {
        key(url).is_some_and(|key| self.keys.binary_search(&key).is_ok())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds an address; false for one that is known, leads nowhere on the web, or is one too many.
    pub fn insert(&mut self, url: &str) -> bool {
        let Some(key) = key(url).filter(|_| self.keys.len() < MAX_SOURCES) else { return false };
        match self.keys.binary_search(&key) {
            Ok(_) => false,
            Err(at) => {
                self.keys.insert(at, key);
                true
            }
        }
    }
}

/// An address without scheme, default port, fragment, closing slash and tracking parameters. Host names have no case; the
/// rest does.
fn key(url: &str) -> Option<String> {
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
    Some(key)
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
