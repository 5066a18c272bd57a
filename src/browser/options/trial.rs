//! One tiny call, to see whether provider, key, model and address fit together.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Promise};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::form::Outcome;
use crate::browser::boundary::{from_js, to_js};
use crate::browser::subscription::Subscription;
use crate::browser::{chrome, clock};
use crate::provider;
use crate::wire::{PanelToWorker, ProviderConfig, ProviderId, WorkerToPanel};

#[derive(Serialize)]
struct ConnectInfo {
    name: &'static str,
}

/// So much of an answer is proof, in bytes; the rest is not waited for.
const ENOUGH: usize = 40;

/// How a trial went, as far as it has come.
#[derive(Default)]
struct Trial {
    answer: String,
    /// The last word of the worker; without one it died.
    ending: Option<WorkerToPanel>,
}

/// Has the worker ask for one word, the way it asks for readings: a trial that works means a reading that works.
pub(super) async fn ask(id: ProviderId, config: ProviderConfig) -> Outcome {
    let url = match provider::endpoint(id, &config) {
        Ok(url) => url,
        Err(error) => return Outcome::problem(error.message),
    };
    let question = PanelToWorker::Test { provider: id, config };
    let (Ok(info), Ok(question)) = (to_js(&ConnectInfo { name: "agent" }), to_js(&question)) else {
        return Outcome::problem("The question could not be written.");
    };
    let started = clock::now();
    let trial = Rc::new(RefCell::new(Trial::default()));
    let port = chrome::runtime::connect(&info);
    let mut done = None;
    let ended = Promise::new(&mut |resolve: Function, _| done = Some(resolve));
    let Some(done) = done else { return Outcome::problem("The answer could not be awaited.") };
    let listening = {
        let (trial, done) = (Rc::clone(&trial), done.clone());
        Subscription::new(&port.on_message(), move |message, _, _| {
            let message = from_js::<WorkerToPanel>(message);
            if trial.borrow_mut().take(message) {
                drop(done.call0(&JsValue::NULL));
            }
        })
    };
    let closing = Subscription::new(&port.on_disconnect(), move |_, _, _| drop(done.call0(&JsValue::NULL)));
    drop(port.post_message(&question));
    drop(JsFuture::from(ended).await);
    drop((listening, closing));
    port.disconnect();
    let trial = trial.take();
    trial.outcome(clock::now().saturating_sub(started)).at(&url)
}

impl Trial {
    /// Takes a message of the worker; answers whether it was the last.
    fn take(&mut self, message: Result<WorkerToPanel, serde_wasm_bindgen::Error>) -> bool {
        match message {
            Ok(WorkerToPanel::Batch { events }) => return events.into_iter().any(|event| self.take(Ok(event))),
            Ok(WorkerToPanel::TextDelta { text }) => self.answer.push_str(&text),
            Ok(ending) if ending.is_final() => self.ending = Some(ending),
            Ok(_) => {}
            Err(_) => return true,
        }
        // A model that goes on and on has shown that it can be reached.
        self.ending.is_some() || self.answer.len() >= ENOUGH
    }

    fn outcome(self, took_ms: u64) -> Outcome {
        match self.ending {
            Some(WorkerToPanel::Error { message, .. }) => Outcome::problem(message),
            None if self.answer.is_empty() => Outcome::problem("The worker stopped before the answer came. Try again."),
            Some(_) | None => {
                let words: String = self.answer.trim().chars().take(80).collect();
                let (seconds, tenths) = (took_ms / 1000, took_ms % 1000 / 100);
                Outcome::plain(format!("It works. The model answered “{words}” in {seconds}.{tenths} s."))
            }
        }
    }
}
