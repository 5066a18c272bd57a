//! Web addresses, as the URL standard reads and writes them.
//!
//! The parser is the browser's, which whoever has one [installs](install): a library and its tables are 13 kB (gzipped)
//! of a module, and this way what was checked is what is fetched. Natively a library stands in for it; `tests/wasm` has
//! both read the same addresses.

use core::net::{Ipv4Addr, Ipv6Addr};
use std::sync::OnceLock;

#[cfg(not(target_arch = "wasm32"))]
mod library;

/// Parses an address, relative to `base` where there is one, and writes it as the standard does; `None` for what is no
/// address.
pub type Parse = fn(address: &str, base: Option<&str>) -> Option<String>;

static PARSE: OnceLock<Parse> = OnceLock::new();

/// Installs the parser; the first one stays.
pub fn install(parse: Parse) {
    PARSE.get_or_init(|| parse);
}

#[cfg(not(target_arch = "wasm32"))]
const FALLBACK: Parse = library::parse;

/// No parser: nothing is an address.
#[cfg(target_arch = "wasm32")]
const FALLBACK: Parse = |_, _| None;

/// An http or https address. It has a host, in ASCII, and a path that begins with a slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// `scheme://user:password@host:port/path?query#fragment`, as the standard writes it: each of the signs between two
    /// parts is escaped in the parts before it.
    href: String,
}

/// What stands in an address for a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host<'a> {
    /// A name, in lower case and ASCII.
    Domain(&'a str),
    /// A number, however it was written.
    Ipv4(Ipv4Addr),
    /// A number in brackets.
    Ipv6(Ipv6Addr),
}

impl Url {
    /// Parses an address; `None` for what is none, and for one that is not of the web.
    pub fn parse(address: &str) -> Option<Self> {
        Self::read(address, None)
    }

    /// Parses an address as one that stands on this page.
    pub fn join(&self, address: &str) -> Option<Self> {
        Self::read(address, Some(&self.href))
    }

    fn read(address: &str, base: Option<&str>) -> Option<Self> {
        let href = PARSE.get().copied().unwrap_or(FALLBACK)(address, base)?;
        let is_web = ["http://", "https://"].iter().any(|start| href.starts_with(start));
        // Chrome escapes what may not stand in a host, where the standard refuses the address.
        Some(Self { href }).filter(|url| is_web && !url.host_str().contains('%'))
    }

    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.href
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.href.split_once(':').map_or("", |(scheme, _)| scheme)
    }

    /// Whether it holds a user name or a password.
    pub fn has_credentials(&self) -> bool {
        self.parts().0.contains('@')
    }

    /// The host as text; a number of IPv6 in its brackets.
    pub fn host_str(&self) -> &str {
        self.host_and_port().0
    }

    /// The host.
    pub fn host(&self) -> Host<'_> {
        let text = self.host_str();
        let in_brackets = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        if let Some(ip) = in_brackets.and_then(|text| text.parse().ok()) {
            return Host::Ipv6(ip);
        }
        text.parse().map_or(Host::Domain(text), Host::Ipv4)
    }

    /// The port, where it is not that of the scheme.
    pub fn port(&self) -> Option<&str> {
        self.host_and_port().1
    }

    /// The host, and the port where it is not that of the scheme.
    pub fn host_and_port_str(&self) -> &str {
        let (authority, _) = self.parts();
        authority.rsplit_once('@').map_or(authority, |(_, own)| own)
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        [self.scheme(), "://", self.host_and_port_str()].concat()
    }

    /// The path, with its first slash.
    pub fn path(&self) -> &str {
        let path = without_fragment(self.parts().1);
        path.split_once('?').map_or(path, |(path, _)| path)
    }

    /// What stands between question mark and fragment.
    pub fn query(&self) -> Option<&str> {
        without_fragment(self.parts().1).split_once('?').map(|(_, query)| query)
    }

    /// Path, query and fragment.
    pub fn after_origin(&self) -> &str {
        self.parts().1
    }

    /// The whole address without its fragment.
    pub fn before_fragment(&self) -> &str {
        without_fragment(&self.href)
    }

    /// Authority (credentials, host and port), and what follows it.
    fn parts(&self) -> (&str, &str) {
        let rest = self.href.split_once("://").map_or("", |(_, rest)| rest);
        rest.split_at(rest.find('/').unwrap_or(rest.len()))
    }

    fn host_and_port(&self) -> (&str, Option<&str>) {
        let own = self.host_and_port_str();
        match own.rsplit_once(':') {
            // The colons of an IPv6 number stand in brackets.
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            Some(_) | None => (own, None),
        }
    }
}

/// Of an address as the standard writes it, or of its end.
fn without_fragment(text: &str) -> &str {
    text.split_once('#').map_or(text, |(before, _)| before)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
