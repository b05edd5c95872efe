//! Workers against librdkafka's mock cluster: what is written to a stage comes out at `out`, whatever happens between.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use sluice_kafka::{FrameProducer, Properties, Record, Row, Start, read_to_end};
use sluice_model::{Cut, DeadEvent, DeployedQuery, DeviceId, Epoch, Incarnation, Seq};
use sluice_replica::config::Settings;
use sluice_replica::core::Limits;
use sluice_replica::pool::Pool;
use sluice_runtime::readiness::Readiness;
use sluice_wire::varint::put_long;
use sluice_wire::{
    EventsBuffer, FrameHeader, FrameKind, Reader, Type, decode_frame, encode_frame, range_headers,
    record,
};

const STAGES: [&str; 2] = ["q1.1.readings.stage.1", "q1.1.readings.stage.2"];
const OUT: &str = "q1.1.readings.out";
const DEAD: &str = "q1.dead";
const PARTITIONS: i32 = 2;
/// Frames of T(i) have the schema id 10 + i.
const SCHEMAS: [i32; 3] = [10, 11, 12];
const DEADLINE: Duration = Duration::from_secs(120);

const DOUBLE: &str = "map double(%x: long) -> long {\nstart:\n  %y = add %x, %x\n  return %y\n}";

type Cluster = MockCluster<'static, DefaultProducerContext>;

fn cluster() -> (Cluster, Properties) {
    let cluster = MockCluster::new(1).unwrap();
    for topic in STAGES.iter().chain(&[OUT, DEAD]) {
        cluster.create_topic(topic, PARTITIONS, 1).unwrap();
    }
    let properties = [
        ("bootstrap.servers", cluster.bootstrap_servers()),
        ("session.timeout.ms", "6000".to_owned()),
        ("heartbeat.interval.ms", "200".to_owned()),
    ];
    let properties = properties.map(|(name, value)| (name.to_owned(), value));
    (cluster, properties.into())
}

fn deployed() -> Row {
    let operator = |name: &str| serde_json::json!({"name": name, "engine": "native", "ir": DOUBLE.replace("double", name)});
    let query: DeployedQuery = serde_json::from_value(serde_json::json!({
        "query": "q1", "version": 1, "digest": "d",
        "schema_ids": {"DeadEvent": 20},
        "inputs": [{
            "name": "readings", "partitions": PARTITIONS, "types": ["\"long\"", "\"long\"", "\"long\""],
            "frame_schema_ids": SCHEMAS, "operators": [operator("v1"), operator("v2")], "assigner": null
        }]
    }))
    .unwrap();
    Row {
        topic: "sluice.queries".into(),
        partition: 0,
        offset: 0,
        key: Some("q1".to_owned()),
        value: Some(record::encode(21, &query).unwrap()),
        timestamp_ms: 0,
    }
}

fn pool(properties: &Properties, readiness: &Readiness) -> Pool {
    let settings = Settings {
        serve: vec!["*".parse().unwrap()],
        limits: Limits { in_flight_bytes: 1 << 20, message_bytes: 1 << 20 },
        commit_interval: Duration::from_millis(50),
        stop_grace: DEADLINE,
        jvm: sluice_jvm::Settings::default(),
        kafka: properties.clone(),
        listen: ([127, 0, 0, 1], 0).into(),
    };
    let mut pool = Pool::new(settings, sluice_jvm::Engines::default(), readiness.clone());
    pool.handle_row(&deployed());
    pool
}

/// A frame with the single event `seq`, whose value is the seq.
fn frame(applied: i32, schema_id: i32, seq: i64) -> (FrameHeader, Vec<u8>) {
    let header = FrameHeader {
        kind: FrameKind::Data,
        device: DeviceId::new("pi-1").unwrap(),
        incarnation: Incarnation(1),
        previous: None,
        epoch: Epoch(1),
        left_at: Cut(applied),
        applied,
        first: Seq(seq),
        last: Seq(seq),
        watermark: Some(seq),
        dead: 0,
        reason: None,
        dispatched_at: 0,
    };
    let mut events = EventsBuffer::new();
    events.push_with(0, None, |out| put_long(out, seq));
    let mut message = Vec::new();
    encode_frame(schema_id, &header, &events, &mut message).unwrap();
    (header, message)
}

/// Topic, partition, headers, value.
type Written<'a> = (&'a str, i32, Vec<(String, String)>, Vec<u8>);

