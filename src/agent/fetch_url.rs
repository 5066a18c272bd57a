//! `fetch_url`, the tool that is ours: which addresses are of the public web, and what a model gets to read of a page.
//!
//! A page can tell a model what to fetch, so the rules are strict: nothing of this machine or its network, and only what
//! is on the [`UrlAllowlist`](super::UrlAllowlist).

use crate::page::html::{self, Readable};
use crate::page::{MAX_ADDRESS, addresses_in_text};
use crate::reading::address::web_address;
use crate::reading::prompt;
use crate::url::{Host, Url};
use crate::wire::Source;
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// The name of the tool.
pub(super) const NAME: &str = "fetch_url";

/// Longest wait for a page, in milliseconds.
pub(super) const TIMEOUT: u64 = 10_000;

/// Most bytes read of a page; it counts as cut there.
pub const MAX_PAGE_BYTES: usize = 2 << 20;

/// Most text given to a model of one page, in characters.
pub const MAX_TEXT_CHARS: usize = 20_000;

/// Longest address in a label of progress, in characters.
const LABEL_CHARS: usize = 80;

/// Longest address fetched, in bytes.
pub(super) const MAX_URL: usize = MAX_ADDRESS;

/// Most bytes of a page's links given to a model.
const MAX_LINKS_BYTES: usize = 10_000;

/// Ends of names that lead into a network at home or at work, or to this machine.
const LOCAL_NAMES: [&str; 12] = [
    "localhost",
    "local",
    "internal",
    "localdomain",
    "lan",
    "home",
    "intranet",
    "corp",
    "private",
    "arpa",
    "test",
    "onion",
];

/// Public names that resolve to whatever address stands in them, or to this machine.
const REBINDING_NAMES: [&str; 5] = ["nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me"];

/// A page as the shell fetched it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchedPage {
    /// The address that answered, behind every redirect.
    pub url: String,
    /// The HTTP status.
    pub status: u16,
    /// The `content-type` header; empty when absent.
    pub content_type: String,
    /// The body, decoded by its [`charset`].
    pub body: String,
    /// Whether there was more of it than [`MAX_PAGE_BYTES`].
    pub is_cut: bool,
}

/// What a model gets to read.
pub(super) struct Read {
    pub(super) text: String,
    /// Whether the page itself came, rather than an error page.
    pub(super) is_success: bool,
    pub(super) sources: Vec<Source>,
    /// Addresses it links to, those the model was shown.
    pub(super) links: Vec<String>,
}

/// The address a call asks for, if it is of the public web.
pub(super) fn wanted(input: &serde_json::Value) -> Result<String, String> {
    let Some(url) = input["url"].as_str().map(str::trim).filter(|url| !url.is_empty()) else {
        return Err("fetch_url takes an object with one field, url: an http or https address.".to_owned());
    };
    let address = check(url).map_err(|reason| failure(url, reason))?;
    Ok(address.before_fragment().to_owned())
}

/// An address of the public web as far as it shows, or why it is none.
pub(super) fn check(url: &str) -> Result<Url, &'static str> {
    if url.len() > MAX_URL {
        return Err("the address is too long");
    }
    let Some(address) = web_address(url) else { return Err("only http and https addresses are fetched") };
    if address.has_credentials() {
        return Err("the address holds a user name or password");
    }
    let is_public = match address.host() {
        Host::Domain(name) => is_public_name(name),
        Host::Ipv4(ip) => is_public_v4(ip.octets()),
        // Global unicast, without what wraps another address (Teredo, 6to4) and without documentation.
        Host::Ipv6(ip) => {
            let [a, b, ..] = ip.segments();
            a & 0xE000 == 0x2000 && a != 0x2002 && !(a == 0x2001 && (b < 0x0200 || b == 0x0DB8))
        }
    };
    if is_public { Ok(address) } else { Err("the address belongs to this machine or a private network") }
}

fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let ends_with = |end: &&str| name.strip_suffix(*end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    name.contains('.') && !LOCAL_NAMES.iter().chain(&REBINDING_NAMES).any(ends_with)
}

/// Without the ranges of RFC 6890 and multicast.
fn is_public_v4([a, b, c, _]: [u8; 4]) -> bool {
    let special = matches!(a, 0 | 10 | 127 | 224..=255)
        || (a == 100 && b & 0xC0 == 64)
        || (a == 169 && b == 254)
        || (a == 172 && b & 0xF0 == 16)
        || (a == 192 && (b == 168 || (b == 0 && matches!(c, 0 | 2)) || (b == 88 && c == 99)))
        || (a == 198 && (b & 0xFE == 18 || (b == 51 && c == 100)))
        || (a == 203 && b == 0 && c == 113);
    !special
}

