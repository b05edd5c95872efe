//! Routing commands where it gets difficult, on a control topic of three partitions.

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sluice_e2e::{INPUT, World, all_of, eventually, metric};
use sluice_kafka::{Properties, Start, read_to_end};
use xtask::{http, paths, process};

/// The devices with the partition of their frames and that of their commands.
const DEVICES: [(&str, i32, i32); 2] = [("pi-1", 0, 0), ("pi-2", 4, 1)];
const CONTROL: &str = "sluice.control";
const SOURCE: &str = "generator = \"q1\"\nrate = 200";
/// The low bits of an epoch are the offset of its command.
const OFFSET_BITS: u32 = 40;

#[test]
fn control_topics_may_do_what_they_like() {
    let names = DEVICES.map(|(device, ..)| device);
    let mut world = World::up("control", &names).unwrap();
    let edges = start(&mut world).unwrap();
    let began = Instant::now();
    let done = |what: &str| println!("{:>4.0} s: {what}", began.elapsed().as_secs_f64());
    every_device_reads_its_own_partition(&world).unwrap();
    a_command_in_another_partition_is_refused(&world).unwrap();
    done("partitions");
    of_two_issuers_one_is_stale(&world).unwrap();
    done("two issuers");
    repeated_commands_change_nothing(&mut world, edges[0]).unwrap();
    done("duplicates");
    expiry_is_judged_once_and_in_broker_time(&mut world).unwrap();
    done("expiry");
    compaction_may_leave_the_refused_command_alone(&mut world).unwrap();
    done("compaction");
    topics_that_were_made_again_have_a_new_generation(&mut world).unwrap();
    done("a new generation");
}

fn start(world: &mut World) -> Result<Vec<SocketAddr>> {
    world.run(&["init", "--control-partitions", "3"])?;
    // Without a number `init` takes what it finds.
    world.deploy_plan(&paths::root().join("tests/plans/q1/plan.json"))?;
    world.start_replica("1..3")?;
    let mut edges = Vec::new();
    for (device, partition, _) in DEVICES {
        world.join(device, partition)?;
        edges.push(world.start_edge(device, SOURCE)?);
    }
    for edge in &edges {
        eventually("all are ready", || Ok(http::get(*edge, "/ready")?.status == 200))?;
    }
    Ok(edges)
}

fn plan(world: &World, device: &str) -> Result<Value> {
    let plan = world.status(device)?["plan"].clone();
    ensure!(plan.is_object(), "{device} has no plan yet");
    Ok(plan)
}

fn cut(world: &World, device: &str) -> Result<i64> {
    plan(world, device)?["shares"][0]["cut"].as_i64().context("no cut")
}

fn epoch(world: &World, device: &str) -> Result<i64> {
    plan(world, device)?["epoch"].as_i64().context("no epoch")
}

fn await_cut(world: &World, device: &str, wanted: i64) -> Result<()> {
    eventually(&format!("{device} is at cut {wanted}"), || Ok(cut(world, device)? == wanted))
}

fn await_refusal(world: &World, device: &str, code: &str) -> Result<()> {
    eventually(code, || Ok(world.status(device)?["refusal"]["code"] == code))
}

/// A command of a person, as one would write it into a console producer.
fn say(world: &World, partition: i32, device: &str, command: &Value) -> Result<()> {
    let key = format!("{INPUT}/{device}/manual");
    world.produce(CONTROL, partition, &key, command.to_string().as_bytes())
}

/// The offsets that a partition of the control topic still has, with their keys and values.
fn rows(world: &World, partition: i32) -> Result<Vec<(i64, String, String)>> {
    let brokers = world.stack.state().brokers.clone();
    let properties = Properties::from([("bootstrap.servers".to_owned(), brokers)]);
    let mut rows = Vec::new();
    read_to_end(&properties, CONTROL, &Start::Beginning, |message| {
        if message.partition == partition {
            let value = message.payload.unwrap_or_default();
            let value = String::from_utf8_lossy(&value).into_owned();
            rows.push((message.offset, message.key.unwrap_or_default(), value));
        }
    })?;
    Ok(rows)
}

fn every_device_reads_its_own_partition(world: &World) -> Result<()> {
    world.route("*", 3)?;
    for (device, _, partition) in DEVICES {
        await_cut(world, device, 3)?;
        let generations = rows(world, partition)?.into_iter().filter(|row| row.1 == "generation");
        ensure!(generations.count() == 1, "partition {partition} has no generation of its own");
    }
    for ((device, _, partition), wanted) in DEVICES.into_iter().zip([1, 2]) {
        world.route(device, wanted)?;
        await_cut(world, device, wanted)?;
        let offset = epoch(world, device)? & ((1 << OFFSET_BITS) - 1);
        let last = rows(world, partition)?.last().map(|row| row.0);
        ensure!(last == Some(offset), "{device}: epoch of offset {offset}, written at {last:?}");
    }
    Ok(())
}

fn a_command_in_another_partition_is_refused(world: &World) -> Result<()> {
    say(world, 2, "pi-1", &json!({ "cut": 3 }))?;
    await_refusal(world, "pi-1", "wrong_partition")?;
    ensure!(cut(world, "pi-1")? == 1, "it changed the plan");
    Ok(())
}

