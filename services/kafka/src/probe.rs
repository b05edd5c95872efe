//! One look at the brokers before a service starts.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use rdkafka::consumer::Consumer;

use crate::client;
use crate::error::BOOTSTRAP;
use crate::{KafkaError, Properties};

/// Asks the bootstrap servers for the brokers, then connects to each address that these advertise.
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
            let (host, port) = (broker.host(), u16::try_from(broker.port()).unwrap_or(0));
            connect(host, port, timeout).err().map(|error| format!("{host}:{port} ({error})"))
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

fn connect(host: &str, port: u16, timeout: Duration) -> std::io::Result<()> {
    let mut last = std::io::Error::from(std::io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(_) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}
