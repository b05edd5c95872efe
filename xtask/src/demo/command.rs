//! `cargo xtask bench command`: how soon a command takes effect on a device whose link is full.
//!
//! One device behind a link with a delay, and more events than the link carries at any cut that is commanded. The effect is the
//! acknowledgement of the first frame by the new plan.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use super::Options;
use super::metrics::Progress;
use super::query::Play;
use super::rig::{Rig, Setup};
use crate::cargo::cargo;
use crate::process::{output, wait_until};

/// Full load is a backlog of so many seconds.
const BACKLOG_SECONDS: u32 = 3;
const FULL_TIMEOUT: Duration = Duration::from_secs(120);
/// What an effect may take: so many round trips, and milliseconds beside.
const BAR: (f64, f64) = (1.5, 150.0);

/// How it is run.
#[derive(Clone, Debug)]
pub struct Command {
    /// How many commands.
    pub count: u32,
    /// Bytes a second of the link, each way.
    pub bytes_per_second: u64,
    /// Its delay, one way.
    pub delay_ms: u32,
    /// Events a second.
    pub rate: u32,
    /// The scratch folder.
    pub dir: PathBuf,
}

/// Runs it; `say` gets each line to show. Returns whether 99 of 100 commands took effect in time.
pub fn run(options: &Command, say: &mut dyn FnMut(&str)) -> Result<bool> {
    let Command { count, bytes_per_second, delay_ms, rate, .. } = *options;
    let devices = [(bytes_per_second, 2.0)];
    let demo = Options { dir: options.dir.clone(), ..Options::default() };
    let mut rig = Rig::start(Setup {
        part: "command",
        options: &demo,
        play: Play { events: u64::from(rate) * 3_600, pace: format!("rate = {rate}") },
        controller: "",
        has_cloud: false,
        devices: &devices,
    })?;
    let name = rig.names[0].clone();
    rig.wan.ask(&format!("rate {name} {bytes_per_second} {bytes_per_second}"))?;
    rig.wan.ask(&format!("delay {name} {delay_ms}"))?;
    say("wait until the link is full");
    wait_until("a backlog", FULL_TIMEOUT, || {
        let seen = Progress::read_all(&rig.query.device_http)?;
        Ok(seen[0].backlog > f64::from(rate * BACKLOG_SECONDS))
    })?;
    let mut measure = cargo("run");
    measure.args(["--release", "--quiet", "--package", "sluice-bench", "--", "command"]);
    measure.args(["--brokers", &rig.stack.state().brokers, "--key", &rig.keys()[0]]);
    measure.args(["--count", &count.to_string(), "--one-way-ms", &delay_ms.to_string()]);
    let figures = output(&mut measure)?;
    let left = Progress::read_all(&rig.query.device_http)?[0].backlog;
    let most_ms = BAR.0 * 2.0 * f64::from(delay_ms) + BAR.1;
    let p99_ms = figures.split_whitespace().find_map(|word| word.strip_prefix("p99_ms="));
    let p99_ms: f64 = p99_ms.context("no figures")?.parse()?;
    let is_soon = p99_ms <= most_ms;
    let word = if is_soon { "pass" } else { "fail" };
    let figures = figures.trim();
    say(&format!("{figures} bar_ms={most_ms:.0} backlog={left:.0} verdict={word}"));
    Ok(is_soon)
}
