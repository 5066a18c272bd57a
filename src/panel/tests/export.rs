//! What leaves the panel by the reader's hand, and what tests ask it for.

use super::*;
use crate::panel::mark_as_text;
use crate::wire::{CategorySummaries, ErrorCode, PaintedItem, ReadingError};

#[test]
fn the_export_has_the_fields_others_rely_on() {
    let mut sourced = highlight("Cargo rose by 12 percent", Category::Supported);
    sourced.source = "Harbour master".to_owned();
    sourced.source_url = "https://port.example/report".to_owned();
    let mut panel = reading(anthropic());
    find(&mut panel, 0, sourced, 1_100);
    find(&mut panel, 1, highlight("a monstrous scar", Category::Emotional), 1_200);
    panel.handle_painted(TAB, "r1", vec![PaintedItem { index: 0, text: "Cargo rose by 12 percent".to_owned() }], false);
    let result = WorkerToPanel::HighlightsResult {
        summary: "About a harbour.".to_owned(),
        category_summaries: CategorySummaries::from([(Category::Emotional, "One loaded word.".to_owned())]),
    };
    panel.handle_message("r1", Request::Highlights, result, 1_300);
    panel.handle_message("r1", Request::Highlights, end(), 1_300);
    let (name, label, url) = ("fetch_url".to_owned(), String::new(), "https://study.example/one".to_owned());
    panel.handle_message("r1", Request::Analysis, WorkerToPanel::ToolCall { name, label, url }, 1_400);
    say(&mut panel, "## Key Claims", 1_400);
    let failed = WorkerToPanel::Error {
        message: "Busy.".to_owned(),
        code: Some(ErrorCode::Overloaded),
        retryable: true,
        usage: None,
    };
    panel.handle_message("r1", Request::Analysis, failed, 1_500);
    let exported = serde_json::to_value(panel.export()).unwrap();
    let model = exported["model"].clone();
    let page = panel.markdown().unwrap();
    assert!(page.contains("## Key Claims\n\nOpened for this answer:\n\n- <https://study.example/one>\n"), "{page}");
    assert_eq!(
        exported,
        json!({
            "page": { "url": URL, "title": "The harbour" },
            "provider": "anthropic",
            "model": model,
            "analysis": "## Key Claims",
            "opened": ["https://study.example/one"],
            "highlights": [
                {
                    "index": 0, "phrase": "Cargo rose by 12 percent", "category": "supported", "note": "",
                    "source": "Harbour master", "source_url": "https://port.example/report", "verified": false,
                    "anchored": true
                },
                {
                    "index": 1, "phrase": "a monstrous scar", "category": "emotional", "note": "", "source": "",
                    "source_url": "", "verified": false, "anchored": false
                },
            ],
            "summary": "About a harbour.",
            "categorySummaries": { "emotional": "One loaded word." },
            "timings": { "first_delta_ms": 400, "first_highlight_ms": 100, "done_ms": 500 },
            "usage": null,
            "errors": [{ "code": "overloaded", "message": "Busy." }],
            "chat": [],
            "state": "failed",
        })
    );
}

#[test]
fn a_page_that_cannot_be_read_is_exported_with_its_reason() {
    let mut panel = panel(Settings::default());
    panel.handle_unreadable(TAB, ReadingError::new(ErrorCode::Page, "Not this one."));
    let exported = serde_json::to_value(panel.export()).unwrap();
    assert_eq!(exported["state"], "unreadable");
    assert_eq!(exported["errors"], json!([{ "code": "page", "message": "Not this one." }]));
}

#[test]
fn the_markdown_page_holds_everything_once() {
    let mut panel = done("## Key Claims\n\nOne.", &[highlight("a\nphrase", Category::Bias)]);
    assert_eq!(
        panel.markdown().unwrap(),
        "# The harbour\n\n<https://www.example.org/harbour>\n\nRead by Offline reader in 2.0 s.\n\n\
         ## Key Claims\n\nOne.\n\n## Highlights\n\n- ⚖ Bias / Framing: “a phrase”\n"
    );
    panel.handle_tab(Tab { id: 99, url: None, title: None });
    assert_eq!(panel.markdown(), None);
}

#[test]
fn the_markdown_page_has_the_sentence_of_each_category() {
    let mut panel = reading(anthropic());
    let category_summaries = [(Category::Bias, "One side\nspeaks.".to_owned())].into_iter().collect();
    let result = WorkerToPanel::HighlightsResult { summary: "Short.".to_owned(), category_summaries };
    panel.handle_message("r1", Request::Highlights, result, 0);
    assert!(panel.markdown().unwrap().contains("\n\nShort.\n\n- ⚖ Bias / Framing: One side speaks.\n"));
}

#[test]
fn a_source_nobody_checked_is_called_unverified() {
    let mut sourced = highlight("phrase", Category::Supported);
    sourced.note = "Carries a source.".to_owned();
    sourced.source = "A study".to_owned();
    let mut panel = done("", &[sourced]);
    panel.handle_select(0);
    let text = mark_as_text(panel.selected_item().unwrap());
    assert_eq!(text, "✓ Supported Claim: “phrase” — Carries a source. (A study, unverified)");
}
