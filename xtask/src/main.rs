//! `cargo xtask`: everything that is done to this repository by a command.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
use sluice_generators::Query;
use xtask::demo::command::Command;
use xtask::demo::figure8::Figure8;
use xtask::demo::fractional::Fractional;
use xtask::demo::likeness::Likeness;
use xtask::demo::trace::Trace;
use xtask::demo::{KillOptions, Victim};
use xtask::stack::{self, Stack};
use xtask::{bench, demo, docker, install, paths, results, suite};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Installs, runs, tests and measures Sluice on this machine"
)]
enum Task {
    /// Installs what this machine lacks
    Install,
    /// The native stack: Kafka, schema registry, one relay per device
    #[command(subcommand)]
    Stack(StackTask),
    /// Formatting, lints, docs, unit, property, vector and end-to-end tests
    Test {
        /// Runs at full length what is shortened otherwise
        #[arg(long)]
        long: bool,
        /// Runs only the Rust tests whose name contains this
        filter: Option<String>,
    },
    /// Plays a query on three devices, switches routes under it, and compares with the unsplit job
    Demo(Demo),
    /// The images and compose files in a Docker engine: started in two orders, switched, killed and cut
    Compose {
        /// Every start order, a broker that comes late, and devices that speak TLS
        #[arg(long)]
        long: bool,
        /// Plays only those whose name contains this, of all that there are
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// Takes the images that a running engine has from an earlier run
        #[arg(long)]
        has_images: bool,
        /// Runs in name spaces of its own already
        #[arg(long, hide = true)]
        within: bool,
    },
    /// Plays q1 to q4, measures each cut, and writes docs/results.md
    Results(Results),
    /// Measurements that are printed, not tested
    #[command(subcommand)]
    Bench(Bench),
}

#[derive(Subcommand)]
enum StackTask {
    /// Starts it and leaves it running
    Up {
        /// The scratch folder
        #[arg(long, default_value_os_t = default_dir())]
        dir: PathBuf,
        /// Devices that get a relay each
        #[arg(long, value_delimiter = ',', default_value = "pi-1,pi-2,pi-3")]
        devices: Vec<String>,
    },
    /// Ends what was started in the folder, and removes the folder
    Down {
        /// The scratch folder
        #[arg(long, default_value_os_t = default_dir())]
        dir: PathBuf,
    },
    /// Says what runs and whether it answers
    Status {
        /// The scratch folder
        #[arg(long, default_value_os_t = default_dir())]
        dir: PathBuf,
    },
}

#[derive(Args)]
struct Demo {
    /// Which query: q1 air quality, q2 taxi routes, q3 meter spikes, q4 sentiment
    #[arg(long, default_value_t = Query::Q1)]
    query: Query,
    /// How long events are played
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Events a second, all devices together
    #[arg(long, default_value_t = 10_000)]
    rate: u32,
    /// Time between two switches of a device, milliseconds
    #[arg(long, default_value_t = 200)]
    switch_ms: u64,
    /// Seed of events and switches
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The scratch folder
    #[arg(long, default_value_os_t = demo::Options::default().dir)]
    dir: PathBuf,
    /// A folder with the query's public data, to be played in the place of generated rows
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Kills a process every so many seconds, and starts it again; leaves out the quiet part
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    kill_every: Option<u64>,
    /// What may be killed
    #[arg(long, value_delimiter = ',', requires = "kill_every",
          default_values_t = [Victim::Edge, Victim::Replica, Victim::Residual, Victim::Broker])]
    #[arg(value_enum)]
    kill: Vec<Victim>,
    /// Kills one of each kind at the same moment
    #[arg(long, requires = "kill_every")]
    kill_together: bool,
    /// Leaves everything running and says where to look
    #[arg(long)]
    keep: bool,
    /// Prints the verdict as JSON, and all else to standard error
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Results {
    /// Which queries
    #[arg(long, value_delimiter = ',', default_values_t = Query::ALL)]
    query: Vec<Query>,
    /// A folder with a folder of public data for each query (q1, q2 ..); those that are missing are generated
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Leaves out playing them: the cuts only
    #[arg(long)]
    cuts_only: bool,
    /// How long generated events are played
    #[arg(long, default_value_t = 30)]
    seconds: u32,
    /// Lines of each device by which cuts are measured
    #[arg(long, default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1_000..))]
    lines: u64,
    /// The scratch folder
    #[arg(long, default_value_os_t = std::env::temp_dir().join("sluice-results"))]
    dir: PathBuf,
    /// The page
    #[arg(long, default_value_os_t = paths::root().join("docs/results.md"))]
    out: PathBuf,
}

