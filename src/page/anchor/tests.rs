use super::AnchorIndex;
use crate::page::fold::decompose_for_tests as decompose;
use crate::wire::{Anchor, Snapshot};

const BLOCK: u32 = Snapshot::BLOCK;
const MAIN: u32 = Snapshot::MAIN;

fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap()
}

fn page(nodes: &[(&str, u32)]) -> Snapshot {
    Snapshot {
        text: nodes.iter().map(|(text, _)| *text).collect(),
        nodes: nodes.iter().map(|(text, flags)| (units(text), *flags)).collect(),
        ..Snapshot::default()
    }
}

/// What a range covers, as the page would report it but without the space of a block boundary.
fn covered(page: &Snapshot, anchor: Anchor) -> String {
    let text: Vec<u16> = page.text.encode_utf16().collect();
    String::from_utf16(&text[anchor.start as usize..anchor.end as usize]).expect("a range never splits a pair")
}

fn found(nodes: &[(&str, u32)], phrase: &str) -> Option<String> {
    let page = page(nodes);
    AnchorIndex::new(&page, decompose).find(phrase, None).map(|anchor| covered(&page, anchor))
}

#[track_caller]
fn check(text: &str, phrase: &str, expected: &str) {
    assert_eq!(found(&[(text, BLOCK)], phrase).as_deref(), Some(expected), "{phrase:?} in {text:?}");
}

#[track_caller]
fn check_absent(text: &str, phrase: &str) {
    assert_eq!(found(&[(text, BLOCK)], phrase), None, "{phrase:?} in {text:?}");
}

#[test]
fn spelling_of_quotes_dashes_and_spaces_makes_no_difference() {
    check("He said “it’s a hoax” – twice…", "He said \"it's a hoax\" - twice...", "He said “it’s a hoax” – twice…");
    check("ten\u{a0}million\u{202f}people", "ten million people", "ten\u{a0}million\u{202f}people");
    check("John\n\n   Smith", "John Smith", "John\n\n   Smith");
    check("super\u{ad}cali\u{ad}fragilistic", "supercalifragilistic", "super\u{ad}cali\u{ad}fragilistic");
    check("zero\u{200b}width\u{2060}joiner", "zerowidthjoiner", "zero\u{200b}width\u{2060}joiner");
    check("the caf\u{e9} downtown", "the cafe\u{301} downtown", "the caf\u{e9} downtown");
    check("the ﬁnal word", "the final word", "the ﬁnal word");
    check("a dash — here", "a dash -- here", "a dash — here");
    check("In １９８０ it began", "In 1980 it began", "In １９８０ it began");
    check("der große Fluss", "DER GROSSE FLUSS", "der große Fluss");
    check("breaking news", "BREAKING NEWS", "breaking news");
}

#[test]
fn phrases_cross_inline_elements_and_blocks_but_never_glue_them() {
    let inline = [("The ", BLOCK), ("earth", 0), (" is ", 0), ("not", 0), (" flat.", 0)];
    assert_eq!(found(&inline, "earth is not flat").as_deref(), Some("earth is not flat"));
    let broken = [("Some one", BLOCK), ("Some two", BLOCK | Snapshot::BREAK)];
    assert_eq!(found(&broken, "Some one Some two").as_deref(), Some("Some oneSome two"));
    assert_eq!(found(&broken, "oneSome"), None);
    assert_eq!(found(&[("exam", BLOCK), ("ple", BLOCK)], "example"), None);
    assert_eq!(
        found(&[("an exam", BLOCK), ("ple of this kind of trap", BLOCK)], "an example of this kind of trap"),
        None
    );
    assert_eq!(found(&[("日本", BLOCK), ("民話", BLOCK)], "日本民話"), None);
    let broken = [("日本", BLOCK), ("民話", BLOCK | Snapshot::BREAK)];
    assert_eq!(found(&broken, "日本民話").as_deref(), Some("日本民話"));
}

