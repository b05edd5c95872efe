//! `cargo xtask compose`: the images and compose files in a real Docker engine.
//!
//! Where no engine answers, one of our own is started in name spaces of its own: its bridges, mounts and processes end with it. What
//! can't be pulled has a stand-in of `compose/offline`, built from packages.

mod checks;
mod cloud;
mod demo;
mod device;
mod engine;
mod files;
mod grafana;
mod images;
mod panels;
mod scenario;
mod secure;

use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::Result;

use crate::{cargo, install, java};
use checks::Checks;
use engine::Engine;
use scenario::Order;

/// How much is played.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Every start order, in the place of two, and devices that speak TLS.
    pub long: bool,
    /// Plays whose name contains this, of all that there are.
    pub only: Option<String>,
    /// The engine that runs has the images already.
    pub has_images: bool,
}

/// Builds everything, then runs all checks in an engine.
///
/// # Errors
/// When something is missing that no check is about.
pub fn run(options: &Options) -> Result<ExitCode> {
    prepare()?;
    if Engine::is_running() {
        return perform(&Engine::running(), options);
    }
    let mut inner = engine::in_own_spaces(&std::env::current_exe()?);
    inner.args(["compose", "--within"]);
    if options.long {
        inner.arg("--long");
    }
    if let Some(only) = &options.only {
        inner.args(["--only", only]);
    }
    let status = inner.status()?;
    engine::remove_data()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The same within the name spaces of our own engine, and with what is built already.
///
/// # Errors
/// When the engine does not start, or something is missing that no check is about.
pub fn run_within(options: &Options) -> Result<ExitCode> {
    let engine = if Engine::is_running() { Engine::running() } else { Engine::start()? };
    perform(&engine, options)
}

fn prepare() -> Result<()> {
    install::all()?;
    install::flink_cluster()?;
    install::docker()?;
    install::grafana_schema()?;
    cargo::build(&[
        "sluice-wan",
        "sluice-edge",
        "sluice-replica",
        "sluice-cli",
        "sluice-controller",
    ])?;
    java::Q1.build()?;
    java::FLINK.build()?;
    java::HOST.build()
}

fn perform(engine: &Engine, options: &Options) -> Result<ExitCode> {
    let started = Instant::now();
    if !options.has_images {
        images::build(engine)?;
    }
    let mut checks = Checks::default();
    images::check(engine, &mut checks);
    files::check(engine, &mut checks);
    files::check_alerts(&mut checks);
    grafana::check(&mut checks);
    let is_wanted = |name: &str| options.only.as_ref().is_none_or(|only| name.contains(only));
    let all = options.long || options.only.is_some();
    for order in Order::all(all).into_iter().filter(|order| is_wanted(&order.name())) {
        scenario::play(engine, order, &mut checks);
    }
    if all && is_wanted(secure::NAME) {
        secure::play(engine, &mut checks);
    }
    if all && is_wanted(demo::NAME) {
        demo::play(engine, &mut checks);
    }
    println!("{}", checks.summary(started.elapsed()));
    Ok(if checks.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A command as the shell of a person would have it: named in what goes wrong.
fn script(name: &str, folder: &str) -> Command {
    let mut script = Command::new("sh");
    script.arg(crate::paths::root().join(folder).join(name)).stdin(std::process::Stdio::null());
    script
}
