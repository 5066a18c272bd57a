//! Links: only to the web, and with the host they really lead to.

use super::Inline;
use crate::reading::address::web_address;

/// A link, if the address leads to the web: without user name and password, which are there to look like a host, and
/// without characters in its words that turn the reading direction.
pub(super) fn link(href: &str, mut content: Vec<Inline>) -> Result<Inline, Vec<Inline>> {
    let Some(url) = web_address(href) else { return Err(content) };
    let host = url.host_and_port_str().to_owned();
    strip_bidi_controls(&mut content);
    if content.is_empty() {
        content.push(Inline::Text(host.clone()));
    }
    Ok(Inline::Link { href: [&url.origin(), url.after_origin()].concat(), host, content })
}

/// Recursion is as deep as the tree, which is bounded.
fn strip_bidi_controls(inlines: &mut [Inline]) {
    for inline in inlines {
        match inline {
            Inline::Text(words) | Inline::Code(words) => words.retain(|c| !is_bidi_control(c)),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Strike(inner) => strip_bidi_controls(inner),
            Inline::Link { content, .. } => strip_bidi_controls(content),
            Inline::LineBreak => {}
        }
    }
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
