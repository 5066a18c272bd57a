//! Web addresses out of hostile text, and without what might open somebody's account.

use url::{Url, form_urlencoded};

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

/// Parses an http or https address with a host in ASCII; anything else gives `None`.
///
/// Use it for every address a page or a model wrote: the ASCII-only host parser asserts, in debug builds, that no
/// capital letter stands beside a non-ASCII one, so the host is lowered first and `%` in it refused.
pub fn web_address(text: &str) -> Option<Url> {
    let text = text.trim();
    let (scheme, rest) = text.split_once(':')?;
    if !["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web)) {
        return None;
    }
    // The parser takes any number of slashes of either kind.
    let rest = rest.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let host_end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(host_end);
    if authority.contains('%') {
        return None;
    }
    let url = Url::parse(&format!("{scheme}://{}{path}", authority.to_ascii_lowercase())).ok()?;
    url.has_host().then_some(url)
}

/// The address as it may be sent to a provider: http and https only, without user name, password and fragment, and
/// without query parameters that look like secrets, by name or by a long random value. Anything else gives `""`.
pub fn safe_url(address: &str) -> String {
    let Some(mut url) = web_address(address) else { return String::new() };
    // Both succeed for a URL with a host, which http and https always have.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    let harmless: Vec<&str> = url.query().unwrap_or_default().split('&').filter(|pair| !is_secret(pair)).collect();
    let query = harmless.join("&");
    url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
    if url.as_str().len() > MAX_URL {
        url.set_query(None);
    }
    if url.as_str().len() > MAX_URL {
        url.set_path("");
    }
    url.into()
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
