//! Recorded provider streams, replayed in random cuts through their dialects, against what they are known to say.

mod dialect;
mod expected;
mod replay;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use dialect::Dialect;
use replay::{Cuts, Said, replay};

/// How often each recording is cut at random, for each kind of line end.
const CUTS: u32 = 12;

/// Prints a line for each recording and a total; fails unless all agree.
pub(super) fn score(folder: &Path, seed: Option<u64>) -> Result<()> {
    let seed = seed.unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::from(since.subsec_nanos())
    });
    let recordings = recordings(folder)?;
    if recordings.is_empty() {
        bail!("no *.jsonl or *.sse in {}", folder.display());
    }
    let mut agree = 0;
    for file in &recordings {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        match check(file, seed) {
            Ok(summary) => {
                agree += 1;
                println!("agrees   {name:<42} {summary}");
            }
            Err(error) => println!("DIFFERS  {name:<42} {error:#}"),
        }
    }
    println!("{agree} of {} recordings agree, cut {CUTS} times with each line end from seed {seed}", recordings.len());
    if agree < recordings.len() {
        bail!("{} of {} recordings differ; the seed was {seed}", recordings.len() - agree, recordings.len());
    }
    Ok(())
}

fn recordings(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl" || extension == "sse"));
    files.sort();
    Ok(files)
}

/// Replays one recording every way. The error says what differs first.
fn check(file: &Path, seed: u64) -> Result<String> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let recorded = fs::read(file).context("unreadable")?;
    let expected = file.with_file_name(format!("{name}.expected.json"));
    let expected: Option<Value> = match fs::read_to_string(&expected) {
        Ok(text) => Some(serde_json::from_str(&text).context("its expected.json is no JSON")?),
        Err(_) => None,
    };
    let is_events = file.extension().is_some_and(|extension| extension == "jsonl");
    if is_events && expected.is_none() {
        bail!("has no {name}.expected.json");
    }
    let stated = expected.as_ref().and_then(|expected| expected["dialect"].as_str());
    let dialect = Dialect::of(&name, stated).context("no dialect goes by such a name (anthropic-, openai-, …)")?;
    // A whole body has line ends of its own.
    let bodies: Vec<Vec<u8>> = if is_events {
        let body = dialect.as_stream(std::str::from_utf8(&recorded).context("is not UTF-8")?)?;
        vec![body.replace('\n', "\r\n").into(), body.replace('\n', "\r").into(), body.into()]
    } else {
        vec![recorded]
    };

    let whole = replay(dialect, &[&bodies[0]]);
    match &expected {
        Some(expected) => expected::compare(dialect, &whole, expected)?,
        // A body of which only the bytes are known: it has to come to a proper end.
        None => drop(whole.end.as_ref().map_err(|error| anyhow::anyhow!("ends in an error: {error}"))?),
    }
    let mut cuts = Cuts(seed);
    for body in &bodies {
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        unchanged(&whole, &replay(dialect, &bytes)).context("byte by byte")?;
        for nth in 0..CUTS {
            let said = replay(dialect, &cuts.chunks(body));
            unchanged(&whole, &said).with_context(|| format!("cut {nth} from seed {seed}"))?;
        }
    }
    Ok(whole.summary())
}

fn unchanged(whole: &Said, cut: &Said) -> Result<()> {
    if whole != cut {
        bail!("says something else in pieces: {} instead of {}", cut.summary(), whole.summary());
    }
    Ok(())
}
