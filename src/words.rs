//! What the interface says, by key, in the reader's language.
//!
//! The texts stand in `extension/_locales/*/messages.json` and nowhere else; Chrome chooses the language. Nothing of
//! them is in the modules: whoever has a browser [installs](install) its look-up. Natively the English texts are read.

use std::sync::OnceLock;

#[cfg(not(target_arch = "wasm32"))]
mod english;

/// What a language is asked for.
#[derive(Clone, Copy)]
pub struct Language {
    /// The text of a key with its arguments filled in; `None` for a key without a text.
    pub text: fn(key: &str, args: &[&str]) -> Option<String>,
    /// The form a counted thing takes beside a number, by its name in Unicode's rules: `one`, `few`, `other`.
    pub plural: fn(count: u64) -> String,
    /// A number as it is written.
    pub number: fn(number: Number) -> String,
    /// Text in lower case, in no language: Unicode's own, whose tables are 4 kB (gzipped) that every browser has.
    pub lower: fn(text: &str) -> String,
}

/// A number to be written: `units` tenths, hundredths and so on, as `digits` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The number without its point.
    pub units: u64,
    /// How many digits stand behind the point.
    pub digits: u8,
    /// Whether it is an amount of US dollars.
    pub is_dollars: bool,
}

static LANGUAGE: OnceLock<Language> = OnceLock::new();

/// Installs the reader's language; the first one stays.
pub fn install(language: Language) {
    LANGUAGE.get_or_init(|| language);
}

fn language() -> Language {
    LANGUAGE.get().copied().unwrap_or(FALLBACK)
}

#[cfg(not(target_arch = "wasm32"))]
const FALLBACK: Language = english::ENGLISH;

/// No language: keys, bare digits and ASCII.
#[cfg(target_arch = "wasm32")]
const FALLBACK: Language = Language {
    text: |_, _| None,
    plural: |_| "other".to_owned(),
    number: |number| number.units.to_string(),
    lower: str::to_ascii_lowercase,
};

/// The text of a key, with at most nine arguments in the places of `$1` to `$9`. A key without a text is shown itself,
/// so that the gap is seen; `tests/locales.rs` finds it first.
pub fn say(key: &str, args: &[&str]) -> String {
    (language().text)(key, args).unwrap_or_else(|| key.to_owned())
}

/// A text that counts something: `<key>_one`, `<key>_other` and whatever further forms the language has. The number is
/// `$1`, and `more` follows it.
pub fn count(key: &str, count: u64, more: &[&str]) -> String {
    let number = number(count);
    let mut args = vec![number.as_str()];
    args.extend_from_slice(more);
    let Language { text, plural, .. } = language();
    text(&[key, "_", &plural(count)].concat(), &args).unwrap_or_else(|| say(&[key, "_other"].concat(), &args))
}

/// A whole number.
pub fn number(units: u64) -> String {
    decimal(units, 0)
}

/// A number with so many digits behind the point: 123 and 2 is 1.23.
pub fn decimal(units: u64, digits: u8) -> String {
    (language().number)(Number { units, digits, is_dollars: false })
}

/// An amount of US dollars, in the same form.
pub fn dollars(units: u64, digits: u8) -> String {
    (language().number)(Number { units, digits, is_dollars: true })
}

/// Text in lower case, to compare it with other text that is: the Greek final sigma counts as any sigma.
pub fn lower(text: &str) -> String {
    (language().lower)(text).replace('ς', "σ")
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{count, decimal, dollars, lower, number, say};

    #[test]
    fn lower_case_is_that_of_unicode() {
        assert_eq!(lower("Grüße AUS Köln, ΟΔΟΣ, İ"), "grüße aus köln, οδοσ, i\u{307}");
    }

    #[test]
    fn arguments_stand_in_their_places() {
        assert_eq!(say("options_key_saved", &["9876"]), "Saved: •••• 9876");
        assert_eq!(say("options_key_saved", &["$1"]), "Saved: •••• $1", "an argument is no template");
        assert_eq!(say("options_key_saved", &[]), "Saved: •••• ");
    }

    #[test]
    fn a_key_without_a_text_is_shown_itself() {
        assert_eq!(say("no_such_key", &[]), "no_such_key");
        assert_eq!(count("no_such_key", 2, &[]), "no_such_key_other");
    }

    #[test]
    fn counted_things_take_their_form() {
        assert_eq!(count("panel_words", 1, &[]), "1 word");
        assert_eq!(count("panel_words", 0, &[]), "0 words");
        assert_eq!(count("panel_words", 12_345, &[]), "12,345 words");
    }

    #[test]
    fn numbers_are_written_as_english_writes_them() {
        assert_eq!(number(0), "0");
        assert_eq!(number(999), "999");
        assert_eq!(number(1_000), "1,000");
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(decimal(34, 1), "3.4");
        assert_eq!(decimal(5, 2), "0.05");
        assert_eq!(decimal(123_456, 2), "1,234.56");
        assert_eq!(dollars(12, 3), "$0.012");
        assert_eq!(dollars(0, 0), "$0");
    }
}
