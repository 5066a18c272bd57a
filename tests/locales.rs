//! Every language says everything, and nothing that nobody asks for.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sidelight::provider::PROVIDERS;
use sidelight::reading::category::CATEGORIES;
use sidelight::reading::rules;
use sidelight::words;

/// The same of a language the offline reader tells by its text.
const LANGUAGE_NAME: &str = "language_";

/// Most characters of a reason of the offline reader without the words it quotes: a note holds 90.
const REASON: usize = 80;

/// Texts by key.
type Texts = BTreeMap<String, String>;

/// Keys that are put together: of a provider, by its name.
const PROVIDERS_OWN: [&str; 2] = ["provider_label_", "provider_sends_"];

/// The same of those that no company has named.
const PROVIDER_NAME: &str = "provider_name_";

/// The same of a category.
const CATEGORYS_OWN: [&str; 3] = ["category_label_", "category_short_", "category_meaning_"];

/// The forms a counted thing takes in a language, as Unicode's plural rules name them. Where a form of theirs is left
/// out (of millions, in Spanish), the last one stands in.
fn forms(language: &str) -> &'static [&'static str] {
    match language {
        "ja" => &["other"],
        "ar" => &["zero", "one", "two", "few", "many", "other"],
        _ => &["one", "other"],
    }
}

/// Things that are counted: those that English has a `_one` and an `_other` of.
fn things(english: &Texts) -> BTreeSet<&str> {
    let others = english.keys().filter_map(|key| key.strip_suffix("_other"));
    others.filter(|thing| english.contains_key(&format!("{thing}_one"))).collect()
}

/// The thing a key counts.
fn thing_of<'a>(key: &'a str, things: &BTreeSet<&str>) -> Option<&'a str> {
    let (thing, form) = key.rsplit_once('_')?;
    (forms("ar").contains(&form) && things.contains(thing)).then_some(thing)
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn texts(language: &str) -> Texts {
    let path = root().join(format!("extension/_locales/{language}/messages.json"));
    let file: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let rows = file.as_object().unwrap().iter();
    rows.map(|(key, row)| {
        assert_eq!(row.as_object().unwrap().len(), 1, "{language}: {key} has a message and nothing else");
        (key.clone(), row["message"].as_str().unwrap().to_owned())
    })
    .collect()
}

