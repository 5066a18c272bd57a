//! A library in the place of the browser's parser.

/// See [`Parse`](super::Parse).
pub(super) fn parse(address: &str, base: Option<&str>) -> Option<String> {
    let base = base.map(::url::Url::parse).transpose().ok()?;
    ::url::Url::options().base_url(base.as_ref()).parse(address).ok().map(Into::into)
}
