//! The named bounds of a reader.

use sluice_model::Order;

/// What ends a hole that reached a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OnLostHole {
    /// The device falls back to event-time order and holds time back no more; the hole stays open for late arrivals.
    #[default]
    FallBack,
    /// The hole becomes a counted gap and order is kept: where event-time order is refused.
    DeclareGap,
}

/// The bounds (DESIGN section 8). Times are milliseconds on the partition clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// In which order events are passed on.
    pub order: Order,
    /// What ends a hole at a limit.
    pub on_lost_hole: OnLostHole,
    /// Without a frame with a watermark, until a device holds time back no more.
    pub idle_after_ms: i64,
    /// For which a listed device that was never seen holds time back.
    pub start_grace_ms: i64,
    /// Since the frontier last advanced, until a hole is given up.
    pub hole_limit_ms: i64,
    /// The same where the device sends nothing at all.
    pub silent_hole_limit_ms: i64,
    /// From a device's first frame, where reading started without state behind a trimmed prefix.
    pub settle_ms: i64,
    /// By which a watermark may be ahead of its frame's append time.
    pub max_ahead_ms: i64,
    /// Of held frames per partition.
    pub held_bytes: u64,
    /// Intervals of the coverage of one incarnation.
    pub max_intervals: usize,
    /// Closed incarnations per device whose coverage is kept.
    pub max_closed: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            order: Order::Source,
            on_lost_hole: OnLostHole::FallBack,
            idle_after_ms: 30_000,
            start_grace_ms: 60_000,
            hole_limit_ms: 600_000,
            silent_hole_limit_ms: 120_000,
            settle_ms: 60_000,
            max_ahead_ms: 3_600_000,
            held_bytes: 64 << 20,
            max_intervals: 10_000,
            max_closed: 1_000,
        }
    }
}
