//! The command line of a service: where its configuration is.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

use crate::{exit, health};

/// Where a service listens unless its configuration says otherwise.
const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9464);

/// Reads the command line of the service `program`. Ends the process for `--help` and `--version`, for `--healthcheck`, and for
/// bad usage with exit code 64.
#[must_use]
pub fn config_path(program: &'static str, about: &'static str) -> PathBuf {
    let service = program.trim_start_matches("sluice-");
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .default_value(format!("/etc/sluice/{service}.toml"))
        .help("The configuration file; SLUICE_SECTION__KEY variables override it");
    let healthcheck = Arg::new("healthcheck")
        .long("healthcheck")
        .action(ArgAction::SetTrue)
        .help("Asks the running service whether it is ready, and ends: 0 it is, 1 it is not");
    let command = Command::new(program)
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .args([config, healthcheck]);
    let mut matches = command.try_get_matches().unwrap_or_else(|error| {
        // Nothing can be done if printing fails.
        let _ = error.print();
        std::process::exit(if error.use_stderr() { exit::USAGE.into() } else { 0 })
    });
    let config: PathBuf = matches.remove_one("config").unwrap_or_default();
    if matches.get_flag("healthcheck") {
        std::process::exit(health::check(&config, LISTEN));
    }
    config
}
