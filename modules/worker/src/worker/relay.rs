//! Requests that somebody else carries out for the worker: the page in a tab, or the model beside the offscreen page.
//!
//! Either end of a port sends `{status, contentType?, retryAfter?}`, then any number of `{chunk}` of text, then `{end}` or
//! `{failed}` with the reason. Closing the port aborts.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, MessageChannel, MessageEvent, MessagePort};

use super::Worker;
use sidelight::dispatch::FetchId;
use sidelight::provider::{HttpRequest, ResponseHead};
use sidelight::words;
use sidelight_browser::boundary::error_text;
use sidelight_browser::subscription::Subscription;
use sidelight_browser::{chrome, page};

/// What stands in the page when it asks for us; see `extension/page/proxy.js`.
const PROXY: &str = "page/proxy.js";

/// What runs the model; see `extension/offscreen.js`.
const OFFSCREEN: &str = "offscreen.html";

/// Options of Chrome, as JSON: a type for each, to be serialized once, would be a serializer each in the module.
const MAIN_FRAME: &str = r#"{"name":"proxy","frameId":0}"#;
const ALL_CLIENTS: &str = r#"{"includeUncontrolled":true}"#;
// Chrome has no reason that speaks of models. The page drives one that works beside it, as a worker would.
const DOCUMENT: &str = r#"{"url":"offscreen.html","reasons":["WORKERS"],"justification":"Chrome's built-in language model can be asked from a page only."}"#;

#[wasm_bindgen]
extern "C" {
    /// What the other end sends; one of these fields is there.
    type Message;

    #[wasm_bindgen(method, getter)]
    fn status(this: &Message) -> Option<u16>;

    #[wasm_bindgen(method, getter, js_name = contentType)]
    fn content_type(this: &Message) -> Option<String>;

    #[wasm_bindgen(method, getter, js_name = retryAfter)]
    fn retry_after(this: &Message) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn chunk(this: &Message) -> Option<String>;

    #[wasm_bindgen(method, getter)]
    fn end(this: &Message) -> Option<bool>;

    #[wasm_bindgen(method, getter)]
    fn failed(this: &Message) -> Option<String>;

    #[wasm_bindgen(extends = MessagePort)]
    type ClosingPort;

    #[wasm_bindgen(method, setter)]
    fn set_onclose(this: &ClosingPort, handle: &Function);

    /// The service worker's `Client`.
    type Client;

    #[wasm_bindgen(method, getter)]
    fn url(this: &Client) -> String;

    #[wasm_bindgen(method, js_name = postMessage)]
    fn post_message(this: &Client, message: &JsValue, transfer: &Array);

    #[wasm_bindgen(catch, js_namespace = ["self", "clients"], js_name = matchAll)]
    async fn match_all(query: &JsValue) -> Result<JsValue, JsValue>;
}

/// One request under way at the other end.
#[derive(Clone)]
struct Exchange {
    worker: Worker,
    id: FetchId,
    url: String,
    /// Ends it, with the reason for a failure.
    settle: Function,
}

impl Exchange {
    fn new(worker: &Worker, id: FetchId, request: &HttpRequest, signal: &AbortSignal) -> (Self, Promise) {
        let mut settle = None;
        let settled = Promise::new(&mut |resolve: Function, _| settle = Some(resolve));
        let settle = settle.unwrap_or_default();
        signal.set_onabort(Some(&settle));
        // The query may hold the key, and nobody needs it to name the host.
        let url = request.url.split('?').next().unwrap_or_default().to_owned();
        (Self { worker: worker.clone(), id, url, settle }, settled)
    }

    fn handle(&self, message: &Message) {
        let id = self.id;
        if let Some(status) = message.status() {
            let head = ResponseHead {
                status,
                content_type: message.content_type().unwrap_or_default(),
                retry_after: message.retry_after(),
                url: self.url.clone(),
            };
            self.worker.input(|dispatcher, now| dispatcher.handle_head(id, &head, now));
        }
        if let Some(chunk) = message.chunk() {
            self.worker.input(|dispatcher, now| dispatcher.handle_chunk(id, chunk.as_bytes(), now));
        }
        if let Some(reason) = message.failed() {
            self.fail(&reason);
        } else if message.end().is_some() {
            self.end(&JsValue::UNDEFINED);
        }
    }

