use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn page(content_type: &str, body: &str) -> FetchedPage {
    FetchedPage {
        url: "https://a.example/b/".to_owned(),
        status: 200,
        content_type: content_type.to_owned(),
        body: body.to_owned(),
        is_cut: false,
    }
}

/// A table that `tests/wasm` holds the browser's parser against as well.
fn addresses(kind: &str) -> Vec<String> {
    let table: Value = serde_json::from_str(include_str!("../../../tests/fixtures/addresses.json")).unwrap();
    serde_json::from_value(table[kind].clone()).unwrap()
}

#[test]
fn public_addresses_may_be_fetched() {
    for url in &addresses("public") {
        assert_eq!(check(url).map(drop), Ok(()), "{url}");
    }
}

#[test]
fn nothing_of_this_machine_or_its_network_may_be_fetched() {
    for url in &addresses("refused") {
        assert!(check(url).is_err(), "{url}");
        assert!(refusal(url, "text/html").is_some(), "{url} behind a redirect");
    }
    assert!(check(&format!("https://example.org/{}", "x".repeat(MAX_URL))).is_err());
}

#[test]
fn a_call_is_refused_in_words_the_model_can_use() {
    assert_eq!(wanted(&json!({"url": " https://a.example/x#y "})), Ok("https://a.example/x".to_owned()));
    for input in [json!(null), json!({}), json!({"url": 1}), json!({"url": " "}), json!("https://a.example")] {
        assert!(wanted(&input).unwrap_err().contains("one field, url"));
    }
    assert_eq!(
        wanted(&json!({"url": "http://127.0.0.1:9/"})).unwrap_err(),
        "Could not fetch URL (http://127.0.0.1:9/): the address belongs to this machine or a private network"
    );
}

#[test]
fn a_page_is_given_as_marked_text_with_its_status() {
    let html = "<title>A study</title><nav>Home</nav><p>It says <a href='../c?d=1'>so</a>.<p>Really. \
                <a href='javascript:x'>no</a><a href='//b.example/x'>b</a>";
    let read = read("https://a.example/b", &page("text/html; charset=utf-8", html)).unwrap();
    let inside = read.text.split("<<<WEB PAGE").nth(1).unwrap();
    assert!(read.text.contains("untrusted data"));
    assert!(
        inside.contains("URL: https://a.example/b/\nStatus: 200\nTitle: A study\n\nIt says so.\nReally."),
        "{inside}"
    );
    assert!(inside.contains("PAGE LINKS:\n- so: https://a.example/c?d=1\n"), "{inside}");
    assert!(!inside.contains("Home") && !inside.contains("javascript"));
    assert!(read.is_success);
    let source = |url: &str| Source { url: url.into(), title: "A study".into() };
    assert_eq!(read.sources, [source("https://a.example/b"), source("https://a.example/b/")]);
}

#[test]
fn an_error_page_is_no_source_and_says_its_status() {
    let missing = FetchedPage { status: 404, ..page("text/html", "<h1>Gone</h1>") };
    let read = read("https://a.example/b", &missing).unwrap();
    assert!(read.text.contains("Status: 404") && read.text.contains("Gone"));
    assert!(!read.is_success && read.sources.is_empty());
}

#[test]
fn only_text_is_read_and_a_cut_is_said() {
    for kind in ["text/plain", "text/html;charset=x", "application/json", "application/ld+json", "image/svg+xml", ""] {
        assert_eq!(refusal("https://a.example/", kind), None, "{kind}");
    }
    for kind in ["application/pdf", "image/png", "application/octet-stream", "video/mp4"] {
        assert!(refusal("https://a.example/", kind).unwrap().contains(kind), "{kind}");
    }
    let text = |page: &FetchedPage| read("https://a.example/b/", page).unwrap().text;
    let long = text(&page("text/plain", &"é".repeat(MAX_TEXT_CHARS + 1)));
    assert!(long.matches('é').count() == MAX_TEXT_CHARS && long.contains("[Cut: only the first 20,000 characters"));
    assert!(!text(&page("text/plain", &"é".repeat(MAX_TEXT_CHARS))).contains("[Cut"));
    assert!(text(&FetchedPage { is_cut: true, ..page("text/plain", "x") }).contains("larger than 2 MB"));
    assert!(text(&page("text/html", "<img>")).contains("no readable text"));
}

