//! The end of the demo: what was found, on one line.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::live::Played;
use crate::case::Case;

const LEAST_SWITCHES: u64 = 100;
/// Of all events, for each cut.
const LEAST_SHARE_PERCENT: f64 = 10.0;
/// The same where the controller sent a part of them as it liked, with what was left in the spools.
const LEAST_SHARE_CONTROLLED_PERCENT: f64 = 3.0;

/// The verdict of a demo.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Verdict {
    /// Why it is a fail; empty for a pass.
    pub failures: Vec<String>,
    /// The first lines that differ between the two results.
    pub differences: Vec<String>,
    /// Events that the devices sent.
    pub events: u64,
    /// Windows of the unsplit job.
    pub windows: u64,
    /// Windows that are equal in the split one.
    pub equal: u64,
    /// Events not accounted for.
    pub lost: u64,
    /// Result lines written too often.
    pub duplicated: u64,
    /// Events behind the watermark.
    pub late: u64,
    /// Changes of plan that events saw.
    pub switches: u64,
    /// Percent of the events by cut.
    pub cuts: BTreeMap<u32, f64>,
    /// Seqs offered to the reader once more after it had them.
    pub replayed: i64,
    /// Processes that were killed; none where nothing was to be killed.
    pub kills: Option<u32>,
    /// Plans that the controller changed; none where it had no part.
    pub controller: Option<u64>,
    /// The longest time that a source was held while routes were switched, milliseconds.
    pub max_source_gap_ms: f64,
    /// The same while none was.
    pub quiet_source_gap_ms: f64,
    /// Most memory that a device's agent had resident, bytes.
    pub edge_resident_bytes: u64,
}

/// What is read of the verdict that `sluice verify` gives.
#[derive(Deserialize)]
struct Found {
    failures: Vec<String>,
    results: Compared,
    inputs: Vec<(String, Input)>,
    late: u64,
}

#[derive(Deserialize)]
struct Compared {
    expected: u64,
    equal: u64,
    duplicated: u64,
    differences: Vec<Difference>,
}

#[derive(Deserialize)]
struct Difference {
    line: String,
    expected: u64,
    actual: u64,
}

#[derive(Deserialize)]
struct Input {
    devices: BTreeMap<String, Device>,
    cuts: BTreeMap<u32, u64>,
}

#[derive(Deserialize)]
struct Device {
    dispatched: u64,
    lost: u64,
    replayed: i64,
    switches: u64,
}

impl Verdict {
    pub(super) fn new(verified: &Value, case: &Case, played: &Played) -> Result<Verdict> {
        let found = Found::deserialize(verified)
            .with_context(|| format!("no verdict of sluice verify: {verified}"))?;
        let devices = || found.inputs.iter().flat_map(|(_, input)| input.devices.values());
        let events = |cut: u32| {
            found.inputs.iter().filter_map(|(_, input)| input.cuts.get(&cut)).sum::<u64>() as f64
        };
        let all = (0..=case.operators).map(events).sum::<f64>().max(1.0);
        let shown = |difference: &Difference| {
            let Difference { line, expected, actual } = difference;
            format!("expected {expected}x, actual {actual}x: {line}")
        };
        let mut verdict = Verdict {
            differences: found.results.differences.iter().map(shown).collect(),
            events: devices().map(|device| device.dispatched).sum(),
            windows: found.results.expected,
            equal: found.results.equal,
            lost: devices().map(|device| device.lost).sum(),
            duplicated: found.results.duplicated,
            late: found.late,
            switches: devices().map(|device| device.switches).sum(),
            cuts: (0..=case.operators).map(|cut| (cut, events(cut) * 100.0 / all)).collect(),
            replayed: devices().map(|device| device.replayed).sum(),
            kills: played.kills,
            controller: played.controller_commands,
            max_source_gap_ms: played.switching_gap_ms,
            quiet_source_gap_ms: played.quiet_gap_ms,
            edge_resident_bytes: played.resident_bytes,
            failures: found.failures,
        };
        verdict.judge_size(case, played);
        Ok(verdict)
    }

