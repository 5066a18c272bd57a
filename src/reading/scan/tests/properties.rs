use sidelight_stream::text::is_plain_address;

use super::*;
use crate::reading::address::web_address;

/// A JSON string literal, sometimes with everything escaped.
fn literal(text: &str, escape_all: bool) -> String {
    if !escape_all {
        return serde_json::to_string(text).unwrap();
    }
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        write!(out, "\\u{unit:04x}").unwrap();
    }
    out.push('"');
    out
}

/// Text as phrases have it, with what JSON and the scanner care about mixed in.
fn phrase() -> impl Strategy<Value = String> {
    "[a-zé日😀\"'“”{}\\[\\]:,\\\\\n /<>]{8,60}".prop_filter("not blank", |text| text.trim().chars().count() >= 8)
}

fn white_space() -> impl Strategy<Value = String> {
    "[ \n\t]{0,3}"
}

/// A valid document and the highlights it means.
fn document() -> impl Strategy<Value = (String, Vec<(String, String)>)> {
    let highlight = (phrase(), phrase(), any::<bool>(), any::<bool>(), white_space());
    (proptest::collection::vec(highlight, 0..6), phrase(), any::<bool>(), 0..4_usize).prop_map(
        |(highlights, summary, summary_first, wrapping)| {
            let mut expected: Vec<(String, String)> = Vec::new();
            let mut objects = Vec::new();
            for (phrase, note, escape_all, note_first, gap) in highlights {
                let mut fields = [
                    format!("\"phrase\"{gap}:{gap}{}", literal(&phrase, escape_all)),
                    format!("\"category\":{gap}\"bias\"{gap}"),
                    format!("{gap}\"note\":{}", literal(&note, escape_all)),
                ];
                if note_first {
                    fields.reverse();
                }
                objects.push(format!("{{{gap}{}{gap}}}", fields.join(",")));
                if expected.iter().all(|(known, _)| known.trim() != phrase.trim()) {
                    expected.push((phrase, draft::cut(&note, draft::MAX_NOTE)));
                }
            }
            let list = format!("\"highlights\":[{}]", objects.join(","));
            let summary = format!("\"summary\":{}", literal(&summary, false));
            let body = if summary_first { format!("{{{summary},{list}}}") } else { format!("{{{list},{summary}}}") };
            let text = match wrapping {
                0 => body,
                1 => format!("Sure, here it's:\n```json\n{body}\n```\n"),
                2 => format!("<think>a {{\"phrase\":\"b\"}} c</think>\n{body}"),
                _ => format!("[{body}]"),
            };
            (text, expected)
        },
    )
}

/// An object of the list and what stands behind it, whole or damaged in one of many ways.
fn object() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        4 => (phrase(), any::<bool>()).prop_map(|(text, escape_all)| literal(&text, escape_all)),
        3 => prop::sample::select(vec!["\"bias\"", "\"logic flaw\"", "\"weather\"", "\"https://a.example/b\"", "\"\"", "null"])
            .prop_map(str::to_owned),
        3 => "\"[a-z |,:'“]{8,30}\"",
        1 => prop::sample::select(vec![
            "nul", "\"\\ud83d\"", "\"\\x\"", "3", "[\"bias\"]", "{}", "'single quotes'", "\"a \"b\" c\"", "\"a\nb\"",
            "\"} {'phrase': '\"", "\"never closed", "\"a, 'summary': b\"",
        ]).prop_map(str::to_owned),
    ];
    let key = prop::sample::select(vec![
        "phrase",
        "category",
        "note",
        "source",
        "source_url",
        "phrase",
        "category",
        "sourceUrl",
        "summary",
        "other",
        "highlights",
    ]);
    let field = (key, value, white_space(), 0..30_usize).prop_map(|(key, value, gap, damage)| match damage {
        0 => format!("{gap}{key}:{value}"),
        1 => format!("{gap}\"{key}\" {value}"),
        2 => format!("\"{key}:{value}{gap}"),
        3 => format!("“{key}”:{value}{gap}"),
        _ => format!("{gap}\"{key}\"{gap}:{gap}{value}{gap}"),
    });
    let comma = prop::sample::select(vec![",", ",", ",", ",", ",", ",", ",", "", ",,"]);
    let end = prop::sample::select(vec!["},", "},", "},", "} ,\n", "}", "},]", ",}", "]}", "},,", "}]},"]);
    (proptest::collection::vec((field, comma), 0..6), end).prop_map(|(fields, end)| {
        let mut text = String::from("{");
        let last = fields.len().saturating_sub(1);
        for (at, (field, comma)) in fields.iter().enumerate() {
            text.push_str(field);
            text.push_str(if at < last { comma } else { "" });
        }
        text + end
    })
}

