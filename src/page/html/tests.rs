use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(html: &str, text: &str) {
    assert_eq!(readable(html).text, text, "{html}");
}

#[test]
fn blocks_become_lines_and_white_space_one_space() {
    check("<p>One\n  <b>two</b></p><p>three</p>four", "One two\nthree\nfour");
    check("a<br>b<hr/>c", "a\nb\nc");
    check("<ul><li>x<li>y</ul>z", "x\ny\nz");
    check("<table><tr><td>Price</td><td>$10</td></tr><tr><td>Tax</td></tr></table>", "Price $10\nTax");
    check("ear<b>th</b>", "earth");
    check("", "");
}

#[test]
fn what_is_no_reading_is_left_out() {
    check("<head><title>T</title><style>.z{}</style></head><script>if (a<b) '<p>x'</script>Text", "Text");
    check("<nav>Home<nav>Deep</nav>More</nav><p>Text</p><footer>Imprint</footer>", "Text");
    check("a<!-- <p>b --> c<!doctype html>d<?xml e?>", "a cd");
    check("<SCRIPT>x</Script >y<svg><text>no</text></svg>", "y");
    check("<nav>Only this</nav>", "Only this");
}

#[test]
fn broken_markup_costs_no_text_around_it() {
    check("1 < 2 and <3", "1 < 2 and <3");
    check("<p title=\"a > b\" x='>'>Text", "Text");
    check("<p class=x>Text</p", "Text");
    check("Text<script>never closed", "Text");
    check("Text<a href=\"never closed>more", "Text");
    check("Text<", "Text");
}

#[test]
fn characters_by_name_and_number_are_resolved_once() {
    check(
        "Tom &amp; J&eacute;r &#39;x&#x1F415;&nbsp;y&amp;lt; &;& &#xD800; &#0;",
        "Tom & J&eacute;r 'x🐕 y&lt; &;& &#xD800;",
    );
}

#[test]
fn title_and_links_are_told() {
    let read = readable(
        "<title>\n A &amp; B</title><p>See <a class=x href='/s?a=1&amp;b=2'>the <b>study</b></a>, <a name=y>here</a> \
         <a href=https://b.example/>b</a><a href=\"/img\"><img></a>",
    );
    assert_eq!(read.title, "A & B");
    assert_eq!(read.links, [("the study".into(), "/s?a=1&b=2".into()), ("b".into(), "https://b.example/".into())]);
    let many = "<a href=x>y</a> ".repeat(100);
    assert_eq!(readable(&many).links.len(), MAX_LINKS);
}

#[test]
fn twice_the_page_is_twice_the_work_however_hostile() {
    for unit in ["<a \"", "<a x=\"", "<script>", "</script", "<nav>", "&amp", "<!--", "<", "&", "<p x='"] {
        let time = |count: usize| {
            let html = unit.repeat(count);
            let start = std::time::Instant::now();
            std::hint::black_box(readable(&html));
            start.elapsed()
        };
        time(1_000);
        // A quadratic pass over this much would take minutes.
        assert!(time(100_000).as_secs() < 10, "{unit}");
    }
}

proptest! {
    #[test]
    fn any_page_is_read(pieces in prop::collection::vec(prop::sample::select(&[
        "<p>", "</p>", "<nav", ">", "<script>", "</script>", "\"", "'", "=", "<a href=", "</a>", "&amp;", "&#", ";", "é", " ", "<!--", "-->", "text", "<title>", "<", "/",
    ][..]), 0..40)) {
        let html = pieces.concat();
        let read = readable(&html);
        prop_assert!(read.text.lines().all(|line| !line.is_empty() && line == line.trim()));
        prop_assert!(!read.text.contains("  "));
    }

    #[test]
    fn plain_words_survive(words in prop::collection::vec("[a-zäöü日本]{1,8}", 1..20)) {
        let html = format!("<div><p>{}</p></div>", words.join("</b> <i>"));
        prop_assert_eq!(readable(&html).text, words.join(" "));
    }
}
