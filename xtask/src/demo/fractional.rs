//! `cargo xtask bench fractional`: what a mix of two cuts sustains beside the best single cut, where processor and uplink both bind.
//!
//! The operators of `bench/plans/worked` cost what the worked example of docs/policy.md says, times ten: the first works 6 parts of time
//! and keeps three of five events, the second 5 parts and keeps 80 of 200 bytes. Lines are random, and nothing is compressed. One device
//! gets more events than any plan sustains; each cut is measured in turn, then what `hull` makes of it, and all of that once more.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::dice::Dice;
use super::metrics::Progress;
use super::rig::stack;
use super::takeover::plan;
use crate::controller::Controller;
use crate::cpu::CpuLimit;
use crate::process::{output, wait_until};
use crate::stack::{Stack, free_ports};
use crate::{cargo, http, paths};

const INPUT: &str = "worked/lines";
const DEVICE: &str = "pi-1";
/// Cuts go from 0 to this.
const OPERATORS: u32 = 2;
const LINE_BYTES: u32 = 200;
/// Before a plan is measured it has been in force so long, seconds.
const SETTLE_SECONDS: u32 = 6;
/// The controller gets more: it has to notice first.
const DECIDE_SECONDS: u32 = 30;
/// A mix should sustain so many times what the best cut does.
const BAR: f64 = 1.15;
const TIMEOUT: Duration = Duration::from_secs(60);

/// How it is run.
#[derive(Clone, Debug)]
pub struct Fractional {
    /// Events a second; more than any plan sustains.
    pub rate: u32,
    /// Processors of the device.
    pub cores: f64,
    /// Bytes a second of its uplink.
    pub bytes_per_second: u64,
    /// How long each plan is measured, seconds.
    pub seconds: u32,
    /// How often everything is measured.
    pub rounds: u32,
    /// The scratch folder.
    pub dir: PathBuf,
}

/// Runs it; `say` gets each line to show. Returns whether the mix is worth it.
pub fn run(options: &Fractional, say: &mut dyn FnMut(&str)) -> Result<bool> {
    cargo::build(&["sluice-wan", "sluice-edge", "sluice-controller", "sluice-cli"])?;
    let bench = Bench::start(options)?;
    let _limit = CpuLimit::of_device(&bench.stack, "fractional", DEVICE, options.cores)?;
    let mut by_cut = vec![Vec::new(); OPERATORS as usize + 1];
    let mut mixed = Vec::new();
    for _ in 0..options.rounds {
        for (cut, rates) in by_cut.iter_mut().enumerate() {
            bench.route(&["--cut", &cut.to_string(), "--reason", "bench"])?;
            let rate = bench.measure(SETTLE_SECONDS, options.seconds)?;
            say(&format!("cut {cut}: {rate:.0} events/s"));
            rates.push(rate);
        }
        bench.route(&["--release", "--reason", "bench"])?;
        let rate = bench.measure(DECIDE_SECONDS, options.seconds)?;
        say(&format!("{}: {rate:.0} events/s", bench.explain()?));
        bench.history()?.iter().for_each(|line| say(line));
        mixed.push(rate);
    }
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
    let cuts: Vec<f64> = by_cut.iter().map(|rates| mean(rates)).collect();
    let best = cuts.iter().copied().fold(0.0, f64::max);
    let ratio = mean(&mixed) / best;
    let is_worth_it = ratio >= BAR;
    let word = if is_worth_it { "pass" } else { "fail" };
    let cuts: Vec<String> = cuts.iter().map(|rate| format!("{rate:.0}")).collect();
    let (cuts, mixed) = (cuts.join("/"), mean(&mixed));
    say(&format!(
        "cuts_per_s={cuts} hull_per_s={mixed:.0} hull/best={ratio:.2} bar={BAR} verdict={word}"
    ));
    Ok(is_worth_it)
}

/// What runs.
struct Bench {
    controller: Controller,
    http: SocketAddr,
    stack: Stack,
}

impl Bench {
    fn start(options: &Fractional) -> Result<Bench> {
        let mut stack = stack(&options.dir, &[DEVICE.to_owned()])?;
        let controller = deploy(&mut stack)?;
        let link = format!("rate {DEVICE} {} unlimited", options.bytes_per_second);
        stack.wan()?.ask(&link)?;
        // As many lines as could be asked for.
        let plans = (OPERATORS + 1) * (SETTLE_SECONDS + options.seconds);
        let seconds = options.rounds * (plans + DECIDE_SECONDS + options.seconds) + 60;
        let lines = options.dir.join("lines.txt");
        write_lines(&lines, seconds * options.rate)?;
        let http = SocketAddr::from(([127, 0, 0, 1], free_ports(1)?[0]));
        let relay = &stack.state().devices[0].brokers;
        let config = format!(
            "[device]\nid = \"{DEVICE}\"\ndata_dir = \"{}\"\n[kafka]\n\"bootstrap.servers\" = \"{relay}\"\n\
             \"compression.codec\" = \"none\"\n[http]\nlisten = \"{http}\"\n\
             [[sources]]\nname = \"replay\"\nkind = \"replay\"\nrate = {}\nfile = \"{}\"\n",
            options.dir.join(DEVICE).display(),
            options.rate,
            lines.display(),
        );
        let file = options.dir.join("edge.toml");
        fs::write(&file, config)?;
        let mut edge = Command::new(cargo::program("sluice-edge"));
        stack.spawn(&format!("edge-{DEVICE}"), edge.arg("--config").arg(file))?;
        stack.await_answer(&format!("edge-{DEVICE}"), || {
            Ok(http::get(http, "/ready")?.status == 200)
        })?;
        Ok(Bench { controller, http, stack })
    }

