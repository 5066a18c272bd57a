//! Set-up, build, start, test and package of Sidelight, each one command on a fresh machine.

mod build;
mod manifest;
mod package;
mod process;
mod score;
mod setup;
mod start;
mod test;

use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use setup::Need;

/// Everything there is to do with a checkout of Sidelight.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing: wasm target, wasm-bindgen, wasm-pack, npm packages, Chromium.
    Setup,
    /// Build the extension into extension/, ready to be loaded unpacked.
    Build,
    /// Build, then read a page in Chromium with the extension, in a window or headless.
    Start(start::Options),
    /// Run every check, or only the named ones.
    Test(test::Options),
    /// Score the reading half on recorded streams or on real pages.
    #[command(subcommand)]
    Score(score::Score),
    /// Build, then pack the zip for the Chrome Web Store into target/.
    Package,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Setup => setup::setup(Need::Test).map(drop),
        Command::Build => setup::setup(Need::Build).and_then(|_| build::build()),
        Command::Start(options) => start::start(options),
        Command::Test(options) => test::test(&options),
        Command::Score(score) => score::score(score),
        Command::Package => setup::setup(Need::Build).and_then(|_| build::build()).and_then(|()| package::package()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the checkout.
fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}