#[test]
fn scripts_without_spaces_and_right_to_left() {
    check("彼は東京に住んでいる。", "東京に住んで", "東京に住んで");
    check("한국어 문장입니다", "한국어 문장", "한국어 문장");
    check("قَلَمٌ جديد هنا", "قلم جديد", "قَلَمٌ جديد");
    check("\u{200f}שלום \u{2067}עולם\u{2069} טוב", "שלום עולם טוב", "שלום \u{2067}עולם\u{2069} טוב");
    check("נִקּוּד בעברית", "נקוד בעברית", "נִקּוּד בעברית");
}

#[test]
fn a_character_is_never_split() {
    check_absent("the caf\u{e9}s", "the cafe");
    check_absent("a family 👨‍👩‍👧 here", "family 👨");
    check("a family 👨‍👩‍👧 here", "family 👨‍👩‍👧 here", "family 👨‍👩‍👧 here");
    check("the flags 🇩🇪🇫🇷 fly", "flags 🇩🇪", "flags 🇩🇪");
    check("wave 👋🏽 to all", "wave 👋🏽 to", "wave 👋🏽 to");
    check_absent("we ﬁnd it", "we f");
}

#[test]
fn slips_of_a_model_are_forgiven() {
    check(
        "the president visited the northern town on Friday",
        "the presidnet visited the northern town",
        "the president visited the northern town",
    );
    check(
        "his first visit since taking office last year",
        "his fisrt visit since taking office",
        "his first visit since taking office",
    );
    check(
        "the former minister of trade said it plainly",
        "the minister of trade said it plainly",
        "the former minister of trade said it plainly",
    );
    check(
        "a study of the goverment and its plans for us",
        "a study of the government and its plans",
        "a study of the goverment and its plans",
    );
    check("Em São Paulo vive a maior parte", "Sao Paulo vive a maior", "São Paulo vive a maior");
    check(
        "« urgence absolue », pour laquelle un agent pourra agir",
        "« urgence absolue », pour laquelle nu agent pourra",
        "« urgence absolue », pour laquelle un agent pourra",
    );
    check("It was, he said, over", "It was he said over", "It was, he said, over");
}

#[test]
fn what_is_written_as_one_word_may_be_left_out_where_nothing_else_differs() {
    for (text, phrase) in [
        ("taken to hospital on 12 April after taking a dose", "taken to hospital on April after taking a dose"),
        ("Yahoo’s $4.8 billion sale to Verizon is complicated", "Yahoo’s billion sale to Verizon is complicated"),
        ("In a wide-ranging interview, the President also said", "In a interview, the President also said"),
        ("Una solución no violenta para la cuestión mapuche", "Una solución violenta para la cuestión mapuche"),
        ("they don't seem to understand that rules exist", "they seem to understand that rules exist"),
        ("the public not to take any tablets or pills", "the public nto to take any tablets or pills"),
        ("it exposes thousands of servers to this attack", "it exposes thousnads of servers to this attack"),
        ("Tohle musí být náš standard a víc", "Tohle musí být ánš standard a víc"),
        ("des intérêts de la politique étrangère », dit-il", "des intérêts de la politique », dit-il"),
        ("O protocolo e a situação gerada no jogo", "O e a situação gerada no jogo"),
        ("a taça da Copa Libertadores de 2012", "a da Copa Libertadores de 2012"),
        ("我不认为它会有任何不同", "我不认为它会有任何同不"),
    ] {
        check(text, phrase, text);
    }
    let text = "the vaccine is not safe for children under five years of age";
    check_absent(text, "the vaccine is safe for chidlren under five years of age");
    check_absent(text, "vaccine is safe for children");
}

#[test]
fn what_says_something_else_is_not_found() {
    for (text, phrase) in [
        ("about 6 million people fled the war", "about 5 million people fled the war"),
        ("about 15 million people fled the war", "5 million people fled the war"),
        ("about 5 billion people use the service", "about 5 million people use the service"),
        ("the vaccine is safe for children under five", "the vaccine is not safe for children under five"),
        ("the attack on Iran was planned for many months", "the attack on Iraq was planned for many months"),
        (
            "prices increased by a wide margin over the last year",
            "prices decreased by a wide margin over the last year",
        ),
        ("an impossible task for the whole of the government", "a possible task for the whole of the government"),
        ("sales fell 5% over the whole of the last quarter", "sales fell 5 over the whole of the last quarter"),
        ("it cost $5 in every shop of the city and beyond", "it cost €5 in every shop of the city and beyond"),
        ("the corporate world", "rate"),
        ("the temperature was -5 degrees in the morning", "the temperature was 5 degrees in the morning"),
        ("他们没有去北京参加那个会议", "他们有去北京参加那个会议"),
        ("le ministre n'est pas venu à la réunion hier", "le ministre est venu à la réunion hier"),
    ] {
        check_absent(text, phrase);
    }
}

