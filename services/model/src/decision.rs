//! What the controller decided, and on what grounds, as it stands in `sluice.decisions`.

use serde::{Deserialize, Serialize};

use crate::{Epoch, Shares};

/// What became of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The plan in force is right.
    Kept,
    /// Another plan was commanded.
    Commanded,
    /// Too little is known for a decision.
    Held,
    /// A person routes the device.
    Manual,
}

/// The value of a record of `sluice.decisions` (schemas/Decision.avsc).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The controller's clock, epoch milliseconds.
    pub at: i64,
    /// Which controller.
    pub controller: String,
    /// The policy's name.
    pub policy: String,
    /// The version of the query.
    pub version: i32,
    /// What became of it.
    pub verdict: Verdict,
    /// The epoch that was in force: the command is refused where a newer one is.
    pub if_epoch: Epoch,
    /// The epoch that the command got; none without a command.
    pub epoch: Option<Epoch>,
    /// The plan that was in force.
    pub previous: Shares,
    /// The plan that is to be.
    pub plan: Shares,
    /// Why, a sentence each.
    pub reasons: Vec<String>,
    /// What the policy was given.
    pub inputs: DecisionInputs,
    /// What each cut would sustain and cost, 0..N; empty where nothing is known.
    pub cuts: Vec<CutForecast>,
}

/// The estimates that a decision rests on; none where nothing is known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DecisionInputs {
    /// Events a second that are to be sustained.
    pub target_per_s: Option<f64>,
    /// Events a second that the source gave.
    pub arrivals_per_s: Option<f64>,
    /// Events a second that were acknowledged.
    pub delivered_per_s: Option<f64>,
    /// Events accepted and not acknowledged.
    pub backlog_events: i64,
    /// What the uplink carries, bytes a second.
    pub uplink_bytes_per_s: Option<f64>,
    /// Processors that the operators may use.
    pub cpu_cores: Option<f64>,
    /// Share of time that dispatch waited for the budget of bytes in flight, 0..1.
    pub held_share: Option<f64>,
    /// The round trip, milliseconds.
    pub rtt_ms: Option<f64>,
    /// Frames of `out` that the residual job has not committed.
    pub residual_lag: Option<i64>,
}

/// What a cut would sustain and cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CutForecast {
    /// The cut.
    pub cut: i32,
    /// Events a second; none where the cost is unknown.
    pub rate_per_s: Option<f64>,
    /// Processor time of an event, microseconds.
    pub cpu_us_per_event: Option<f64>,
    /// Bytes of an event on the wire.
    pub bytes_per_event: Option<f64>,
}
