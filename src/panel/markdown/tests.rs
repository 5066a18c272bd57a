use proptest::prelude::*;

use super::*;

/// The blocks of a whole text.
fn parse(text: &str) -> Vec<Block> {
    let mut markdown = Markdown::new();
    let mut closed = markdown.push(text).closed;
    closed.extend(markdown.finish().closed);
    closed
}

/// A tree in short: `h2(…)`, `p(…)`, `ol3[…]`, `**…**` and so on.
fn sketch(blocks: &[Block]) -> String {
    blocks.iter().map(sketch_block).collect::<Vec<_>>().join(" ")
}

fn sketch_block(block: &Block) -> String {
    let row = |cells: &Vec<Vec<Inline>>| cells.iter().map(|cell| words(cell)).collect::<Vec<_>>().join("|");
    match block {
        Block::Heading { level, content } => format!("h{level}({})", words(content)),
        Block::Paragraph(text) => format!("p({})", words(text)),
        Block::List { start, items } => {
            let items: Vec<_> = items.iter().map(|item| sketch(item)).collect();
            format!("{}[{}]", start.map_or("ul".to_owned(), |start| format!("ol{start}")), items.join("; "))
        }
        Block::Code { language, text } => format!("code:{language}({text})"),
        Block::Quote(blocks) => format!("quote[{}]", sketch(blocks)),
        Block::Table { head, rows, is_cut } => {
            let cut = if *is_cut { " …" } else { "" };
            format!("table({} / {}{cut})", row(head), rows.iter().map(row).collect::<Vec<_>>().join(" / "))
        }
        Block::Rule => "rule".to_owned(),
        Block::Cut => "cut".to_owned(),
    }
}

fn words(inlines: &[Inline]) -> String {
    inlines
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) => text.clone(),
            Inline::Strong(inner) => format!("**{}**", words(inner)),
            Inline::Emphasis(inner) => format!("*{}*", words(inner)),
            Inline::Strike(inner) => format!("~{}~", words(inner)),
            Inline::Code(text) => format!("`{text}`"),
            Inline::Link { href, content, .. } => format!("<{}→{href}>", words(content)),
            Inline::LineBreak => "⏎".to_owned(),
        })
        .collect()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(sketch(&parse(text)), expected, "{text}");
}

#[test]
fn blocks_and_inlines() {
    check(
        "## Key Claims\n\nOne *two* **three** ~~four~~ `five`.",
        "h2(Key Claims) p(One *two* **three** ~four~ `five`.)",
    );
    check("a\nb  \nc", "p(a b⏎c)");
    check("3. a\n4. b\n   - c\n   - d\n", "ol3[p(a); p(b) ul[p(c); p(d)]]");
    check("- a\n\n- b\n", "ul[p(a); p(b)]");
    check("> a\n> - b", "quote[p(a) ul[p(b)]]");
    check("```rust ignore\nlet a;\n\nb\n```\nafter", "code:rust(let a;\n\nb) p(after)");
    check("    indented\n", "code:(indented)");
    check("| a | b |\n|---|---|\n| 1 | **2** |\n\n---\n", "table(a|b / 1|**2**) rule");
    check("- [ ] no task lists, no footnotes[^1]", "ul[p([ ] no task lists, no footnotes[^1])]");
    check("", "");
}

#[test]
fn links_lead_to_the_web_or_nowhere() {
    check("[a](https://b.example/c?d=1)", "p(<a→https://b.example/c?d=1>)");
    check("[**a** `b`](http://b.example)", "p(<**a** `b`→http://b.example/>)");
    check("<https://b.example/>", "p(<https://b.example/→https://b.example/>)");
    check("[a](https://bücher.example/)", "p(<a→https://xn--bcher-kva.example/>)");
    check("[](https://b.example/)", "p(<b.example→https://b.example/>)");
    check("[a](https://user:pw@b.example/)", "p(<a→https://b.example/>)");
    for address in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#106;avascript:alert(1)",
        "java&#10;script:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://a.example/1",
        "mailto:a@b.example",
        "chrome://settings",
        "/relative",
        "//host.example/x",
        "#fragment",
        "https://",
        "&#1;javascript:alert(1)",
    ] {
        check(&format!("[a]({address})"), "p(a)");
    }
    check("<javascript:alert(1)>", "p(javascript:alert(1))");
    check("[a][b]\n\n[b]: javascript:alert(1)", "p(a)");
}

