//! `sluice device`: which devices take part in an input.

use anyhow::{Context as _, Result};
use clap::Subcommand;
use serde_json::json;
use sluice_model::{DeviceEntry, DeviceKey, DeviceState, topics};
use sluice_runtime::exit::Failure;
use sluice_wire::record;

use crate::args::Scope;
use crate::context::{Context, failure};
use crate::rows::Catalog;
use crate::table::Table;

/// Subcommands of `device`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Let a device take part in an input.
    Join {
        /// QUERY/INPUT/DEVICE.
        device: DeviceKey,
        /// The partition of its frames, in every topic of the input; devices may share one.
        #[arg(long)]
        partition: i32,
        /// The name of a source in the device's configuration.
        #[arg(long)]
        source: String,
    },
    /// Let a device leave an input: it drains its spool, says up to where its events go, and ends.
    Leave {
        /// QUERY/INPUT/DEVICE.
        device: DeviceKey,
    },
    /// List the devices of all queries, of a query, or of one of its inputs.
    List {
        /// QUERY or QUERY/INPUT.
        scope: Option<Scope>,
    },
}

/// Runs the command.
pub fn run(context: &Context, command: &Command) -> Result<()> {
    let catalog = Catalog::read(context)?;
    match command {
        Command::Join { device, partition, source } => {
            let entry = DeviceEntry {
                partition: *partition,
                source: source.clone(),
                state: DeviceState::Joined,
            };
            check_entry(&catalog, device, &entry)?;
            put(context, &catalog, device, &entry, "joined")
        }
        Command::Leave { device } => {
            catalog.check_joined(device)?;
            let entry = DeviceEntry { state: DeviceState::Left, ..catalog.devices[device].clone() };
            put(context, &catalog, device, &entry, "leaves")
        }
        Command::List { scope } => list(context, &catalog, scope.as_ref()),
    }
}

fn put(
    context: &Context,
    catalog: &Catalog,
    key: &DeviceKey,
    entry: &DeviceEntry,
    word: &str,
) -> Result<()> {
    let query = catalog.query(&key.query)?;
    let id = query.schema_id("DeviceEntry").context("the deployed query lists no DeviceEntry")?;
    let value = record::encode(id, entry)?;
    context
        .writer()?
        .write(topics::DEVICES, Some(0), &key.to_string(), Some(&value))
        .map_err(failure)?;
    context.print(
        format!("{key} {word}, partition {}, source {}", entry.partition, entry.source),
        &json!({ "device": key.to_string(), "entry": entry }),
    )
}

fn check_entry(catalog: &Catalog, key: &DeviceKey, entry: &DeviceEntry) -> Result<()> {
    let (_, input) = catalog.input(&key.query, &key.input)?;
    let (partition, partitions) = (entry.partition, input.partitions);
    if !(0..partitions).contains(&partition) {
        let range = format!("0..{}", partitions - 1);
        return Err(Failure::usage(format!("--partition {partition} is not within {range}")));
    }
    match catalog.devices.get(key) {
        Some(known) if known.state == DeviceState::Joined && known.partition != partition => {
            Err(Failure::usage(format!(
                "{key} has partition {}; a device changes its partition only after it left",
                known.partition
            )))
        }
        _ => Ok(()),
    }
}

fn list(context: &Context, catalog: &Catalog, scope: Option<&Scope>) -> Result<()> {
    let mut table = Table::new(&["DEVICE", "PARTITION", "SOURCE", "STATE"]);
    let mut rows = Vec::new();
    for (key, entry) in &catalog.devices {
        if scope.is_none_or(|scope| scope.covers(key)) {
            let state = serde_json::to_value(entry.state)?;
            table.row([
                key.to_string(),
                entry.partition.to_string(),
                entry.source.clone(),
                state.as_str().unwrap_or_default().to_owned(),
            ]);
            rows.push(json!({ "device": key.to_string(), "entry": entry }));
        }
    }
    context.print(table, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::tests::{catalog, key};

    fn entry(partition: i32) -> DeviceEntry {
        DeviceEntry { partition, source: "replay".to_owned(), state: DeviceState::Joined }
    }

    #[test]
    fn a_device_keeps_its_partition() {
        let catalog = catalog();
        let check = |device, partition| check_entry(&catalog, &key(device), &entry(partition));
        assert!(check("pi-1", 3).is_ok());
        assert!(check("pi-1", 1).unwrap_err().to_string().contains("only after it left"));
        assert!(check("pi-2", 1).is_ok());
        assert!(check("pi-3", 4).unwrap_err().to_string().contains("0..3"));
        assert!(check("pi-3", -1).is_err());
    }
}
