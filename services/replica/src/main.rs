//! `sluice-replica`: cloud replicas of the operators of any deployed query.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use sluice_kafka::{Follower, KafkaError, Properties, probe};
use sluice_model::topics;
use sluice_replica::config::Settings;
use sluice_replica::meters;
use sluice_replica::pool::{Pool, QUERIES};
use sluice_runtime::metrics::Metrics;
use sluice_runtime::readiness::Readiness;
use sluice_runtime::{admin, exit, logs, shutdown};

/// Runs operators in the cloud.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The configuration file; SLUICE_SECTION__KEY variables override it.
    #[arg(long, default_value = "/etc/sluice/replica.toml")]
    config: PathBuf,
}

fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| {
        let _ = error.print();
        std::process::exit(if error.use_stderr() { exit::USAGE.into() } else { 0 })
    });
    logs::init();
    exit::report("sluice-replica", run(&args))
}

#[tokio::main(worker_threads = 1)]
async fn run(args: &Args) -> anyhow::Result<()> {
    let settings = Settings::load(&args.config)?;
    let metrics = Metrics::install()?;
    meters::describe();
    let readiness = Readiness::new();
    readiness.wait_for(QUERIES, "the deployed queries are not read yet");
    let bound = admin::serve(settings.listen, readiness.clone(), metrics).await?;
    tracing::info!("admin HTTP on {bound}");
    explain_unreachable_broker(&settings.kafka);

    let follower = Follower::start(&settings.kafka, &[topics::QUERIES], "sluice-replica");
    let mut follower = follower.map_err(failure)?;
    let mut pool = Pool::new(settings, readiness);
    let signal = tokio::select! {
        signal = shutdown::signalled() => signal?,
        () = pool.run(&mut follower) => "end",
    };
    tracing::info!("{signal}: delivering what is in flight, then committing");
    pool.stop();
    Ok(())
}

/// The replica goes on trying without the broker; this only says in good time what is wrong.
fn explain_unreachable_broker(properties: &Properties) {
    let properties = properties.clone();
    std::thread::spawn(move || {
        if let Err(error) = probe(&properties, Duration::from_secs(5)) {
            tracing::warn!("{error}");
        }
    });
}

/// A wrong property is wrong usage.
fn failure(error: KafkaError) -> anyhow::Error {
    if error.exit_code() == exit::USAGE { exit::Failure::usage(error) } else { error.into() }
}
