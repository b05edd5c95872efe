//! Control records: what is written is read, in the bytes that the schemas say.

use std::fmt::Debug;

use proptest::prelude::*;
use sluice_model::{
    CpuCounters, Cut, CutCounters, CutForecast, DeadEvent, Decision, DecisionInputs, DeployedQuery,
    DeviceEntry, DeviceState, DeviceStatus, EdgeCounters, Epoch, Hello, Incarnation, LateEvent,
    Mode, PlanInForce, PlanMode, ReadyVersion, Refusal, ReplicaCounters, RoutingCommand, Share,
    Shares, Telemetry, Verdict,
};
use sluice_wire::record::{ControlRecord, decode, encode};
use sluice_wire::{RecordError, decode_command, decode_entry};

use crate::random::{Damage, damage, damages};

const ID: i32 = 258;

fn round_trip<T: ControlRecord + PartialEq + Debug>(record: &T) -> Vec<u8> {
    let message = encode(ID, record).unwrap();
    assert_eq!(decode::<T>(&message).as_ref(), Ok(record));
    message
}

fn hurt<T: ControlRecord>(mut message: Vec<u8>, damages: &[Damage]) {
    damage(&mut message, damages);
    let _ = decode::<T>(&message);
}

fn query() -> DeployedQuery {
    let plan = r#"{"query":"q1","version":3,"digest":"ab","schema_ids":{"DeviceStatus":4},"inputs":[
        {"name":"readings","partitions":32,"order":"event_time","types":["\"string\"","\"long\""],
         "frame_schema_ids":[1,2],"operators":[{"name":"parse","engine":"native","ir":"func"}],
         "assigner":{"after":1,"bound_ms":5,"ir":"func"}},
        {"name":"other","partitions":1,"types":["\"int\""],"operators":[]}]}"#;
    serde_json::from_str(plan).unwrap()
}

#[test]
fn a_command_has_the_bytes_that_its_schema_says() {
    let command = RoutingCommand {
        cut: Some(Cut(2)),
        mode: Mode::Manual,
        expires_at: Some(5),
        ..RoutingCommand::release("me", "")
    };
    let message = round_trip(&command);
    assert_eq!(message, [0, 0, 0, 1, 2, 2, 4, 0, 2, 2, 10, 0, 4, b'm', b'e', 0]);
    assert_eq!(decode_command(&message), Ok(command));
}

#[test]
fn an_entry_has_the_bytes_that_its_schema_says() {
    let entry = DeviceEntry { partition: 3, source: "s".to_owned(), state: DeviceState::Left };
    let message = round_trip(&entry);
    assert_eq!(message, [0, 0, 0, 1, 2, 6, 2, b's', 2]);
    assert_eq!(decode_entry(&message), Ok(entry));
}

#[test]
fn a_deployed_query_round_trips() {
    round_trip(&query());
}

#[test]
fn statuses_round_trip() {
    round_trip(&DeviceStatus::empty(5));
    round_trip(&DeviceStatus::of_hello(Hello { nonce: "n".to_owned(), started_at: 7 }));
    let shares = vec![Share { cut: Cut(0), per_mille: 400 }, Share { cut: Cut(2), per_mille: 600 }];
    round_trip(&DeviceStatus {
        incarnation: Some(Incarnation(1 << 41)),
        plan: Some(PlanInForce {
            epoch: Epoch(8),
            mode: PlanMode::Manual,
            shares: Shares::new(shares).unwrap(),
            from_seq: 77,
        }),
        spool_oldest_at: Some(6),
        ready: vec![ReadyVersion { version: 1, digest: "ab".to_owned() }],
        refusal: Some(Refusal {
            epoch: Epoch(9), code: "stale".to_owned(), text: "…".to_owned()
        }),
        note: "no source".to_owned(),
        ..DeviceStatus::empty(5)
    });
}

#[test]
fn telemetry_and_decisions_round_trip() {
    let edge = EdgeCounters {
        cuts: vec![CutCounters { left_events: 5, ..CutCounters::default() }],
        rtt_us: Some(9),
        cpu: CpuCounters { cores: 2.0, limit_cores: Some(0.5), ..CpuCounters::default() },
        ..EdgeCounters::default()
    };
    let replica = ReplicaCounters { from: 1, to: 3, busy_us: 4, ..ReplicaCounters::default() };
    let boot = "b".to_owned();
    let (edge, replica) = (Some(edge), Some(replica));
    round_trip(&Telemetry { boot, uptime_us: 5, at: 6, version: 1, edge, replica });
    let plan = Shares::new(vec![
        Share { cut: Cut(0), per_mille: 400 },
        Share { cut: Cut(2), per_mille: 600 },
    ]);
    let (cut, rate_per_s) = (1, Some(2.5));
    round_trip(&Decision {
        at: 1,
        controller: "c".to_owned(),
        policy: "hull".to_owned(),
        version: 1,
        verdict: Verdict::Commanded,
        if_epoch: Epoch(3),
        epoch: Some(Epoch(4)),
        previous: Shares::binary(Cut(0)),
        plan: plan.unwrap(),
        reasons: vec!["the link is short".to_owned()],
        inputs: DecisionInputs { cpu_cores: Some(0.5), ..DecisionInputs::default() },
        cuts: vec![CutForecast {
            cut,
            rate_per_s,
            cpu_us_per_event: None,
            bytes_per_event: Some(7.5),
        }],
    });
}

