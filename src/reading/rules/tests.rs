use super::*;
use crate::wire::Category;
use proptest::prelude::*;

/// Neutral prose around a sentence, so that the language is never in doubt.
const FRAME: &str = "The committee met on the first floor of the town hall, and the minutes are in the library.";

/// The marks of one sentence in neutral surroundings: category and phrase.
fn marks(sentence: &str) -> Vec<(Category, String)> {
    let reading = read(&format!("{FRAME}\n{sentence}\n{FRAME}"));
    reading.highlights.into_iter().map(|mark| (mark.category, mark.phrase)).collect()
}

fn check(sentence: &str, expected: &[(Category, &str)]) {
    let marks = marks(sentence);
    let marks: Vec<_> = marks.iter().map(|(category, phrase)| (*category, phrase.as_str())).collect();
    assert_eq!(marks, expected, "{sentence}");
}

#[test]
fn every_row_of_the_lists_can_be_read() {
    for (language, list) in LISTS {
        let lexicon = Lexicon::parse(list);
        let entries = |row: &&str| !row.is_empty() && !row.starts_with('#') && !row.contains("\t-\t");
        assert_eq!(lexicon.entries.len(), list.lines().filter(entries).count(), "{language}");
        for entry in &lexicon.entries {
            let reason = entry.kind == Kind::Plain || words::say(entry.reason, &[""]) != entry.reason;
            assert!(reason, "no text for {}", entry.reason);
            assert!(entry.strength <= 3);
        }
    }
}

#[test]
fn marks_loaded_words() {
    check(
        "The second reading was a ridiculous affair.",
        &[(Category::Emotional, "The second reading was a ridiculous affair")],
    );
    check(
        "A cruel and sordid trade grew up behind the market.",
        &[(Category::Emotional, "A cruel and sordid trade grew up behind the market")],
    );
}

#[test]
fn one_weak_word_or_a_plain_use_is_no_mark() {
    check("The winter of that year was cruel to the orchards.", &[]);
    check("Her fear of heights kept her from the savage peaks.", &[]);
    check("The proposal is not ridiculous at all.", &[]);
}

#[test]
fn marks_fear() {
    check(
        "The figures should ring alarm bells in every office.",
        &[(Category::Emotional, "The figures should ring alarm bells in every office")],
    );
    check("The bells rang at noon and the alarm was tested.", &[]);
}

#[test]
fn marks_us_against_them() {
    check(
        "The tunnel serves the wealthy few and nobody besides.",
        &[(Category::Bias, "The tunnel serves the wealthy few and nobody besides")],
    );
    check("The wealthy merchant owned a few of the houses.", &[]);
}

#[test]
fn marks_weasel_words_and_framing() {
    check("The minister arguably knew of the letter.", &[(Category::Bias, "The minister arguably knew of the letter")]);
    check(
        "He quoted the so-called “improvement” of the road.",
        &[(Category::Bias, "He quoted the so-called “improvement” of the road")],
    );
    check("They met the so-called Tuesday group in the park.", &[]);
    check("The library boasts a collection of early maps.", &[]);
}

#[test]
fn marks_reasoning() {
    check(
        "Either we close the road or we lose the school.",
        &[(Category::Logical, "Either we close the road or we lose the school")],
    );
    check("The valve is either open or closed at any moment.", &[]);
    check(
        "Everyone knows the bridge is too narrow.",
        &[(Category::Logical, "Everyone knows the bridge is too narrow")],
    );
    check("Almost everyone wants a wider bridge.", &[]);
    check(
        "Today it is the kiosk, tomorrow the whole square.",
        &[(Category::Logical, "Today it is the kiosk, tomorrow the whole square")],
    );
    check("Isn’t this what the mayor promised?", &[(Category::Logical, "Isn’t this what the mayor promised")]);
    check("Where is the key to the cellar?", &[]);
}