fn pieces<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| cut.index(text.len() + 1))
        .filter(|at| text.is_char_boundary(*at))
        .chain([0, text.len()])
        .collect();
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn a_valid_document_yields_what_it_says_however_it_is_cut(
        (text, expected) in document(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let (found, report) = scan_pieces(pieces(&text, &cuts));
        let got: Vec<_> = highlights(&found).iter().map(|h| (h.phrase.clone(), h.note.clone())).collect();
        prop_assert_eq!(got, expected, "{}", text);
        prop_assert!(!report.truncated);
        prop_assert_eq!(report.dropped.total(), report.dropped.duplicate);
        let summaries = found.iter().filter(|found| matches!(found, Found::Summary(_))).count();
        prop_assert_eq!(summaries, 1);
    }

    #[test]
    fn damage_never_depends_on_the_cut(
        (text, _) in document(),
        damage in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "\"", "{", "}", "]", ",", ":", "\\", "'", "\"}", "{\"phrase\":"]),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let at = (0..=damage.index(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let damaged = format!("{}{with}{}", &text[..at], text[at..].chars().skip(1).collect::<String>());
        prop_assert_eq!(scan_pieces(pieces(&damaged, &cuts)), scan_pieces([damaged.as_str()]), "{}", damaged);
    }

    #[test]
    fn runs_of_plain_text_are_taken_as_their_characters_are(
        text in "([{}\\[\\]:,\"'“”\\\\ \nab]|[a-z .é日]{4,30}|\"phrase\":\"|\"category\":\"bias\"|\"highlights\":\\[|\\PC){0,60}",
        room in 0..200_usize,
    ) {
        let limits = || Limits { phrase_chars: 1..=room + 1, ..Limits::default() };
        let (mut fast, mut slow) = (Scanner::with_limits(limits()), Scanner::with_limits(limits()));
        let (mut taken, mut stepped) = (Vec::new(), Vec::new());
        fast.push(&text, &mut taken);
        text.chars().for_each(|c| slow.push_char(c, &mut stepped));
        let ends = (fast.finish(&mut taken), slow.finish(&mut stepped));
        prop_assert_eq!(ends.0, ends.1);
        prop_assert_eq!(taken, stepped);
    }

    #[test]
    fn whole_objects_are_taken_as_their_characters_are(
        objects in proptest::collection::vec(object(), 0..5),
        is_grouped in any::<bool>(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let open = if is_grouped { "{\"highlights\":{\"misinformation\":[" } else { "{\"highlights\":[" };
        let text = format!("{open}{}", objects.concat());
        let (mut slow, mut stepped) = (Scanner::new(), Vec::new());
        let (mut fast, mut taken) = (Scanner::new(), Vec::new());
        for piece in pieces(&text, &cuts) {
            fast.push(piece, &mut taken);
            piece.chars().for_each(|c| slow.push_char(c, &mut stepped));
            // Not only the same: at the same moment.
            prop_assert_eq!(&taken, &stepped, "{}", text);
        }
        let ends = (fast.finish(&mut taken), slow.finish(&mut stepped));
        prop_assert_eq!(ends.0, ends.1, "{}", text);
        prop_assert_eq!(taken, stepped, "{}", text);
    }

    #[test]
    fn what_is_quickly_told_is_true(
        text in "[a-z  .é\u{a0}\n!-]{0,100}", host in "[a-z.0-9-]{1,20}(\\.[a-z]{1,6})?", path in "(/[!-~é ]{0,20})?",
    ) {
        prop_assert_eq!(draft::fitted(text.clone(), 90), draft::cut(&text, 90));
        let address = format!("https://{host}{path}");
        if is_plain_address(&address) {
            prop_assert!(web_address(&address).is_some(), "{}", address);
        }
    }

    #[test]
    fn any_text_is_survived_within_bounds(
        text in "([{}\\[\\]:,\"'“”\\\\<>/ \nabuD8]|\"phrase\":|\"category\":\"bias\"|\"highlights\":\\[|\"summary\":|<think>|\\PC){0,200}",
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let (found, report) = scan_pieces(pieces(&text, &cuts));
        prop_assert_eq!(&(found, report), &scan_pieces([text.as_str()]));
        let mut scanner = Scanner::new();
        scanner.push(&text, &mut Vec::new());
        prop_assert!(scanner.total_steps() <= 24 * text.chars().count() + 24, "{} steps: {}", scanner.total_steps(), text);
        extract_complete_highlights(&text, 0);
        extract_complete_highlights(&text, 5);
    }
}

/// Steps for `unit` repeated `times`.
fn steps(head: &str, unit: &str, times: usize) -> usize {
    let mut scanner = Scanner::new();
    let mut out = Vec::new();
    scanner.push(head, &mut out);
    for _ in 0..times {
        scanner.push(unit, &mut out);
        out.clear();
    }
    scanner.total_steps()
}

#[test]
fn work_grows_with_the_text_and_no_faster() {
    for (head, unit) in [
        ("{\"highlights\":[", r#"{"phrase":"a phrase of the page","category":"bias","note":"n"},"#),
        ("{\"highlights\":[", r#"{"phrase":"a "phrase" of, "the page","category":"bias"},"#),
        ("{\"highlights\":[{\"phrase\":\"", "never closed "),
        ("{\"highlights\":[{\"phrase\":\"", "\" "),
        ("{\"highlights\":[{\"phrase\":\"", "\",'\", \""),
        ("{\"highlights\":[{\"phrase\":\"", "\",\"key\" "),
        ("{\"highlights\":[{\"phrase\":\"x\" :: ", "{\"phrase\" {\"note"),
        ("", "{\"a [{ <think "),
        ("", "[[[[{{{{"),
    ] {
        let (once, twice) = (steps(head, unit, 2000), steps(head, unit, 4000));
        assert!(twice * 10 <= once * 23, "{unit}: {once} then {twice}");
        assert!(once <= 12 * (head.len() + unit.len() * 2000), "{unit}: {once}");
    }
}
