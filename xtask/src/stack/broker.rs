//! The Kafka broker: one node, its own controller, one more listener per device.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::java::{all_of, java};
use crate::paths;
use crate::process::output;

const LOG4J: &str = include_str!("../../assets/log4j2.properties");
pub(super) const LOG4J_FILE: &str = "log4j2.properties";
const CLUSTER_ID: &str = "c2x1aWNlLXN0YWNrLTAwMQ";
const TIMEOUT: Duration = Duration::from_secs(5);

/// The ports of a broker.
pub(super) struct Broker<'a> {
    pub(super) client: u16,
    pub(super) controller: u16,
    /// Where the broker listens for each device.
    pub(super) listeners: &'a [u16],
    /// What it says to each device instead: the port of the device's relay.
    pub(super) relays: &'a [u16],
}

/// What doesn't depend on ports: one node, nothing created unasked, quick joins and quick restarts, little memory.
const SETTINGS: &str = "\
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROLLER
inter.broker.listener.name=CLOUD
auto.create.topics.enable=false
default.replication.factor=1
min.insync.replicas=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=2
transaction.max.timeout.ms=900000
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
group.consumer.min.heartbeat.interval.ms=200
group.consumer.heartbeat.interval.ms=500
group.consumer.min.session.timeout.ms=1000
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=2000
num.network.threads=2
num.io.threads=4
background.threads=2
log.cleaner.threads=1
log.cleaner.dedupe.buffer.size=8388608
log.cleaner.backoff.ms=1000
log.segment.bytes=67108864
log.index.size.max.bytes=1048576
message.max.bytes=8388608
";

impl Broker<'_> {
    fn properties(&self, dir: &Path) -> String {
        let mut listeners =
            format!("CLOUD://127.0.0.1:{},CONTROLLER://127.0.0.1:{}", self.client, self.controller);
        let mut advertised = format!("CLOUD://127.0.0.1:{}", self.client);
        let mut protocols = "CLOUD:PLAINTEXT,CONTROLLER:PLAINTEXT".to_owned();
        for (i, (listener, relay)) in self.listeners.iter().zip(self.relays).enumerate() {
            // Writing to a string can't fail.
            let _ = write!(listeners, ",WAN{i}://127.0.0.1:{listener}");
            let _ = write!(advertised, ",WAN{i}://127.0.0.1:{relay}");
            let _ = write!(protocols, ",WAN{i}:PLAINTEXT");
        }
        format!(
            "{SETTINGS}controller.quorum.voters=1@127.0.0.1:{}\nlisteners={listeners}\nadvertised.listeners={advertised}\n\
             listener.security.protocol.map={protocols}\nlog.dirs={}\n",
            self.controller,
            dir.join("kafka").display(),
        )
    }

    /// Writes the configuration and formats the data folder.
    pub(super) fn format(&self, dir: &Path) -> Result<()> {
        fs::write(dir.join("kafka.properties"), self.properties(dir))?;
        fs::write(dir.join(LOG4J_FILE), LOG4J)?;
        let mut format = jvm(64, dir);
        format.args([
            "-XX:TieredStopAtLevel=1",
            "kafka.tools.StorageTool",
            "format",
            "-t",
            CLUSTER_ID,
            "-c",
        ]);
        output(format.arg(dir.join("kafka.properties"))).map(|_| ())
    }

    /// The broker's process.
    pub(super) fn command(&self, dir: &Path) -> Command {
        let mut command = jvm(256, dir);
        command
            .args(["-XX:MaxDirectMemorySize=128m", "kafka.Kafka"])
            .arg(dir.join("kafka.properties"));
        command
    }
}

fn jvm(heap_mb: u32, dir: &Path) -> Command {
    let mut java = java(heap_mb, &[all_of(&paths::kafka_libs())], dir);
    java.arg(format!("-Dlog4j2.configurationFile={}", dir.join(LOG4J_FILE).display()));
    java
}

/// Asks a broker for the nodes of its cluster and returns the address it gives for the first: the broker is up, and a
/// client that came this way will go on to that address.
pub(super) fn node(address: SocketAddr) -> Result<SocketAddr> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(&metadata_request())?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    ensure!(length < 1 << 20, "{address} speaks no Kafka");
    let mut response = vec![0; length as usize];
    stream.read_exact(&mut response)?;
    first_node(&response).with_context(|| format!("{address} names no node yet"))
}

/// A metadata request of version 8 for no topic, length in front.
fn metadata_request() -> Vec<u8> {
    const METADATA: i16 = 3;
    const VERSION: i16 = 8;
    let mut request = Vec::new();
    request.extend(METADATA.to_be_bytes());
    request.extend(VERSION.to_be_bytes());
    request.extend(1i32.to_be_bytes()); // correlation id
    request.extend((-1i16).to_be_bytes()); // no client id
    request.extend(0i32.to_be_bytes()); // no topics
    request.extend([0, 0, 0]); // create none, authorized operations of neither cluster nor topics
    let mut framed = (request.len() as i32).to_be_bytes().to_vec();
    framed.extend(request);
    framed
}

/// Host and port of the first node of a metadata response; none while the broker knows none.
fn first_node(response: &[u8]) -> Option<SocketAddr> {
    // Correlation id and throttle time come first, then the nodes: id, host, port, rack.
    let (count, rest) = response.get(8..)?.split_at_checked(4)?;
    let (_id, rest) = rest.split_at_checked(4)?;
    let (host_length, rest) = rest.split_at_checked(2)?;
    let (host, rest) =
        rest.split_at_checked(u16::from_be_bytes(host_length.try_into().ok()?).into())?;
    let port = i32::from_be_bytes(rest.get(..4)?.try_into().ok()?);
    let is_one = i32::from_be_bytes(count.try_into().ok()?) > 0;
    is_one.then_some(SocketAddr::new(
        std::str::from_utf8(host).ok()?.parse().ok()?,
        port.try_into().ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_is_told_the_address_of_its_relay() {
        let broker = Broker { client: 1, controller: 2, listeners: &[3, 4], relays: &[5, 6] };
        let properties = broker.properties(Path::new("/scratch"));
        assert!(properties.contains(
            "\nlisteners=CLOUD://127.0.0.1:1,CONTROLLER://127.0.0.1:2,WAN0://127.0.0.1:3,WAN1://127.0.0.1:4\n"
        ));
        assert!(properties.contains(
            "\nadvertised.listeners=CLOUD://127.0.0.1:1,WAN0://127.0.0.1:5,WAN1://127.0.0.1:6\n"
        ));
        assert!(properties.contains("\nlog.dirs=/scratch/kafka\n"));
    }

    #[test]
    fn the_first_node_of_a_response_is_read() {
        let mut response = vec![0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 9];
        response.extend(b"127.0.0.1");
        response.extend(9092i32.to_be_bytes());
        assert_eq!(first_node(&response), Some(([127, 0, 0, 1], 9092).into()));
        for length in 0..response.len() {
            assert_eq!(first_node(&response[..length]), None);
        }
        assert_eq!(first_node(&[0; 12]), None);
    }
}
