//! The links of a page: which bytes of its text they cover.

use std::ops::Range;

/// Starts the list of links at the end of a page's text.
const HEAD: &str = "\nPAGE LINKS:\n";

/// Most links looked at.
const MOST: usize = 40;

/// Shorter link texts are left out: they would be found anywhere.
const SHORTEST: usize = 4;

/// A link of the main content.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link<'a> {
    /// Bytes of the text it covers.
    pub(super) at: Range<usize>,
    /// Its address.
    pub(super) url: &'a str,
}

impl Link<'_> {
    /// The host of the address, as a name for the source; empty when it is not a web address.
    pub(super) fn host(&self) -> &str {
        let rest = self.url.strip_prefix("https://").or_else(|| self.url.strip_prefix("http://")).unwrap_or("");
        let host = rest.split(['/', '?', '#', ':']).next().unwrap_or("");
        // What stands before an "@" is not the host, and nothing a reader should take for it.
        host.rsplit('@').next().unwrap_or("")
    }
}

/// Splits a page's text into its body and its links. The list names links in the order of the page, so each is looked
/// for after the one before: one walk over the body for all that are found.
pub(super) fn split(text: &str) -> (&str, Vec<Link<'_>>) {
    let Some(at) = text.rfind(HEAD) else { return (text, Vec::new()) };
    let body = &text[..at];
    let mut links = Vec::new();
    let mut from = 0;
    for line in text[at + HEAD.len()..].lines().take(MOST) {
        let Some((name, url)) = line.strip_prefix("- ").and_then(|line| line.rsplit_once(": ")) else { continue };
        if name.len() < SHORTEST {
            continue;
        }
        if let Some(at) = memchr::memmem::find(&body.as_bytes()[from..], name.as_bytes()) {
            let at = from + at..from + at + name.len();
            from = at.end;
            links.push(Link { at, url });
        }
    }
    (body, links)
}
