//! `cargo xtask bench likeness`: whether the fleet simulator delivers what five devices deliver on this machine.
//!
//! Each device has a plan, a link and processors of its own that stay, and more events than it can send. Then the same plan, link and
//! processors go through the simulator, with the costs per event that the device has reported.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use sluice_fleet::Profile;
use sluice_fleet::device::Device;
use sluice_fleet::script::Conditions;
use sluice_model::{Cut, Share, Shares};

use super::Options;
use super::metrics::Progress;
use super::query::Play;
use super::rig::{Rig, Setup};
use crate::process::{output, wait_until};

/// What stays on a device.
struct Fixed {
    /// Shares per mille by cut.
    shares: &'static [(i32, i32)],
    /// Bytes a second of its link.
    bytes_per_second: u64,
    cores: f64,
}

impl Fixed {
    fn plan(&self) -> Result<Shares> {
        let share = |&(cut, per_mille): &(i32, i32)| Share { cut: Cut(cut), per_mille };
        Ok(Shares::new(self.shares.iter().map(share).collect())?)
    }

    /// As the command line has it.
    fn text(&self) -> String {
        let parts = self.shares.iter().map(|(cut, per_mille)| format!("{cut}:{per_mille}"));
        parts.collect::<Vec<_>>().join(",")
    }
}

/// Three bound by the link, one by the processor, one by both in turns.
const FIXED: [Fixed; 5] = [
    Fixed { shares: &[(0, 1000)], bytes_per_second: 120_000, cores: 0.5 },
    Fixed { shares: &[(1, 1000)], bytes_per_second: 60_000, cores: 0.5 },
    Fixed { shares: &[(3, 1000)], bytes_per_second: 30_000, cores: 0.5 },
    Fixed { shares: &[(3, 1000)], bytes_per_second: 10_000_000, cores: 0.03 },
    Fixed { shares: &[(0, 300), (3, 700)], bytes_per_second: 60_000, cores: 0.5 },
];
/// The simulator may be off by this part of what is delivered.
const LIKE: f64 = 0.1;
/// The time between two looks at what the controller believes.
const LOOK_SECONDS: u32 = 5;
const KNOWN_TIMEOUT: Duration = Duration::from_secs(120);

/// How it is run.
#[derive(Clone, Debug)]
pub struct Likeness {
    /// Over so long it is measured, seconds.
    pub seconds: u32,
    /// Before that so long it settles, seconds.
    pub settle_seconds: u32,
    /// Events a second of a device.
    pub rate: u32,
    /// The scratch folder.
    pub dir: PathBuf,
}

/// A device on the machine and in the simulator.
struct Compared {
    name: String,
    shares: Shares,
    arrived_per_second: f64,
    delivered: f64,
    simulated: f64,
    /// What the simulator was told.
    profile: Profile,
}

impl Compared {
    fn is_like(&self) -> bool {
        (self.delivered / self.simulated - 1.0).abs() <= LIKE
    }
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { name, shares, arrived_per_second, delivered, simulated, profile } = self;
        let word = if self.is_like() { "like" } else { "unlike" };
        write!(
            f,
            "device={name} plan={shares} arrived_per_s={arrived_per_second:.0} delivered/arrived={delivered:.3} \
             simulated={simulated:.3} ratio={:.3} verdict={word}",
            delivered / simulated
        )?;
        let list = |costs: &[f64], unit: f64, digits: usize| {
            let costs = costs.iter().map(|cost| format!("{:.digits$}", cost * unit));
            costs.collect::<Vec<_>>().join("/")
        };
        write!(
            f,
            " cores={:.3} overhead_us={:.1} cpu_us={} bytes={}",
            profile.cores,
            profile.overhead_seconds * 1e6,
            list(&profile.cpu_seconds, 1e6, 1),
            list(&profile.wire_bytes, 1.0, 0),
        )
    }
}

