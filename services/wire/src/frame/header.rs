//! The fields of a frame in front of its events.

use sluice_model::{Cut, DeviceId, Epoch, Incarnation, Seq};
use thiserror::Error;

use super::FrameError;
use super::events::EventsBuffer;
use crate::Reader;
use crate::varint::put_long;
use crate::writer::{put_int, put_optional_long, put_string};

/// What a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// The events that came out of a range of seqs.
    Data,
    /// A sign of life; its `last` ends the contiguous acknowledged prefix.
    Heartbeat,
    /// A range declared lost.
    Gap,
    /// The device takes no part any more; its `last` is the last seq it numbered.
    Leave,
}

impl FrameKind {
    /// In the order of the symbols in `schemas/Frame.avsc`.
    const ALL: [Self; 4] = [Self::Data, Self::Heartbeat, Self::Gap, Self::Leave];

    /// Whether frames of this kind have a range of seqs.
    #[must_use]
    pub const fn has_range(self) -> bool {
        matches!(self, Self::Data | Self::Gap)
    }

    /// The symbol in the schema.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Heartbeat => "heartbeat",
            Self::Gap => "gap",
            Self::Leave => "leave",
        }
    }
}

/// The newest older incarnation that numbered an event (DESIGN section 3, Identity).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Previous {
    /// The incarnation.
    pub incarnation: Incarnation,
    /// The last seq that it numbered, inclusive.
    pub end: Seq,
}

/// A frame without its events (schemas/Frame.avsc; DESIGN sections 1 and 2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameHeader {
    /// What the frame is.
    pub kind: FrameKind,
    /// Whose events it has.
    pub device: DeviceId,
    /// Which incarnation numbered them.
    pub incarnation: Incarnation,
    /// The incarnation that must be covered first; none where there is none.
    pub previous: Option<Previous>,
    /// The epoch of the plan that chose the cut.
    pub epoch: Epoch,
    /// The cut at which the frame left the edge.
    pub left_at: Cut,
    /// Operators applied so far.
    pub applied: i32,
    /// The first seq of the range.
    pub first: Seq,
    /// The last seq of the range, inclusive; first - 1 in heartbeats and leaves.
    pub last: Seq,
    /// What the frame's own events justify, epoch milliseconds.
    pub watermark: Option<i64>,
    /// Events of the range that went to the dead topic.
    pub dead: i32,
    /// Why a gap was declared.
    pub reason: Option<String>,
    /// The device's clock at dispatch, epoch milliseconds.
    pub dispatched_at: i64,
}

/// A frame whose fields contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// A number that is never negative.
    #[error("{field} is {value}")]
    Negative {
        /// The field.
        field: &'static str,
        /// Its value.
        value: i64,
    },
    /// A range that frames of this kind cannot have.
    #[error("the range {first}..={last} is impossible in a frame of kind {}", .kind.symbol())]
    Range {
        /// The kind.
        kind: FrameKind,
        /// The first seq.
        first: Seq,
        /// The last seq.
        last: Seq,
    },
    /// A previous incarnation that is not older.
    #[error("the previous incarnation {previous} is not older than {incarnation}")]
    Previous {
        /// The previous incarnation as given.
        previous: Incarnation,
        /// The frame's own.
        incarnation: Incarnation,
    },
    /// More dead events than the range has.
    #[error("{0} dead events are more than the range has")]
    Dead(i32),
    /// Events in a frame that cannot have any.
    #[error("a frame of kind {} has events", .0.symbol())]
    Events(FrameKind),
    /// An event outside of the range.
    #[error("an event at {0} behind the first seq is outside of the range")]
    Delta(i32),
    /// An event in front of its predecessor.
    #[error("an event at {0} behind the first seq comes after a later one")]
    Order(i32),
}

impl FrameHeader {
    /// The highest delta that the range has; -1 where there is no range.
    fn last_delta(&self) -> i64 {
        self.last.0 - self.first.0
    }

