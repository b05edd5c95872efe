//! From spooled events to encoded frames: the edge replicas of the operators, fused.

use anyhow::Context as _;
use sluice_engine::Dead;
use sluice_jvm::Engines;
use sluice_model::{Cut, DeadEvent, DeployedQuery, DeviceKey, Epoch, Incarnation, Input, Seq};
use sluice_spool::Batch;
use sluice_wire::{Event, EventsBuffer, FrameHeader, FrameKind, encode_frame};

use crate::lanes::Lanes;
use crate::machine::{Order, SignOfLife};
use crate::packing::{Packing, packed_bytes};
use crate::telemetry::Sample;

/// Builds the frames of one input.
pub struct FrameBuilder {
    key: DeviceKey,
    /// By cut: the operators `1..cut`.
    lanes: Lanes,
    /// By cut: where what they give goes.
    targets: Vec<Target>,
    events: EventsBuffer,
    message: Vec<u8>,
    /// By cut: what compression makes of frames.
    packing: Vec<Packing>,
    /// Events of a frame, about.
    frame_events: usize,
}

struct Target {
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
    /// When a type or a native operator can't be compiled, the settings keep every frame from leaving, or the query was not deployed whole.
    pub fn new(
        key: &DeviceKey,
        query: &DeployedQuery,
        input: &Input,
        engines: &Engines,
    ) -> anyhow::Result<Self> {
        let targets = (0..=input.operator_count()).map(|cut| {
            Ok(Target {
                schema_id: input
                    .frame_schema_id(cut)
                    .context("the query was deployed without schema ids")?,
                topic: query.topic(input, cut),
            })
        });
        Ok(Self {
            key: key.clone(),
            lanes: Lanes::new(engines, query, &input.name)?,
            targets: targets.collect::<anyhow::Result<_>>()?,
            events: EventsBuffer::new(),
            message: Vec::new(),
            packing: (0..=input.operator_count()).map(|_| Packing::default()).collect(),
            frame_events: 0,
        })
    }

    /// The encoded message that was built last.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// Where frames leave that the plan in force sends off at `cut`: this version may have fewer operators, and some of them may lack
    /// what they need. None if no frame can leave now.
    pub fn clamp(&mut self, cut: Cut) -> Option<Cut> {
        self.lanes.clamp(cut)
    }

    /// Why frames can't leave at `cut` now; none if they can.
    #[must_use]
    pub fn lack(&self, cut: Cut) -> Option<String> {
        self.lanes.lack(cut)
    }

    /// Whether the operators before `cut` run in the host.
    #[must_use]
    pub fn is_jvm(&self, cut: Cut) -> bool {
        self.lanes.is_jvm(cut)
    }

    /// What keeps frames from the cut that was asked for last, for people.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.lanes.trouble()
    }

    /// The topic of frames that leave at `cut`.
    #[must_use]
    pub fn topic(&self, cut: Cut) -> &str {
        &self.target(cut).topic
    }

    fn target(&self, cut: Cut) -> &Target {
        &self.targets[usize::try_from(cut.0).unwrap_or(0)]
    }

    /// Runs the events of `batch` through the operators before the cut, which [`FrameBuilder::clamp`] gave, and encodes the frame. None if
    /// their engine failed as a whole: then another cut is to be asked for.
    ///
    /// # Errors
    /// When the frame would contradict itself: an error of ours.
    pub fn build(
        &mut self,
        order: &Order,
        cut: Cut,
        batch: &Batch,
        now_ms: i64,
    ) -> anyhow::Result<Option<BuiltFrame>> {
        self.events.clear();
        let mut dead = Vec::new();
        let key = &self.key;
        let mut died = |event: &Event<'_>, Dead { operator, reason }| {
            let place = (order.incarnation, Seq(order.first_seq + i64::from(event.delta)));
            let value = event.value.unwrap_or_default();
            dead.push(dead_event(key, place, &operator, reason.to_string(), value));
        };
        let mut events = (0i32..).zip(batch.values()).map(|(delta, value)| Event {
            delta,
            time: None,
            value: Some(value),
        });
        let result = self.lanes.run(cut, &mut events, &mut self.events, &mut died);
        // What became of it stands in the log and in `trouble`.
        let Ok(outcome) = result else { return Ok(None) };
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
            watermark: outcome.watermark,
            dead: i32::try_from(dead.len())?,
            reason: None,
            dispatched_at: now_ms,
        };
        self.message.clear();
        encode_frame(self.target(cut).schema_id, &header, &self.events, &mut self.message)?;
        // Mostly of late: frames are larger while there is a backlog.
        self.frame_events = (3 * self.frame_events + batch.len()).div_ceil(4);
        Ok(Some(BuiltFrame { header, dead }))
    }

    /// Runs the first `events` events of `batch` up to every cut that can be had, and says what each took.
    pub fn sample(
        &mut self,
        order: &Order,
        batch: &Batch,
        events: usize,
        is_packed: bool,
    ) -> Vec<Sample> {
        let events = events.min(batch.len());
        let cuts = (0..=self.all().0).map(Cut);
        let sample = |cut| self.sample_at(order, cut, (batch, events), is_packed);
        cuts.filter_map(sample).collect()
    }

    fn sample_at(
        &mut self,
        order: &Order,
        cut: Cut,
        (batch, events): (&Batch, usize),
        is_packed: bool,
    ) -> Option<Sample> {
        let began = self.lanes.processor_time(cut);
        self.events.clear();
        let mut run = (0i32..).zip(batch.values().take(events)).map(|(delta, value)| Event {
            delta,
            time: None,
            value: Some(value),
        });
        if !self.lanes.rehearse(cut, &mut run, &mut self.events) {
            return None;
        }
        let last = Seq(order.first_seq + i64::try_from(events).ok()? - 1);
        let (left_at, applied, first) = (cut, cut.0, Seq(order.first_seq));
        let kind = FrameKind::Data;
        let header = FrameHeader { kind, left_at, applied, first, last, ..self.out_header(0) };
        self.message.clear();
        let schema_id = self.target(cut).schema_id;
        encode_frame(schema_id, &header, &self.events, &mut self.message).ok()?;
        if is_packed {
            // Its size says little, but a frame's events will cost that time.
            std::hint::black_box(packed_bytes(&self.message));
        }
        let busy = self.lanes.processor_time(cut).saturating_sub(began);
        let (bytes, out_events) = (self.message.len(), self.events.count());
        let packing = self.packing.get_mut(usize::try_from(cut.0).ok()?)?;
        packing.add(events, &self.message, self.frame_events);
        let packed_ratio = packing.ratio(is_packed);
        Some(Sample { cut, events, out_events, busy, bytes, packed_ratio })
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

    /// The highest cut.
    #[must_use]
    pub fn all(&self) -> Cut {
        Cut(i32::try_from(self.targets.len()).unwrap_or(i32::MAX) - 1)
    }

    fn encode_without_events(&mut self, header: FrameHeader) -> anyhow::Result<FrameHeader> {
        self.events.clear();
        self.message.clear();
        let schema_id = self.target(self.all()).schema_id;
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
