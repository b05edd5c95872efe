//! `sluice topic`: plain topics, such as those of an unsplit job.

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;
use sluice_kafka::{Ensured, ensure_topics};

use crate::args::property;
use crate::context::{Context, failure};
use crate::deployment::topic;

/// Subcommands of `topic`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a topic; one that is there already must have as many partitions.
    Create {
        /// Its name.
        name: String,
        /// Its number of partitions.
        #[arg(long, value_parser = clap::value_parser!(i32).range(1..))]
        partitions: i32,
        /// A setting of a topic that is made, such as retention.ms=-1; may be given several times.
        #[arg(long = "config", value_name = "KEY=VALUE", value_parser = property)]
        config: Vec<(String, String)>,
    },
}

/// Runs the command.
pub fn run(context: &Context, command: &Command) -> Result<()> {
    let Command::Create { name, partitions, config } = command;
    let config: Vec<(&str, &str)> =
        config.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let ensured =
        ensure_topics(&context.kafka, &[topic(name, *partitions, &config)]).map_err(failure)?;
    let new = matches!(ensured[..], [Ensured::Created(_)]);
    let verb = if new { "created" } else { "was there" };
    context.print(
        format!("topic {name} {verb}, partitions: {partitions}"),
        &json!({ "topic": name, "partitions": partitions, "new": new }),
    )
}
