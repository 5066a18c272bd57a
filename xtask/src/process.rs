//! Child processes: where they are found, and what their failure says.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// A command that runs in the checkout and finds what `cargo install` put in place, even if the shell's PATH does not
/// hold cargo's folder of programs.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(crate::root()).env("PATH", search_path());
    command
}

/// Where a program is, if it is installed.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&search_path()).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Runs a command and passes its output on.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("`{shown}` could not be started"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command, passes its output on and shows every line of its standard output to `on_line` too.
pub(crate) fn run_observed(command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<()> {
    each_line(command, |line| {
        on_line(line);
        Ok(writeln!(std::io::stdout(), "{line}")?)
    })
}

/// Runs a command and hands over every line of its standard output, which is not passed on.
pub(crate) fn each_line(command: &mut Command, mut on_line: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let shown = show(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("`{shown}` could not be started"))?;
    let mut outcome = Ok(());
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            // Read on after a failure: a child must not be left with nobody to listen.
            if outcome.is_ok() {
                outcome = line.map_err(Into::into).and_then(|line| on_line(&String::from_utf8_lossy(&line)));
            }
        }
    }
    let status = child.wait()?;
    outcome?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// What a command prints, trimmed; `None` if it is not installed or fails.
pub(crate) fn capture(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn search_path() -> OsString {
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_default();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(cargo_home.join("bin")).chain(std::env::split_paths(&path));
    // Fails only where cargo's folder holds the separator itself; then it can't be on a PATH at all.
    std::env::join_paths(folders).unwrap_or(path)
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
