//! How many tests ran, read off the closing lines of cargo's and Node's test runners.

use std::fmt;
use std::ops::AddAssign;

/// Tests by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Ran and held.
    pub(crate) passed: usize,
    /// Ran and did not hold.
    pub(crate) failed: usize,
    /// Did not run.
    pub(crate) skipped: usize,
}

impl Counts {
    /// Takes one line of a runner's output; lines that count nothing change nothing.
    pub(crate) fn add_line(&mut self, line: &str) {
        if let Some(result) = line.trim().strip_prefix("test result: ") {
            // cargo test and wasm-bindgen-test: `test result: ok. 3 passed; 0 failed; 1 ignored; …`
            let outcome = result.split_once(". ").map_or(result, |(_, counts)| counts);
            for part in outcome.split(';') {
                self.add(part.trim().split_once(' '));
            }
        } else if let Some(result) = line.trim().strip_prefix("ℹ ") {
            // node --test: `ℹ pass 3`
            self.add(result.split_once(' ').map(|(name, number)| (number, name)));
        }
    }

    fn add(&mut self, part: Option<(&str, &str)>) {
        let Some((number, name)) = part else { return };
        let Ok(number) = number.parse::<usize>() else { return };
        match name {
            "passed" | "pass" => self.passed += number,
            "failed" | "fail" | "cancelled" => self.failed += number,
            "ignored" | "skipped" | "todo" => self.skipped += number,
            _ => {}
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn both_runners_are_read() {
        let mut counts = Counts::default();
        for line in [
            "running 4 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.00s",
            "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 filtered out",
            "ℹ tests 9",
            "ℹ pass 5",
            "ℹ fail 1",
            "ℹ cancelled 1",
            "ℹ skipped 2",
            "ℹ duration_ms 1234.5",
        ] {
            counts.add_line(line);
        }
        assert_eq!(counts, Counts { passed: 10, failed: 3, skipped: 3 });
        assert_eq!(counts.to_string(), "10 passed, 3 failed, 3 skipped");
    }
}
