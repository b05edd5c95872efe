//! What the tests share: a mock cluster and waiting with a deadline.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::time::{Duration, Instant};

use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use sluice_kafka::{Delivery, FrameProducer, Properties, Record};

pub type Cluster = MockCluster<'static, DefaultProducerContext>;

/// How long anything may take on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

pub fn cluster(topics: &[(&str, i32)]) -> (Cluster, Properties) {
    let cluster = MockCluster::new(1).unwrap();
    for (topic, partitions) in topics {
        cluster.create_topic(topic, *partitions, 1).unwrap();
    }
    let properties = at(&cluster.bootstrap_servers());
    (cluster, properties)
}

pub fn at(servers: &str) -> Properties {
    [("bootstrap.servers".to_owned(), servers.to_owned())].into()
}

/// Properties of brokers that are not there: a port that was free a moment ago.
pub fn nowhere() -> Properties {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    at(&format!("127.0.0.1:{port}"))
}

/// Calls until there is a value, at most until the deadline.
pub fn wait<T>(what: &str, mut get: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + DEADLINE;
    loop {
        if let Some(value) = get() {
            return value;
        }
        assert!(Instant::now() < until, "no {what} in time");
        std::thread::yield_now();
    }
}

pub fn record<'a>(topic: &'a str, partition: i32, payload: &'a [u8]) -> Record<'a> {
    Record { topic, partition, key: "pi-1", headers: &[("first", "0"), ("last", "9")], payload }
}

/// Polls until there are `count` deliveries.
pub fn deliveries(producer: &FrameProducer, count: usize) -> Vec<Delivery> {
    let mut all = Vec::new();
    wait("deliveries", || {
        let mut some = Vec::new();
        producer.poll(Duration::from_millis(100), &mut some);
        all.extend(some);
        (all.len() >= count).then_some(())
    });
    all
}

/// Sends numbered messages `from..to` and waits for their acknowledgements.
pub fn fill(properties: &Properties, topic: &str, partition: i32, numbers: std::ops::Range<u64>) {
    let producer = FrameProducer::new(properties, "fill").unwrap();
    for number in numbers.clone() {
        producer.send(record(topic, partition, &number.to_be_bytes()), number).unwrap();
    }
    let count = usize::try_from(numbers.end - numbers.start).unwrap();
    assert!(deliveries(&producer, count).iter().all(|delivery| delivery.result.is_ok()));
}
