//! Readable text out of a page's HTML, where there is no browser to lay it out: a service worker has no parser.
//!
//! Tolerant, and one pass over the bytes: tags are found the way a tokenizer finds them, blocks become lines, and what is no
//! text for a reader (scripts, styles, navigation, forms) is left out.

use memchr::memchr;

/// Most links kept.
pub const MAX_LINKS: usize = 40;

/// Longest words of a link, in bytes.
const MAX_LINK_WORDS: usize = 120;

/// Longest address of a link as it is written, in bytes; a longer one is no link.
const MAX_HREF: usize = 4_000;

/// Elements whose content is no markup; the next closing tag of the name ends them.
const RAW: [&str; 7] = ["script", "style", "title", "textarea", "noscript", "iframe", "xmp"];

/// Elements that hold nothing to read.
const SKIPPED: [&str; 10] =
    ["nav", "aside", "footer", "form", "template", "svg", "select", "button", "object", "dialog"];

/// Elements that stand on lines of their own.
const BLOCKS: [&str; 32] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "caption",
    "blockquote",
    "pre",
    "figure",
    "figcaption",
    "br",
    "hr",
    "details",
    "summary",
    "address",
    "body",
    "head",
];

/// What a page says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Readable {
    /// Its title; empty when it has none.
    pub title: String,
    /// Its text, one block a line.
    pub text: String,
    /// Its first links: words and address, as written.
    pub links: Vec<(String, String)>,
}

/// Reads a page. Where everything stands in elements that are usually no reading, these are read after all.
pub fn readable(html: &str) -> Readable {
    let read = Reader::new(html, true).read();
    if read.text.is_empty() { Reader::new(html, false).read() } else { read }
}

struct Reader<'a> {
    html: &'a str,
    at: usize,
    skips: bool,
    out: Readable,
    /// The skipped element open, and how many of its name.
    skipping: Option<(&'static str, usize)>,
    /// What the next word is kept apart by.
    gap: Gap,
    /// The link open: its address and where its words begin.
    link: Option<(String, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
}

impl<'a> Reader<'a> {
    fn new(html: &'a str, skips: bool) -> Self {
        Self { html, at: 0, skips, out: Readable::default(), skipping: None, gap: Gap::None, link: None }
    }

    fn read(mut self) -> Readable {
        let bytes = self.html.as_bytes();
        while self.at < bytes.len() {
            let end = memchr(b'<', &bytes[self.at..]).map_or(bytes.len(), |found| self.at + found);
            self.push_text(&self.html[self.at..end]);
            self.at = end;
            match bytes.get(end + 1) {
                Some(b'!') if self.html[end..].starts_with("<!--") => self.skip_past(end + 4, "-->"),
                Some(b'!' | b'?') => self.skip_past(end, ">"),
                Some(b'/') if bytes.get(end + 2).is_some_and(u8::is_ascii_alphabetic) => self.read_tag(end + 2, true),
                Some(letter) if letter.is_ascii_alphabetic() => self.read_tag(end + 1, false),
                Some(_) => {
                    self.push_text("<");
                    self.at = end + 1;
                }
                None => self.at = bytes.len(),
            }
        }
        self.out
    }

    /// Goes on behind the next `mark`, or to the end.
    fn skip_past(&mut self, from: usize, mark: &str) {
        self.at = self.html[from..].find(mark).map_or(self.html.len(), |found| from + found + mark.len());
    }

    /// A tag whose name begins at `start`.
    fn read_tag(&mut self, start: usize, closes: bool) {
        let bytes = self.html.as_bytes();
        let name_end =
            bytes[start..].iter().position(|b| !b.is_ascii_alphanumeric()).map_or(bytes.len(), |n| start + n);
        let end = tag_end(bytes, name_end);
        let attributes = &self.html[name_end..end];
        self.at = (end + 1).min(bytes.len());
        let name = self.html[start..name_end].to_ascii_lowercase();
        if let Some(raw) = RAW.iter().find(|raw| **raw == name).filter(|_| !closes) {
            return self.read_raw(raw);
        }
        if let Some((open, depth)) = &mut self.skipping {
            if name == *open {
                *depth = if closes { *depth - 1 } else { *depth + 1 };
                if *depth == 0 {
                    self.skipping = None;
                }
            }
            return;
        }
        if let Some(skipped) = SKIPPED.iter().find(|skipped| **skipped == name) {
            self.gap = Gap::Line;
            if self.skips && !closes && !attributes.ends_with('/') {
                self.skipping = Some((skipped, 1));
            }
        } else if BLOCKS.contains(&name.as_str()) {
            self.gap = Gap::Line;
        } else if name == "td" || name == "th" {
            self.gap = self.gap.max(Gap::Space);
        } else if name == "a" {
            self.end_link();
            if !closes && self.out.links.len() < MAX_LINKS {
                self.link = attribute(attributes, "href")
                    .filter(|href| href.len() <= MAX_HREF)
                    .map(|href| (decoded(href), self.out.text.len()));
            }
        }
    }

    /// The content of an element that is no markup.
    fn read_raw(&mut self, name: &str) {
        let (start, bytes) = (self.at, self.html.as_bytes());
        let mut from = start;
        let end = loop {
            let Some(found) = memchr(b'<', &bytes[from..]).map(|found| from + found) else { break bytes.len() };
            let tail = bytes.get(found + 2..found + 2 + name.len());
            if bytes.get(found + 1) == Some(&b'/')
                && tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
            {
                break found;
            }
            from = found + 1;
        };
        if name == "title" && self.out.title.is_empty() && self.skipping.is_none() {
            self.out.title = decoded(&self.html[start..end]).split_whitespace().collect::<Vec<_>>().join(" ");
        }
        self.skip_past(end, ">");
    }

    fn push_text(&mut self, text: &str) {
        if self.skipping.is_some() {
            return;
        }
        let text = decoded(text);
        let mut pieces = text.split(char::is_whitespace);
        // A piece between two white spaces is empty, and so is the one before the first: each is one gap.
        if let Some(first) = pieces.next() {
            self.push_word(first);
        }
        for piece in pieces {
            self.gap = self.gap.max(Gap::Space);
            self.push_word(piece);
        }
    }

    fn push_word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        let text = &mut self.out.text;
        match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::Line if !text.is_empty() => text.push('\n'),
            Gap::Space if !text.is_empty() => text.push(' '),
            Gap::None | Gap::Space | Gap::Line => {}
        }
        text.push_str(word);
    }

    fn end_link(&mut self) {
        let Some((href, start)) = self.link.take() else { return };
        let words = self.out.text[start..].trim();
        let words = words[..words.floor_char_boundary(MAX_LINK_WORDS)].replace('\n', " ");
        if !words.is_empty() {
            self.out.links.push((words, href));
        }
    }
}

