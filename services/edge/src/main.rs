//! `sluice-edge`: the edge service of one device.

use std::path::Path;
use std::process::ExitCode;

use sluice_edge::config::Settings;
use sluice_edge::meters;
use sluice_edge::supervisor::Supervisor;
use sluice_jvm::Engines;
use sluice_kafka::{Follower, KafkaError, explain_unreachable};
use sluice_model::topics;
use sluice_runtime::exit::Failure;
use sluice_runtime::metrics::Metrics;
use sluice_runtime::readiness::Readiness;
use sluice_runtime::{admin, args, exit, logs, shutdown};

fn main() -> ExitCode {
    let config = args::config_path("sluice-edge", "Runs the edge replicas of one device");
    logs::init();
    exit::report("sluice-edge", run(&config))
}

#[tokio::main(worker_threads = 2)]
async fn run(config: &Path) -> anyhow::Result<()> {
    let settings = Settings::load(config)?;
    let metrics = Metrics::install()?;
    meters::describe();
    sluice_jvm::meters::describe();
    let readiness = Readiness::new();
    readiness.wait_for("broker", "the shared topics are not read yet");
    let bound = admin::serve(settings.listen, readiness.clone(), metrics).await?;
    tracing::info!(device = %settings.device, "admin HTTP on {bound}");
    explain_unreachable(&settings.kafka, "events are accepted into the spool meanwhile");

    let shared = [topics::QUERIES, topics::DEVICES, topics::CONTROL, topics::STATUS];
    let client_id = format!("sluice-edge-{}", settings.device);
    let mut follower = Follower::start(&settings.kafka, &shared, &client_id).map_err(failure)?;
    let engines = Engines::open(&settings.jvm)?;
    tokio::spawn(engines.clone().fetch());
    let mut supervisor = Supervisor::new(settings, engines, readiness);
    let signal = tokio::select! {
        signal = shutdown::signalled() => signal?,
        () = supervisor.run(&mut follower) => "end",
    };
    tracing::info!("{signal}: draining");
    supervisor.stop()
}

fn failure(error: KafkaError) -> anyhow::Error {
    Failure::coded(error.exit_code(), error)
}
