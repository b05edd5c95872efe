//! Faults on the real stack: kills, cut links, twins, a lost spool, a device that leaves, one that is silent.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use sluice_e2e::{INPUT, World, eventually, metric};
use xtask::demo::{self, KillOptions, Options, Victim};
use xtask::{http, paths};

const DEVICES: [&str; 3] = ["pi-1", "pi-2", "pi-3"];
/// A source without end.
const SOURCE: &str = "generator = \"q1\"\nrate = 500";
const CUTS: i64 = 4;

fn is_long() -> bool {
    std::env::var_os("SLUICE_LONG").is_some()
}

#[test]
fn kills_lose_and_double_nothing() {
    play_with_kills("kills", 20, Duration::from_secs(5), false);
}

/// Nobody is left who could help the others up.
#[test]
fn kills_of_all_at_once_lose_and_double_nothing() {
    // Long enough for switches between and after.
    play_with_kills("all-at-once", 50, Duration::from_secs(20), true);
}

fn play_with_kills(name: &str, seconds: u32, every: Duration, together: bool) {
    let dir = std::env::temp_dir().join(format!("sluice-e2e-{name}-{}", std::process::id()));
    let seconds = if is_long() { 90 } else { seconds };
    let victims = vec![Victim::Edge, Victim::Replica, Victim::Residual, Victim::Broker];
    let kills = Some(KillOptions { every, victims, together });
    let options = Options { seconds, dir, kills, ..Options::default() };
    let verdict = demo::run(&options, &mut |line| println!("{line}")).unwrap();
    println!("{verdict}");
    assert!(verdict.is_pass(), "{verdict}");
}

#[test]
fn devices_survive_what_happens_to_them() {
    let mut world = World::up("faults", &DEVICES).unwrap();
    world.deploy_plan(&paths::root().join("tests/plans/q1/plan.json")).unwrap();
    let edges = start(&mut world).unwrap();
    let seconds = if is_long() { 30 } else { 10 };
    let began = Instant::now();
    let done = |what: &str| println!("{:>4.0} s: {what}", began.elapsed().as_secs_f64());
    a_cut_link_holds_nobody_else(&world, &edges, Duration::from_secs(seconds)).unwrap();
    done("a cut link");
    of_twins_the_older_stops(&mut world, edges[0]).unwrap();
    done("twins");
    a_lost_spool_begins_anew(&mut world, edges[1]).unwrap();
    done("a lost spool");
    a_device_leaves_and_comes_back_elsewhere(&world, edges[2]).unwrap();
    done("a leave");
}

/// A replica of everything, and an edge for each device.
fn start(world: &mut World) -> Result<Vec<SocketAddr>> {
    let replica = world.start_replica("1..3")?;
    let mut edges = Vec::new();
    for (device, partition) in DEVICES.into_iter().zip(0..) {
        world.join(device, partition)?;
        let source = format!("{SOURCE}\ngenerator_device = {partition}");
        edges.push(world.start_edge(device, &source)?);
    }
    for address in edges.iter().chain([&replica]) {
        eventually("all are ready", || Ok(http::get(*address, "/ready")?.status == 200))?;
    }
    Ok(edges)
}

fn acked(edge: SocketAddr) -> Result<f64> {
    metric(edge, "sluice_edge_acked_seq", "")
}

fn incarnation(world: &World, device: &str) -> Result<i64> {
    world.status(device)?["incarnation"].as_i64().context("no incarnation yet")
}

fn books<'a>(audit: &'a Value, device: &str) -> &'a Value {
    &audit["inputs"][0][1]["devices"][device]
}

/// Every event that was acknowledged is accounted for. All devices send to `out` for that: what is on its way through
/// stages is not lost either, but looks like it.
fn everything_is_accounted_for(world: &World) -> Result<Value> {
    world.route("*", CUTS - 1)?;
    let audit = world.audit(60)?;
    ensure!(audit["verdict"] == "pass" && audit["lost"] == 0, "{audit:#}");
    Ok(audit)
}

fn a_cut_link_holds_nobody_else(world: &World, edges: &[SocketAddr], time: Duration) -> Result<()> {
    eventually("all devices send", || Ok(acked(edges[0])? > 0.0 && acked(edges[2])? > 0.0))?;
    let before = world.audit(0)?;
    world.link("cut", DEVICES[0])?;
    let (began, mut held, mut rounds) = (Instant::now(), None, 0);
    while began.elapsed() < time {
        let cut = format!("{{\"cut\":{}}}", rounds % CUTS);
        for (device, edge) in DEVICES.into_iter().zip(edges) {
            let acked_before = acked(*edge)?;
            let key = format!("{INPUT}/{device}/manual");
            world.produce("sluice.control", 0, &key, cut.as_bytes())?;
            if device != DEVICES[0] {
                eventually("the others go on", || Ok(acked(*edge)? > acked_before + 100.0))?;
            }
        }
        rounds += 1;
        // By the second round nothing is on its way any more.
        if rounds == 2 {
            held = Some(acked(edges[0])?);
        }
    }
    ensure!(held == Some(acked(edges[0])?), "something got through a link that is cut");
    let accepted = metric(edges[0], "sluice_edge_next_seq", "")?;
    ensure!(accepted > 500.0 * 0.5 * time.as_secs_f64(), "only {accepted} events were accepted");
    world.link("restore", DEVICES[0])?;
    eventually("the spool drains", || Ok(acked(edges[0])? > accepted))?;
    let after = everything_is_accounted_for(world)?;
    for device in DEVICES {
        let dispatched = |audit| books(audit, device)["dispatched"].as_i64().unwrap_or_default();
        ensure!(dispatched(&after) > dispatched(&before), "nothing of {device} came to out");
    }
    Ok(())
}

