//! `cargo xtask bench figure8`: the paper's Figure 8, 30 times shorter, on five devices behind relays and processor limits, under
//! each policy.
//!
//! The rate steps every two minutes, links are redrawn every 20 s, and in the second part the processors are contended. Per policy: what
//! was delivered of the target, device-seconds below 99 % of it, switches, and whether the windows are those of the unsplit job.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;
use sluice_wan::control::Client;

use super::dice::Dice;
use super::metrics::Progress;
use super::query::{Play, Query};
use super::{Options, build};
use crate::case::Case;
use crate::controller::Controller;
use crate::cpu::CpuLimit;
use crate::process::wait_until;
use crate::stack::{self, Stack};

const DEVICES: usize = 5;
/// Parts of the experiment: the rate as a part of the greatest, and whether processors are contended.
const PARTS: [(f64, bool); 3] = [(0.6, false), (0.75, true), (1.0, false)];
/// Links are redrawn so often, within these parts of the greatest.
const REDRAW: Duration = Duration::from_secs(20);
const LEAST_LINK: f64 = 80.0 / 170.0;
/// Throughput is judged over so long.
const WINDOW: Duration = Duration::from_secs(5);
/// Less than this part of the target is degraded.
const MET: f64 = 0.99;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(300);

/// How the experiment is run.
#[derive(Clone, Debug)]
pub struct Figure8 {
    /// The policies, one after the other.
    pub policies: Vec<String>,
    /// How long each of the three parts is, seconds.
    pub part_seconds: u32,
    /// Events a second of a device in the last part.
    pub rate: u32,
    /// The greatest uplink, bytes a second.
    pub uplink: u64,
    /// Processors of a device, and what contention leaves of them.
    pub cores: (f64, f64),
    /// Seed of events and links.
    pub seed: u64,
    /// The scratch folder.
    pub dir: PathBuf,
}

/// What came of one policy.
#[derive(Clone, Debug)]
pub struct Outcome {
    policy: String,
    delivered: f64,
    target: f64,
    degraded_device_seconds: f64,
    switches: u64,
    windows: u64,
    equal: u64,
    failures: Vec<String>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outcome { policy, degraded_device_seconds, switches, windows, equal, .. } = self;
        let ratio = self.delivered / self.target.max(1.0);
        let word = if self.failures.is_empty() { "pass" } else { "fail" };
        write!(
            f,
            "policy={policy} delivered/target={ratio:.4} degraded_device_seconds={degraded_device_seconds:.0} \
             switches={switches} windows={windows} equal={equal} verdict={word}",
        )?;
        self.failures.iter().try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

/// Runs it; `say` gets each line to show. Returns whether every window of every policy was right.
pub fn run(options: &Figure8, say: &mut dyn FnMut(&str)) -> Result<bool> {
    let case = Case::of(sluice_generators::Query::Q1);
    build(case)?;
    let mut outcomes = Vec::new();
    for policy in &options.policies {
        say(&format!("policy {policy}"));
        outcomes.push(run_one(options, policy, say)?);
    }
    outcomes.iter().for_each(|outcome| say(&outcome.to_string()));
    Ok(outcomes.iter().all(|outcome| outcome.failures.is_empty()))
}

fn run_one(options: &Figure8, policy: &str, say: &mut dyn FnMut(&str)) -> Result<Outcome> {
    let names: Vec<String> = (1..=DEVICES).map(|number| format!("pi-{number}")).collect();
    let stack_options =
        stack::Options { dir: options.dir.clone(), devices: names.clone(), detached: false };
    let mut stack = Stack::up(&stack_options)?;
    let rates = PARTS.map(|(part, _)| (part * f64::from(options.rate)) as u64);
    let steps =
        (0u32..).zip(rates).map(|(part, rate)| format!("{}:{rate}", part * options.part_seconds));
    let play = Play {
        events: rates.iter().sum::<u64>() * u64::from(options.part_seconds),
        pace: format!("rate_steps = \"{}\"", steps.collect::<Vec<_>>().join(",")),
    };
    let demo = Options { seed: options.seed, dir: options.dir.clone(), ..Options::default() };
    let query = Query::new(&mut stack, &demo, None, play)?;
    query.deploy(&stack)?;
    query.start_cloud(&mut stack)?;
    let settings = format!(
        "policy = \"{policy}\"\ndecide_every_ms = 10000\nobserve_every_ms = 5000\n[hull]\ndwell_ms = 20000"
    );
    Controller::start(&mut stack, "controller", &settings)?;
    let mut world = World::new(options, &stack, &names)?;
    world.redraw()?;
    query.start_devices(&mut stack)?;
    world.take(&stack)?;
    let mut outcome = Outcome {
        policy: policy.to_owned(),
        delivered: 0.0,
        target: 0.0,
        degraded_device_seconds: 0.0,
        switches: 0,
        windows: 0,
        equal: 0,
        failures: Vec::new(),
    };
    watch(options, &query.device_http, &mut world, &mut outcome, say)?;
    world.relax()?;
    wait_until("the devices to drain", DRAIN_TIMEOUT, || {
        let seen = Progress::read_all(&query.device_http)?;
        Ok(seen.iter().all(|seen| seen.is_done && seen.backlog == 0.0))
    })?;
    say("run the same job unsplit, in plain Flink, over the same events");
    query.run_unsplit(&mut stack)?;
    judge(&query.verify()?, &mut outcome)?;
    if !outcome.failures.is_empty() {
        say(&format!("the logs are in {}", stack.keep_logs()?.display()));
    }
    Ok(outcome)
}

/// Links and processors of the devices.
struct World<'a> {
    options: &'a Figure8,
    wan: Client,
    names: Vec<String>,
    limits: Vec<CpuLimit>,
    dice: Dice,
}