fn write(properties: &Properties, messages: &[Written<'_>]) {
    let producer = FrameProducer::new(properties, "test").unwrap();
    for (topic, partition, headers, payload) in messages {
        let headers: Vec<_> = headers.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let (topic, headers) = (*topic, headers.as_slice());
        let record = Record { topic, partition: *partition, key: "pi-1", headers, payload };
        producer.send(record, 0).unwrap();
    }
    assert!(producer.flush(DEADLINE));
}

/// Writes the seqs to alternating stages and partitions.
fn write_seqs(properties: &Properties, seqs: std::ops::Range<i64>) {
    let messages: Vec<_> = seqs
        .map(|seq| {
            let stage = usize::try_from(seq % 2).unwrap();
            let applied = i32::try_from(stage).unwrap();
            let (header, message) = frame(applied, SCHEMAS[stage], seq);
            let headers = range_headers(&header).map(|(k, v)| (k.to_owned(), v)).into();
            (STAGES[stage], i32::try_from(seq / 2 % 2).unwrap(), headers, message)
        })
        .collect();
    write(properties, &messages);
}

/// Values at `out` by seq, with how often each came.
fn read_out(properties: &Properties) -> BTreeMap<i64, (i64, usize)> {
    let mut seqs = BTreeMap::new();
    read_to_end(properties, OUT, &Start::Beginning, |message| {
        let payload = message.payload.unwrap();
        let frame = decode_frame(&payload, SCHEMAS[2], &Type::Long).unwrap();
        assert_eq!(frame.header.applied, 2);
        assert_eq!(frame.header.watermark, Some(frame.header.first.0));
        let value = Reader::new(frame.events[0].value.unwrap()).long().unwrap();
        seqs.entry(frame.header.first.0).or_insert((value, 0)).1 += 1;
    })
    .unwrap();
    seqs
}

fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + DEADLINE;
    while !done() {
        assert!(Instant::now() < until, "not in time: {what}");
        std::thread::yield_now();
    }
}

/// Every seq came, with the value of the path that it took: two operators from stage 1, one from stage 2.
fn assert_all(seqs: &BTreeMap<i64, (i64, usize)>, count: i64) {
    let expected: BTreeSet<i64> = (0..count).collect();
    assert_eq!(seqs.keys().copied().collect::<BTreeSet<_>>(), expected);
    for (seq, (value, _)) in seqs {
        assert_eq!(*value, if seq % 2 == 0 { seq * 4 } else { seq * 2 }, "seq {seq}");
    }
}

#[test]
fn a_stopped_replica_goes_on_where_it_committed() {
    let (_cluster, properties) = cluster();
    write_seqs(&properties, 0..100);
    let readiness = Readiness::new();
    let mut first = pool(&properties, &readiness);
    wait("the first frames", || read_out(&properties).len() == 100);
    first.stop();
    write_seqs(&properties, 100..120);
    let mut second = pool(&properties, &readiness);
    wait("the other frames", || read_out(&properties).len() == 120);
    second.stop();
    let seqs = read_out(&properties);
    assert_all(&seqs, 120);
    assert!(seqs.values().all(|(_, times)| *times == 1), "{seqs:?}");
    assert_eq!(readiness.waiting(), []);
}

#[test]
fn garbage_goes_to_dead_and_the_frames_behind_it_go_on() {
    let (_cluster, properties) = cluster();
    let junk = |bytes: &[u8]| (STAGES[0], 0, Vec::new(), bytes.to_vec());
    write(&properties, &[junk(b"junk"), junk(&[0, 0, 0, 0, 99, 1]), junk(b"")]);
    write_seqs(&properties, 0..10);
    let mut pool = pool(&properties, &Readiness::new());
    wait("the frames", || read_out(&properties).len() == 10);
    let mut copies = Vec::new();
    wait("the copies", || {
        copies.clear();
        read_to_end(&properties, DEAD, &Start::Beginning, |m| copies.push(m)).unwrap();
        copies.len() == 3
    });
    let copy: DeadEvent = record::decode(copies[0].payload.as_deref().unwrap()).unwrap();
    assert_eq!((copy.head.as_slice(), copy.topic.as_deref()), (&b"junk"[..], Some(STAGES[0])));
    pool.stop();
    assert_all(&read_out(&properties), 10);
}

#[test]
fn a_schema_that_the_plan_does_not_list_stops_the_worker_with_an_alarm() {
    let (_cluster, properties) = cluster();
    let (header, message) = frame(0, 99, 0);
    let headers: Vec<_> = range_headers(&header).map(|(k, v)| (k.to_owned(), v)).into();
    write(&properties, &[(STAGES[0], 0, headers, message)]);
    let readiness = Readiness::new();
    let mut pool = pool(&properties, &readiness);
    wait("the alarm", || !readiness.waiting().is_empty());
    let (part, why) = readiness.waiting().remove(0);
    assert_eq!(part, STAGES[0]);
    assert!(why.contains("schema id 99") && why.contains("offset 0"), "{why}");
    // The worker of the other stage goes on.
    write_seqs(&properties, 1..2);
    wait("the other stage", || read_out(&properties).len() == 1);
    pool.stop();
}

#[test]
fn after_failed_deliveries_every_frame_comes_at_last() {
    let (cluster, properties) = cluster();
    write_seqs(&properties, 0..200);
    // From here on only the workers produce.
    let refused = RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    cluster.request_errors(RDKafkaApiKey::Produce, &[refused; 3]);
    let mut pool = pool(&properties, &Readiness::new());
    wait("all frames", || read_out(&properties).len() == 200);
    pool.stop();
    assert_all(&read_out(&properties), 200);
}

#[test]
fn two_replicas_share_the_partitions_and_lose_nothing() {
    let (_cluster, properties) = cluster();
    write_seqs(&properties, 0..50);
    let readiness = Readiness::new();
    let mut first = pool(&properties, &readiness);
    wait("the first frames", || read_out(&properties).len() == 50);
    let mut second = pool(&properties, &readiness);
    write_seqs(&properties, 50..100);
    wait("the frames of both", || read_out(&properties).len() == 100);
    first.stop();
    write_seqs(&properties, 100..150);
    wait("the frames of the second", || read_out(&properties).len() == 150);
    second.stop();
    assert_all(&read_out(&properties), 150);
}
