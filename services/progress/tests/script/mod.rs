//! Runs the scripts of `tests/vectors/progress` (format: `tests/vectors/README.md`).

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sluice_model::{DeviceId, Incarnation, Order};
use sluice_progress::{
    Action, DropReason, Frame, FrameKind, GapReason, GiveUpReason, Limits, OnLostHole,
    PartitionProgress, Previous, SeqRange,
};

/// A script, and what should come of it.
#[derive(Debug, Deserialize)]
pub struct Script {
    pub rule: String,
    #[serde(default)]
    pub limits: Map<String, Value>,
    #[serde(default)]
    pub start: Start,
    pub steps: Vec<Step>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Start {
    pub offset: i64,
    pub trimmed: bool,
}

#[derive(Debug, Deserialize)]
pub struct Step {
    #[serde(rename = "do")]
    pub input: Input,
    /// Perform only so many actions.
    pub stop: Option<usize>,
    #[serde(default)]
    pub then: Vec<String>,
    #[serde(default)]
    pub state: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    Joined(String),
    Left(String),
    Skipped { append: i64, next: i64 },
    Tick { now: i64, end: bool },
    Frame(FrameText),
    Restore {},
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameText {
    #[serde(default = "data")]
    kind: String,
    #[serde(default = "device_a")]
    device: String,
    #[serde(default = "one")]
    incarnation: i64,
    previous: Option<(i64, i64)>,
    first: Option<i64>,
    last: i64,
    watermark: Option<i64>,
    #[serde(default = "one")]
    bytes: i64,
    append: i64,
    offset: Option<i64>,
    next: Option<i64>,
}

fn data() -> String {
    "data".into()
}
fn device_a() -> String {
    "a".into()
}
const fn one() -> i64 {
    1
}

/// A partition, and the records that it was fed, for reading them again.
pub struct Run {
    limits: Limits,
    progress: PartitionProgress<i64>,
    records: Vec<Frame>,
    next_offset: i64,
}

impl Run {
    pub fn new(script: &Script) -> Self {
        let limits = limits(&script.limits);
        let progress =
            PartitionProgress::new(limits.clone(), script.start.offset, script.start.trimmed);
        Self { limits, progress, records: Vec::new(), next_offset: script.start.offset }
    }

    /// Feeds a step, and returns the actions as text.
    pub fn step(&mut self, step: &Step) -> Vec<String> {
        let stop = step.stop.unwrap_or(usize::MAX);
        match &step.input {
            Input::Joined(device) => self.progress.joined(&device_id(device)),
            Input::Left(device) => self.progress.left(&device_id(device)),
            Input::Skipped { append, next } => {
                self.progress.skipped(*append, *next);
                self.next_offset = *next;
            }
            Input::Tick { now, end } => self.progress.tick(*now, *end),
            Input::Frame(text) => {
                let frame = text.frame(self.next_offset);
                self.next_offset = frame.next_offset;
                if self.progress.frame(&frame, frame.offset).is_err() {
                    return vec!["malformed".into()];
                }
                self.records.push(frame);
            }
            Input::Restore {} => return self.restore(),
        }
        self.drain(stop)
    }

    fn restore(&mut self) -> Vec<String> {
        let snapshot = self.progress.snapshot();
        let offset = snapshot.offset;
        self.progress = PartitionProgress::restore(self.limits.clone(), snapshot);
        let mut actions = self.drain(usize::MAX);
        for frame in self.records.clone().iter().filter(|frame| frame.offset >= offset) {
            self.progress.frame(frame, frame.offset).expect("it was taken before");
            actions.extend(self.drain(usize::MAX));
        }
        actions
    }

    fn drain(&mut self, stop: usize) -> Vec<String> {
        let mut actions = Vec::new();
        while actions.len() < stop
            && let Some(action) = self.progress.next_action()
        {
            actions.push(action_text(&action));
        }
        actions
    }