    fn route(&self, how: &[&str]) -> Result<()> {
        output(sluice(&self.stack).args(["route", &format!("{INPUT}/{DEVICE}")]).args(how))?;
        Ok(())
    }

    /// Events a second that are acknowledged, once the plan has been in force for a while. The source must not be the limit.
    fn measure(&self, settle_seconds: u32, seconds: u32) -> Result<f64> {
        let read = || Ok::<_, anyhow::Error>(Progress::read_all(&[self.http])?[0]);
        let pause = |seconds: u32| thread::sleep(Duration::from_secs(seconds.into()));
        pause(settle_seconds);
        let (began, before) = (Instant::now(), read()?);
        pause(seconds);
        let (elapsed, after) = (began.elapsed().as_secs_f64(), read()?);
        ensure!(after.backlog > 0.0 && !after.is_done, "the source gives too little");
        Ok((after.acked - before.acked) / elapsed)
    }

    /// What the controller changed since the last release, and why; the oldest first.
    fn history(&self) -> Result<Vec<String>> {
        let key = format!("{INPUT}/{DEVICE}");
        let decisions = self.controller.get(&format!("devices/{key}/history?limit=12"))?;
        let decisions = decisions.as_array().cloned().unwrap_or_default();
        let commanded = decisions.iter().filter(|decision| decision["verdict"] == "commanded");
        let line = |decision: &Value| {
            let reasons = decision["reasons"].as_array().into_iter().flatten();
            let reasons: Vec<&str> = reasons.filter_map(Value::as_str).collect();
            let (from, to) = (plan(&decision["previous"]), plan(&decision["plan"]));
            format!("  {from} -> {to}: {}", reasons.join("; "))
        };
        Ok(commanded.map(line).collect())
    }

    /// The plan in force, and what its cuts cost.
    fn explain(&self) -> Result<String> {
        let explained = self.controller.get(&format!("devices/{INPUT}/{DEVICE}/explain"))?;
        let mut text = "hull".to_owned();
        for share in explained["plan"].as_array().context("no plan")? {
            write!(text, " {}:{}", share["cut"], share["per_mille"])?;
        }
        for cut in explained["cuts"].as_array().context("no cuts")? {
            let number = |name: &str| cut[name].as_f64().unwrap_or(f64::NAN);
            let (cpu, bytes) = (number("cpu_us_per_event"), number("bytes_per_event"));
            write!(text, ", cut {} {cpu:.1} us {bytes:.0} B", cut["cut"])?;
        }
        Ok(text)
    }
}

fn sluice(stack: &Stack) -> Command {
    let mut sluice = Command::new(cargo::program("sluice"));
    let state = stack.state();
    sluice.env("SLUICE_BROKERS", &state.brokers).env("SLUICE_REGISTRY", &state.registry_url);
    sluice
}

/// The plan, the device, and a controller that decides often.
fn deploy(stack: &mut Stack) -> Result<Controller> {
    let plan = paths::root().join("bench/plans/worked/plan.json");
    output(sluice(stack).arg("init"))?;
    output(sluice(stack).args(["deploy", "--plan"]).arg(plan))?;
    let key = format!("{INPUT}/{DEVICE}");
    output(sluice(stack).args(["device", "join", &key, "--partition", "0", "--source", "replay"]))?;
    let settings = "decide_every_ms = 5000\nobserve_every_ms = 2000\n[hull]\ndwell_ms = 5000";
    let controller = Controller::start(stack, "controller", settings)?;
    wait_until("the deployment", TIMEOUT, || {
        let fleet: Value = controller.get("fleet")?;
        Ok(fleet["devices"].as_array().is_some_and(|devices| devices.len() == 1))
    })?;
    Ok(controller)
}

/// Lines that begin with a digit and can't be compressed much.
fn write_lines(path: &Path, count: u32) -> Result<()> {
    let mut dice = Dice::new(1);
    let mut file = BufWriter::new(File::create(path)?);
    for _ in 0..count {
        let first = std::iter::once(dice.below(10) as u8);
        let rest = (1..LINE_BYTES).map(|_| dice.below(75) as u8);
        let line: Vec<u8> = first.chain(rest).map(|digit| b'0' + digit).collect();
        file.write_all(&line)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}
