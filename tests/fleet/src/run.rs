//! The loop: conditions, devices, reports, decisions.

use std::sync::Arc;

use clap::ValueEnum;
use fastrand::Rng;
use sluice_model::{Cut, Shares};
use sluice_policy::{Counters, Hull, HullSettings, Policy, Reference};

use crate::clairvoyant::{Ideal, fair, most_sustained, share};
use crate::controller::Controller;
use crate::cpu_clock::CpuClock;
use crate::device::Device;
use crate::profile::{MEGABIT, Profile};
use crate::reporter::Reporter;
use crate::score::Score;
use crate::script::{Conditions, SHARING, Script, Trace};

/// Which policy decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// The default policy
    Hull,
    /// The paper's heuristic
    Reference,
    /// The plan stays what it is
    Static,
}

impl PolicyName {
    fn policy(self) -> Option<Arc<dyn Policy>> {
        match self {
            Self::Hull => Some(Arc::new(Hull::new(HullSettings::default()))),
            Self::Reference => Some(Arc::new(Reference::default())),
            Self::Static => None,
        }
    }
}

/// What is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// How conditions change.
    pub trace: Trace,
    /// Who decides.
    pub policy: PolicyName,
    /// How many devices.
    pub devices: usize,
    /// Simulated time, hours, before the scale; the trace's own if `None`.
    pub hours: Option<f64>,
    /// The trace runs so many times as fast.
    pub scale: f64,
    /// Of conditions and noise.
    pub seed: u64,
    /// Between two decisions of a device, seconds.
    pub decide_seconds: u64,
    /// Between two reports of a device, seconds.
    pub report_seconds: u64,
    /// Standard deviation of measurements, as a part of them.
    pub noise: f64,
    /// Whether to keep what is plotted.
    pub keep: bool,
}

impl Options {
    /// A trace under a policy as the tests run it.
    #[must_use]
    pub fn new(trace: Trace, policy: PolicyName, devices: usize) -> Self {
        Self {
            trace,
            policy,
            devices,
            hours: None,
            scale: 1.0,
            seed: 1,
            decide_seconds: 10,
            report_seconds: 5,
            noise: 0.05,
            keep: false,
        }
    }
}

/// A second of one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Arrivals, events a second.
    pub arrived: f64,
    /// Acknowledged, events a second.
    pub acked: f64,
    /// Uplink, Mbit/s.
    pub megabits: f64,
    /// Cores.
    pub cores: f64,
    /// The plan in force.
    pub shares: Shares,
}

/// The score, and what was kept of each device.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The sums.
    pub score: Score,
    /// Per device, per second; empty unless kept.
    pub moments: Vec<Vec<Moment>>,
    /// Per device, a line per switch with its reasons; empty unless kept.
    pub switches: Vec<Vec<String>>,
}

/// Simulated time goes on in steps of a tenth of a second.
const STEPS_PER_SECOND: u32 = 10;

struct Node {
    profile: &'static Profile,
    script: Script,
    device: Device,
    reporter: Reporter,
    controller: Controller,
    ideal: Ideal,
    random: Rng,
    most_per_second: f64,
    conditions: Conditions,
    moments: Vec<Moment>,
    kept_acked: f64,
    switches: Vec<String>,
}

/// Runs a fleet.
#[must_use]
pub fn run(options: &Options) -> Outcome {
    let policy = options.policy.policy();
    let hours = options.hours.unwrap_or(options.trace.hours()) / options.scale;
    let seconds = (hours * 3_600.0).round() as u64;
    let mut nodes: Vec<Node> = (0..options.devices).map(|n| node(options, n)).collect();
    let name = |value: &dyn Fn() -> Option<clap::builder::PossibleValue>| {
        value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    };
    let mut score = Score {
        name: (
            name(&|| options.trace.to_possible_value()),
            name(&|| options.policy.to_possible_value()),
        ),
        devices: options.devices,
        hours,
        ..Score::default()
    };
    for second in 0..seconds {
        for node in &mut nodes {
            node.begin_second(second as f64 * options.scale, &mut score);
        }
        if options.trace == Trace::Shared {
            nodes.chunks_mut(SHARING).for_each(|group| shared_second(group, &mut score));
        } else {
            nodes.iter_mut().for_each(|node| own_second(node, &mut score));
        }
        let reports: Vec<_> = nodes
            .iter_mut()
            .enumerate()
            .map(|(n, node)| node.reports(options, n as u64, second + 1))
            .collect();
        let clock = CpuClock::start();
        for (node, reports) in nodes.iter_mut().zip(reports) {
            reports.into_iter().for_each(|counters| node.controller.take(counters));
        }
        if let Some(policy) = &policy {
            for (n, node) in nodes.iter_mut().enumerate() {
                if (second + 1 + n as u64).is_multiple_of(options.decide_seconds) {
                    node.decide(policy.as_ref(), second + 1, &mut score, options.keep);
                }
            }
        }
        score.decision_seconds += clock.seconds();
        if options.keep {
            nodes.iter_mut().for_each(Node::keep_moment);
        }
    }
    for node in &nodes {
        score.arrived += node.device.totals.arrived;
        score.delivered += node.device.totals.acked;
        score.clairvoyant += node.ideal.delivered;
    }
    let (moments, switches) = nodes.into_iter().map(|node| (node.moments, node.switches)).unzip();
    Outcome { score, moments, switches }
}

