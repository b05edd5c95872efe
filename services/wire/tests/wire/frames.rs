//! Frames: held to the bytes of a general Avro library, and to their own rules.

use apache_avro::Schema;
use apache_avro::types::Value;
use proptest::prelude::*;
use serde_json::Value as Json;
use sluice_model::{Cut, DeviceId, Epoch, Incarnation, Seq};
use sluice_wire::frame::Contradiction;
use sluice_wire::varint::put_long;
use sluice_wire::writer::{put_int, put_optional_long};
use sluice_wire::{
    EventsBuffer, FrameError, FrameHeader, FrameKind, FrameRange, Previous, Type, decode_frame,
    encode_frame, frame_schema, range_headers,
};

use crate::random::{
    damage, damages, encoded, event_schemas, general_decode, general_encode, values,
};

const ID: i32 = 7;

/// An event before it is encoded.
type Draft = (i32, Option<i64>, Option<Value>);

fn header(kind: FrameKind, first: i64, last: i64) -> FrameHeader {
    FrameHeader {
        kind,
        device: DeviceId::new("pi-1").unwrap(),
        incarnation: Incarnation(9),
        previous: None,
        epoch: Epoch(3),
        left_at: Cut(1),
        applied: 2,
        first: Seq(first),
        last: Seq(last),
        watermark: None,
        dead: 0,
        reason: None,
        dispatched_at: 1_000,
    }
}

fn headers() -> impl Strategy<Value = FrameHeader> {
    let kinds = vec![FrameKind::Data, FrameKind::Heartbeat, FrameKind::Gap, FrameKind::Leave];
    let range = (prop::sample::select(kinds), 0..i64::MAX - 10_000, 0..9_999_i64);
    let route = (0..i64::MAX, 0..i32::MAX, 0..i32::MAX, any::<i64>());
    let previous = prop::option::of((0..1_i64 << 50, 0..i64::MAX));
    let rest = (any::<Option<i64>>(), any::<Option<String>>(), 0..1_000_i32);
    (range, route, previous, rest, "[a-z0-9][a-z0-9_-]{0,63}").prop_map(
        |(
            (kind, first, more),
            (epoch, left_at, applied, at),
            previous,
            (watermark, reason, dead),
            device,
        )| {
            let last = if kind.has_range() { first + more } else { first - 1 };
            FrameHeader {
                device: DeviceId::new(device).unwrap(),
                incarnation: Incarnation(1 << 50),
                previous: previous.map(|(incarnation, end)| Previous {
                    incarnation: Incarnation(incarnation),
                    end: Seq(end),
                }),
                epoch: Epoch(epoch),
                left_at: Cut(left_at),
                applied,
                watermark,
                dead: i64::from(dead).min(last - first + 1) as i32,
                reason,
                dispatched_at: at,
                ..header(kind, first, last)
            }
        },
    )
}

fn frames() -> impl Strategy<Value = (Json, FrameHeader, Vec<Draft>)> {
    (event_schemas(), headers()).prop_flat_map(|(schema, header)| {
        let ty = Type::from_json(&schema).unwrap();
        let deltas = 0..=(header.last.0 - header.first.0).max(0) as i32;
        let count = if header.kind == FrameKind::Data { 0..6 } else { 0..1 };
        let event = (deltas, any::<Option<i64>>(), prop::option::of(values(&ty)));
        let events = prop::collection::vec(event, count).prop_map(|mut events: Vec<Draft>| {
            events.sort_by_key(|event| event.0);
            events
        });
        (Just(schema), Just(header), events)
    })
}

fn buffer(schema: &Json, events: &[Draft]) -> EventsBuffer {
    let mut buffer = EventsBuffer::new();
    for (delta, time, value) in events {
        let value = value.as_ref().map(|value| encoded(schema, value));
        buffer.push(*delta, *time, value.as_deref());
    }
    buffer
}

fn message(header: &FrameHeader, events: &EventsBuffer) -> Vec<u8> {
    let mut message = Vec::new();
    encode_frame(ID, header, events, &mut message).unwrap();
    message
}

