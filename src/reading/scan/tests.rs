use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::wire::Category;

mod properties;

/// Everything a text yields, pushed in the given pieces.
fn scan_pieces<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (Vec<Found>, ScanReport) {
    let mut scanner = Scanner::new();
    let mut out = Vec::new();
    for piece in pieces {
        scanner.push(piece, &mut out);
    }
    let report = scanner.finish(&mut out);
    (out, report)
}

/// Everything a text yields; the same for every cut of it in two, and for its characters one by one.
fn scan(text: &str) -> (Vec<Found>, ScanReport) {
    let whole = scan_pieces([text]);
    for (at, _) in text.char_indices() {
        assert_eq!(scan_pieces([&text[..at], &text[at..]]), whole, "cut at {at} of {text}");
    }
    let mut buffer = [0; 4];
    let mut scanner = Scanner::new();
    let mut out = Vec::new();
    for c in text.chars() {
        scanner.push(c.encode_utf8(&mut buffer), &mut out);
    }
    let report = scanner.finish(&mut out);
    assert_eq!((out, report), whole, "char by char: {text}");
    whole
}

fn highlights(found: &[Found]) -> Vec<&Highlight> {
    found
        .iter()
        .filter_map(|found| match found {
            Found::Highlight(highlight) => Some(highlight),
            Found::Summary(_) | Found::CategorySummaries(_) => None,
        })
        .collect()
}

/// The phrases of a text, in order.
fn phrases(text: &str) -> Vec<String> {
    highlights(&scan(text).0).iter().map(|highlight| highlight.phrase.clone()).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(phrases(text), expected, "{text}");
}

const A: &str = r#"{"phrase":"first phrase","category":"bias"}"#;
const B: &str = r#"{"phrase":"second phrase","category":"emotional","note":"n"}"#;

#[test]
fn a_document_yields_everything_once() {
    let text = r#"{
        "summary": "One. Two.",
        "category_summaries": {"bias": "Leans.", "logic flaw": "Jumps.", "weather": "Rain."},
        "highlights": [
            {"phrase": "first phrase", "category": "bias", "note": "why", "source": "S", "source_url": "https://s.example/a"},
            {"phrase": "second phrase", "category": "Loaded language", "note": "", "source": null, "source_url": "javascript:alert(1)"}
        ]
    }"#;
    let (found, report) = scan(text);
    assert_eq!(found[0], Found::Summary("One. Two.".into()));
    let summaries = [(Category::Bias, "Leans.".to_owned()), (Category::Logical, "Jumps.".to_owned())];
    assert_eq!(found[1], Found::CategorySummaries(summaries.into()));
    let expected = Highlight {
        phrase: "first phrase".into(),
        category: Category::Bias,
        note: "why".into(),
        source: "S".into(),
        source_url: "https://s.example/a".into(),
        verified: false,
    };
    assert_eq!(found[2], Found::Highlight(expected));
    let Found::Highlight(second) = &found[3] else { panic!("{found:?}") };
    assert_eq!((second.category, second.source_url.as_str()), (Category::Emotional, ""));
    assert_eq!(found.len(), 4);
    assert_eq!(report, ScanReport { found: 2, is_document: true, ..ScanReport::default() });
}

