//! The metrics of an input, each defined once. The label `input` is `query/input`.

use std::sync::Arc;

use metrics::{Counter, Gauge, counter, describe_counter, describe_gauge, gauge};
use sluice_model::DeviceKey;

/// Handles of the metrics of an input.
#[derive(Clone)]
pub struct Meters {
    input: Arc<str>,
    /// Events safe in the spool or on their way to it.
    pub accepted_events: Counter,
    /// Deliveries that failed.
    pub delivery_errors: Counter,
    /// Producers discarded with what they had in flight.
    pub discards: Counter,
    /// Events declared lost by a gap frame.
    pub gap_events: Counter,
    /// Events larger than a spool takes.
    pub oversize_events: Counter,
    /// End of the live incarnation's acknowledged prefix.
    pub acked_seq: Gauge,
    /// The seq that the next accepted event gets.
    pub next_seq: Gauge,
    /// Epoch in force.
    pub plan_epoch: Gauge,
    /// Bytes in the spool.
    pub spool_bytes: Gauge,
    /// Bytes that the spool has written since it was opened.
    pub spool_written_bytes: Gauge,
    /// Events in the spool without acknowledgement.
    pub backlog_events: Gauge,
    /// Bytes sent and not acknowledged.
    pub in_flight_bytes: Gauge,
    /// Bytes sent to the broker, compressed, with overhead.
    pub sent_bytes: Gauge,
    /// Time that dispatch waited for the budget of bytes in flight.
    pub held_by_budget_ms: Counter,
    /// The longest time that the source was held in the last full second.
    pub source_held_max_ms: Gauge,
    /// 1 when a bounded source is accepted whole.
    pub source_done: Gauge,
    /// 1 while the source is connected to where its events come from.
    pub source_connected: Gauge,
    /// Events that the other side says it may have sent before.
    pub source_repeated_events: Counter,
}

impl Meters {
    /// The handles of the input `key`.
    #[must_use]
    pub fn new(key: &DeviceKey) -> Self {
        let input: Arc<str> = format!("{}/{}", key.query, key.input).into();
        let count = |name: &'static str| counter!(name, "input" => input.to_string());
        let level = |name: &'static str| gauge!(name, "input" => input.to_string());
        Self {
            accepted_events: count("sluice_edge_accepted_events_total"),
            delivery_errors: count("sluice_edge_delivery_errors_total"),
            discards: count("sluice_edge_discards_total"),
            gap_events: count("sluice_edge_gap_events_total"),
            oversize_events: count("sluice_edge_oversize_events_total"),
            acked_seq: level("sluice_edge_acked_seq"),
            next_seq: level("sluice_edge_next_seq"),
            plan_epoch: level("sluice_edge_plan_epoch"),
            spool_bytes: level("sluice_edge_spool_bytes"),
            spool_written_bytes: level("sluice_edge_spool_written_bytes"),
            backlog_events: level("sluice_edge_backlog_events"),
            in_flight_bytes: level("sluice_edge_in_flight_bytes"),
            sent_bytes: level("sluice_edge_sent_bytes"),
            held_by_budget_ms: count("sluice_edge_held_by_budget_ms_total"),
            source_held_max_ms: level("sluice_edge_source_held_max_ms"),
            source_done: level("sluice_edge_source_done"),
            source_connected: level("sluice_edge_source_connected"),
            source_repeated_events: count("sluice_edge_source_repeated_events_total"),
            input,
        }
    }

    /// Counts events that left at a cut.
    pub fn dispatched(&self, cut: i32, events: u64) {
        let labels = [("input", self.input.to_string()), ("cut", cut.to_string())];
        counter!("sluice_edge_dispatched_events_total", &labels).increment(events);
    }

    /// Counts a request or message that the source refused.
    pub fn source_refused(&self, reason: &'static str) {
        let labels = [("input", self.input.to_string()), ("reason", reason.to_owned())];
        counter!("sluice_edge_source_refused_total", &labels).increment(1);
    }

    /// Counts an event that an operator could not pass on.
    pub fn dead(&self, operator: &str) {
        let labels = [("input", self.input.to_string()), ("operator", operator.to_owned())];
        counter!("sluice_edge_dead_events_total", &labels).increment(1);
    }

    /// Counts a routing command: `accepted`, or the code of its refusal.
    pub fn command(&self, outcome: &str) {
        let labels = [("input", self.input.to_string()), ("outcome", outcome.to_owned())];
        counter!("sluice_edge_commands_total", &labels).increment(1);
    }
}

/// Describes every metric to the recorder.
pub fn describe() {
    describe_counter!("sluice_edge_accepted_events_total", "Events accepted from the source");
    describe_counter!(
        "sluice_edge_delivery_errors_total",
        "Messages that the broker did not acknowledge"
    );
    describe_counter!(
        "sluice_edge_discards_total",
        "Producers discarded with what they had in flight"
    );
    describe_counter!(
        "sluice_edge_oversize_events_total",
        "Events larger than the spool takes; copied to dead"
    );
    describe_counter!("sluice_edge_gap_events_total", "Events declared lost by a gap frame");
    describe_counter!("sluice_edge_dispatched_events_total", "Events that left the edge, by cut");
    describe_counter!("sluice_edge_dead_events_total", "Events copied to dead, by operator");
    describe_counter!("sluice_edge_commands_total", "Routing commands, by outcome");
    describe_counter!(
        "sluice_edge_held_by_budget_ms_total",
        "Time that dispatch waited for the budget of bytes in flight"
    );
    describe_gauge!("sluice_edge_acked_seq", "End of the live incarnation's acknowledged prefix");
    describe_gauge!("sluice_edge_next_seq", "The seq that the next accepted event gets");
    describe_gauge!("sluice_edge_plan_epoch", "Epoch of the plan in force");
    describe_gauge!("sluice_edge_spool_bytes", "Bytes in the spool");
    describe_gauge!("sluice_edge_spool_written_bytes", "Bytes that the spool has written");
    describe_gauge!("sluice_edge_backlog_events", "Events without acknowledgement");
    describe_gauge!("sluice_edge_in_flight_bytes", "Bytes sent and not acknowledged");
    describe_gauge!("sluice_edge_sent_bytes", "Bytes sent to the broker, compressed");
    describe_gauge!(
        "sluice_edge_source_held_max_ms",
        "Longest hold of the source in the last full second"
    );
    describe_gauge!("sluice_edge_source_done", "1 when a bounded source is accepted whole");
    describe_gauge!(
        "sluice_edge_source_connected",
        "1 while the source is connected to where its events come from"
    );
    describe_counter!(
        "sluice_edge_source_repeated_events_total",
        "Events that the other side says it may have sent before"
    );
    describe_counter!(
        "sluice_edge_source_refused_total",
        "Requests that the source refused, by reason"
    );
}
