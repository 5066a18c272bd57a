use proptest::prelude::*;

use super::*;

fn page(nodes: &[&str]) -> Snapshot {
    Snapshot {
        text: nodes.concat(),
        nodes: nodes.iter().map(|text| (u32::try_from(text.encode_utf16().count()).unwrap(), 0)).collect(),
        ..Snapshot::default()
    }
}

#[test]
fn an_address_in_text_is_found_whole() {
    for (text, expected) in [
        ("See https://News.example/a?b=1.", "https://news.example/a?b=1"),
        ("(https://news.example/a?b=1)", "https://news.example/a?b=1"),
        ("[words](https://news.example/a?b=1), and more", "https://news.example/a?b=1"),
        ("<https://news.example/a?b=1>", "https://news.example/a?b=1"),
        ("- words: https://news.example/a?b=1#part\n", "https://news.example/a?b=1"),
        ("see HTTPS://NEWS.example:443/a?b=1!", "https://news.example/a?b=1"),
        ("見https://news.example/a?b=1。次", "https://news.example/a?b=1"),
        ("https://en.example/X_(y), says", "https://en.example/X_(y)"),
        ("(see https://en.example/X_(y))", "https://en.example/X_(y)"),
        ("“https://news.example/a”", "https://news.example/a"),
        ("http://news.example", "http://news.example/"),
    ] {
        assert_eq!(addresses_in_text(text), [expected], "{text}");
    }
    assert_eq!(
        addresses_in_text("https://a.example/ or https://b.example/x"),
        ["https://a.example/", "https://b.example/x"]
    );
}

/// The hole: what somebody else wrote behind an address is no part of it, whatever stands between.
#[test]
fn nothing_that_follows_an_address_is_taken_into_it() {
    let bait = "http://host.example/?q=";
    for separator in [
        " ",
        "\n",
        "\r\n",
        "\t",
        "\u{b}",
        "\u{c}",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{2029}",
        "\u{3000}",
        "\u{200b}",
        "\u{200c}",
        "\u{200d}",
        "\u{2060}",
        "\u{feff}",
        "\u{ad}",
        "\u{202e}",
        "\u{2066}",
        "\u{e0061}",
        "\u{0}",
        "\u{1f}",
        "\"",
        "'",
        "<",
        ">",
        "`",
        "|",
        "\\",
        ")",
        "]",
        "}",
        "^",
        "”",
        "»",
        "」",
        "。",
        "，",
        "…",
        "—",
    ] {
        let text = format!("{bait}{separator}my private line");
        assert_eq!(addresses_in_text(&text), [bait], "{separator:?}");
    }
    // Where its end can't be told there is no address at all.
    for text in ["http://host.example/?q=私の秘密", "http://host.example/?q=ünder", "http://host.example/?q=секрет"]
    {
        assert_eq!(addresses_in_text(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn an_address_never_goes_beyond_its_text_node() {
    let found =
        addresses_on_page(&page(&["Go to http://host.example/?q=", "my-private-line", "http://b.example/x", "y"]));
    assert_eq!(found, ["http://host.example/?q=", "http://b.example/x"]);
}

#[test]
fn what_is_not_read_of_a_page_names_nothing() {
    let mut page = page(&["https://menu.example/ ", "https://story.example/ ", "https://comment.example/"]);
    page.nodes[1].1 = Snapshot::MAIN;
    assert_eq!(addresses_on_page(&page), ["https://story.example/"]);
}

#[test]
fn links_come_first_each_once_and_within_their_bounds() {
    let mut page = page(&["https://b.example/ https://a.example/x#part"]);
    page.links = vec![
        ("A".to_owned(), "https://a.example/x".to_owned()),
        ("Long".to_owned(), format!("https://a.example/{}", "x".repeat(MAX_ADDRESS))),
    ];
    assert_eq!(addresses_on_page(&page), ["https://a.example/x", "https://b.example/"]);
    let many = (0..300).map(|n| format!("https://a.example/{n} ")).collect::<Vec<_>>().concat();
    assert_eq!(addresses_in_text(&many).len(), MAX_ADDRESSES);
}

#[test]
fn readers_write_addresses_as_they_please() {
    let both = |rest: &str| vec![format!("https://{rest}"), format!("http://{rest}")];
    for (message, expected) in [
        ("what does news.example say?", both("news.example/")),
        ("Compare it with www.news.example/a?b=1, please.", both("www.news.example/a?b=1")),
        ("(bücher.example/ä)", both("xn--bcher-kva.example/%C3%A4")),
        ("read https://news.example/a(b).", vec!["https://news.example/a(b)".to_owned()]),
        ("„http://news.example/a“", vec!["http://news.example/a".to_owned()]),
        ("mail jo@news.example, it costs 1.5 and version 2.10.3 is e.g. fine...", Vec::new()),
        ("I said... well. What now?", Vec::new()),
    ] {
        assert_eq!(addresses_in_message(message), expected, "{message}");
    }
}

proptest! {
    #[test]
    fn no_address_holds_what_stands_in_another_node(head in "[a-z/?=&.]{0,12}", tail in "\\PC{1,20}") {
        let bait = format!("http://host.example/{head}");
        let alone = addresses_on_page(&page(&[&bait]));
        let beside = addresses_on_page(&page(&[&bait, &tail]));
        prop_assert!(beside.starts_with(&alone));
    }

    #[test]
    fn any_text_is_survived(text in "(http|s|://|\\PC|[()<> \n.]){0,60}") {
        for found in [addresses_in_text(&text), addresses_in_message(&text)] {
            for address in found {
                prop_assert!(Url::parse(&address).is_some() && !address.contains(char::is_whitespace), "{}", address);
            }
        }
    }
}