#[test]
fn markup_is_text() {
    check("<img src=x onerror=alert(1)>", "p(<img src=x onerror=alert(1)>)");
    check("a <b onclick=x>b</b> <!-- c -->", "p(a <b onclick=x>b</b> <!-- c -->)");
    check("<script>\nalert(1)\n</script>\n\nafter", "p(<script>\nalert(1)\n</script>) p(after)");
    check("<svg/onload=alert(1)>", "p(<svg/onload=alert(1)>)");
    check("&lt;b&gt; &amp; &#x1F600;", "p(<b> & 😀)");
}

#[test]
fn images_are_words() {
    check("![a *b*](https://evil.example/p.png?leak=1)", "p([image: a b])");
    check("[![a](https://evil.example/p.png)](https://b.example/)", "p(<[image: a]→https://b.example/>)");
    check("![a][r]\n\n[r]: https://evil.example/p.png", "p([image: a])");
}

#[test]
fn a_link_says_where_it_leads() {
    let check = |text: &str, expected_host: &str, expected_words: &str| {
        let Block::Paragraph(inlines) = parse(text).remove(0) else { panic!("no paragraph: {text}") };
        let [Inline::Link { host, content, .. }] = inlines.as_slice() else { panic!("no link: {inlines:?}") };
        assert_eq!((host.as_str(), words(content).as_str()), (expected_host, expected_words));
    };
    check("[https://bank.test](https://evil.test)", "evil.test", "https://bank.test");
    check("[bank](https://bank.test@evil.test/)", "evil.test", "bank");
    check("[bank](https://bank.test\\\\@evil.test/)", "bank.test", "bank");
    check("[the report](https://EVIL.test:8080/)", "evil.test:8080", "the report");
    check("[\u{202E}tset.knab\u{202C} **\u{2067}a**](https://evil.test)", "evil.test", "tset.knab **a**");
}

#[test]
fn depth_is_bounded_and_words_survive_it() {
    for deep in ["> ".repeat(500), "- ".repeat(500), "**a ".repeat(500), "*".repeat(2000), "[".repeat(2000)] {
        let blocks = parse(&format!("{deep}word\n\nafter"));
        let sketch = sketch(&blocks);
        assert!(sketch.contains("word"), "{sketch}");
        assert!(sketch.ends_with("p(after)") || sketch.contains("after"));
        let depth = sketch.chars().fold((0_i32, 0), |(now, most), c| match c {
            '[' if !deep.starts_with('[') => (now + 1, most.max(now + 1)),
            ']' => (now - 1, most),
            _ => (now, most),
        });
        assert!(depth.1 <= i32::try_from(build::MAX_DEPTH).unwrap());
    }
}

/// Every state a growing text shows: what is closed, then the tail.
fn growth<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<Vec<Block>> {
    let mut markdown = Markdown::new();
    let (mut closed, mut tail) = (Vec::new(), Vec::new());
    let mut states = Vec::new();
    let mut apply = |update: Update, states: &mut Vec<Vec<Block>>| {
        closed.extend(update.closed);
        tail = update.tail.unwrap_or(tail.clone());
        states.push([closed.clone(), tail.clone()].concat());
    };
    for piece in pieces {
        apply(markdown.push(piece), &mut states);
    }
    apply(markdown.finish(), &mut states);
    states
}

fn chars(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()])
}

