//! What the options page shows and does, as far as that needs no browser.

pub mod transfer;

use crate::provider::PROVIDERS;
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// Patterns that together cover every site; asked for as one.
pub const EVERY_SITE: [&str; 2] = ["https://*/*", "http://*/*"];

/// Shortest key of which a part may be shown, in characters: four of fewer would give too much away.
const MIN_SHOWN_KEY: usize = 12;

/// A saved key, by its last four characters.
pub fn mask_key(key: &str) -> String {
    let length = key.chars().count();
    if length < MIN_SHOWN_KEY {
        return words::say("options_key_some", &[]);
    }
    let last: String = key.chars().skip(length - 4).collect();
    words::say("options_key_saved", &[&last])
}

/// Something the reader allowed, as a row of the list of sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The match pattern, as Chrome knows it.
    pub pattern: String,
    /// What it covers, for the reader.
    pub label: String,
    /// The provider whose own host it is; empty for any other.
    pub provider: &'static str,
}

/// The sites behind what Chrome has granted. `required` are the patterns of the manifest, which can't be taken back.
pub fn sites(granted: &[String], required: &[String]) -> Vec<Site> {
    let optional = granted.iter().filter(|pattern| !required.contains(pattern));
    optional
        .map(|pattern| Site {
            pattern: pattern.clone(),
            label: label_of(pattern),
            provider: PROVIDERS.iter().find(|row| row.host_permission == pattern).map_or("", |row| row.name),
        })
        .collect()
}

/// Whether what Chrome has granted covers every site.
pub fn covers_every_site(granted: &[String]) -> bool {
    EVERY_SITE.iter().all(|pattern| granted.iter().any(|one| one == pattern || one == "<all_urls>"))
}

fn label_of(pattern: &str) -> String {
    let Some((scheme, rest)) = pattern.split_once("://") else { return words::say("options_site_every", &["*"]) };
    match rest.strip_suffix("/*").unwrap_or(rest) {
        "*" => words::say("options_site_every", &[&format!("{scheme}://")]),
        host if scheme == "https" => host.to_owned(),
        host => format!("{scheme}://{host}"),
    }
}
