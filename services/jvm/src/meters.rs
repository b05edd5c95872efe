//! The metrics of the host, each defined once.

use metrics::{counter, describe_counter, describe_gauge, gauge};
use sluice_engine::jvm::Sidecar;

use crate::engines::Range;

/// Shows what executes the functions of a range of operators on this machine, and why a JVM does where it does.
pub fn opened(range: Range<'_>) {
    for (name, engine, refusal) in range.functions() {
        let labels = [
            ("query", range.query.query.to_string()),
            ("input", range.input.name.to_string()),
            ("operator", name.to_owned()),
            ("engine", engine.to_owned()),
            ("refusal", refusal.to_owned()),
        ];
        gauge!("sluice_engine_operators", &labels).set(f64::from(range.query.version));
    }
}

/// Publishes what the host has done so far.
pub fn publish(sidecar: &Sidecar) {
    let counters = sidecar.counters();
    counter!("sluice_jvm_starts_total").absolute(counters.starts());
    counter!("sluice_jvm_frames_total").absolute(counters.frames());
    counter!("sluice_jvm_events_total").absolute(counters.events());
    counter!("sluice_jvm_poison_events_total").absolute(counters.poison());
    counter!("sluice_jvm_busy_microseconds_total").absolute(counters.busy_ns() / 1000);
    gauge!("sluice_jvm_up").set(if sidecar.process_id().is_some() { 1.0 } else { 0.0 });
}

/// Describes them.
pub fn describe() {
    describe_gauge!(
        "sluice_engine_operators",
        "The version of the query whose operator runs here, by engine, and why a JVM executes it"
    );
    describe_counter!("sluice_jvm_starts_total", "Starts of the host");
    describe_counter!("sluice_jvm_frames_total", "Frames and parts of frames that the host ran");
    describe_counter!("sluice_jvm_events_total", "Events in them");
    describe_counter!(
        "sluice_jvm_poison_events_total",
        "Events given up since the host died of them each time"
    );
    describe_counter!(
        "sluice_jvm_busy_microseconds_total",
        "Time from request to answer, all chains together"
    );
    describe_gauge!("sluice_jvm_up", "1 while the host runs");
}