    /// What the state shows after a step.
    pub fn state(&mut self) -> Map<String, Value> {
        let watermark = self.progress.advance_watermark();
        let devices: Map<String, Value> = self.progress.metrics().map(|m| {
            let shown = json!({
                "frontier": m.frontier, "missing": m.missing, "held": m.held_bytes, "watermark": m.watermark_ms,
                "active": m.active, "fallback": m.fallback, "duplicates": m.counters.duplicate_frames,
                "late": m.counters.late_seqs, "gaps": m.counters.gap_seqs, "forgotten": m.counters.forgotten_frames,
                "fallbacks": m.counters.fallbacks,
            });
            (m.device.to_string(), shown)
        }).collect();
        let state = json!({
            "watermark": watermark, "idle": self.progress.is_idle(), "offset": self.progress.checkpoint_offset(),
            "held": self.progress.held_bytes(), "devices": devices,
        });
        match state {
            Value::Object(map) => map,
            _ => unreachable!("json! of braces is an object"),
        }
    }
}

fn device_id(text: &str) -> DeviceId {
    DeviceId::new(text).expect("a device id")
}

impl FrameText {
    fn frame(&self, next_offset: i64) -> Frame {
        let offset = self.offset.unwrap_or(next_offset);
        Frame {
            kind: match self.kind.as_str() {
                "data" => FrameKind::Data,
                "heartbeat" => FrameKind::Heartbeat,
                "gap" => FrameKind::Gap,
                "leave" => FrameKind::Leave,
                "unreadable" => FrameKind::Unreadable,
                other => panic!("no kind of frame: {other}"),
            },
            device: device_id(&self.device),
            incarnation: Incarnation(self.incarnation),
            previous: self
                .previous
                .map(|(number, end)| Previous { incarnation: Incarnation(number), end }),
            first: self.first.unwrap_or(self.last + 1),
            last: self.last,
            watermark_ms: self.watermark,
            bytes: self.bytes.unsigned_abs(),
            append_time_ms: self.append,
            offset,
            next_offset: self.next.unwrap_or(offset + 1),
        }
    }
}

fn limits(changes: &Map<String, Value>) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in changes {
        let number = || value.as_i64().expect("a number");
        match name.as_str() {
            "event_time_order" => {
                limits.order = if value == true { Order::EventTime } else { Order::Source }
            }
            "declare_lost_holes" if value == true => limits.on_lost_hole = OnLostHole::DeclareGap,
            "idle_after_ms" => limits.idle_after_ms = number(),
            "start_grace_ms" => limits.start_grace_ms = number(),
            "hole_limit_ms" => limits.hole_limit_ms = number(),
            "silent_hole_limit_ms" => limits.silent_hole_limit_ms = number(),
            "settle_ms" => limits.settle_ms = number(),
            "max_ahead_ms" => limits.max_ahead_ms = number(),
            "held_bytes" => limits.held_bytes = number().unsigned_abs(),
            "max_intervals" => limits.max_intervals = usize::try_from(number()).expect("a count"),
            "max_closed" => limits.max_closed = usize::try_from(number()).expect("a count"),
            other => panic!("no limit: {other}"),
        }
    }
    limits
}

fn action_text(action: &Action<i64>) -> String {
    match action {
        Action::Pass { device, incarnation, frame, ranges, late_seqs } => {
            let late = if *late_seqs > 0 { format!(" late={late_seqs}") } else { String::new() };
            format!("pass {device}/{incarnation} @{frame} {}{late}", ranges_text(ranges))
        }
        Action::Drop { device, incarnation, frame, reason } => {
            let reason = match reason {
                DropReason::Duplicate => "duplicate",
                DropReason::Forgotten => "forgotten",
            };
            format!("drop {device}/{incarnation} @{frame} {reason}")
        }
        Action::Gap { device, incarnation, ranges, reason } => {
            let reason = match reason {
                GapReason::Declared => "declared",
                GapReason::Lost => "lost",
                GapReason::Intervals => "intervals",
            };
            format!("gap {device}/{incarnation} {} {reason}", ranges_text(ranges))
        }
        Action::Opened { device, incarnation } => format!("opened {device}/{incarnation}"),
        Action::FellBack { device, reason: GiveUpReason::HoleLimit } => {
            format!("fell-back {device} hole-limit")
        }
        Action::FellBack { device, reason: GiveUpReason::HeldBytes } => {
            format!("fell-back {device} held-bytes")
        }
        Action::Returned { device } => format!("returned {device}"),
        Action::Settled { device, incarnation, base } => {
            format!("settled {device}/{incarnation} base={base}")
        }
        Action::Left { device } => format!("left {device}"),
    }
}

fn ranges_text(ranges: &[SeqRange]) -> String {
    ranges
        .iter()
        .map(|range| format!("{}-{}", range.first, range.last))
        .collect::<Vec<_>>()
        .join(",")
}

/// Whether `actual` shows everything that `expected` names, at every depth.
pub fn shows(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => expected
            .iter()
            .all(|(name, value)| actual.get(name).is_some_and(|actual| shows(actual, value))),
        _ => actual == expected,
    }
}
