//! How a process ends: exit codes after sysexits(3), and one clear message.

use std::fmt;
use std::process::ExitCode;

/// Bad configuration or usage.
pub const USAGE: u8 = 64;
/// A needed service can't be reached.
pub const UNAVAILABLE: u8 = 69;
/// An error of ours.
pub const INTERNAL: u8 = 70;

/// Why a process ends, with its exit code. Travels inside `anyhow::Error`.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// Bad configuration or usage: exit code 64.
    pub fn usage(message: impl fmt::Display) -> anyhow::Error {
        Self { code: USAGE, message: message.to_string() }.into()
    }

    /// Something else, with the exit code that it has there.
    pub fn coded(code: u8, message: impl fmt::Display) -> anyhow::Error {
        Self { code, message: message.to_string() }.into()
    }

    /// A needed service can't be reached: exit code 69.
    pub fn unavailable(message: impl fmt::Display) -> anyhow::Error {
        Self { code: UNAVAILABLE, message: message.to_string() }.into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The exit code that an error carries; 70 when it carries none.
#[must_use]
pub fn code_of(error: &anyhow::Error) -> u8 {
    error.chain().find_map(|cause| cause.downcast_ref::<Failure>()).map_or(INTERNAL, |f| f.code)
}

/// Ends a process: prints the error with its causes to standard error, and gives its exit code.
#[must_use]
pub fn report(program: &str, result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: {error:#}");
            ExitCode::from(code_of(&error))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn the_code_is_found_behind_context() {
        let error = Err::<(), _>(Failure::unavailable("no broker")).context("while starting");
        assert_eq!(code_of(&error.unwrap_err()), UNAVAILABLE);
        assert_eq!(code_of(&anyhow::anyhow!("bug")), INTERNAL);
    }
}
