//! Bad input and missing services: one clear message each, and the flow goes on.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use sluice_e2e::{INPUT, World, all_of, eventually, free_address, metric};
use sluice_wan::Relay;
use xtask::{cargo, http};

const DEVICE: &str = "pi-1";
const SOURCE: &str = "generator = \"q1\"\nrate = 500";

#[test]
fn every_bad_input_has_a_clear_answer() {
    let mut world = World::up("bad-input", &[DEVICE]).unwrap();
    a_bad_config_names_every_problem(&world).unwrap();
    an_unreachable_broker_is_named(&world).unwrap();
    an_unreachable_advertised_address_is_told_from_that(&world).unwrap();
    missing_topics_say_what_creates_them(&world).unwrap();
    let edge = world.deploy(DEVICE).and_then(|()| world.start_edge(DEVICE, SOURCE)).unwrap();
    let replica = world.start_replica("1..3").unwrap();
    let ready = |address| Ok(http::get(address, "/ready")?.status == 200);
    eventually("the edge is ready", || ready(edge)).unwrap();
    eventually("the replica is ready", || ready(replica)).unwrap();
    bad_commands_are_refused_with_a_reason(&world).unwrap();
    garbage_in_a_stage_is_counted_and_copied(&world, replica).unwrap();
    a_wrong_schema_id_stops_the_replica(&world, replica).unwrap();
}

fn a_bad_config_names_every_problem(world: &World) -> Result<()> {
    let config =
        world.write("bad.toml", "[device]\nid = \"Pi 1\"\n[http]\nlisten = \"here\"\nodd = 1\n")?;
    for (program, problems) in [
        (
            "sluice-edge",
            &["device.id", "device.data_dir: missing", "http.listen", "http.odd: unknown"][..],
        ),
        ("sluice-replica", &["http.listen", "http.odd: unknown", "device: unknown section"][..]),
    ] {
        let output = Command::new(cargo::program(program)).arg("--config").arg(&config).output()?;
        let said = all_of(&output);
        ensure!(output.status.code() == Some(64), "{program}: {said}");
        for problem in problems {
            ensure!(said.contains(problem), "{program} does not say `{problem}`: {said}");
        }
    }
    Ok(())
}

fn an_unreachable_broker_is_named(world: &World) -> Result<()> {
    let nobody = free_address()?.to_string();
    let output = world.sluice(&["ping", "--brokers", &nobody]).output()?;
    let said = all_of(&output);
    ensure!(output.status.code() == Some(69), "{said}");
    ensure!(said.contains("bootstrap.servers") && said.contains(&nobody), "{said}");
    Ok(())
}

/// The bootstrap address answers, the address that it advertises does not.
fn an_unreachable_advertised_address_is_told_from_that(world: &World) -> Result<()> {
    let state = world.stack.state();
    let (advertised, listener) = (&state.devices[0].brokers, &state.devices[0].listener);
    let bootstrap = Relay::start("127.0.0.1:0".parse()?, listener)?;
    world.stack.wan()?.ask(&format!("cut {DEVICE}"))?;
    let output = world.sluice(&["ping", "--brokers", &bootstrap.address().to_string()]).output()?;
    world.stack.wan()?.ask(&format!("restore {DEVICE}"))?;
    let said = all_of(&output);
    ensure!(output.status.code() == Some(69), "{said}");
    ensure!(said.contains("advertises") && said.contains(advertised), "{said}");
    Ok(())
}

fn missing_topics_say_what_creates_them(world: &World) -> Result<()> {
    let key = format!("{INPUT}/{DEVICE}");
    let output = world
        .sluice(&["device", "join", &key, "--partition", "0", "--source", "replay"])
        .output()?;
    let said = all_of(&output);
    ensure!(!output.status.success() && said.contains("sluice init"), "{said}");
    Ok(())
}

fn bad_commands_are_refused_with_a_reason(world: &World) -> Result<()> {
    let key = format!("{INPUT}/{DEVICE}/manual");
    world.produce("sluice.control", 0, &key, br#"{"cut":2}"#)?;
    eventually("the good command is in force", || Ok(cut_in_force(world)? == 2))?;
    for (value, code) in [
        (&br#"{"cut":9}"#[..], "illegal_plan"),
        (br#"{"ct":1}"#, "malformed"),
        (br#"{"cut":1,"expires_at":1}"#, "expired"),
        (br#"{"cut":1,"if_epoch":0}"#, "stale"),
        (br#"{"cut":1,"mode":"auto"}"#, "wrong_key"),
        (b"\x00\x00\x00\x00\x09garbage", "malformed"),
    ] {
        world.produce("sluice.control", 0, &key, value)?;
        eventually(code, || Ok(world.status(DEVICE)?["refusal"]["code"] == *code))?;
        ensure!(cut_in_force(world)? == 2, "{code} changed the plan");
    }
    world.produce("sluice.control", 0, &key, br#"{"cut":0}"#)?;
    eventually("a good command still works", || Ok(cut_in_force(world)? == 0))
}

fn cut_in_force(world: &World) -> Result<i64> {
    Ok(world.status(DEVICE)?["plan"]["shares"][0]["cut"].as_i64().unwrap_or(-1))
}

fn garbage_in_a_stage_is_counted_and_copied(
    world: &World,
    replica: std::net::SocketAddr,
) -> Result<()> {
    let frames = metric(replica, "sluice_replica_frames_total", "stage=\"1\"")?;
    world.produce("q1.1.readings.stage.1", 0, DEVICE, b"no frame at all")?;
    eventually("the garbage is counted", || {
        Ok(metric(replica, "sluice_replica_garbage_total", "")? >= 1.0)
    })?;
    eventually("the garbage is copied", || {
        Ok(world
            .run(&["tail", "q1.dead", "--from", "beginning", "--count", "1"])?
            .contains("stage.1"))
    })?;
    eventually("frames go on", || {
        Ok(metric(replica, "sluice_replica_frames_total", "stage=\"1\"")? > frames + 10.0)
    })
}

/// Comes last: the replica does not go on.
fn a_wrong_schema_id_stops_the_replica(world: &World, replica: std::net::SocketAddr) -> Result<()> {
    let brokers = world.stack.state().brokers.clone();
    let properties = [("bootstrap.servers".to_owned(), brokers)].into();
    let producer = sluice_kafka::FrameProducer::new(&properties, "e2e")?;
    let headers = [("device", DEVICE), ("incarnation", "1"), ("first", "0"), ("last", "0")];
    let record = sluice_kafka::Record {
        topic: "q1.1.readings.stage.1",
        partition: 0,
        key: DEVICE,
        headers: &headers,
        payload: b"\x00\x00\x0f\x42\x40and a body",
    };
    producer.send(record, 0)?;
    ensure!(producer.flush(Duration::from_secs(30)), "the message is not acknowledged");
    eventually("the replica stops with an alarm", || {
        Ok(metric(replica, "sluice_replica_stopped", "stage.1")? >= 1.0)
    })?;
    let ready = http::get(replica, "/ready")?;
    ensure!(
        ready.status == 503 && ready.body.contains("schema id"),
        "{}: {}",
        ready.status,
        ready.body
    );
    Ok(())
}
