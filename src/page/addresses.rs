//! Web addresses in text.
//!
//! A page shows the words of many authors, so an address must not take in what somebody else wrote behind it: it ends at
//! the first white space, invisible character or closing mark, and never goes beyond its text node.

use std::collections::BTreeSet;

use super::fold::is_invisible;
use super::text::{required_flags, take_utf16};
use crate::url::Url;
use crate::wire::Snapshot;

/// Most addresses taken of a page or a message.
pub const MAX_ADDRESSES: usize = 100;
/// Longest address taken, in bytes.
pub const MAX_ADDRESS: usize = 2_000;

/// The addresses a page names, as the URL standard writes them, each once: where its links lead, then those in the text
/// that is read of it.
pub fn addresses_on_page(snapshot: &Snapshot) -> Vec<String> {
    let mut found = Found::default();
    for (_, address) in snapshot.links.iter().take(Snapshot::MAX_LINKS) {
        found.add(address);
    }
    let required = required_flags(snapshot);
    let mut chars = snapshot.text.chars();
    for &(len, flags) in &snapshot.nodes {
        let text = take_utf16(&mut chars, len);
        if flags & required == required {
            in_text(text, |address| found.add(address));
        }
    }
    found.addresses
}

/// The addresses in a text by one author, each once.
pub fn addresses_in_text(text: &str) -> Vec<String> {
    let mut found = Found::default();
    in_text(text, |address| found.add(address));
    found.addresses
}

/// The addresses in what the reader wrote, each once: `news.example/a` as well, over https and http.
pub fn addresses_in_message(message: &str) -> Vec<String> {
    let mut found = Found::default();
    for word in message.split(|c: char| c.is_whitespace() || is_invisible(c) || "<>\"“”„«»`|\\".contains(c)) {
        let word = word.trim_start_matches(['(', '[', '{', '\'', '‘', '‚']);
        let word = without_end_of_sentence(word);
        if starts_with_scheme(word) {
            found.add(word);
        } else if is_bare_address(word) {
            for scheme in ["https://", "http://"] {
                found.add(&format!("{scheme}{word}"));
            }
        }
    }
    found.addresses
}

/// Addresses found so far.
#[derive(Default)]
struct Found {
    addresses: Vec<String>,
    known: BTreeSet<String>,
}

impl Found {
    fn add(&mut self, address: &str) {
        if self.addresses.len() >= MAX_ADDRESSES || address.len() > MAX_ADDRESS {
            return;
        }
        let Some(url) = Url::parse(address) else { return };
        let address = url.before_fragment();
        if address.len() <= MAX_ADDRESS && self.known.insert(address.to_owned()) {
            self.addresses.push(address.to_owned());
        }
    }
}

/// Hands over every whole address in a text. One that runs on into letters beyond ASCII is none: where it ends can't be
/// told in scripts without spaces.
fn in_text(text: &str, mut take: impl FnMut(&str)) {
    let mut from = 0;
    while let Some(at) = text[from..].find("://").map(|at| from + at) {
        from = at + "://".len();
        let Some(start) = ["https", "http"].iter().find_map(|scheme| start_of(text, at, scheme)) else { continue };
        let end = from + end_of(&text[from..]);
        let goes_on = text[end..].chars().next().is_some_and(|next| next.is_alphanumeric() && !is_invisible(next));
        if !goes_on {
            take(without_end_of_sentence(&text[start..end]));
        }
        from = end;
    }
}

/// Where a scheme begins that ends at `at`, unless letters stand before it.
fn start_of(text: &str, at: usize, scheme: &str) -> Option<usize> {
    let start = at.checked_sub(scheme.len())?;
    let is_scheme = text.get(start..at)?.eq_ignore_ascii_case(scheme);
    let before = text[..start].chars().next_back();
    (is_scheme && !before.is_some_and(|c| c.is_ascii_alphanumeric())).then_some(start)
}

/// How many bytes of `rest` belong to the address that begins before it.
fn end_of(rest: &str) -> usize {
    let mut open = 0_u32;
    rest.bytes()
        .position(|byte| match byte {
            b'(' => {
                open += 1;
                false
            }
            // A bracket that the address itself opened is part of it.
            b')' if open > 0 => {
                open -= 1;
                false
            }
            b'<' | b'>' | b'"' | b'\'' | b'`' | b'|' | b'\\' | b'^' | b'{' | b'}' | b'[' | b']' | b')' => true,
            byte => !byte.is_ascii_graphic(),
        })
        .unwrap_or(rest.len())
}

/// Without the marks that end a sentence rather than an address.
fn without_end_of_sentence(address: &str) -> &str {
    let unbalanced = |text: &str| text.matches(')').count() > text.matches('(').count();
    let mut address = address;
    loop {
        let shorter = address.trim_end_matches([
            '.', ',', ';', ':', '!', '?', '*', '_', '\'', '’', ']', '}', '。', '、', '，', '！', '？',
        ]);
        let shorter = if unbalanced(shorter) { shorter.strip_suffix(')').unwrap_or(shorter) } else { shorter };
        if shorter.len() == address.len() {
            return address;
        }
        address = shorter;
    }
}

fn starts_with_scheme(word: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| word.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme)))
}

/// Whether a word reads as an address without its scheme: a host whose last label is letters, no number and no mail.
fn is_bare_address(word: &str) -> bool {
    let host = word.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let last = host.rsplit('.').next().unwrap_or_default();
    host.contains('.')
        && !host.split('.').any(str::is_empty)
        && last.chars().count() >= 2
        && last.chars().all(char::is_alphabetic)
        && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
