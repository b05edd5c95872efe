//! The state machine against an engine that makes `n` bytes of the number `n`, and dies of negative numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use sluice_engine::{Dead, EngineError, FrameOutcome, Reason};
use sluice_kafka::Message;
use sluice_model::{Cut, DeadEvent, DeviceId, Epoch, Incarnation, Seq};
use sluice_wire::varint::put_long;
use sluice_wire::{
    Event, EventsBuffer, FrameHeader, FrameKind, Reader, Type, decode_frame, encode_frame,
};

use super::*;

const SCHEMA: i32 = 11;
const NEXT_SCHEMA: i32 = 12;

struct Growing {
    assigns: bool,
}

impl Engine for Growing {
    fn run_frame<'a>(
        &mut self,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'a>, Dead),
    ) -> Result<FrameOutcome, EngineError> {
        let mut outcome = FrameOutcome::default();
        for event in events {
            let n = Reader::new(event.value.unwrap()).long().unwrap();
            if n < 0 {
                outcome.dead += 1;
                dead(&event, Dead { operator: "grow".into(), reason: Reason::Argument });
                continue;
            }
            if self.assigns {
                outcome.watermark = outcome.watermark.max(Some(n));
            }
            out.push_with(event.delta, event.time, |out| {
                put_long(out, n);
                out.extend(std::iter::repeat_n(7, usize::try_from(n).unwrap()));
            });
        }
        Ok(outcome)
    }
}

fn plan() -> StagePlan {
    StagePlan {
        version: 1,
        telemetry_schema_id: None,
        query: sluice_model::QueryId::new("q1").unwrap(),
        input: sluice_model::InputName::new("readings").unwrap(),
        stage: 2,
        to: 3,
        topic: "q1.1.readings.stage.2".into(),
        next_topic: "q1.1.readings.out".into(),
        dead_topic: "q1.dead".into(),
        schema_id: SCHEMA,
        next_schema_id: NEXT_SCHEMA,
        dead_schema_id: 13,
        value_type: Type::Long,
    }
}

fn core_with(assigns: bool, message_bytes: usize) -> Core {
    let limits = Limits { in_flight_bytes: 1000, message_bytes };
    let mut core = Core::new(plan(), Box::new(Growing { assigns }), limits);
    core.handle_assigned(&[0, 1]);
    core
}

fn header(first: i64, last: i64) -> FrameHeader {
    FrameHeader {
        kind: FrameKind::Data,
        device: DeviceId::new("pi-1").unwrap(),
        incarnation: Incarnation(5),
        previous: None,
        epoch: Epoch(1),
        left_at: Cut(1),
        applied: 1,
        first: Seq(first),
        last: Seq(last),
        watermark: None,
        dead: 0,
        reason: None,
        dispatched_at: 9,
    }
}

fn message(offset: i64, schema_id: i32, header: &FrameHeader, values: &[(i32, i64)]) -> Message {
    let mut events = EventsBuffer::new();
    for (delta, n) in values {
        events.push_with(*delta, Some(1000), |out| put_long(out, *n));
    }
    let mut payload = Vec::new();
    encode_frame(schema_id, header, &events, &mut payload).unwrap();
    let headers = range_headers(header).map(|(name, value)| (name.to_owned(), value)).into();
    let key = Some(header.device.to_string());
    Message { partition: 0, offset, timestamp_ms: 0, key, headers, payload: Some(payload) }
}

fn garbage(offset: i64, bytes: &[u8]) -> Message {
    let (key, payload) = (None, Some(bytes.to_vec()));
    Message { partition: 0, offset, timestamp_ms: 0, key, headers: vec![], payload }
}

fn take(core: &mut Core, message: &Message) -> (Handled, Vec<Send>) {
    let mut sends = Vec::new();
    let handled = core.handle_message(message, &mut sends).unwrap();
    (handled, sends)
}

/// What a sent frame says, and the sizes of its values by seq.
fn read(send: &Send) -> (FrameHeader, Vec<(i64, usize)>) {
    let frame = decode_frame(&send.payload, NEXT_SCHEMA, &Type::Bytes).unwrap();
    let size = |event: &Event<'_>| Reader::new(event.value.unwrap()).bytes().unwrap().len();
    let first = frame.header.first;
    let sizes = frame.events.iter().map(|event| (event.seq(first).0, size(event))).collect();
    (frame.header, sizes)
}