/// Where a tag ends: at the first `>` outside a quoted value, or with the page.
fn tag_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => return at,
            b'=' => {
                let value = at + 1 + bytes[at + 1..].iter().take_while(|b| b.is_ascii_whitespace()).count();
                at = match bytes.get(value) {
                    Some(quote @ (b'"' | b'\'')) => match memchr(*quote, &bytes[value + 1..]) {
                        Some(length) => value + length + 2,
                        None => return bytes.len(),
                    },
                    Some(_) | None => value,
                };
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The value of an attribute, as written.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/').unwrap_or(rest.len());
        let (own, tail) = rest.split_at(end);
        let (value, tail) = match tail.trim_start().strip_prefix('=') {
            None => ("", tail),
            Some(tail) => {
                let tail = tail.trim_start();
                match tail.chars().next() {
                    Some(quote @ ('"' | '\'')) => tail[1..].split_once(quote).unwrap_or((&tail[1..], "")),
                    _ => tail.split_at(tail.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tail.len())),
                }
            }
        };
        if own.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        if tail.is_empty() || tail.len() == rest.len() {
            return None;
        }
        rest = tail;
    }
}

/// The most common named characters; any other name stays as it is written.
const NAMED: [(&str, &str); 24] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("euro", "€"),
    ("pound", "£"),
    ("deg", "°"),
    ("middot", "·"),
    ("bull", "•"),
    ("shy", ""),
];

/// Longest character reference looked at, in bytes.
const MAX_REFERENCE: usize = 12;

/// Text with its character references resolved.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let window = &rest.as_bytes()[..rest.len().min(MAX_REFERENCE)];
        let end = memchr(b';', window);
        let name = end.and_then(|end| rest.get(1..end));
        if let Some((end, name)) = end.zip(name)
            && resolve(name, &mut out)
        {
            rest = &rest[end + 1..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn resolve(name: &str, out: &mut String) -> bool {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        let Some(character) = code.ok().and_then(char::from_u32) else { return false };
        out.push(if character.is_control() { ' ' } else { character });
        return true;
    }
    let Some((_, character)) = NAMED.iter().find(|(known, _)| *known == name) else { return false };
    out.push_str(character);
    true
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
