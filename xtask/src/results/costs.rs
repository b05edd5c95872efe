//! What a cut costs a device: one device for each cut, all with the same lines at the same time, each on a link of its own.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::case::Case;
use crate::demo::data;
use crate::demo::metrics::Samples;
use crate::job::Store;
use crate::process::{Identity, output, wait_until};
use crate::stack::{self, Stack, free_ports};
use crate::{cargo, http};

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
    let mut bench = Bench::start(&mut stack, case, &file)?;
    let warm = lines / WARM_UP_SHARE;
    let timeout = Duration::from_secs(lines / RATE) + PATIENCE;
    bench.wait("the warm-up", timeout, |device, cut| {
        let left = device.labelled("sluice_edge_dispatched_events_total", "cut", cut);
        Ok(left > 0.0 && device.sum("sluice_edge_acked_seq") > warm as f64)
    })?;
    let before = bench.look()?;
    bench.wait("the last line", timeout, |device, _| {
        let is_done = device.sum("sluice_edge_source_done") > 0.0;
        Ok(is_done && device.sum("sluice_edge_backlog_events") == 0.0)
    })?;
    let cuts: Vec<Cost> =
        bench.look()?.iter().zip(&before).map(|(now, before)| now.since(before)).collect();
    for (cut, cost) in cuts.iter().enumerate() {
        ensure!(cost.events * 2.0 > lines as f64, "only {} events left at cut {cut}", cost.events);
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
            stack.await_answer(&format!("edge-{name}"), || {
                Ok(http::get(*listen, "/ready")?.status == 200)
            })?;
            // Refused until the job's files are on the device.
            stack.await_answer(&format!("edge-{name}"), || {
                output(&mut store.sluice(stack, &["route", &key, "--cut", &number]))?;
                let samples = Samples::read(*listen)?;
                Ok(samples.labelled("sluice_edge_dispatched_events_total", "cut", &number) > 0.0)
            })?;
        }
        Ok(Bench { stack, devices, operators: operators(&serde_json::from_str(&plan)?) })
    }

    fn wait(
        &self,
        what: &str,
        timeout: Duration,
        is_there: impl Fn(&Samples, &str) -> Result<bool>,
    ) -> Result<()> {
        wait_until(what, timeout, || {
            for (cut, (http, _)) in self.devices.iter().enumerate() {
                if !is_there(&Samples::read(*http)?, &cut.to_string())? {
                    return Ok(false);
                }
            }
            match self.stack.ended() {
                Some(name) => anyhow::bail!("{name} has ended:\n{}", self.stack.log_tail(name)),
                None => Ok(true),
            }
        })
    }

    /// The counters of all devices.
    fn look(&mut self) -> Result<Vec<Cost>> {
        let mut wan = self.stack.wan()?;
        let mut found = Vec::new();
        for (cut, (http, process)) in self.devices.iter().enumerate() {
            let samples = Samples::read(*http)?;
            let cut_label = cut.to_string();
            found.push(Cost {
                events: samples.labelled("sluice_edge_dispatched_events_total", "cut", &cut_label),
                up_bytes: wan.delivered_bytes(&format!("cut-{cut}"))?.0 as f64,
                cpu_s: process.cpu_s().context("an agent has ended")?,
            });
        }
        Ok(found)
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