#[derive(Subcommand)]
enum Bench {
    /// One core, no broker: from spooled lines to encoded frames
    Path {
        /// Passed on
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Five devices while rate, links and processors change, under each policy: the paper's Figure 8, shortened by 30
    Figure8 {
        /// Another experiment of the paper in its place
        #[arg(long, value_enum, default_value_t = Trace::Figure8)]
        trace: Trace,
        /// Policies, one after the other
        #[arg(long, value_delimiter = ',', default_value = "hull,reference")]
        policy: Vec<String>,
        /// How long each part is
        #[arg(long, default_value_t = 120)]
        part_seconds: u32,
        /// The greatest rate of a device, events a second
        #[arg(long, default_value_t = 3_000)]
        rate: u32,
        /// The greatest uplink of a device, bytes a second
        #[arg(long, default_value_t = 170_000)]
        uplink: u64,
        /// Processors of a device
        #[arg(long, default_value_t = 0.15)]
        cores: f64,
        /// What contention leaves of them
        #[arg(long, default_value_t = 0.07)]
        contended: f64,
        /// Seed of events and links
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The scratch folder
        #[arg(long, default_value_os_t = std::env::temp_dir().join("sluice-figure8"))]
        dir: PathBuf,
    },
    /// A device on which processor and uplink both bind: each single cut, and the mix that `hull` chooses
    Fractional {
        /// Events a second, more than any plan sustains
        #[arg(long, default_value_t = 700)]
        rate: u32,
        /// Processors of the device
        #[arg(long, default_value_t = 0.4)]
        cores: f64,
        /// Bytes a second of its uplink
        #[arg(long, default_value_t = 60_000)]
        uplink: u64,
        /// How long each plan is measured
        #[arg(long, default_value_t = 12)]
        seconds: u32,
        /// How often everything is measured
        #[arg(long, default_value_t = 2)]
        rounds: u32,
        /// The scratch folder
        #[arg(long, default_value_os_t = std::env::temp_dir().join("sluice-fractional"))]
        dir: PathBuf,
    },
    /// From a command to its effect on a device whose link is full
    Command {
        /// How many commands
        #[arg(long, default_value_t = 120)]
        count: u32,
        /// Bytes a second of the link
        #[arg(long, default_value_t = 1_000_000)]
        uplink: u64,
        /// Its delay one way, milliseconds
        #[arg(long, default_value_t = 25)]
        delay_ms: u32,
        /// Events a second, more than the link carries
        #[arg(long, default_value_t = 25_000)]
        rate: u32,
        /// The scratch folder
        #[arg(long, default_value_os_t = std::env::temp_dir().join("sluice-command"))]
        dir: PathBuf,
    },
    /// Five devices with fixed plans, links and processors, beside the fleet simulator
    Likeness {
        /// Over so long it is measured, seconds
        #[arg(long, default_value_t = 30)]
        seconds: u32,
        /// Before that so long it settles, seconds
        #[arg(long, default_value_t = 20)]
        settle_seconds: u32,
        /// Events a second of a device
        #[arg(long, default_value_t = 3_000)]
        rate: u32,
        /// The scratch folder
        #[arg(long, default_value_os_t = std::env::temp_dir().join("sluice-likeness"))]
        dir: PathBuf,
    },
}

fn default_dir() -> PathBuf {
    std::env::temp_dir().join("sluice-stack")
}

fn main() -> ExitCode {
    match perform(Task::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<ExitCode> {
    match task {
        Task::Install => install::all()?,
        Task::Stack(task) => return perform_stack(task),
        Task::Test { long, filter } => {
            let started = Instant::now();
            let tally = suite::run(&suite::Options { long, filter })?;
            let seconds = started.elapsed().as_secs();
            let (minutes, seconds) = (seconds / 60, seconds % 60);
            let suite::Tally { passed, failed } = tally;
            println!("== in {minutes} min {seconds} s");
            println!("{passed} passed, {failed} failed");
            return Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Task::Demo(demo) => return perform_demo(demo),
        Task::Compose { long, only, has_images, within } => {
            let options = docker::Options { long, only, has_images };
            return if within { docker::run_within(&options) } else { docker::run(&options) };
        }
        Task::Results(task) => {
            let Results { query: queries, data, cuts_only, seconds, lines, dir, out } = task;
            let options = results::Options { queries, data, cuts_only, seconds, lines, dir, out };
            results::run(&options, &mut |line| println!("{line}"))?;
        }
        Task::Bench(Bench::Path { arguments }) => bench::path(&arguments)?,
        Task::Bench(Bench::Likeness { seconds, settle_seconds, rate, dir }) => {
            let options = Likeness { seconds, settle_seconds, rate, dir };
            let is_like = demo::likeness::run(&options, &mut |line| println!("{line}"))?;
            return Ok(if is_like { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Task::Bench(Bench::Fractional { rate, cores, uplink, seconds, rounds, dir }) => {
            let bytes_per_second = uplink;
            let options = Fractional { rate, cores, bytes_per_second, seconds, rounds, dir };
            let is_pass = demo::fractional::run(&options, &mut |line| println!("{line}"))?;
            return Ok(if is_pass { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Task::Bench(Bench::Command { count, uplink, delay_ms, rate, dir }) => {
            let options = Command { count, bytes_per_second: uplink, delay_ms, rate, dir };
            let is_pass = demo::command::run(&options, &mut |line| println!("{line}"))?;
            return Ok(if is_pass { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Task::Bench(Bench::Figure8 {
            trace,
            policy: policies,
            part_seconds,
            rate,
            uplink,
            cores,
            contended,
            seed,
            dir,
        }) => {
            let cores = (cores, contended);
            let options = Figure8 { trace, policies, part_seconds, rate, uplink, cores, seed, dir };
            let is_pass = demo::figure8::run(&options, &mut |line| println!("{line}"))?;
            return Ok(if is_pass { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn perform_demo(task: Demo) -> Result<ExitCode> {
    let Demo { seconds, rate, switch_ms, seed, dir, data, kill_every, keep, json, .. } = task;
    let (victims, together) = (task.kill, task.kill_together);
    let kills = |seconds| KillOptions { every: Duration::from_secs(seconds), victims, together };
    let options = demo::Options {
        query: task.query,
        seconds,
        rate,
        switch_every: Duration::from_millis(switch_ms),
        seed,
        dir,
        keep,
        data,
        kills: kill_every.map(kills),
    };
    let mut say = |line: &str| if json { eprintln!("{line}") } else { println!("{line}") };
    let verdict = demo::run(&options, &mut say)?;
    if json {
        println!("{}", serde_json::to_string(&verdict)?);
    } else {
        println!("{verdict}");
    }
    Ok(if verdict.is_pass() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn perform_stack(task: StackTask) -> Result<ExitCode> {
    match task {
        StackTask::Up { dir, devices } => {
            match stack::status(&dir)? {
                Some((lines, true)) => println!("already up\n{lines}"),
                _ => {
                    Stack::up(&stack::Options { dir: dir.clone(), devices, detached: true })?
                        .leave_running();
                    let Some((lines, _)) = stack::status(&dir)? else {
                        bail!("the stack has ended at once")
                    };
                    println!("{lines}");
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        StackTask::Down { dir } => {
            println!("{}", if stack::down(&dir)? { "down" } else { "nothing was up" });
            Ok(ExitCode::SUCCESS)
        }
        StackTask::Status { dir } => match stack::status(&dir)? {
            Some((lines, all)) => {
                println!("{lines}");
                Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
            }
            None => {
                println!("nothing is up");
                Ok(ExitCode::FAILURE)
            }
        },
    }
}
