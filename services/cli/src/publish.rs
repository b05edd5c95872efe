//! A plan made known: its topics, its schemas, its row in `sluice.queries`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use sluice_kafka::{TopicSpec, end_offsets, ensure_topics, exists, lag, partitions};
use sluice_model::{DeployedQuery, DeviceState, topics};
use sluice_runtime::exit::Failure;
use sluice_wire::record;

use crate::context::{Context, failure};
use crate::problems::Problems;
use crate::{deployment, rows};

/// The topics of a plan that are there already.
///
/// # Errors
/// Brokers that do not answer. Topics that do not fit are added to `problems`.
pub fn known_topics(
    context: &Context,
    plan: &DeployedQuery,
    problems: &mut Problems,
) -> Result<BTreeSet<String>> {
    let mut known = BTreeSet::new();
    let (frames, copies) = (deployment::frame_topics(plan), deployment::copy_topics(plan));
    let frames = frames.iter().map(|spec| (spec, true));
    for (spec, exactly) in frames.chain(copies.iter().map(|spec| (spec, false))) {
        if exists(&context.kafka, &spec.name).map_err(failure)? {
            known.insert(spec.name.clone());
            problems.take(check_partitions(context, spec, exactly));
        }
    }
    Ok(known)
}

/// Whether a topic of frames of that version holds any.
pub fn has_frames(context: &Context, plan: &DeployedQuery) -> Result<bool> {
    for spec in deployment::frame_topics(plan) {
        if exists(&context.kafka, &spec.name).map_err(failure)? {
            let ends = end_offsets(&context.kafka, &spec.name).map_err(failure)?;
            if ends.values().any(|end| *end > 0) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What became of a plan.
#[derive(Debug)]
pub struct Published {
    /// What stands in `sluice.queries`.
    pub query: DeployedQuery,
    /// Whether this made it stand there.
    pub new: bool,
}

/// Makes a plan known that may stand beside `deployed`. Done again, it changes nothing.
///
/// # Errors
/// Services that do not answer or refuse (exit code 69 or 64).
pub fn publish(
    context: &Context,
    plan: &DeployedQuery,
    deployed: Option<&DeployedQuery>,
) -> Result<Published> {
    create_topics(context, plan)?;
    let mut query = register(context, plan)?;
    let same = deployed.is_some_and(|deployed| deployed.version == plan.version);
    if let Some(deployed) = deployed {
        query.older = match same {
            true => deployed.older.clone(),
            false => older(context, deployed)?,
        };
    }
    if same && deployed != Some(&query) {
        return Err(Failure::usage(format!(
            "{}: version {} is deployed already, with other schema ids: the registry was re-created; raise the version",
            plan.query, plan.version
        )));
    }
    if !same {
        write(context, &query)?;
    }
    Ok(Published { query, new: !same })
}

fn create_topics(context: &Context, plan: &DeployedQuery) -> Result<()> {
    let mut specs = deployment::frame_topics(plan);
    for spec in deployment::copy_topics(plan) {
        if !exists(&context.kafka, &spec.name).map_err(failure)? {
            specs.push(spec);
        }
    }
    ensure_topics(&context.kafka, &specs).map_err(failure)?;
    Ok(())
}

/// Of a topic that versions share an earlier one may have made more partitions than needed, which does no harm.
fn check_partitions(context: &Context, spec: &TopicSpec, exactly: bool) -> Result<()> {
    let found = partitions(&context.kafka, &spec.name).map_err(failure)?;
    if found < spec.partitions || (exactly && found != spec.partitions) {
        let remedy = if exactly { "raise the version" } else { "add partitions to it" };
        return Err(Failure::usage(format!(
            "topic {} has {found} partitions, but the plan needs {}; {remedy}",
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

/// What goes on beside the new version: devices may hold events of it, or stages frames.
fn older(context: &Context, deployed: &DeployedQuery) -> Result<Vec<DeployedQuery>> {
    let devices = rows::Catalog::read(context)?.devices;
    let statuses = rows::statuses(context)?;
    let is_held = |query: &DeployedQuery| {
        statuses.iter().any(|(key, status)| {
            let joined = devices.get(key).is_some_and(|entry| entry.state == DeviceState::Joined);
            let ready = status.ready.iter().any(|ready| ready.version == query.version);
            key.query == query.query && joined && ready
        })
    };
    let mut lagging = BTreeSet::new();
    for query in &deployed.older {
        for input in &query.inputs {
            for applied in 0..input.operator_count() {
                let topic = query.topic(input, applied);
                let group = topics::group(&topic);
                if exists(&context.kafka, &topic).map_err(failure)?
                    && lag(&context.kafka, &group, &topic).map_err(failure)? > 0
                {
                    lagging.insert(query.version);
                }
            }
        }
    }
    let still_used = |query: &DeployedQuery| is_held(query) || lagging.contains(&query.version);
    Ok(deployment::older(deployed, still_used))
}

fn write(context: &Context, query: &DeployedQuery) -> Result<()> {
    let id = query.schema_id("DeployedQuery").unwrap_or_default();
    let value = record::encode(id, query)?;
    let key = query.query.as_str();
    context.writer()?.write(topics::QUERIES, Some(0), key, Some(&value)).map_err(failure)?;
    Ok(())
}
