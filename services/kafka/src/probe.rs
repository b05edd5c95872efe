//! One look at the brokers before a service starts.

use std::time::Duration;

use rdkafka::consumer::Consumer;

use crate::client;
use crate::error::BOOTSTRAP;
use crate::{KafkaError, Properties};

/// How long each step of an explanation may take.
const EXPLAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the bootstrap servers for the brokers, then asks each address that these advertise.
///
/// So it tells brokers that are not there from a listener that advertises an address which can't be reached from here,
/// the usual mistake with several networks. `timeout` is for each step.
///
/// # Errors
/// What can't be reached, and which setting names it.
pub fn probe(properties: &Properties, timeout: Duration) -> Result<(), KafkaError> {
    let asker = client::asker(properties)?;
    let place = client::place(properties);
    // Any topic will do, whether it exists or not; asking for all may be a large answer on a thin link.
    let metadata =
        asker.fetch_metadata(Some(sluice_model::topics::QUERIES), timeout).map_err(|error| {
            KafkaError::of(place, "the brokers", &error, client::last_trouble(&asker))
        })?;
    let unreachable: Vec<String> = metadata
        .brokers()
        .iter()
        .filter_map(|broker| {
            let address = format!("{}:{}", broker.host(), broker.port());
            answers(properties, &address, timeout).err().map(|error| match error {
                KafkaError::Unreachable { what, .. } => format!("{address} ({what})"),
                other => format!("{address} ({other})"),
            })
        })
        .collect();
    if unreachable.is_empty() {
        return Ok(());
    }
    let what = format!(
        "the broker answers, but advertises {}, which can't be reached from here; \
         see its advertised.listeners and {BOOTSTRAP}",
        unreachable.join(", ")
    );
    Err(KafkaError::unreachable(place, what))
}

/// Probes on a thread of its own and logs what it finds: for services that start without the broker. `meanwhile` says how
/// they go on.
pub fn explain_unreachable(properties: &Properties, meanwhile: &'static str) {
    let properties = properties.clone();
    std::thread::spawn(move || {
        if let Err(error) = probe(&properties, EXPLAIN_TIMEOUT) {
            tracing::warn!("{error}; {meanwhile}");
        }
    });
}

/// Whether a broker answers at an address, and not only a proxy in front of it accepts connections.
fn answers(properties: &Properties, address: &str, timeout: Duration) -> Result<(), KafkaError> {
    let mut there = properties.clone();
    there.insert("bootstrap.servers".to_owned(), address.to_owned());
    let asker = client::asker(&there)?;
    let asked = asker.fetch_metadata(Some(sluice_model::topics::QUERIES), timeout);
    asked.map(drop).map_err(|error| {
        KafkaError::of(address, "the broker", &error, client::last_trouble(&asker))
    })
}
