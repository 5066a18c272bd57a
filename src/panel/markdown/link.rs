//! Links: only to the web, and only under their true name.

use url::Url;

use crate::reading::address::web_address;

/// A link to an http or https address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The address, normalised, without user name and password.
    pub href: String,
    /// Words of the link, without characters that reverse the reading direction.
    pub text: String,
    /// Where it leads, with the port if it is unusual.
    pub host: String,
}

impl Link {
    /// Checks an address; `None` for anything that does not lead to the web.
    pub(super) fn parse(href: &str, text: &str) -> Option<Self> {
        let mut url = web_address(href)?;
        // Both succeed for a URL with a host; a name before the host is there to look like one.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let host = host_of(&url)?;
        let text: String = text.chars().filter(|c| !is_bidi_control(*c)).collect();
        let text = if text.trim().is_empty() { host.clone() } else { text };
        Some(Self { href: url.into(), text, host })
    }

    /// Whether the host is to be shown beside the text: always, unless the text is an address with this very host.
    pub fn shows_host(&self) -> bool {
        let text = self.text.trim();
        let named = web_address(text).or_else(|| web_address(&format!("https://{text}"))).and_then(|url| host_of(&url));
        named.as_deref().is_none_or(|named| without_www(named) != without_www(&self.host))
    }
}

fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str().filter(|host| !host.is_empty())?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Characters that change the direction of what stands around them.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
