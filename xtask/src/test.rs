//! Every check of the project, in the order in which they fail fastest, and the counts of all of them at the end.

mod counts;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use crate::build;
use crate::process::{command, run, run_observed};
use crate::setup::{Need, Programs, WASM_TARGET, setup};

use counts::Counts;

/// Which checks to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Only these checks; all when none is named.
    checks: Vec<Check>,
}

/// A check, by what runs it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Check {
    /// rustfmt.
    Format,
    /// clippy, native and wasm32, warnings denied.
    Lint,
    /// `cargo test`.
    Native,
    /// `wasm-pack test` in headless Chrome.
    Wasm,
    /// The hand-written JavaScript, in Node.
    Glue,
    /// The build of the extension, with its budget.
    Build,
    /// The unpacked extension in Chromium.
    E2e,
}

/// Runs the checks; one that fails does not keep the others from running.
pub(crate) fn test(options: &Options) -> Result<()> {
    let is_chosen = |check: Check| {
        let needed_by_e2e = check == Check::Build && options.checks.contains(&Check::E2e);
        options.checks.is_empty() || options.checks.contains(&check) || needed_by_e2e
    };
    let chosen: Vec<Check> = Check::value_variants().iter().copied().filter(|&check| is_chosen(check)).collect();
    let programs = setup(chosen.iter().map(|check| check.need()).max().unwrap_or(Need::Test))?;
    let mut outcomes = Vec::new();
    for check in chosen {
        println!("\n── {} ──", check.name());
        let mut counts = Counts::default();
        let result = check.run(&programs, &mut counts);
        if let Err(error) = &result {
            eprintln!("{}: {error:#}", check.name());
        }
        outcomes.push((check, counts, result));
    }

    println!();
    let mut total = Counts::default();
    for (check, counts, result) in &outcomes {
        println!("{:<7} {:<6} {counts}", check.name(), if result.is_ok() { "ok" } else { "FAILED" });
        total += *counts;
    }
    let failed: Vec<_> =
        outcomes.iter().filter(|(.., result)| result.is_err()).map(|(check, ..)| check.name()).collect();
    println!("\n{total}");
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

impl Check {
    fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Lint => "lint",
            Self::Native => "native",
            Self::Wasm => "wasm",
            Self::Glue => "glue",
            Self::Build => "build",
            Self::E2e => "e2e",
        }
    }

    fn need(self) -> Need {
        match self {
            Self::Format | Self::Lint | Self::Native | Self::Build => Need::Build,
            Self::Glue | Self::E2e => Need::Browse,
            Self::Wasm => Need::Test,
        }
    }

    fn run(self, programs: &Programs, counts: &mut Counts) -> Result<()> {
        match self {
            Self::Format => run(command("cargo").args(["fmt", "--all", "--check"])),
            Self::Lint => {
                let lint =
                    |scope: &[&str]| run(command("cargo").arg("clippy").args(scope).args(["--", "--deny", "warnings"]));
                lint(&["--workspace", "--all-targets"])?;
                // What exists in a browser only.
                lint(&["--workspace", "--exclude", "xtask", "--target", WASM_TARGET, "--lib"])?;
                lint(&["--package", "sidelight", "--target", WASM_TARGET, "--test", "wasm"])
            }
            // One seed: whether a commit passes must not be a matter of luck. Whoever explores runs `cargo test`.
            Self::Native => {
                observe(command("cargo").args(["test", "--workspace"]).env("PROPTEST_RNG_SEED", "1"), counts)
            }
            Self::Wasm => {
                let chromedriver = programs.chromedriver.as_ref().context("no chromedriver")?;
                observe(
                    command("wasm-pack")
                        .args(["test", "--mode", "no-install", "--headless", "--chrome", "--chromedriver"])
                        .arg(chromedriver)
                        // In seconds, for its driver to start and for all tests; its own are short for a busy machine.
                        .envs([("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60"), ("WASM_BINDGEN_TEST_TIMEOUT", "300")]),
                    counts,
                )
            }
            Self::Glue => node_tests(&["tests/glue", "tests/content"], programs, counts),
            Self::Build => build::build(),
            Self::E2e => node_tests(&["tests/e2e"], programs, counts),
        }
    }
}

/// Node's own test runner over every `*.test.mjs` of some folders, one file after the other.
fn node_tests(folders: &[&str], programs: &Programs, counts: &mut Counts) -> Result<()> {
    let mut files = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(crate::root().join(folder)) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            if path.to_string_lossy().ends_with(".test.mjs") {
                files.push(path);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        bail!("no test in {}", folders.join(", "));
    }
    let mut node = command("node");
    if let Some(chrome) = &programs.chrome {
        node.env("CHROME", chrome);
    }
    // One browser at a time: timings are asserted, and two cores are enough for one.
    // A file that hangs is one that fails: none takes ten minutes.
    let options = ["--test", "--test-reporter=spec", "--test-concurrency=1", "--test-timeout=600000"];
    observe(node.args(options).args(files), counts)
}

fn observe(command: &mut std::process::Command, counts: &mut Counts) -> Result<()> {
    let outcome = run_observed(command, |line| counts.add_line(line));
    if outcome.is_ok() && counts.passed == 0 {
        bail!("ran no test");
    }
    outcome
}