#[test]
fn marks_attributions_to_nobody_unless_the_paragraph_names_somebody() {
    check(
        "Experts say the wall will hold for a century.",
        &[(Category::Logical, "Experts say the wall will hold for a century")],
    );
    check("Experts say the wall will hold, and the engineer Ada Brandt said so in May.", &[]);
    check("The researchers say the wall will hold.", &[]);
}

#[test]
fn marks_superlatives_and_numbers_without_a_source_nearby() {
    check("It is the finest beach in the world.", &[(Category::Bias, "It is the finest beach in the world")]);
    check("Some 40% of the boats leak.", &[(Category::Logical, "Some 40% of the boats leak")]);
    let sourced =
        format!("{FRAME}\nSome 40% of the boats leak.\nThe list was published by the Harbour Board.\n{FRAME}");
    assert_eq!(read(&sourced).highlights, []);
}

#[test]
fn marks_a_claim_that_names_or_links_its_source() {
    let marks = marks("According to the Harbour Board, 40 of the boats leak.");
    assert_eq!(marks, [(Category::Supported, "According to the Harbour Board, 40 of the boats leak".to_owned())]);

    let page = format!(
        "{FRAME}\nThe survey lists 40 boats that leak.\n\nPAGE LINKS:\n- survey lists: https://example.org/list"
    );
    let reading = read(&page);
    let [mark] = reading.highlights.as_slice() else { panic!("{:?}", reading.highlights) };
    assert_eq!(mark.phrase, "The survey lists 40 boats that leak");
    assert_eq!((mark.source.as_str(), mark.source_url.as_str()), ("example.org", "https://example.org/list"));
    assert!(!mark.verified, "nothing was fetched");
    assert!(mark.note.contains("not read"), "{}", mark.note);
}

#[test]
fn links_are_never_marked_themselves() {
    let page = format!("{FRAME}\n\nPAGE LINKS:\n- Everyone knows this is a total disgrace.: https://example.org/");
    assert_eq!(read(&page).highlights, []);
}

#[test]
fn quoted_words_are_the_speakers() {
    check("“This is a ridiculous and shameful bargain for us all,” said the chair.", &[]);
    check("The chair called it \"a ridiculous and shameful bargain for us all\" and left.", &[]);
    // What follows the quotation is the author's again.
    check("“We will see,” said the chair, a ridiculous answer.", &[(Category::Emotional, "a ridiculous answer")]);
}

#[test]
fn headings_buttons_and_code_are_no_prose() {
    check("A ridiculous and shameful bargain", &[]);
    check("Ridiculous.", &[]);
    check("let absurd = { total_disgrace(); nobody_knows(); } // a ridiculous value.", &[]);
}

#[test]
fn plain_text_stands_out_in_nothing() {
    let text = "The heron is a wading bird of rivers and lakes. It feeds on fish, which it takes with its bill. \
        Herons nest in colonies, and both parents feed the young until they can fly.";
    let reading = read(text);
    assert_eq!(reading.highlights, []);
    assert_eq!(reading.summary, "Nothing stood out. 34 words read.");
    assert!(reading.analysis.starts_with("## Wording\n\nNothing stood out. 34 words read.\n\n## Sources\n"));
    assert!(reading.category_summaries.is_empty());
}

#[test]
fn a_language_without_lists_is_named_and_left_alone() {
    let texts = [
        (
            "German",
            "Der Hafen ist seit dem Sommer geschlossen, und die Boote liegen auf dem Land. Das ist eine Schande.",
        ),
        ("French", "Le port est fermé depuis cet été et les bateaux sont dans la cour. Ce n'est pas une bonne idée."),
        ("Spanish", "El puerto está cerrado desde el verano y los barcos son más caros que la casa del alcalde."),
        ("Portuguese", "O porto não abre desde o verão, e os barcos estão na praia com as redes ao sol."),
        ("Czech", "Přístav je od léta zavřený a lodě jsou na břehu, ale to se na jaře změní."),
        ("Cyrillic", "Порт закрыт с лета, и лодки лежат на берегу."),
        ("Arabic", "الميناء مغلق منذ الصيف والقوارب على الشاطئ."),
        ("Hebrew", "הנמל סגור מאז הקיץ והסירות על החוף."),
        ("Chinese", "港口自夏天起关闭，船只停在岸上。"),
        ("Japanese", "港は夏から閉まっていて、船は岸にあります。"),
        ("Korean", "항구는 여름부터 닫혀 있고 배는 해안에 있습니다."),
    ];
    for (name, text) in texts {
        let reading = read(text);
        assert_eq!(reading.language, Language::Unsupported(Some(name)), "{text}");
        assert_eq!(reading.highlights, []);
        assert!(reading.summary.contains("word lists for English only"), "{}", reading.summary);
        assert!(reading.analysis.contains(name), "{}", reading.analysis);
    }
    assert_eq!(read("").language, Language::Unsupported(None));
    assert_eq!(read("Lorem ipsum dolor sit amet.").language, Language::Unsupported(None));
}