#[test]
fn a_fence_never_flickers() {
    for (text, lang) in [
        ("Before.\n\n```swift\nlet a = `1`\n- b\n| c\n```\n\nAfter.", "swift"),
        ("```swift\nlet a = 1\n```", "swift"),
        ("~~~~python x\n```\n~~~\n~~~~\n", "python"),
        ("- item\n\n  ```swift\n  code\n  ```\n", "swift"),
        ("1. ```swift\n   code\n   ```\n", "swift"),
    ] {
        let mut code_before = String::new();
        for state in growth(chars(text)) {
            let sketch = sketch(&state);
            let Some((prose, code)) = sketch.split_once("code:") else {
                assert!(!sketch.contains(['`', '~']), "{sketch}");
                continue;
            };
            assert!(!prose.contains(['`', '~']), "{sketch}");
            let code = code.strip_prefix(&format!("{lang}(")).unwrap_or_else(|| panic!("language changes: {sketch}"));
            let code = &code[..code.find(')').unwrap_or(code.len())];
            assert!(code.starts_with(&code_before), "{code_before:?} then {code:?}");
            code_before = code.to_owned();
        }
        assert!(!code_before.ends_with('`') && !code_before.is_empty(), "{code_before}");
    }
}

#[test]
fn a_line_is_shown_once_it_is_known_what_it_is() {
    let never = |text: &str, unwanted: &str| {
        for state in growth(chars(text)) {
            assert!(!sketch(&state).contains(unwanted), "{}", sketch(&state));
        }
    };
    // Not a heading because of a list that begins, not a paragraph that becomes a table.
    never("Words\n- item", "h2");
    never("a\n\n| b | c |\n|---|---|\n| d | e |\n", "p(|");
    never("## Title\n", "p(#");
    never("1. a\n\n2. b\n", "p(2");
}

/// What is shown of a line at each of its characters never holds a marker that turns into something else.
#[test]
fn markers_within_a_line_never_flicker() {
    for (text, whole) in [
        ("See **the whole** of it", "p(See **the whole** of it)"),
        ("See *a `b` c* now", "p(See *a `b` c* now)"),
        ("See [the port](https://port.example/a) and", "p(See <the port→https://port.example/a> and)"),
        ("It has `about:home` now", "p(It has `about:home` now)"),
        ("Both ***at once*** here", "p(Both ***at once*** here)"),
    ] {
        assert_eq!(sketch(&parse(text)), whole);
        for tail in growth(chars(text)) {
            let [Block::Paragraph(inlines)] = &tail[..] else { continue };
            let shown =
                inlines.iter().filter_map(|inline| if let Inline::Text(text) = inline { Some(text) } else { None });
            for text in shown {
                assert!(!text.contains(['*', '`', '[', '(']), "{text:?} is shown for a moment");
            }
        }
    }
}

#[test]
fn a_marker_that_means_itself_holds_nothing_back() {
    let shown = |text: &str| {
        let states = growth(chars(text));
        sketch(&states[states.len() - 2]) // before the end is known
    };
    assert_eq!(shown("5 * 3 is 15"), "p(5 * 3 is 15)");
    assert_eq!(shown("a snake_case name"), "p(a snake_case name)");
    assert_eq!(shown("as [1] says"), "p(as [1] says)");
    assert_eq!(shown(r"an \*escaped one"), "p(an *escaped one)");
    let long = "word ".repeat(60);
    assert_eq!(shown(&format!("*{long}end")), format!("p(*{long}end)"));
    assert_eq!(shown(&format!("a `{long}end")), format!("p(a `{long}end)"));
}

#[test]
fn closed_blocks_come_once_and_early() {
    let mut markdown = Markdown::new();
    let first = markdown.push("# One\n\nTwo");
    assert_eq!(sketch(&first.closed), "h1(One)");
    assert_eq!(sketch(&first.tail.unwrap()), "p(Two)");
    let second = markdown.push(" words\n\nThree");
    assert_eq!(sketch(&second.closed), "p(Two words)");
    assert_eq!(sketch(&second.tail.unwrap()), "p(Three)");
    assert_eq!(markdown.push(""), Update::default());
    let last = markdown.finish();
    assert_eq!((sketch(&last.closed), last.tail), ("p(Three)".to_owned(), Some(Vec::new())));
}

