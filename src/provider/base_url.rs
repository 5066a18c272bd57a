//! From the base URL a person types to the address requests go to.
//!
//! People paste what their server printed: with `/v1` or without, a trailing slash, a whole endpoint, no scheme, or
//! `localhost`. All of it is understood. Loopback is always written `127.0.0.1`: the manifest grants that host only, and
//! `localhost` would first be tried over IPv6, where local servers rarely listen.

use super::registry::{self, Provider};
use crate::url::{Host, Url};
use crate::wire::{ErrorCode, ProviderConfig, ProviderId, ReadingError};
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// Endpoints people paste for a base URL, cut off again.
const ENDPOINTS: [&str; 8] = [
    "/chat/completions",
    "/completions",
    "/responses",
    "/messages",
    "/models",
    "/api/chat",
    "/api/generate",
    "/api/tags",
];

/// Stands for the model's name in the path of a row.
const MODEL: &str = "{model}";

/// The address requests of a provider go to; fails with what to type instead. Always a failure for one without HTTP.
pub fn endpoint(id: ProviderId, config: &ProviderConfig) -> Result<String, ReadingError> {
    let row = registry::provider(id);
    address(row, config, row.path, row.own_path)
}

/// The address of the list of models; fails like [`endpoint`].
pub(super) fn models_endpoint(id: ProviderId, config: &ProviderConfig) -> Result<String, ReadingError> {
    let row = registry::provider(id);
    address(row, config, row.models_path, row.models_path)
}

/// `path` is that of a compatible server, `own_path` that of the provider itself.
fn address(row: &Provider, config: &ProviderConfig, path: &str, own_path: &str) -> Result<String, ReadingError> {
    if path.is_empty() {
        return Err(ReadingError::new(
            ErrorCode::Internal,
            words::say("error_no_requests", &[&row.name_in_sentence()]),
        ));
    }
    let url = base(row, config)?;
    if url.scheme() == "http" && !config.key.is_empty() && !is_local(&url.host()) {
        return Err(refuse("base_url_unencrypted"));
    }
    let base = url.path().trim_end_matches('/');
    let path = if is_own_host(row, url.as_str()) { own_path } else { path };
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    // Where the model stands in the path, a pasted endpoint names one.
    let pasted = if row.path.contains(MODEL) { base.find("/models/") } else { None };
    let base = &base[..pasted.unwrap_or(base.len())];
    let base = ENDPOINTS.iter().find_map(|tail| base.strip_suffix(tail)).unwrap_or(base).trim_end_matches('/');
    // A base path that names its version (`/v1`, `/api/v4`, `/v1beta/openai`) gets no second one.
    let versioned = base.split('/').any(is_version);
    let tail = if versioned { path[1..].find('/').map_or("", |at| &path[1 + at..]) } else { path };
    let model = if config.model.is_empty() { row.model } else { &config.model };
    let model = model.strip_prefix("models/").unwrap_or(model).replace('?', "%3F").replace('#', "%23");
    let address = [&url.origin(), base, &tail.replace(MODEL, &model), query].concat();
    Url::parse(&address).map(|url| url.as_str().to_owned()).ok_or_else(not_an_address)
}

/// The match pattern to ask the reader for before the first request. `None` where none is needed (loopback and the
/// offline reader) or the base URL can't be used.
pub fn host_permission(id: ProviderId, config: &ProviderConfig) -> Option<String> {
    let row = registry::provider(id);
    if !row.speaks_http() {
        return None;
    }
    let url = base(row, config).ok()?;
    let host = url.host_str();
    if url.scheme() == "http" && host == "127.0.0.1" {
        return None;
    }
    // A pattern without a port covers every port.
    Some(format!("{}://{host}/*", url.scheme()))
}

/// Host and port of a base URL the reader set; `None` for the provider's own.
pub(super) fn host(row: &Provider, config: &ProviderConfig) -> Option<String> {
    let url = base(row, config).ok().filter(|_| !config.base_url.trim().is_empty())?;
    Some(url.host_and_port_str().to_owned())
}

/// Whether requests go to the provider itself rather than to a compatible server.
pub(super) fn is_own_host(row: &Provider, url: &str) -> bool {
    let host = |url: &str| Some(Url::parse(url)?.host_str().to_owned());
    host(url).is_some_and(|asked| host(row.base_url) == Some(asked))
}

/// Whether a configuration leads to the provider itself.
pub(super) fn is_own(id: ProviderId, config: &ProviderConfig) -> bool {
    let row = registry::provider(id);
    base(row, config).is_ok_and(|url| is_own_host(row, url.as_str()))
}

/// Whether a host is this machine or one of the same network.
pub(super) fn is_local(host: &Host<'_>) -> bool {
    match host {
        Host::Domain(name) => {
            !name.contains('.')
                || [".localhost", ".local", ".lan", ".home", ".internal", ".home.arpa"]
                    .iter()
                    .any(|end| name.ends_with(end))
        }
        Host::Ipv4(ip) => {
            let [a, b, ..] = ip.octets();
            // 100.64/10 is the range overlay networks such as Tailscale hand out.
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || (a == 100 && b & 0xC0 == 64)
        }
        Host::Ipv6(ip) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
    }
}

fn base(row: &Provider, config: &ProviderConfig) -> Result<Url, ReadingError> {
    let typed = config.base_url.trim();
    let typed = if typed.is_empty() || !row.base_url_editable { row.base_url } else { typed };
    let with_scheme = |scheme: &str| Url::parse(&[scheme, typed].concat());
    let url = match typed.find("://") {
        Some(_) => Url::parse(typed),
        None => with_scheme("http://").filter(|url| is_local(&url.host())).or_else(|| with_scheme("https://")),
    };
    let url = url.filter(|_| !typed.contains(char::is_whitespace)).ok_or_else(not_an_address)?;
    if url.has_credentials() {
        return Err(refuse("base_url_password"));
    }
    let loopback = match url.host() {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(ip) => ip.is_unspecified(),
        Host::Ipv6(ip) => ip.is_loopback() || ip.is_unspecified(),
    };
    let host = if loopback { "127.0.0.1" } else { url.host_str() };
    let port = url.port().map(|port| [":", port].concat()).unwrap_or_default();
    // Query and fragment stay behind.
    Url::parse(&[url.scheme(), "://", host, &port, url.path()].concat()).ok_or_else(not_an_address)
}

/// `v1`, `v4`, `v1beta`, as a whole path segment.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn not_an_address() -> ReadingError {
    refuse("base_url_invalid")
}

fn refuse(key: &str) -> ReadingError {
    ReadingError::new(ErrorCode::BadRequest, words::say(key, &[]))
}