#[test]
fn an_english_page_may_quote_another_language() {
    let text =
        format!("{FRAME}\nThe sign on the door of the office says “Der Hafen ist bis auf weiteres geschlossen”.");
    assert_eq!(read(&text).language, Language::Supported("English"));
}

#[test]
fn a_page_full_of_wording_is_marked_at_most_25_times_and_all_over() {
    let sentences = [
        "Experts say so in port N.",
        "It was a ridiculous day on pier N.",
        "Make no mistake about tide N.",
        "The wealthy few own pier N.",
        "It is arguably boat N.",
        "This is not the first time for boat N.",
        "They want us to pay for pier N.",
        "We all know song N by heart.",
        "Boat N was up in arms over the net.",
        "Pier N is a disgraceful sight at night.",
        "There is no such thing as pier N.",
        "Boat N is the poster child for the port.",
        "Rumour has it that boat N is sold.",
        "Everyone knows boat N by its sail.",
    ];
    let page: Vec<String> = (0..400).map(|at| sentences[at % sentences.len()].replace('N', &at.to_string())).collect();
    let page = page.join("\n");
    let reading = read(&page);
    assert_eq!(reading.highlights.len(), 25);
    let first = page.find(&reading.highlights[0].phrase);
    let last = page.rfind(&reading.highlights[reading.highlights.len() - 1].phrase);
    assert!(first < Some(page.len() / 4) && last > Some(page.len() * 3 / 4));
    assert!(reading.analysis.contains("Passages that stood out: "), "{}", reading.analysis);
}

#[test]
fn notes_stay_short_whatever_they_quote() {
    let reading = read(&format!(
        "{FRAME}\nEither we, the inhabitants of Extraordinarilylongname-on-the-Uncommonlylongriver, pay or they do."
    ));
    assert_eq!(reading.highlights.len(), 1);
    assert!(reading.highlights.iter().all(|mark| mark.note.chars().count() <= NOTE), "{:?}", reading.highlights);
}

/// Work is counted in pattern elements tried, so the test knows no clock.
#[test]
fn work_grows_with_the_text_and_no_faster() {
    let steps = |text: &str| {
        let lexicon = Lexicon::parse(LISTS[0].1);
        let mut scan = Scan::new(&lexicon, text, &[]);
        scan.run();
        scan.counts.steps
    };
    // Ordinary text; one endless sentence of half-matches; one endless block; nothing but full stops.
    for unit in [
        "Experts say that either we pay or they do.\n",
        "either we there is no as Alice so-called “fake ",
        "It is a ridiculous, cruel, sordid day. ",
        "A. ... ",
    ] {
        let (small, large) = (steps(&unit.repeat(200)), steps(&unit.repeat(800)));
        assert!(large <= small * 4 + 400, "{unit:?}: {small} steps, then {large}");
    }
}

#[test]
fn a_block_without_end_is_read_in_pieces_to_its_last_word() {
    let words = "the boats of the port are in the yard, ".repeat(scan::LONGEST_BLOCK / 10);
    let reading = read(&format!("{words}and that is a ridiculous affair."));
    let [mark] = reading.highlights.as_slice() else { panic!("{:?}", reading.highlights) };
    assert_eq!(mark.phrase, "that is a ridiculous affair");

    // Without a space to cut at, and with characters of several bytes.
    let text = format!("{FRAME} {} {FRAME}\nThat is a ridiculous affair.", "ü".repeat(scan::LONGEST_BLOCK));
    assert_eq!(read(&text).highlights.len(), 1);
}

