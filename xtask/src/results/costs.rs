//! What a cut costs a device: one device for each cut, all with the same lines at the same time, each on a link of its own.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cargo;
use crate::case::Case;
use crate::demo::data;
use crate::demo::metrics::Samples;
use crate::job::Store;
use crate::process::{Identity, output, wait_until};
use crate::stack::{self, Stack, free_ports};

/// Lines a second of each device.
const RATE: u64 = 2_000;
/// What is left out at the beginning: programs that start, code that is compiled.
const WARM_UP_SHARE: u64 = 4;
const SEED: u64 = 1;
/// Beyond the time that the lines take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What was measured of a query.
pub(super) struct Costs {
    /// The operators by name, each with what executes it.
    pub(super) operators: Vec<(String, String)>,
    /// Mean length of a line, bytes.
    pub(super) line_bytes: f64,
    /// By cut.
    pub(super) cuts: Vec<Cost>,
}

/// What was measured of a cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// Events that were counted.
    pub(super) events: f64,
    /// What went up the link for them, bytes.
    pub(super) up_bytes: f64,
    /// Processor time of the agent and its host, seconds.
    pub(super) cpu_s: f64,
}

/// Measures all cuts of a query with so many lines; `data` is a folder of public data, whose lines are played again and again.
pub(super) fn measure(
    case: &Case,
    data: Option<&Path>,
    lines: u64,
    dir: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<Costs> {
    let devices = (0..=case.operators).map(|cut| format!("cut-{cut}")).collect();
    let mut stack = Stack::up(&stack::Options { dir: dir.to_owned(), devices, detached: false })?;
    let file = write_lines(case, data, lines, dir)?;
    let bytes = fs::metadata(&file)?.len();
    let bench = Bench::start(&mut stack, case, &file)?;
    let mut watched: Vec<Watched> = (0..=case.operators).map(|_| Watched::default()).collect();
    let timeout = Duration::from_secs(lines / RATE) + PATIENCE;
    wait_until("the last line of every device", timeout, || {
        if let Some(name) = bench.stack.ended() {
            bail!("{name} has ended:\n{}", bench.stack.log_tail(name));
        }
        for (cut, watched) in watched.iter_mut().enumerate() {
            bench.look(cut, lines / WARM_UP_SHARE, watched)?;
        }
        Ok(watched.iter().all(|watched| watched.end.is_some()))
    })?;
    let cuts: Vec<Cost> = watched.iter().filter_map(Watched::cost).collect();
    ensure!(cuts.len() == watched.len(), "a device was done before it could be looked at");
    for (cut, cost) in cuts.iter().enumerate() {
        ensure!(cost.events * 4.0 > lines as f64, "only {} events left at cut {cut}", cost.events);
        say(&format!("  cut {cut}: {}", cost.text()));
    }
    Ok(Costs { operators: bench.operators, line_bytes: bytes as f64 / lines as f64, cuts })
}

impl Cost {
    fn since(&self, before: &Cost) -> Cost {
        Cost {
            events: self.events - before.events,
            up_bytes: self.up_bytes - before.up_bytes,
            cpu_s: self.cpu_s - before.cpu_s,
        }
    }

    /// Bytes of an event on the link.
    pub(super) fn bytes_per_event(&self) -> f64 {
        self.up_bytes / self.events
    }

    /// Processor time of an event, microseconds.
    pub(super) fn cpu_us_per_event(&self) -> f64 {
        self.cpu_s * 1e6 / self.events
    }

    fn text(&self) -> String {
        format!(
            "{:.1} bytes and {:.1} us an event",
            self.bytes_per_event(),
            self.cpu_us_per_event()
        )
    }
}

/// The devices, and what they talk to.
struct Bench<'a> {
    stack: &'a Stack,
    store: Store,
    /// The input.
    key: String,
    /// The agents: where they listen, and which process each is.
    devices: Vec<(SocketAddr, Identity)>,
    operators: Vec<(String, String)>,
}

