//! What the tests share: the checked-in plan of Q1, and chains run on frames.
#![allow(dead_code)]
use sluice_engine::{Assigner, Chain, CompileError, Dead, Operator};
use sluice_model::{Cut, DeviceId, Epoch, Incarnation, Seq};
use sluice_wire::{Event, EventsBuffer, FrameHeader, FrameKind, Type, decode_frame, encode_frame};

/// T(0) to T(3) of Q1.
pub fn q1_types() -> Vec<Type> {
    [
        include_str!("../../../../tests/plans/q1/types/line.avsc"),
        include_str!("../../../../tests/plans/q1/types/air-row.avsc"),
        include_str!("../../../../tests/plans/q1/types/measurement.avsc"),
        include_str!("../../../../tests/plans/q1/types/reading.avsc"),
    ]
    .iter()
    .map(|json| json.parse().expect("a type"))
    .collect()
}

/// The operators of Q1.
pub const Q1_OPERATORS: [Operator<'static>; 3] = [
    Operator {
        name: "parse",
        ir: include_str!("../../../../tests/plans/q1/parse.ir"),
        constants: "",
    },
    Operator {
        name: "project",
        ir: include_str!("../../../../tests/plans/q1/project.ir"),
        constants: "",
    },
    Operator {
        name: "categorize",
        ir: include_str!("../../../../tests/plans/q1/categorize.ir"),
        constants: "",
    },
];

/// Two days.
pub const Q1_BOUND_MS: i64 = 172_800_000;

/// The assigner of Q1.
pub const Q1_ASSIGNER: Assigner<'static> = Assigner {
    after: 1,
    bound_ms: Q1_BOUND_MS,
    ir: include_str!("../../../../tests/plans/q1/timestamp.ir"),
    constants: "",
};

/// Operators `from+1..=to` of Q1.
pub fn q1(from: usize, to: usize) -> Chain {
    Chain::compile(&q1_types(), &Q1_OPERATORS, Some(&Q1_ASSIGNER), from, to).expect("a chain")
}

/// Events with values of their own.
pub type Events = Vec<(i32, Option<i64>, Option<Vec<u8>>)>;

/// What a chain makes of a frame: events, watermark, who died of what.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    pub events: Events,
    pub watermark: Option<i64>,
    pub dead: Vec<(i32, String)>,
}

/// Runs a chain on the events of a frame, whose outputs are values of `ty`.
pub fn run(chain: &mut Chain, ty: &Type, events: &Events) -> Made {
    use sluice_engine::Engine as _;
    let mut out = EventsBuffer::new();
    let mut dead = Vec::new();
    let mut events = events.iter().map(|(delta, time, value)| Event {
        delta: *delta,
        time: *time,
        value: value.as_deref(),
    });
    let outcome = chain
        .run_frame(&mut events, &mut out, &mut |event, death: Dead| {
            dead.push((event.delta, death.to_string()))
        })
        .expect("an outcome");
    assert_eq!(outcome.dead as usize, dead.len());
    Made { events: decoded(&out, ty), watermark: outcome.watermark, dead }
}

/// The events of a buffer, taken through a whole frame, which checks them against their type.
pub fn decoded(out: &EventsBuffer, ty: &Type) -> Events {
    let header = FrameHeader {
        kind: FrameKind::Data,
        device: "pi-1".parse::<DeviceId>().expect("a device"),
        incarnation: Incarnation(1),
        previous: None,
        epoch: Epoch(0),
        left_at: Cut(0),
        applied: 0,
        first: Seq(0),
        last: Seq(i64::from(i32::MAX)),
        watermark: None,
        dead: 0,
        reason: None,
        dispatched_at: 0,
    };
    let mut message = Vec::new();
    encode_frame(7, &header, out, &mut message).expect("a frame");
    let frame = decode_frame(&message, 7, ty).expect("the frame");
    frame
        .events
        .iter()
        .map(|event| (event.delta, event.time, event.value.map(<[u8]>::to_vec)))
        .collect()
}

/// A string as Avro bytes.
pub fn avro_string(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    sluice_wire::writer::put_string(&mut bytes, text);
    bytes
}

/// Lines as the events of a frame.
pub fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Events {
    (0..).zip(lines).map(|(delta, line)| (delta, None, Some(avro_string(line.as_ref())))).collect()
}

/// One operator, alone.
pub fn single(input: &Type, output: &Type, ir: &str) -> Result<Chain, Vec<CompileError>> {
    let operator = Operator { name: "it", ir, constants: "" };
    Chain::compile(&[input.clone(), output.clone()], &[operator], None, 0, 1)
}
