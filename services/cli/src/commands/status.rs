//! `sluice status`: devices, their plans and their progress.

use anyhow::Result;
use clap::Args;
use serde_json::json;
use sluice_model::{DeviceEntry, DeviceKey, DeviceState, DeviceStatus};
use sluice_runtime::clock;

use crate::args::Scope;
use crate::context::Context;
use crate::rows::{self, Catalog};
use crate::table::Table;

/// Options of `status`.
#[derive(Debug, Args)]
pub struct Options {
    /// QUERY or QUERY/INPUT; all when not given.
    scope: Option<Scope>,
}

const HEADING: [&str; 10] = [
    "DEVICE",
    "PARTITION",
    "VERSIONS",
    "MODE",
    "PLAN",
    "EPOCH",
    "ACKED/NEXT",
    "SPOOL",
    "SEEN",
    "NOTE",
];

/// Runs the command.
pub fn run(context: &Context, options: &Options) -> Result<()> {
    let catalog = Catalog::read(context)?;
    let statuses = rows::statuses(context)?;
    if let Some(scope) = &options.scope {
        catalog.query(&scope.query)?;
    }
    let now_ms = clock::now_ms();
    let mut table = Table::new(&HEADING);
    let mut shown = Vec::new();
    for (key, entry) in &catalog.devices {
        if options.scope.as_ref().is_none_or(|scope| scope.covers(key)) {
            let status = statuses.get(key);
            table.row(cells(key, entry, status, now_ms));
            shown.push(json!({ "device": key.to_string(), "entry": entry, "status": status }));
        }
    }
    context.print(table, &shown)
}

fn cells(
    key: &DeviceKey,
    entry: &DeviceEntry,
    status: Option<&DeviceStatus>,
    now_ms: i64,
) -> Vec<String> {
    let left = if entry.state == DeviceState::Left { "left; " } else { "" };
    let mut cells = vec![key.to_string(), entry.partition.to_string()];
    let Some(status) = status else {
        cells.extend(["-"; 7].map(str::to_owned));
        cells.push(format!("{left}never seen"));
        return cells;
    };
    cells.push(versions(status));
    let of_plan = status.plan.as_ref().map(|plan| {
        let mode = format!("{:?}", plan.mode).to_lowercase();
        [mode, plan.shares.to_string(), plan.epoch.to_string()]
    });
    cells.extend(of_plan.unwrap_or_else(|| ["-"; 3].map(str::to_owned)));
    cells.push(format!("{}/{}", status.acked_seq, status.next_seq));
    cells.push(size(status.spool_bytes));
    cells.push(format!("{} ago", age(now_ms - status.at)));
    let refusal = status
        .refusal
        .as_ref()
        .map(|refusal| format!("refused {} ({}): {}", refusal.epoch, refusal.code, refusal.text));
    let notes = [status.note.clone(), refusal.unwrap_or_default()];
    let notes: Vec<String> = notes.into_iter().filter(|note| !note.is_empty()).collect();
    cells.push(format!("{left}{}", notes.join("; ")));
    cells
}

/// Those that the device runs: the newest takes events, older ones drain.
fn versions(status: &DeviceStatus) -> String {
    let versions: Vec<String> =
        status.ready.iter().map(|ready| ready.version.to_string()).collect();
    if versions.is_empty() { "-".to_owned() } else { versions.join(",") }
}

fn size(bytes: i64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

fn age(ms: i64) -> String {
    match ms.max(0) / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_model::{Cut, Epoch, PlanInForce, PlanMode, ReadyVersion, Refusal, Shares};

    #[test]
    fn a_row_tells_plan_progress_and_refusal() {
        let key: DeviceKey = "q1/readings/pi-1".parse().unwrap();
        let entry =
            DeviceEntry { partition: 2, source: "replay".to_owned(), state: DeviceState::Joined };
        let status = DeviceStatus {
            plan: Some(PlanInForce {
                epoch: Epoch(9),
                mode: PlanMode::Manual,
                shares: Shares::binary(Cut(2)),
                from_seq: 0,
            }),
            acked_seq: 10,
            next_seq: 12,
            spool_bytes: 20_480,
            ready: [3, 4].map(|version| ReadyVersion { version, digest: String::new() }).into(),
            refusal: Some(Refusal {
                epoch: Epoch(8),
                code: "stale".to_owned(),
                text: "x".to_owned(),
            }),
            ..DeviceStatus::empty(5_000)
        };
        let row = cells(&key, &entry, Some(&status), 8_000);
        assert_eq!(row.len(), HEADING.len());
        assert_eq!(
            row[1..].join("|"),
            "2|3,4|manual|cut 2|9|10/12|20 KiB|3 s ago|refused 8 (stale): x"
        );
        let unseen = cells(&key, &entry, None, 0);
        assert_eq!((unseen.len(), unseen[9].as_str()), (HEADING.len(), "never seen"));
    }
}
