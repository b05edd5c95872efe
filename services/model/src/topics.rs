//! Names of topics (DESIGN section 2).

use crate::{InputName, QueryId};

/// Deployed queries, compacted, by query.
pub const QUERIES: &str = "sluice.queries";
/// Devices of inputs, compacted, by query/input/device.
pub const DEVICES: &str = "sluice.devices";
/// Routing commands, compacted, by query/input/device.
pub const CONTROL: &str = "sluice.control";
/// Statuses and hellos of devices, compacted, one partition.
pub const STATUS: &str = "sluice.status";
/// Empty, one partition: its assignment is the leadership among controllers.
pub const LEADER: &str = "sluice.leader";
/// What controllers decided, by query/input/device.
pub const DECISIONS: &str = "sluice.decisions";
/// Counters of edges and replicas, by query/input/device or query/input/operator.
pub const TELEMETRY: &str = "sluice.telemetry";

/// The topic in front of operator `stage` (1..N) of an input: frames of T(stage - 1).
#[must_use]
pub fn stage(query: &QueryId, version: i32, input: &InputName, stage: i32) -> String {
    format!("{query}.{version}.{input}.stage.{stage}")
}

/// The topic that the residual job reads: frames of T(N).
#[must_use]
pub fn out(query: &QueryId, version: i32, input: &InputName) -> String {
    format!("{query}.{version}.{input}.out")
}

/// Events that no operator could pass on.
#[must_use]
pub fn dead(query: &QueryId) -> String {
    format!("{query}.dead")
}

/// Copies of events that came behind the emitted watermark.
#[must_use]
pub fn late(query: &QueryId) -> String {
    format!("{query}.late")
}

/// The topic of a query's input that a frame at `applied` of `operators` operators goes to.
#[must_use]
pub fn of_applied(
    query: &QueryId,
    version: i32,
    input: &InputName,
    applied: i32,
    operators: i32,
) -> String {
    if applied == operators {
        out(query, version, input)
    } else {
        stage(query, version, input, applied + 1)
    }
}

/// The consumer group of a stage's replicas: one per topic, so that ranges of operators can change.
#[must_use]
pub fn group(stage_topic: &str) -> String {
    format!("sluice.{stage_topic}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_enters_the_stage_behind_its_cut() {
        let (q, i) = (QueryId::new("q1").unwrap(), InputName::new("readings").unwrap());
        assert_eq!(of_applied(&q, 1, &i, 0, 3), "q1.1.readings.stage.1");
        assert_eq!(of_applied(&q, 1, &i, 2, 3), "q1.1.readings.stage.3");
        assert_eq!(of_applied(&q, 1, &i, 3, 3), "q1.1.readings.out");
    }
}
