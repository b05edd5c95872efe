//! What happened on one device and input in one interval.

use serde::{Deserialize, Serialize};

/// Of one cut.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CutInterval {
    /// Source events of the sample.
    pub sample_events: f64,
    /// CPU time that the sample took.
    pub sample_cpu_seconds: f64,
    /// Events that came out of the sample.
    pub sample_out_events: f64,
    /// Compressed bytes of the sample.
    pub sample_wire_bytes: f64,
    /// Source events that left the edge at this cut.
    pub left_events: f64,
    /// Compressed bytes that they put on the wire.
    pub left_wire_bytes: f64,
}

/// Of the device's CPU.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CpuInterval {
    /// CPU time that the agent used for this input.
    pub used_seconds: Option<f64>,
    /// Cores that it may use.
    pub limit_cores: Option<f64>,
    /// Time that the quota held it back.
    pub throttled_seconds: Option<f64>,
    /// Time that its threads were ready but did not run.
    pub run_queue_seconds: Option<f64>,
}

/// Of the uplink.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkInterval {
    /// Time that dispatch waited for the in-flight budget.
    pub held_seconds: Option<f64>,
    /// Time that events were queued for the link.
    pub queued_seconds: Option<f64>,
    /// Bytes acknowledged in that time.
    pub queued_acked_wire_bytes: Option<f64>,
    /// Round trip to the broker.
    pub rtt_seconds: Option<f64>,
}

/// What waits in the spool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Backlog {
    /// Events not yet acknowledged.
    pub events: u64,
    /// Their bytes in the spool.
    pub bytes: u64,
    /// Age of the oldest.
    pub oldest_ms: u64,
}

/// One interval of one device and input. What may be missing is an option.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Observation {
    /// The interval's end, epoch milliseconds.
    pub at_ms: i64,
    /// Its length.
    pub seconds: f64,
    /// Source events that arrived.
    pub arrived_events: f64,
    /// Source events acknowledged by the broker.
    pub acked_events: f64,
    /// Events that went to the dead letters.
    pub dead_events: f64,
    /// The rate to be sustained, where one is set.
    pub target_per_second: Option<f64>,
    /// Per cut `0..=N`.
    pub cuts: Vec<CutInterval>,
    /// The device's CPU.
    pub cpu: CpuInterval,
    /// The uplink.
    pub link: LinkInterval,
    /// What waits in the spool at the interval's end.
    pub backlog: Option<Backlog>,
    /// Frames that the residual job has not committed at the interval's end.
    pub residual_lag_frames: Option<u64>,
}

impl Observation {
    /// The interval's begin, epoch milliseconds.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "an interval of ages saturates")]
    pub fn begin_ms(&self) -> i64 {
        self.at_ms.saturating_sub((self.seconds * 1e3) as i64)
    }
}
