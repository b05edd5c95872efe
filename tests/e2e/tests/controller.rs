//! The controller in charge: a link gets poor and the cut moves by itself, a person outranks it, another controller takes over.

use anyhow::{Result, ensure};
use serde_json::Value;
use sluice_e2e::{INPUT, World, eventually};
use xtask::cargo;
use xtask::controller::Controller;

const DEVICE: &str = "pi-1";
const SOURCE: &str = "generator = \"q1\"\nrate = 2000";
/// Decisions that a test can wait for.
const SETTINGS: &str = "decide_every_ms = 2000\nobserve_every_ms = 1000\nconfirm_within_ms = 5000\n\
                        [hull]\ndwell_ms = 2000";

#[test]
fn the_controller_routes_by_itself() {
    let mut world = World::up("controller", &[DEVICE]).unwrap();
    cargo::build(&["sluice-controller"]).unwrap();
    world.deploy(DEVICE).unwrap();
    world.start_replica("1..3").unwrap();
    world.start_edge(DEVICE, SOURCE).unwrap();
    let first = Controller::start(&mut world.stack, "first", SETTINGS).unwrap();
    a_poor_link_moves_the_cut(&world, &first).unwrap();
    a_person_is_left_alone(&world, &first).unwrap();
    let second = Controller::start(&mut world.stack, "second", SETTINGS).unwrap();
    another_one_takes_over(&mut world, &first, &second).unwrap();
    let audit = world.audit(60).unwrap();
    assert!(audit["verdict"] == "pass" && audit["lost"] == 0, "{audit:#}");
}

fn device(controller: &Controller) -> Result<Value> {
    Ok(controller.get(&format!("devices/{INPUT}/{DEVICE}"))?["device"].clone())
}

/// The mean of the operators that ran at the edge, by the plan in force.
fn mean_cut(world: &World) -> Result<f64> {
    let status = world.status(DEVICE)?;
    let shares = status["plan"]["shares"].as_array().into_iter().flatten();
    let part = |share: &Value| Some(share["cut"].as_f64()? * share["per_mille"].as_f64()?);
    Ok(shares.filter_map(part).sum::<f64>() / 1_000.0)
}

fn a_poor_link_moves_the_cut(world: &World, controller: &Controller) -> Result<()> {
    eventually("the device is observed", || {
        Ok(device(controller)?["inputs"]["arrivals_per_s"].as_f64() > Some(1_500.0))
    })?;
    eventually("every cut is measured", || {
        let explained = controller.get(&format!("devices/{INPUT}/{DEVICE}/explain"))?;
        let cuts = explained["cuts"].as_array().cloned().unwrap_or_default();
        let is_known = |cut: &Value| cut["cpu_us_per_event"].is_number();
        Ok(cuts.len() == 4 && cuts.iter().all(is_known))
    })?;
    world.stack.wan()?.ask(&format!("rate {DEVICE} 20000 unlimited"))?;
    eventually("more runs at the edge", || Ok(mean_cut(world)? >= 1.5))?;
    let history = controller.get(&format!("devices/{INPUT}/{DEVICE}/history"))?;
    let decisions = history.as_array().into_iter().flatten();
    let mut commanded = decisions.filter(|decision| decision["verdict"] == "commanded");
    let why = commanded.next().is_some_and(|decision| !decision["reasons"][0].is_null());
    ensure!(why, "no reason was kept: {history:#}");
    world.stack.wan()?.ask(&format!("rate {DEVICE} unlimited unlimited"))?;
    Ok(())
}

fn a_person_is_left_alone(world: &World, controller: &Controller) -> Result<()> {
    world.route(DEVICE, 1)?;
    eventually("the plan is manual", || Ok(device(controller)?["mode"] == "manual"))?;
    eventually("the controller says so", || Ok(device(controller)?["verdict"] == "manual"))?;
    world.stack.wan()?.ask(&format!("rate {DEVICE} 20000 unlimited"))?;
    let is_short = || Ok(device(controller)?["inputs"]["backlog_events"].as_f64() > Some(4_000.0));
    eventually("the link is too poor for the plan", is_short)?;
    ensure!(mean_cut(world)? == 1.0, "a person's plan was changed");
    Ok(())
}

fn another_one_takes_over(
    world: &mut World,
    first: &Controller,
    second: &Controller,
) -> Result<()> {
    let leads = |controller: &Controller| Ok(controller.get("fleet")?["leading"] == true);
    ensure!(leads(first)? && !leads(second)?, "one of two leads");
    world.stack.kill(&first.name)?;
    eventually("the other one leads", || leads(second))?;
    ensure!(mean_cut(world)? == 1.0, "a takeover changes no plan by itself");
    world.run(&["route", &format!("{INPUT}/{DEVICE}"), "--release"])?;
    eventually("it goes on", || Ok(mean_cut(world)? >= 1.5))?;
    let url = second.url();
    let top = world.run(&["top", "--once", "--controller", &url])?;
    ensure!(top.contains(&format!("{INPUT}/{DEVICE}")), "{top}");
    let key = format!("{INPUT}/{DEVICE}");
    let explained = world.run(&["explain-route", &key, "--controller", &url])?;
    ensure!(explained.contains("SUSTAINS/S"), "{explained}");
    let poor = ["whatif", &key, "--bandwidth", "5000", "--controller", &url];
    ensure!(world.run(&poor)?.contains("uplink 5 kB/s"), "another world");
    let changes = world.run(&["history", &key, "--changes", "--controller", &url])?;
    ensure!(changes.contains("commanded"), "{changes}");
    world.stack.wan()?.ask(&format!("rate {DEVICE} unlimited unlimited"))?;
    Ok(())
}