    /// A pass over too little proves nothing.
    fn judge_size(&mut self, case: &Case, played: &Played) {
        let mut fail = |failure: String| self.failures.push(failure);
        let least = case.least_results;
        if self.windows < least {
            fail(format!("{} windows, at least {least} are needed", self.windows));
        }
        if self.switches < LEAST_SWITCHES {
            fail(format!("{} switches, at least {LEAST_SWITCHES} are needed", self.switches));
        }
        if self.controller == Some(0) {
            fail("the controller changed no plan".to_owned());
        }
        if self.kills == Some(0) {
            fail("nothing was killed".to_owned());
        }
        if played.sender_killed && self.replayed == 0 {
            fail("nothing was replayed".to_owned());
        }
        let least_percent = match self.controller {
            Some(_) => LEAST_SHARE_CONTROLLED_PERCENT,
            None => LEAST_SHARE_PERCENT,
        };
        for (cut, percent) in &self.cuts {
            if *percent < least_percent {
                fail(format!(
                    "{percent:.1}% of the events left at cut {cut}, at least {least_percent}% are needed"
                ));
            }
        }
    }

    /// Whether everything is as it should be.
    pub fn is_pass(&self) -> bool {
        self.failures.is_empty()
    }
}

impl fmt::Display for Verdict {
    /// Why it is a fail and the first differences, then the line of the verdict.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.failures.iter().chain(&self.differences) {
            writeln!(f, "  {line}")?;
        }
        let word = if self.is_pass() { "pass" } else { "fail" };
        let Verdict { windows, equal, lost, duplicated, late, switches, .. } = self;
        let cuts: Vec<String> =
            self.cuts.iter().map(|(cut, percent)| format!("{cut}:{percent:.1}%")).collect();
        write!(
            f,
            "verdict: {word} windows={windows} equal={equal} lost={lost} duplicated={duplicated} late={late} \
             switches={switches} cuts={}",
            cuts.join(","),
        )?;
        match self.kills {
            Some(kills) => write!(f, " kills={kills} replayed={}", self.replayed)?,
            None => write!(
                f,
                " max_source_gap_ms={:.0} quiet_source_gap_ms={:.0}",
                self.max_source_gap_ms, self.quiet_source_gap_ms,
            )?,
        }
        if let Some(controller) = self.controller {
            write!(f, " controller={controller}")?;
        }
        write!(f, " edge_resident_mb={}", self.edge_resident_bytes / 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> &'static Case {
        Case::of(sluice_generators::Query::Q1)
    }
    use serde_json::json;

    fn verified(failures: &[&str], switches: u64, cuts: Value) -> Value {
        json!({
            "failures": failures,
            "results": {"expected": 600, "actual": 600, "equal": 599, "missing": 1, "duplicated": 0, "unexpected": 1,
                "differences": [{"line": "a,1", "expected": 1, "actual": 0}]},
            "inputs": [["readings", {"devices": {"pi-1": {"dispatched": 900, "lost": 0, "replayed": 7, "switches": switches}}, "cuts": cuts}]],
            "late": 0,
        })
    }

    #[test]
    fn the_last_line_tells_all() {
        let cuts = json!({"0": 40, "1": 20, "2": 20, "3": 20});
        let played = Played {
            quiet_gap_ms: 1.0,
            switching_gap_ms: 4.0,
            resident_bytes: 21_500_000,
            ..Played::default()
        };
        let verdict = Verdict::new(&verified(&[], 120, cuts.clone()), case(), &played).unwrap();
        assert!(verdict.is_pass());
        assert!(verdict.to_string().ends_with(
            "verdict: pass windows=600 equal=599 lost=0 duplicated=0 late=0 switches=120 \
             cuts=0:40.0%,1:20.0%,2:20.0%,3:20.0% max_source_gap_ms=4 quiet_source_gap_ms=1 edge_resident_mb=21"
        ));
        let killed =
            Verdict::new(&verified(&[], 120, cuts), case(), &Played { kills: Some(3), ..played });
        assert!(killed.unwrap().to_string().ends_with(" kills=3 replayed=7 edge_resident_mb=21"));
    }

    #[test]
    fn too_little_is_no_pass_and_differences_are_shown() {
        let cuts = json!({"0": 95, "3": 5});
        let verdict =
            Verdict::new(&verified(&["1 lines are missing"], 99, cuts), case(), &Played::default())
                .unwrap();
        assert_eq!(verdict.failures.len(), 5, "{verdict}");
        let text = verdict.to_string();
        assert!(
            text.contains("99 switches")
                && text.contains("cut 1")
                && text.contains("expected 1x, actual 0x: a,1")
        );
        assert!(text.lines().last().unwrap().starts_with("verdict: fail "));
    }
}