/// The frame as the general library has it.
fn general(header: &FrameHeader, events: &[Draft]) -> Value {
    let union = |value: Option<Value>| match value {
        None => Value::Union(0, Box::new(Value::Null)),
        Some(value) => Value::Union(1, Box::new(value)),
    };
    let record = |fields: Vec<(&str, Value)>| {
        Value::Record(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    let previous = header.previous.map(|previous| {
        record(vec![
            ("incarnation", Value::Long(previous.incarnation.0)),
            ("end", Value::Long(previous.end.0)),
        ])
    });
    let events = events.iter().map(|(delta, time, value)| {
        record(vec![
            ("delta", Value::Int(*delta)),
            ("time", union(time.map(Value::Long))),
            ("value", union(value.clone())),
        ])
    });
    record(vec![
        ("kind", Value::Enum(header.kind as u32, header.kind.symbol().to_owned())),
        ("device", Value::String(header.device.to_string())),
        ("incarnation", Value::Long(header.incarnation.0)),
        ("previous", union(previous)),
        ("epoch", Value::Long(header.epoch.0)),
        ("left_at", Value::Int(header.left_at.0)),
        ("applied", Value::Int(header.applied)),
        ("first", Value::Long(header.first.0)),
        ("last", Value::Long(header.last.0)),
        ("watermark", union(header.watermark.map(Value::Long))),
        ("dead", Value::Int(header.dead)),
        ("reason", union(header.reason.clone().map(Value::String))),
        ("dispatched_at", Value::Long(header.dispatched_at)),
        ("events", Value::Array(events.collect())),
    ])
}

proptest! {
    #[test]
    fn frames_round_trip_and_agree_with_a_general_library((schema, header, events) in frames()) {
        let buffer = buffer(&schema, &events);
        let message = message(&header, &buffer);

        let avro = Schema::parse_str(&frame_schema(&schema.to_string()).unwrap()).unwrap();
        let general = general(&header, &events);
        let body = general_encode(&avro, &general);
        prop_assert_eq!(&message[5..], &body);
        let read = general_decode(&avro, &message[5..]);
        prop_assert_eq!(general_encode(&avro, &read), body);

        let ty = Type::from_json(&schema).unwrap();
        let frame = decode_frame(&message, ID, &ty).unwrap();
        prop_assert_eq!(&frame.header, &header);
        prop_assert_eq!(frame.events.len(), buffer.count());
        prop_assert_eq!(frame.events.iter().filter_map(|event| event.time).max(), buffer.max_time());
        for (event, (delta, time, value)) in frame.events.iter().zip(&events) {
            let value = value.as_ref().map(|value| encoded(&schema, value));
            prop_assert_eq!((event.delta, event.time), (*delta, *time));
            prop_assert_eq!(event.value, value.as_deref());
        }

        let headers = range_headers(&header);
        let headers = headers.iter().map(|(name, value)| (*name, value.as_bytes()));
        let range = FrameRange::from_headers(headers).unwrap();
        prop_assert_eq!((range.device, range.incarnation), (header.device, header.incarnation));
        prop_assert_eq!((range.first, range.last), (header.first, header.last));
    }

    /// A damaged message is refused, or is another frame that is as good as any.
    #[test]
    fn damaged_frames_are_frames_or_refused((schema, header, events) in frames(), damages in damages()) {
        let mut message = message(&header, &buffer(&schema, &events));
        damage(&mut message, &damages);
        let ty = Type::from_json(&schema).unwrap();
        if let Ok(frame) = decode_frame(&message, ID, &ty) {
            let mut again = EventsBuffer::new();
            for event in &frame.events {
                again.push(event.delta, event.time, event.value);
            }
            let again = self::message(&frame.header, &again);
            prop_assert_eq!(decode_frame(&again, ID, &ty), Ok(frame));
        }
    }

    #[test]
    fn any_bytes_are_refused_without_panic(body: Vec<u8>, schema in event_schemas()) {
        let ty = Type::from_json(&schema).unwrap();
        let message = [&[0, 0, 0, 0, ID as u8], &body[..]].concat();
        let _ = decode_frame(&message, ID, &ty);
    }

    /// Other writers may cut the array into blocks, with or without their sizes.
    #[test]
    fn events_may_come_in_blocks(
        (schema, header, events) in frames(),
        blocks in prop::collection::vec((1..4_usize, any::<bool>()), 6),
    ) {
        let whole = message(&header, &buffer(&schema, &events));
        let mut cut = message(&header, &EventsBuffer::new());
        prop_assert_eq!(cut.pop(), Some(0));
        let mut rest = &events[..];
        for (count, sized) in blocks {
            let (block, behind) = rest.split_at(count.min(rest.len()));
            rest = behind;
            let mut bytes = Vec::new();
            for (delta, time, value) in block {
                put_int(&mut bytes, *delta);
                put_optional_long(&mut bytes, *time);
                put_long(&mut bytes, i64::from(value.is_some()));
                bytes.extend(value.as_ref().map(|value| encoded(&schema, value)).unwrap_or_default());
            }
            let count = block.len() as i64;
            if sized && count > 0 {
                put_long(&mut cut, -count);
                put_long(&mut cut, bytes.len() as i64);
            } else if count > 0 {
                put_long(&mut cut, count);
            }
            cut.extend(bytes);
        }
        cut.push(0);
        let ty = Type::from_json(&schema).unwrap();
        prop_assert_eq!(decode_frame(&cut, ID, &ty), decode_frame(&whole, ID, &ty));
    }
}

fn contradiction(header: FrameHeader) -> Contradiction {
    // Encoding and decoding refuse the same: the fields are checked, not the way they came.
    let refused = encode_frame(ID, &header, &EventsBuffer::new(), &mut Vec::new()).unwrap_err();
    assert_eq!(header.check(), Err(refused));
    refused
}

#[test]
fn headers_that_contradict_themselves_are_refused() {
    use FrameKind::{Data, Gap, Heartbeat, Leave};
    let range =
        |kind, first, last| Contradiction::Range { kind, first: Seq(first), last: Seq(last) };
    for kind in [Data, Gap] {
        assert_eq!(contradiction(header(kind, 5, 4)), range(kind, 5, 4));
        assert_eq!(contradiction(header(kind, 0, i64::MIN)), range(kind, 0, i64::MIN));
    }
    for kind in [Heartbeat, Leave] {
        assert_eq!(contradiction(header(kind, 5, 5)), range(kind, 5, 5));
        assert_eq!(contradiction(header(kind, 5, 3)), range(kind, 5, 3));
        assert_eq!(header(kind, 0, -1).check(), Ok(()));
    }
    let negative = |header| match contradiction(header) {
        Contradiction::Negative { field, .. } => field,
        other => panic!("{other}"),
    };
    let good = header(Data, 0, 1);
    assert_eq!(negative(header(Data, -1, 4)), "first");
    assert_eq!(negative(header(Heartbeat, i64::MIN, i64::MAX)), "first");
    assert_eq!(negative(FrameHeader { left_at: Cut(-1), ..good.clone() }), "left_at");
    assert_eq!(negative(FrameHeader { applied: -1, ..good.clone() }), "applied");
    assert_eq!(negative(FrameHeader { epoch: Epoch(-1), ..good.clone() }), "epoch");
    assert_eq!(negative(FrameHeader { dead: -1, ..good.clone() }), "dead");
    assert_eq!(contradiction(FrameHeader { dead: 3, ..good.clone() }), Contradiction::Dead(3));
    assert_eq!(FrameHeader { dead: 2, ..good.clone() }.check(), Ok(()));
    let beat = FrameHeader { dead: 1, ..header(Heartbeat, 1, 0) };
    assert_eq!(contradiction(beat), Contradiction::Dead(1));
    let previous =
        |incarnation, end| Some(Previous { incarnation: Incarnation(incarnation), end: Seq(end) });
    assert_eq!(negative(FrameHeader { previous: previous(1, -1), ..good.clone() }), "previous.end");
    let (older, own) = (Incarnation(9), Incarnation(9));
    assert_eq!(
        contradiction(FrameHeader { previous: previous(9, 0), ..good.clone() }),
        Contradiction::Previous { previous: older, incarnation: own }
    );
    assert_eq!(FrameHeader { previous: previous(8, 0), ..good }.check(), Ok(()));
}

#[test]
fn events_outside_of_the_range_are_refused_on_both_sides() {
    let refusal = |header: &FrameHeader, deltas: &[i32]| {
        let mut events = EventsBuffer::new();
        deltas.iter().for_each(|delta| events.push(*delta, None, None));
        let mut out = Vec::new();
        let refused = encode_frame(ID, header, &events, &mut out).unwrap_err();
        assert!(out.is_empty());
        // The same frame from a writer that does not check.
        let mut bytes = message(header, &EventsBuffer::new());
        bytes.pop();
        put_long(&mut bytes, deltas.len() as i64);
        for delta in deltas {
            put_int(&mut bytes, *delta);
            bytes.extend_from_slice(&[0, 0]);
        }
        bytes.push(0);
        let error = decode_frame(&bytes, ID, &Type::Long).unwrap_err();
        assert_eq!(error, FrameError::Contradiction(refused));
        refused
    };
    let data = header(FrameKind::Data, 10, 12);
    assert_eq!(refusal(&data, &[0, 3]), Contradiction::Delta(3));
    assert_eq!(refusal(&data, &[-1, 0]), Contradiction::Delta(-1));
    assert_eq!(refusal(&data, &[0, 2, 1, 2]), Contradiction::Order(1));
    let gap = header(FrameKind::Gap, 10, 12);
    assert_eq!(refusal(&gap, &[0]), Contradiction::Events(FrameKind::Gap));
    let beat = header(FrameKind::Heartbeat, 13, 12);
    assert_eq!(refusal(&beat, &[0]), Contradiction::Events(FrameKind::Heartbeat));
}

#[test]
fn other_messages_are_refused_by_name() {
    let good = message(&header(FrameKind::Data, 0, 0), &EventsBuffer::new());
    let text = |bytes: &[u8]| decode_frame(bytes, ID, &Type::Long).unwrap_err().to_string();
    let other_id = decode_frame(&good, ID + 1, &Type::Long).unwrap_err();
    assert_eq!(other_id, FrameError::SchemaId { expected: 8, found: 7 });
    assert_eq!(text(&[&good[..], &[1]].concat()), "1 bytes follow the value");
    assert_eq!(text(&good[..good.len() - 1]), "the bytes end within a value");
    assert_eq!(
        text(b"hello"),
        "first byte 0x68 in place of 0x00: not in the Confluent wire format"
    );
    let nameless = [&good[..7], b"PI", &good[9..]].concat();
    assert!(text(&nameless).contains("is no device id"), "{}", text(&nameless));
}
