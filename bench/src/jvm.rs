//! Q1's path on a device with its own functions in the host: as the native path, and what it costs this process and the host together.
use std::fmt::{Display, Formatter};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use sluice_engine::Engine;
use sluice_engine::deployed::{self, Jvm, Site};
use sluice_engine::jvm::{Options, Sidecar};
use sluice_model::{Artifact, DeployedQuery};
use sluice_planner::{Capture, Jar, JobFiles};
use sluice_spool::Batch;
use sluice_wire::{Event, EventsBuffer};
use xtask::java::{FLINK, HOST, Q1, flink};
use xtask::paths;

use crate::path::spooled;

/// Rounds over all frames before those that count: the JVM compiles what is used much.
const WARM_UP_ROUNDS: usize = 3;
const ROUNDS: usize = 3;
/// As on a device.
const HEAP_MB: u32 = 64;
const DEADLINE: Duration = Duration::from_secs(30);
/// Of /proc, Linux on every machine that we know.
const TICKS_PER_S: f64 = 100.0;

/// What was measured.
pub struct Figures {
    events: usize,
    passed: usize,
    cold: f64,
    own: f64,
    host: f64,
    elapsed: Duration,
    idle_kib: u64,
    used_kib: u64,
}

impl Figures {
    fn events_per_cpu_s(&self) -> f64 {
        (self.events * ROUNDS) as f64 / (self.own + self.host)
    }

    /// The figures as one JSON object.
    pub fn json(&self) -> String {
        serde_json::json!({
            "engine": "jvm",
            "events": self.events,
            "passed": self.passed,
            "events_per_cpu_s": self.events_per_cpu_s().round(),
            "cold_events_per_cpu_s": (self.events as f64 / self.cold).round(),
            "events_per_s": ((self.events * ROUNDS) as f64 / self.elapsed.as_secs_f64()).round(),
            "own_cpu_share": self.own / (self.own + self.host),
            "idle_resident_kib": self.idle_kib,
            "used_resident_kib": self.used_kib,
        })
        .to_string()
    }
}

impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "path engine=jvm events_per_cpu_s={:.0} cold_events_per_cpu_s={:.0} events_per_s={:.0} own_cpu_share={:.2} \
             idle_resident_mb={:.1} used_resident_mb={:.1} events={} passed={}",
            self.events_per_cpu_s(),
            self.events as f64 / self.cold,
            (self.events * ROUNDS) as f64 / self.elapsed.as_secs_f64(),
            self.own / (self.own + self.host),
            self.idle_kib as f64 / 1024.0,
            self.used_kib as f64 / 1024.0,
            self.events,
            self.passed,
        )
    }
}

/// Captures and plans Q1's jar and runs its chain in a host.
pub fn measure(events: usize) -> anyhow::Result<Figures> {
    let dir = tempfile::tempdir()?;
    for project in [Q1, FLINK, HOST] {
        project.build()?;
    }
    let capture = dir.path().join("capture.zip");
    let log4j2 = dir.path().join("log4j2.properties");
    fs::copy(paths::root().join("rewriter/flink/runtime/log4j2.properties"), &log4j2)?;
    let made = flink(&[FLINK.jar(), Q1.jar()], &log4j2)
        .arg("dev.sluice.capture.CaptureMain")
        .arg("--jar")
        .arg(Q1.jar())
        .arg("--out")
        .arg(&capture)
        .args(["--", "--brokers", "nowhere:9092", "--input", "in", "--output", "out"])
        .status()?;
    ensure!(made.success(), "Q1 was not captured");
    let query = plan(&capture)?;
    let input = query.inputs.first().context("nothing of Q1 moves")?;
    let options = Options {
        java: "java".into(),
        host: HOST.jar(),
        heap_mb: HEAP_MB,
        deadline: DEADLINE,
        socket_dir: dir.path().join("host"),
    };
    let sidecar = Sidecar::new(options, |text| eprintln!("{text}"));
    let flink = query.job.as_ref().map(|job| job.flink.clone()).unwrap_or_default();
    let jvm = Jvm { sidecar: sidecar.clone(), jar: Q1.jar(), capture, flink };
    let types = deployed::types(input)?;
    let range = (0, input.operator_count());
    let mut engine = deployed::engine(input, &types, range, Site::Edge, Some(&jvm))?;
    let host = sidecar.process_id().context("the host is gone")?;
    let idle_kib = resident_kib(host)?;

    let batches = spooled(events)?;
    let before = cpu_s("self")? + cpu_s(&host.to_string())?;
    let passed = round(engine.as_mut(), &batches)?;
    let cold = cpu_s("self")? + cpu_s(&host.to_string())? - before;
    for _ in 0..WARM_UP_ROUNDS {
        round(engine.as_mut(), &batches)?;
    }
    let (own, others, began) = (cpu_s("self")?, cpu_s(&host.to_string())?, Instant::now());
    for _ in 0..ROUNDS {
        ensure!(round(engine.as_mut(), &batches)? == passed, "a round differs from the first");
    }
    Ok(Figures {
        events,
        passed,
        cold,
        own: cpu_s("self")? - own,
        host: cpu_s(&host.to_string())? - others,
        elapsed: began.elapsed(),
        idle_kib,
        used_kib: resident_kib(host)?,
    })
}

fn plan(capture: &Path) -> anyhow::Result<DeployedQuery> {
    let artifact = |name: &str| Artifact { name: name.to_owned(), digest: String::new(), bytes: 0 };
    let files = JobFiles { jar: artifact("q1.jar"), capture: artifact("capture.zip") };
    let capture = Capture::read(&fs::read(capture)?)?;
    let jar = Jar::read(fs::read(Q1.jar())?)?;
    let options = sluice_planner::Options::new("q1".parse()?);
    let planned = sluice_planner::plan(&capture, &jar, &options, files);
    planned.map(|planned| planned.query).map_err(|problems| anyhow::anyhow!("{problems:?}"))
}

/// Runs every frame once; how many events came out.
fn round(engine: &mut dyn Engine, batches: &[Batch]) -> anyhow::Result<usize> {
    let mut out = EventsBuffer::new();
    let mut passed = 0;
    for batch in batches {
        out.clear();
        let mut events = (0..).zip(batch.values()).map(|(delta, value)| Event {
            delta,
            time: None,
            value: Some(value),
        });
        let mut deaths = Vec::new();
        engine.run_frame(&mut events, &mut out, &mut |event, dead| {
            deaths.push((event.delta, dead))
        })?;
        ensure!(deaths.is_empty(), "{deaths:?}");
        passed += out.count();
    }
    Ok(passed)
}

/// What a process has used of all cores, seconds.
fn cpu_s(process: &str) -> anyhow::Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // Behind the name, which may hold anything: state is the first word, user and system time the 12th and 13th.
    let words: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok());
    let sum = ticks(11).zip(ticks(12)).map(|(user, system)| user + system);
    Ok(sum.context("a stat without times")? / TICKS_PER_S)
}

fn resident_kib(process: u32) -> anyhow::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let word = line.and_then(|line| line.split_whitespace().next());
    Ok(word.context("a status without VmRSS")?.parse()?)
}