#[test]
fn work_for_100_kb_in_small_pieces_is_in_proportion() {
    let paragraph = "Some words of an answer, with **strong** ones and a [link](https://a.example/).\n\n";
    let size = 100 * 1024;
    for text in [
        paragraph.repeat(size / paragraph.len()),
        "one endless paragraph ".repeat(size / 22),
        format!("```\n{}", "let code = 1;\n".repeat(size / 14)),
        "- item of one long list\n".repeat(size / 24),
    ] {
        let work = |text: &str| {
            let mut markdown = Markdown::new();
            for at in (0..text.len()).step_by(4) {
                markdown.push(&text[at..text.len().min(at + 4)]);
            }
            markdown.finish();
            markdown.work
        };
        let (half, whole) = (work(&text[..text.len() / 2]), work(&text));
        assert!(whole * 10 <= half * 23, "{half} then {whole}");
        assert!(whole <= text.len() * 160, "{} bytes parsed per byte", whole / text.len());
    }
}

#[test]
fn what_was_put_off_can_be_asked_for() {
    let mut markdown = Markdown::new();
    markdown.push(&"long ".repeat(1000));
    assert_eq!(markdown.push("end"), Update::default());
    assert!(sketch(&markdown.refresh().tail.unwrap()).ends_with("end)"));
    assert_eq!(markdown.refresh(), Update::default());
}

#[test]
fn an_endless_block_is_closed_at_the_bound() {
    let mut markdown = Markdown::new();
    let mut closed = 0;
    for _ in 0..100 {
        closed += sketch(&markdown.push(&"word ".repeat(2000)).closed).matches("word").count();
        assert!(markdown.open.len() <= MAX_OPEN_BLOCK + MAX_OPEN_BLOCK / 16 + 10_000);
    }
    assert!(closed > 100_000);
    closed += sketch(&markdown.finish().closed).matches("word").count();
    assert_eq!(closed, 200_000, "no word is lost");
}

fn source() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "",
        "words and more",
        "# heading",
        "## **two**",
        "- item",
        "  - nested",
        "  more of it",
        "1. one",
        "2. two",
        "> quote",
        ">> deeper",
        "```",
        "```rust",
        "~~~",
        "    indented",
        "| a | b |",
        "|---|---|",
        "---",
        "===",
        "***",
        "a `code` *b* **c",
        "<div>",
        "</div>",
        "<!-- x",
        "-->",
        "![i](https://a.example/)",
        "[l](https://a.example/x)",
        "\ttab",
        "* star",
        "+ plus",
        "10) ten",
        "é 😀 日本",
        "\\",
        "a  ",
        "&amp;",
        "<script>",
        "__",
        "2024",
    ]);
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\n", "\r\n"]);
    proptest::collection::vec((line, end), 0..24)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end]).collect())
}

proptest! {
    #[test]
    fn closed_blocks_are_those_of_the_whole_text(text in source(), step in 1..9_usize) {
        let whole: Vec<Block> = build::blocks(&text, MAX_ELEMENTS).blocks.into_iter().map(|(block, ..)| block).collect();
        let characters: Vec<&str> = chars(&text).collect();
        let pieces: Vec<String> = characters.chunks(step).map(<[&str]>::concat).collect();
        let states = growth(pieces.iter().map(String::as_str));
        prop_assert_eq!(states.last().unwrap(), &whole, "{:?}", text);
    }

    #[test]
    fn any_text_is_survived(text in "([`~*_#>|<&\\[\\]()!:\\-\n\r \tab0.]|https://|\\PC){0,200}") {
        let characters: Vec<&str> = chars(&text).collect();
        let pieces: Vec<String> = characters.chunks(5).map(<[&str]>::concat).collect();
        growth(pieces.iter().map(String::as_str));
    }
}

