//! Pages longer than a model reads at once.

use super::*;

/// A page of numbered paragraphs, about 60 bytes each.
fn page(paragraphs: usize) -> String {
    let paragraph = |n| format!("Paragraph {n} says that the harbour of town {n} grew by a lot.\n");
    (0..paragraphs).map(paragraph).collect::<Vec<_>>().concat()
}

fn scan(content: &str, tab_id: Option<i32>) -> PanelToWorker {
    PanelToWorker::Highlights {
        content: content.to_owned(),
        analysis: String::new(),
        url: String::new(),
        title: String::new(),
        links: Vec::new(),
        private: false,
        tab_id,
        reading: "r1".to_owned(),
    }
}

fn analysis(content: &str) -> PanelToWorker {
    PanelToWorker::Analyze {
        url: String::new(),
        title: String::new(),
        content: content.to_owned(),
        links: Vec::new(),
        private: false,
        tab_id: None,
    }
}

fn question(content: &str, question: &str) -> PanelToWorker {
    PanelToWorker::Chat {
        url: String::new(),
        title: String::new(),
        content: content.to_owned(),
        messages: Vec::new(),
        new_message: question.to_owned(),
        selection: String::new(),
        opened: 0,
        links: Vec::new(),
        private: false,
        tab_id: None,
    }
}

/// What the server on this machine that the project is tried with says of a request that is too long.
const TOO_LONG: &str = r#"{"error":{"code":400,"message":"request (12215 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":12215,"n_ctx":8192}}"#;

impl World {
    /// Fetches without an end, in the order they were sent.
    fn open(&self) -> Vec<FetchId> {
        self.fetches.iter().filter(|id| !self.ended.contains(id) && !self.aborted.contains(id)).copied().collect()
    }

    fn request(&self, id: FetchId) -> &str {
        &self.requests[self.fetches.iter().position(|fetch| *fetch == id).unwrap()].body
    }

    /// A whole response to one fetch.
    fn respond_to(&mut self, id: FetchId, status: u16, body: &str) {
        let content_type = if status == 200 { STREAM } else { "application/json" };
        let head = ResponseHead { status, content_type: content_type.to_owned(), ..ResponseHead::default() };
        self.dispatcher.handle_head(id, &head, self.now);
        self.dispatcher.handle_chunk(id, body.as_bytes(), self.now);
        self.dispatcher.handle_end(id, self.now);
        self.ended.push(id);
        self.now += 20;
        self.dispatcher.handle_timeout(self.now);
        self.drain();
    }

    fn say(&mut self, id: FetchId, text: &str) {
        self.respond_to(id, 200, &format!("{}{}", delta(text), stop("stop")));
    }

    /// Answers everything until the run ends, the newest question first.
    fn answer_all(&mut self, answer: impl Fn(&str) -> String) {
        while let Some(id) = self.open().pop() {
            let said = answer(self.request(id));
            self.say(id, &said);
        }
    }

    fn phrases(&self) -> Vec<&str> {
        let posted = self.posted.iter();
        let phrase =
            posted.map(|m| if let WorkerToPanel::HighlightItem { highlight, .. } = m { &highlight.phrase } else { "" });
        phrase.filter(|phrase| !phrase.is_empty()).collect()
    }

    fn summary(&self) -> &str {
        let posted = self.posted.iter();
        let mut summary = posted
            .filter_map(|m| if let WorkerToPanel::HighlightsResult { summary, .. } = m { Some(summary) } else { None });
        summary.next().expect("a summary")
    }

    fn statuses(&self) -> Vec<&str> {
        let posted = self.posted.iter();
        posted
            .filter_map(|m| if let WorkerToPanel::Status { message } = m { Some(message.as_str()) } else { None })
            .collect()
    }
}

/// Numbers of the paragraphs in a request, the first and the last.
fn paragraphs(request: &str) -> (usize, usize) {
    let number = |after: &str| after.split(' ').next().unwrap().parse().unwrap();
    let first = request.split("Paragraph ").nth(1).map(number).unwrap();
    let last = request.rsplit("Paragraph ").next().map(number).unwrap();
    (first, last)
}

