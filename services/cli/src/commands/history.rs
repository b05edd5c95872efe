//! `sluice history`: what the controller decided for a device, and why.

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use sluice_model::DeviceKey;

use crate::context::Context;
use crate::controller::{ControllerOptions, number, plan, sentences};
use crate::table::Table;

/// Options of `history`.
#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    controller: ControllerOptions,
    /// QUERY/INPUT/DEVICE.
    key: DeviceKey,
    /// The most decisions.
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: u32,
    /// Only those that changed the plan.
    #[arg(long)]
    changes: bool,
}

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let limit = if options.changes { "1000".to_owned() } else { options.limit.to_string() };
    let answer = options.controller.get_of(&options.key, "/history", &[("limit", limit)])?;
    let all = answer.as_array().cloned().unwrap_or_default().into_iter();
    let wanted = all.filter(|decision| !options.changes || decision["verdict"] == "commanded");
    let decisions: Vec<Value> = wanted.take(usize::try_from(options.limit)?).collect();
    context.print(shown(&decisions), &decisions)
}

/// The oldest first, as a log.
fn shown(decisions: &[Value]) -> Table {
    let mut table = Table::new(&[
        "TIME", "VERDICT", "BEFORE", "AFTER", "IN/S", "OUT/S", "UP kB/S", "CPU", "WHY",
    ]);
    for decision in decisions.iter().rev() {
        let inputs = &decision["inputs"];
        let kilobytes = inputs["uplink_bytes_per_s"].as_f64().map(|bytes| bytes / 1e3);
        table.row([
            time(decision["at"].as_i64().unwrap_or(0)),
            decision["verdict"].as_str().unwrap_or("-").to_owned(),
            plan(&decision["previous"]),
            plan(&decision["plan"]),
            number(&inputs["arrivals_per_s"], 0),
            number(&inputs["delivered_per_s"], 0),
            kilobytes.map_or("-".to_owned(), |kilobytes| format!("{kilobytes:.0}")),
            number(&inputs["cpu_cores"], 2),
            sentences(&decision["reasons"]),
        ]);
    }
    table
}

/// The time of day, UTC.
fn time(epoch_ms: i64) -> String {
    let seconds = epoch_ms.div_euclid(1_000).rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_oldest_stands_first() {
        let decision = |at: i64, verdict: &str| {
            json!({"at": at, "verdict": verdict, "previous": [{"cut": 0, "per_mille": 1000}],
                "plan": [{"cut": 2, "per_mille": 1000}], "reasons": ["r"], "inputs": {}})
        };
        let text = shown(&[decision(3_723_000, "kept"), decision(0, "commanded")]).to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("00:00:00  commanded  cut 0   cut 2"), "{text}");
        assert!(lines[2].starts_with("01:02:03  kept"), "{text}");
    }
}