#[test]
fn a_frame_goes_on_with_what_the_operators_made_of_it() {
    let mut core = core_with(false, 1 << 20);
    let given = FrameHeader { watermark: Some(44), dead: 1, ..header(10, 14) };
    let message = message(0, SCHEMA, &given, &[(0, 3), (2, -1), (4, 5)]);
    let (handled, sends) = take(&mut core, &message);
    assert_eq!(handled, Handled::Taken { events: 3, dead: 1, garbage: false });
    let [dead, frame] = &sends[..] else { panic!("{sends:?}") };
    let copy: DeadEvent = record::decode(&dead.payload).unwrap();
    assert_eq!((&*dead.topic, dead.key.as_str()), ("q1.dead", "pi-1"));
    assert_eq!((copy.seq, copy.operator.as_str(), copy.time), (Some(12), "grow", Some(1000)));
    assert_eq!(copy.schema_id, Some(SCHEMA));
    assert_eq!((&*frame.topic, frame.partition), ("q1.1.readings.out", 0));
    assert_eq!(frame.headers, range_headers(&given));
    let expected = FrameHeader { applied: 3, dead: 2, ..given };
    assert_eq!(read(frame), (expected, vec![(10, 3), (14, 5)]));
}

#[test]
fn the_watermark_is_set_where_the_assigner_is() {
    let mut core = core_with(true, 1 << 20);
    let (_, sends) = take(&mut core, &message(0, SCHEMA, &header(0, 1), &[(0, 3), (1, 9)]));
    assert_eq!(read(&sends[0]).0.watermark, Some(9));
    let (_, sends) = take(&mut core, &message(1, SCHEMA, &header(2, 3), &[]));
    assert_eq!(read(&sends[0]).0.watermark, None);
}

#[test]
fn frames_without_events_pass_unchanged_but_for_the_operators_applied() {
    let mut core = core_with(true, 1 << 20);
    let reason = Some("skipped".to_owned());
    let gap = FrameHeader { kind: FrameKind::Gap, reason, watermark: Some(1), ..header(3, 900) };
    let leave = FrameHeader { kind: FrameKind::Leave, ..header(4, 3) };
    for (offset, given) in (0..).zip([gap, leave]) {
        let (_, sends) = take(&mut core, &message(offset, SCHEMA, &given, &[]));
        assert_eq!(read(&sends[0]), (FrameHeader { applied: 3, ..given }, vec![]));
    }
}

#[test]
fn garbage_is_copied_and_the_flow_goes_on() {
    let mut core = core_with(false, 1 << 20);
    let wrong_place = FrameHeader { applied: 2, ..header(0, 0) };
    let mut cut_off = message(3, SCHEMA, &header(0, 0), &[(0, 1)]);
    cut_off.payload.as_mut().unwrap().pop();
    let all = [
        garbage(0, b"{\"cut\":2}"),
        garbage(1, &[0, 0, 0, 0, 99, 1, 2]),
        message(2, SCHEMA, &wrong_place, &[]),
        cut_off,
        Message { payload: None, ..garbage(4, b"") },
    ];
    for message in &all {
        let (handled, sends) = take(&mut core, message);
        assert_eq!(handled, Handled::Taken { events: 0, dead: 0, garbage: true });
        let copy: DeadEvent = record::decode(&sends[0].payload).unwrap();
        assert_eq!((sends.len(), &*sends[0].topic), (1, "q1.dead"));
        assert_eq!(
            (copy.topic.as_deref(), copy.partition),
            (Some("q1.1.readings.stage.2"), Some(0))
        );
        assert_eq!(copy.offset, Some(message.offset));
        assert_eq!(copy.head, message.payload.clone().unwrap_or_default());
        core.handle_acknowledged(sends[0].token);
    }
    assert_eq!(core.take_commits(), [(0, 5)]);
}

#[test]
fn a_frame_of_another_schema_stops_the_worker_and_is_not_passed() {
    let mut core = core_with(false, 1 << 20);
    let (_, sends) = take(&mut core, &message(0, SCHEMA, &header(0, 0), &[]));
    let other = message(1, 99, &header(1, 1), &[]);
    let stop = core.handle_message(&other, &mut Vec::new()).unwrap_err();
    assert!(matches!(stop, Stop::SchemaId { found: 99, expected: SCHEMA, offset: 1, .. }));
    core.handle_acknowledged(sends[0].token);
    assert_eq!(core.take_commits(), [(0, 1)]);
}

#[test]
fn what_grew_too_large_is_split_and_what_can_not_be_split_dies() {
    let mut core = core_with(false, 400);
    let given = FrameHeader { watermark: Some(7), dead: 1, ..header(100, 104) };
    let values = [(0, 150), (1, 150), (3, 900), (4, 150)];
    let (handled, sends) = take(&mut core, &message(0, SCHEMA, &given, &values));
    assert_eq!(handled, Handled::Taken { events: 4, dead: 1, garbage: false });
    let copy: DeadEvent = record::decode(&sends[0].payload).unwrap();
    assert_eq!((copy.seq, copy.operator.as_str()), (Some(103), "v3"));
    let frames: Vec<_> = sends[1..].iter().map(read).collect();
    let ranges: Vec<_> =
        frames.iter().map(|(h, values)| (h.first.0, h.last.0, h.watermark, values.len())).collect();
    assert_eq!(
        ranges,
        [(100, 101, None, 2), (102, 102, None, 0), (103, 103, None, 0), (104, 104, Some(7), 1)]
    );
    assert_eq!(frames.iter().map(|(h, _)| h.dead).sum::<i32>(), 2);
}

