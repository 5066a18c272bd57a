//! Web addresses out of hostile text, and without what might open somebody's account.

use crate::url::Url;

/// Longest address a prompt carries, in bytes; beyond it the query is left out.
const MAX_URL: usize = 2000;

/// Parts of a parameter's name that mark its value as a secret, wherever they stand in it.
const SECRET_PARTS: &[&str] = &[
    "token",
    "secret",
    "passw",
    "signature",
    "session",
    "sessid",
    "apikey",
    "credential",
    "accesskey",
    "authoriz",
    "oauth",
    "jwt",
    "saml",
    "email",
];

/// Words that mark a value as a secret when they are a whole word of the parameter's name.
const SECRET_WORDS: &[&str] = &[
    "key", "sig", "auth", "code", "pass", "pwd", "pw", "sid", "sess", "otp", "pin", "ticket", "nonce", "state", "hash",
    "hmac", "magic", "invite", "user", "login", "mail",
];

/// Length from which an unbroken mix of letters and digits is taken for a random value, in bytes.
const RANDOM_RUN: usize = 16;

/// Parses an address that a page or a model wrote; gives those of the web only.
pub fn web_address(text: &str) -> Option<Url> {
    Url::parse(text.trim())
}

/// The address as it may be sent to a provider: http and https only, without user name, password and fragment, and
/// without query parameters that look like secrets, by name or by a long random value. Anything else gives `""`.
pub fn safe_url(address: &str) -> String {
    let Some(url) = web_address(address) else { return String::new() };
    let origin = url.origin();
    let harmless: Vec<&str> = url.query().unwrap_or_default().split('&').filter(|pair| !is_secret(pair)).collect();
    let query = harmless.join("&");
    let whole = [origin.as_str(), url.path(), if query.is_empty() { "" } else { "?" }, &query].concat();
    if whole.len() <= MAX_URL {
        return whole;
    }
    let path = if origin.len() + url.path().len() <= MAX_URL { url.path() } else { "/" };
    [&origin, path].concat()
}

/// Whether a `name=value` pair of a query is to be left out.
fn is_secret(pair: &str) -> bool {
    form_urlencoded::parse(pair.as_bytes()).any(|(name, value)| {
        // An address in a parameter ("next=https://…?token=…") hides parameters of its own.
        let nested = value.split(['?', '&', '#', ';']).filter_map(|inner| inner.split_once('='));
        is_secret_name(&name)
            || looks_random(&name)
            || looks_random(&value)
            || nested.into_iter().any(|(name, _)| is_secret_name(name))
    })
}

fn is_secret_name(name: &str) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    SECRET_PARTS.iter().any(|part| letters.contains(part))
        || words(name).any(|word| SECRET_WORDS.iter().any(|secret| word.eq_ignore_ascii_case(secret)))
}

/// Words of `snake_case`, `kebab-case` and `camelCase` names.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|part| {
        let mut starts: Vec<usize> = part
            .as_bytes()
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            .map(|(i, _)| i + 1)
            .collect();
        starts.insert(0, 0);
        let ends = starts.iter().skip(1).copied().chain([part.len()]).collect::<Vec<_>>();
        starts.into_iter().zip(ends).filter_map(move |(start, end)| part.get(start..end))
    })
}

/// Random values have long runs that mix letters and digits; words, dates and numbers have not.
fn looks_random(value: &str) -> bool {
    let is_mixed = |run: &str| {
        run.len() >= RANDOM_RUN
            && run.bytes().any(|b| b.is_ascii_digit())
            && run.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let is_uuid = value.len() == 36 && value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    // Base64 without digits: long, and letters change case more often than words do.
    let is_scrambled = |run: &str| {
        run.len() >= RANDOM_RUN
            && run.as_bytes().windows(2).filter(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase()).count() >= 4
    };
    is_uuid || value.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| is_mixed(run) || is_scrambled(run))
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
