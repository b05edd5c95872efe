//! What the reader has to do.

use sluice_model::{DeviceId, Incarnation};

use crate::SeqRange;

/// One step of the reader. The state has changed when an action is handed out: perform it before the next snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action<T> {
    /// Pass on those events of the frame whose seq is in `ranges` (ascending), and no others.
    Pass {
        /// Whose frame.
        device: DeviceId,
        /// The incarnation that numbered the seqs.
        incarnation: Incarnation,
        /// The caller's handle of the frame.
        frame: T,
        /// The seqs, ascending, at least one.
        ranges: Vec<SeqRange>,
        /// How many of these seqs belong to a closed incarnation or lie below the base.
        late_seqs: i64,
    },
    /// Forget the frame: nothing of it is passed on.
    Drop {
        /// Whose frame.
        device: DeviceId,
        /// The incarnation that numbered the seqs.
        incarnation: Incarnation,
        /// The caller's handle of the frame.
        frame: T,
        /// Why.
        reason: DropReason,
    },
    /// These seqs will not be waited for, and count as a gap.
    Gap {
        /// Whose seqs.
        device: DeviceId,
        /// The incarnation that numbered them.
        incarnation: Incarnation,
        /// The seqs, ascending, at least one.
        ranges: Vec<SeqRange>,
        /// Why.
        reason: GapReason,
    },
    /// The incarnation opened: every older one is closed.
    Opened {
        /// The device.
        device: DeviceId,
        /// The incarnation that its events now come from.
        incarnation: Incarnation,
    },
    /// The device went to event-time order and holds time back no more.
    FellBack {
        /// The device.
        device: DeviceId,
        /// Which bound it reached.
        reason: GiveUpReason,
    },
    /// The device is in source order again, and counts.
    Returned {
        /// The device.
        device: DeviceId,
    },
    /// The device has settled.
    Settled {
        /// The device.
        device: DeviceId,
        /// Its newest incarnation, now open.
        incarnation: Incarnation,
        /// The first seq that is waited for.
        base: i64,
    },
    /// The device left at its frontier.
    Left {
        /// The device.
        device: DeviceId,
    },
}

/// Why a frame is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// All its seqs are covered, or held already.
    Duplicate,
    /// Its incarnation was forgotten.
    Forgotten,
}

/// Why seqs are given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GapReason {
    /// By a gap frame.
    Declared,
    /// At the hole limit or the held-bytes bound, where event-time order is refused.
    Lost,
    /// At the bound of intervals.
    Intervals,
}

/// Which bound a device reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GiveUpReason {
    /// The frontier did not advance for the hole limit.
    HoleLimit,
    /// It held most when the held-bytes bound was reached.
    HeldBytes,
}