#[test]
fn only_so_many_candidates_wait_for_their_paragraph() {
    let page = format!("{FRAME}\n{}", "Experts say so in the port of the town. ".repeat(1_000));
    let reading = read(&page);
    assert!(reading.analysis.contains("- leaning on people who are not named: 64 ("), "{}", reading.analysis);
}

#[test]
fn the_sample_article_shows_four_categories() {
    let html = include_str!("../../../www/samples/harbour.html");
    let (_, main) = html.split_once("<main>").unwrap();
    let (main, _) = main.split_once("</main>").unwrap();
    let (mut text, mut links) = (String::new(), String::from("\n\nPAGE LINKS:\n"));
    for piece in main.split('<') {
        let (tag, content) = piece.split_once('>').unwrap_or(("", piece));
        let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
        if ["p", "h1", "h2"].contains(&tag.split(' ').next().unwrap()) {
            text.push('\n');
        } else if !content.is_empty() && !content.starts_with([',', '.']) {
            text.push(' ');
        }
        if let Some(url) = tag.strip_prefix("a href=\"") {
            links.extend(["- ", &content, ": ", url.trim_end_matches('"'), "\n"]);
        }
        text.push_str(&content);
    }
    let reading = read(&(text + &links));
    let categories: Vec<_> = reading.category_summaries.keys().copied().collect();
    let expected = [Category::Emotional, Category::Bias, Category::Supported, Category::Logical];
    assert_eq!(categories, expected, "{:#?}", reading.highlights);
    assert!((8..=16).contains(&reading.highlights.len()), "{:#?}", reading.highlights);
    assert!(reading.highlights.iter().any(|mark| mark.source == "example.org"));
    assert!(!reading.highlights.iter().any(|mark| mark.phrase.contains("disgraceful")), "that is the speaker's word");
}

/// Words that trigger rows, and marks that cut sentences and quotations, in any order.
fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("the ".to_owned()),
        Just("of ".to_owned()),
        Just("and ".to_owned()),
        Just("is ".to_owned()),
        Just("Experts say ".to_owned()),
        Just("either we ".to_owned()),
        Just("or we ".to_owned()),
        Just("there is no ".to_owned()),
        Just("ridiculous ".to_owned()),
        Just("so-called “news” ".to_owned()),
        Just("\"".to_owned()),
        Just("“".to_owned()),
        Just("” ".to_owned()),
        Just("’".to_owned()),
        Just(", ".to_owned()),
        Just(". ".to_owned()),
        Just("? ".to_owned()),
        Just("\n".to_owned()),
        Just("\nPAGE LINKS:\n- ".to_owned()),
        Just(": https://example.org/".to_owned()),
        "\\PC{0,12}",
        "[a-z]{100,300}",
    ];
    proptest::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

proptest! {
    // Every case reads twice, and a reading parses the list.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn marks_are_verbatim_bounded_and_apart(text in hostile_text()) {
        let reading = read(&text);
        prop_assert_eq!(&reading, &read(&text), "the same text, the same reading");
        prop_assert!(reading.highlights.len() <= 25);
        let mut from = 0;
        for mark in &reading.highlights {
            prop_assert!((8..=180).contains(&mark.phrase.chars().count()), "{}", mark.phrase);
            prop_assert!(mark.note.chars().count() <= NOTE, "{}", mark.note);
            prop_assert!(!mark.phrase.contains('\n'));
            prop_assert!(mark.category != Category::Misinformation && !mark.verified);
            // In the order of the page and without overlap, so each is found behind the one before.
            let at = text[from..].find(&mark.phrase);
            prop_assert!(at.is_some(), "{}", mark.phrase);
            from += at.unwrap_or(0) + mark.phrase.len();
        }
    }
}