impl<'a> World<'a> {
    fn new(options: &'a Figure8, stack: &Stack, names: &[String]) -> Result<World<'a>> {
        Ok(World {
            options,
            wan: stack.wan()?,
            names: names.to_vec(),
            limits: Vec::new(),
            dice: Dice::new(options.seed),
        })
    }

    /// Limits the processors of the devices, which run by now.
    fn take(&mut self, stack: &Stack) -> Result<()> {
        let cores = self.options.cores.0;
        let limit = |name: &String| CpuLimit::of_device(stack, "figure8", name, cores);
        self.limits = self.names.iter().map(limit).collect::<Result<_>>()?;
        Ok(())
    }

    fn redraw(&mut self) -> Result<()> {
        for name in &self.names {
            let part = LEAST_LINK + (1.0 - LEAST_LINK) * f64::from(self.dice.below(1_001)) / 1e3;
            let bytes_per_s = (part * self.options.uplink as f64) as u64;
            self.wan.ask(&format!("rate {name} {bytes_per_s} unlimited"))?;
        }
        Ok(())
    }

    fn contend(&self, contended: bool) -> Result<()> {
        let (all, few) = self.options.cores;
        self.limits.iter().try_for_each(|limit| limit.set(Some(if contended { few } else { all })))
    }

    /// The experiment is over: what the spools hold leaves at full speed.
    fn relax(&mut self) -> Result<()> {
        self.limits.iter().try_for_each(|limit| limit.set(None))?;
        for name in &self.names {
            self.wan.ask(&format!("rate {name} unlimited unlimited"))?;
        }
        Ok(())
    }
}

fn watch(
    options: &Figure8,
    devices: &[SocketAddr],
    world: &mut World<'_>,
    outcome: &mut Outcome,
    say: &mut dyn FnMut(&str),
) -> Result<()> {
    let started = Instant::now();
    let part = Duration::from_secs(options.part_seconds.into());
    let all = part * PARTS.len() as u32;
    let (mut before, mut at) = (Progress::read_all(devices)?, started);
    let (mut redraw_at, mut contended) = (started + REDRAW, false);
    while started.elapsed() < all {
        thread::sleep((at + WINDOW).saturating_duration_since(Instant::now()));
        let (now, seen) = (Instant::now(), Progress::read_all(devices)?);
        let seconds = (now - at).as_secs_f64();
        let number = ((now - started).as_secs_f64() / part.as_secs_f64()) as usize;
        let (share, is_contended) = PARTS[number.min(PARTS.len() - 1)];
        let target = share * f64::from(options.rate) * seconds;
        let rates: Vec<f64> =
            seen.iter().zip(&before).map(|(now, then)| now.acked - then.acked).collect();
        for delivered in &rates {
            outcome.delivered += delivered;
            outcome.target += target;
            if *delivered < MET * target {
                outcome.degraded_device_seconds += seconds;
            }
        }
        let rates: Vec<String> =
            rates.iter().map(|rate| format!("{:>6.0}", rate / seconds)).collect();
        say(&format!(
            "{:>4} s  target {:>6.0}  {}",
            started.elapsed().as_secs(),
            target / seconds,
            rates.join(" ")
        ));
        (before, at) = (seen, now);
        if now >= redraw_at {
            redraw_at += REDRAW;
            world.redraw()?;
        }
        if contended != is_contended {
            contended = is_contended;
            world.contend(contended)?;
        }
    }
    outcome.switches = before.iter().map(|seen| seen.switches).sum::<f64>() as u64;
    Ok(())
}

/// Whether the windows are those of the unsplit job.
fn judge(verified: &Value, outcome: &mut Outcome) -> Result<()> {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let results = &verified["results"];
    ensure!(results.is_object(), "no verdict of sluice verify: {verified}");
    (outcome.windows, outcome.equal) = (number(&results["expected"]), number(&results["equal"]));
    let failures = verified["failures"].as_array().into_iter().flatten();
    outcome.failures = failures.filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(())
}
