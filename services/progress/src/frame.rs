//! What the algebra must know of a frame.

use sluice_model::{DeviceId, Incarnation};
use thiserror::Error;

/// The highest legal seq: leaves room for arithmetic.
const MAX_SEQ: i64 = 1 << 62;

/// What a record of an `out` topic says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// The events that came out of a range of seqs.
    Data,
    /// Sign of life; `last` is the end of the acknowledged prefix, the watermark that of this prefix.
    Heartbeat,
    /// A range that was given up.
    Gap,
    /// The device leaves the partition once its frontier has reached `last`.
    Leave,
    /// A body that could not be decoded; its headers name a range, which may still come by replay.
    Unreadable,
}

/// The newest older incarnation that numbered an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Previous {
    /// Its number.
    pub incarnation: Incarnation,
    /// The last seq that it numbered, inclusive.
    pub end: i64,
}

/// A frame without its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it says.
    pub kind: FrameKind,
    /// Who says it.
    pub device: DeviceId,
    /// The incarnation that numbered the range.
    pub incarnation: Incarnation,
    /// `None` where there is none.
    pub previous: Option<Previous>,
    /// The first seq; `last + 1` in heartbeats and leaves.
    pub first: i64,
    /// The last seq, inclusive.
    pub last: i64,
    /// Epoch ms. Of a frame that the caller cuts into slices, only the last slice keeps it.
    pub watermark_ms: Option<i64>,
    /// What it costs in memory while it is held.
    pub bytes: u64,
    /// The broker's append time, epoch ms.
    pub append_time_ms: i64,
    /// The record's offset: a checkpoint must not start behind it while the frame is held.
    pub offset: i64,
    /// Where reading goes on once this frame is passed: `offset + 1`, but `offset` for a slice that is not the last one of
    /// its record.
    pub next_offset: i64,
}

/// A frame whose numbers no agent writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("frame of incarnation {incarnation} with seqs {first}..={last} is malformed")]
pub struct Malformed {
    /// The incarnation as named.
    pub incarnation: Incarnation,
    /// The first seq as named.
    pub first: i64,
    /// The last seq as named.
    pub last: i64,
}

impl Frame {
    pub(crate) fn check(&self) -> Result<(), Malformed> {
        let range = match self.kind {
            FrameKind::Heartbeat | FrameKind::Leave => self.last >= -1,
            FrameKind::Data | FrameKind::Gap | FrameKind::Unreadable => {
                0 <= self.first && self.first <= self.last
            }
        };
        let previous = self.previous.is_none_or(|p| {
            (0..self.incarnation.0).contains(&p.incarnation.0) && (-1..=MAX_SEQ).contains(&p.end)
        });
        if range && previous && self.last <= MAX_SEQ && self.incarnation.0 >= 0 {
            Ok(())
        } else {
            Err(Malformed { incarnation: self.incarnation, first: self.first, last: self.last })
        }
    }
}
