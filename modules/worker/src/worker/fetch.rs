//! Requests to providers, over gloo-net.

use gloo_net::http::{RequestBuilder, Response};
use web_sys::{AbortSignal, ReferrerPolicy, RequestCache, RequestCredentials};

use sidelight::provider::{HttpRequest, ResponseHead};

/// Sends a request; `Err` is the browser's word for why nothing came back. The body is still on its way afterwards.
///
/// Cookies and the referrer stay home: the key alone says who asks.
pub(super) async fn send(request: &HttpRequest, signal: Option<&AbortSignal>) -> Result<Response, String> {
    let is_get = request.body.is_empty();
    let mut builder = RequestBuilder::new(&request.url)
        .method(if is_get { gloo_net::http::Method::GET } else { gloo_net::http::Method::POST })
        .credentials(RequestCredentials::Omit)
        .cache(RequestCache::NoStore)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(signal);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let request = if is_get { builder.build() } else { builder.body(request.body.as_str()) };
    let request = request.map_err(|error| error.to_string())?;
    request.send().await.map_err(|error| error.to_string())
}

/// What a decoder wants to know of a response before its body.
pub(super) fn head(response: &Response) -> ResponseHead {
    let header = |name: &str| response.headers().get(name);
    ResponseHead {
        status: response.status(),
        content_type: header("content-type").unwrap_or_default(),
        retry_after: header("retry-after"),
        url: response.url(),
    }
}
