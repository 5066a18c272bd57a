//! Tools, sources and what is verified by them, as the panel sees it.

use super::*;
use crate::agent::FetchedPage;

const CITED: &str = "https://study.example/one";

fn researched() -> PanelToWorker {
    PanelToWorker::Highlights {
        content: format!("The harbour grew. Experts say it will grow again.\n\nPAGE LINKS:\n- a study: {CITED}"),
        analysis: "## Key Claims\nIt grew.".to_owned(),
        url: String::new(),
        title: String::new(),
        links: vec![CITED.to_owned()],
        private: false,
        tab_id: None,
        reading: String::new(),
    }
}

/// An answer that ends in calls of `fetch_url`.
fn calls(urls: &[&str]) -> String {
    let call = |(index, url): (usize, &&str)| {
        let arguments = json!({ "url": url }).to_string();
        json!({ "index": index, "id": format!("call_{index}"), "function": { "name": "fetch_url", "arguments": arguments } })
    };
    let calls: Vec<serde_json::Value> = urls.iter().enumerate().map(call).collect();
    format!("data: {}\n\n{}", json!({ "choices": [{ "delta": { "tool_calls": calls } }] }), stop("tool_calls"))
}

/// An answer of highlights, each with a source.
fn list(phrases: &[(&str, &str)]) -> String {
    let item = |(phrase, url): &(&str, &str)| json!({ "phrase": phrase, "category": "supported", "note": "", "source": "A study", "source_url": url });
    let items: Vec<serde_json::Value> = phrases.iter().map(item).collect();
    json!({ "summary": "One. Two.", "category_summaries": {}, "highlights": items }).to_string()
}

impl World {
    /// The page asked for last comes, from `url`.
    fn page(&mut self, url: &str) {
        let id = self.pages.last().expect("a page is asked for").0;
        let page = FetchedPage {
            url: url.to_owned(),
            status: 200,
            content_type: "text/plain".to_owned(),
            body: "It grew.".to_owned(),
            is_cut: false,
        };
        self.dispatcher.handle_page(id, Ok(page), self.now);
        self.drain();
    }

    /// Phrases found, with what is said of their sources.
    fn found(&self) -> Vec<(&str, bool)> {
        let mut found = Vec::new();
        for message in &self.posted {
            if let WorkerToPanel::HighlightItem { highlight, .. } = message {
                found.push((highlight.phrase.as_str(), highlight.verified));
            }
        }
        found
    }
}

#[test]
fn only_what_this_run_brought_is_a_verified_source() {
    let mut world = World::openai();
    // Text before a call is a text of its own, however much it looks like the beginning of the answer.
    let begun = r#"{"summary": "half", "highlights": [{"phrase": "half a phr"#;
    world.ask(researched()).respond(200, STREAM, &format!("{}{}", delta(begun), calls(&[CITED])));
    world.page(&format!("{CITED}/"));
    let answer = list(&[
        ("The harbour grew", &format!("{CITED}?utm_source=x#top")),
        ("Experts say it will", "https://invented.example/"),
        ("grow again at last", ""),
    ]);
    world.respond(200, STREAM, &format!("{}{}", delta(&answer), stop("stop")));
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert_eq!(
        world.found(),
        [("The harbour grew", true), ("Experts say it will", false), ("grow again at last", false)]
    );
    let told =
        |message: &WorkerToPanel| matches!(message, WorkerToPanel::Sources { sources } if sources[0].url == CITED);
    assert_eq!(world.posted.iter().filter(|message| told(message)).count(), 1);
    assert!(
        world
            .posted
            .iter()
            .any(|m| matches!(m, WorkerToPanel::Status { message } if message == "Verifying sources (step 2)..."))
    );
    assert!(
        world.posted.iter().any(|m| matches!(m, WorkerToPanel::ToolCall { label, .. } if label == "Fetching URL..."))
    );
}

#[test]
fn highlights_that_are_said_again_after_a_call_are_shown_once() {
    let mut world = World::openai();
    let first = list(&[("The harbour grew", "")]);
    world.ask(researched()).respond(200, STREAM, &format!("{}{}", delta(&first), calls(&[CITED])));
    world.page(CITED);
    let second = list(&[("The harbour grew", CITED), ("Experts say it will", CITED)]);
    world.respond(200, STREAM, &format!("{}{}", delta(&second), stop("stop")));
    assert_eq!(world.found(), [("The harbour grew", false), ("Experts say it will", true)]);
}

#[test]
fn a_quick_scan_is_offered_no_tools_and_a_researched_one_is() {
    for (request, expect) in [(highlights(None), false), (researched(), true), (analyze(), true)] {
        let mut world = World::openai();
        world.ask(request);
        assert_eq!(world.requests[0].body.contains("\"tools\""), expect);
    }
}

#[test]
fn closing_the_port_stops_the_pages_too() {
    let mut world = World::openai();
    let answer = calls(&[CITED, CITED]);
    world.ask(researched()).respond(200, STREAM, &answer);
    assert_eq!(world.pages.len(), 2);
    world.aborted.clear();
    world.dispatcher.handle_disconnect(PORT);
    world.drain();
    assert_eq!(world.aborted, world.pages.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    world.page(CITED);
    assert_eq!(world.requests.len(), 1, "what comes late starts nothing");
}

#[test]
fn an_end_at_the_bound_is_told_as_one() {
    let mut world = World::openai();
    world.ask(researched());
    for _ in 1..4 {
        world.respond(200, STREAM, &calls(&[CITED])).page(CITED);
    }
    world.respond(200, STREAM, &format!("{}{}", delta(&list(&[("The harbour grew", CITED)])), calls(&[CITED])));
    assert_eq!(world.requests.len(), 4);
    assert_eq!(world.done(), (StopReason::ToolUse, true));
}
