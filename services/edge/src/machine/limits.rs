//! The bounds that a machine keeps.

/// The bounds that a machine keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long an event may wait for company in its frame, milliseconds.
    pub linger_ms: i64,
    /// The largest frame, bytes of its events.
    pub frame_bytes: usize,
    /// The most events in a frame.
    pub frame_events: u64,
    /// Bounds of the bytes in flight.
    pub in_flight_bytes: (usize, usize),
    /// The most bytes a second that leave the device, before compression; none is without a cap.
    pub drain_bytes_per_s: Option<u64>,
    /// The time between heartbeats, milliseconds.
    pub heartbeat_ms: i64,
    /// How long a path may stay without acknowledgement while others get some, milliseconds.
    pub path_timeout_ms: i64,
}

impl Default for Limits {
    /// DESIGN sections 3 (Delivery) and 8.
    fn default() -> Self {
        Self {
            linger_ms: 20,
            frame_bytes: 256 << 10,
            frame_events: 1 << 16,
            in_flight_bytes: (64 << 10, 8 << 20),
            drain_bytes_per_s: None,
            heartbeat_ms: 1_000,
            path_timeout_ms: 10_000,
        }
    }
}
