//! The metrics of a worker, each defined once.

use std::collections::BTreeMap;

use metrics::{Counter, Gauge, counter, describe_counter, describe_gauge, gauge};

use crate::core::Handled;
use crate::plan::StagePlan;

const FRAMES: &str = "sluice_replica_frames_total";
const EVENTS: &str = "sluice_replica_events_total";
const DEAD_EVENTS: &str = "sluice_replica_dead_events_total";
const GARBAGE: &str = "sluice_replica_garbage_total";
const REWINDS: &str = "sluice_replica_rewinds_total";
const COMMITTED_OFFSET: &str = "sluice_replica_committed_offset";
const IN_FLIGHT_BYTES: &str = "sluice_replica_in_flight_bytes";
const STOPPED: &str = "sluice_replica_stopped";

/// Handles of the metrics of a worker.
pub struct Meters {
    topic: String,
    frames: Counter,
    events: Counter,
    dead_events: Counter,
    garbage: Counter,
    /// Times that the worker began again at the committed prefix.
    pub rewinds: Counter,
    /// Sent and not acknowledged.
    pub in_flight_bytes: Gauge,
    /// 1 when the worker stopped with an alarm.
    pub stopped: Gauge,
    /// By assigned partition.
    committed: BTreeMap<i32, Gauge>,
}

impl Meters {
    /// The handles of a worker.
    #[must_use]
    pub fn new(plan: &StagePlan) -> Self {
        let labels = [
            ("query", plan.query.to_string()),
            ("input", plan.input.to_string()),
            ("stage", plan.stage.to_string()),
        ];
        let topic = plan.topic.to_string();
        let meters = Self {
            frames: counter!(FRAMES, &labels),
            events: counter!(EVENTS, &labels),
            dead_events: counter!(DEAD_EVENTS, &labels),
            garbage: counter!(GARBAGE, &labels),
            rewinds: counter!(REWINDS, &labels),
            in_flight_bytes: gauge!(IN_FLIGHT_BYTES, &labels),
            stopped: gauge!(STOPPED, "topic" => topic.clone()),
            committed: BTreeMap::new(),
            topic,
        };
        meters.stopped.set(0.0);
        meters
    }

    /// Counts a message of the stage.
    pub fn handled(&self, handled: Handled) {
        if let Handled::Taken { events, dead, garbage } = handled {
            if garbage {
                self.garbage.increment(1);
            } else {
                self.frames.increment(1);
            }
            self.events.increment(events);
            self.dead_events.increment(dead);
        }
    }

    /// Shows committed offsets.
    #[allow(clippy::cast_precision_loss, reason = "offsets stay far below 2^53")]
    pub fn committed(&mut self, commits: &[(i32, i64)]) {
        for (partition, next) in commits {
            let topic = &self.topic;
            let gauge = self.committed.entry(*partition).or_insert_with(|| {
                let partition = partition.to_string();
                gauge!(COMMITTED_OFFSET, "topic" => topic.clone(), "partition" => partition)
            });
            gauge.set(*next as f64);
        }
    }
}

/// Describes every metric to the recorder.
pub fn describe() {
    describe_counter!(FRAMES, "Frames run through the operators of a stage");
    describe_counter!(EVENTS, "Events run through the operators of a stage");
    describe_counter!(DEAD_EVENTS, "Events that an operator could not pass on; copied to dead");
    describe_counter!(GARBAGE, "Messages that were no frame at all; copied to dead");
    describe_counter!(REWINDS, "Times that a worker began again at the committed prefix");
    describe_gauge!(COMMITTED_OFFSET, "The end of the acknowledged prefix, by partition");
    describe_gauge!(IN_FLIGHT_BYTES, "Bytes sent and not acknowledged");
    describe_gauge!(STOPPED, "1 when a worker stopped and a person must look");
}
