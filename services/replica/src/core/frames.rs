//! From a message of the stage to the messages that it becomes.

use sluice_engine::{Dead, Engine, EngineError};
use sluice_kafka::Message;
use sluice_model::{DeadEvent, Seq};
use sluice_wire::frame::Contradiction;
use sluice_wire::record::RecordError;
use sluice_wire::{
    Event, EventsBuffer, Frame, FrameError, FrameHeader, FrameKind, FrameRange, decode_frame,
    encode_frame,
};
use thiserror::Error;

use crate::plan::StagePlan;

/// Why a worker can't go on; a person must look.
#[derive(Debug, Error)]
pub enum Stop {
    /// A frame of a schema that the plan does not list. It must not be skipped.
    #[error(
        "schema id {found} at partition {partition}, offset {offset} of {topic}, where the plan lists {expected}: \
         deploy the version that writes it, or remove the frame"
    )]
    SchemaId {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The frame's offset.
        offset: i64,
        /// Its schema id.
        found: i32,
        /// The plan's.
        expected: i32,
    },
    /// The engine failed as a whole.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A frame that can't be encoded: an error of ours.
    #[error("a frame contradicts itself: {0}")]
    Contradiction(#[from] Contradiction),
    /// A dead event that can't be encoded: an error of ours.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// What a message became.
#[derive(Debug, Default, PartialEq)]
pub struct Output {
    /// Frames that go on, with their encoded messages: one, or its parts where it grew too large.
    pub frames: Vec<(FrameHeader, Vec<u8>)>,
    /// Copies for the dead topic.
    pub dead: Vec<DeadEvent>,
    /// Events that were run through the operators.
    pub events: u64,
    /// Whether the message was no frame at all.
    pub garbage: bool,
}

/// Runs frames through the operators of a stage.
pub struct Runner {
    plan: StagePlan,
    engine: Box<dyn Engine + Send>,
    /// Larger messages are split, bytes before compression.
    pub(super) message_bytes: usize,
    buffer: EventsBuffer,
}

/// A part of a frame: a range of its seqs with their events.
struct Part<'a, 'b> {
    header: FrameHeader,
    events: &'b [Event<'a>],
}

impl Runner {
    pub(super) fn new(
        plan: StagePlan,
        engine: Box<dyn Engine + Send>,
        message_bytes: usize,
    ) -> Self {
        Self { plan, engine, message_bytes, buffer: EventsBuffer::new() }
    }

    pub(super) fn plan(&self) -> &StagePlan {
        &self.plan
    }

    /// What becomes of a message.
    pub(super) fn run(&mut self, message: &Message) -> Result<Output, Stop> {
        let payload = message.payload.as_deref().unwrap_or_default();
        let applied = self.plan.stage - 1;
        match decode_frame(payload, self.plan.schema_id, &self.plan.value_type) {
            Ok(frame) if frame.header.applied == applied => self.run_frame(frame),
            Ok(frame) => {
                let found = frame.header.applied;
                let why =
                    format!("{found} operators were applied to it, but {applied} in this topic");
                Ok(self.garbage(message, why))
            }
            Err(FrameError::SchemaId { expected, found }) if range(message).is_some() => {
                Err(Stop::SchemaId {
                    topic: self.plan.topic.to_string(),
                    partition: message.partition,
                    offset: message.offset,
                    found,
                    expected,
                })
            }
            Err(error) => Ok(self.garbage(message, error.to_string())),
        }
    }

    fn run_frame(&mut self, frame: Frame<'_>) -> Result<Output, Stop> {
        let mut header = frame.header;
        header.applied = self.plan.to;
        let mut output = Output { events: frame.events.len() as u64, ..Output::default() };
        if header.kind == FrameKind::Data {
            self.run_part(Part { header, events: &frame.events }, &mut output)?;
        } else {
            let mut message = Vec::new();
            self.buffer.clear();
            encode_frame(self.plan.next_schema_id, &header, &self.buffer, &mut message)?;
            output.frames.push((header, message));
        }
        Ok(output)
    }

