//! `sluice-controller`: decides where each device's events leave the edge.

use std::path::Path;
use std::process::ExitCode;

use sluice_controller::api::{self, Api};
use sluice_controller::collect::Collector;
use sluice_controller::config::Settings;
use sluice_controller::leader::Leadership;
use sluice_controller::outbox::Outbox;
use sluice_controller::service::{Service, Shared};
use sluice_controller::{collect, lag, meters};
use sluice_kafka::{KafkaError, explain_unreachable};
use sluice_runtime::exit::Failure;
use sluice_runtime::metrics::Metrics;
use sluice_runtime::readiness::Readiness;
use sluice_runtime::{args, exit, logs, shutdown};

fn main() -> ExitCode {
    let config = args::config_path("sluice-controller", "Routes devices by policy");
    logs::init();
    exit::report("sluice-controller", run(&config))
}

#[tokio::main(worker_threads = 2)]
async fn run(config: &Path) -> anyhow::Result<()> {
    let settings = Settings::load(config)?;
    let metrics = Metrics::install()?;
    meters::describe();
    let readiness = Readiness::new();
    readiness.wait_for(collect::TOPICS, "the shared topics are not read yet");
    explain_unreachable(&settings.kafka, "trying again meanwhile");

    let shared = Shared::new(settings.fleet());
    let (orders, inbox) = api::channel();
    let api = Api::new(&settings, shared.clone(), orders, metrics, readiness.clone())?;
    let bound = api.serve(settings.listen).await?;
    tracing::info!(policy = settings.policy_name(), "HTTP on {bound}");

    lag::watch(&settings.kafka, shared.clone()).map_err(failure)?;
    let collector = Collector::start(&settings.kafka).map_err(failure)?;
    let leadership = Leadership::run_for(&settings.kafka).map_err(failure)?;
    let outbox = Outbox::new(&settings.kafka).map_err(failure)?;
    let service = Service::new(shared, collector, leadership, outbox, inbox, readiness);
    tokio::select! {
        signal = shutdown::signalled() => tracing::info!("{}: another may lead", signal?),
        () = service.run() => {}
    }
    Ok(())
}

fn failure(error: KafkaError) -> anyhow::Error {
    Failure::coded(error.exit_code(), error)
}
