//! What is believed of one device and input.

use serde::{Deserialize, Serialize};
use sluice_model::{Cut, Shares};

use crate::chain::{Bound, Chain, Point};
use crate::observation::Backlog;

/// What a source event costs that leaves the edge at one cut.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CutEstimate {
    /// CPU time of its operators, encoding and compression (C_k), without [`Estimates::overhead_cpu_seconds`].
    pub cpu_seconds: Option<f64>,
    /// Compressed bytes on the wire (D_k).
    pub wire_bytes: Option<f64>,
    /// Events that come out (the product of the selectivities of the operators before the cut).
    pub out_events: Option<f64>,
    /// When its CPU time was last measured, epoch milliseconds.
    pub measured_at_ms: Option<i64>,
}

/// What the uplink carries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Goodput {
    /// Acknowledged bytes a second.
    pub bytes_per_second: f64,
    /// Whether the link was the limit in the last interval, so that the rate is the link's and no mere lower bound.
    pub limited: bool,
    /// When the link was last the limit, epoch milliseconds.
    pub limited_at_ms: i64,
}

/// The least that was to be had of late: it comes true at once, and is forgotten slowly.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Worst {
    /// CPU seconds a second.
    pub cpu_cores: Option<f64>,
    /// Bytes a second of the uplink.
    pub bytes_per_second: Option<f64>,
}

/// The last interval, as the device saw it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Recent {
    /// Its begin, epoch milliseconds.
    pub begin_ms: i64,
    /// Its end, epoch milliseconds.
    pub end_ms: i64,
    /// Source events that arrived a second.
    pub arrived_per_second: f64,
    /// Source events acknowledged a second.
    pub acked_per_second: f64,
    /// Delivered under 99 % of the target, or a backlog that grows.
    pub missed: bool,
    /// Share of time that dispatch waited for the in-flight budget (the paper's backpressure at the boundary).
    pub held_share: Option<f64>,
    /// Bytes put on the wire a second.
    pub wire_bytes_per_second: f64,
    /// What waits in the spool.
    pub backlog: Option<Backlog>,
    /// Frames that the residual job has not committed.
    pub residual_lag_frames: Option<u64>,
    /// Frames that it is behind, while that grows: a slow cloud is not blamed on the edge.
    pub cloud_behind_frames: Option<u64>,
}

/// What is believed of one device and input. The fields are public so that a copy can be asked what if.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Estimates {
    /// Source events a second that are to be sustained.
    pub target_per_second: f64,
    /// CPU time per source event that is the same at every cut: source, spool, sending.
    pub overhead_cpu_seconds: f64,
    /// Per cut `0..=N`.
    pub cuts: Vec<CutEstimate>,
    /// CPU seconds a second that the input can have, after contention.
    pub cpu_cores: Option<f64>,
    /// The uplink; `None` as long as it has never been the limit.
    pub goodput: Option<Goodput>,
    /// What a plan should be ready for, where it can.
    pub worst: Worst,
    /// Round trip to the broker.
    pub rtt_seconds: Option<f64>,
    /// The last interval.
    pub recent: Recent,
}

/// What one cut would do with the present conditions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The cut.
    pub cut: Cut,
    /// Source events a second that it sustains; `None` where nothing known limits it.
    pub sustained_per_second: Option<f64>,
    /// What limits it.
    pub bound: Option<Bound>,
    /// CPU cores that the target takes at this cut.
    pub cpu_cores: f64,
    /// Bytes a second that the target takes at this cut.
    pub wire_bytes_per_second: f64,
}

impl Estimates {
    /// The number of movable operators N.
    #[must_use]
    pub fn operators(&self) -> usize {
        self.cuts.len().saturating_sub(1)
    }

    /// Events that operator `i` (1..=N) processes per second of CPU on the edge: its true rate, as in DS2.
    #[must_use]
    pub fn true_rate(&self, operator: usize) -> Option<f64> {
        let (before, after) = (self.cuts.get(operator.checked_sub(1)?)?, self.cuts.get(operator)?);
        let cpu = after.cpu_seconds? - before.cpu_seconds?;
        (cpu > 0.0).then_some(before.out_events? / cpu)
    }

    /// Events out per event in of operator `i` (1..=N).
    #[must_use]
    pub fn selectivity(&self, operator: usize) -> Option<f64> {
        let (before, after) = (self.cuts.get(operator.checked_sub(1)?)?, self.cuts.get(operator)?);
        let before = before.out_events.filter(|events| *events > 0.0)?;
        Some(after.out_events? / before)
    }

    /// The cuts whose costs are known, and the limits; a limit that is not known does not limit.
    #[must_use]
    pub fn chain(&self) -> Chain {
        let point = |(k, cut): (usize, &CutEstimate)| {
            Some(Point {
                cut: Cut(i32::try_from(k).ok()?),
                cpu_seconds: cut.cpu_seconds? + self.overhead_cpu_seconds,
                wire_bytes: cut.wire_bytes?,
            })
        };
        Chain {
            points: self.cuts.iter().enumerate().filter_map(point).collect(),
            cpu_cores: self.cpu_cores.unwrap_or(f64::INFINITY),
            bytes_per_second: self
                .goodput
                .map_or(f64::INFINITY, |goodput| goodput.bytes_per_second),
        }
    }

    /// What every cut of known costs would do.
    #[must_use]
    pub fn predict(&self) -> Vec<Prediction> {
        let chain = self.chain();
        chain
            .points
            .iter()
            .map(|point| {
                let (rate, bound) = chain.sustained(point.cpu_seconds, point.wire_bytes);
                Prediction {
                    cut: point.cut,
                    sustained_per_second: rate.is_finite().then_some(rate),
                    bound,
                    cpu_cores: point.cpu_seconds * self.target_per_second,
                    wire_bytes_per_second: point.wire_bytes * self.target_per_second,
                }
            })
            .collect()
    }

    /// Source events a second that a plan sustains by these estimates; `None` where a cut's cost is not known, or nothing limits it.
    #[must_use]
    pub fn sustained(&self, shares: &Shares) -> Option<f64> {
        let chain = self.chain();
        let (cpu, bytes) = chain.cost(shares)?;
        Some(chain.sustained(cpu, bytes).0).filter(|rate| rate.is_finite())
    }
}