/// An answer that marks the first and the last paragraph of a request, and sums up.
fn mark_both_ends(request: &str) -> String {
    if request.contains("read in parts") {
        return r#"{"summary":"All of it.","category_summaries":{"bias":"One."}}"#.to_owned();
    }
    let (first, last) = paragraphs(request);
    let phrase = |n| json!({ "phrase": format!("the harbour of town {n} grew"), "category": "bias", "note": "" });
    json!({ "summary": format!("From {first} to {last}."), "category_summaries": { "bias": "Some." },
        "highlights": [phrase(first), phrase(last)] })
    .to_string()
}

#[test]
fn a_megabyte_is_read_whole_and_in_order_whoever_answers_first() {
    let content = page(16_700);
    assert!(content.len() > 1_000_000);
    let mut world = World::openai();
    world.ask(scan(&content, None));
    assert_eq!(world.open().len(), 3, "a few at once");
    world.answer_all(mark_both_ends);
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    let parts: Vec<(usize, usize)> =
        world.requests[..world.requests.len() - 1].iter().map(|r| paragraphs(&r.body)).collect();
    let mut in_order = parts.clone();
    in_order.sort_unstable();
    assert_eq!((in_order[0].0, in_order[in_order.len() - 1].1), (0, 16_699));
    assert!(in_order.windows(2).all(|pair| pair[1].0 <= pair[0].1 + 1), "nothing falls between two parts");
    let towns: Vec<usize> =
        world.phrases().iter().map(|phrase| phrase.split(' ').nth(4).unwrap().parse().unwrap()).collect();
    assert_eq!(towns.len(), 2 * parts.len());
    let expected: Vec<usize> = in_order.iter().flat_map(|&(first, last)| [first, last]).collect();
    assert_eq!(towns, expected, "highlights come in the order of the page");
    let indices: Vec<u32> = world
        .posted
        .iter()
        .filter_map(|m| if let WorkerToPanel::HighlightItem { index, .. } = m { Some(*index) } else { None })
        .collect();
    assert!(indices.iter().copied().eq(0..u32::try_from(indices.len()).unwrap()), "numbered through");
    assert_eq!(world.summary(), "All of it.");
    assert!(
        world.statuses().contains(&format!("Scanning page... (part 2 of {})", parts.len()).as_str()),
        "{:?}",
        world.statuses()
    );
}

#[test]
fn a_page_that_fits_is_asked_about_once_and_its_summary_stands() {
    let mut world = World::openai();
    world.ask(scan(&page(300), None));
    world.answer_all(mark_both_ends);
    assert_eq!(world.requests.len(), 1);
    assert_eq!(world.summary(), "From 0 to 299.");
    assert_eq!(world.statuses(), ["Scanning page..."]);
}

#[test]
fn a_later_part_waits_for_its_turn_and_what_waits_is_bounded() {
    let mut world = World::openai();
    world.ask(scan(&page(16_700), None));
    let first = world.open()[0];
    let mut answered = 0;
    while let Some(id) = world.open().into_iter().find(|id| *id != first) {
        let said = mark_both_ends(world.request(id));
        world.say(id, &said);
        answered += 1;
    }
    assert!(world.phrases().is_empty(), "the first part comes first");
    assert!((3..10).contains(&answered), "{answered} answers wait for the first");
    assert!(world.posted.contains(&WorkerToPanel::Ping), "each is a sign of life");
    let said = mark_both_ends(world.request(first));
    world.say(first, &said);
    assert_eq!(world.phrases().len(), 2 * (answered + 1));
}

#[test]
fn what_two_parts_share_is_marked_once() {
    let mut world = World::openai();
    world.ask(scan(&page(700), None));
    world.answer_all(|request| {
        if request.contains("read in parts") {
            return "No JSON here.".to_owned();
        }
        let (first, last) = paragraphs(request);
        let all: Vec<_> = (first..=last)
            .map(|n| json!({ "phrase": format!("the harbour of town {n} grew"), "category": "bias", "note": "" }))
            .collect();
        // The scanner takes 25: those of the end, then, for the next part, those of the beginning.
        let some = if first == 0 { &all[all.len() - 25..] } else { &all[..25.min(all.len())] };
        json!({ "summary": format!("From {first}."), "highlights": some }).to_string()
    });
    assert_eq!(world.requests.len(), 3, "two parts and the summary");
    let phrases = world.phrases();
    let mut once = phrases.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), phrases.len());
    assert!(phrases.len() < 50, "they do share something");
    assert_eq!(world.summary(), "From 0.", "without a summary of all the first one stands");
    assert_eq!(world.done(), (StopReason::EndTurn, false));
}

