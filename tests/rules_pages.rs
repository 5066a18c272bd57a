//! The offline reader on real pages: it marks sparingly, and nothing where it can't read. With `--nocapture` it prints
//! every mark, which is what the verdicts in `docs/offline-reader.md` were made from.
#![cfg(not(target_arch = "wasm32"))]

use std::path::{Path, PathBuf};

use sidelight::reading::rules::{self, Language};

/// Pages in English; all others of the folder are not.
const ENGLISH: &[&str] = &[
    "ars-1",
    "bbc-1",
    "breitbart",
    "buzzfeed-1",
    "cnn",
    "herald-sun-1",
    "medium-1",
    "mozilla-1",
    "nytimes-2",
    "salon-1",
    "telegraph",
    "v8-blog",
    "wapo-1",
    "webmd-1",
    "wikipedia-3",
];
/// Plain texts: at most six marks in a thousand words.
const PLAIN: &[&str] = &["wikipedia-3", "v8-blog", "mozilla-1"];
/// Opinion: at least five marks.
const OPINION: &[&str] = &["breitbart", "salon-1", "herald-sun-1"];

/// Elements that start and end a block.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];

fn pages() -> Option<PathBuf> {
    let shared = std::env::var("SIDELIGHT_SHARED")
        .map_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    Some(shared.join("pages")).filter(|pages| pages.is_dir())
}

/// What the page script makes of an HTML fragment: one block a line, and the first 40 links.
fn text(html: &str) -> String {
    let mut out = String::new();
    let mut links = Vec::new();
    let mut link = None;
    for (at, piece) in html.split('<').enumerate() {
        let (tag, content) = piece.split_once('>').filter(|_| at > 0).unwrap_or(("", piece));
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if BLOCKS.contains(&name.to_lowercase().as_str()) {
            out.push('\n');
        }
        if let Some((_, href)) = tag.strip_prefix("a ").and_then(|tag| tag.split_once("href=\"")) {
            link = Some((out.len(), href.split('"').next().unwrap_or("").to_owned()));
        }
        if tag == "/a"
            && let Some((start, href)) = link.take()
        {
            links.push((folded(&out[start..]), href));
        }
        out.push_str(&content.replace(['\n', '\t'], " "));
    }
    let blocks = out.lines().map(folded).filter(|line| !line.is_empty());
    let mut text = blocks.collect::<Vec<_>>().join("\n") + "\n\nPAGE LINKS:\n";
    links.retain(|(name, href)| !name.is_empty() && href.starts_with("http"));
    for (name, href) in links.iter().take(40) {
        text.extend(["- ", name, ": ", href, "\n"]);
    }
    text
}

/// Entities resolved, white space folded.
fn folded(text: &str) -> String {
    const ENTITIES: [(&str, &str); 6] =
        [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&amp;", "&")];
    let text = ENTITIES.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The verdicts of `docs/offline-reader.md` on a page: how each marked phrase starts, and the verdict.
fn verdicts<'a>(docs: &'a str, page: &str) -> Vec<(&'a str, &'a str)> {
    let (_, section) = docs.split_once(&format!("### {page}\n")).unwrap_or_default();
    let section = section.split("\n#").next().unwrap_or("");
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1).map(|line| {
        let mut cells = line.trim_matches('|').split(" | ").map(str::trim);
        (cells.next().unwrap_or("").trim_end_matches('…'), cells.nth(1).unwrap_or(""))
    });
    rows.collect()
}

#[test]
fn marks_sparingly_on_real_pages_and_only_in_english() {
    let Some(pages) = pages() else {
        println!("skipped: no shared pages");
        return;
    };
    let mut names: Vec<_> = std::fs::read_dir(pages).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.join("expected.html").is_file());
    names.sort();
    for path in names {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = text(&std::fs::read_to_string(path.join("expected.html")).unwrap());
        let reading = rules::read(&text);
        let words = text.split("\n\nPAGE LINKS:").next().unwrap_or("").split_whitespace().count();
        let marks = &reading.highlights;
        println!("\n== {name}: {:?}, {words} words, {} marks", reading.language, marks.len());
        for mark in marks {
            println!("{:?} | {} | {}", mark.category, mark.phrase, mark.note);
            assert!(text.lines().any(|line| line.contains(&mark.phrase)), "{name}: not verbatim: {}", mark.phrase);
        }
        if !ENGLISH.contains(&name) {
            assert!(matches!(reading.language, Language::Unsupported(_)), "{name} is not in English");
            assert!(marks.is_empty(), "{name}: marks in a language without lists");
            continue;
        }
        println!("{}\n{:?}\n{}", reading.summary, reading.category_summaries, reading.analysis);
        assert_eq!(reading.language, Language::Supported("English"), "{name}");
        if PLAIN.contains(&name) {
            assert!(marks.len() * 1_000 <= words * 6, "{name}: {} marks in {words} words", marks.len());
        }
        if OPINION.contains(&name) {
            assert!(marks.len() >= 5, "{name}: {} marks", marks.len());
            let verdicts = verdicts(include_str!("../docs/offline-reader.md"), name);
            assert_eq!(verdicts.len(), marks.len(), "{name}: docs/offline-reader.md has another number of verdicts");
            for (mark, (start, verdict)) in marks.iter().zip(&verdicts) {
                assert!(mark.phrase.starts_with(start), "{name}: the docs have “{start}” for “{}”", mark.phrase);
                assert!(["defensible", "doubtful", "wrong"].contains(verdict), "{name}: {verdict}");
            }
            let defensible = verdicts.iter().filter(|(_, verdict)| *verdict == "defensible").count();
            assert!(defensible * 5 >= marks.len() * 4, "{name}: {defensible} of {} defensible", marks.len());
        }
    }
}