#[test]
fn a_highlight_comes_with_its_last_brace() {
    let mut scanner = Scanner::new();
    let mut out = Vec::new();
    let open = format!("{{\"highlights\":[{}", &A[..A.len() - 1]);
    scanner.push(&open, &mut out);
    assert!(out.is_empty());
    scanner.push("}", &mut out);
    assert_eq!(highlights(&out).len(), 1);
    scanner.push(r#"],"summary":"S.","category_summaries":{"bias":"B."}"#, &mut out);
    assert_eq!(out.len(), 3, "summaries after the highlights, before the end");
}

#[test]
fn shapes_models_answer_in() {
    let both = &["first phrase", "second phrase"];
    check(&format!(r#"{{"highlights":[{A},{B}]}}"#), both);
    check(&format!("{{ \"highlights\" :\n[\n {A}\n ,\t{B} ] }}"), both);
    check(&format!(r#"{{"highlights":[{A},{B}],"summary":"s"}}"#), both);
    check(&format!(r#"{{"result":{{"data":{{"highlights":[{A},{B}]}}}}}}"#), both);
    check(&format!(r#"[{{"highlights":[{A}]}},{{"highlights":[{B}]}}]"#), both);
    check(&format!("```json\n{{\"highlights\":[{A},{B}]}}\n```\nDone."), both);
    check(&format!("```json\n[{A},{B}]\n```"), both);
    check(&format!("I'll help. Here is the JSON: {{\"highlights\":[{A},{B}]}} Hope it's useful."), both);
    check(&format!("I'll help you with that [{A},{B}]"), both);
    check(&format!("{A}\n{B}"), both);
    check(&format!("{A}{B}"), both);
    check(&format!("{A},\n{B},\n"), both);
    check(&format!("<think>I could say {A} and [{A}] … </think>[{B}]"), &["second phrase"]);
    check(&format!("<Thinking>\n{A}\n</thinking>\n{B}"), &["second phrase"]);
    check(&format!("1 < 2, <b>{{bold}}</b> and [1] and [a](b): [{A}]"), &["first phrase"]);
    check(
        r#"{"note":"n","category":"bias","phrase":"other order","extra":{"a":[1,{"b":2}]},"n":1.5e3,"t":true}"#,
        &["other order"],
    );
    check(r#"{"Highlights":[{"Phrase":"other case","CATEGORY":"BIAS"}]}"#, &["other case"]);
}

#[test]
fn only_answers_are_taken() {
    check(&format!("For example {A} would be one."), &[]);
    check(&format!("The form is {{\"phrase\": and so on.\n[{B}]"), &["second phrase"]);
    check(&format!(r#"{{"highlights":[{A}],"examples":[{B}],"best":{B}}}"#), &["first phrase"]);
    check(&format!(r#"{{"examples":[{B}],"best":{B},"highlights":[{A}]}}"#), &["first phrase"]);
    check(&format!("{{\"highlights\":[{A}]}}\n{B}"), &["first phrase"]);
    check(
        r#"{"highlights":[{"phrase":"says {\"phrase\":\"inner phrase\",\"category\":\"bias\"} ok","category":"bias"}]}"#,
        &[r#"says {"phrase":"inner phrase","category":"bias"} ok"#],
    );
    check(
        r#"{"highlights":[{"phrase":"outer phrase","category":"bias","more":{"phrase":"inner phrase","category":"bias"}}]}"#,
        &["outer phrase"],
    );
    check("no JSON at all, {just} [brackets] \"quotes\"", &[]);
    check("", &[]);
}

#[test]
fn repairs() {
    check(r#"{"highlights":[{"phrase":"trailing comma","category":"bias",},],}"#, &["trailing comma"]);
    check("{'highlights':[{'phrase':'it's the dogs' bone','category':'bias'}]}", &["it's the dogs' bone"]);
    check("{“highlights”:[{“phrase”:“curly quoted”,“category”:“bias”}]}", &["curly quoted"]);
    check(
        "[{“phrase\": \"mixed quotes”, \"category\": \"bias\"}, {\"phrase\":\"after the mix\",\"category\":\"bias\"}]",
        &["after the mix"],
    );
    check(r#"[{"phrase":"he said "stop" loudly","category":"bias"}]"#, &[r#"he said "stop" loudly"#]);
    check(r#"[{"phrase":""Stop", he said","category":"bias"}]"#, &[r#""Stop", he said"#]);
    check(r#"[{"phrase":"he said "stop"","category":"bias"}]"#, &[r#"he said "stop""#]);
    check(r#"[{"category":"bias","phrase":"he said "stop""}]"#, &[r#"he said "stop""#]);
    check(
        r#"[{"phrase":"the words "yes", "no" and "maybe"","category":"bias"}]"#,
        &[r#"the words "yes", "no" and "maybe""#],
    );
    check(
        r#"[{"phrase":"one stray quote"","category":"bias"},{"phrase":"after it","category":"bias"}]"#,
        &["one stray quote", "after it"],
    );
    check("[{\"phrase\":\"raw\nline break\",\"category\":\"bias\"}]", &["raw\nline break"]);
    check(r#"[{"phrase":"App\Http\Middleware","category":"bias"}]"#, &[r"App\Http\Middleware"]);
    check(r#"[{"phrase":"bad \u12 escape","category":"bias"}]"#, &[r"bad \u12 escape"]);
    check(
        r#"[{"phrase":"no comma here" "category":"bias"}{"phrase":"nor here","category":"bias"}]"#,
        &["no comma here", "nor here"],
    );
    check(
        r#"[{"phrase":"brace missing","category":"bias", {"phrase":"next object","category":"bias"}]"#,
        &["brace missing", "next object"],
    );
    check(
        r#"[{"phrase":"brace missing","category":"bias" {"phrase":"next object","category":"bias"}]"#,
        &["brace missing", "next object"],
    );
    check(r#"[{"phrase":"brace missing","category":"bias"]"#, &["brace missing"]);
    check(
        r#"{"highlights":[{"phrase":"extra brace","category":"bias"}},{"phrase":"next object","category":"bias"}]}"#,
        &["extra brace", "next object"],
    );
    check(r#"[{phrase: "unquoted keys", category: "bias"}]"#, &["unquoted keys"]);
    check(r#"[{"phrase":"he said \"}\" loudly","category":"bias"}]"#, &[r#"he said "}" loudly"#]);
}

#[test]
fn a_missing_bracket_does_not_cost_the_summary() {
    let (found, report) = scan(&format!(r#"{{"highlights":[{A},"summary":"All of it."}}"#));
    assert_eq!(found.last(), Some(&Found::Summary("All of it.".into())));
    assert_eq!(report.found, 1);
}

#[test]
fn text_is_kept_exactly() {
    check(r#"[{"phrase":"“curly” — ‘and’ straight’s","category":"bias"}]"#, &["“curly” — ‘and’ straight’s"]);
    check(r#"[{"phrase":"tab\there\/\\ \u00e9 \ud83d\ude00","category":"bias"}]"#, &["tab\there/\\ é 😀"]);
    check(r#"[{"phrase":"lone \ud83d half \ude00.","category":"bias"}]"#, &["lone \u{FFFD} half \u{FFFD}."]);
    check(r#"[{"phrase":"&amp; is not ours to decode","category":"bias"}]"#, &["&amp; is not ours to decode"]);
    check(r#"[{"phrase":"日本語のとても長い文章です","category":"bias"}]"#, &["日本語のとても長い文章です"]);
}

#[test]
fn recovers_at_the_next_object() {
    let check = |broken: &str, expected_malformed: u32| {
        for (open, close) in [("{\"highlights\":[", "]}"), ("[", "]")] {
            let (found, report) = scan(&format!("{open}{broken},{B}{close}"));
            let phrases: Vec<_> = highlights(&found).iter().map(|h| h.phrase.as_str()).collect();
            assert_eq!(phrases, ["second phrase"], "{open}{broken}");
            assert_eq!(report.dropped.total(), expected_malformed, "{broken} {report:?}");
        }
    };
    check(r#"{"phrase":"abc def ghi" ::: "category"}"#, 1);
    check(r#"{"phrase":"abc def ghi","category" "bias"}"#, 1);
    check(r#"{"phrase":"never closed,"category":"bias"}"#, 1);
    check(r#"{"phrase":"abc def ghi","category":"never closed}"#, 1);
    check(r#"{"phrase":"abc def ghi","category":oops"}"#, 1);
    check(r#"{"phrase":"abc def ghi","category":bias oops}"#, 1);
}

#[test]
fn a_note_that_never_closes_costs_only_itself() {
    check(
        &format!(r#"[{{"phrase":"first phrase","category":"bias","note":"never closed}},{B}]"#),
        &["first phrase", "second phrase"],
    );
    let line = r#"{"phrase":"first phrase","category":"bias","note":"never closed"#;
    check(&format!("{line}\n{B}"), &["first phrase", "second phrase"]);
}

#[test]
fn what_follows_a_broken_last_object_is_read() {
    let (found, report) =
        scan(r#"{"highlights":[{"phrase":"abc def ghi","category":bias oops}], "summary": "Still here."}"#);
    assert_eq!(found, [Found::Summary("Still here.".into())]);
    assert_eq!(report.dropped.malformed, 1);
}

#[test]
fn every_drop_has_its_reason() {
    let dropped = |objects: &str| scan(&format!("{{\"highlights\":[{objects}]}}")).1.dropped;
    let one = Dropped::default;
    assert_eq!(dropped(r#"{"phrase":"some phrase","category":"weather"}"#), Dropped { unknown_category: 1, ..one() });
    assert_eq!(dropped(r#"{"phrase":"some phrase"}"#), Dropped { incomplete: 1, ..one() });
    assert_eq!(dropped("{}"), Dropped { incomplete: 1, ..one() });
    assert_eq!(dropped(r#"{"phrase":"1234567","category":"bias"}"#), Dropped { too_short: 1, ..one() });
    assert_eq!(dropped(&format!("{A},{A}")), Dropped { duplicate: 1, ..one() });
    let long = |n: usize| format!(r#"{{"phrase":"{}","category":"bias"}}"#, "é".repeat(n));
    assert_eq!(dropped(&long(180)), one());
    assert_eq!(dropped(&long(181)), Dropped { too_long: 1, ..one() });
    assert_eq!(dropped(&long(7)), Dropped { too_short: 1, ..one() });
    assert_eq!(dropped(&long(8)), one());
}

#[test]
fn at_most_25_and_the_summary_after_them() {
    let mut text = String::from("{\"highlights\":[");
    for i in 0..40 {
        write!(text, r#"{{"phrase":"phrase number {i}","category":"bias"}},"#).unwrap();
    }
    text.push_str("],\"summary\":\"Many.\"}");
    let (found, report) = scan_pieces([text.as_str()]);
    assert_eq!(highlights(&found).len(), 25);
    assert_eq!(
        report,
        ScanReport {
            found: 25,
            dropped: Dropped { over_limit: 15, ..Dropped::default() },
            truncated: false,
            is_document: true
        }
    );
    assert_eq!(found.last(), Some(&Found::Summary("Many.".into())));
}

#[test]
fn notes_are_cut_at_a_character() {
    let note = |length: usize| {
        let (found, _) =
            scan_pieces([
                format!(r#"[{{"phrase":"some phrase","category":"bias","note":"{}"}}]"#, "é".repeat(length)).as_str()
            ]);
        highlights(&found)[0].note.clone()
    };
    assert_eq!(note(90), "é".repeat(90));
    assert_eq!(note(91), format!("{}…", "é".repeat(89)));
}

#[test]
fn a_cut_answer_keeps_what_is_whole() {
    let cut = |text: &str, expected: &[(&str, &str)], incomplete: u32| {
        let (found, report) = scan(text);
        let got: Vec<_> = highlights(&found).iter().map(|h| (h.phrase.as_str(), h.note.as_str())).collect();
        assert_eq!(got, expected, "{text}");
        assert!(report.truncated, "{text}");
        assert_eq!(report.dropped.total(), incomplete, "{text}");
    };
    let whole = ("some phrase", "");
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias""#, &[whole], 0);
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias","#, &[whole], 0);
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias","no"#, &[whole], 0);
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias","note":"a \"#, &[("some phrase", "a")], 0);
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias","note":"a \u"#, &[("some phrase", "a")], 0);
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias","note":"a \u00"#, &[("some phrase", "a")], 0);
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias","note":"a \ud83d"#, &[("some phrase", "a")], 0);
    cut(
        r#"{"highlights":[{"phrase":"some phrase","category":"bias","note":"a \ud83d\ude00"#,
        &[("some phrase", "a 😀")],
        0,
    );
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bias","source_url":"https://a.exam"#, &[whole], 0);
    cut(r#"{"highlights":[{"phrase":"some phrase","category":"bi"#, &[], 1);
    cut(r#"{"highlights":[{"phrase":"some phrase"#, &[], 0);
    cut(r#"{"highlights":["#, &[], 0);
    cut(r#"{"summary":"half a summ"#, &[], 0);
}

#[test]
fn an_object_that_grows_too_large_is_dropped_and_forgotten() {
    let mut scanner = Scanner::new();
    let mut out = Vec::new();
    scanner.push("[{\"phrase\":\"", &mut out);
    for _ in 0..1000 {
        scanner.push(&"long ".repeat(20), &mut out);
        assert!(scanner.string.held_bytes() <= MAX_OBJECT_BYTES + 512);
    }
    scanner.push(&format!("\",\"category\":\"bias\"}},{B}]"), &mut out);
    let report = scanner.finish(&mut out);
    assert_eq!(highlights(&out).len(), 1);
    assert_eq!(report.dropped, Dropped { oversize: 1, ..Dropped::default() });
}

#[test]
fn nesting_is_bounded() {
    let deep = 10_000;
    let text = format!(
        "[{{\"phrase\":\"some phrase\",\"x\":{}{}{},\"category\":\"bias\"}}]",
        "[".repeat(deep),
        "\"a\"",
        "]".repeat(deep)
    );
    let (found, _) = scan_pieces([text.as_str()]);
    assert_eq!(highlights(&found).len(), 1);
}

#[test]
fn hostile_endings_end() {
    for text in
        [r#"{"s \ud"#, r#"{"phrase":"\ud"#, "[[[[[[", "{{{{{{", "<think>", "<think>{", "\"\"\"\"", "{\"a\":\"\\"]
    {
        scan(text);
    }
}

#[test]
fn buffered_calls_continue_where_the_last_one_ended() {
    let text = format!("😀 {{\"summary\":\"s\",\"highlights\":[{A}, {B}]}}");
    let units: Vec<u16> = text.encode_utf16().collect();
    let (mut next, mut found) = (0, Vec::new());
    for end in 0..=units.len() {
        // As JavaScript would cut it, with half an emoji at first.
        let buffer = String::from_utf16_lossy(&units[..end]);
        let (highlights, position) = extract_complete_highlights(&buffer, next);
        if highlights.is_empty() {
            assert_eq!(position, next);
        } else {
            assert_eq!(position, end, "just after the closing brace");
        }
        next = position;
        found.extend(highlights.into_iter().map(|h| h.phrase));
    }
    assert_eq!(found, ["first phrase", "second phrase"]);
    assert_eq!(extract_complete_highlights("", 0), (Vec::new(), 0));
    assert_eq!(extract_complete_highlights("abc", 99), (Vec::new(), 99));
}

#[test]
fn highlights_under_names_or_by_category() {
    let both = &["first phrase", "second phrase"];
    check(&format!(r#"{{"highlights":{{"1":{A},"2":{B}}},"summary":"s"}}"#), both);
    check(
        &format!(r#"{{"highlights":{{"h1":{A},"h2":{{"phrase":"abc def ghi","category":bias oops}},"h3":{B}}}}}"#),
        both,
    );
    check(&format!(r#"{{"highlights":{A}}}"#), &["first phrase"]);
    check(r#"{"highlights":{"category":"bias","phrase":"other order"}}"#, &["other order"]);
    let grouped = r#"{"highlights":{"bias":[{"phrase":"first phrase"}],"Logic flaw":[{"phrase":"second phrase","note":"n"}],"supported":[]},"summary":"S."}"#;
    let (found, report) = scan(grouped);
    let got: Vec<_> = highlights(&found).iter().map(|h| (h.phrase.as_str(), h.category)).collect();
    assert_eq!(got, [("first phrase", Category::Bias), ("second phrase", Category::Logical)]);
    assert_eq!(found.last(), Some(&Found::Summary("S.".into())));
    assert_eq!(report.dropped.total(), 0);
    let (found, report) = scan(r#"{"highlights":{},"summary":""}"#);
    assert!(found.is_empty() && report.is_document, "{found:?} {report:?}");
}

#[test]
fn an_answer_begun_again_adds_only_what_is_new() {
    let both = &["first phrase", "second phrase"];
    check(&format!("{{\"highlights\":[{A}]}}\n{{\"highlights\":[{A},{B}]}}"), both);
    check(
        &format!(
            "```json\n{{\"highlights\":[{A},{{\"phrase\":\"sec\n```\n\nLet me start over:\n\n```json\n{{\"highlights\":[{A},{B}]}}\n```"
        ),
        both,
    );
    check(&format!("{{\"summary\":\"S.\",\"highlights\":[{A},\n{{\"summary\":\"S.\",\"highlights\":[{A},{B}]}}"), both);
}

#[test]
fn fences_with_words_between_are_one_answer() {
    let both = &["first phrase", "second phrase"];
    check(&format!("First:\n```json\n{A}\n```\nThen there is this one:\n```json\n{B}\n```\nThat is all."), both);
    check(&format!("1. The bias:\n\n{A}\n\n2. The loaded words:\n\n{B}\n"), both);
    check(&format!("- {A}\n- {B}\n"), both);
    check(&format!("1. {A}\n2. {B}\n"), both);
    check(&format!("```jsonl\n{A}\r\n{B}\r\n```"), both);
}

#[test]
fn summaries_in_any_place_and_spelling() {
    let sentences = |text: &str| {
        let (found, _) = scan(text);
        found.into_iter().filter(|found| !matches!(found, Found::Highlight(_))).collect::<Vec<_>>()
    };
    let expected = [Found::Summary("S.".into()), Found::CategorySummaries([(Category::Bias, "B.".to_owned())].into())];
    for keys in [["summary", "category_summaries"], ["Summary", "categorySummaries"], ["summary", "category-summaries"]]
    {
        let [summary, categories] = keys;
        assert_eq!(
            sentences(&format!(r#"{{"{summary}":"S.","{categories}":{{"bias":"B."}},"highlights":[{A}]}}"#)),
            expected
        );
        assert_eq!(
            sentences(&format!(r#"{{"highlights":[{A}],"{summary}":"S.","{categories}":{{"bias":"B."}}}}"#)),
            expected
        );
        assert_eq!(sentences(&format!(r#"{{"{summary}":"S.","{categories}":{{"bias":"B."}}}}"#)), expected);
        assert_eq!(sentences(&format!("{A}\n{{\"{summary}\":\"S.\",\"{categories}\":{{\"bias\":\"B.\"}}}}")), expected);
    }
}

#[test]
fn the_first_of_several_categories_counts() {
    let category = |written: &str| {
        let (found, _) = scan(&format!(r#"{{"highlights":[{{"phrase":"some phrase","category":{written}}}]}}"#));
        highlights(&found).first().map(|highlight| highlight.category)
    };
    assert_eq!(category(r#""bias, emotional""#), Some(Category::Bias));
    assert_eq!(category(r#""Bias / Framing""#), Some(Category::Bias));
    assert_eq!(category(r#""tone / logical""#), Some(Category::Logical));
    assert_eq!(category(r#"["emotional","bias"]"#), Some(Category::Emotional));
    assert_eq!(category(r#"["weather"]"#), None);
    assert_eq!(category("[]"), None);
}
