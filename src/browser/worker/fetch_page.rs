//! Pages that a model wants to read: fetched without cookies, referrer and scripts, and no further than the core reads.

use gloo_net::http::{RequestBuilder, Response};
use wasm_bindgen::JsCast;
use web_sys::{
    AbortSignal, ReadableStreamDefaultReader, ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect,
    TextDecoder,
};

use super::Worker;
use super::effects::next_chunk;
use crate::agent::{FetchedPage, MAX_PAGE_BYTES, charset, refusal};
use crate::browser::boundary::error_text;
use crate::browser::task::spawn;
use crate::dispatch::FetchId;

/// What a browser tells of a fetch that failed: nothing, so that pages can't probe a network.
const NO_ANSWER: &str =
    "no answer, or the site does not let extensions read it. The reader can open the page and ask there";

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
        .send()
        .await
        .map_err(|_| NO_ANSWER.to_owned())?;
    let content_type = response.headers().get("content-type").unwrap_or_default();
    let url = response.url();
    if let Some(reason) = refusal(&url, &content_type) {
        return Err(reason);
    }
    let (bytes, is_cut) = body(&response).await?;
    let body = decode(&charset(&content_type, &bytes), &bytes)?;
    Ok(FetchedPage { url, status: response.status(), content_type, body, is_cut })
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