#[test]
fn a_part_that_fails_is_named_and_costs_no_other() {
    let mut world = World::openai();
    world.ask(scan(&page(2_000), None));
    let parts = 6;
    let second = world.open()[1];
    world.respond_to(second, 200, &stop("stop"));
    world.answer_all(mark_both_ends);
    assert_eq!(world.phrases().len(), 2 * (parts - 1));
    assert_eq!(world.summary(), "All of it.");
    let (code, message) = world.error();
    assert_eq!(code, ErrorCode::Empty);
    assert!(message.starts_with(&format!("Part 2 of {parts} could not be read: ")), "{message}");
    assert!(matches!(world.posted.last(), Some(WorkerToPanel::Error { retryable: true, .. })));
}

#[test]
fn a_part_cut_at_the_output_limit_makes_the_whole_cut() {
    let mut world = World::openai();
    world.ask(scan(&page(700), None));
    let first = world.open()[0];
    let said = mark_both_ends(world.request(first));
    world.respond_to(first, 200, &format!("{}{}", delta(&said), stop("length")));
    world.answer_all(mark_both_ends);
    assert_eq!(world.done(), (StopReason::MaxTokens, true));
}

#[test]
fn what_concerns_the_provider_ends_it_all_at_once() {
    let mut world = World::openai();
    world.ask(scan(&page(16_700), None));
    for id in world.open() {
        world.respond_to(id, 401, r#"{"error":{"message":"no"}}"#);
    }
    assert_eq!(world.requests.len(), 3, "nobody asks forty times with a wrong key");
    assert_eq!(world.error().0, ErrorCode::Auth);
    assert!(!world.error().1.contains("Part"), "{:?}", world.error());
}

#[test]
fn a_provider_that_asks_for_patience_is_asked_one_question_at_a_time() {
    let mut world = World::openai();
    world.ask(scan(&page(16_700), None));
    let third = world.open()[2];
    world.respond_to(third, 429, "{}");
    for id in world.open() {
        let said = mark_both_ends(world.request(id));
        world.say(id, &said);
    }
    assert!(world.open().is_empty(), "nothing new while one waits");
    while world.open().is_empty() {
        world.wait();
    }
    for _ in 0..5 {
        assert_eq!(world.open().len(), 1);
        let id = world.open()[0];
        let said = mark_both_ends(world.request(id));
        world.say(id, &said);
    }
    assert_eq!(world.phrases().len(), 2 * 7);
}

#[test]
fn closing_the_port_ends_every_conversation() {
    let mut world = World::openai();
    world.ask(scan(&page(16_700), None));
    let open = world.open();
    world.dispatcher.handle_disconnect(PORT);
    world.drain();
    assert_eq!(world.aborted, open);
    let posted = world.posted.len();
    for id in open {
        world.say(id, "late");
    }
    assert_eq!(world.posted.len(), posted);
    assert_eq!(world.dispatcher.poll_deadline(), None);
}

/// A server that holds so many tokens of four bytes, the answer included, and says so as `report` does.
fn small_server(
    world: &mut World,
    limit: usize,
    report: impl Fn(usize) -> String,
    answer: impl Fn(&str) -> String,
) -> usize {
    let mut refused = 0;
    while let Some(id) = world.open().pop() {
        let request: serde_json::Value = serde_json::from_str(world.request(id)).unwrap();
        let text = format!("{}{}", request["messages"][0]["content"], request["messages"][1]["content"]);
        let tokens = text.len() / 4;
        if tokens > limit {
            refused += 1;
            world.respond_to(id, 400, &report(tokens));
        } else {
            let said = answer(world.request(id));
            world.say(id, &said);
        }
    }
    refused
}

fn llama_report(tokens: usize) -> String {
    TOO_LONG.replace("12215", &tokens.to_string()).replace("8192", "2048")
}

#[test]
fn a_small_context_gets_smaller_parts() {
    let with_numbers: fn(usize) -> String = llama_report;
    let without: fn(usize) -> String = |_| r#"{"error":{"code":"context_length_exceeded"}}"#.to_owned();
    for report in [with_numbers, without] {
        let content = page(2_000);
        let mut world = World::openai();
        world.ask(scan(&content, None));
        let refused = small_server(&mut world, 2_048, report, mark_both_ends);
        assert_eq!(world.done(), (StopReason::EndTurn, false), "after {refused} refusals");
        assert!(refused <= 12, "{refused} refusals");
        let towns: Vec<usize> =
            world.phrases().iter().map(|phrase| phrase.split(' ').nth(4).unwrap().parse().unwrap()).collect();
        assert_eq!((towns[0], towns[towns.len() - 1]), (0, 1_999));
        assert!(
            towns
                .chunks(2)
                .collect::<Vec<_>>()
                .windows(2)
                .all(|pair| pair[0][0] < pair[1][0] && pair[1][0] <= pair[0][1] + 1),
            "{towns:?}"
        );
    }
}

#[test]
fn a_model_that_holds_next_to_nothing_is_not_asked_for_ever() {
    for report in [TOO_LONG.replace("8192", "512"), r#"{"error":{"code":"context_length_exceeded"}}"#.to_owned()] {
        for message in
            [scan(&page(16_700), None), analysis(&page(16_700)), question(&page(16_700), "Which towns grew?")]
        {
            let mut world = World::openai();
            world.ask(message);
            let mut refused = 0;
            while let Some(id) = world.open().pop() {
                world.respond_to(id, 400, &report);
                refused += 1;
            }
            assert_eq!(world.error().0, ErrorCode::TooLong);
            assert!(refused < 60, "{refused} refusals");
        }
    }
}

#[test]
fn an_analysis_that_does_not_fit_is_written_from_notes_on_every_part() {
    let content = page(2_000);
    let mut world = World::openai();
    world.ask(analysis(&content));
    assert_eq!(world.requests.len(), 1, "tried whole first");
    small_server(&mut world, 2_048, llama_report, |request| {
        if request.contains("takes notes") || request.contains("take notes") {
            let (first, last) = paragraphs(request);
            format!("Noted {first}-{last}.")
        } else {
            "## Key Claims\nThe harbours grew.".to_owned()
        }
    });
    assert_eq!(world.text(), "## Key Claims\nThe harbours grew.");
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    let last = world.requests.last().unwrap().body.clone();
    assert!(last.contains("Noted 0-") && last.contains("-1999."), "{last}");
    assert!(
        world.statuses().iter().any(|status| status
            .starts_with("The page is longer than the model can hold: reading it in parts... (part 2 of ")),
        "{:?}",
        world.statuses()
    );
}

#[test]
fn notes_that_fail_are_named_and_the_answer_is_written_from_the_others() {
    let mut world = World::openai();
    world.ask(analysis(&page(10_000)));
    assert_eq!(world.open().len(), 3, "half a megabyte is not even tried whole");
    let second = world.open()[1];
    world.respond_to(second, 200, &stop("stop"));
    world.answer_all(
        |request| if request.contains("take notes") { "A note.".to_owned() } else { "An answer.".to_owned() },
    );
    assert_eq!(world.text(), "An answer.");
    assert!(world.requests.last().unwrap().body.contains("This part could not be read."));
    assert!(world.error().1.starts_with("Part 2 of 7 could not be read: "), "{:?}", world.error());
}

#[test]
fn a_question_is_answered_from_the_passages_closest_to_it() {
    let content = page(10_000).replace("Paragraph 7777 ", "Paragraph 7777 about the lighthouse keeper ");
    let mut world = World::openai();
    world.ask(question(&content, "Who was the lighthouse keeper?"));
    let refused = small_server(&mut world, 2_048, llama_report, |_| "Amalia.".to_owned());
    assert!(refused > 0);
    assert_eq!(world.text(), "Amalia.");
    assert_eq!(world.done(), (StopReason::EndTurn, false));
    let last = &world.requests.last().unwrap().body;
    assert!(last.contains("about the lighthouse keeper") && last.contains("[…]"));
    assert!(
        world.statuses().iter().any(|status| status.contains("passages closest to the question")),
        "{:?}",
        world.statuses()
    );
}

/// Notes and sums are read by no one but the model that writes on: in another language they would turn its answer.
#[test]
fn notes_and_summaries_are_written_in_the_language_of_answers() {
    for (chosen, named) in [("Esperanto", "Esperanto"), ("", "the language of the page")] {
        for (request, is_scan) in [(analysis(&page(10_000)), false), (scan(&page(700), None), true)] {
            let mut world = World::openai();
            world.settings.answer_language = chosen.to_owned();
            world.ask(request);
            world.answer_all(|request| if is_scan { mark_both_ends(request) } else { "A note.".to_owned() });
            let is_of_parts = |body: &&str| body.contains("take notes") || body.contains("each part summed up");
            let bodies: Vec<&str> = world.requests.iter().map(|request| request.body.as_str()).collect();
            assert!(bodies.iter().any(is_of_parts));
            for body in bodies {
                assert!(body.contains(&format!("Write in {named};")), "{body}");
            }
        }
    }
}

/// A whole answer with its price: 100 tokens in, 7 out.
fn metered(text: &str) -> String {
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 7 } });
    let finish = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    format!("{}data: {finish}\n\ndata: {usage}\n\ndata: [DONE]\n\n", delta(text))
}