#[test]
fn punctuation_at_the_ends_may_differ() {
    check("It is over, he said.", "It is over.", "It is over");
    check("It is over, he said.", "\"It is over\"", "It is over");
    check("“It is over,” he said.", "“It is over,”", "“It is over,”");
}

#[test]
fn an_elision_joins_parts_that_stand_close_by() {
    let text = "The committee met on Monday, as planned, and decided to close the harbour.";
    check(
        text,
        "The committee met ... decided to close",
        "The committee met on Monday, as planned, and decided to close",
    );
    check_absent(text, "The committee met ... decided to open");
    let far = format!("The committee met on Monday. {} It decided to close.", "Words go on and on. ".repeat(30));
    check_absent(&far, "The committee met ... decided to close");
}

#[test]
fn of_several_places_main_content_wins_then_the_next_one() {
    let nodes = [("a free press. ", BLOCK), ("a free press. ", BLOCK | MAIN), ("a free press. ", BLOCK | MAIN)];
    let page = page(&nodes);
    let index = AnchorIndex::new(&page, decompose);
    let at = |near| index.find("a free press", near).map(|anchor| anchor.start);
    assert_eq!(at(None), Some(14));
    assert_eq!(at(Some(26)), Some(28));
    let twice = index.find_all(&["a free press", "a free press"]);
    assert_eq!(twice.iter().map(|anchor| anchor.unwrap().start).collect::<Vec<_>>(), [14, 28]);
}

#[test]
fn code_is_the_last_resort_and_capitals_decide() {
    let nodes = [("print the result ", BLOCK | Snapshot::CODE), ("now print the result", BLOCK)];
    let page = page(&nodes);
    assert_eq!(AnchorIndex::new(&page, decompose).find("print the result", None).unwrap().start, 21);
    assert_eq!(found(&nodes[..1], "print the result").as_deref(), Some("print the result"));
    check("the press office and The Press Office", "The Press Office", "The Press Office");
}

#[test]
fn phrases_that_tell_no_place_are_not_searched() {
    for phrase in ["", " ", "a", "abc", "...", "\u{200b}\u{200b}\u{200b}\u{200b}"] {
        check_absent("abc abc abc ... def", phrase);
    }
    let long = "word ".repeat(2_000);
    check_absent(&long, &long);
}