/// How many elements a renderer would make.
fn elements(blocks: &[Block]) -> usize {
    fn inlines(content: &[Inline]) -> usize {
        let inner = |inline: &Inline| match inline {
            Inline::Text(_) => 0,
            Inline::Code(_) | Inline::LineBreak => 1,
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => 1 + inlines(inner),
            Inline::Link { content, .. } => 1 + inlines(content),
        };
        content.iter().map(inner).sum()
    }
    let own = |block: &Block| {
        1 + match block {
            Block::Heading { content, .. } | Block::Paragraph(content) => inlines(content),
            Block::List { items, .. } => items
                .iter()
                .map(|item| 1 + elements(item) - usize::from(matches!(item[..], [Block::Paragraph(_)])))
                .sum(),
            Block::Quote(blocks) => elements(blocks),
            Block::Table { head, rows, .. } => {
                let row = |cells: &Vec<Vec<Inline>>| 1 + cells.iter().map(|cell| 1 + inlines(cell)).sum::<usize>();
                row(head) + rows.iter().map(row).sum::<usize>()
            }
            Block::Code { .. } | Block::Rule | Block::Cut => 0,
        }
    };
    blocks.iter().map(own).sum()
}

/// The hole: few bytes that become very many elements. Whole and in pieces, what is drawn has a bound, and where it is
/// reached that is said once, at the end.
#[test]
fn no_answer_becomes_more_elements_than_can_be_drawn() {
    let table = |columns: usize, rows: usize| {
        format!("{}\n{}\n{}", "|a".repeat(columns), "|-".repeat(columns), "|b\n".repeat(rows))
    };
    let many_tables = table(30, 5).repeat(400);
    for (name, text, is_cut) in [
        ("a wide table with short rows", table(500, 1_000), true),
        ("a long table", table(2, 30_000), true),
        ("many tables", many_tables, true),
        ("a long list", "- a\n".repeat(50_000), true),
        ("many quotations", "> a\n\n".repeat(50_000), true),
        ("many paragraphs", "a\n\n".repeat(50_000), true),
        ("much emphasis", "**a** ".repeat(50_000), true),
        ("much code", "`a` ".repeat(50_000), true),
        ("many line breaks", "a\\\n".repeat(50_000), true),
        ("deep quotations", format!("{} a", ">".repeat(5_000)), false),
        (
            "deep lists",
            (0..300).map(|depth| format!("{}- a\n", " ".repeat(2 * depth))).collect::<Vec<_>>().concat(),
            false,
        ),
        ("one long line", "word ".repeat(60_000), false),
        ("a usual analysis", "## Claims\n\n- One **claim** with [a link](https://a.example/).\n".repeat(100), false),
    ] {
        for piece in [text.len(), 4_001] {
            let characters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = characters.chunks(piece).map(|piece| piece.iter().collect()).collect();
            let states = growth(pieces.iter().map(String::as_str));
            let last = states.last().unwrap();
            let count = elements(last);
            assert!(count <= MAX_ELEMENTS + 200, "{name}: {count} elements");
            let cuts = last.iter().filter(|block| **block == Block::Cut).count();
            assert_eq!((cuts, last.last() == Some(&Block::Cut)), (usize::from(is_cut), is_cut), "{name}");
        }
    }
}

#[test]
fn a_table_that_is_too_wide_says_so_and_keeps_its_first_columns() {
    let text = format!("{}\n{}\n{}", "|a".repeat(40), "|-".repeat(40), "|b\n".repeat(3));
    let Block::Table { head, rows, is_cut } = &build::blocks(&text, MAX_ELEMENTS).blocks[0].0 else {
        panic!("no table")
    };
    assert_eq!((head.len(), rows.len(), *is_cut), (30, 3, true));
    assert!(rows.iter().all(|row| row.len() == 30));
}
