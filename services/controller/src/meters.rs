//! The metrics of a controller: its own, and those of every device, which nobody else can scrape behind a NAT.

use std::fmt::Write as _;

use metrics::{counter, describe_counter, describe_gauge, gauge};
use sluice_model::{PlanMode, Verdict};

use crate::core::{DeviceView, FleetView, ReplicaView};

const DECISIONS: &str = "sluice_controller_decisions_total";
const LEADING: &str = "sluice_controller_leading";
const UNREADABLE: &str = "sluice_controller_unreadable_records_total";

/// Describes every metric to the recorder.
pub fn describe() {
    describe_counter!(DECISIONS, "Decisions, by verdict");
    describe_gauge!(LEADING, "1 while this controller leads");
    describe_counter!(UNREADABLE, "Records of telemetry and decisions that could not be read");
    leading(false);
}

/// Shows whether this controller leads.
pub fn leading(leads: bool) {
    gauge!(LEADING).set(f64::from(u8::from(leads)));
}

/// Counts a decision.
pub fn decided(verdict: Verdict) {
    let verdict = match verdict {
        Verdict::Kept => "kept",
        Verdict::Commanded => "commanded",
        Verdict::Held => "held",
        Verdict::Manual => "manual",
    };
    counter!(DECISIONS, "verdict" => verdict).increment(1);
}

/// Counts a record that could not be read.
pub fn unreadable() {
    counter!(UNREADABLE).increment(1);
}

