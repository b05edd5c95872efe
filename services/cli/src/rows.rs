//! What stands in Sluice's own topics.

use std::collections::BTreeMap;

use anyhow::Result;
use sluice_kafka::{Start, read_to_end};
use sluice_model::{
    DeployedQuery, DeviceEntry, DeviceKey, DeviceState, DeviceStatus, GENERATION_KEY, Input,
    InputName, QueryId, topics,
};
use sluice_runtime::exit::Failure;
use sluice_wire::{RecordError, decode_entry, record};

use crate::args::Scope;
use crate::context::{Context, failure};
use crate::generation::Generation;

/// What is deployed, and on which devices.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Deployed queries.
    pub queries: BTreeMap<QueryId, DeployedQuery>,
    /// Devices of their inputs, those that left too.
    pub devices: BTreeMap<DeviceKey, DeviceEntry>,
}

impl Catalog {
    /// Reads `sluice.queries` and `sluice.devices`.
    pub fn read(context: &Context) -> Result<Self> {
        Ok(Self { queries: queries(context)?, devices: devices(context)? })
    }

    /// The deployed query.
    ///
    /// # Errors
    /// When it is not deployed (exit code 64), naming those that are.
    pub fn query(&self, id: &QueryId) -> Result<&DeployedQuery> {
        self.queries.get(id).ok_or_else(|| {
            let known: Vec<&str> = self.queries.keys().map(QueryId::as_str).collect();
            Failure::usage(format!("query `{id}` is not deployed; deployed: {}", list(&known)))
        })
    }

    /// A deployed query with one of its inputs.
    ///
    /// # Errors
    /// When there is no such query or input (exit code 64).
    pub fn input(&self, id: &QueryId, name: &InputName) -> Result<(&DeployedQuery, &Input)> {
        let query = self.query(id)?;
        let input = query.input(name).ok_or_else(|| {
            let known: Vec<&str> = query.inputs.iter().map(|input| input.name.as_str()).collect();
            Failure::usage(format!("query `{id}` has no input `{name}`; it has: {}", list(&known)))
        })?;
        Ok((query, input))
    }

    /// Whether a device takes part in an input.
    ///
    /// # Errors
    /// When it never joined, or left (exit code 64), naming those that take part.
    pub fn check_joined(&self, key: &DeviceKey) -> Result<()> {
        if self.devices.get(key).is_some_and(|entry| entry.state == DeviceState::Joined) {
            return Ok(());
        }
        let joined = self.devices.iter().filter(|(other, entry)| {
            other.query == key.query
                && other.input == key.input
                && entry.state == DeviceState::Joined
        });
        let joined: Vec<&str> = joined.map(|(other, _)| other.device.as_str()).collect();
        Err(Failure::usage(format!(
            "device `{}` takes no part in {}/{}; those that do: {}",
            key.device,
            key.query,
            key.input,
            list(&joined)
        )))
    }
}

impl Scope {
    /// Whether a device's input lies within the scope.
    pub fn covers(&self, key: &DeviceKey) -> bool {
        self.query == key.query && self.input.as_ref().is_none_or(|input| *input == key.input)
    }
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The deployed queries.
pub fn queries(context: &Context) -> Result<BTreeMap<QueryId, DeployedQuery>> {
    decoded(context, topics::QUERIES, record::decode)
}

/// The deployed queries, every one of them.
///
/// # Errors
/// A row that can't be read (exit code 64): this `sluice` may be older than the one that wrote it.
pub fn all_queries(context: &Context) -> Result<Vec<DeployedQuery>> {
    let read = |(key, value): (String, Vec<u8>)| {
        let row = record::decode(&value);
        row.map_err(|error| Failure::usage(format!("{}: `{key}`: {error}", topics::QUERIES)))
    };
    newest(context, topics::QUERIES)?.into_iter().map(read).collect()
}

fn devices(context: &Context) -> Result<BTreeMap<DeviceKey, DeviceEntry>> {
    decoded(context, topics::DEVICES, decode_entry)
}

/// The statuses of devices. Rows under other keys (hellos, the generation) are left out.
pub fn statuses(context: &Context) -> Result<BTreeMap<DeviceKey, DeviceStatus>> {
    let rows = newest(context, topics::STATUS)?.into_iter();
    let rows = rows.filter(|(key, _)| key.parse::<DeviceKey>().is_ok());
    Ok(parsed(topics::STATUS, rows, record::decode))
}

/// The generation in each partition of a topic that has one.
pub fn generations(context: &Context, topic: &str) -> Result<BTreeMap<i32, i64>> {
    let mut found = BTreeMap::new();
    read_to_end(&context.kafka, topic, &Start::Beginning, |message| {
        let value = message.payload.filter(|_| message.key.as_deref() == Some(GENERATION_KEY));
        let value = value.and_then(|value| serde_json::from_slice::<Generation>(&value).ok());
        if let Some(value) = value {
            found.insert(message.partition, value.generation);
        }
    })
    .map_err(failure)?;
    Ok(found)
}

/// The newest row of each key of a compacted topic with one partition; deleted rows are left out.
fn newest(context: &Context, topic: &str) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut rows = BTreeMap::new();
    read_to_end(&context.kafka, topic, &Start::Beginning, |message| {
        match (message.key, message.payload) {
            (Some(key), Some(value)) => rows.insert(key, value),
            (Some(key), None) => rows.remove(&key),
            (None, _) => None,
        };
    })
    .map_err(failure)?;
    Ok(rows)
}