impl<'a> Bench<'a> {
    fn start(stack: &'a mut Stack, case: &Case, file: &Path) -> Result<Bench<'a>> {
        let store = Store::start(stack)?;
        output(&mut store.sluice(stack, &["init"]))?;
        let plan = output(&mut store.deploy(stack, case, "results", &["--dry-run", "--json"]))?;
        output(&mut store.deploy(stack, case, "results", &[]))?;
        let ports = free_ports(case.operators as usize + 2)?;
        let listen: Vec<SocketAddr> =
            ports.iter().map(|&port| ([127, 0, 0, 1], port).into()).collect();
        let (replica, edges) = listen.split_first().context("a port")?;
        let serve = format!("serve = [\"{}/1..{}\"]", case.key(), case.operators);
        let brokers = stack.state().brokers.clone();
        start(stack, &store, "replica", &format!("[replica]\n{serve}\n"), &brokers, *replica)?;
        let mut devices = Vec::new();
        for (cut, listen) in edges.iter().enumerate() {
            let name = format!("cut-{cut}");
            let key = format!("{}/{name}", case.key());
            let number = cut.to_string();
            let join = ["device", "join", &key, "--partition", &number, "--source", "replay"];
            output(&mut store.sluice(stack, &join))?;
            let brokers = stack.state().devices[cut].brokers.clone();
            let folder = stack.state().dir.join(&name);
            let text = format!(
                "[device]\nid = \"{name}\"\ndata_dir = \"{}\"\n[[sources]]\nname = \"replay\"\nkind = \"replay\"\n\
                 rate = {RATE}\nfile = \"{}\"\n",
                folder.display(),
                file.display()
            );
            start(stack, &store, &format!("edge-{name}"), &text, &brokers, *listen)?;
            let service = stack.state().service(&format!("edge-{name}"));
            devices.push((*listen, service.context("it was started")?.process));
        }
        let operators = operators(&serde_json::from_str(&plan)?);
        Ok(Bench { stack, store, key: case.key(), devices, operators })
    }

    /// Looks at a device that plays, and sends it its way until it takes it: that is refused until the job's files are there.
    fn look(&self, cut: usize, warm: u64, watched: &mut Watched) -> Result<()> {
        let (http, process) = self.devices[cut];
        // One that starts does not answer yet.
        let Ok(samples) = Samples::read(http) else { return Ok(()) };
        let number = cut.to_string();
        let events = samples.labelled("sluice_edge_dispatched_events_total", "cut", &number);
        if events == 0.0 {
            let key = format!("{}/cut-{cut}", self.key);
            return output(&mut self.store.sluice(self.stack, &["route", &key, "--cut", &number]))
                .map(|_| ());
        }
        let now = Cost {
            events,
            up_bytes: self.stack.wan()?.delivered_bytes(&format!("cut-{cut}"))?.0 as f64,
            cpu_s: process.cpu_s().context("an agent has ended")?,
        };
        let is_done = samples.sum("sluice_edge_source_done") > 0.0
            && samples.sum("sluice_edge_backlog_events") == 0.0;
        if watched.begin.is_none() && samples.sum("sluice_edge_acked_seq") > warm as f64 {
            watched.begin = Some(now);
        }
        if watched.end.is_none() && is_done {
            watched.end = Some(now);
        }
        Ok(())
    }
}

/// The counters of a device once it is warm, and when it is done.
#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    begin: Option<Cost>,
    end: Option<Cost>,
}

impl Watched {
    fn cost(&self) -> Option<Cost> {
        Some(self.end?.since(&self.begin?))
    }
}

/// Starts an agent or a replica by the first sections of its configuration.
fn start(
    stack: &mut Stack,
    store: &Store,
    name: &str,
    sections: &str,
    brokers: &str,
    listen: SocketAddr,
) -> Result<()> {
    let text = format!(
        "{sections}[kafka]\n\"bootstrap.servers\" = \"{brokers}\"\n[http]\nlisten = \"{listen}\"\n{}",
        store.settings(&stack.state().dir.join(format!("of-{name}")))
    );
    let config = stack.state().dir.join(format!("{name}.toml"));
    fs::write(&config, text)?;
    let program = if name == "replica" { "sluice-replica" } else { "sluice-edge" };
    stack.spawn(name, Command::new(cargo::program(program)).arg("--config").arg(config))?;
    Ok(())
}

/// The operators of a plan's only input, each with its engine.
fn operators(plan: &Value) -> Vec<(String, String)> {
    let operators = plan["inputs"][0]["operators"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    operators.map(|operator| (text(&operator["name"]), text(&operator["engine"]))).collect()
}

/// The lines that every device plays.
fn write_lines(case: &Case, data: Option<&Path>, lines: u64, dir: &Path) -> Result<PathBuf> {
    let mut text: Vec<u8> = Vec::new();
    match data {
        Some(data) => {
            let dealt = data::deal(case.query, data, &dir.join("data"), 1)?;
            let all = fs::read(&dealt.files[0])?;
            // Without the line that closes windows.
            let rows: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
            let rows = rows.split_last().map(|(_, rows)| rows).unwrap_or_default();
            ensure!(!rows.is_empty(), "{}: no lines", data.display());
            rows.iter().cycle().take(lines as usize).for_each(|row| text.extend_from_slice(row));
        }
        None => {
            let mut generator = case.query.generator(SEED, 1);
            for _ in 0..lines {
                generator.next_line(&mut text);
                text.push(b'\n');
            }
        }
    }
    let file = dir.join("lines.csv");
    fs::write(&file, text)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn costs_are_of_what_was_counted_between() {
        let cost = |events, up_bytes, cpu_s| Cost { events, up_bytes, cpu_s };
        let between = cost(3_000.0, 50_000.0, 0.5).since(&cost(1_000.0, 10_000.0, 0.4));
        assert_eq!((between.events, between.bytes_per_event()), (2_000.0, 20.0));
        assert_eq!(between.cpu_us_per_event().round(), 50.0);
    }

    #[test]
    fn operators_are_those_of_the_plan() {
        let plan = json!({"inputs": [{"operators": [{"name": "parse", "engine": "jvm"}]}]});
        assert_eq!(operators(&plan), [("parse".to_owned(), "jvm".to_owned())]);
    }
}
