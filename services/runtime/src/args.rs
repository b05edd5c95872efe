//! The command line of a service: where its configuration is.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};

use crate::exit;

/// Reads the command line of the service `program`. Ends the process for `--help` and `--version`, and for bad usage with
/// exit code 64.
#[must_use]
pub fn config_path(program: &'static str, about: &'static str) -> PathBuf {
    let service = program.trim_start_matches("sluice-");
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .default_value(format!("/etc/sluice/{service}.toml"))
        .help("The configuration file; SLUICE_SECTION__KEY variables override it");
    let command = Command::new(program).version(env!("CARGO_PKG_VERSION")).about(about).arg(config);
    let mut matches = command.try_get_matches().unwrap_or_else(|error| {
        // Nothing can be done if printing fails.
        let _ = error.print();
        std::process::exit(if error.use_stderr() { exit::USAGE.into() } else { 0 })
    });
    matches.remove_one("config").unwrap_or_default()
}
