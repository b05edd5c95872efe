//! Devices that have fallen behind: how they catch up.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use sluice_e2e::{World, eventually, metric};
use xtask::http;
use xtask::process::wait_until;

const DEVICE: &str = "pi-1";
/// Of the link from device to cloud, bytes a second.
const LINK: u64 = 250_000;
const EVENTS_PER_S: u32 = 1_000;
const SPOOL_BYTES: u64 = 2 << 30;
const LIMIT_MIB: u64 = 256;

#[test]
fn a_backlog_drains_as_fast_as_the_link_carries() {
    let mut world = World::up("backlog", &[DEVICE]).unwrap();
    world.deploy(DEVICE).unwrap();
    world.stack.wan().unwrap().ask(&format!("rate {DEVICE} {LINK} {LINK}")).unwrap();
    world.stack.wan().unwrap().ask(&format!("delay {DEVICE} 60")).unwrap();
    let source = format!("generator = \"q1\"\nrate = {EVENTS_PER_S}");
    let edge = world.start_edge(DEVICE, &source).unwrap();
    eventually("it is ready", || Ok(http::get(edge, "/ready")?.status == 200)).unwrap();
    eventually("events flow", || Ok(metric(edge, "sluice_edge_acked_seq", "")? > 2_000.0)).unwrap();
    world.link("cut", DEVICE).unwrap();
    let backlog = || metric(edge, "sluice_edge_backlog_events", "");
    eventually("a backlog", || Ok(backlog()? > 20.0 * f64::from(EVENTS_PER_S))).unwrap();
    world.link("restore", DEVICE).unwrap();
    let used = drain(&world, backlog).unwrap();
    println!("{:.0} % of the link while the backlog drained", used * 100.0);
    // A busy machine acknowledges late by chance, which looks like a queue.
    assert!(used >= 0.6, "only {used:.2}");
}

/// Only at full length: it fills a disk.
#[test]
fn a_large_spool_is_drained_at_once_in_little_memory() {
    if std::env::var_os("SLUICE_LONG").is_none() {
        return;
    }
    let mut world = World::up("large-spool", &[DEVICE]).unwrap();
    world.deploy(DEVICE).unwrap();
    let source = format!(
        "generator = \"q1\"\nrate = 0\n[spool]\nmax_bytes = {}\nmin_sync_interval_ms = 200",
        SPOOL_BYTES + (64 << 20)
    );
    let edge = world.start_edge(DEVICE, &source).unwrap();
    eventually("events flow", || Ok(metric(edge, "sluice_edge_acked_seq", "")? > 0.0)).unwrap();
    world.link("cut", DEVICE).unwrap();
    let held = || metric(edge, "sluice_edge_spool_bytes", "");
    wait_until("the spool is full", Duration::from_secs(600), || {
        Ok(held().unwrap_or_default() >= SPOOL_BYTES as f64)
    })
    .unwrap();
    world.stack.kill("edge-pi-1").unwrap();
    world.link("restore", DEVICE).unwrap();

    let memory = Memory::limited(&format!("sluice-e2e-{}", std::process::id())).unwrap();
    let began = Instant::now();
    let process = world.stack.restart("edge-pi-1").unwrap();
    memory.take(process.pid).unwrap();
    let dispatched = || metric(edge, "sluice_edge_dispatched_events_total", "");
    eventually("the first frame", || Ok(dispatched()? > 0.0)).unwrap();
    let first_frame = began.elapsed();
    // The replayed incarnation is not the live one: what leaves counts.
    let acked_events = || metric(edge, "sluice_edge_dispatched_events_total", "");
    let at_first = acked_events().unwrap();
    eventually("a million events", || Ok(acked_events()? - at_first > 1e6)).unwrap();
    let resident_mib = process.resident_bytes().unwrap_or_default() >> 20;
    let (most_mib, refusals) = memory.most_mib_and_failures().unwrap();
    println!(
        "first frame after {:.1} s; resident {resident_mib} MiB, with the page cache at most {most_mib} MiB \
         of {LIMIT_MIB} ({refusals} times at the limit); a million events after {:.1} s",
        first_frame.as_secs_f64(),
        began.elapsed().as_secs_f64()
    );
    assert!(process.is_alive(), "it ran out of memory");
    assert!(first_frame < Duration::from_secs(10), "{first_frame:?}");
    assert!(resident_mib < LIMIT_MIB, "{resident_mib} MiB resident");
}

/// A limit of the kernel on the memory of processes, the page cache of what they read and write included.
struct Memory(PathBuf);

impl Memory {
    fn limited(name: &str) -> Result<Memory> {
        let unified = Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
        let root = if unified { "/sys/fs/cgroup" } else { "/sys/fs/cgroup/memory" };
        let memory = Memory(Path::new(root).join(name));
        fs::create_dir(&memory.0).context("a memory limit needs root and cgroups")?;
        let file = if unified { "memory.max" } else { "memory.limit_in_bytes" };
        fs::write(memory.0.join(file), (LIMIT_MIB << 20).to_string())?;
        Ok(memory)
    }

    fn take(&self, pid: u32) -> Result<()> {
        Ok(fs::write(self.0.join("cgroup.procs"), pid.to_string())?)
    }

    /// The most memory that was used at once, and how often the kernel had to take pages back.
    fn most_mib_and_failures(&self) -> Result<(u64, u64)> {
        let number = |file: &str| -> Option<u64> {
            fs::read_to_string(self.0.join(file)).ok()?.trim().parse().ok()
        };
        let most = number("memory.max_usage_in_bytes").or_else(|| number("memory.peak"));
        Ok((most.context("no figures of memory")? >> 20, number("memory.failcnt").unwrap_or(0)))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Processes that still live go back to where they came from.
        let root = self.0.parent().map(|root| root.join("cgroup.procs"));
        let pids = fs::read_to_string(self.0.join("cgroup.procs")).unwrap_or_default();
        for pid in pids.lines() {
            let _ = root.as_ref().map(|root| fs::write(root, pid));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

/// The share of the link that was used from the third second of the drain on, while there was a backlog.
fn drain(world: &World, backlog: impl Fn() -> Result<f64>) -> Result<f64> {
    let mut wan = world.stack.wan()?;
    let (began, mut last) = (Instant::now(), (Instant::now(), wan.delivered_bytes(DEVICE)?.0));
    let mut shares: Vec<f64> = Vec::new();
    loop {
        wait_until("the next second", Duration::from_secs(5), || {
            Ok(last.0.elapsed() >= Duration::from_secs(1))
        })?;
        let now = (Instant::now(), wan.delivered_bytes(DEVICE)?.0);
        let share = (now.1 - last.1) as f64 / (now.0 - last.0).as_secs_f64() / LINK as f64;
        last = now;
        let left = backlog()?;
        println!("{:>4.0} s: {share:.2}, {left} events left", began.elapsed().as_secs_f64());
        if left < f64::from(EVENTS_PER_S) {
            break;
        }
        shares.push(share);
    }
    let drained = shares.get(2..).unwrap_or_default();
    Ok(drained.iter().sum::<f64>() / drained.len().max(1) as f64)
}
