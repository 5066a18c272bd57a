//! English, as Chrome would say it, where there is no browser.

use std::sync::OnceLock;

use super::{Language, Number};

pub(super) const ENGLISH: Language = Language {
    text,
    plural: |count| if count == 1 { "one" } else { "other" }.to_owned(),
    number,
    // `str::to_lowercase` looks for the end of a Greek word, in 4 kB of code.
    lower: |text| text.chars().flat_map(char::to_lowercase).collect(),
};

fn text(key: &str, args: &[&str]) -> Option<String> {
    static TEXTS: OnceLock<serde_json::Value> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| {
        serde_json::from_str(include_str!("../../extension/_locales/en/messages.json")).unwrap_or_default()
    });
    let text = texts.get(key)?.get("message")?.as_str()?;
    let mut said = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (c, rest.as_str().chars().next()) {
            ('$', Some(digit @ '1'..='9')) => {
                rest.next();
                said.push_str(args.get(digit as usize - '1' as usize).copied().unwrap_or_default());
            }
            ('$', Some('$')) => {
                rest.next();
                said.push('$');
            }
            _ => said.push(c),
        }
    }
    Some(said)
}

fn number(Number { units, digits, is_dollars }: Number) -> String {
    let one = 10_u64.pow(digits.into());
    let whole = (units / one).to_string();
    let mut said = String::from(if is_dollars { "$" } else { "" });
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            said.push(',');
        }
        said.push(digit);
    }
    if digits == 0 {
        return said;
    }
    said + &format!(".{:0width$}", units % one, width = digits.into())
}
