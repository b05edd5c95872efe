//! `sluice-edge`: the edge service of one device.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use sluice_edge::config::Settings;
use sluice_edge::meters;
use sluice_edge::supervisor::Supervisor;
use sluice_kafka::{Follower, probe};
use sluice_model::topics;
use sluice_runtime::metrics::Metrics;
use sluice_runtime::readiness::Readiness;
use sluice_runtime::{admin, exit, logs, shutdown};

/// Runs the edge replicas of one device.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The configuration file; SLUICE_SECTION__KEY variables override it.
    #[arg(long, default_value = "/etc/sluice/edge.toml")]
    config: PathBuf,
}

fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| {
        let _ = error.print();
        std::process::exit(if error.use_stderr() { exit::USAGE.into() } else { 0 })
    });
    logs::init();
    exit::report("sluice-edge", run(&args))
}

#[tokio::main(worker_threads = 2)]
async fn run(args: &Args) -> anyhow::Result<()> {
    let settings = Settings::load(&args.config)?;
    let metrics = Metrics::install()?;
    meters::describe();
    let readiness = Readiness::new();
    readiness.wait_for("broker", "the shared topics are not read yet");
    let bound = admin::serve(settings.listen, readiness.clone(), metrics).await?;
    tracing::info!(device = %settings.device, "admin HTTP on {bound}");
    explain_unreachable_broker(&settings);

    let shared = [topics::QUERIES, topics::DEVICES, topics::CONTROL, topics::STATUS];
    let client_id = format!("sluice-edge-{}", settings.device);
    let mut follower = Follower::start(&settings.kafka, &shared, &client_id)?;
    let mut supervisor = Supervisor::new(settings, readiness);
    let signal = tokio::select! {
        signal = shutdown::signalled() => signal?,
        () = supervisor.run(&mut follower) => "end",
    };
    tracing::info!("{signal}: draining");
    supervisor.stop()
}

/// A device starts without the broker; this only says in good time what is wrong.
fn explain_unreachable_broker(settings: &Settings) {
    let properties = settings.kafka.clone();
    std::thread::spawn(move || {
        if let Err(error) = probe(&properties, Duration::from_secs(5)) {
            tracing::warn!("{error}; events are accepted into the spool meanwhile");
        }
    });
}