    /// Checks what must hold between the fields.
    ///
    /// # Errors
    /// The first [`Contradiction`].
    pub fn check(&self) -> Result<(), Contradiction> {
        let never_negative = [
            ("incarnation", self.incarnation.0),
            ("epoch", self.epoch.0),
            ("left_at", i64::from(self.left_at.0)),
            ("applied", i64::from(self.applied)),
            ("first", self.first.0),
            ("dead", i64::from(self.dead)),
            ("previous.incarnation", self.previous.map_or(0, |previous| previous.incarnation.0)),
            ("previous.end", self.previous.map_or(0, |previous| previous.end.0)),
        ];
        if let Some(&(field, value)) = never_negative.iter().find(|(_, value)| *value < 0) {
            return Err(Contradiction::Negative { field, value });
        }
        let (kind, first, last) = (self.kind, self.first, self.last);
        // `first` is not negative here, so that `first - 1` exists.
        let possible = if kind.has_range() { first <= last } else { last.0 == first.0 - 1 };
        if !possible {
            return Err(Contradiction::Range { kind, first, last });
        }
        if let Some(previous) = self.previous.filter(|p| p.incarnation >= self.incarnation) {
            let (previous, incarnation) = (previous.incarnation, self.incarnation);
            return Err(Contradiction::Previous { previous, incarnation });
        }
        if i64::from(self.dead) - 1 > self.last_delta() {
            return Err(Contradiction::Dead(self.dead));
        }
        Ok(())
    }

    /// Checks an event's place: within the range, not in front of its predecessor's delta.
    pub(super) fn check_delta(&self, delta: i32, predecessor: i32) -> Result<(), Contradiction> {
        if self.kind != FrameKind::Data {
            Err(Contradiction::Events(self.kind))
        } else if delta < 0 || i64::from(delta) > self.last_delta() {
            Err(Contradiction::Delta(delta))
        } else if delta < predecessor {
            Err(Contradiction::Order(delta))
        } else {
            Ok(())
        }
    }

    /// Checks the fields, and that the events of `events` fit to them.
    pub(super) fn check_with(&self, events: &EventsBuffer) -> Result<(), Contradiction> {
        self.check()?;
        match events.deltas() {
            None => Ok(()),
            Some(deltas) => {
                self.check_delta(deltas.lowest, deltas.lowest)?;
                self.check_delta(deltas.highest, deltas.highest)?;
                deltas.disordered.map_or(Ok(()), |delta| Err(Contradiction::Order(delta)))
            }
        }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_long(out, self.kind as i64);
        put_string(out, self.device.as_str());
        put_long(out, self.incarnation.0);
        match self.previous {
            None => put_long(out, 0),
            Some(previous) => {
                put_long(out, 1);
                put_long(out, previous.incarnation.0);
                put_long(out, previous.end.0);
            }
        }
        put_long(out, self.epoch.0);
        put_int(out, self.left_at.0);
        put_int(out, self.applied);
        put_long(out, self.first.0);
        put_long(out, self.last.0);
        put_optional_long(out, self.watermark);
        put_int(out, self.dead);
        match &self.reason {
            None => put_long(out, 0),
            Some(reason) => {
                put_long(out, 1);
                put_string(out, reason);
            }
        }
        put_long(out, self.dispatched_at);
    }

    pub(super) fn decode(reader: &mut Reader<'_>) -> Result<Self, FrameError> {
        let header = Self {
            kind: FrameKind::ALL[reader.index(FrameKind::ALL.len())?],
            device: DeviceId::new(reader.string()?)?,
            incarnation: Incarnation(reader.long()?),
            previous: match reader.index(2)? {
                0 => None,
                _ => Some(Previous {
                    incarnation: Incarnation(reader.long()?),
                    end: Seq(reader.long()?),
                }),
            },
            epoch: Epoch(reader.long()?),
            left_at: Cut(reader.int()?),
            applied: reader.int()?,
            first: Seq(reader.long()?),
            last: Seq(reader.long()?),
            watermark: reader.optional_long()?,
            dead: reader.int()?,
            reason: match reader.index(2)? {
                0 => None,
                _ => Some(reader.string()?.to_owned()),
            },
            dispatched_at: reader.long()?,
        };
        header.check()?;
        Ok(header)
    }
}
