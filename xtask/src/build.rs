//! The extension's generated half: the wasm modules, the styles that come from the table of categories, and the library
//! that ships with it.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use sidelight::reading::category;

use crate::manifest::{Manifest, read_text};
use crate::process::{command, run};

/// Builds `extension/pkg`.
pub(crate) fn build() -> Result<()> {
    let manifest = Manifest::read()?;
    let out = crate::root().join(&manifest.out_dir);
    check_extension_version()?;
    // Nothing of an earlier build stays, so that what is loaded is what was built.
    match fs::remove_dir_all(&out) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).context(manifest.out_dir);
        }
        _ => {}
    }
    let count = manifest.modules.len();
    for (at, module) in (1..).zip(&manifest.modules) {
        println!("build: module {at} of {count}, {module} (up to a minute, the first up to two)");
        compile(&manifest, module, &out)?;
    }
    for module in &manifest.classic {
        // Behind all of them: one imports another. Where a module lies by default is for scripts to say that know where
        // they lie themselves.
        let classic =
            ["--bundle", "--format=iife", "--global-name=sidelight", "--log-override:empty-import-meta=silent"];
        rewrite(&out, module, &classic)?;
    }
    remove_package_files(&out)?;
    fs::copy(crate::root().join("node_modules/@mozilla/readability/Readability.js"), out.join("Readability.js"))
        .context("Readability.js")?;
    fs::write(out.join("page.css"), category::page_css())?;
    fs::write(out.join("categories.css"), category::panel_css())?;
    manifest.modules.iter().try_for_each(|module| {
        let limit =
            manifest.budget.get(module).with_context(|| format!("wasm-pack.toml has no budget for {module}"))?;
        check_size(module, &out, *limit)
    })
}

/// Builds the crate `modules/<module>` into `out`. All modules share cargo's target directory, so that what they depend on
/// is compiled once.
pub(crate) fn compile(manifest: &Manifest, module: &str, out: &Path) -> Result<()> {
    // `no-install`: set-up has the tools in place, and wasm-pack would download its own.
    run(command("wasm-pack")
        .args(["build", &format!("modules/{module}"), "--mode", "no-install"])
        .args(["--no-opt", "--no-pack", "--no-gitignore", "--no-typescript"])
        .args(["--target", &manifest.target, "--profile", &manifest.profile])
        .args(["--out-name", module, "--out-dir"])
        .arg(out))?;
    let wasm = out.join(wasm_file(module));
    run(command("node_modules/.bin/wasm-opt").args(&manifest.wasm_opt.flags).arg(&wasm).arg("--output").arg(&wasm))?;
    // The generated script is half comments.
    rewrite(out, module, &["--format=esm"])
}

/// Runs esbuild over a module's script.
fn rewrite(out: &Path, module: &str, arguments: &[&str]) -> Result<()> {
    let script = out.join(format!("{module}.js"));
    run(command("node_modules/.bin/esbuild")
        .arg(&script)
        .args(["--minify", "--allow-overwrite", "--log-level=warning"])
        .args(arguments)
        .arg(format!("--outfile={}", script.display())))
}

fn wasm_file(module: &str) -> String {
    format!("{module}_bg.wasm")
}

/// wasm-pack copies what a package on npm would need; the extension is none.
fn remove_package_files(out: &Path) -> Result<()> {
    for entry in fs::read_dir(out)? {
        let path = entry?.path();
        if path.is_file() && path.extension().is_none_or(|extension| extension != "js" && extension != "wasm") {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

fn check_size(name: &str, out: &Path, limit: usize) -> Result<()> {
    let module = fs::read(out.join(wasm_file(name)))?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&module)?;
    let size = gzip.finish()?.len();
    if size > limit {
        bail!(
            "the wasm module {name} is {size} bytes gzipped, the budget of wasm-pack.toml is {limit}: \
             find what grew (`cargo tree -e normal`, `git log -p Cargo.toml`), or raise the budget and say why"
        );
    }
    println!("build: {name} is {} bytes of wasm, {size} gzipped, budget {limit}", module.len());
    Ok(())
}

/// Chrome reads its own manifest, so the version stands there too.
fn check_extension_version() -> Result<()> {
    let manifest: Value = serde_json::from_str(&read_text(&crate::root().join("extension/manifest.json"))?)
        .context("extension/manifest.json")?;
    let wanted = env!("CARGO_PKG_VERSION");
    if manifest["version"] != wanted {
        bail!("extension/manifest.json has version {}, Cargo.toml has {wanted}: set both alike", manifest["version"]);
    }
    Ok(())
}