fn of_two_issuers_one_is_stale(world: &World) -> Result<()> {
    let seen = epoch(world, "pi-1")?.to_string();
    for (issuer, cut) in [("a", "2"), ("b", "3")] {
        let route = ["route", "q1/readings/pi-1", "--cut", cut, "--if-epoch", &seen];
        world.run(&[&route[..], &["--issuer", issuer]].concat())?;
    }
    await_refusal(world, "pi-1", "stale")?;
    ensure!(cut(world, "pi-1")? == 2, "the first issuer's command is in force");
    Ok(())
}

fn repeated_commands_change_nothing(world: &mut World, edge: SocketAddr) -> Result<()> {
    let before = epoch(world, "pi-1")?;
    for _ in 0..3 {
        say(world, 0, "pi-1", &json!({ "cut": 1 }))?;
    }
    await_cut(world, "pi-1", 1)?;
    eventually("all three were read", || Ok(epoch(world, "pi-1")? >= before + 3))?;
    // The whole topic is read again.
    let newest = epoch(world, "pi-1")?;
    world.stack.restart("edge-pi-1")?;
    eventually("it is up again", || Ok(http::get(edge, "/ready")?.status == 200))?;
    eventually("it sends again", || Ok(metric(edge, "sluice_edge_acked_seq", "")? > 0.0))?;
    ensure!(metric(edge, "sluice_edge_commands_total", "accepted")? == 0.0, "taken once more");
    ensure!((cut(world, "pi-1")?, epoch(world, "pi-1")?) == (1, newest), "another plan");
    Ok(())
}

/// What the broker's clock says: that of this machine, as the stack runs on it.
fn now_ms() -> Result<i64> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(i64::try_from(now.as_millis())?)
}

fn expiry_is_judged_once_and_in_broker_time(world: &mut World) -> Result<()> {
    let expires_at = now_ms()? + 3_000;
    say(world, 0, "pi-1", &json!({ "cut": 2, "expires_at": expires_at }))?;
    await_cut(world, "pi-1", 2)?;
    world.stack.kill("edge-pi-1")?;
    say(world, 0, "pi-1", &json!({ "cut": 3, "expires_at": expires_at }))?;
    eventually("both have expired", || Ok(now_ms()? > expires_at))?;
    world.stack.restart("edge-pi-1")?;
    await_refusal(world, "pi-1", "expired")?;
    ensure!(cut(world, "pi-1")? == 2, "what was accepted in time stays in force");
    Ok(())
}

fn tool(world: &World, class: &str, arguments: &[&str]) -> Result<()> {
    let output = world.stack.kafka_tool(class).args(arguments).output()?;
    ensure!(output.status.success(), "{class} {arguments:?}: {}", all_of(&output));
    Ok(())
}

fn compaction_may_leave_the_refused_command_alone(world: &mut World) -> Result<()> {
    say(world, 0, "pi-1", &json!({ "cut": 3 }))?;
    await_cut(world, "pi-1", 3)?;
    say(world, 0, "pi-1", &json!({ "cut": 9 }))?;
    await_refusal(world, "pi-1", "illegal_plan")?;
    let good = epoch(world, "pi-1")?;
    let at_once = "min.compaction.lag.ms=0,max.compaction.lag.ms=100,segment.ms=100,\
                   min.cleanable.dirty.ratio=0.001";
    let topic = ["--entity-type", "topics", "--entity-name", CONTROL];
    let alter = [&["--alter"], &topic[..], &["--add-config", at_once]].concat();
    tool(world, "kafka.admin.ConfigCommand", &alter)?;
    eventually("the good command is compacted away", || {
        // What is appended last is never compacted.
        say(world, 0, "pi-9", &json!({ "cut": 0 }))?;
        let left = rows(world, 0)?.into_iter().filter(|row| row.1.ends_with("pi-1/manual"));
        Ok(left.map(|row| row.2).collect::<Vec<_>>() == [r#"{"cut":9}"#])
    })?;
    world.stack.kill("edge-pi-1")?;
    world.lose_data("pi-1")?;
    let before = world.status("pi-1")?["incarnation"].as_i64();
    world.stack.restart("edge-pi-1")?;
    eventually("it begins anew", || Ok(world.status("pi-1")?["incarnation"].as_i64() > before))?;
    ensure!((cut(world, "pi-1")?, epoch(world, "pi-1")?) == (3, good), "the last status counts");
    Ok(())
}

fn topics_that_were_made_again_have_a_new_generation(world: &mut World) -> Result<()> {
    let before = epoch(world, "pi-1")?;
    let minute = now_ms()? / 60_000;
    for topic in [CONTROL, "sluice.status"] {
        tool(world, "org.apache.kafka.tools.TopicCommand", &["--delete", "--topic", topic])?;
    }
    process::wait_until("the next minute", std::time::Duration::from_secs(70), || {
        Ok(now_ms()? / 60_000 > minute)
    })?;
    eventually("the topics are made", || {
        world.run(&["init", "--control-partitions", "3"]).map(|_| true)
    })?;
    // An agent that followed the topics that are gone does not know what it missed.
    for (device, ..) in DEVICES {
        world.stack.restart(&format!("edge-{device}"))?;
    }
    for (device, ..) in DEVICES {
        world.route(device, 2)?;
        await_cut(world, device, 2)?;
    }
    ensure!(epoch(world, "pi-1")? > before, "an older epoch");
    let audit = world.audit(60)?;
    ensure!(audit["verdict"] == "pass" && audit["lost"] == 0, "{audit:#}");
    Ok(())
}
