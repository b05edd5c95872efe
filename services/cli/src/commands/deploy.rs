//! `sluice deploy`: from a plan file to a deployed query.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use sluice_kafka::{TopicSpec, ensure_topics, exists, partitions};
use sluice_model::{DeployedQuery, topics};
use sluice_runtime::exit::Failure;
use sluice_wire::record;

use crate::context::{Context, failure};
use crate::{deployment, plan, rows};

/// Options of `deploy`.
#[derive(Debug, Args)]
pub struct Options {
    /// The plan file; the files it names are relative to it.
    plan: PathBuf,
}

/// Runs the command. Done again with the same plan, it changes nothing.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let plan = plan::load(&options.plan)?;
    context.probe()?;
    let deployed = rows::queries(context)?.remove(&plan.query);
    deployment::check_version(&plan, deployed.as_ref()).map_err(Failure::usage)?;
    create_topics(context, &plan)?;
    let query = register(context, &plan)?;
    let same = deployed.as_ref().is_some_and(|deployed| deployed.version == plan.version);
    if same && deployed.as_ref() != Some(&query) {
        return Err(Failure::usage(format!(
            "{}: version {} is deployed already, with other schema ids: the registry was re-created; raise the version",
            plan.query, plan.version
        )));
    }
    if !same {
        write(context, &query)?;
    }
    let verb = if same { "was deployed already" } else { "deployed" };
    context.print(
        format!("{} version {} {verb}, digest {}", query.query, query.version, query.digest),
        &json!({ "query": query.query, "version": query.version, "digest": query.digest, "new": !same }),
    )
}

fn create_topics(context: &Context, plan: &DeployedQuery) -> Result<()> {
    let mut specs = deployment::frame_topics(plan);
    for spec in deployment::copy_topics(plan) {
        if exists(&context.kafka, &spec.name).map_err(failure)? {
            check_partitions(context, &spec)?;
        } else {
            specs.push(spec);
        }
    }
    ensure_topics(&context.kafka, &specs).map_err(failure)?;
    Ok(())
}

/// An earlier version may have made the topic; more partitions than needed do no harm.
fn check_partitions(context: &Context, spec: &TopicSpec) -> Result<()> {
    let found = partitions(&context.kafka, &spec.name).map_err(failure)?;
    if found < spec.partitions {
        return Err(Failure::usage(format!(
            "topic {} has {found} partitions, but the plan needs {}; add partitions to it",
            spec.name, spec.partitions
        )));
    }
    Ok(())
}

/// Registers every schema, and completes the query with their ids.
fn register(context: &Context, plan: &DeployedQuery) -> Result<DeployedQuery> {
    let mut frame_schema_ids = Vec::new();
    for input in &plan.inputs {
        let schemas = deployment::frame_schemas(input)?;
        let topics = plan.input_topics(input);
        let ids =
            topics.iter().zip(&schemas).map(|(topic, schema)| context.register(topic, schema));
        frame_schema_ids.push(ids.collect::<Result<Vec<i32>>>()?);
    }
    let mut schema_ids = BTreeMap::new();
    for (topic, record) in deployment::control_records(&plan.query) {
        schema_ids.insert(record.to_owned(), context.register_control(&topic, record)?);
    }
    Ok(deployment::complete(plan, frame_schema_ids, schema_ids)?)
}

fn write(context: &Context, query: &DeployedQuery) -> Result<()> {
    let id = query.schema_id("DeployedQuery").unwrap_or_default();
    let value = record::encode(id, query)?;
    let key = query.query.as_str();
    context.writer()?.write(topics::QUERIES, Some(0), key, Some(&value)).map_err(failure)?;
    Ok(())
}