fn languages() -> Vec<String> {
    let folders = fs::read_dir(root().join("extension/_locales")).unwrap();
    folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Files under a folder with one of the extensions, built ones left out.
fn files(folder: &Path, extensions: &[&str], found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("pkg") && !path.ends_with("_locales") {
                files(&path, extensions, found);
            }
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Keys that the offline reader's word lists name as reasons.
fn reasons() -> BTreeSet<String> {
    let list = fs::read_to_string(root().join("src/reading/rules/lists/en.tsv")).unwrap();
    let reasons = list.lines().filter(|row| !row.starts_with("plain")).filter_map(|row| row.split('\t').nth(3));
    reasons.map(str::to_owned).collect()
}

#[test]
fn a_reason_leaves_room_for_the_words_in_every_language() {
    let reasons = reasons();
    assert!(reasons.len() > 100);
    for language in languages() {
        let own = texts(&language);
        for key in &reasons {
            let text = &own[key];
            assert!(text.chars().count() <= REASON, "{language}: {key}: {text}");
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(&root().join("src"), &["rs"], &mut found);
    files(&root().join("modules"), &["rs"], &mut found);
    files(&root().join("extension"), &["html", "js", "json"], &mut found);
    found
}

/// `$1` and the like, in order.
fn places(text: &str) -> BTreeSet<char> {
    let mut places = BTreeSet::new();
    for (at, _) in text.match_indices('$') {
        let place = text[at + 1..].chars().next().unwrap_or(' ');
        assert!(place.is_ascii_digit() && place != '0', "“{text}” has a $ that is no place");
        places.insert(place);
    }
    places
}

#[test]
fn every_language_has_the_same_keys_and_places() {
    let english = texts("en");
    let things = things(&english);
    assert!(languages().len() >= 5);
    for language in languages() {
        let own = texts(&language);
        assert_eq!(own["language"], language);
        assert!(["ltr", "rtl"].contains(&own["direction"].as_str()));
        let plain = |texts: &Texts| -> Vec<String> {
            texts.keys().filter(|key| thing_of(key, &things).is_none()).cloned().collect()
        };
        assert_eq!(plain(&own), plain(&english), "{language}");
        for thing in &things {
            let is_there = |form: &&&str| own.contains_key(&format!("{thing}_{form}"));
            let found: Vec<&str> = forms("ar").iter().filter(is_there).copied().collect();
            assert_eq!(found, forms(&language), "{language}: {thing}");
        }
        for (key, text) in &own {
            match thing_of(key, &things) {
                // One or two of a thing need no number.
                Some(thing) if !key.ends_with("_other") => {
                    assert!(places(text).is_subset(&places(&own[&format!("{thing}_other")])), "{language}: {key}");
                }
                Some(_) | None => assert_eq!(places(text), places(&english[key]), "{language}: {key}"),
            }
            assert_eq!(text.trim(), text, "{language}: {key}");
            assert!(!text.is_empty() && !text.contains(['!', '！']), "{language}: {key}: {text}");
            assert!(!key.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_'), "{key} is no key for Chrome");
        }
    }
}

#[test]
fn every_text_is_used_and_every_key_has_one() {
    let english = texts("en");
    let sources = sources();
    let things = things(&english);
    let mut expected = BTreeSet::new();
    for row in &PROVIDERS {
        expected.extend(PROVIDERS_OWN.map(|family| format!("{family}{}", row.id.as_str())));
        if !row.speaks_http() {
            expected.insert(format!("{PROVIDER_NAME}{}", row.id.as_str()));
        }
    }
    for row in &CATEGORIES {
        expected.extend(CATEGORYS_OWN.map(|family| format!("{family}{}", row.name)));
    }
    expected.extend(rules::language_names().map(|name| format!("{LANGUAGE_NAME}{}", name.to_ascii_lowercase())));
    expected.extend(reasons());
    for key in &expected {
        assert!(english.contains_key(key), "no text for {key}");
    }
    for key in english.keys().filter(|key| !expected.contains(*key)) {
        let key = thing_of(key, &things).unwrap_or(key);
        let forms = [format!("\"{key}\""), format!("'{key}'"), format!("__MSG_{key}__")];
        let is_used = sources.iter().any(|(_, text)| forms.iter().any(|form| text.contains(form)));
        assert!(is_used, "nobody says {key}");
    }
    for (path, text) in &sources {
        // The calls of Rust, the attributes of HTML, the manifest.
        for (opening, closing) in [
            ("words::say(\"", '"'),
            ("words::count(\"", '"'),
            ("Outcome::good(\"", '"'),
            ("Outcome::bad(\"", '"'),
            ("refuse(\"", '"'),
            ("__MSG_", '_'),
        ] {
            for (at, _) in text.match_indices(opening) {
                let rest = &text[at + opening.len()..];
                let key = if closing == '_' { rest.split("__").next() } else { rest.split(closing).next() }.unwrap();
                let is_known = if opening.contains("count") { things.contains(key) } else { english.contains_key(key) };
                assert!(is_known || path.ends_with("src/words.rs"), "{path}: no text for {key}");
            }
        }
    }
}

/// An element of HTML as far as words go: its attributes, and its text up to the next tag.
struct Tag<'a> {
    attributes: Vec<(&'a str, &'a str)>,
    text: String,
}

fn tags(html: &str) -> Vec<Tag<'_>> {
    let body = html.split('<').skip(1).filter(|tag| !tag.starts_with(['/', '!']));
    body.map(|tag| {
        let (head, text) = tag.split_once('>').unwrap();
        let mut attributes = Vec::new();
        let mut rest = head;
        while let Some((before, after)) = rest.split_once("=\"") {
            let (value, next) = after.split_once('"').unwrap();
            attributes.push((before.split_whitespace().last().unwrap(), value));
            rest = next;
        }
        Tag { attributes, text: text.split_whitespace().collect::<Vec<_>>().join(" ") }
    })
    .collect()
}

#[test]
fn html_says_in_english_what_its_keys_say() {
    let english = texts("en");
    let mut pages = Vec::new();
    files(&root().join("extension"), &["html"], &mut pages);
    for (path, html) in &pages {
        for tag in tags(html) {
            let value = |name: &str| tag.attributes.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
            for (name, key) in tag.attributes.iter().filter(|(name, _)| name.starts_with("data-i18n")) {
                let text = english.get(*key).unwrap_or_else(|| panic!("{path}: no text for {key}"));
                let shown = match name.strip_prefix("data-i18n-") {
                    Some(attribute) => value(attribute).unwrap_or_else(|| panic!("{path}: {key} stands for nothing")),
                    None => &tag.text,
                };
                assert_eq!(shown, text, "{path}: {key}");
            }
            for name in ["aria-label", "title", "placeholder"] {
                let has_key = value(&format!("data-i18n-{name}")).is_some();
                assert!(value(name).is_none() || has_key, "{path}: {name} {:?} has no key", value(name));
            }
            // The name is the same in every language.
            let is_words = tag.text != "Sidelight" && tag.text.chars().any(char::is_alphabetic);
            let is_text = is_words && value("data-i18n").is_none();
            assert!(!is_text || value("dir") == Some("ltr"), "{path}: “{}” has no key", tag.text);
        }
    }
}

#[test]
fn the_core_says_english_where_there_is_no_browser() {
    for (key, text) in texts("en") {
        let args = ["a$1", "b", "c", "d"];
        let expected = text.replace("$2", "b").replace("$3", "c").replace("$4", "d").replace("$1", "a$1");
        assert_eq!(words::say(&key, &args), expected);
    }
}
