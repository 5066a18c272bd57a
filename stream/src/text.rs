//! What a text is made of.

/// Whether a text is nothing but visible ASCII, in words with one space between them.
#[inline(never)]
pub fn is_tidy(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        if !byte.is_ascii_graphic() && (byte != b' ' || before == b' ') {
            return false;
        }
        before = byte;
    }
    before != b' ' || text.is_empty()
}

/// Whether a text is the address of a page beyond doubt, as nearly all are: a scheme of the web, a host of lower case
/// letters, and visible ASCII behind it. No is no answer.
#[inline(never)]
pub fn is_plain_address(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_lowercase());
    host.len() < 64 && host.split('.').all(is_label) && path.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Length of a text in UTF-16 units, as JavaScript counts.
#[inline(never)]
pub fn utf16_length(text: &str) -> u32 {
    // Each character is a unit, and one of four bytes two.
    let starts = |byte: u8| u32::from(byte & 0xC0 != 0x80) + u32::from(byte >= 0xF0);
    text.bytes().map(starts).sum()
}