#[test]
fn the_encoding_is_the_headers_or_the_pages_own() {
    assert_eq!(charset("text/html; charset=\"ISO-8859-1\"", b"<meta charset=utf-8>"), "ISO-8859-1");
    assert_eq!(charset("text/html", b"<meta charset='shift_jis'>"), "shift_jis");
    assert_eq!(
        charset("", b"<meta http-equiv=content-type content=\"text/html; charset=windows-1252\">"),
        "windows-1252"
    );
    assert_eq!(charset("text/html", b"plain"), "utf-8");
}

#[test]
fn a_label_is_short() {
    assert_eq!(label("https://a.example/"), "Fetching: https://a.example/");
    assert_eq!(label(&"x".repeat(200)).chars().count(), "Fetching: ".len() + LABEL_CHARS);
}

#[test]
fn whatever_a_page_sends_its_result_has_a_bound() {
    let long = "x".repeat(1_900_000);
    let links = (0..60)
        .map(|n| format!("<a href='https://b.example/{n}?{}'>{long}</a>", "y".repeat(1_500)))
        .collect::<Vec<_>>()
        .concat();
    for html in [
        format!("<title>{long}</title><p>{}", "é".repeat(100_000)),
        format!("<p>{links}"),
        format!("<p><a href='https://b.example/{long}'>far</a> <a href='https://b.example/near'>near</a>"),
        format!("<title>{}</title>{}", "𝄞".repeat(400_000), "<p>𝄞".repeat(30_000)),
    ] {
        let page = FetchedPage { url: format!("https://a.example/?{}", "z".repeat(1_900)), ..page("text/html", &html) };
        let read = read("https://a.example/b", &page).unwrap();
        assert!(read.text.chars().count() < MAX_TEXT_CHARS + prompt::MAX_TITLE + MAX_URL + MAX_LINKS_BYTES + 1_000);
        assert!(read.sources.iter().all(|source| source.title.chars().count() <= prompt::MAX_TITLE));
    }
    let read = read("https://a.example/b", &page("text/html", &format!("<p>{links}<a href=/near>near</a>"))).unwrap();
    assert!((1..10).contains(&read.links.len()), "as many as the model was shown: {}", read.links.len());
    assert!(read.links.iter().all(|link| read.text.contains(link.as_str())));
}

#[test]
fn a_text_lists_the_addresses_it_names() {
    let read = read("https://a.example/b", &page("text/plain", "See https://b.example/x?y=1, please.")).unwrap();
    assert_eq!(read.links, ["https://b.example/x?y=1"]);
    assert!(read.text.contains("PAGE LINKS:\n- https://b.example/x?y=1\n"), "{}", read.text);
}

proptest! {
    #[test]
    fn any_address_any_page_nothing_panics(url in "\\PC{0,60}", text in "\\PC{0,80}", tail in "[a-z/?&=#.:%()]{0,20}") {
        let _ = check(&url);
        let _ = check(&format!("https://a.example/{tail}"));
        charset(&text, url.as_bytes());
    }

    /// However a loopback or private address is written, it is never fetched.
    #[test]
    fn numbers_never_lead_home(b in 0_u32..256, c in 0_u32..256, d in 0_u32..256, form in 0..4) {
        for a in [127_u32, 10, 0] {
            let number = (a << 24) | (b << 16) | (c << 8) | d;
            let host = match form {
                0 => format!("{a}.{b}.{c}.{d}"),
                1 => number.to_string(),
                2 => format!("{number:#x}"),
                _ => format!("0{a:o}.{b:#x}.{}", (c << 8) | d),
            };
            prop_assert!(check(&format!("http://{host}/")).is_err(), "{}", host);
        }
    }
}
