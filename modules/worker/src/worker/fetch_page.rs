//! Pages that a model wants to read: fetched without cookies, referrer and scripts, and no further than the core reads.

use gloo_net::http::{RequestBuilder, Response};
use js_sys::Object;
use wasm_bindgen::prelude::*;
use web_sys::{
    AbortSignal, ReadableStreamDefaultReader, ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect,
    TextDecoder,
};

use super::Worker;
use super::effects::next_chunk;
use sidelight::agent::{FetchedPage, MAX_PAGE_BYTES, charset, refusal};
use sidelight::dispatch::FetchId;
use sidelight_browser::boundary::error_text;
use sidelight_browser::task::spawn;

/// What a browser tells of a fetch that failed: nothing, so that pages can't probe a network.
const NO_ANSWER: &str = "no answer, or the site does not let extensions read it, or it is not known to be of the public \
                         network (behind a proxy none is). The reader can open the page and ask there";

impl Worker {
    pub(super) fn fetch_page(&self, id: FetchId, url: String) {
        let signal = self.abortable(id);
        let worker = self.clone();
        spawn(async move {
            let page = fetch(&url, signal.as_ref()).await;
            // Whatever was not read is not wanted: without the abort it would go on arriving.
            let controller = worker.0.fetches.borrow_mut().remove(&id);
            if let Some(controller) = controller {
                controller.abort();
            }
            worker.input(|dispatcher, now| dispatcher.handle_page(id, page, now));
        });
    }
}

async fn fetch(url: &str, signal: Option<&AbortSignal>) -> Result<FetchedPage, String> {
    let response = RequestBuilder::new(url)
        .header("accept", "text/html, text/plain;q=0.9, */*;q=0.1")
        .credentials(RequestCredentials::Omit)
        .redirect(RequestRedirect::Follow)
        .cache(RequestCache::Default)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(signal)
        .build()
        .map_err(|error| error.to_string())?;
    let response = send_to_public_network(response.into()).await.ok_or_else(|| NO_ANSWER.to_owned())?;
    let content_type = response.headers().get("content-type").unwrap_or_default();
    let url = response.url();
    if let Some(reason) = refusal(&url, &content_type) {
        return Err(reason);
    }
    let (bytes, is_cut) = body(&response).await?;
    let body = decode(&charset(&content_type, &bytes), &bytes)?;
    Ok(FetchedPage { url, status: response.status(), content_type, body, is_cut })
}

/// Sends a request that the browser lets reach public addresses only: it looks at the address each connection really
/// leads to, behind names and redirects, before anything is sent on it. A browser that can't do that follows no redirect.
async fn send_to_public_network(request: web_sys::Request) -> Option<Response> {
    let options: FetchOptions = Object::new().unchecked_into();
    if js_sys::Reflect::has(&request, &JsValue::from_str("targetAddressSpace")).unwrap_or_default() {
        options.set_target_address_space("public");
    } else {
        options.set_redirect("error");
    }
    let response = fetch_with(&request, &options).await.ok()?;
    Some(response.unchecked_into::<web_sys::Response>().into())
}

#[wasm_bindgen]
extern "C" {
    /// `RequestInit`, with a field that web-sys does not know yet.
    #[wasm_bindgen(extends = Object)]
    type FetchOptions;

    /// The address space of Local Network Access (Chrome 142).
    #[wasm_bindgen(method, setter, js_name = targetAddressSpace)]
    fn set_target_address_space(this: &FetchOptions, space: &str);

    #[wasm_bindgen(method, setter)]
    fn set_redirect(this: &FetchOptions, redirect: &str);

    #[wasm_bindgen(catch, js_name = fetch)]
    async fn fetch_with(request: &web_sys::Request, options: &FetchOptions) -> Result<JsValue, JsValue>;
}

/// The body up to the bound, and whether there is more.
async fn body(response: &Response) -> Result<(Vec<u8>, bool), String> {
    let mut bytes = Vec::new();
    let Some(body) = response.body() else { return Ok((bytes, false)) };
    let reader = body.get_reader().unchecked_into::<ReadableStreamDefaultReader>();
    while let Some(chunk) = next_chunk(&reader).await? {
        let room = MAX_PAGE_BYTES - bytes.len();
        let chunk = chunk.to_vec();
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            return Ok((bytes, true));
        }
    }
    Ok((bytes, false))
}

/// By the browser's tables; an encoding it does not know is read as UTF-8.
fn decode(charset: &str, bytes: &[u8]) -> Result<String, String> {
    let decoder = TextDecoder::new_with_label(charset).or_else(|_| TextDecoder::new());
    decoder.and_then(|decoder| decoder.decode_with_u8_array(bytes)).map_err(|thrown| error_text(&thrown))
}
