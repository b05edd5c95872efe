//! Following compacted topics and consuming stages against librdkafka's mock cluster.

mod common;

use std::time::Duration;

use common::{cluster, fill, nowhere, wait};
use sluice_kafka::{Followed, Follower, KafkaError, Message, Polled, StageConsumer, probe};

fn next(follower: &mut Follower) -> Followed {
    wait("row", || follower.try_next())
}

/// The next thing but trouble, which a busy machine may cause.
fn next_row(follower: &mut Follower) -> Followed {
    loop {
        match next(follower) {
            Followed::Trouble(_) => {}
            other => return other,
        }
    }
}

#[test]
fn a_follower_gives_all_rows_says_so_once_and_goes_on() {
    let (_cluster, properties) = cluster(&[("a", 2), ("b", 1), ("empty", 1)]);
    fill(&properties, "a", 1, 0..3);
    fill(&properties, "b", 0, 0..2);
    let mut follower = Follower::start(&properties, &["a", "b", "empty"], "test").unwrap();
    let mut rows = Vec::new();
    loop {
        match next_row(&mut follower) {
            Followed::Row(row) => rows.push((row.topic.to_string(), row.partition, row.offset)),
            Followed::CaughtUp => break,
            Followed::Trouble(_) => unreachable!("left out above"),
        }
    }
    rows.sort();
    let row = |topic: &str, partition, offset| (topic.to_owned(), partition, offset);
    let all = [row("a", 1, 0), row("a", 1, 1), row("a", 1, 2), row("b", 0, 0), row("b", 0, 1)];
    assert_eq!(rows, all);
    fill(&properties, "empty", 0, 5..6);
    let Followed::Row(row) = next_row(&mut follower) else { panic!("no row") };
    assert_eq!((&*row.topic, row.offset, row.key.as_deref()), ("empty", 0, Some("pi-1")));
    assert_eq!(row.value.as_deref(), Some(&5_u64.to_be_bytes()[..]));
}

#[test]
fn a_follower_outlives_an_outage() {
    let (cluster, properties) = cluster(&[("a", 1)]);
    cluster.broker_down(1).unwrap();
    let mut follower = Follower::start(&properties, &["a"], "test").unwrap();
    let Followed::Trouble(text) = next(&mut follower) else { panic!("no trouble") };
    assert!(text.contains("kafka.bootstrap.servers"), "{text}");
    cluster.broker_up(1).unwrap();
    assert_eq!(next_row(&mut follower), Followed::CaughtUp);
    fill(&properties, "a", 0, 0..1);
    assert!(matches!(next_row(&mut follower), Followed::Row(_)));
}

#[test]
fn probing_brokers_that_are_not_there_names_the_setting() {
    let properties = nowhere();
    let error = probe(&properties, Duration::from_secs(2)).unwrap_err();
    assert!(matches!(error, KafkaError::Unreachable { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("kafka.bootstrap.servers") && text.contains("refused"), "{text}");
    let (_cluster, properties) = cluster(&[]);
    probe(&properties, common::DEADLINE).unwrap();
}

fn stage(properties: &sluice_kafka::Properties) -> StageConsumer {
    let mut properties = properties.clone();
    properties.insert("session.timeout.ms".to_owned(), "6000".to_owned());
    properties.insert("heartbeat.interval.ms".to_owned(), "200".to_owned());
    StageConsumer::new(&properties, "s", "sluice.s", "test").unwrap()
}

fn poll(consumer: &mut StageConsumer) -> Option<Polled> {
    match consumer.poll(Duration::from_millis(50)) {
        Some(Polled::Trouble(_)) | None => None,
        other => other,
    }
}

fn message(consumer: &mut StageConsumer) -> Message {
    wait("message", || match poll(consumer) {
        Some(Polled::Message(message)) => Some(message),
        _ => None,
    })
}

#[test]
fn a_stage_is_read_again_from_what_was_committed() {
    let (_cluster, properties) = cluster(&[("s", 1)]);
    fill(&properties, "s", 0, 0..6);
    let mut first = stage(&properties);
    assert_eq!(wait("assignment", || poll(&mut first)), Polled::Assigned(vec![0]));
    let offsets: Vec<i64> = (0..4).map(|_| message(&mut first).offset).collect();
    assert_eq!(offsets, [0, 1, 2, 3]);
    first.seek(&[(0, 1)]).unwrap();
    assert_eq!(message(&mut first).offset, 1);
    first.commit_and_wait(&[(0, 3)]).unwrap();
    drop(first);
    let mut second = stage(&properties);
    let read = message(&mut second);
    assert_eq!((read.offset, read.headers[0].0.as_str()), (3, "first"));
}

#[test]
fn a_second_member_takes_over_partitions() {
    let (_cluster, properties) = cluster(&[("s", 2)]);
    let mut first = stage(&properties);
    assert_eq!(wait("assignment", || poll(&mut first)), Polled::Assigned(vec![0, 1]));
    let mut second = stage(&properties);
    let (mut revoked, mut assigned) = (Vec::new(), Vec::new());
    wait("takeover", || {
        if let Some(Polled::Revoked(partitions)) = poll(&mut first) {
            revoked.extend(partitions);
        }
        if let Some(Polled::Assigned(partitions)) = poll(&mut second) {
            assigned.extend(partitions);
        }
        (!revoked.is_empty() && revoked == assigned).then_some(())
    });
    assert_eq!(revoked.len(), 1);
}
