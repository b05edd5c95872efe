//! What edges and replicas measure, as it stands in `sluice.telemetry`: counters that only grow while a boot lasts.
//!
//! Whoever takes the difference of two records of one boot gets what happened between them, whatever was lost, repeated
//! or reordered on the way.

use serde::{Deserialize, Serialize};

/// The value of a record of `sluice.telemetry` (schemas/Telemetry.avsc).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Telemetry {
    /// Names the run that counts; with another one all counters begin at 0.
    pub boot: String,
    /// The writer's steady clock since that boot, microseconds: orders the records, and is what rates are taken of.
    pub uptime_us: i64,
    /// The writer's wall clock, epoch milliseconds; for people.
    pub at: i64,
    /// The version of the query whose events are counted.
    pub version: i32,
    /// Set by an edge.
    pub edge: Option<EdgeCounters>,
    /// Set by a cloud replica.
    pub replica: Option<ReplicaCounters>,
}

/// What the edge of a device counts for one input.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EdgeCounters {
    /// Events accepted from the source.
    pub accepted_events: i64,
    /// Events whose acknowledgement is complete up to them.
    pub acked_events: i64,
    /// Events accepted and not acknowledged.
    pub backlog_events: i64,
    /// Bytes in the spool.
    pub spool_bytes: i64,
    /// Age of the oldest spooled event, milliseconds.
    pub oldest_age_ms: Option<i64>,
    /// Events copied to the dead topic.
    pub dead_events: i64,
    /// By cut, 0..N.
    pub cuts: Vec<CutCounters>,
    /// Bytes sent to the broker: requests and compressed messages.
    pub wire_bytes: i64,
    /// Time that dispatch waited for the budget of bytes in flight, microseconds.
    pub held_us: i64,
    /// Bytes of frames acknowledged in that time, compressed.
    pub held_acked_packed_bytes: i64,
    /// The quickest round trip to a broker in the last second, microseconds.
    pub rtt_us: Option<i64>,
    /// What the machine gives the process.
    pub cpu: CpuCounters,
}

/// What left the edge at a cut, and what a sample of events cost there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CutCounters {
    /// Source events dispatched at this cut.
    pub left_events: i64,
    /// Bytes of their frames before compression.
    pub left_bytes: i64,
    /// The same compressed, by what samples say.
    pub left_packed_bytes: i64,
    /// Source events of samples that were run up to this cut.
    pub sample_events: i64,
    /// What came out of them.
    pub sample_out_events: i64,
    /// Processor time to run, encode and compress them, microseconds; that of the host too, where it runs operators.
    pub sample_busy_us: i64,
    /// Bytes of their frames, compressed.
    pub sample_packed_bytes: i64,
}

/// The processor as an input sees it: an agent's is dealt out to its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CpuCounters {
    /// Processor time of the input's thread, and its part of what the agent and its host used beside, microseconds.
    pub used_us: i64,
    /// Processors of the machine, less what the other inputs use.
    pub cores: f64,
    /// What the control group may use, less what the other inputs use; none without a limit.
    pub limit_cores: Option<f64>,
    /// Periods of the control group that are over.
    pub periods: i64,
    /// Those of them in which it was throttled.
    pub throttled_periods: i64,
    /// How long the input's thread was throttled, microseconds.
    pub throttled_us: i64,
    /// How long the input's work waited for a processor, being throttled included, microseconds.
    pub run_queue_us: i64,
}

/// What a cloud replica counts for a range of operators of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReplicaCounters {
    /// The first operator of the range.
    pub from: i32,
    /// The last.
    pub to: i32,
    /// Events taken from the stage.
    pub events_in: i64,
    /// Events passed on.
    pub events_out: i64,
    /// Bytes of the frames taken, before compression.
    pub bytes_in: i64,
    /// Bytes of the frames passed on, before compression.
    pub bytes_out: i64,
    /// Time in the operators, microseconds.
    pub busy_us: i64,
    /// Events copied to the dead topic.
    pub dead_events: i64,
}

/// The key of a replica's telemetry: `query/input/v<from>`, which no device has the form of: `v` and a number may name a device,
/// so the record says whose it is.
#[must_use]
pub fn replica_key(query: &crate::QueryId, input: &crate::InputName, from: i32) -> String {
    format!("{query}/{input}/v{from}")
}
