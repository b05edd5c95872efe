//! The words of Sluice as types: names and numbers, cuts and shares, commands, statuses, deployed queries, topics.
//!
//! Pure: values and decisions only; no clock, no IO. Times are epoch milliseconds (`i64`) and are passed in.

mod command;
mod control;
mod decision;
mod device;
mod events;
mod ids;
mod job;
mod key;
mod older;
mod query;
mod shares;
mod status;
pub mod telemetry;
pub mod topics;

pub use command::{CommandError, Mode, Order as RouteOrder, RoutingCommand};
pub use control::{Control, Outcome, PlanInForce, PlanMode};
pub use decision::{CutForecast, Decision, DecisionInputs, Verdict};
pub use device::{DeviceEntry, DeviceState};
pub use events::{DeadEvent, HEAD_BYTES, LateEvent};
pub use ids::{DeviceId, Epoch, Incarnation, InputName, NameError, QueryId, Seq};
pub use job::{Artifact, Function, FunctionKind, Job, Prefix};
pub use key::{CommandKey, DeviceKey, GENERATION_KEY, KeyError, Target};
pub use query::{Assigner, DeployedQuery, Engine, Input, Operator, Order, QueryError};
pub use shares::{Cut, Share, Shares, SharesError, WHOLE_PER_MILLE};
pub use status::{DeviceStatus, Hello, ReadyVersion, Refusal};
pub use telemetry::{CpuCounters, CutCounters, EdgeCounters, ReplicaCounters, Telemetry};