fn decoded<K: std::str::FromStr + Ord, V>(
    context: &Context,
    topic: &str,
    decode: impl Fn(&[u8]) -> Result<V, RecordError>,
) -> Result<BTreeMap<K, V>> {
    Ok(parsed(topic, newest(context, topic)?.into_iter(), decode))
}

/// Rows as values. Those that can't be read are named on standard error and left out, as services leave them out.
fn parsed<K: std::str::FromStr + Ord, V>(
    topic: &str,
    rows: impl Iterator<Item = (String, Vec<u8>)>,
    decode: impl Fn(&[u8]) -> Result<V, RecordError>,
) -> BTreeMap<K, V> {
    let mut values = BTreeMap::new();
    for (key, value) in rows {
        match (key.parse::<K>(), decode(&value)) {
            (Ok(key), Ok(value)) => {
                values.insert(key, value);
            }
            (Err(_), _) => eprintln!("sluice: {topic}: ignoring the key `{key}`"),
            (_, Err(error)) => eprintln!("sluice: {topic}: ignoring the row of `{key}`: {error}"),
        }
    }
    values
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sluice_runtime::exit;

    pub(crate) fn catalog() -> Catalog {
        let plan = r#"{"query":"q1","version":1,"inputs":[{"name":"readings","partitions":4,
            "types":["\"string\"","\"long\"","\"long\""],"operators":[
            {"name":"parse","engine":"native","ir":""},{"name":"project","engine":"native","ir":""}]}],
            "schema_ids":{"RoutingCommand":17}}"#;
        let query: DeployedQuery = serde_json::from_str(plan).unwrap();
        let entry = |state| DeviceEntry { partition: 3, source: "replay".to_owned(), state };
        let devices = [("pi-1", DeviceState::Joined), ("pi-2", DeviceState::Left)];
        let devices = devices.map(|(device, state)| (key(device), entry(state)));
        Catalog { queries: [(query.query.clone(), query)].into(), devices: devices.into() }
    }

    pub(crate) fn key(device: &str) -> DeviceKey {
        format!("q1/readings/{device}").parse().unwrap()
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is() {
        let catalog = catalog();
        let error = catalog.query(&"q2".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "query `q2` is not deployed; deployed: q1");
        assert_eq!(exit::code_of(&error), exit::USAGE);
        let error = catalog.input(&"q1".parse().unwrap(), &"x".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "query `q1` has no input `x`; it has: readings");
        let error = catalog.check_joined(&key("pi-2")).unwrap_err();
        assert!(error.to_string().ends_with("those that do: pi-1"), "{error}");
        assert!(catalog.check_joined(&key("pi-1")).is_ok());
    }

    #[test]
    fn rows_that_can_not_be_read_are_left_out() {
        let json = br#"{"partition":0,"source":"replay"}"#.to_vec();
        let rows = [("q1/readings/pi-1", json.clone()), ("x", json), ("q1/readings/pi-2", vec![9])];
        let rows = rows.map(|(key, value)| (key.to_owned(), value)).into_iter();
        let read: BTreeMap<DeviceKey, DeviceEntry> = parsed("t", rows, decode_entry);
        assert_eq!(read.into_keys().collect::<Vec<_>>(), [key("pi-1")]);
    }
}
