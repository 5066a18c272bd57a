//! The benchmarks: the extension and a build of its core that a page of benchmarks can enter, side by side with others in
//! Chromium. What each row means stands in `benches/README.md`.

use anyhow::Result;
use clap::Args;

use crate::build;
use crate::manifest::Manifest;
use crate::process::{command, run};
use crate::setup::{Need, setup};

/// Which rows to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// Only these rows (stream, highlights, anchoring, painted, markdown, start); all when none is named.
    rows: Vec<String>,
    /// Measure what was built before.
    #[arg(long)]
    no_build: bool,
}

/// Builds, then runs `benches/run.mjs`, which prints the table and writes `target/bench/bench.json`.
pub(crate) fn bench(options: &Options) -> Result<()> {
    let programs = setup(Need::Browse)?;
    if !options.no_build {
        build::build()?;
        // The core as it ships, with one more way in.
        let out = crate::root().join("target/bench/pkg");
        build::compile(&Manifest::read()?, "bench", &out)?;
    }
    let mut node = command("node");
    if let Some(chrome) = &programs.chrome {
        node.env("CHROME", chrome);
    }
    run(node.arg("benches/run.mjs").args(&options.rows))
}
