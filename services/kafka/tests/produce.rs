//! Producing and reading against librdkafka's mock cluster.

mod common;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use common::{cluster, deliveries, fill, nowhere, record, wait};
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use sluice_kafka::{
    FrameProducer, KafkaError, Offsets, SendError, Start, Writer, read_to_end, tail,
};

#[test]
fn frames_are_acknowledged_in_order_and_read_back() {
    let (_cluster, properties) = cluster(&[("t", 2)]);
    let producer = FrameProducer::new(&properties, "test").unwrap();
    for token in 0..1000_u64 {
        producer.send(record("t", 1, &token.to_be_bytes()), token).unwrap();
    }
    let deliveries = deliveries(&producer, 1000);
    for (delivery, token) in deliveries.iter().zip(0..) {
        let placed = delivery.result.as_ref().unwrap();
        assert_eq!((delivery.token, placed.partition), (token, 1));
        assert_eq!(placed.offset, i64::try_from(token).unwrap());
    }
    let mut read = Vec::new();
    let next = read_to_end(&properties, "t", &Start::Beginning, |m| read.push(m)).unwrap();
    assert_eq!(next, Offsets::from([(0, 0), (1, 1000)]));
    assert_eq!(read.len(), 1000);
    assert_eq!(read[7].payload.as_deref(), Some(&7_u64.to_be_bytes()[..]));
    assert_eq!(read[7].key.as_deref(), Some("pi-1"));
    assert_eq!(read[7].headers[1], ("last".to_owned(), "9".to_owned()));
}

#[test]
fn a_read_goes_on_where_the_last_one_ended() {
    let (_cluster, properties) = cluster(&[("t", 1)]);
    fill(&properties, "t", 0, 0..3);
    let mut count = 0;
    let next = read_to_end(&properties, "t", &Start::Beginning, |_| count += 1).unwrap();
    fill(&properties, "t", 0, 3..5);
    let mut offsets = Vec::new();
    read_to_end(&properties, "t", &Start::At(next), |m| offsets.push(m.offset)).unwrap();
    assert_eq!((count, offsets), (3, vec![3, 4]));
}

#[test]
fn a_tail_ends_when_its_callback_breaks() {
    let (_cluster, properties) = cluster(&[("t", 1)]);
    fill(&properties, "t", 0, 0..3);
    let mut seen = 0;
    let stop = AtomicBool::new(false);
    tail(&properties, "t", &Start::Beginning, &stop, |_| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    assert_eq!(seen, 2);
}

#[test]
fn an_unknown_partition_is_refused_by_name() {
    let (_cluster, properties) = cluster(&[("t", 1)]);
    fill(&properties, "t", 0, 0..1);
    let producer = FrameProducer::new(&properties, "test").unwrap();
    producer.send(record("t", 0, b"x"), 1).unwrap();
    deliveries(&producer, 1);
    let error = producer.send(record("t", 7, b"x"), 2).unwrap_err();
    let SendError::Refused(KafkaError::MissingTopic { what, .. }) = &error else {
        panic!("{error}")
    };
    assert!(what.contains("topic `t`, partition 7"), "{what}");
}

#[test]
fn a_message_that_the_broker_finds_too_large_is_told_from_other_failures() {
    let (cluster, properties) = cluster(&[("t", 1)]);
    let refusal = RDKafkaRespErr::RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;
    cluster.request_errors(RDKafkaApiKey::Produce, &[refusal]);
    let producer = FrameProducer::new(&properties, "test").unwrap();
    producer.send(record("t", 0, b"x"), 1).unwrap();
    let error = deliveries(&producer, 1).remove(0).result.unwrap_err();
    assert!(error.too_large && error.to_string().contains("topic `t`"), "{error}");
}

#[test]
fn frames_wait_for_a_broker_that_is_down() {
    let (cluster, properties) = cluster(&[("t", 1)]);
    fill(&properties, "t", 0, 0..1);
    let producer = FrameProducer::new(&properties, "test").unwrap();
    cluster.broker_down(1).unwrap();
    producer.send(record("t", 0, b"x"), 1).unwrap();
    wait("trouble", || producer.stats().last_error);
    cluster.broker_up(1).unwrap();
    assert!(deliveries(&producer, 1)[0].result.is_ok());
}

#[test]
fn a_dropped_producer_does_not_wait_for_its_broker() {
    let producer = FrameProducer::new(&nowhere(), "test").unwrap();
    producer.send(record("t", 0, b"x"), 1).unwrap();
    let text = wait("trouble", || producer.stats().last_error);
    assert!(text.contains("kafka.bootstrap.servers"), "{text}");
    let start = Instant::now();
    drop(producer);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn statistics_count_the_bytes_on_the_wire() {
    let (_cluster, mut properties) = cluster(&[("t", 1)]);
    properties.insert("statistics.interval.ms".to_owned(), "50".to_owned());
    let producer = FrameProducer::new(&properties, "test").unwrap();
    producer.send(record("t", 0, &[7; 100_000]), 1).unwrap();
    deliveries(&producer, 1);
    let stats = wait("statistics", || Some(producer.stats()).filter(|s| s.sent_bytes > 0));
    assert_eq!(stats.brokers_up, 1);
}

#[test]
fn a_written_message_has_its_place() {
    let (_cluster, properties) = cluster(&[("t", 3)]);
    let mut writer = Writer::new(&properties, "test", common::DEADLINE).unwrap();
    for offset in 0..2 {
        let placed = writer.write("t", Some(2), "k", Some(b"v")).unwrap();
        assert_eq!((placed.partition, placed.offset), (2, offset));
    }
    writer.write("t", Some(1), "k", None).unwrap();
    let mut values = Vec::new();
    read_to_end(&properties, "t", &Start::Beginning, |m| values.push((m.partition, m.payload)))
        .unwrap();
    values.sort();
    assert_eq!(values[0], (1, None));
    assert_eq!(values[1], (2, Some(b"v".to_vec())));
}

#[test]
fn a_write_without_brokers_fails_in_time() {
    let mut writer = Writer::new(&nowhere(), "test", Duration::from_millis(300)).unwrap();
    let error = writer.write("t", None, "k", Some(b"v")).unwrap_err();
    assert!(matches!(error, KafkaError::Unreachable { .. }), "{error:?}");
    assert_eq!(error.exit_code(), 69);
}

#[test]
fn properties_that_do_not_fit_are_named() {
    let mut properties = nowhere();
    properties.insert("linger.msec".to_owned(), "5".to_owned());
    let error = FrameProducer::new(&properties, "test").unwrap_err();
    assert!(error.to_string().starts_with("kafka.linger.msec"), "{error}");
    assert_eq!(error.exit_code(), 64);
    let error = FrameProducer::new(&common::at(" "), "test").unwrap_err();
    assert!(error.to_string().starts_with("kafka.bootstrap.servers"), "{error}");
}
