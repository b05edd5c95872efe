//! `sluice init`: Sluice's own topics, their schemas, the generation.

use anyhow::Result;
use clap::Args;
use serde_json::json;
use sluice_kafka::{Ensured, TopicSpec, ensure_topics, exists, partitions};
use sluice_model::{GENERATION_KEY, topics};
use sluice_runtime::clock;
use sluice_runtime::exit::Failure;

use crate::context::{Context, failure};
use crate::deployment::{OWN_RECORDS, topic};
use crate::generation::{self, Generation, Place};
use crate::rows;

/// Options of `init`.
#[derive(Debug, Args)]
pub struct Options {
    /// Partitions of sluice.control: as many as it has, else 1. With more than one, a console producer's plain JSON does
    /// not find the partition of the device.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..))]
    control_partitions: Option<i32>,
}

/// Runs the command. Done again, it changes nothing.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    context.probe()?;
    let control_partitions = match options.control_partitions {
        Some(asked) => asked,
        None if exists(&context.kafka, topics::CONTROL).map_err(failure)? => {
            partitions(&context.kafka, topics::CONTROL).map_err(failure)?
        }
        None => 1,
    };
    let specs = own_topics(control_partitions);
    let ensured = ensure_topics(&context.kafka, &specs).map_err(failure)?;
    let created = ensured.into_iter().filter_map(|ensured| match ensured {
        Ensured::Created(name) => Some(name),
        Ensured::Existed(_) => None,
    });
    let created: Vec<String> = created.collect();
    for (topic, record) in OWN_RECORDS {
        context.register_control(topic, record)?;
    }
    let generation = settle_generation(context, control_partitions, &created)?;
    context.print(
        format!("generation {generation}, {} of {} topics created", created.len(), specs.len()),
        &json!({ "generation": generation, "created": created }),
    )
}

/// The topics that `init` creates (DESIGN section 2).
fn own_topics(control_partitions: i32) -> Vec<TopicSpec> {
    let compacted = [
        ("cleanup.policy", "compact"),
        // A superseded row stays a minute, so that whoever reads can keep up; it is gone within hours.
        ("min.compaction.lag.ms", "60000"),
        ("max.compaction.lag.ms", "3600000"),
        ("min.cleanable.dirty.ratio", "0.1"),
        ("segment.ms", "3600000"),
    ];
    vec![
        topic(topics::QUERIES, 1, &compacted),
        topic(topics::DEVICES, 1, &compacted),
        topic(topics::CONTROL, control_partitions, &compacted),
        topic(topics::STATUS, 1, &compacted),
        topic(topics::LEADER, 1, &[("retention.ms", "3600000")]),
        topic(topics::DECISIONS, 1, &[("retention.ms", "2592000000")]),
        topic(topics::TELEMETRY, 1, &[("retention.ms", "3600000"), ("segment.ms", "600000")]),
    ]
}

/// Sees to it that each place holds the generation, and returns it.
fn settle_generation(
    context: &Context,
    control_partitions: i32,
    created: &[String],
) -> Result<i64> {
    let mut places = Vec::new();
    // The status comes last: who finds the generation there finds it in the others too.
    for (topic, partitions) in [(topics::CONTROL, control_partitions), (topics::STATUS, 1)] {
        let new = created.iter().any(|created| created == topic);
        let found = rows::generations(context, topic)?;
        places.extend((0..partitions).map(|partition| Place {
            topic,
            partition,
            new,
            found: found.get(&partition).copied(),
        }));
    }
    let generation = generation::decide(&places, clock::now_ms()).map_err(Failure::usage)?;
    let value = serde_json::to_vec(&Generation { generation })?;
    let mut writer = context.writer()?;
    for place in places.iter().filter(|place| place.found.is_none()) {
        writer
            .write(place.topic, Some(place.partition), GENERATION_KEY, Some(&value))
            .map_err(failure)?;
    }
    Ok(generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_sluice_s_topics_take_the_broker_s_time() {
        let specs = own_topics(3);
        assert_eq!(specs.len(), 7);
        for spec in specs {
            assert!(
                spec.configs.iter().any(|(_, value)| value == "LogAppendTime"),
                "{}",
                spec.name
            );
            assert_eq!(spec.partitions, if spec.name == topics::CONTROL { 3 } else { 1 });
        }
    }
}