#[test]
fn a_size_that_the_broker_refuses_is_not_tried_again() {
    let mut core = core_with(false, 1 << 20);
    let message = message(0, SCHEMA, &header(0, 3), &[(0, 300), (1, 300), (2, 300), (3, 300)]);
    let (_, sends) = take(&mut core, &message);
    assert_eq!(sends.len(), 1);
    core.handle_too_large(sends[0].token);
    assert_eq!(core.rewind(), [(0, 0)]);
    let (_, again) = take(&mut core, &message);
    assert!(again.len() > 1);
    assert!(again.iter().all(|send| send.payload.len() < sends[0].payload.len()));
    core.handle_acknowledged(sends[0].token);
    assert_eq!(core.take_commits(), [(0, 0)]);
}

#[test]
fn bytes_in_flight_are_bounded() {
    let mut core = core_with(false, 1 << 20);
    let (_, sends) = take(&mut core, &message(0, SCHEMA, &header(0, 0), &[(0, 2000)]));
    assert!(!core.may_take() && core.in_flight_bytes() > 2000);
    core.handle_acknowledged(sends[0].token);
    assert!(core.may_take());
    assert_eq!(core.in_flight_bytes(), 0);
}

#[test]
fn partitions_that_went_count_no_more() {
    let mut core = core_with(false, 1 << 20);
    let (_, sends) = take(&mut core, &message(0, SCHEMA, &header(0, 0), &[(0, 2)]));
    core.handle_revoked(&[0]);
    assert_eq!((core.in_flight_bytes(), core.partitions()), (0, vec![1]));
    core.handle_acknowledged(sends[0].token);
    assert_eq!(core.take_commits(), []);
    let stale = message(1, SCHEMA, &header(1, 1), &[]);
    assert_eq!(take(&mut core, &stale).0, Handled::Ignored);
}

/// Sent frames by the offset that they came from.
type Sent = BTreeMap<u64, (i64, Arc<str>)>;

proptest! {
    /// Whatever is acknowledged, lost and read again: no offset is committed before all that its message became is
    /// acknowledged, and in the end every seq has gone on.
    #[test]
    fn nothing_is_committed_that_is_not_delivered(
        frames in prop::collection::vec(prop::collection::vec(-2..40_i64, 0..4), 1..20),
        steps in prop::collection::vec((0..8_u8, any::<u16>()), 0..200),
    ) {
        let mut core = core_with(false, 64);
        let mut first = 0;
        let log: Vec<Message> = (0..).zip(&frames).map(|(offset, values)| {
            let last = first + i64::try_from(values.len()).unwrap();
            let events: Vec<(i32, i64)> = (0..).zip(values.iter().copied()).collect();
            let message = message(offset, SCHEMA, &header(first, last), &events);
            first = last + 1;
            message
        }).collect();
        let (mut reader, mut sent, mut delivered) = (0, Sent::new(), vec![false; log.len()]);
        let drain = (0..log.len() * 40).map(|_| (0, 0));
        let acknowledge = (0..log.len() * 40).map(|_| (1, 0));
        let end = drain.zip(acknowledge).flat_map(|(a, b)| [a, b]);
        for (step, index) in steps.into_iter().chain(end) {
            match step {
                0 | 2 | 3 if reader < log.len() => {
                    let (handled, sends) = take(&mut core, &log[reader]);
                    prop_assert!(matches!(handled, Handled::Taken { .. }), "{handled:?}");
                    sent.extend(sends.iter().map(|s| (s.token, (log[reader].offset, s.topic.clone()))));
                    reader += 1;
                }
                1 | 4 | 5 if !sent.is_empty() => {
                    let token = *sent.keys().nth(usize::from(index) % sent.len()).unwrap();
                    let (offset, _) = sent.remove(&token).unwrap();
                    core.handle_acknowledged(token);
                    if sent.values().all(|(other, _)| *other != offset) {
                        delivered[usize::try_from(offset).unwrap()] = true;
                    }
                }
                6 => {
                    sent.clear();
                    if let Some((_, from)) = core.rewind().first() {
                        reader = usize::try_from(*from).unwrap();
                    }
                }
                _ => {}
            }
            for (_, next) in core.take_commits() {
                let next = usize::try_from(next).unwrap();
                prop_assert!(delivered[..next].iter().all(|delivered| *delivered));
            }
        }
        prop_assert!(delivered.iter().all(|delivered| *delivered));
        prop_assert_eq!(core.in_flight_bytes(), 0);
    }
}
