//! Building our own programs.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::paths;
use crate::process::run;

/// A cargo that works on this workspace and builds into the shared target folder.
pub fn cargo(subcommand: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg(subcommand).current_dir(paths::root()).env("CARGO_TARGET_DIR", paths::target());
    // Set by the cargo that runs us and about this crate: they would only make build scripts run again.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    cargo
}

/// Builds the programs of `packages` in the release profile.
pub fn build(packages: &[&str]) -> Result<()> {
    let mut build = cargo("build");
    build.args(["--release", "--quiet", "--bins"]);
    for package in packages {
        build.args(["--package", package]);
    }
    run(&mut build)
}

/// The path of a built program.
pub fn program(name: &str) -> PathBuf {
    paths::target().join("release").join(name)
}