/// A label of progress.
pub(super) fn label(url: &str) -> String {
    words::say("status_fetching_url", &[first_chars(url, LABEL_CHARS)])
}

/// What the model is told instead of a page.
pub(super) fn failure(url: &str, reason: &str) -> String {
    format!("Could not fetch URL ({}): {reason}", first_chars(url, MAX_URL))
}

/// Why a response is not read on; to be asked with its head, before its body is read.
pub fn refusal(url: &str, content_type: &str) -> Option<String> {
    if let Err(reason) = check(url) {
        return Some(format!("it leads to another address, and {reason}"));
    }
    let kind = kind_of(content_type);
    (!is_text(&kind)).then(|| format!("it is no text but {}", first_chars(&kind, 60)))
}

/// What a model gets to read of a page that was asked for as `asked`.
pub(super) fn read(asked: &str, page: &FetchedPage) -> Result<Read, String> {
    if let Some(reason) = refusal(&page.url, &page.content_type) {
        return Err(reason);
    }
    let kind = kind_of(&page.content_type);
    let is_html = kind.contains("html") || (kind.is_empty() && page.body.trim_start().starts_with('<'));
    let read = if is_html {
        html::readable(&page.body)
    } else {
        let links = addresses_in_text(&page.body).into_iter().take(html::MAX_LINKS);
        let links = links.map(|address| (String::new(), address)).collect();
        Readable { text: page.body.trim().to_owned(), links, ..Readable::default() }
    };
    let title = first_chars(&read.title, prompt::MAX_TITLE);
    let mut text = format!("URL: {}\nStatus: {}\n", first_chars(&page.url, MAX_URL), page.status);
    if !title.is_empty() {
        text.push_str("Title: ");
        text.push_str(title);
        text.push('\n');
    }
    text.push('\n');
    let shown = first_chars(&read.text, MAX_TEXT_CHARS);
    text.push_str(shown);
    if shown.len() < read.text.len() {
        text.push_str("\n[Cut: only the first 20,000 characters of this page are given.]");
    } else if page.is_cut {
        text.push_str("\n[Cut: the page is larger than 2 MB, and the rest was not read.]");
    } else if read.text.is_empty() {
        text.push_str("[The page has no readable text.]");
    }
    let links = push_links(&mut text, &page.url, &read.links);
    let is_success = (200..300).contains(&page.status);
    let source = |url: &str| Source { url: url.to_owned(), title: title.to_owned() };
    let sources = if is_success { vec![source(asked), source(&page.url)] } else { Vec::new() };
    Ok(Read { text: prompt::material("WEB PAGE", text), is_success, sources, links })
}

/// Lists the links of a page as far as there is room, and gives the addresses listed.
fn push_links(text: &mut String, base: &str, links: &[(String, String)]) -> Vec<String> {
    let mut listed = Vec::new();
    let Some(base) = web_address(base) else { return listed };
    let start = text.len();
    for (words, href) in links {
        let Some(link) = base.join(href).filter(|link| link.as_str().len() <= MAX_URL) else { continue };
        let head = if listed.is_empty() { "\n\nPAGE LINKS:\n- " } else { "\n- " };
        let colon = if words.is_empty() { "" } else { ": " };
        let entry = [head, words, colon, link.as_str()].concat();
        if text.len() - start + entry.len() > MAX_LINKS_BYTES {
            break;
        }
        text.push_str(&entry);
        listed.push(link.as_str().to_owned());
    }
    listed
}

/// The first so many characters of a text.
fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

fn kind_of(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A server that names no type is given the benefit of the doubt.
fn is_text(kind: &str) -> bool {
    kind.is_empty()
        || kind.starts_with("text/")
        || kind.ends_with("+xml")
        || kind.ends_with("+json")
        || ["application/json", "application/xml", "application/javascript", "application/x-ndjson"].contains(&kind)
}

/// The character encoding of a body: of its header, else of the page's own `meta`, else UTF-8.
pub fn charset(content_type: &str, body: &[u8]) -> String {
    let named = |text: &str| {
        let at = text.to_ascii_lowercase().find("charset")?;
        let value = text[at + "charset".len()..].trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(value.len());
        Some(value[..end].to_owned()).filter(|name| !name.is_empty())
    };
    named(content_type)
        .or_else(|| named(&String::from_utf8_lossy(&body[..body.len().min(1024)])))
        .unwrap_or_else(|| "utf-8".to_owned())
}
