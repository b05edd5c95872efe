//! `sluice ping`: whether the services can be reached from here.

use anyhow::Result;
use clap::Args;
use serde_json::json;
use sluice_kafka::KafkaError;

use crate::context::{Context, failure};

/// Options of `ping`.
#[derive(Debug, Args)]
pub struct Options {
    /// Ask the schema registry too.
    #[arg(long)]
    with_registry: bool,
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    context.probe()?;
    if options.with_registry {
        // Any answer will do; there need not be such a schema.
        if let Err(error @ KafkaError::Unreachable { .. }) = context.registry().schema(1) {
            return Err(failure(error));
        }
    }
    let asked =
        if options.with_registry { "brokers and registry answer" } else { "brokers answer" };
    context.print(asked, &json!({ "brokers": true, "registry": options.with_registry }))
}