#[test]
fn a_snapshot_whose_nodes_lie_is_survived() {
    let mut lying = page(&[("some plain text 😀 here", BLOCK)]);
    for nodes in [vec![], vec![(3, 1)], vec![(u32::MAX, 1), (u32::MAX, 0)], vec![(17, 1), (1, 1), (2, 1)]] {
        lying.nodes = nodes;
        let anchor = AnchorIndex::new(&lying, decompose).find("plain text", None).expect("the text is there");
        assert_eq!(covered(&lying, anchor), "plain text");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    /// Text with everything that folding treats apart.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-zA-Z]{1,8}",
            1 => Just(" ".to_owned()),
            1 => prop::sample::select(vec!["\u{a0}", "\n\t", "\u{ad}", "é", "e\u{301}", "ß", "ﬁ", "…", "“", "—", "--", "日本", "한국",
                "قَلَ", "👩‍🚀", "🇩🇪", "İ", "\u{fdfa}", "½", "\u{200f}", "\u{301}", "´"]).prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 1..40).prop_map(|pieces| pieces.concat())
    }

    /// Few words, that repeat, with all that may stand in one or between two.
    fn word() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "da ",
            "da ",
            "da ",
            "dad ",
            "a",
            "a ",
            "'",
            "' ",
            "-",
            " - ",
            "5",
            "5 ",
            "-5 ",
            "%",
            "5% ",
            ".",
            ", ",
            "it's ",
            "\u{301}",
            "e\u{301} ",
            "東",
            "京",
            "は ",
            "<5 ",
            "$5",
            " ",
        ])
    }

    proptest! {
        /// Any part of a page as a reader sees it (a new block is a new word) that begins and ends with a word is found,
        /// and what is marked folds to what was asked.
        #[test]
        fn what_is_there_is_found(nodes in prop::collection::vec((text(), any::<bool>()), 1..6), from in 0_usize..200, len in 1_usize..60) {
            let nodes: Vec<(&str, u32)> = nodes.iter().map(|(text, block)| (text.as_str(), u32::from(*block))).collect();
            let page = page(&nodes);
            let index = AnchorIndex::new(&page, decompose);
            let seen: String = nodes.iter().flat_map(|&(text, flags)| [if flags & BLOCK != 0 { " " } else { "" }, text]).collect();
            let words: Vec<&str> = seen.split(' ').filter(|word| !word.is_empty()).collect();
            let from = from % words.len().max(1);
            let phrase = words[from.min(words.len())..(from + len).min(words.len())].join(" ");
            let anchor = index.find(&phrase, None);
            let readable = phrase.chars().filter(char::is_ascii_alphanumeric).count() >= 4;
            prop_assert!(anchor.is_some() || !readable, "{:?}", phrase);
            if let Some(anchor) = anchor {
                prop_assert!(anchor.start < anchor.end && anchor.end <= units(&page.text));
                let letters = |text: &str| super::super::folded::Phrase::new(text, decompose).text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
                prop_assert_eq!(letters(&covered(&page, anchor)), letters(&phrase));
            }
        }

        /// By the page's words text is found where it is found letter by letter, wherever it is cut out.
        #[test]
        fn the_index_finds_what_is_there(words in prop::collection::vec(word(), 0..40), from in 0_usize..200, len in 1_usize..60) {
            let page = page(&[(&words.concat(), BLOCK)]);
            let [letters, indexed] = [(); 2].map(|()| AnchorIndex::new(&page, decompose));
            indexed.words();
            let text: String = letters.page.text.chars().skip(from % words.len().max(1)).take(len).collect();
            prop_assert_eq!(indexed.occurrences(&text), letters.occurrences(&text), "{:?}", text);
        }

        /// Plain text folds a run at a time; with something invisible after every letter there are no runs.
        #[test]
        fn a_run_folds_as_its_letters_do(text in "[a-zA-Z0-9 .,'`\n\té“…]{0,60}") {
            let apart: String = text.chars().flat_map(|c| [c, '\u{200b}']).collect();
            let [run, letters] = [&text, &apart].map(|text| super::super::folded::Phrase::new(text, decompose));
            prop_assert_eq!(run.text, letters.text);
            prop_assert_eq!(run.capitals, letters.capitals);
        }

        /// Offsets survive however the text is cut into inline nodes.
        #[test]
        fn cuts_between_nodes_change_nothing(text in text(), cuts in prop::collection::vec(0_usize..200, 0..8)) {
            let whole = page(&[(&text, BLOCK)]);
            let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            places.retain(|at| cuts.contains(at));
            places.push(text.len());
            let mut from = 0;
            let nodes: Vec<(&str, u32)> = places.iter().map(|&to| { let node = &text[from..to]; from = to; (node, 0) }).collect();
            let cut = page(&nodes);
            for phrase in text.split(' ') {
                prop_assert_eq!(AnchorIndex::new(&whole, decompose).find(phrase, None), AnchorIndex::new(&cut, decompose).find(phrase, None));
            }
        }
    }
}

#[test]
fn markup_is_taken_for_what_it_stands_for() {
    use super::markup::without_markup;
    let check = |phrase: &str, plain: Option<&str>| assert_eq!(without_markup(phrase).as_deref(), plain, "{phrase}");
    check("Tom &amp; Jerry&#39;s &#x201C;show&rdquo;", Some("Tom & Jerry's “show”"));
    check("a <b class=\"x\">bold</b> word", Some("a bold word"));
    check("the [harbour](https://example.org/) grew", Some("the [harbour grew"));
    check("R&D; 1 < 2 > 0, a[1] (b) & é;", None);
    check("&#xD800;&bogus;&", None);
    check(&"&<](".repeat(2_000), None);
    check("", None);
}