#[test]
fn a_page_that_was_partly_read_says_what_that_took() {
    let mut world = World::openai();
    world.ask(scan(&page(2_000), None));
    let second = world.open()[1];
    world.respond_to(second, 200, &stop("stop"));
    while let Some(id) = world.open().pop() {
        let said = metered(&mark_both_ends(world.request(id)));
        world.respond_to(id, 200, &said);
    }
    let others = u64::try_from(world.requests.len() - 1).unwrap();
    let Some(WorkerToPanel::Error { usage: Some(usage), .. }) = world.posted.last() else {
        panic!("{:?}", world.posted.last())
    };
    assert_eq!((usage.input_tokens, usage.output_tokens), (100 * others, 7 * others));
}

#[test]
fn tokens_of_all_parts_are_counted_together() {
    let mut world = World::openai();
    world.ask(scan(&page(700), None));
    while let Some(id) = world.open().pop() {
        let said = metered(&mark_both_ends(world.request(id)));
        world.respond_to(id, 200, &said);
    }
    assert_eq!(world.requests.len(), 3);
    assert!(
        matches!(world.posted.last(), Some(WorkerToPanel::Done { usage: Some(usage), .. }) if (usage.input_tokens, usage.output_tokens) == (300, 21)),
        "{:?}",
        world.posted.last()
    );
}

