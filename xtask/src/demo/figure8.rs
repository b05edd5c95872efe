//! `cargo xtask bench figure8`: the paper's Figure 8, 30 times shorter, on five devices behind relays and processor limits, under
//! each policy.
//!
//! The rate steps every two minutes, links are redrawn every 20 s, and in the second part the processors are contended. Per policy: what
//! was delivered of the target, device-seconds below 99 % of it, switches, and whether the windows are those of the unsplit job.

use std::fmt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::Value;

use super::Options;
use super::dice::Dice;
use super::metrics::Progress;
use super::query::Play;
use super::rig::{Rig, Setup};
use super::trace::{Part, Trace};
use crate::cpu::CpuLimit;
use crate::process::wait_until;

const DEVICES: usize = 5;
/// Links are redrawn so often.
const REDRAW: Duration = Duration::from_secs(20);
/// Throughput is judged over so long.
const WINDOW: Duration = Duration::from_secs(5);
/// Less than this part of the target is degraded.
const MET: f64 = 0.99;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(300);

/// How the experiment is run.
#[derive(Clone, Debug)]
pub struct Figure8 {
    /// How conditions change.
    pub trace: Trace,
    /// The policies, one after the other.
    pub policies: Vec<String>,
    /// How long each part is, seconds.
    pub part_seconds: u32,
    /// The greatest rate of a device, events a second.
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
    let mut outcomes = Vec::new();
    for policy in &options.policies {
        say(&format!("policy {policy}"));
        outcomes.push(run_one(options, policy, say)?);
    }
    outcomes.iter().for_each(|outcome| say(&outcome.to_string()));
    Ok(outcomes.iter().all(|outcome| outcome.failures.is_empty()))
}

fn run_one(options: &Figure8, policy: &str, say: &mut dyn FnMut(&str)) -> Result<Outcome> {
    let parts = options.trace.parts();
    let rates: Vec<u64> =
        parts.iter().map(|part| (part.rate * f64::from(options.rate)) as u64).collect();
    let steps =
        (0u32..).zip(&rates).map(|(part, rate)| format!("{}:{rate}", part * options.part_seconds));
    let play = Play {
        events: rates.iter().sum::<u64>() * u64::from(options.part_seconds),
        pace: format!("rate_steps = \"{}\"", steps.collect::<Vec<_>>().join(",")),
    };
    let settings = format!(
        "policy = \"{policy}\"\ndecide_every_ms = 10000\nobserve_every_ms = 5000\n[hull]\ndwell_ms = 20000"
    );
    let mut dice = Dice::new(options.seed);
    let devices = [(); DEVICES].map(|()| (options.link(&parts[0], &mut dice), options.cores.0));
    let demo = Options { seed: options.seed, dir: options.dir.clone(), ..Options::default() };
    let mut rig = Rig::start(Setup {
        part: "figure8",
        options: &demo,
        play,
        controller: &settings,
        has_cloud: true,
        devices: &devices,
    })?;
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
    watch(options, &mut rig, &mut dice, &mut outcome, say)?;
    rig.relax()?;
    wait_until("the devices to drain", DRAIN_TIMEOUT, || {
        let seen = Progress::read_all(&rig.query.device_http)?;
        Ok(seen.iter().all(|seen| seen.is_done && seen.backlog == 0.0))
    })?;
    say("run the same job unsplit, in plain Flink, over the same events");
    rig.query.run_unsplit(&mut rig.stack)?;
    judge(&rig.query.verify()?, &mut outcome)?;
    if !outcome.failures.is_empty() {
        say(&format!("the logs are in {}", rig.stack.keep_logs()?.display()));
    }
    Ok(outcome)
}

impl Figure8 {
    /// A new rate of a link, bytes a second.
    fn link(&self, part: &Part, dice: &mut Dice) -> u64 {
        let (least, most) = part.link;
        let part = least + (most - least) * f64::from(dice.below(1_001)) / 1e3;
        (part * self.uplink as f64) as u64
    }
}

fn watch(
    options: &Figure8,
    rig: &mut Rig<'_>,
    dice: &mut Dice,
    outcome: &mut Outcome,
    say: &mut dyn FnMut(&str),
) -> Result<()> {
    let parts = options.trace.parts();
    let started = Instant::now();
    let length = Duration::from_secs(options.part_seconds.into());
    let all = length * parts.len() as u32;
    let (mut before, mut at) = (read(rig), started);
    let (mut redraw_at, mut part) = (started + REDRAW, parts[0]);
    let mut switches = [0.0; DEVICES];
    while started.elapsed() < all {
        thread::sleep((at + WINDOW).saturating_duration_since(Instant::now()));
        let (now, seen) = (Instant::now(), read(rig));
        let seconds = (now - at).as_secs_f64();
        let target = part.rate * f64::from(options.rate) * seconds;
        let mut shown = Vec::new();
        for (device, (seen, before)) in seen.iter().zip(&before).enumerate() {
            let Some(seen) = seen else {
                shown.push(format!("{:>6}", "dead"));
                continue;
            };
            // A device that comes back works off what it missed.
            let delivered = seen.acked - before.map_or(0.0, |before| before.acked);
            switches[device] = f64::max(switches[device], seen.switches);
            shown.push(format!("{:>6.0}", delivered / seconds));
            outcome.delivered += delivered.min(target);
            outcome.target += target;
            if delivered < MET * target {
                outcome.degraded_device_seconds += seconds;
            }
        }
        let (elapsed, target) = (started.elapsed().as_secs(), target / seconds);
        say(&format!("{elapsed:>4} s  target {target:>6.0}  {}", shown.join(" ")));
        (before, at) = (seen, now);
        let number = ((now - started).as_secs_f64() / length.as_secs_f64()) as usize;
        let next = parts[number.min(parts.len() - 1)];
        if now >= redraw_at || next.link != part.link {
            redraw_at = now + REDRAW;
            for name in rig.names.clone() {
                let link = options.link(&next, dice);
                rig.wan.ask(&format!("rate {name} {link} unlimited"))?;
            }
        }
        if next.is_contended != part.is_contended {
            let (all, few) = options.cores;
            let cores = if next.is_contended { few } else { all };
            rig.limits.iter().try_for_each(|limit| limit.set(Some(cores)))?;
        }
        if next.has_dead != part.has_dead {
            let name = &rig.names[DEVICES - 1];
            let edge = format!("edge-{name}");
            if next.has_dead {
                rig.stack.kill(&edge)?;
            } else {
                rig.stack.restart(&edge)?;
                rig.limits.truncate(DEVICES - 1);
                let limit = CpuLimit::of_device(&rig.stack, "figure8", name, options.cores.0)?;
                rig.limits.push(limit);
            }
        }
        part = next;
    }
    outcome.switches = switches.iter().sum::<f64>() as u64;
    Ok(())
}

/// How far each device is; none of one that is dead.
fn read(rig: &Rig<'_>) -> Vec<Option<Progress>> {
    rig.query.device_http.iter().map(|http| Progress::read(*http).ok()).collect()
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
