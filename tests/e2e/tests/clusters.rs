//! The residual job where users run Flink: on a session cluster that `sluice deploy` submits it to, from the savepoint of the
//! whole job, and in application mode by the command that `sluice deploy` prints. Both go on from their checkpoints after a kill.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use sluice_e2e::cluster::{FlinkCluster, JOB_MANAGER, TASKS};
use sluice_e2e::{World, eventually, free_address, metric};
use sluice_generators::Query;
use sluice_kafka::{Properties, lag};
use xtask::case::Case;
use xtask::job::Store;
use xtask::process::output;
use xtask::{cargo, java};

/// Lines of the device, and those of them that the whole job reads before it is split.
const LINES: usize = 24_000;
const BEFORE: usize = 8_000;
/// Lines a second that the device plays.
const RATE: u32 = 1_500;

#[test]
fn residual_jobs_run_on_clusters_and_survive_kills() {
    [java::Q1, java::FLINK, java::HOST].into_iter().try_for_each(java::Project::build).unwrap();
    let mut world = World::up("clusters", &["pi-1", "pi-2"]).unwrap();
    world.run(&["init"]).unwrap();
    let store = Store::start(&mut world.stack).unwrap();
    for topic in ["lines", "all-lines", "expected", "session-results", "application-results"] {
        world.run(&["topic", "create", topic, "--partitions", "1"]).unwrap();
    }
    let lines = Lines::write(&world).unwrap();
    lines.feed(&world, "lines", &lines.before).unwrap();
    lines.feed(&world, "all-lines", &lines.all).unwrap();
    on_a_session_cluster(&mut world, store, &lines).unwrap();
    in_application_mode(&mut world, store, &lines).unwrap();
}

/// The whole job reads some of the lines; from its savepoint the split one goes on with the others.
fn on_a_session_cluster(world: &mut World, store: Store, lines: &Lines) -> Result<()> {
    let cluster = FlinkCluster::session(&mut world.stack, "session")?;
    let (case, jar) = (Case::of(Query::Q1), java::Q1.jar());
    // What both are expected to come to, by the whole job over all lines.
    let whole = |input, output, group, rest: &[&str]| {
        let args = arguments(world, input, output, group);
        let args: Vec<&str> = args.iter().map(String::as_str).chain(rest.iter().copied()).collect();
        cluster.run(&world.stack, &jar, case.main_class, &args)
    };
    whole("all-lines", "expected", "expected", &["--bounded", "true"])?;
    eventually("the whole job is done", || Ok(cluster.job()?.is_none()))?;
    whole("lines", "session-results", "session", &[])?;
    let kafka = kafka(world);
    eventually("the whole job has read its part", || Ok(lag(&kafka, "session", "lines")? == 0))?;
    let (job, _) = cluster.job()?.context("no job")?;
    let savepoint = cluster.stop(&world.stack, &job)?;

    let rest = format!("http://{}", cluster.rest);
    let options = ["--flink-rest", &rest, "--savepoint", &savepoint];
    let deployed = deploy(world, store, "session", &options)?;
    ensure!(deployed["residual"]["new"] == true, "{deployed}");
    let (job, _) = cluster.job()?.context("no job")?;
    ensure!(deployed["residual"]["job"] == *job, "{deployed} is not {job}");
    let restored = |pointer| cluster.checkpoints(&job, pointer);
    let first = restored("/latest/restored")?;
    ensure!(first["is_savepoint"] == true && first["external_path"] == *savepoint, "{first}");
    let again = deploy(world, store, "session", &options)?;
    ensure!(again["residual"]["new"] == false, "{again}");

    let edge = start_device(world, store, "session", "pi-1", &lines.after)?;
    eventually("a checkpoint with events", || {
        Ok(acked(edge)? > 3_000.0 && restored("/counts/completed")?.as_u64() > Some(2))
    })?;
    world.stack.restart(TASKS)?;
    eventually("it goes on from a checkpoint of its own", || {
        let latest = restored("/latest/restored")?;
        Ok(latest["is_savepoint"] == false && cluster.is_running()?)
    })?;
    verify(world, "session")?;
    let undeploy = ["undeploy", "session", "--force", "--flink-rest", &rest];
    output(&mut store.sluice(&world.stack, &undeploy))?;
    ensure!(cluster.job()?.is_none(), "the residual job runs still");
    world.stack.stop(TASKS)?;
    world.stack.stop(JOB_MANAGER)?;
    Ok(())
}

fn in_application_mode(world: &mut World, store: Store, lines: &Lines) -> Result<()> {
    let deployed = deploy(world, store, "application", &[])?;
    let command = deployed["commands"]["application"].as_str().context("no command")?;
    let jars = [java::FLINK.jar(), java::Q1.jar()];
    let cluster = FlinkCluster::application(&mut world.stack, "application", &jars, command)?;
    eventually("the job runs", || cluster.is_running())?;
    let of_job = |pointer| {
        let (job, _) = cluster.job()?.context("no job")?;
        cluster.checkpoints(&job, pointer)
    };
    let edge = start_device(world, store, "application", "pi-2", &lines.all)?;
    eventually("a checkpoint with events", || {
        Ok(acked(edge)? > 3_000.0 && of_job("/counts/completed")?.as_u64() > Some(2))
    })?;
    // The whole cluster: nobody is left who knows of the job but the folder of checkpoints.
    world.stack.kill(TASKS)?;
    world.stack.restart(JOB_MANAGER)?;
    world.stack.restart(TASKS)?;
    eventually("the job runs again", || cluster.is_running())?;
    let restored = of_job("/latest/restored")?;
    ensure!(restored["is_savepoint"].is_boolean(), "it began anew: {restored}");
    verify(world, "application")
}

