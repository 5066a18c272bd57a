//! One reading, start to end, as a person does it.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use sidelight::provider::registry::PROVIDERS;

use crate::build;
use crate::process::{command, run};
use crate::setup::{Need, setup};

/// What to read, with which model, and where the outcome goes.
#[derive(Args)]
pub(crate) struct Options {
    /// Show no window: print what is found, save a screenshot, and end. The default without a display.
    #[arg(long)]
    headless: bool,
    /// The page: an address, an HTML file, or a folder with a source.html. The sample article when not given.
    #[arg(long, value_name = "FILE-OR-URL")]
    page: Option<String>,
    /// Who reads. The offline rules when not given.
    #[arg(long, value_parser = PossibleValuesParser::new(PROVIDERS.iter().map(|provider| provider.id.as_str())))]
    provider: Option<String>,
    /// Another server that speaks the provider's protocol.
    #[arg(long, value_name = "URL", requires = "provider")]
    base_url: Option<String>,
    /// The model. The provider's default when not given.
    #[arg(long, requires = "provider")]
    model: Option<String>,
    /// Name of the environment variable that holds the key; a key never stands on a command line.
    #[arg(long, value_name = "VAR", requires = "provider")]
    key_env: Option<String>,
    /// How much of a long page goes to a model on another machine; asked for in the panel when not given.
    #[arg(long, value_name = "ALL-OR-FIRST", requires = "provider", value_parser = ["all", "first"])]
    long_page: Option<String>,
    /// Write what was read as JSON; shows no window.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Where the screenshot of the page goes, the panel's beside it; shows no window.
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// Give up after this many seconds (without a window only).
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    timeout: u32,
}

/// Sets up, builds and opens a page in the browser.
pub(crate) fn start(options: Options) -> Result<()> {
    if let Some(name) = &options.key_env
        && std::env::var_os(name).is_none_or(|key| key.is_empty())
    {
        bail!("--key-env names {name}, which is not set");
    }
    let chrome = setup(Need::Browse)?.chrome.context("no browser")?;
    build::build()?;
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let needs_display = cfg!(all(unix, not(target_os = "macos")));

    let mut node = command("node");
    // Paths on the command line mean the folder it was typed in.
    node.current_dir(std::env::current_dir()?).env("CHROME", chrome).arg(crate::root().join("xtask/js/start.mjs"));
    let wants_output = options.json.is_some() || options.screenshot.is_some();
    if options.headless || wants_output || (needs_display && !has_display) {
        node.arg("--headless");
    }
    let texts = [
        ("--page", options.page),
        ("--provider", options.provider),
        ("--base-url", options.base_url),
        ("--model", options.model),
        ("--key-env", options.key_env),
        ("--long-page", options.long_page),
    ];
    for (name, value) in texts {
        if let Some(value) = value {
            node.args([name, &value]);
        }
    }
    for (name, value) in [("--json", options.json), ("--screenshot", options.screenshot)] {
        if let Some(value) = value {
            node.arg(name).arg(value);
        }
    }
    run(node.args(["--timeout", &options.timeout.to_string()]))
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::*;

    #[test]
    fn a_provider_goes_by_its_name_in_storage() {
        for provider in &PROVIDERS {
            let line = ["start", "--provider", provider.id.as_str()];
            let parsed = Options::augment_args(Command::new("start")).try_get_matches_from(line);
            assert!(parsed.is_ok(), "{parsed:?}");
        }
    }
}