fn of_twins_the_older_stops(world: &mut World, older: SocketAddr) -> Result<()> {
    let device = DEVICES[0];
    let first = incarnation(world, device)?;
    world.start_edge_as("twin", device, SOURCE)?;
    let why = |text: &str| text.contains("lives elsewhere") && text.contains("spool is kept");
    eventually("the older twin says why it stops", || {
        let ready = http::get(older, "/ready")?;
        Ok(ready.status == 503 && why(&ready.body))
    })?;
    ensure!(why(&world.stack.log_tail("edge-pi-1")), "nothing in the log");
    eventually("the younger is in the status", || Ok(incarnation(world, device)? > first))?;
    let audit = everything_is_accounted_for(world)?;
    ensure!(books(&audit, device)["incarnations"] == 2, "{audit:#}");
    world.stack.kill("edge-pi-1")
}

fn a_lost_spool_begins_anew(world: &mut World, edge: SocketAddr) -> Result<()> {
    let device = DEVICES[1];
    let first = incarnation(world, device)?;
    let acked_before = acked(edge)?;
    world.stack.kill("edge-pi-2")?;
    world.lose_data(device)?;
    world.stack.restart("edge-pi-2")?;
    eventually("a new incarnation sends", || {
        Ok(incarnation(world, device)? > first && acked(edge)? > 0.0)
    })?;
    let cut = &world.status(device)?["plan"]["shares"][0]["cut"];
    ensure!(*cut == CUTS - 1, "the plan in force is not known any more: cut {cut}");
    let audit = everything_is_accounted_for(world)?;
    let books = books(&audit, device);
    ensure!(books["incarnations"] == 2, "{audit:#}");
    ensure!(books["dispatched"].as_f64() > Some(acked_before), "{audit:#}");
    Ok(())
}

fn a_device_leaves_and_comes_back_elsewhere(world: &World, edge: SocketAddr) -> Result<()> {
    let device = DEVICES[2];
    let first = incarnation(world, device)?;
    ensure!(world.join(device, 7).is_err(), "a device that has not left may not move");
    world.run(&["device", "leave", &format!("{INPUT}/{device}")])?;
    eventually("the device has left", || {
        let status = world.status(device)?;
        let is_drained = status["acked_seq"].as_i64() == status["next_seq"].as_i64().map(|n| n - 1);
        Ok(is_drained && status["note"].as_str().is_some_and(|note| note.contains("has left")))
    })?;
    let spool = world.stack.state().dir.join(device).join("q1/readings/spool");
    eventually("its spool is gone", || Ok(!spool.exists()))?;
    ensure!(http::get(edge, "/ready")?.status == 200, "an agent without inputs is ready too");
    everything_is_accounted_for(world)?;
    world.join(device, 7)?;
    eventually("it sends again", || Ok(incarnation(world, device)? > first && acked(edge)? > 0.0))?;
    let audit = everything_is_accounted_for(world)?;
    ensure!(books(&audit, device)["incarnations"] == 2, "{audit:#}");
    Ok(())
}

/// Only at full length: it waits for limits.
#[test]
fn a_silent_device_holds_time_for_a_while_only() {
    if !is_long() {
        return;
    }
    let mut world = World::up("silent", &DEVICES).unwrap();
    world.deploy_job(impatient).unwrap();
    // Before the devices, so that it never has to catch up: weeks would pass in a moment, and nobody be late.
    let residual = world.start_residual().unwrap();
    let edges = start(&mut world).unwrap();
    let watermark_ms = || residual.emitted_watermark_ms()?.context("no watermark yet");
    eventually("windows go on", || watermark_ms().map(|_| true)).unwrap();

    world.stack.kill("edge-pi-3").unwrap();
    let acked_before = acked(edges[0]).unwrap();
    let at_kill = watermark_ms().unwrap();
    // Far enough for the silent device to be behind by more than the bound of two days.
    let weeks = |ms: i64| ms / (7 * 86_400_000);
    eventually("windows go on without it", || Ok(weeks(watermark_ms()?) > weeks(at_kill) + 1))
        .unwrap();
    assert!(acked(edges[0]).unwrap() > acked_before);

    world.stack.restart("edge-pi-3").unwrap();
    eventually("its late events are counted and copied", || {
        Ok(world.audit(0)?["late"].as_u64() > Some(0))
    })
    .unwrap();
    let shown = world.run(&["tail", "q1.late", "--from", "beginning", "--count", "1"]).unwrap();
    assert!(shown.contains(DEVICES[2]), "{shown}");
    eventually("it sends again", || Ok(acked(edges[2])? > 0.0)).unwrap();
}

/// Sets limits of a few seconds.
fn impatient(plan: &mut Value) {
    let limits =
        [("idle_after_ms", 3_000), ("hole_limit_ms", 10_000), ("hole_limit_silent_ms", 5_000)];
    for (name, ms) in limits {
        plan["inputs"][0][name] = ms.into();
    }
}
