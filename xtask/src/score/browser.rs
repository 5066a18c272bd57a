//! The half of a score that needs a browser: `xtask/js/score.mjs`, one JSON object a line.

use std::path::Path;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

use crate::build;
use crate::process::{command, each_line};
use crate::setup::{Need, setup};

/// Builds the extension and hands every page's outcome to `on_page` as it comes.
pub(super) fn each_page<T: DeserializeOwned>(
    what: &str,
    folder: &Path,
    flags: &[&str],
    mut on_page: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let chrome = setup(Need::Browse)?.chrome.context("no browser")?;
    build::build()?;
    let folder = folder.canonicalize().with_context(|| format!("no folder {}", folder.display()))?;
    let mut node = command("node");
    node.env("CHROME", chrome).args(["xtask/js/score.mjs", what]).arg(&folder).args(flags);
    each_line(&mut node, |line| on_page(serde_json::from_str(line).context("score.mjs said something unexpected")?))
}
