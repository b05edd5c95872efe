//! `sluice compose`: the compose file of a query, to be run beside that of the cloud.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use sluice_model::{DeployedQuery, QueryId};
use sluice_runtime::exit::Failure;

use crate::context::Context;
use crate::residual::LAUNCHER;
use crate::rows::Catalog;

/// Options of `compose`.
#[derive(Debug, Args)]
pub struct Options {
    /// The query.
    query: QueryId,
    /// One service for all operators of an input, in the place of one for each.
    #[arg(long)]
    fused: bool,
    /// Containers of each service.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    scale: u32,
    /// The job's jar, as the file that is printed finds it.
    #[arg(long, value_name = "FILE", default_value = "./job.jar")]
    job_jar: String,
    /// Sluice's jar for Flink, as the file that is printed finds it.
    #[arg(long, value_name = "FILE", default_value = "./sluice-flink.jar")]
    flink_jar: String,
    /// The network of the cloud's compose project.
    #[arg(long, default_value = "sluice-cloud_default")]
    network: String,
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let catalog = Catalog::read(context)?;
    let query = catalog.query(&options.query)?;
    if query.inputs.iter().any(|input| input.operator_count() == 0) && query.job.is_none() {
        return Err(Failure::usage(format!("query `{}` has nothing to run", query.query)));
    }
    let text = file(query, options);
    context.print(&text, &json!({ "query": query.query, "file": text }))
}

/// What every container has.
const COMMON: &str = r#"x-common: &common
  restart: unless-stopped
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]
  logging:
    driver: json-file
    options: { max-size: 10m, max-file: "3" }
"#;

const FLINK: &str = r#"
x-flink: &flink
  <<: *common
  image: ${FLINK_IMAGE:-flink:2.2.1-java17}
  user: "9999:9999"
  environment:
    FLINK_PROPERTIES: |
      jobmanager.rpc.address: QUERY-jobmanager
      jobmanager.bind-host: 0.0.0.0
      rest.address: QUERY-jobmanager
      rest.bind-address: 0.0.0.0
      taskmanager.bind-host: 0.0.0.0
      taskmanager.numberOfTaskSlots: 2
      jobmanager.memory.process.size: 768m
      taskmanager.memory.process.size: 1024m
      metrics.reporter.prom.factory.class: org.apache.flink.metrics.prometheus.PrometheusReporterFactory
      metrics.reporter.prom.port: 9249
"#;

fn file(query: &DeployedQuery, options: &Options) -> String {
    let id = &query.query;
    let mut text =
        format!("# Query {id}, beside compose/cloud.yml. Written by `sluice compose`.\n");
    // Writing to a string can't fail.
    let _ = write!(text, "name: sluice-{id}\n\n{COMMON}");
    if query.job.is_some() {
        text += &FLINK.replace("QUERY", id.as_str());
    }
    text += "\nservices:\n";
    for input in &query.inputs {
        let operators = input.operator_count();
        let ranges: Vec<(i32, i32)> = match (operators, options.fused) {
            (0, _) => Vec::new(),
            (n, true) => vec![(1, n)],
            (n, false) => (1..=n).map(|operator| (operator, operator)).collect(),
        };
        for (from, to) in ranges {
            text += &replica(&format!("{id}/{}", input.name), (from, to), options.scale);
        }
    }
    if query.job.is_some() {
        text += &residual(id, &options.job_jar, &options.flink_jar);
    }
    let _ =
        write!(text, "networks:\n  default:\n    name: {}\n    external: true\n", options.network);
    if query.job.is_some() {
        text += "\nvolumes:\n  checkpoints:\n";
    }
    text
}

fn replica(input: &str, (from, to): (i32, i32), scale: u32) -> String {
    let service = input.replace('/', "-");
    let name =
        if from == to { format!("{service}-v{from}") } else { format!("{service}-v{from}-v{to}") };
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "  {name}:\n    <<: *common\n    image: sluice/replica:${{SLUICE_VERSION:-{version}}}\n    read_only: true\n    \
         tmpfs: [/tmp]\n    volumes: [/var/lib/sluice]\n    scale: {scale}\n    environment:\n      \
         SLUICE_KAFKA__BOOTSTRAP_SERVERS: kafka:9092\n      SLUICE_ARTIFACTS__URL: http://artifacts:8090\n      \
         SLUICE_REPLICA__SERVE: {input}/{from}..{to}\n\n"
    )
}

fn residual(query: &QueryId, job: &str, flink: &str) -> String {
    let volumes = format!(
        "      - checkpoints:/checkpoints\n      - {job}:/opt/flink/usrlib/job.jar:ro\n      \
         - {flink}:/opt/flink/usrlib/sluice-flink.jar:ro\n"
    );
    format!(
        "  # A new volume belongs to root, and Flink does not run as root.\n  {query}-checkpoints:\n    <<: *common\n    \
         restart: on-failure\n    image: sluice/cli:${{SLUICE_VERSION:-{}}}\n    entrypoint: [/bin/true]\n    volumes:\n      \
         - checkpoints:/checkpoints\n\n  \
         {query}-jobmanager:\n    <<: *flink\n    command: [standalone-job, --job-classname, {LAUNCHER}, --brokers, \"kafka:9092\", \
         --query, {query}, --checkpoint-dir, \"file:///checkpoints\", --restore, latest]\n    depends_on:\n      \
         {query}-checkpoints: {{ condition: service_completed_successfully }}\n    volumes:\n{volumes}\n  \
         {query}-taskmanager:\n    <<: *flink\n    command: [taskmanager]\n    depends_on:\n      \
         {query}-checkpoints: {{ condition: service_completed_successfully }}\n    volumes:\n{volumes}\n",
        env!("CARGO_PKG_VERSION"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> DeployedQuery {
        serde_json::from_value(json!({ "query": "mine", "version": 1, "inputs": [] })).unwrap()
    }

    fn options(fused: bool) -> Options {
        Options {
            query: QueryId::new("mine").unwrap(),
            fused,
            scale: 2,
            job_jar: "a.jar".to_owned(),
            flink_jar: "b.jar".to_owned(),
            network: "n".to_owned(),
        }
    }

    #[test]
    fn a_replica_serves_its_operators() {
        let one = replica("mine/lines", (2, 2), 3);
        assert!(one.starts_with("  mine-lines-v2:\n") && one.contains("SERVE: mine/lines/2..2\n"));
        assert!(one.contains("scale: 3\n"));
        let fused = replica("mine/lines", (1, 4), 1);
        assert!(fused.starts_with("  mine-lines-v1-v4:\n") && fused.contains("lines/1..4\n"));
    }

    #[test]
    fn a_query_without_a_job_needs_no_flink() {
        let text = file(&query(), &options(true));
        assert!(text.contains("name: sluice-mine\n") && !text.contains("flink"));
        assert!(text.contains("networks:\n  default:\n    name: n\n"));
    }

    #[test]
    fn the_residual_job_is_found_by_its_query() {
        let text = residual(&QueryId::new("mine").unwrap(), "a.jar", "b.jar");
        assert!(text.contains("--query, mine,") && text.contains("- a.jar:/opt/flink/usrlib"));
        assert!(text.contains("\n  mine-taskmanager:\n"));
    }
}