/// What q1's `main` is told.
fn arguments(world: &World, input: &str, output: &str, group: &str) -> Vec<String> {
    let brokers = &world.stack.state().brokers;
    let args = ["--brokers", brokers, "--input", input, "--output", output, "--group", group];
    args.into_iter().chain(["--exactly-once", "true"]).map(str::to_owned).collect()
}

fn deploy(world: &World, store: Store, query: &str, options: &[&str]) -> Result<Value> {
    let mut deploy = store.sluice(&world.stack, &["deploy", "--query", query, "--json"]);
    deploy.args(["--partitions", "1"]).args(options).arg(java::Q1.jar()).arg("--");
    deploy.args(arguments(world, "lines", &format!("{query}-results"), query));
    Ok(serde_json::from_str(&output(&mut deploy)?)?)
}

/// Lets a device take part that plays a file, and starts a replica for what it leaves to the cloud; where the device's admin
/// server listens.
fn start_device(
    world: &mut World,
    store: Store,
    query: &str,
    device: &str,
    lines: &Path,
) -> Result<SocketAddr> {
    let key = format!("{query}/lines/{device}");
    world.run(&["device", "join", &key, "--partition", "0", "--source", "replay"])?;
    let replica = format!("replica-{query}");
    let config = format!(
        "[replica]\nserve = [\"{query}/lines/1..3\"]\n[kafka]\n\"bootstrap.servers\" = \"{}\"\n[http]\nlisten = \"{}\"\n{}",
        world.stack.state().brokers,
        free_address()?,
        store.settings(&world.stack.state().dir.join(&replica))
    );
    let config = world.write(&format!("{replica}.toml"), &config)?;
    let mut command = Command::new(cargo::program("sluice-replica"));
    world.stack.spawn(&replica, command.arg("--config").arg(config))?;
    let source = format!(
        "[[sources]]\nname = \"replay\"\nkind = \"replay\"\nrate = {RATE}\nfile = \"{}\"\n{}",
        lines.display(),
        store.settings(&world.stack.state().dir.join(device))
    );
    let edge = world.start_edge_from(device, device, &source)?;
    // Refused until the job's files are on the device; events before that are the replica's.
    eventually("the chain runs on the device", || {
        world.run(&["route", &key, "--cut", "3"])?;
        Ok(metric(edge, "sluice_edge_dispatched_events_total", "cut=\"3\"")? > 0.0)
    })?;
    Ok(edge)
}

fn acked(edge: SocketAddr) -> Result<f64> {
    metric(edge, "sluice_edge_acked_seq", "")
}

fn kafka(world: &World) -> Properties {
    [("bootstrap.servers".to_owned(), world.stack.state().brokers.clone())].into()
}

/// Every event once, and the results of the whole job.
fn verify(world: &World, query: &str) -> Result<()> {
    let actual = format!("{query}-results");
    let mut verify = world.sluice(&["verify", query, "--actual", &actual, "--json"]);
    verify.args(["--expected", "expected", "--wait", "60"]);
    for prefix in Query::Q1.closing_results() {
        verify.args(["--ignore-prefix", prefix]);
    }
    let verdict: Value = serde_json::from_slice(&verify.output()?.stdout)?;
    ensure!(verdict["verdict"] == "pass", "{query}: {verdict:#}");
    let windows = verdict["results"]["equal"].as_u64();
    println!("{query}: {} equal windows", windows.unwrap_or_default());
    ensure!(windows > Some(100), "{query}: {verdict:#}");
    Ok(())
}

/// The lines of a device, in files.
struct Lines {
    before: PathBuf,
    after: PathBuf,
    all: PathBuf,
}

impl Lines {
    fn write(world: &World) -> Result<Self> {
        let mut generator = Query::Q1.generator(1, 1);
        let mut lines: Vec<String> = Vec::new();
        let mut line = Vec::new();
        for _ in 0..LINES {
            line.clear();
            generator.next_line(&mut line);
            lines.push(String::from_utf8_lossy(&line).into_owned() + "\n");
        }
        line.clear();
        generator.closing_line(&mut line);
        lines.push(String::from_utf8_lossy(&line).into_owned() + "\n");
        let (before, after) = lines.split_at(BEFORE);
        Ok(Self {
            before: world.write("before.csv", &before.concat())?,
            after: world.write("after.csv", &after.concat())?,
            all: world.write("all.csv", &lines.concat())?,
        })
    }

    fn feed(&self, world: &World, topic: &str, file: &Path) -> Result<()> {
        let mut feed = world.sluice(&["feed", "--topic", topic, "--partition", "0", "--file"]);
        output(feed.arg(file)).map(|_| ())
    }
}
