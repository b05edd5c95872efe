//! A new version of a query takes over on a running device: what was accepted before drains through the old one's topics.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use sluice_e2e::{World, copy_plan, eventually, metric};
use sluice_kafka::{Properties, Start, read_to_end};

const DEVICE: &str = "pi-1";
const EVENTS: i64 = 30_000;

#[test]
fn a_new_version_takes_over_while_events_flow() {
    let mut world = World::up("upgrade", &[DEVICE]).unwrap();
    world.deploy_plan(&plan(&world, 1).unwrap()).unwrap();
    world.join(DEVICE, 0).unwrap();
    let source = format!("generator = \"q1\"\nrate = 1500\ncount = {EVENTS}");
    let edge = world.start_edge(DEVICE, &source).unwrap();
    world.start_replica("1..3").unwrap();
    world.run(&["route", "q1/readings/pi-1", "--shares", "0:500,2:500"]).unwrap();
    eventually("events flow", || Ok(metric(edge, "sluice_edge_acked_seq", "")? > 2_000.0)).unwrap();

    // The spool fills with events of the old version.
    world.stack.wan().unwrap().ask(&format!("rate {DEVICE} 4000 unlimited")).unwrap();
    eventually("a backlog", || Ok(metric(edge, "sluice_edge_backlog_events", "")? > 3_000.0))
        .unwrap();
    world.run(&["deploy", "--plan", plan(&world, 2).unwrap().to_str().unwrap()]).unwrap();
    eventually("both versions run", || Ok(ready(&world)? == [1, 2])).unwrap();
    // Whoever starts now must find the old version too.
    world.stack.restart("edge-pi-1").unwrap();
    world.stack.restart("replica").unwrap();
    eventually("both versions run again", || Ok(ready(&world)? == [1, 2])).unwrap();
    world.stack.wan().unwrap().ask(&format!("rate {DEVICE} unlimited")).unwrap();
    eventually("the old version is drained", || Ok(ready(&world)? == [2])).unwrap();
    eventually("the source is done", || done(edge)).unwrap();
    eventually("every event is in the topics of one version", || {
        every_event_is_in_one_version(&world)
    })
    .unwrap();
    let audit = world.audit(30).unwrap();
    assert_eq!(audit["verdict"], "pass", "{audit:#}");
    let dispatched = &audit["inputs"][0][1]["devices"][DEVICE]["dispatched"];
    assert_eq!(*dispatched, EVENTS, "the audit is of both versions: {audit:#}");

    a_version_that_can_not_run_is_not_followed(&world, edge).unwrap();
}

/// The plan of q1 with another version.
fn plan(world: &World, version: i64) -> Result<PathBuf> {
    copy_plan(world, &format!("plan-{version}"), |plan| plan["version"] = version.into())
}

/// The versions that run on the device.
fn ready(world: &World) -> Result<Vec<i64>> {
    let status = world.status(DEVICE)?;
    let ready = status["ready"].as_array().context("no status yet")?;
    Ok(ready.iter().filter_map(|ready| ready["version"].as_i64()).collect())
}

fn done(edge: SocketAddr) -> Result<bool> {
    let is_done = metric(edge, "sluice_edge_source_done", "")? > 0.0;
    Ok(is_done && metric(edge, "sluice_edge_backlog_events", "")? == 0.0)
}

fn every_event_is_in_one_version(world: &World) -> Result<bool> {
    let (old, new) = (numbered(world, 1)?, numbered(world, 2)?);
    ensure!(old.keys().all(|incarnation| !new.contains_key(incarnation)), "{old:?} {new:?}");
    ensure!(!old.is_empty() && !new.is_empty(), "{old:?} {new:?}");
    let sum = |events: &BTreeMap<i64, i64>| events.values().sum::<i64>();
    ensure!(sum(&old) + sum(&new) == EVENTS, "{old:?} and {new:?} are not {EVENTS}");
    Ok(true)
}

/// By incarnation, how many events `out` of a version holds; none may be missing in between.
fn numbered(world: &World, version: i32) -> Result<BTreeMap<i64, i64>> {
    let brokers = world.stack.state().brokers.clone();
    let properties = Properties::from([("bootstrap.servers".to_owned(), brokers)]);
    let mut ranges: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    read_to_end(
        &properties,
        &format!("q1.{version}.readings.out"),
        &Start::Beginning,
        |message| {
            let number = |name: &str| {
                let header = message.headers.iter().find(|(header, _)| header == name)?;
                header.1.parse::<i64>().ok()
            };
            if let (Some(incarnation), Some(first), Some(last)) =
                (number("incarnation"), number("first"), number("last"))
                && first <= last
            {
                ranges.entry(incarnation).or_default().push((first, last));
            }
        },
    )?;
    let mut events = BTreeMap::new();
    for (incarnation, mut ranges) in ranges {
        ranges.sort_unstable();
        let mut next = 0;
        for (first, last) in ranges {
            ensure!(
                first <= next,
                "version {version}, incarnation {incarnation}: {next} is missing"
            );
            next = next.max(last + 1);
        }
        events.insert(incarnation, next);
    }
    Ok(events)
}

fn a_version_that_can_not_run_is_not_followed(world: &World, edge: SocketAddr) -> Result<()> {
    let fewer = copy_plan(world, "plan-3", |plan| {
        plan["version"] = 3.into();
        plan["inputs"][0]["name"] = "others".into();
    })?;
    world.run(&["deploy", "--plan", fewer.to_str().context("a path in UTF-8")?])?;
    eventually("the status says why", || {
        let status = world.status(DEVICE)?;
        Ok(status["note"].as_str().is_some_and(|note| note.contains("version 3 is not followed")))
    })?;
    ensure!(ready(world)? == [2], "the version before goes on");
    ensure!(xtask::http::get(edge, "/ready")?.status == 200, "it is ready");
    let row: Value = world.status(DEVICE)?;
    ensure!(row["spool_bytes"].is_number(), "{row}");
    Ok(())
}
