//! `sluice-replica`: cloud replicas of the operators of any deployed query.

use std::path::Path;
use std::process::ExitCode;

use sluice_jvm::Engines;
use sluice_kafka::{Follower, KafkaError, explain_unreachable};
use sluice_model::topics;
use sluice_replica::config::Settings;
use sluice_replica::meters;
use sluice_replica::pool::{Pool, QUERIES};
use sluice_runtime::exit::Failure;
use sluice_runtime::metrics::Metrics;
use sluice_runtime::readiness::Readiness;
use sluice_runtime::{admin, args, exit, logs, shutdown};

fn main() -> ExitCode {
    let config = args::config_path("sluice-replica", "Runs operators in the cloud");
    logs::init();
    exit::report("sluice-replica", run(&config))
}

#[tokio::main(worker_threads = 1)]
async fn run(config: &Path) -> anyhow::Result<()> {
    let settings = Settings::load(config)?;
    let metrics = Metrics::install()?;
    meters::describe();
    sluice_jvm::meters::describe();
    let readiness = Readiness::new();
    readiness.wait_for(QUERIES, "the deployed queries are not read yet");
    let bound = admin::serve(settings.listen, readiness.clone(), metrics).await?;
    tracing::info!("admin HTTP on {bound}");
    explain_unreachable(&settings.kafka, "trying again meanwhile");

    let follower = Follower::start(&settings.kafka, &[topics::QUERIES], "sluice-replica");
    let mut follower = follower.map_err(failure)?;
    let engines = Engines::open(&settings.jvm)?;
    tokio::spawn(engines.clone().fetch());
    let mut pool = Pool::new(settings, engines, readiness);
    let signal = tokio::select! {
        signal = shutdown::signalled() => signal?,
        () = pool.run(&mut follower) => "end",
    };
    tracing::info!("{signal}: delivering what is in flight, then committing");
    pool.stop();
    Ok(())
}

fn failure(error: KafkaError) -> anyhow::Error {
    Failure::coded(error.exit_code(), error)
}