/// Runs it; `say` gets each line to show. Returns whether the simulator is like the machine on every device.
pub fn run(options: &Likeness, say: &mut dyn FnMut(&str)) -> Result<bool> {
    let devices: Vec<(u64, f64)> =
        FIXED.iter().map(|fixed| (fixed.bytes_per_second, fixed.cores)).collect();
    let demo = Options { dir: options.dir.clone(), ..Options::default() };
    let rig = Rig::start(Setup {
        part: "likeness",
        options: &demo,
        play: Play {
            // Nothing is played to its end.
            events: u64::from(options.rate) * 3_600,
            pace: format!("rate = {}", options.rate),
        },
        controller: "observe_every_ms = 5000\nstale_after_ms = 60000",
        has_cloud: false,
        devices: &devices,
    })?;
    let (keys, query) = (rig.keys(), &rig.query);
    let explain = |key: &String| rig.controller.get(&format!("devices/{key}/explain"));
    say("wait until the plans are in force");
    wait_until("the plans", KNOWN_TIMEOUT, || {
        let mut all = true;
        for (fixed, key) in FIXED.iter().zip(&keys) {
            let plan = explain(key).ok().and_then(|explained| plan_of(&explained).ok());
            let device = rig.controller.get(&format!("devices/{key}"))?;
            // A person's command, so that the controller only looks on.
            let is_manual = device["device"]["mode"] == "manual";
            if !is_manual || plan.as_ref() != Some(&fixed.plan()?) {
                all = false;
                // Refused as long as the device lacks an engine.
                let why = ["--reason", "bench"];
                output(query.sluice(&["route", key, "--shares", &fixed.text()]).args(why))?;
            }
        }
        Ok(all)
    })?;
    say("wait until every cut's costs are known");
    wait_until("the costs of every cut", KNOWN_TIMEOUT, || {
        Ok(keys.iter().all(|key| explain(key).is_ok_and(|explained| costs(&explained).is_some())))
    })?;
    let pause = |seconds: u32| thread::sleep(Duration::from_secs(seconds.into()));
    pause(options.settle_seconds);
    say("measure");
    let began = Instant::now();
    let before = Progress::read_all(&query.device_http)?;
    // What the controller believes changes with what happens: the simulator is asked all along.
    let mut believed = vec![Vec::new(); keys.len()];
    while began.elapsed() < Duration::from_secs(options.seconds.into()) {
        pause(LOOK_SECONDS);
        for (key, believed) in keys.iter().zip(&mut believed) {
            believed.push(explain(key)?);
        }
    }
    let after = Progress::read_all(&query.device_http)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut like = true;
    for (number, name) in rig.names.iter().enumerate() {
        let arrived = after[number].accepted - before[number].accepted;
        let acked = after[number].acked - before[number].acked;
        ensure!(arrived > 0.0, "nothing arrived on {name}");
        let arrived_per_second = arrived / seconds;
        let fixed = &FIXED[number];
        let explained = &believed[number][0];
        let all_kept = believed[number].iter().all(|now| plan_of(now).ok() == fixed.plan().ok());
        ensure!(all_kept, "the plan of {name} changed");
        let simulated = believed[number].iter().map(|now| simulate(now, fixed, arrived_per_second));
        let simulated = simulated.sum::<Result<f64>>()? / believed[number].len() as f64;
        let compared = Compared {
            name: name.clone(),
            shares: fixed.plan()?,
            arrived_per_second,
            delivered: acked / arrived,
            simulated,
            profile: costs(explained).context("the costs are no longer known")?,
        };
        like &= compared.is_like();
        say(&compared.to_string());
    }
    Ok(like)
}

fn plan_of(explained: &Value) -> Result<Shares> {
    Ok(serde_json::from_value(explained["plan"].clone())?)
}

/// What a source event costs at each cut, without what is the same at every cut, and that.
fn costs(explained: &Value) -> Option<Profile> {
    let overhead_us = explained["overhead_us"].as_f64()?;
    let cuts = explained["cuts"].as_array()?;
    let number = |name: &str| cuts.iter().map(|cut| cut[name].as_f64()).collect::<Option<Vec<_>>>();
    let cpu = number("cpu_us_per_event")?;
    let cpu_seconds: Vec<f64> = cpu.iter().map(|us| (us - overhead_us).max(0.0) / 1e6).collect();
    let cores = explained["inputs"]["cpu_cores"].as_f64()?;
    Some(Profile {
        name: "measured",
        cpu_seconds: Cow::Owned(cpu_seconds),
        wire_bytes: Cow::Owned(number("bytes_per_event")?),
        overhead_seconds: overhead_us / 1e6,
        cores,
        contended_cores: cores,
        rate: (0.0, 0.0),
        megabits: (0.0, 0.0),
    })
}

/// The part of the arrivals that the simulator delivers.
fn simulate(explained: &Value, fixed: &Fixed, arrived_per_second: f64) -> Result<f64> {
    let profile = costs(explained).context("the costs are no longer known")?;
    let shares = plan_of(explained)?;
    // In the unit of the bytes per event: what goes over the link beside frames counts in neither.
    let goodput = explained["inputs"]["uplink_bytes_per_s"].as_f64();
    let conditions = Conditions {
        rate: arrived_per_second,
        bytes_per_second: goodput.unwrap_or(fixed.bytes_per_second as f64),
        cores: profile.cores,
        alive: true,
    };
    let mut device = Device::new(profile, &shares);
    for _ in 0..600 {
        let arrived = arrived_per_second / 10.0;
        device.step(&conditions, conditions.bytes_per_second, arrived, 0.1);
    }
    Ok(device.totals.acked / device.totals.arrived)
}