fn node(options: &Options, n: usize) -> Node {
    let profile = options.trace.profile(n);
    let script = Script::new(options.trace, n, options.seed);
    let first = Shares::binary(Cut(options.trace.first_cut()));
    Node {
        profile,
        conditions: script.now(),
        script,
        device: Device::new(profile.clone(), &first),
        reporter: Reporter::new(profile.clone(), n, options.seed, options.noise),
        controller: Controller::new(first),
        ideal: Ideal::default(),
        random: Rng::with_seed(options.seed ^ (n as u64) << 20),
        most_per_second: 0.0,
        moments: Vec::new(),
        kept_acked: 0.0,
        switches: Vec::new(),
    }
}

impl Node {
    fn begin_second(&mut self, trace_seconds: f64, score: &mut Score) {
        let stepped = self.script.advance(trace_seconds);
        score.steps += u64::from(stepped);
        let mut now = self.script.now();
        // Sources are not even: two percent more or less from second to second.
        let jitter = 0.98 + 0.04 * self.random.f64();
        let known = Conditions { rate: self.conditions.rate, ..now };
        if known != self.conditions || self.most_per_second == 0.0 {
            self.most_per_second = most_sustained(self.profile, &now);
        }
        now.rate *= if now.alive { jitter } else { 0.0 };
        self.conditions = now;
    }

    fn reports(&mut self, options: &Options, n: u64, second: u64) -> Vec<Counters> {
        let every = options.report_seconds;
        if !self.conditions.alive || !(second + n).is_multiple_of(every) {
            return Vec::new();
        }
        let at_ms = i64::try_from(second * 1_000).unwrap_or(i64::MAX);
        self.reporter.report(&self.device, self.conditions.rate, at_ms, every as f64)
    }

    fn decide(&mut self, policy: &dyn Policy, second: u64, score: &mut Score, keep: bool) {
        let now_ms = i64::try_from(second * 1_000).unwrap_or(i64::MAX);
        score.decisions += 1;
        let before = self.controller.plan().shares();
        let Some(decision) = self.controller.decide(policy, now_ms) else { return };
        let shares = decision.plan.shares();
        if shares == before {
            return;
        }
        score.switches += 1;
        self.device.route(&shares);
        if keep {
            let reasons: Vec<_> = decision.reasons.iter().map(ToString::to_string).collect();
            let believed = self.controller.estimates();
            let limits = format!(
                "{:.0}/s asked, {:.2} cores, {:.1} Mbit/s",
                believed.target_per_second,
                believed.cpu_cores.unwrap_or(f64::INFINITY),
                believed.goodput.map_or(f64::INFINITY, |goodput| goodput.bytes_per_second)
                    / MEGABIT
            );
            self.switches.push(format!("{second} s: {shares}: {limits}: {}", reasons.join("; ")));
        }
    }

    fn keep_moment(&mut self) {
        let acked = self.device.totals.acked - self.kept_acked;
        self.kept_acked += acked;
        self.moments.push(Moment {
            arrived: self.conditions.rate,
            acked,
            megabits: self.conditions.bytes_per_second / MEGABIT,
            cores: self.conditions.cores,
            shares: self.controller.plan().shares(),
        });
    }
}

/// A second of a device with an uplink of its own.
fn own_second(node: &mut Node, score: &mut Score) {
    let step = 1.0 / f64::from(STEPS_PER_SECOND);
    let Conditions { rate, bytes_per_second, .. } = node.conditions;
    let (acked, ideal) = (node.device.totals.acked, node.ideal.delivered);
    for _ in 0..STEPS_PER_SECOND {
        node.device.step(&node.conditions, bytes_per_second, rate * step, step);
        node.ideal.step(rate * step, node.most_per_second, step);
    }
    judge(node, acked, ideal, score);
}

fn judge(node: &Node, acked: f64, ideal: f64, score: &mut Score) {
    let least = 0.99 * node.conditions.rate;
    score.degraded_seconds += u64::from(node.device.totals.acked - acked < least);
    score.clairvoyant_degraded_seconds += u64::from(node.ideal.delivered - ideal < least);
}

/// A second of devices that share an uplink.
fn shared_second(group: &mut [Node], score: &mut Score) {
    let step = 1.0 / f64::from(STEPS_PER_SECOND);
    let whole = group[0].conditions.bytes_per_second;
    let before: Vec<(f64, f64)> =
        group.iter().map(|node| (node.device.totals.acked, node.ideal.delivered)).collect();
    let wanted: Vec<_> = group
        .iter()
        .map(|node| {
            (node.profile, node.conditions, node.conditions.rate + node.ideal.spool_events())
        })
        .collect();
    let best = share(&wanted, whole);
    for _ in 0..STEPS_PER_SECOND {
        let demands: Vec<f64> = group
            .iter()
            .map(|node| node.device.demand_bytes(&node.conditions, step) / step)
            .collect();
        let parts = fair(&demands, whole);
        for ((node, part), best) in group.iter_mut().zip(parts).zip(&best) {
            let arrived = node.conditions.rate * step;
            node.device.step(&node.conditions, part, arrived, step);
            node.ideal.step(arrived, *best, step);
        }
    }
    for (node, (acked, ideal)) in group.iter().zip(before) {
        judge(node, acked, ideal, score);
    }
}
