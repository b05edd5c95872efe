//! `sluice top`: the fleet, live.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde_json::Value;

use crate::args::Scope;
use crate::context::Context;
use crate::controller::{ControllerOptions, number, plan, sentences};
use crate::table::Table;

/// The time between two looks.
const EVERY: Duration = Duration::from_secs(1);
/// Clears the screen and goes to its corner.
const CLEAR: &str = "\x1b[2J\x1b[H";
const HEADING: [&str; 11] = [
    "DEVICE", "MODE", "PLAN", "IN/S", "OUT/S", "BACKLOG", "UP kB/S", "CPU", "HELD", "RTT ms", "WHY",
];

/// Options of `top`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    controller: ControllerOptions,
    /// QUERY or QUERY/INPUT; all when not given.
    scope: Option<Scope>,
    /// Look once, and print plainly.
    #[arg(long)]
    once: bool,
}

/// Runs the command, until it is interrupted.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    loop {
        let fleet = options.controller.get("fleet", &[])?;
        let text = shown(&fleet, options.scope.as_ref());
        if options.once {
            return context.print(text, &fleet);
        }
        let mut out = std::io::stdout().lock();
        write!(out, "{CLEAR}{text}")?;
        out.flush()?;
        drop(out);
        std::thread::sleep(EVERY);
    }
}

fn shown(fleet: &Value, scope: Option<&Scope>) -> String {
    let role = if fleet["leading"] == true { "leads" } else { "stands by" };
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let devices: Vec<&Value> = fleet["devices"].as_array().into_iter().flatten().collect();
    let replicas = fleet["replicas"].as_array().map_or(0, Vec::len);
    let mut table = Table::new(&HEADING);
    for device in &devices {
        let key = device["key"].as_str().and_then(|key| key.parse().ok());
        if scope.zip(key.as_ref()).is_some_and(|(scope, key)| !scope.covers(key)) {
            continue;
        }
        let inputs = &device["inputs"];
        let scaled = |value: &Value, by: f64, digits| {
            value.as_f64().map_or("-".to_owned(), |value| format!("{:.digits$}", value * by))
        };
        let age_s = device["telemetry_age_ms"].as_f64().map(|ms| ms / 1e3);
        let silence = age_s.filter(|age_s| *age_s > 10.0);
        let reasons = [
            silence.map_or(String::new(), |age_s| format!("silent for {age_s:.0} s")),
            text(&device["verdict"]).replace('-', ""),
            sentences(&device["reasons"]),
            text(&device["note"]).replace('-', ""),
        ];
        let why: Vec<String> = reasons.into_iter().filter(|part| !part.is_empty()).collect();
        table.row([
            text(&device["key"]),
            text(&device["mode"]),
            plan(&device["plan"]),
            number(&inputs["arrivals_per_s"], 0),
            number(&inputs["delivered_per_s"], 0),
            number(&inputs["backlog_events"], 0),
            scaled(&inputs["uplink_bytes_per_s"], 1e-3, 0),
            number(&inputs["cpu_cores"], 2),
            scaled(&inputs["held_share"], 100.0, 0) + "%",
            number(&inputs["rtt_ms"], 1),
            why.join("; "),
        ]);
    }
    format!(
        "{} {role}, policy {}, {} devices, {replicas} cloud replicas\n\n{table}",
        text(&fleet["controller"]),
        text(&fleet["policy"]),
        devices.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_a_device_says_what_and_why() {
        let device = |key: &str| {
            json!({"key": key, "mode": "auto", "plan": [{"cut": 1, "per_mille": 1000}],
                "verdict": "kept", "reasons": ["the target is met"], "note": "", "telemetry_age_ms": 700,
                "inputs": {"arrivals_per_s": 1000.4, "backlog_events": 3, "held_share": 0.25}})
        };
        let fleet = json!({"controller": "c", "leading": true, "policy": "hull", "replicas": [],
            "devices": [device("q1/readings/pi-1"), device("q2/lines/pi-1")]});
        let text = shown(&fleet, Some(&"q1".parse().unwrap()));
        assert!(text.starts_with("c leads, policy hull, 2 devices"), "{text}");
        assert!(text.contains("q1/readings/pi-1") && !text.contains("q2/lines"), "{text}");
        assert!(text.contains("25%") && text.contains("kept; the target is met"), "{text}");
    }
}
