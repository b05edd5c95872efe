//! `cargo xtask demo`: the whole system on this machine, and a verdict.
//!
//! Three devices on three different links play the events of a query while their routes change under them; the same events
//! then go through the same job unsplit, in plain Flink, and the two results are compared line by line.

pub mod command;
pub(crate) mod data;
mod device;
mod dice;
pub mod figure8;
pub mod fractional;
mod kills;
mod lag;
pub mod likeness;
mod links;
mod live;
pub(crate) mod metrics;
mod query;
mod rig;
mod switching;
mod takeover;
pub mod trace;
mod verdict;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use sluice_generators::Query;

use crate::case::Case;
use crate::stack::{self, Stack};
use crate::{cargo, install, java};
pub use kills::{KillOptions, Victim};
pub use links::LINKS;
pub use verdict::Verdict;

/// The shortest play in which the controller has a part.
const LEAST_CONTROLLED_SECONDS: u32 = 40;

/// How the demo is played.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which query is played.
    pub query: Query,
    /// How long events are played, seconds. Over the first sixth nothing is switched, for comparison, and over the last quarter
    /// the controller routes, unless something is to be killed.
    pub seconds: u32,
    /// Events a second of all devices together.
    pub rate: u32,
    /// Time between two switches of a device.
    pub switch_every: Duration,
    /// Seed of events and switches.
    pub seed: u64,
    /// The scratch folder.
    pub dir: PathBuf,
    /// Leaves everything running at the end.
    pub keep: bool,
    /// A folder with public data: its rows are played in the place of generated ones, all of them; few of them slower.
    pub data: Option<PathBuf>,
    /// What is killed while events are played.
    pub kills: Option<KillOptions>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            query: Query::Q1,
            seconds: 60,
            rate: 10_000,
            switch_every: Duration::from_millis(200),
            seed: 1,
            dir: std::env::temp_dir().join("sluice-demo"),
            keep: false,
            data: None,
            kills: None,
        }
    }
}

impl Options {
    /// How long nothing is switched at the beginning.
    fn quiet(&self) -> Duration {
        match self.kills {
            Some(_) => Duration::ZERO,
            None => Duration::from_secs(u64::from(self.seconds)) / 6,
        }
    }

    /// From when to when the controller routes; in a short play nobody would see what it does.
    fn controlled(&self) -> Option<(Duration, Duration)> {
        let all = Duration::from_secs(u64::from(self.seconds));
        let is_long = self.seconds >= LEAST_CONTROLLED_SECONDS;
        (is_long && self.kills.is_none()).then_some((all * 3 / 4, all))
    }

    /// The same for files of which the longest has so many lines: they are played whole, and few of them slower, so that the
    /// play has time for its switches.
    fn paced_for(&self, most_lines: u64) -> Result<Options> {
        let devices = LINKS.len() as u32;
        let slowest = u32::try_from(most_lines / u64::from(self.seconds.max(1)))?;
        let rate_of_one = (self.rate / devices).min(slowest).max(1);
        let seconds = u32::try_from(most_lines / u64::from(rate_of_one) + 1)?;
        Ok(Options { rate: rate_of_one * devices, seconds, ..self.clone() })
    }

    /// Events that each device plays, its closing line not counted.
    fn events_per_device(&self) -> u64 {
        u64::from(self.rate) / LINKS.len() as u64 * u64::from(self.seconds)
    }
}

/// Plays the demo; `say` gets each line to show. An error means that there is no verdict.
pub fn run(options: &Options, say: &mut dyn FnMut(&str)) -> Result<Verdict> {
    let started = Instant::now();
    let case = Case::of(options.query);
    let say = &mut |line: &str| match line.starts_with(' ') {
        true => say(line),
        false => say(&format!("{:>4.0} s: {line}", started.elapsed().as_secs_f64())),
    };
    say("install and build");
    build(case)?;
    say("start Kafka, the schema registry and a link per device");
    let devices = LINKS.iter().map(|link| link.device.to_owned()).collect();
    let stack_options =
        stack::Options { dir: options.dir.clone(), devices, detached: options.keep };
    let mut stack = Stack::up(&stack_options)?;
    let verdict = match &options.data {
        None => play(&mut stack, options, None, say),
        Some(folder) => data::deal(options.query, folder, &options.dir.join("data"), LINKS.len())
            .and_then(|data| {
                let options = options.paced_for(data.most_lines)?;
                play(&mut stack, &options, Some(&data.files), say)
            }),
    };
    if !verdict.as_ref().is_ok_and(Verdict::is_pass) {
        say(&format!("the logs are in {}", stack.keep_logs()?.display()));
    }
    if options.keep {
        stack.leave_running();
    }
    verdict
}

fn play(
    stack: &mut Stack,
    options: &Options,
    files: Option<&[PathBuf]>,
    say: &mut dyn FnMut(&str),
) -> Result<Verdict> {
    links::shape(&mut stack.wan()?)?;
    for link in &LINKS {
        say(&format!("  {link}"));
    }
    say(&format!("deploy {}, start its cloud replicas and its residual job", options.query));
    let play = query::Play {
        events: options.events_per_device(),
        pace: format!("rate = {}", options.rate as usize / LINKS.len()),
    };
    let query = query::Query::new(stack, options, files, play)?;
    query.deploy(stack)?;
    query.start_cloud(stack)?;
    let switching = switching::Switching::start(stack, &query, options)?;
    say("start the devices");
    query.start_devices(stack)?;
    let played = live::play(stack, &query, options, switching, say)?;
    say("run the same job unsplit, in plain Flink, over the same events");
    query.run_unsplit(stack)?;
    say("compare");
    let verdict = Verdict::new(&query.verify()?, query.case, &played)?;
    if options.keep {
        say(&query.addresses(stack));
    }
    Ok(verdict)
}

/// Installs and builds what a query needs.
pub(crate) fn build(case: &Case) -> Result<()> {
    install::all()?;
    cargo::build(&[
        "sluice-wan",
        "sluice-edge",
        "sluice-replica",
        "sluice-controller",
        "sluice-cli",
    ])?;
    case.project.build()?;
    java::FLINK.build()?;
    java::HOST.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_played_whole_and_short_ones_slower() {
        let paced = |lines| Options::default().paced_for(lines).unwrap();
        let pace = |lines| (paced(lines).rate / LINKS.len() as u32, paced(lines).seconds);
        assert_eq!(pace(333_300), (3_333, 101));
        assert_eq!(pace(3_334), (55, 61));
        assert_eq!(pace(5), (1, 6));
    }
}
