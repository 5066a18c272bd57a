//! How well the reading half does on recorded input: provider streams, quotations, page text.

mod anchoring;
mod browser;
mod extraction;
mod transcripts;

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

/// What to score, on a folder of inputs.
#[derive(Subcommand)]
pub(crate) enum Score {
    /// Replay recorded streams (`*.jsonl`, `*.sse`) in random cuts and compare with `*.expected.json`.
    Transcripts {
        /// The folder of recordings.
        folder: PathBuf,
        /// Decides where the streams are cut; random when not given.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Find the phrases of every `*/phrases.json` on its page, in Chromium with the extension.
    Anchoring {
        /// The folder of pages.
        folder: PathBuf,
        /// Let other matchers try the same phrases.
        #[arg(long)]
        baseline: bool,
    },
    /// Compare the text read of every page with its `expected.html`.
    Extraction {
        /// The folder of pages.
        folder: PathBuf,
    },
}

/// Runs one score; an error when it falls short of what is asked of it.
pub(crate) fn score(score: Score) -> Result<()> {
    match score {
        Score::Transcripts { folder, seed } => transcripts::score(&folder, seed),
        Score::Anchoring { folder, baseline } => anchoring::score(&folder, baseline),
        Score::Extraction { folder } => extraction::score(&folder),
    }
}
