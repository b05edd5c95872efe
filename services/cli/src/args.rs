//! The grammar of the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use sluice_model::{Cut, InputName, NameError, QueryId, Share};

use crate::commands::{
    artifacts, certificates, check, compose, deploy, device, explain, explain_route, feed, history,
    init, ping, route, skip, status, tail, top, topic, undeploy, verify,
};

/// Sluice adapts Kafka/Flink streaming jobs to hybrid edge-cloud deployments.
///
/// Exit codes: 0 done, 1 a verdict of `verify` that is no pass, 64 bad usage, 69 a service can't be reached, 70 an
/// error of Sluice's own.
#[derive(Debug, Parser)]
#[command(name = "sluice", version)]
pub struct Cli {
    /// Where Kafka and the registry are.
    #[command(flatten)]
    pub services: Services,
    /// Print JSON for scripts.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Where Kafka and the registry are.
#[derive(Debug, Args)]
pub struct Services {
    /// Kafka brokers to start from: HOST:PORT, several with commas.
    #[arg(long, global = true, env = "SLUICE_BROKERS", default_value = "127.0.0.1:9092")]
    pub brokers: String,
    /// The schema registry (Confluent API).
    #[arg(long, global = true, env = "SLUICE_REGISTRY", default_value = "http://127.0.0.1:8081")]
    pub registry: String,
    /// A librdkafka property, such as security.protocol=SSL; may be given several times.
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = property)]
    pub kafka: Vec<(String, String)>,
    /// A file of such properties, a line each; for passwords, which others may read on a command line.
    #[arg(long, global = true, value_name = "FILE", env = "SLUICE_KAFKA_FILE")]
    pub kafka_file: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create Sluice's own topics and register the control records.
    Init(init::Options),
    /// Show what of a job would move to the devices, what stays, and why.
    Explain(explain::Options),
    /// Run a job split and unsplit over a sample, on this machine and without Kafka, and compare its outputs.
    Check(Box<check::Options>),
    /// Deploy a Flink job as a query: split it, and make it known.
    Deploy(Box<deploy::Options>),
    /// Write the compose file of a query: its replicas, and Flink with the rest of its job.
    Compose(compose::Options),
    /// Take a query away.
    Undeploy(undeploy::Options),
    /// The store of the files that deployed jobs need.
    #[command(subcommand)]
    Artifacts(artifacts::Command),
    /// Devices of a query's inputs.
    #[command(subcommand)]
    Device(device::Command),
    /// Set where a device's events leave the edge.
    Route(route::Options),
    /// Declare the holes of a device lost, so that what is held behind them goes on.
    Skip(skip::Options),
    /// Show devices, their plans and their progress.
    Status(status::Options),
    /// Print a topic's records, decoded, one JSON object a line.
    Tail(tail::Options),
    /// Compare a query's results with those of the unsplit job, and audit its coverage.
    Verify(verify::Options),
    /// Watch the fleet: plans, rates, limits, reasons.
    Top(top::Options),
    /// Show what every cut of a device would sustain and cost, and why it has its plan.
    ExplainRoute(explain_route::Options),
    /// The same in another world: another uplink, CPU or rate.
    Whatif(explain_route::WhatIfOptions),
    /// Show what the controller decided for a device, and why.
    History(history::Options),
    /// Write a replay's lines to a plain topic, as the unsplit job reads them.
    Feed(feed::Options),
    /// Plain topics.
    #[command(subcommand)]
    Topic(topic::Command),
    /// Make an authority, the broker's certificate, and passwords, for `compose/secure.yml`.
    Certificates(certificates::Options),
    /// Check that the brokers, and the addresses they advertise, can be reached from here.
    Ping(ping::Options),
}

/// A setting as `KEY=VALUE`.
pub fn property(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("must be KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// A query, or one of its inputs: `q1` or `q1/readings`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The query.
    pub query: QueryId,
    /// One input, or all.
    pub input: Option<InputName>,
}

impl std::str::FromStr for Scope {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
        let (query, input) = match text.split_once('/') {
            Some((query, input)) => (query, Some(InputName::new(input)?)),
            None => (text, None),
        };
        Ok(Self { query: QueryId::new(query)?, input })
    }
}

/// A plan as people write it: `0:500,2:500`, per mille by cut.
pub fn shares(text: &str) -> Result<Vec<Share>, String> {
    let share = |part: &str| {
        let (cut, per_mille) = part.split_once(':')?;
        let cut = Cut(cut.trim().parse().ok()?);
        Some(Share { cut, per_mille: per_mille.trim().parse().ok()? })
    };
    let parts = text.split(',');
    parts.map(|part| share(part).ok_or_else(|| format!("`{part}` is not CUT:PER_MILLE"))).collect()
}

