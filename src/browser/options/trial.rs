//! One tiny call, to see whether provider, key, model and address fit together.

use js_sys::Uint8Array;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::form::Outcome;
use crate::agent::{Call, CallEvent};
use crate::browser::boundary::error_text;
use crate::browser::{clock, fetch};
use crate::provider::{self, HttpRequest, Prompt, Route};
use crate::wire::{ChatMessage, ProviderConfig, ProviderId, Role};

/// Asks for one word through the machine that reads pages too, so that a trial that works means a reading that works.
pub(super) async fn ask(id: ProviderId, config: ProviderConfig) -> Outcome {
    let url = match provider::endpoint(id, &config) {
        Ok(url) => url,
        Err(error) => return Outcome::problem(error.message),
    };
    let prompt = Prompt {
        system: "Answer with one word.".to_owned(),
        messages: vec![ChatMessage { role: Role::User, content: "Say hello.".to_owned() }],
        // Room for a model that thinks before the one word.
        max_tokens: 1_024,
    };
    let started = clock::now();
    let route = Route { id, config, notice: None };
    let mut call = Call::new(route, prompt, clock::seed());
    let mut events = Vec::new();
    call.start(clock::now(), &mut events);
    let mut answer = String::new();
    loop {
        let mut request = None;
        for event in events.drain(..) {
            match event {
                CallEvent::Fetch(number, http) => request = Some((number, http)),
                CallEvent::Text(text) => answer.push_str(&text),
                CallEvent::Failed(error) => return Outcome::problem(error.message).at(&url),
                // The reader waits for an answer, not for a server: what keeps it is the outcome.
                CallEvent::Waiting(words) => return Outcome::problem(words).at(&url),
                CallEvent::Finished(_, _) => {
                    let seconds = clock::now().saturating_sub(started) / 100;
                    let words = answer.trim().chars().take(80).collect::<String>();
                    let took = format!("{}.{} s", seconds / 10, seconds % 10);
                    return Outcome::plain(format!("It works. The model answered “{words}” in {took}.")).at(&url);
                }
                CallEvent::Abort(_) | CallEvent::Activity => {}
            }
        }
        let Some((number, http)) = request else {
            return Outcome::problem("The answer ended without a word.").at(&url);
        };
        match send(&http).await {
            Ok((response, body)) => {
                call.handle_head(number, &fetch::head(&response));
                call.handle_chunk(number, &body, clock::now(), &mut events);
                call.handle_end(number, clock::now(), &mut events);
            }
            Err(reason) => call.handle_failure(number, &reason, clock::now(), &mut events),
        }
    }
}

async fn send(request: &HttpRequest) -> Result<(Response, Vec<u8>), String> {
    let response = fetch::send(request, None).await?;
    let body = match response.array_buffer() {
        Ok(body) => JsFuture::from(body).await,
        Err(thrown) => Err(thrown),
    };
    let body = body.map_err(|thrown| error_text(&thrown))?;
    Ok((response, Uint8Array::new(&body).to_vec()))
}
