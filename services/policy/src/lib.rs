//! Where each device's events leave the edge: estimates from telemetry, and policies that decide.
//!
//! Pure: values and decisions only; no clock, no IO. Times are epoch milliseconds (`i64`) and are passed in.
//!
//! One device and input, once per interval:
//!
//! ```text
//! Counters (cumulative) -- Differ::take --> Observation -- Estimator::observe --> Estimates
//!                                                                                     |
//!                                         Decision <-- Policy::solve(Problem, previous Plan)
//! ```
//!
//! - [`Differ`] turns cumulative counters into what happened in between. Lost reports make one longer interval, repeated and reordered ones none,
//!   a new boot begins from zero: no report spoils an estimate for good.
//! - [`Estimator`] keeps, per cut, the CPU time and the bytes that an event costs, and per device the CPU and the goodput that are to be had.
//! - A [`Policy`] is a function of a [`Problem`] (estimates and the time) and the plan in force. Solving again from its answer changes
//!   nothing. [`Reference`] is the paper's heuristic; [`Hull`] is the default.
//!
//! What-if: change the public fields of a copy of the [`Estimates`] (`target_per_second`, `cpu_cores`, `goodput`) and solve again, or ask
//! [`Estimates::predict`].

mod chain;
mod counters;
mod estimates;
mod estimator;
mod filter;
mod hull;
mod lag;
mod link;
mod observation;
mod plan;
mod reference;
mod worth;

pub use chain::{Bound, Chain, Mix, Point};
pub use counters::{Counters, CutCounters, Differ};
pub use estimates::{CutEstimate, Estimates, Goodput, Prediction, Recent, Worst};
pub use estimator::{Estimator, EstimatorSettings};
pub use hull::{Hull, HullSettings, LinkBudget, Prices};
pub use observation::{Backlog, CpuInterval, CutInterval, LinkInterval, Observation};
pub use plan::{Decision, Plan, Policy, Problem, Reason};
pub use reference::{Reference, ReferenceSettings};
