//! What the worker is asked: for one tiny answer of a model, to see whether provider, key, model and address fit
//! together, and for the models there are.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Promise};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::outcome::Outcome;
use sidelight::provider::{self, presets};
use sidelight::wire::{ErrorCode, PanelToWorker, ProviderConfig, ProviderId, WorkerToPanel};
use sidelight::words;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::subscription::Subscription;
use sidelight_browser::{chrome, clock};

#[derive(Serialize)]
struct ConnectInfo {
    name: &'static str,
}

#[derive(Deserialize)]
struct PlatformInfo {
    os: String,
}

/// So much of an answer is proof, in bytes; the rest is not waited for.
const ENOUGH: usize = 40;

/// What the worker has said, as far as it has come.
#[derive(Default)]
struct Answer {
    text: String,
    models: Vec<String>,
    /// The last word of the worker; without one it died.
    ending: Option<WorkerToPanel>,
}

/// Has the worker ask for one word, the way it asks for readings: a trial that works means a reading that works.
pub(super) async fn try_out(id: ProviderId, config: ProviderConfig) -> Outcome {
    let url = match provider::endpoint(id, &config) {
        Ok(url) => url,
        Err(error) => return Outcome::problem(error.message),
    };
    let started = clock::now();
    let Some(answer) = ask(&PanelToWorker::Test { provider: id, config }).await else {
        return Outcome::bad("options_not_asked");
    };
    let took_ms = clock::now().saturating_sub(started);
    match answer.ending {
        Some(WorkerToPanel::Error { message, code, .. }) => {
            let mut outcome = Outcome::problem(message).at(&url);
            if code == Some(ErrorCode::OriginRefused) {
                add_commands(&mut outcome).await;
            }
            outcome
        }
        None if answer.text.is_empty() => Outcome::bad("options_worker_stopped").at(&url),
        Some(_) | None => {
            let words: String = answer.text.trim().chars().take(80).collect();
            let seconds = words::decimal((took_ms / 100).max(1), 1);
            Outcome::plain(words::say("options_works", &[&words, &seconds])).at(&url)
        }
    }
}

/// Has the worker fetch the list of models.
pub(super) async fn models(id: ProviderId, config: ProviderConfig) -> Result<Vec<String>, Outcome> {
    let Some(answer) = ask(&PanelToWorker::Models { provider: id, config }).await else {
        return Err(Outcome::bad("options_not_asked"));
    };
    match answer.ending {
        Some(WorkerToPanel::Error { message, code, .. }) => {
            let mut outcome = Outcome::problem(message);
            if code == Some(ErrorCode::OriginRefused) {
                add_commands(&mut outcome).await;
            }
            Err(outcome)
        }
        None => Err(Outcome::bad("options_worker_stopped")),
        Some(_) => Ok(answer.models),
    }
}

/// Adds how a server on this machine is told to answer extensions.
async fn add_commands(outcome: &mut Outcome) {
    let info = chrome::runtime::platform_info().await.ok().and_then(|info| from_js::<PlatformInfo>(info).ok());
    outcome.line("words", words::say("options_origins", &[]));
    let commands = presets::origins_commands(info.as_ref().map_or("", |info| &info.os));
    for row in commands {
        if commands.len() > 1 {
            outcome.line("words", row.name);
        }
        outcome.line("command", row.command);
    }
}

/// Asks the worker one thing and waits for the end of its answer; `None` when it can't be asked.
async fn ask(question: &PanelToWorker) -> Option<Answer> {
    let (info, question) = (to_js(&ConnectInfo { name: "agent" }).ok()?, to_js(question).ok()?);
    let answer = Rc::new(RefCell::new(Answer::default()));
    let port = chrome::runtime::connect(&info);
    let mut done = None;
    let ended = Promise::new(&mut |resolve: Function, _| done = Some(resolve));
    let done = done?;
    let listening = {
        let (answer, done) = (Rc::clone(&answer), done.clone());
        Subscription::new(&port.on_message(), move |message, _, _| {
            if answer.borrow_mut().take(from_js(message)) {
                drop(done.call0(&JsValue::NULL));
            }
        })
    };
    let closing = Subscription::new(&port.on_disconnect(), move |_, _, _| drop(done.call0(&JsValue::NULL)));
    drop(port.post_message(&question));
    drop(JsFuture::from(ended).await);
    drop((listening, closing));
    port.disconnect();
    Some(answer.take())
}

impl Answer {
    /// Takes a message of the worker; answers whether it was the last.
    fn take(&mut self, message: Result<WorkerToPanel, serde_wasm_bindgen::Error>) -> bool {
        match message {
            Ok(WorkerToPanel::Batch { events }) => return events.into_iter().any(|event| self.take(Ok(event))),
            Ok(WorkerToPanel::TextDelta { text }) => self.text.push_str(&text),
            Ok(WorkerToPanel::Models { models }) => self.models = models,
            Ok(ending) if ending.is_final() => self.ending = Some(ending),
            Ok(_) => {}
            Err(_) => return true,
        }
        // A model that goes on and on has shown that it can be reached.
        self.ending.is_some() || self.text.len() >= ENOUGH
    }
}
