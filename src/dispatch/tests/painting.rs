//! Highlights on their way to the page.

use super::*;

#[test]
fn a_highlight_is_painted_when_its_brace_arrives_and_before_the_end_is_told() {
    let mut world = World::openai();
    world.ask(highlights(Some(5)));
    assert!(world.snapshot_asked, "the page's text is asked for with the model, not after it");
    world.head(200, STREAM, None);
    world.snapshot("The harbour grew. Experts say it will grow again.");
    let first = OBJECT.find("},\n    {\"phrase\":\"a phrase").unwrap() + 1;
    world.chunk(delta(&OBJECT[..first]).as_bytes());
    assert_eq!(world.painted, [("Experts say it will grow".to_owned(), true)]);
    world.chunk(delta(&OBJECT[first..]).as_bytes()).chunk(stop("stop").as_bytes());
    assert_eq!(world.painted[1], ("a phrase that is not there".to_owned(), false));
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    let indices: Vec<u32> = world
        .posted
        .iter()
        .filter_map(|m| if let WorkerToPanel::HighlightItem { index, .. } = m { Some(*index) } else { None })
        .collect();
    assert_eq!(indices, [0, 1]);
    assert!(world.posted.iter().any(|m| matches!(m, WorkerToPanel::HighlightsResult { summary, category_summaries }
        if summary == "Two sentences. Here." && category_summaries.contains_key(&Category::Bias))));
}

#[test]
fn the_summary_is_told_as_soon_as_it_is_complete() {
    let mut world = World::openai();
    world.ask(highlights(Some(5)));
    world.head(200, STREAM, None);
    world.chunk(
        delta(r#"{"summary": "Two sentences. Here.", "category_summaries": {"bias": "One."}, "highlights": ["#)
            .as_bytes(),
    );
    world.wait(); // a frame
    assert!(world.posted.iter().any(|m| matches!(m, WorkerToPanel::HighlightsResult { summary, .. }
        if summary == "Two sentences. Here.")));
    assert!(!world.posted.iter().any(WorkerToPanel::is_final));
}

#[test]
fn done_waits_for_the_page_but_not_for_ever() {
    let mut world = World::openai();
    let body = format!("{}{}", delta(OBJECT), stop("stop"));
    world.ask(highlights(Some(5))).respond(200, STREAM, &body);
    assert!(!world.posted.iter().any(WorkerToPanel::is_final), "the page has not given its text yet");
    while !world.posted.iter().any(WorkerToPanel::is_final) {
        world.wait();
    }
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert_eq!(world.now, 1_000_000 + page_side::SNAPSHOT_TIMEOUT);
}

#[test]
fn a_failure_does_not_wait_for_a_page_with_nothing_to_paint() {
    let mut world = World::openai();
    world.ask(highlights(Some(5))).respond(401, "application/json", "{}");
    assert_eq!(world.error().0, ErrorCode::Auth);
    assert_eq!(world.now, 1_000_000);
}

#[test]
fn a_page_that_is_gone_does_not_stop_the_reading() {
    let mut world = World::openai();
    world.ask(highlights(Some(5))).respond(200, STREAM, &format!("{}{}", delta(OBJECT), stop("stop")));
    world.dispatcher.handle_snapshot(PORT, None, world.now);
    world.drain();
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    assert!(world.painted.is_empty());
}

#[test]
fn phrases_in_the_models_markup_are_found() {
    let page = "The harbour grew. Tom & Jerry say \u{201c}it\u{201d} will <grow> again, and Müller's boats with it.";
    for phrase in [
        "**The harbour grew**",
        "The **harbour** grew",
        "*The harbour* grew.",
        "`The harbour grew`",
        "Tom &amp; Jerry say",
        "say &quot;it&quot; will &lt;grow&gt; again",
        "and Müller&#39;s boats",
        "and Müller&#x27;s boats",
        "<b>The harbour</b> grew",
        "The [harbour](https://example.org/harbour) grew",
    ] {
        let mut world = World::openai();
        world.ask(highlights(Some(5))).head(200, STREAM, None).snapshot(page);
        let object = json!([{ "phrase": phrase, "category": "bias" }]).to_string();
        world.chunk(delta(&object).as_bytes());
        assert_eq!(world.painted, [(phrase.to_owned(), true)]);
    }
}

#[test]
fn done_means_painted_but_a_page_that_never_answers_holds_nothing_up() {
    let mut world = World::openai();
    world.page_answers = false;
    world.ask(highlights(Some(5))).snapshot("The harbour grew. Experts say it will grow again.");
    world.respond(200, STREAM, &format!("{}{}", delta(OBJECT), stop("stop")));
    assert_eq!(world.painted.len(), 2);
    assert!(!world.posted.iter().any(WorkerToPanel::is_final), "the page has not said that it painted");
    world.dispatcher.handle_told(PORT, world.now);
    world.drain();
    assert_eq!(world.done(), (StopReason::EndTurn, false));

    let mut world = World::openai();
    world.page_answers = false;
    world.ask(highlights(Some(5))).snapshot("The harbour grew. Experts say it will grow again.");
    world.respond(200, STREAM, &format!("{}{}", delta(OBJECT), stop("stop")));
    while !world.posted.iter().any(WorkerToPanel::is_final) {
        world.wait();
    }
    assert_eq!(world.now, 1_000_000 + page_side::ANSWER_TIMEOUT);
}
