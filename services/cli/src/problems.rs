//! All problems in one report.

use std::fmt::Display;

use anyhow::Result;
use sluice_runtime::exit::{self, Failure};

/// What stands in the way, collected.
#[derive(Debug, Default)]
pub struct Problems(Vec<(u8, String)>);

impl Problems {
    /// Adds bad usage.
    pub fn usage(&mut self, problem: impl Display) {
        self.0.push((exit::USAGE, problem.to_string()));
    }

    /// The value of a step; where it failed, its error is added.
    pub fn take<T>(&mut self, step: Result<T>) -> Option<T> {
        match step {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.push((exit::code_of(&error), format!("{error:#}")));
                None
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them as one error. Its exit code is the one of bad usage if anything is, else the first.
    pub fn into_error(self, what: &str) -> anyhow::Error {
        let usage = self.0.iter().any(|&(code, _)| code == exit::USAGE);
        let first = self.0.first().map_or(exit::INTERNAL, |&(code, _)| code);
        let code = if usage { exit::USAGE } else { first };
        if let [(_, only)] = &self.0[..] {
            return Failure::coded(code, only);
        }
        let lines: String =
            self.0.iter().map(|(_, text)| format!("\n- {}", text.replace('\n', "\n  "))).collect();
        Failure::coded(code, format!("{what}: {} problems{lines}", self.0.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_told_with_the_code_that_a_person_can_mend() {
        let mut problems = Problems::default();
        assert_eq!(problems.take(Ok(1)), Some(1));
        assert!(problems.is_empty());
        problems.take::<()>(Err(Failure::unavailable("no broker")));
        problems.usage("bad\nthing");
        let error = problems.into_error("q1");
        assert_eq!(error.to_string(), "q1: 2 problems\n- no broker\n- bad\n  thing");
        assert_eq!(exit::code_of(&error), exit::USAGE);
    }

    #[test]
    fn one_stands_for_itself() {
        let mut problems = Problems::default();
        problems.take::<()>(Err(Failure::unavailable("no broker")));
        let error = problems.into_error("q1");
        assert_eq!(
            (error.to_string().as_str(), exit::code_of(&error)),
            ("no broker", exit::UNAVAILABLE)
        );
    }
}
