//! `fetch_url`, the tool that is ours: which addresses a model may have fetched, and what it gets to read of them.
//!
//! A page can tell a model what to fetch, so the rules are strict: nothing of this machine or its network, and only an
//! address that stood somewhere already. An address the model made up could carry the reader's words away.

use crate::page::html::{self, Readable};
use crate::provider::{Prompt, Turn};
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
const MAX_URL: usize = 2_000;

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
}

/// The address a call asks for, if it may be fetched. `known` is asked about an address that is otherwise fine.
pub(super) fn wanted(input: &serde_json::Value, known: &mut dyn FnMut(&str) -> bool) -> Result<String, String> {
    let Some(url) = input["url"].as_str().map(str::trim).filter(|url| !url.is_empty()) else {
        return Err("fetch_url takes an object with one field, url: an http or https address.".to_owned());
    };
    let address = check(url).map_err(|reason| failure(url, reason))?;
    if !known(url) {
        return Err(failure(
            url,
            "it stands neither on the page nor in a message of the reader nor in a search result or a fetched page",
        ));
    }
    Ok(address.before_fragment().to_owned())
}

/// An address that may be fetched as far as the network goes, or why not.
fn check(url: &str) -> Result<Url, &'static str> {
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

/// Whether an address stands in what the model was told by others than itself: instructions and page, the reader's
/// messages, pages fetched before. An earlier answer does not count, nor does a failure, which repeats what the model asked.
pub(super) fn is_told(url: &str, prompt: &Prompt) -> bool {
    let Some(address) = web_address(url) else { return false };
    let host = address.host_str();
    // As the model wrote it, which is how it stood there; else as the parser writes it.
    let written = url.trim().split_once("://").map_or("", |(_, rest)| rest);
    let written = written.split_at_checked(host.len()).filter(|(own, _)| own.eq_ignore_ascii_case(host));
    let parsed = [&address.host_and_port_str()[host.len()..], address.after_origin()].concat();
    let tails = [written.map(|(_, tail)| tail), Some(parsed.as_str())];
    let told = |text: &str| tails.iter().flatten().any(|tail| contains(text, host, bare(tail)));
    told(&prompt.system)
        || prompt.turns.iter().any(|turn| match turn {
            Turn::User(text) => told(text),
            Turn::ToolResults(results) => results.iter().any(|result| !result.is_error && told(&result.text)),
            Turn::Assistant(_) | Turn::Replay(_) => false,
        })
}

/// The rest of an address without fragment and closing slash.
fn bare(tail: &str) -> &str {
    let tail = tail.split_once('#').map_or(tail, |(tail, _)| tail);
    tail.strip_suffix('/').unwrap_or(tail)
}

/// Whether a text holds an address: `host` in any case, `tail` exactly, and neither as a part of a longer one.
fn contains(text: &str, host: &str, tail: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(first) = host.bytes().next() else { return false };
    memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), bytes).any(|at| {
        let Some(own) = bytes.get(at..at + host.len()) else { return false };
        let before = at.checked_sub(1).map(|before| bytes[before]);
        own.eq_ignore_ascii_case(host.as_bytes())
            && !before
                .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'@' | b':' | b'%'))
            && bytes[at + host.len()..].strip_prefix(tail.as_bytes()).is_some_and(ends)
    })
}

/// Whether an address is over where `rest` begins: what closes a sentence is no part of it unless more of it follows.
fn ends(rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    let goes_on = |b: &u8| b.is_ascii_graphic() && !b"<>\"'`|\\)]#".contains(b);
    rest.iter().take_while(|b| goes_on(b)).all(|b| b".,;:!?*_}".contains(b))
}

/// A label of progress.
pub(super) fn label(url: &str) -> String {
    words::say("status_fetching_url", &[&url.chars().take(LABEL_CHARS).collect::<String>()])
}

/// What the model is told instead of a page.
pub(super) fn failure(url: &str, reason: &str) -> String {
    format!("Could not fetch URL ({}): {reason}", url.chars().take(MAX_URL).collect::<String>())
}

/// Why a response is not read on; to be asked with its head, before its body is read.
pub fn refusal(url: &str, content_type: &str) -> Option<String> {
    if let Err(reason) = check(url) {
        return Some(format!("it leads to another address, and {reason}"));
    }
    let kind = kind_of(content_type);
    (!is_text(&kind)).then(|| format!("it is no text but {}", kind.chars().take(60).collect::<String>()))
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
        Readable { text: page.body.trim().to_owned(), ..Readable::default() }
    };
    let mut text = format!("URL: {}\nStatus: {}\n", page.url, page.status);
    if !read.title.is_empty() {
        text.push_str("Title: ");
        text.push_str(&read.title);
        text.push('\n');
    }
    text.push('\n');
    match read.text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((cut, _)) => {
            text.push_str(&read.text[..cut]);
            text.push_str("\n[Cut: only the first 20,000 characters of this page are given.]");
        }
        None if page.is_cut => {
            text.push_str(&read.text);
            text.push_str("\n[Cut: the page is larger than 2 MB, and the rest was not read.]");
        }
        None if read.text.is_empty() => text.push_str("[The page has no readable text.]"),
        None => text.push_str(&read.text),
    }
    push_links(&mut text, &page.url, &read.links);
    let is_success = (200..300).contains(&page.status);
    let source = |url: &str| Source { url: url.to_owned(), title: read.title.clone() };
    let sources = if is_success { vec![source(asked), source(&page.url)] } else { Vec::new() };
    Ok(Read { text: prompt::material("WEB PAGE", text), is_success, sources })
}

fn push_links(text: &mut String, base: &str, links: &[(String, String)]) {
    let Some(base) = web_address(base) else { return };
    let mut is_first = true;
    for (words, href) in links {
        let Some(link) = base.join(href) else { continue };
        text.push_str(if std::mem::take(&mut is_first) { "\n\nPAGE LINKS:\n- " } else { "\n- " });
        text.push_str(words);
        text.push_str(": ");
        text.push_str(link.as_str());
    }
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