#[test]
fn values_that_cannot_be_meant_are_refused() {
    let status = DeviceStatus {
        plan: Some(PlanInForce {
            epoch: Epoch(8),
            mode: PlanMode::Auto,
            shares: Shares::binary(Cut(1)),
            from_seq: 0,
        }),
        ..DeviceStatus::empty(5)
    };
    let message = encode(ID, &status).unwrap();
    // 1000 per mille is the varint d0 0f.
    let at = message.windows(2).position(|pair| pair == [0xd0, 0x0f]).unwrap();
    let mut wrong = message.clone();
    wrong[at] = 0xd2;
    let error = decode::<DeviceStatus>(&wrong).unwrap_err();
    assert!(error.to_string().contains("1001"), "{error}");
    let longer = [&message[..], &[0]].concat();
    let error = decode::<DeviceStatus>(&longer).unwrap_err();
    assert_eq!(error.to_string(), "no DeviceStatus: 1 bytes follow the value");
    assert!(matches!(decode::<DeviceStatus>(b"hello"), Err(RecordError::Envelope(_))));
    // A count that would take all memory if it were believed.
    let hostile = [0, 0, 0, 0, 1, 0, 2, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x3f];
    assert!(matches!(decode::<RoutingCommand>(&hostile), Err(RecordError::Body { .. })));
}

fn shares() -> impl Strategy<Value = Option<Vec<Share>>> {
    let share = any::<(i32, i32)>().prop_map(|(cut, per_mille)| Share { cut: Cut(cut), per_mille });
    prop::option::of(prop::collection::vec(share, 0..5))
}

proptest! {
    #[test]
    fn commands_round_trip(
        cut in prop::option::of(any::<i32>().prop_map(Cut)),
        shares in shares(),
        mode in prop::sample::select(vec![Mode::Auto, Mode::Manual, Mode::Release]),
        expires_at: Option<i64>,
        if_epoch in prop::option::of(any::<i64>().prop_map(Epoch)),
        issuer: String,
        reason: String,
        damages in damages(),
    ) {
        let command = RoutingCommand { cut, shares, mode, expires_at, if_epoch, issuer, reason };
        hurt::<RoutingCommand>(round_trip(&command), &damages);
        let json = serde_json::to_vec(&command).unwrap();
        prop_assert_eq!(decode_command(&json), Ok(command));
    }

    #[test]
    fn dead_and_late_events_round_trip(
        text in (any::<String>(), any::<String>(), any::<String>()),
        numbers in any::<(Option<i64>, Option<i64>, Option<i64>, Option<i32>)>(),
        head: Vec<u8>,
        damages in damages(),
    ) {
        let (device, operator, reason) = text;
        let (incarnation, seq, time, schema_id) = numbers;
        let late = LateEvent {
            input: "readings".to_owned(),
            device: device.clone(),
            incarnation: incarnation.unwrap_or(0),
            seq: seq.unwrap_or(0),
            time,
            watermark: 9,
            reason: reason.clone(),
            schema_id,
            head: head.clone(),
            size: 5,
            crc32: i64::from(u32::MAX),
        };
        hurt::<LateEvent>(round_trip(&late), &damages);
        let dead = DeadEvent {
            input: "readings".to_owned(),
            device,
            incarnation,
            seq,
            time,
            operator,
            reason,
            topic: schema_id.map(|id| id.to_string()),
            partition: schema_id,
            offset: seq,
            schema_id,
            head,
            size: 5,
            crc32: 0,
        };
        hurt::<DeadEvent>(round_trip(&dead), &damages);
    }

    #[test]
    fn damaged_queries_and_statuses_are_read_without_panic(damages in damages()) {
        hurt::<DeployedQuery>(encode(ID, &query()).unwrap(), &damages);
        hurt::<DeviceStatus>(encode(ID, &DeviceStatus::empty(5)).unwrap(), &damages);
    }

    #[test]
    fn any_bytes_are_refused_without_panic(bytes: Vec<u8>) {
        let message = [&[0, 0, 0, 0, 1], &bytes[..]].concat();
        let _ = decode::<DeployedQuery>(&message);
        let _ = decode::<DeviceStatus>(&message);
        let _ = decode::<DeadEvent>(&message);
        let _ = decode_command(&message);
        let _ = decode_entry(&message);
    }
}