/// A time as people write it: `500ms`, `30s`, `5m`, `2h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit_ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => 0,
    };
    match number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit_ms)) {
        Some(ms) if unit_ms > 0 => Ok(Duration::from_millis(ms)),
        _ => Err("use a number with its unit: 500ms, 30s, 5m, 2h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(std::iter::once("sluice").chain(line.split(' ')))
    }

    #[test]
    fn the_grammar_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_of_the_guide_parses() {
        for line in [
            "check job.jar --main a.B --sample lines=a.csv --sample b.csv --seed 7 --host h.jar -- --x 1",
            "init",
            "init --control-partitions 4",
            "explain q1.jar",
            "explain q1.jar --main a.B --dot -- --brokers h:1 --input a",
            "explain --capture capture.zip --json",
            "explain q1.jar --ir --engine jvm --host h.jar --sample a.csv --gate-seconds 3",
            "deploy q1.jar --query q1 --idle-after 60s",
            "deploy q1.jar --query q1 --version 2 --partitions 3 --order event-time --input lines=my-source --dry-run -- --x ${Y}",
            "deploy q1.jar --query q1 --device-file a.toml --device-file b.toml --flink-rest http://h:1 --state keep",
            "deploy --plan plan.json",
            "undeploy q1 --dry-run",
            "compose q1 --fused --scale 3 --job-jar q1.jar",
            "undeploy q1 --force --delete-topics --delete-artifacts --flink-rest http://h:1",
            "artifacts serve --dir d --listen 0.0.0.0:80 --token x",
            "device join q1/readings/pi-1 --partition 0 --source replay",
            "device list",
            "device list q1/readings --json",
            "route q1/readings/pi-1 --cut 2",
            "route q1/readings/* --shares 0:500,2:500 --auto --expires-in 30s --if-epoch 7",
            "route q1/readings/pi-1 --release --reason done --dry-run",
            "route --stdin",
            "skip q1/readings/pi-1 --reason burnt",
            "skip q1/readings/pi-1 --reason burnt --settle 10s --dry-run",
            "device leave q1/readings/pi-1",
            "status",
            "status q1",
            "tail q1.1.readings.out --from beginning --count 3",
            "verify q1 --actual a --expected b --ignore-prefix 99- --ignore-prefix x --wait 30",
            "verify q1",
            "feed --topic t --partition 0 --generator q1 --seed 1 --device 2 --count 10 --closing",
            "feed --topic t --partition 0 --file rows.csv",
            "topic create t --partitions 3",
            "topic create t --partitions 1 --config retention.ms=-1 --config x=y",
            "ping --brokers h:1 --kafka a=b --kafka c=d",
            "ping --kafka-file secret.properties",
            "certificates --dir d --name cloud --name 192.0.2.10 --user pi-1 --user pi-2",
        ] {
            parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }

    #[test]
    fn what_can_not_be_meant_is_refused() {
        for line in [
            "explain q1.jar --engine native",
            "explain q1.jar --gate-seconds 0",
            "check job.jar --sample =a --host h.jar",
            "deploy plan.json",
            "deploy q1.jar",
            "deploy --plan plan.json --query q1",
            "deploy q1.jar --plan plan.json",
            "deploy q1.jar --query q1 --partitions 0",
            "explain --capture c --main a.B",
            "explain q1.jar --dot --json",
            "undeploy",
            "artifacts serve",
            "route q1/readings/pi-1",
            "route q1/readings/pi-1 --cut 1 --release",
            "route q1/readings --cut 1",
            "route --cut 1",
            "route q1/readings/pi-1 --release --auto",
            "route q1/readings/pi-1 --shares 0:x",
            "route q1/readings/pi-1 --cut 1 --expires-in 30",
            "skip q1/readings/pi-1",
            "skip q1/readings/* --reason x",
            "device join q1/readings/* --partition 0 --source replay",
            "verify q1 --actual a",
            "feed --topic t --partition 0",
            "feed --topic t --partition 0 --generator q1",
            "feed --topic t --partition 0 --file f --generator q1 --count 1",
            "ping --kafka x",
            "certificates --user pi-1",
            "certificates --name cloud --user ../x",
            "whatif q1/readings/pi-1",
            "history q1/readings/*",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        for bad in ["", "s", "30", "1d", "-1s", "99999999999999999999s", "5124095576030432h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
