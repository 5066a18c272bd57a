//! What the dispatcher wants done.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use gloo_net::http::Response;
use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, ReadableStreamDefaultReader};

use super::{Worker, fetch, relay};
use sidelight::dispatch::{Effect, FetchId, PortId};
use sidelight::provider::{HttpRequest, Transport, resolve};
use sidelight::wire::{ExtensionToPage, ProviderId, Settings};
use sidelight_browser::boundary::{error_text, to_js};
use sidelight_browser::task::spawn;
use sidelight_browser::{page, storage};

/// Messages on their way to pages. Sending one by one keeps their order; bounded by what the dispatcher may emit.
#[derive(Default)]
pub(super) struct PageQueue {
    waiting: RefCell<VecDeque<(PortId, i32, u32, ExtensionToPage)>>,
    sending: Cell<bool>,
}

impl Worker {
    pub(super) fn perform(&self, effect: Effect) {
        match effect {
            Effect::Post(port, message) => {
                let open = self.0.ports.borrow().get(&port).cloned();
                if let (Some(open), Ok(message)) = (open, to_js(&message)) {
                    // A port that closed meanwhile throws; its disconnect comes as an input of its own.
                    drop(open.post_message(&message));
                }
            }
            Effect::Close(port) => {
                let open = self.0.ports.borrow_mut().remove(&port);
                if let Some(open) = open {
                    open.disconnect();
                }
            }
            Effect::LoadSettings(port) => {
                let worker = self.clone();
                spawn(async move {
                    // Without access to storage there is no provider, and the offline reader needs none.
                    let stored = storage::stored().await.unwrap_or_default();
                    let settings = Settings::from_storage(&stored);
                    if resolve(&settings).is_ok_and(|route| route.id == ProviderId::Rules) {
                        (worker.0.offline_reader.load)().await;
                    }
                    worker.input(|dispatcher, now| dispatcher.handle_settings(port, &settings, now));
                });
            }
            Effect::Fetch(id, request) => self.fetch(id, request),
            Effect::FetchPage(id, url) => self.fetch_page(id, url),
            Effect::Abort(id) => {
                let controller = self.0.fetches.borrow_mut().remove(&id);
                if let Some(controller) = controller {
                    controller.abort();
                }
            }
            Effect::TakeSnapshot(port, tab_id) => {
                let worker = self.clone();
                spawn(async move {
                    let snapshot = page::extract(tab_id).await.ok();
                    worker.input(|dispatcher, now| dispatcher.handle_snapshot(port, snapshot.as_ref(), now));
                });
            }
            Effect::ToPage(port, tab_id, frame, message) => {
                self.0.to_page.waiting.borrow_mut().push_back((port, tab_id, frame, message));
                if !self.0.to_page.sending.replace(true) {
                    let worker = self.clone();
                    spawn(async move { worker.send_to_pages().await });
                }
            }
        }
    }

    async fn send_to_pages(&self) {
        loop {
            let next = self.0.to_page.waiting.borrow_mut().pop_front();
            let Some((port, tab_id, frame, message)) = next else { break };
            // A page that is gone needs no paint; one that navigated is read anew.
            drop(page::send::<serde::de::IgnoredAny>(tab_id, Some(frame), &message).await);
            self.input(|dispatcher, now| dispatcher.handle_told(port, now));
        }
        self.0.to_page.sending.set(false);
    }

    /// The signal by which a fetch can be aborted from now on.
    pub(super) fn abortable(&self, id: FetchId) -> Option<AbortSignal> {
        let controller = AbortController::new().ok()?;
        let signal = controller.signal();
        self.0.fetches.borrow_mut().insert(id, controller);
        Some(signal)
    }

    /// A fetch is over.
    pub(super) fn forget(&self, id: FetchId) {
        self.0.fetches.borrow_mut().remove(&id);
    }

    fn fetch(&self, id: FetchId, request: HttpRequest) {
        // Fails in no browser that runs this.
        let Some(signal) = self.abortable(id) else { return };
        let worker = self.clone();
        spawn(async move {
            let failure = match request.via {
                Transport::Direct | Transport::WithoutOrigin => {
                    let _lift = if request.via == Transport::WithoutOrigin {
                        Some(worker.0.origin_rule.lift(&request.url).await)
                    } else {
                        None
                    };
                    worker.ask(id, &request, &signal).await
                }
                Transport::Page(tab) => relay::through_page(&worker, id, &request, tab, &signal).await,
                Transport::Offscreen => relay::through_offscreen(&worker, id, &request, &signal).await,
            }
            .err();
            worker.forget(id);
            match failure {
                None => worker.input(|dispatcher, now| dispatcher.handle_end(id, now)),
                Some(reason) => worker.input(|dispatcher, now| dispatcher.handle_fetch_failed(id, &reason, now)),
            }
        });
    }

    async fn ask(&self, id: FetchId, request: &HttpRequest, signal: &AbortSignal) -> Result<(), String> {
        let response = fetch::send(request, Some(signal)).await?;
        self.read(id, &response).await
    }

    /// Hands over the head, then every chunk as the network cut it.
    async fn read(&self, id: FetchId, response: &Response) -> Result<(), String> {
        let head = fetch::head(response);
        self.input(|dispatcher, now| dispatcher.handle_head(id, &head, now));
        let Some(body) = response.body() else { return Ok(()) };
        let reader = body.get_reader().unchecked_into::<ReadableStreamDefaultReader>();
        let mut bytes = Vec::new();
        while let Some(chunk) = next_chunk(&reader).await? {
            bytes.resize(chunk.length() as usize, 0);
            chunk.copy_to(&mut bytes);
            self.input(|dispatcher, now| dispatcher.handle_chunk(id, &bytes, now));
        }
        Ok(())
    }
}

/// The next bytes of a body; `None` at its end.
pub(super) async fn next_chunk(reader: &ReadableStreamDefaultReader) -> Result<Option<Uint8Array>, String> {
    let part = JsFuture::from(reader.read()).await.map_err(|thrown| error_text(&thrown))?;
    let part = part.unchecked_into::<Chunk>();
    Ok((!part.done()).then(|| part.value()))
}

#[wasm_bindgen::prelude::wasm_bindgen]
extern "C" {
    /// What a stream's reader resolves to.
    type Chunk;

    #[wasm_bindgen(method, getter)]
    fn done(this: &Chunk) -> bool;

    #[wasm_bindgen(method, getter)]
    fn value(this: &Chunk) -> Uint8Array;
}
