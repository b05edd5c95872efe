//! `sluice explain-route` and `sluice whatif`: what every cut would sustain and cost, and why the present plan; here, or in another
//! world.

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use sluice_model::DeviceKey;

use crate::context::Context;
use crate::controller::{ControllerOptions, number, plan, sentences};
use crate::table::Table;

/// Options of `explain-route`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    controller: ControllerOptions,
    /// QUERY/INPUT/DEVICE.
    key: DeviceKey,
}

/// Options of `whatif`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("world").args(["bandwidth", "cpu", "rate"]).required(true).multiple(true))]
pub struct WhatIfOptions {
    #[command(flatten)]
    controller: ControllerOptions,
    /// QUERY/INPUT/DEVICE.
    key: DeviceKey,
    /// What the uplink carries, bytes a second.
    #[arg(long, value_name = "BYTES_PER_S")]
    bandwidth: Option<f64>,
    /// Processors that the input may use.
    #[arg(long, value_name = "CORES")]
    cpu: Option<f64>,
    /// Events a second to be sustained.
    #[arg(long, value_name = "EVENTS_PER_S")]
    rate: Option<f64>,
}

/// Runs `explain-route`.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let answer = options.controller.get_of(&options.key, "/explain", &[])?;
    context.print(shown(&answer), &answer)
}

/// Runs `whatif`.
pub fn run_what_if(context: &Context, options: &WhatIfOptions) -> Result<()> {
    let world = [("bandwidth", options.bandwidth), ("cpu", options.cpu), ("rate", options.rate)];
    let world = world.into_iter().filter_map(|(name, value)| Some((name, value?.to_string())));
    let world: Vec<_> = world.collect();
    let answer = options.controller.get_of(&options.key, "/whatif", &world)?;
    context.print(shown(&answer), &answer)
}

fn shown(answer: &Value) -> String {
    let inputs = &answer["inputs"];
    let mut table =
        Table::new(&["CUT", "IN FORCE", "BEST", "SUSTAINS/S", "CPU us/EVENT", "BYTES/EVENT"]);
    let share_of = |plan: &Value, cut: &Value| {
        let found = plan.as_array().into_iter().flatten().find(|share| share["cut"] == *cut);
        found
            .and_then(|share| share["per_mille"].as_f64())
            .map_or(String::new(), |per_mille| format!("{:.1}%", per_mille / 10.0))
    };
    for cut in answer["cuts"].as_array().into_iter().flatten() {
        table.row([
            cut["cut"].to_string(),
            share_of(&answer["plan"], &cut["cut"]),
            share_of(&answer["best"], &cut["cut"]),
            number(&cut["rate_per_s"], 0),
            number(&cut["cpu_us_per_event"], 1),
            number(&cut["bytes_per_event"], 1),
        ]);
    }
    let kilobytes = inputs["uplink_bytes_per_s"].as_f64().map(|bytes| bytes / 1e3);
    format!(
        "{}: {}\ntarget {}/s, uplink {} kB/s, {} cores, {} us an event beside the operators\n\n{table}\n{} would have {}: {}",
        answer["key"].as_str().unwrap_or_default(),
        plan(&answer["plan"]),
        number(&inputs["target_per_s"], 0),
        kilobytes.map_or("unknown".to_owned(), |kilobytes| format!("{kilobytes:.0}")),
        number(&inputs["cpu_cores"], 2),
        number(&answer["overhead_us"], 1),
        answer["policy"].as_str().unwrap_or_default(),
        plan(&answer["best"]),
        sentences(&answer["reasons"]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_a_cut_and_the_reason_below() {
        let answer = json!({"key": "q1/readings/pi-1", "policy": "hull",
            "plan": [{"cut": 0, "per_mille": 1000}],
            "best": [{"cut": 0, "per_mille": 400}, {"cut": 1, "per_mille": 600}],
            "reasons": ["the link is short"], "overhead_us": 2.5,
            "inputs": {"target_per_s": 1000.0, "uplink_bytes_per_s": 20000.0, "cpu_cores": 0.5},
            "cuts": [{"cut": 0, "rate_per_s": 500.0, "cpu_us_per_event": 1.25, "bytes_per_event": 40.0},
                {"cut": 1, "rate_per_s": null, "cpu_us_per_event": null, "bytes_per_event": null}]});
        let text = shown(&answer);
        assert!(text.contains("hull would have 0:400,1:600: the link is short"), "{text}");
        assert!(text.contains("uplink 20 kB/s") && text.contains("100.0%"), "{text}");
    }
}