#[test]
fn an_endless_answer_that_waits_for_its_turn_is_stopped() {
    let mut world = World::openai();
    world.ask(scan(&page(2_000), None));
    let second = world.open()[1];
    let head = ResponseHead { status: 200, content_type: STREAM.to_owned(), ..ResponseHead::default() };
    world.dispatcher.handle_head(second, &head, world.now);
    let mut sent = 0;
    while !world.aborted.contains(&second) {
        let words = (0..100).map(|n| format!("{} ", sent * 100 + n)).collect::<Vec<_>>().concat();
        world.dispatcher.handle_chunk(second, delta(&words).as_bytes(), world.now);
        world.drain();
        sent += 1;
        assert!(sent < 10_000);
    }
    world.answer_all(mark_both_ends);
    assert!(world.error().1.starts_with("Part 2 of 6 could not be read: "), "{:?}", world.error());
}

#[test]
fn a_phrase_that_stands_everywhere_is_marked_in_its_own_part() {
    let paragraph = |n| format!("Number {n} is here. They say that everyone knows the harbour grew.\n");
    let content = (0..700).map(paragraph).collect::<Vec<_>>().concat();
    let mut world = World::openai();
    world.ask(scan(&content, Some(5))).snapshot(&content);
    let second = world.open()[1];
    let start = content.len()
        - world.request(second).split("Number ").nth(1).map_or(0, |after| {
            let n: usize = after.split(' ').next().unwrap().parse().unwrap();
            content.len() - content.find(&format!("Number {n} ")).unwrap()
        });
    world.answer_all(|request| {
        if request.contains("Number 0 ") || request.contains("read in parts") {
            "[]".to_owned()
        } else {
            r#"[{"phrase":"everyone knows the harbour grew","category":"bias","note":""}]"#.to_owned()
        }
    });
    let place = world.anchors[0].expect("it is there").start as usize;
    assert!((start..start + 100).contains(&place), "{place} is not near {start}");
}
