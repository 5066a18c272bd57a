//! A phrase that a model quoted from its idea of the source rather than from the text: with entities, tags or links.

/// The entities models write for characters that text rarely needs escaped.
const ENTITIES: [(&str, char); 14] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{A0}'),
    ("shy", '\u{AD}'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
];
/// Longest entity, in bytes between `&` and `;`.
const MAX_ENTITY: usize = 8;
/// Longest tag or address of a link, in bytes.
const MAX_TAG: usize = 300;

/// The words of a phrase, its entities decoded, its tags and the addresses of its links left out; `None` when it has
/// none of these. Emphasis needs no care, since punctuation between words tells no two places apart.
pub(super) fn without_markup(phrase: &str) -> Option<String> {
    let mut plain = String::with_capacity(phrase.len());
    let mut rest = phrase;
    let mut has_markup = false;
    while let Some(at) = rest.find(['&', '<', ']']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, text) = markup_at(rest).unwrap_or((0, None));
        has_markup |= length > 0;
        plain.extend(text);
        if length == 0 {
            plain.push_str(&rest[..1]);
        }
        rest = &rest[length.max(1)..];
    }
    plain.push_str(rest);
    has_markup.then_some(plain)
}

/// The markup `text` begins with: its length, and the character it stands for if it is an entity.
fn markup_at(text: &str) -> Option<(usize, Option<char>)> {
    let until = |opening: &str, closing: u8, most: usize| {
        let inside = text.strip_prefix(opening)?;
        let end = inside.bytes().take(most + 1).position(|byte| byte == closing)?;
        Some((&inside[..end], opening.len() + end + 1))
    };
    if let Some((name, length)) = until("&", b';', MAX_ENTITY) {
        return Some((length, Some(entity(name)?)));
    }
    if let Some((_, length)) = until("](", b')', MAX_TAG) {
        return Some((length, None));
    }
    let (tag, length) = until("<", b'>', MAX_TAG)?;
    tag.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic()).then_some((length, None))
}

/// What an entity stands for, if it is one.
fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
