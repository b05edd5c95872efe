//! From spooled events to encoded frames: the edge replicas of the operators, fused.

use anyhow::Context as _;
use sluice_engine::{Chain, deployed};
use sluice_model::{Cut, DeadEvent, DeployedQuery, DeviceKey, Epoch, Incarnation, Input, Seq};
use sluice_spool::Batch;
use sluice_wire::{EventsBuffer, FrameHeader, FrameKind, encode_frame};

use crate::machine::{Order, SignOfLife};

/// Builds the frames of one input.
pub struct FrameBuilder {
    key: DeviceKey,
    /// By cut: the operators `1..cut`, the schema of what they give, the topic it goes to.
    lanes: Vec<Lane>,
    events: EventsBuffer,
    message: Vec<u8>,
}

struct Lane {
    chain: Chain,
    schema_id: i32,
    topic: String,
}

/// A frame that is ready to be sent. Its message stays in the builder.
#[derive(Debug)]
pub struct BuiltFrame {
    /// Its header.
    pub header: FrameHeader,
    /// Copies of the events that an operator could not pass on.
    pub dead: Vec<DeadEvent>,
}

impl FrameBuilder {
    /// Compiles the operators of an input for every cut.
    ///
    /// # Errors
    /// When a type or an operator can't be compiled, or was not deployed whole.
    pub fn new(key: &DeviceKey, query: &DeployedQuery, input: &Input) -> anyhow::Result<Self> {
        let types = deployed::types(input)?;
        let lanes = (0..=input.operator_count()).map(|cut| {
            Ok(Lane {
                chain: deployed::chain(input, &types, 0, cut)?,
                schema_id: input
                    .frame_schema_id(cut)
                    .context("the query was deployed without schema ids")?,
                topic: query.topic(input, cut),
            })
        });
        Ok(Self {
            key: key.clone(),
            lanes: lanes.collect::<anyhow::Result<_>>()?,
            events: EventsBuffer::new(),
            message: Vec::new(),
        })
    }

    /// The encoded message that was built last.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The topic of frames that leave at `cut`.
    #[must_use]
    pub fn topic(&self, cut: Cut) -> &str {
        &self.lane(cut).topic
    }

    fn lane(&self, cut: Cut) -> &Lane {
        &self.lanes[usize::try_from(cut.0).unwrap_or(0)]
    }

    /// Runs the events of `batch` through the operators before the order's cut and encodes the frame.
    ///
    /// # Errors
    /// When the frame would contradict itself: an error of ours.
    pub fn build(
        &mut self,
        order: &Order,
        cut: Cut,
        batch: &Batch,
        now_ms: i64,
    ) -> anyhow::Result<BuiltFrame> {
        let lane = &mut self.lanes[usize::try_from(cut.0).unwrap_or(0)];
        self.events.clear();
        lane.chain.begin_frame();
        let mut dead = Vec::new();
        for (delta, value) in (0i32..).zip(batch.values()) {
            if let Err(reason) = lane.chain.run_event(delta, None, Some(value), &mut self.events) {
                let place = (order.incarnation, Seq(order.first_seq + i64::from(delta)));
                dead.push(dead_event(
                    &self.key,
                    place,
                    &reason.operator,
                    reason.reason.to_string(),
                    value,
                ));
            }
        }
        let last = order.first_seq + i64::try_from(batch.len())? - 1;
        let header = FrameHeader {
            kind: FrameKind::Data,
            device: self.key.device.clone(),
            incarnation: order.incarnation,
            previous: order.previous,
            epoch: order.epoch,
            left_at: cut,
            applied: cut.0,
            first: Seq(order.first_seq),
            last: Seq(last),
            watermark: lane.chain.watermark(),
            dead: i32::try_from(dead.len())?,
            reason: None,
            dispatched_at: now_ms,
        };
        self.message.clear();
        encode_frame(lane.schema_id, &header, &self.events, &mut self.message)?;
        Ok(BuiltFrame { header, dead })
    }

    /// Encodes the declaration that the order's whole range is gone.
    ///
    /// # Errors
    /// When it would contradict itself: an error of ours.
    pub fn build_gap(
        &mut self,
        order: &Order,
        reason: &str,
        now_ms: i64,
    ) -> anyhow::Result<FrameHeader> {
        let events = i64::try_from(order.end.since(order.first))?;
        self.encode_without_events(FrameHeader {
            kind: FrameKind::Gap,
            incarnation: order.incarnation,
            previous: order.previous,
            epoch: order.epoch,
            first: Seq(order.first_seq),
            last: Seq(order.first_seq + events - 1),
            reason: Some(reason.to_owned()),
            ..self.out_header(now_ms)
        })
    }

    /// Encodes a heartbeat or a leave.
    ///
    /// # Errors
    /// When it would contradict itself: an error of ours.
    pub fn build_sign_of_life(
        &mut self,
        sign: &SignOfLife,
        now_ms: i64,
    ) -> anyhow::Result<FrameHeader> {
        self.encode_without_events(FrameHeader {
            kind: if sign.is_leave { FrameKind::Leave } else { FrameKind::Heartbeat },
            incarnation: sign.incarnation,
            previous: sign.previous,
            epoch: sign.epoch,
            first: Seq(sign.last + 1),
            last: Seq(sign.last),
            watermark: sign.watermark,
            ..self.out_header(now_ms)
        })
    }

    /// The header of an empty frame for `out`.
    fn out_header(&self, now_ms: i64) -> FrameHeader {
        let all = self.all();
        FrameHeader {
            kind: FrameKind::Heartbeat,
            device: self.key.device.clone(),
            incarnation: Incarnation(0),
            previous: None,
            epoch: Epoch::LOWEST,
            left_at: all,
            applied: all.0,
            first: Seq(0),
            last: Seq(-1),
            watermark: None,
            dead: 0,
            reason: None,
            dispatched_at: now_ms,
        }
    }

    fn all(&self) -> Cut {
        Cut(i32::try_from(self.lanes.len()).unwrap_or(i32::MAX) - 1)
    }

    fn encode_without_events(&mut self, header: FrameHeader) -> anyhow::Result<FrameHeader> {
        self.events.clear();
        self.message.clear();
        let schema_id = self.lane(self.all()).schema_id;
        encode_frame(schema_id, &header, &self.events, &mut self.message)?;
        Ok(header)
    }
}

/// The copy of an event for the dead topic.
#[must_use]
pub fn dead_event(
    key: &DeviceKey,
    place: (Incarnation, Seq),
    operator: &str,
    reason: String,
    value: &[u8],
) -> DeadEvent {
    DeadEvent {
        input: key.input.to_string(),
        device: key.device.to_string(),
        incarnation: Some(place.0.0),
        seq: Some(place.1.0),
        operator: operator.to_owned(),
        reason,
        ..DeadEvent::copy_of(value)
    }
}
