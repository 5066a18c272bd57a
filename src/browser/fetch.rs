//! Requests to providers.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Headers, ReferrerPolicy, Request, RequestCache, RequestCredentials, RequestInit, Response};

use super::boundary::error_text;
use crate::provider::{HttpRequest, ResponseHead};

#[wasm_bindgen]
extern "C" {
    /// The `fetch` of a page or of a worker.
    #[wasm_bindgen(js_name = fetch)]
    fn start(request: &Request) -> js_sys::Promise;
}

/// Sends a request; `Err` is the browser's word for why nothing came back. The body is still on its way afterwards.
///
/// Cookies and the referrer stay home: the key alone says who asks.
pub(crate) async fn send(request: &HttpRequest, signal: Option<&AbortSignal>) -> Result<Response, String> {
    let started = prepare(request, signal).map(|request| start(&request));
    let response = match started {
        Ok(started) => JsFuture::from(started).await,
        Err(thrown) => Err(thrown),
    };
    response.map(JsCast::unchecked_into).map_err(|thrown| error_text(&thrown))
}

fn prepare(request: &HttpRequest, signal: Option<&AbortSignal>) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    for (name, value) in &request.headers {
        headers.set(name, value)?;
    }
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_headers(&headers);
    init.set_body(&request.body.as_str().into());
    init.set_credentials(RequestCredentials::Omit);
    init.set_cache(RequestCache::NoStore);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    init.set_signal(signal);
    Request::new_with_str_and_init(&request.url, &init)
}

/// What a decoder wants to know of a response before its body.
pub(crate) fn head(response: &Response) -> ResponseHead {
    // Fails for no name that is one.
    let header = |name: &str| response.headers().get(name).ok().flatten();
    ResponseHead {
        status: response.status(),
        content_type: header("content-type").unwrap_or_default(),
        retry_after: header("retry-after"),
        url: response.url(),
    }
}