/// A series of each device: name, help, type, value; none where it is not known.
type Series<T> = (&'static str, &'static str, &'static str, fn(&T) -> Option<f64>);

fn count(number: i64) -> Option<f64> {
    Some(number as f64)
}

const OF_DEVICES: [Series<DeviceView>; 17] = [
    (
        "sluice_controller_device_accepted_events_total",
        "Events accepted from the source since the agent's start",
        "counter",
        |d| count(d.accepted_events),
    ),
    (
        "sluice_controller_device_acked_events_total",
        "Events acknowledged by the broker since the agent's start",
        "counter",
        |d| count(d.acked_events),
    ),
    (
        "sluice_controller_device_dead_events_total",
        "Events copied to dead since the agent's start",
        "counter",
        |d| count(d.dead_events),
    ),
    (
        "sluice_controller_device_sent_bytes_total",
        "Bytes sent to the broker since the agent's start",
        "counter",
        |d| count(d.wire_bytes),
    ),
    (
        "sluice_controller_device_cpu_seconds_total",
        "Processor time of the agent since its start",
        "counter",
        |d| Some(d.cpu_used_us as f64 / 1e6),
    ),
    (
        "sluice_controller_device_arrivals_per_second",
        "Events a second that the source gave",
        "gauge",
        |d| d.inputs.arrivals_per_s,
    ),
    (
        "sluice_controller_device_delivered_per_second",
        "Events a second that the broker acknowledged",
        "gauge",
        |d| d.inputs.delivered_per_s,
    ),
    (
        "sluice_controller_device_target_per_second",
        "Events a second that are to be sustained",
        "gauge",
        |d| d.inputs.target_per_s,
    ),
    (
        "sluice_controller_device_backlog_events",
        "Events accepted and not acknowledged",
        "gauge",
        |d| count(d.inputs.backlog_events),
    ),
    ("sluice_controller_device_spool_bytes", "Bytes in the spool", "gauge", |d| {
        count(d.spool_bytes)
    }),
    (
        "sluice_controller_device_oldest_age_seconds",
        "Age of the oldest spooled event",
        "gauge",
        |d| d.oldest_age_ms.map(|ms| ms as f64 / 1e3),
    ),
    (
        "sluice_controller_device_uplink_bytes_per_second",
        "What the uplink carries, by estimate",
        "gauge",
        |d| d.inputs.uplink_bytes_per_s,
    ),
    (
        "sluice_controller_device_cpu_cores",
        "Processors that the input can have, by estimate",
        "gauge",
        |d| d.inputs.cpu_cores,
    ),
    (
        "sluice_controller_device_held_share",
        "Share of time that dispatch waited for the budget of bytes in flight",
        "gauge",
        |d| d.inputs.held_share,
    ),
    ("sluice_controller_device_rtt_seconds", "Round trip to the broker", "gauge", |d| {
        d.inputs.rtt_ms.map(|ms| ms / 1e3)
    }),
    ("sluice_controller_device_manual", "1 while a person routes the device", "gauge", |d| {
        Some(f64::from(u8::from(d.mode == Some(PlanMode::Manual))))
    }),
    ("sluice_controller_device_telemetry_age_seconds", "Age of the last telemetry", "gauge", |d| {
        d.telemetry_age_ms.map(|ms| ms as f64 / 1e3)
    }),
];

const OF_REPLICAS: [Series<ReplicaView>; 4] = [
    (
        "sluice_controller_replica_events_in_total",
        "Events that a cloud replica took since its start",
        "counter",
        |r| count(r.events_in),
    ),
    (
        "sluice_controller_replica_events_out_total",
        "Events that a cloud replica passed on since its start",
        "counter",
        |r| count(r.events_out),
    ),
    (
        "sluice_controller_replica_busy_seconds_total",
        "Time of a cloud replica in its operators since its start",
        "counter",
        |r| Some(r.busy_us as f64 / 1e6),
    ),
    (
        "sluice_controller_replica_dead_events_total",
        "Events that a cloud replica copied to dead since its start",
        "counter",
        |r| count(r.dead_events),
    ),
];

const SHARE: &str = "sluice_controller_device_share";
const RESIDUAL_LAG: &str = "sluice_controller_residual_lag_frames";
const OMITTED: &str = "sluice_controller_omitted_devices";

/// The series of the fleet in the text form of Prometheus; of so many devices at most, so that their number is bounded.
#[must_use]
pub fn render(fleet: &FleetView, most_devices: usize) -> String {
    let shown = &fleet.devices[..fleet.devices.len().min(most_devices)];
    let mut text = String::new();
    let labels = |device: &DeviceView| {
        let mut parts = device.key.splitn(3, '/');
        let mut part = || parts.next().unwrap_or_default().to_owned();
        format!("query=\"{}\",input=\"{}\",device=\"{}\"", part(), part(), part())
    };
    for (name, help, kind, value) in OF_DEVICES {
        head(&mut text, name, help, kind);
        for (device, value) in shown.iter().filter_map(|d| Some((d, value(d)?))) {
            let _ = writeln!(text, "{name}{{{}}} {value}", labels(device));
        }
    }
    head(&mut text, SHARE, "Share of events that leave at a cut, by the plan in force", "gauge");
    for device in shown {
        for share in device.plan.iter().flat_map(|plan| plan.as_slice()) {
            let (labels, value) = (labels(device), f64::from(share.per_mille) / 1e3);
            let _ = writeln!(text, "{SHARE}{{{labels},cut=\"{}\"}} {value}", share.cut);
        }
    }
    for (name, help, kind, value) in OF_REPLICAS {
        head(&mut text, name, help, kind);
        for (replica, value) in fleet.replicas.iter().filter_map(|r| Some((r, value(r)?))) {
            let (operator, boot) = (&replica.key, &replica.boot);
            let _ = writeln!(text, "{name}{{operator=\"{operator}\",boot=\"{boot}\"}} {value}");
        }
    }
    head(&mut text, RESIDUAL_LAG, "Frames of out that the residual job has not committed", "gauge");
    let lags: std::collections::BTreeMap<String, i64> = shown
        .iter()
        .filter_map(|device| {
            Some((device.key.rsplit_once('/')?.0.to_owned(), device.inputs.residual_lag?))
        })
        .collect();
    for (input, lag) in lags {
        let _ = writeln!(text, "{RESIDUAL_LAG}{{input=\"{input}\"}} {lag}");
    }
    head(&mut text, OMITTED, "Devices without series here: http.metrics_devices", "gauge");
    let _ = writeln!(text, "{OMITTED} {}", fleet.devices.len() - shown.len());
    text
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}