    fn fail(&self, reason: &str) {
        self.end(&JsValue::from_str(reason));
    }

    /// Only the first call counts.
    fn end(&self, reason: &JsValue) {
        drop(self.settle.call1(&JsValue::UNDEFINED, reason));
    }
}

/// Waits for the end; `Err` says why it is none. An abort settles with an event, which is nobody's reason any more.
async fn outcome(settled: Promise) -> Result<(), String> {
    let reason = JsFuture::from(settled).await.ok().filter(|reason| !reason.is_undefined());
    reason.map_or(Ok(()), |reason| Err(reason.as_string().unwrap_or_default()))
}

/// Has the page in a tab ask, in its own name: one request, which holds the key.
pub(super) async fn through_page(
    worker: &Worker,
    id: FetchId,
    request: &HttpRequest,
    tab: i32,
    signal: &AbortSignal,
) -> Result<(), String> {
    page::inject_file(tab, PROXY).await.map_err(|error| error.message)?;
    if signal.aborted() {
        return Ok(());
    }
    let question = Array::of2(&JsValue::from_str(&request.url), &JsValue::from_str(&request.body));
    let port = chrome::tabs::connect(tab, &options(MAIN_FRAME)?);
    let (exchange, settled) = Exchange::new(worker, id, request, signal);
    let heard = {
        let exchange = exchange.clone();
        Subscription::new(&port.on_message(), move |message, _, _| exchange.handle(message.unchecked_ref()))
    };
    let closed =
        Subscription::new(&port.on_disconnect(), move |_, _, _| exchange.fail(&words::say("relay_page_gone", &[])));
    drop(port.post_message(&question));
    let outcome = outcome(settled).await;
    drop((heard, closed));
    port.disconnect();
    outcome
}

/// Has the model in Chrome answer.
pub(super) async fn through_offscreen(
    worker: &Worker,
    id: FetchId,
    request: &HttpRequest,
    signal: &AbortSignal,
) -> Result<(), String> {
    let client = offscreen_client(worker).await?;
    let channel = MessageChannel::new().map_err(|thrown| error_text(&thrown))?;
    if signal.aborted() {
        return Ok(());
    }
    let port: ClosingPort = channel.port1().unchecked_into();
    let (exchange, settled) = Exchange::new(worker, id, request, signal);
    let heard = {
        let exchange = exchange.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            exchange.handle(event.data().unchecked_ref());
        })
    };
    let closed = Closure::<dyn FnMut()>::new(move || exchange.fail(&words::say("relay_closed", &[])));
    port.set_onmessage(Some(heard.as_ref().unchecked_ref()));
    port.set_onclose(closed.as_ref().unchecked_ref());
    client.post_message(&JsValue::from_str(&request.body), &Array::of1(&channel.port2()));
    let outcome = outcome(settled).await;
    port.set_onmessage(None);
    port.close();
    drop((heard, closed));
    outcome
}

fn options(json: &str) -> Result<JsValue, String> {
    js_sys::JSON::parse(json).map_err(|thrown| error_text(&thrown))
}

/// The offscreen page, which is made where there is none. It closes itself when nothing has been asked for a while.
async fn offscreen_client(worker: &Worker) -> Result<Client, String> {
    if let Some(client) = find_offscreen().await {
        return Ok(client);
    }
    // Only one may be made, and two readings begin side by side: both wait for the same.
    let making = worker.0.making_offscreen.borrow().clone();
    let making = if let Some(making) = making {
        making
    } else {
        let making = chrome::offscreen::create_document(&options(DOCUMENT)?).map_err(|thrown| error_text(&thrown))?;
        *worker.0.making_offscreen.borrow_mut() = Some(making.clone());
        making
    };
    let made = JsFuture::from(making).await;
    drop(worker.0.making_offscreen.take());
    made.map_err(|thrown| error_text(&thrown))?;
    find_offscreen().await.ok_or_else(|| words::say("relay_not_opened", &[]))
}

async fn find_offscreen() -> Option<Client> {
    let clients: Array = match_all(&options(ALL_CLIENTS).ok()?).await.ok()?.unchecked_into();
    let own = chrome::runtime::url(OFFSCREEN);
    clients.iter().map(JsCast::unchecked_into::<Client>).find(|client| client.url() == own)
}