    /// Runs a part; halves it while its result is too large.
    fn run_part(&mut self, part: Part<'_, '_>, output: &mut Output) -> Result<(), Stop> {
        let Self { plan, engine, buffer, .. } = self;
        let mut dead = Vec::new();
        buffer.clear();
        let outcome = engine.run_frame(
            &mut part.events.iter().copied(),
            buffer,
            &mut |event, death: Dead| {
                let (operator, reason) = (&*death.operator, death.reason.to_string());
                dead.push(dead_event(plan, &part.header, event, operator, reason));
            },
        )?;
        let mut header = part.header.clone();
        header.watermark = outcome.watermark.or(header.watermark);
        header.dead = header.dead.saturating_add(i32::try_from(outcome.dead).unwrap_or(i32::MAX));
        let mut message = Vec::new();
        encode_frame(plan.next_schema_id, &header, buffer, &mut message)?;
        if message.len() <= self.message_bytes || buffer.is_empty() {
            output.dead.append(&mut dead);
            output.frames.push((header, message));
            Ok(())
        } else if part.header.first < part.header.last {
            let (left, right) = halves(&part);
            self.run_part(Part { header: left.0, events: &left.1 }, output)?;
            self.run_part(Part { header: right.0, events: &right.1 }, output)
        } else {
            let size = message.len();
            self.refuse_event(&part, header, size, output)
        }
    }

    /// The only event of a part became too large: it dies, its range goes on.
    fn refuse_event(
        &mut self,
        part: &Part<'_, '_>,
        mut header: FrameHeader,
        size: usize,
        output: &mut Output,
    ) -> Result<(), Stop> {
        let last = format!("v{}", self.plan.to);
        if let Some(event) = part.events.first() {
            let reason =
                format!("{size} bytes behind the operators, more than {}", self.message_bytes);
            output.dead.push(dead_event(&self.plan, &part.header, event, &last, reason));
        }
        header.dead = 1;
        self.buffer.clear();
        let mut message = Vec::new();
        encode_frame(self.plan.next_schema_id, &header, &self.buffer, &mut message)?;
        output.frames.push((header, message));
        Ok(())
    }

    /// A copy of a message that is no frame.
    fn garbage(&self, message: &Message, reason: String) -> Output {
        let bytes = message.payload.as_deref().unwrap_or_default();
        let range = range(message);
        let copy = DeadEvent {
            input: self.plan.input.to_string(),
            device: range.as_ref().map_or_else(String::new, |range| range.device.to_string()),
            incarnation: range.as_ref().map(|range| range.incarnation.0),
            seq: range.as_ref().map(|range| range.first.0),
            time: None,
            operator: String::new(),
            reason,
            topic: Some(self.plan.topic.to_string()),
            partition: Some(message.partition),
            offset: Some(message.offset),
            schema_id: None,
            ..DeadEvent::copy_of(bytes)
        };
        Output { dead: vec![copy], garbage: true, ..Output::default() }
    }
}

fn range(message: &Message) -> Option<FrameRange> {
    let headers = message.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    FrameRange::from_headers(headers).ok()
}

type Half<'a> = (FrameHeader, Vec<Event<'a>>);

/// Cuts a part of at least two seqs in the middle. What was known of the whole frame goes where it can't be wrong: a
/// watermark that was computed already to the last part (DESIGN section 3), the count of dead events wherever there is room.
fn halves<'a>(part: &Part<'a, '_>) -> (Half<'a>, Half<'a>) {
    let header = &part.header;
    let left_len = (header.last.0 - header.first.0 + 1) / 2;
    let middle = header.first.0 + left_len;
    let room = i32::try_from(left_len).unwrap_or(i32::MAX);
    let left_dead = header.dead.min(room);
    let left =
        FrameHeader { last: Seq(middle - 1), watermark: None, dead: left_dead, ..header.clone() };
    let right = FrameHeader { first: Seq(middle), dead: header.dead - left_dead, ..header.clone() };
    let at = part.events.partition_point(|event| event.seq(header.first).0 < middle);
    let (left_events, right_events) = part.events.split_at(at);
    let rebased = right_events.iter().map(|event| Event { delta: event.delta - room, ..*event });
    ((left, left_events.to_vec()), (right, rebased.collect()))
}

fn dead_event(
    plan: &StagePlan,
    header: &FrameHeader,
    event: &Event<'_>,
    operator: &str,
    reason: String,
) -> DeadEvent {
    DeadEvent {
        input: plan.input.to_string(),
        device: header.device.to_string(),
        incarnation: Some(header.incarnation.0),
        seq: Some(event.seq(header.first).0),
        time: event.time,
        operator: operator.to_owned(),
        reason,
        schema_id: Some(plan.schema_id),
        ..DeadEvent::copy_of(event.value.unwrap_or_default())
    }
}
