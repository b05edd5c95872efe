//! From a job's jar to a deployed query and back, as a user does it.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use serde_json::Value;
use sluice_e2e::{World, eventually};
use xtask::java;
use xtask::job::Store;

/// The arguments of q1's `main`.
const JOB: [&str; 6] = ["--brokers", "unused:9092", "--input", "lines", "--output", "results"];

#[test]
fn a_job_is_deployed_from_its_jar_and_taken_away_again() {
    java::Q1.build().unwrap();
    java::FLINK.build().unwrap();
    let mut world = World::up("deploy", &["pi-1"]).unwrap();
    world.run(&["init"]).unwrap();
    let store = Store::start(&mut world.stack).unwrap();

    // A dry run says what would be done, and its JSON is a plan.
    let jar = java::Q1.jar();
    let plan = ok(&mut deploy(&world, store, &jar, &["--dry-run", "--json"], &JOB)).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["inputs"][0]["name"], "lines");
    assert_eq!(plan["job"]["main_class"], "dev.sluice.examples.q1.AirQualityJob");
    assert_eq!(world.run(&["device", "list", "--json"]).unwrap().trim(), "[]");

    let deployed = json(&mut deploy(&world, store, &jar, &["--json"], &JOB)).unwrap();
    assert_eq!((&deployed["version"], &deployed["new"]), (&1.into(), &true.into()));
    assert_eq!(deployed["uploaded"], serde_json::json!(["q1.jar", "capture.zip"]));
    let again = json(&mut deploy(&world, store, &jar, &["--json"], &JOB)).unwrap();
    assert_eq!((&again["version"], &again["new"]), (&1.into(), &false.into()));
    assert_eq!(again["digest"], deployed["digest"]);
    assert_eq!(again["uploaded"], serde_json::json!([]));
    // The plan of the dry run is the one that is deployed.
    let file = world.write("plan.json", &plan.to_string()).unwrap();
    let of_file =
        store.sluice(&world.stack, &["deploy", "--json", "--plan", file.to_str().unwrap()]);
    assert_eq!(json(&mut { of_file }).unwrap()["digest"], deployed["digest"]);
    // Another plan is another version.
    let fewer = ["--keep", "categorize", "--json"];
    assert_eq!(json(&mut deploy(&world, store, &jar, &fewer, &JOB)).unwrap()["version"], 2);

    // A job that says nothing of its topics does not come far, and the exit code is that of the capture.
    let refused = deploy(&world, store, &jar, &[], &JOB[..2]).output().unwrap();
    assert_eq!(refused.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--input is missing"));

    prune(&world, store).unwrap();
    undeploy(&world, store).unwrap();
}

/// What no version names goes, and nothing else.
fn prune(world: &World, store: Store) -> Result<()> {
    let objects = world.stack.state().dir.join("artifacts/objects");
    let orphan = objects.join("0".repeat(64));
    std::fs::write(&orphan, "nobody's")?;
    let prune = |options: &[&str]| {
        json(
            &mut store.sluice(&world.stack, &[&["artifacts", "prune", "--json"], options].concat()),
        )
    };
    ensure!(prune(&[])?["removed"] == serde_json::json!([]), "it is new");
    let shown = prune(&["--keep-new", "0s", "--dry-run"])?;
    ensure!(shown["bytes"] == 8 && orphan.exists(), "{shown}");
    let pruned = prune(&["--keep-new", "0s"])?;
    ensure!(pruned["kept"] == 2 && !orphan.exists(), "{pruned}");
    ensure!(std::fs::read_dir(objects)?.count() == 2, "the query's files stay");
    Ok(())
}

fn undeploy(world: &World, store: Store) -> Result<()> {
    world.run(&["device", "join", "q1/lines/pi-1", "--partition", "0", "--source", "lines"])?;
    let refused = store.sluice(&world.stack, &["undeploy", "q1"]).output()?;
    ensure!(refused.status.code() == Some(64), "a device takes part");
    let all = ["undeploy", "q1", "--delete-topics", "--delete-artifacts"];
    let shown =
        ok(&mut store.sluice(&world.stack, &[&all[..], &["--force", "--dry-run"]].concat()))?;
    ensure!(shown.contains("would be removed: topic q1.1.lines.out"), "{shown}");
    world.run(&["device", "leave", "q1/lines/pi-1"])?;
    ok(&mut store.sluice(&world.stack, &all))?;
    let objects = std::fs::read_dir(world.stack.state().dir.join("artifacts/objects"))?;
    // Of version 2, since version 1 shares its files.
    ensure!(objects.count() == 0, "artifacts are left");
    eventually("the topics are gone", || {
        let tail = ["tail", "q1.2.lines.out", "--from", "beginning", "--count", "1"];
        Ok(!world.sluice(&tail).output()?.status.success())
    })?;
    let gone = store.sluice(&world.stack, &["undeploy", "q1"]).output()?;
    ensure!(String::from_utf8_lossy(&gone.stderr).contains("not deployed"), "it is gone");
    Ok(())
}

fn deploy(world: &World, store: Store, jar: &Path, options: &[&str], args: &[&str]) -> Command {
    let mut deploy = store.sluice(&world.stack, &["deploy", "--query", "q1", "--partitions", "1"]);
    deploy.args(options).arg(jar).arg("--").args(args);
    deploy
}

fn ok(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}: {said}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

fn json(command: &mut Command) -> Result<Value> {
    Ok(serde_json::from_str(&ok(command)?)?)
}
