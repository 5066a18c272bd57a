//! The zip for the Chrome Web Store: the same bytes for the same checkout.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Packs `extension/`.
pub(crate) fn package() -> Result<()> {
    let extension = crate::root().join("extension");
    let target = crate::root().join(format!("target/sidelight-{}.zip", env!("CARGO_PKG_VERSION")));
    let mut files = Vec::new();
    collect(&extension, &mut files)?;
    files.sort();

    // No times of files: entries carry the format's earliest date.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).unix_permissions(0o644);
    let mut zip = ZipWriter::new(File::create(&target).with_context(|| target.display().to_string())?);
    for path in &files {
        let name = path.strip_prefix(&extension)?.to_string_lossy().replace('\\', "/");
        let mut content = fs::read(path).with_context(|| path.display().to_string())?;
        if name == "manifest.json" {
            content = store_manifest(&content)?;
        }
        zip.start_file(&name, options)?;
        zip.write_all(&content)?;
    }
    zip.finish()?;
    println!("package: {} files in {}", files.len(), target.display());
    Ok(())
}

/// The store gives an extension its own key and refuses a manifest that brings one.
fn store_manifest(content: &[u8]) -> Result<Vec<u8>> {
    let mut manifest: Value = serde_json::from_slice(content).context("extension/manifest.json")?;
    if let Value::Object(fields) = &mut manifest {
        fields.shift_remove("key");
    }
    Ok(serde_json::to_vec_pretty(&manifest)?)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
