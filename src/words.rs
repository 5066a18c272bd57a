//! What the interface says, by key, in the reader's language.
//!
//! The texts stand in `extension/_locales/*/messages.json` and nowhere else; Chrome chooses the language. Nothing of
//! them is in the module: whoever has a browser [installs](install) its look-up. Natively the English texts are read.

use std::sync::OnceLock;

/// Looks a text up and fills in its arguments; `None` for a key without a text.
pub type Lookup = fn(key: &str, args: &[&str]) -> Option<String>;

static LOOKUP: OnceLock<Lookup> = OnceLock::new();

/// Installs the look-up; the first one stays.
pub fn install(lookup: Lookup) {
    LOOKUP.get_or_init(|| lookup);
}

/// The text of a key, with at most nine arguments in the places of `$1` to `$9`. A key without a text is shown itself,
/// so that the gap is seen; `tests/locales.rs` finds it first.
pub fn say(key: &str, args: &[&str]) -> String {
    let lookup = LOOKUP.get().copied().unwrap_or(fallback);
    lookup(key, args).unwrap_or_else(|| key.to_owned())
}

#[cfg(target_arch = "wasm32")]
fn fallback(_key: &str, _args: &[&str]) -> Option<String> {
    None
}

/// The English texts, as Chrome would say them.
#[cfg(not(target_arch = "wasm32"))]
fn fallback(key: &str, args: &[&str]) -> Option<String> {
    static ENGLISH: OnceLock<serde_json::Value> = OnceLock::new();
    let english = ENGLISH.get_or_init(|| {
        serde_json::from_str(include_str!("../extension/_locales/en/messages.json")).unwrap_or_default()
    });
    let text = english.get(key)?.get("message")?.as_str()?;
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

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::say;

    #[test]
    fn arguments_stand_in_their_places() {
        assert_eq!(say("options_key_saved", &["9876"]), "Saved: •••• 9876");
        assert_eq!(say("options_key_saved", &["$1"]), "Saved: •••• $1", "an argument is no template");
        assert_eq!(say("options_key_saved", &[]), "Saved: •••• ");
    }

    #[test]
    fn a_key_without_a_text_is_shown_itself() {
        assert_eq!(say("no_such_key", &[]), "no_such_key");
    }
}
