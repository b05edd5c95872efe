//! Checks with a line each, in the form of Rust's own test runner, whose summary the suite counts.

use std::time::{Duration, Instant};

use anyhow::Result;

/// What was checked.
#[derive(Debug, Default)]
pub(super) struct Checks {
    passed: u64,
    /// Checks that failed.
    pub(super) failed: u64,
}

impl Checks {
    /// Runs a check and says how it went. What it returns is there only if it passed.
    pub(super) fn check<T>(&mut self, name: &str, check: impl FnOnce() -> Result<T>) -> Option<T> {
        let started = Instant::now();
        let outcome = check();
        let seconds = started.elapsed().as_secs_f64();
        match outcome {
            Ok(value) => {
                self.passed += 1;
                println!("test {name} ... ok ({seconds:.1} s)");
                Some(value)
            }
            Err(error) => {
                self.failed += 1;
                println!("test {name} ... FAILED ({seconds:.1} s)\n  {error:#}");
                None
            }
        }
    }

    /// The last line.
    pub(super) fn summary(&self, took: Duration) -> String {
        let word = if self.failed == 0 { "ok" } else { "FAILED" };
        format!(
            "test result: {word}. {} passed; {} failed; finished in {:.1}s",
            self.passed,
            self.failed,
            took.as_secs_f64()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn both_outcomes_are_counted() {
        let mut checks = Checks::default();
        assert_eq!(checks.check("one", || Ok(1)), Some(1));
        assert_eq!(checks.check("two", || -> Result<()> { bail!("no") }), None);
        let summary = checks.summary(Duration::from_secs(2));
        assert_eq!(summary, "test result: FAILED. 1 passed; 1 failed; finished in 2.0s");
    }
}
