//! What is shown of a device.

use sluice_model::{DeviceId, Incarnation};

/// The state and the counters of one device. Counters start at 0 with each restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceMetrics {
    /// Whose.
    pub device: DeviceId,
    /// The open incarnation, before any opened none.
    pub incarnation: Option<Incarnation>,
    /// The frontier of the open incarnation.
    pub frontier: i64,
    /// Named seqs behind the frontier of the open incarnation that are not covered (held ones included), at least 1 while an
    /// incarnation waits.
    pub missing: i64,
    /// Frames held.
    pub held_frames: usize,
    /// Their bytes.
    pub held_bytes: u64,
    /// The device's watermark, epoch ms.
    pub watermark_ms: Option<i64>,
    /// Whether the device holds time back.
    pub active: bool,
    /// Whether it is in event-time order because a limit was reached.
    pub fallback: bool,
    /// What was counted since the start.
    pub counters: Counters,
}

/// Counters of one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Frames of which every seq was covered or held.
    pub duplicate_frames: u64,
    /// Seqs passed of closed incarnations or below the base.
    pub late_seqs: i64,
    /// Seqs given up.
    pub gap_seqs: i64,
    /// Frames dropped because their incarnation is forgotten.
    pub forgotten_frames: u64,
    /// Times that the device went to event-time order.
    pub fallbacks: u64,
}
