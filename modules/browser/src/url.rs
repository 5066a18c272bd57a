//! The browser's parser of addresses, for the core.

use web_sys::Url;

/// See [`Parse`](sidelight::url::Parse).
pub(super) fn parse(address: &str, base: Option<&str>) -> Option<String> {
    // Throws for what is no address.
    let url = match base {
        Some(base) => Url::new_with_base(address, base),
        None => Url::new(address),
    };
    url.ok().map(|url| url.href())
}
