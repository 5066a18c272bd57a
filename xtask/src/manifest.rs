//! `wasm-pack.toml`, the build manifest, and the versions that `Cargo.lock` pins.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde::Deserialize;

/// What `wasm-pack.toml` says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// wasm-pack's `--target`.
    pub(crate) target: String,
    /// Where the build goes, relative to the checkout.
    pub(crate) out_dir: String,
    /// Cargo profile.
    pub(crate) profile: String,
    /// The modules to build, each the crate of that name in `modules/`.
    pub(crate) modules: Vec<String>,
    /// Those whose script is no module but a classic script.
    pub(crate) classic: Vec<String>,
    /// Tools to install, with their exact versions.
    pub(crate) tools: Tools,
    /// The optimiser.
    #[serde(rename = "wasm-opt")]
    pub(crate) wasm_opt: WasmOpt,
    /// What each module must not exceed, in bytes after gzip at its best level.
    pub(crate) budget: HashMap<String, usize>,
}

/// Versions of tools.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tools {
    /// Version of wasm-pack.
    #[serde(rename = "wasm-pack")]
    pub(crate) wasm_pack: String,
}

/// How wasm-opt is called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WasmOpt {
    /// Its command line but for the files.
    pub(crate) flags: Vec<String>,
}

impl Manifest {
    /// Reads `wasm-pack.toml`.
    pub(crate) fn read() -> Result<Self> {
        let text = read_text(&crate::root().join("wasm-pack.toml"))?;
        toml::from_str(&text).context("wasm-pack.toml")
    }
}

/// The version of a package in `Cargo.lock`.
pub(crate) fn locked_version(package: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Lock {
        package: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: String,
    }
    let lock: Lock = toml::from_str(&read_text(&crate::root().join("Cargo.lock"))?).context("Cargo.lock")?;
    let found = lock.package.into_iter().find(|entry| entry.name == package);
    Ok(found.with_context(|| format!("Cargo.lock holds no {package}"))?.version)
}

/// A text file, with its name in the error.
pub(crate) fn read_text(path: &std::path::Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
