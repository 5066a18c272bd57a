//! What a fresh machine lacks, installed once; quick when nothing is missing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::manifest::{Manifest, locked_version};
use crate::process::{capture, command, find, run};

/// The target of the core.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";
const OLDEST_NODE: u32 = 20;

/// Copy of the lock file the installed npm packages come from.
const NPM_STAMP: &str = "node_modules/.installed-lock.json";

/// How much of the set-up a command needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Compilers and packages.
    Build,
    /// A browser as well.
    Browse,
    /// `ChromeDriver` as well.
    Test,
}

/// Programs that were found or installed.
pub(crate) struct Programs {
    /// Chromium or Chrome; `None` when it was not needed.
    pub(crate) chrome: Option<PathBuf>,
    /// `ChromeDriver`; `None` when it was not needed.
    pub(crate) chromedriver: Option<PathBuf>,
}

/// How many steps the set-up has.
const STEPS: u32 = 6;

/// Says which step begins and how long it takes on two cores.
fn announce(step: u32, what: &str, takes: &str) {
    println!("setup: step {step} of {STEPS}, {what} ({takes})");
}

/// Installs what is missing and says so.
pub(crate) fn setup(need: Need) -> Result<Programs> {
    wasm_target()?;
    // wasm-bindgen works for seconds on each module; wasm-pack only calls other programs.
    cargo_tool(2, "wasm-bindgen", "wasm-bindgen-cli", &locked_version("wasm-bindgen")?, "1")?;
    cargo_tool(3, "wasm-pack", "wasm-pack", &Manifest::read()?.tools.wasm_pack, "0")?;
    node_packages()?;
    Ok(Programs {
        chrome: (need >= Need::Browse).then(chrome).transpose()?,
        chromedriver: (need >= Need::Test).then(chromedriver).transpose()?,
    })
}

fn wasm_target() -> Result<()> {
    let libraries = capture(command("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]));
    if libraries.is_some_and(|folder| Path::new(&folder).is_dir()) {
        return Ok(());
    }
    announce(1, &format!("the Rust target {WASM_TARGET}"), "seconds");
    run(command("rustup").args(["target", "add", WASM_TARGET]))
        .with_context(|| format!("the Rust target {WASM_TARGET} is missing: install it, best with rustup"))
}

/// Installs a command-line tool unless exactly this version is there: as `cargo binstall` offers it, where that is installed,
/// else by compiling it. `opt_level` is as much as pays: to optimise a tool takes longer than it ever saves here.
fn cargo_tool(step: u32, program: &str, package: &str, version: &str, opt_level: &str) -> Result<()> {
    let is_installed =
        || capture(command(program).arg("--version")).is_some_and(|text| text == format!("{program} {version}"));
    if is_installed() {
        return Ok(());
    }
    let named = format!("{package} {version}");
    if find("cargo-binstall").is_some() {
        announce(step, &named, "seconds, prebuilt");
        let binstall = ["binstall", "--no-confirm", "--disable-strategies", "compile", "--force"];
        let outcome = run(command("cargo").args(binstall).arg(format!("{package}@{version}")));
        if outcome.is_ok() && is_installed() {
            return Ok(());
        }
    }
    announce(step, &named, "two to three minutes, compiled");
    let quickly =
        [("OPT_LEVEL", opt_level), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "false"), ("STRIP", "true")];
    let install = |extra: &[&str]| {
        let mut cargo = command("cargo");
        cargo.args(["install", package, "--version", version]).args(extra);
        run(cargo.envs(quickly.map(|(name, value)| (format!("CARGO_PROFILE_RELEASE_{name}"), value))))
    };
    // The lock file a tool ships may name a crate the registry no longer offers; compatible ones do as well.
    install(&["--locked"]).or_else(|_| {
        println!("setup: {package} does not install with its own lock file, trying without");
        install(&["--force"])
    })?;
    if !is_installed() {
        bail!("{package} {version} is installed, but `{program} --version` finds another one first on the PATH");
    }
    Ok(())
}

fn node_packages() -> Result<()> {
    let version = capture(command("node").arg("--version"))
        .with_context(|| format!("Node.js is missing: install version {OLDEST_NODE} or later, with npm"))?;
    let major: Option<u32> = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    if major.is_none_or(|major| major < OLDEST_NODE) {
        bail!("Node.js {version} is too old: install version {OLDEST_NODE} or later");
    }
    let (lock, stamp) = (crate::root().join("package-lock.json"), crate::root().join(NPM_STAMP));
    let wanted = std::fs::read(&lock).context("package-lock.json")?;
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    announce(4, "npm packages", "half a minute");
    run(command("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))
        .context("the npm packages of package-lock.json are missing")?;
    std::fs::write(&stamp, wanted).context(NPM_STAMP)
}

/// The browser: `CHROME` if set, else Chromium, else Chrome, else Chromium by apt.
fn chrome() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("CHROME").filter(|name| !name.is_empty()) {
        let path = PathBuf::from(&named);
        let found = path.is_file().then_some(path).or_else(|| find(&named.to_string_lossy()));
        return found.with_context(|| format!("CHROME names no program: {}", named.display()));
    }
    let installed = || {
        let mac = PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
        let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
        names.into_iter().find_map(find).or_else(|| mac.is_file().then_some(mac))
    };
    if installed().is_none() {
        apt_install_chromium(
            5,
            "a browser is missing: install Chromium or Chrome 128 or later, or set CHROME to its path",
        )?;
    }
    installed().context("Chromium was installed but is not on the PATH")
}

fn chromedriver() -> Result<PathBuf> {
    if find("chromedriver").is_none() {
        apt_install_chromium(6, "chromedriver is missing: install the version that belongs to your browser")?;
    }
    find("chromedriver").context("chromium-driver was installed but chromedriver is not on the PATH")
}

/// Debian and Ubuntu as root; elsewhere fails with `otherwise`, which tells what to install by hand.
fn apt_install_chromium(step: u32, otherwise: &str) -> Result<()> {
    let is_root = capture(command("id").arg("-u")).is_some_and(|id| id == "0");
    if !is_root || find("apt-get").is_none() {
        bail!("{otherwise}");
    }
    announce(step, "Chromium and ChromeDriver by apt", "half a minute");
    run(command("apt-get").args(["update", "--quiet"]))?;
    run(command("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args([
        "install",
        "--yes",
        "--quiet",
        "--no-install-recommends",
        "chromium",
        "chromium-driver",
        "fonts-liberation",
    ]))
    .context(otherwise.to_owned())
}
