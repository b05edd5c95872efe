//! The verdict of `verify`: what was found, whether that is a pass, and the line that says so. Pure.

use std::fmt;

use serde_json::{Value, json};

use crate::audit::Report;
use crate::compare::Comparison;
use crate::table::Table;

/// All that a verdict rests on.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Why it is no pass; empty for a pass.
    pub failures: Vec<String>,
    /// The results beside those of the unsplit job; none when only the coverage was audited.
    pub results: Option<Comparison>,
    /// The audit of each input's coverage, by name.
    pub inputs: Vec<(String, Report)>,
    /// Events in the late topic, each counted once.
    pub late: u64,
}

impl Verdict {
    /// Judges. `late_allowed`: how many late events are no failure.
    pub fn new(
        results: Option<Comparison>,
        inputs: Vec<(String, Report)>,
        late: u64,
        late_allowed: u64,
    ) -> Self {
        let mut failures = Vec::new();
        if let Some(results) = &results {
            failures.extend(of_results(results));
        }
        for (name, report) in &inputs {
            failures.extend(of_coverage(name, report));
        }
        if late > late_allowed {
            failures.push(format!("{late} events came late, {late_allowed} are allowed"));
        }
        Self { failures, results, inputs, late }
    }

    /// Whether everything is as it should be.
    pub fn is_pass(&self) -> bool {
        self.failures.is_empty()
    }

    /// For scripts: the numbers of the last line, then everything they rest on.
    pub fn json(&self) -> Value {
        json!({
            "verdict": if self.is_pass() { "pass" } else { "fail" },
            "lost": self.sum(Report::lost),
            "late": self.late,
            "switches": self.sum(Report::switches),
            "replayed": self.sum(Report::replayed),
            "failures": self.failures,
            "results": self.results,
            "inputs": self.inputs,
        })
    }

    fn sum<N: std::iter::Sum>(&self, number: impl Fn(&Report) -> N) -> N {
        self.inputs.iter().map(|(_, report)| number(report)).sum()
    }

    /// The shares of cuts; with the input's name where there are several.
    fn cuts(&self) -> String {
        match &self.inputs[..] {
            [(_, report)] => report.cut_shares(),
            several => {
                let of_input =
                    |(name, report): &(String, Report)| format!("{name}={}", report.cut_shares());
                several.iter().map(of_input).collect::<Vec<_>>().join(";")
            }
        }
    }
}

fn of_results(results: &Comparison) -> Vec<String> {
    let mut failures = Vec::new();
    if results.expected == 0 {
        failures.push("the unsplit job wrote no line to compare with".to_owned());
    }
    for (lines, what) in [
        (results.missing, "are missing"),
        (results.duplicated, "are written too often"),
        (results.unexpected, "are written by the residual job only"),
    ] {
        if lines > 0 {
            failures.push(format!("{lines} lines {what}"));
        }
    }
    failures
}

fn of_coverage(input: &str, report: &Report) -> Vec<String> {
    let mut failures = Vec::new();
    if report.devices.values().all(|device| device.dispatched == 0) {
        failures.push(format!("input {input}: no device dispatched anything"));
    }
    for (device, found) in &report.devices {
        if found.lost > 0 {
            failures
                .push(format!("input {input}, device {device}: {} events are lost", found.lost));
        }
        let problems = found.problems.iter();
        failures
            .extend(problems.map(|problem| format!("input {input}, device {device}: {problem}")));
    }
    failures
}

/// The columns of [`books`].
const HEADING: [&str; 10] = [
    "DEVICE",
    "DISPATCHED",
    "EMITTED",
    "FILTERED",
    "DEAD",
    "GAP",
    "LOST",
    "REPLAYED",
    "OUTSTANDING",
    "SWITCHES",
];

/// The books of every device.
fn books(inputs: &[(String, Report)]) -> Table {
    let mut table = Table::new(&HEADING);
    for (input, report) in inputs {
        for (id, device) in &report.devices {
            let seqs = [
                device.dispatched,
                device.emitted,
                device.filtered,
                device.dead,
                device.gap,
                device.lost,
                device.replayed,
                device.outstanding,
            ];
            let cells = seqs.iter().map(ToString::to_string);
            let switches = device.switches.to_string();
            table.row([format!("{input}/{id}")].into_iter().chain(cells).chain([switches]));
        }
    }
    table
}

impl fmt::Display for Verdict {
    /// The books, why it is no pass, the first lines that differ; then `verdict: pass ...` on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", books(&self.inputs))?;
        for failure in &self.failures {
            writeln!(f, "  {failure}")?;
        }
        for difference in self.results.iter().flat_map(|results| &results.differences) {
            let (expected, actual) = (difference.expected, difference.actual);
            writeln!(f, "  expected {expected}x, actual {actual}x: {}", difference.line)?;
        }
        write!(f, "verdict: {}", if self.is_pass() { "pass" } else { "fail" })?;
        if let Some(results) = &self.results {
            write!(f, " windows={} equal={}", results.expected, results.equal)?;
        }
        let duplicated = self.results.as_ref().map_or(0, |results| results.duplicated);
        write!(f, " lost={} duplicated={duplicated} late={}", self.sum(Report::lost), self.late)?;
        write!(f, " switches={} cuts={}", self.sum(Report::switches), self.cuts())?;
        write!(f, " replayed={}", self.sum(Report::replayed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::DeviceReport;
    use crate::compare::{Lines, compare};

    fn report(dispatched: i64, lost: i64) -> Report {
        let device = DeviceReport { dispatched, lost, switches: 3, ..DeviceReport::default() };
        Report {
            devices: [("pi-1".to_owned(), device)].into(),
            cuts: [(0, 1), (2, 3)].into(),
            ..Report::default()
        }
    }

    fn results(expected: &[&str], actual: &[&str]) -> Comparison {
        let [expected, actual] = [expected, actual].map(|texts| {
            let mut lines = Lines::default();
            texts.iter().for_each(|text| lines.add(text.as_bytes()));
            lines
        });
        compare(&expected, &actual)
    }

    fn inputs(dispatched: i64, lost: i64) -> Vec<(String, Report)> {
        vec![("readings".to_owned(), report(dispatched, lost))]
    }

    #[test]
    fn a_pass_ends_with_one_line() {
        let verdict = Verdict::new(Some(results(&["a", "b"], &["b", "a"])), inputs(9, 0), 0, 0);
        let text = verdict.to_string();
        assert_eq!(text.lines().count(), 3);
        assert!(text.lines().nth(1).unwrap().starts_with("readings/pi-1  9"), "{text}");
        assert_eq!(
            text.lines().last().unwrap(),
            "verdict: pass windows=2 equal=2 lost=0 duplicated=0 late=0 switches=3 cuts=0:25.0%,2:75.0% replayed=0"
        );
    }

    #[test]
    fn a_fail_says_why_first() {
        let verdict = Verdict::new(Some(results(&["a"], &["a", "a"])), inputs(9, 2), 1, 0);
        assert!(!verdict.is_pass());
        let text = verdict.to_string();
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].contains("1 lines are written too often"), "{text}");
        assert!(lines[1].contains("device pi-1: 2 events are lost"), "{text}");
        assert!(lines[2].contains("late"), "{text}");
        assert!(lines[3].contains("expected 1x, actual 2x: a"), "{text}");
        assert!(lines[4].starts_with("verdict: fail windows=1 equal=1 lost=2 duplicated=1 late=1"));
    }

    #[test]
    fn scripts_get_the_same_numbers() {
        let json = Verdict::new(Some(results(&["a"], &["a", "a"])), inputs(9, 2), 0, 0).json();
        assert_eq!((&json["verdict"], &json["lost"]), (&json!("fail"), &json!(2)));
        assert_eq!(json["results"]["duplicated"], json!(1));
        assert_eq!(json["inputs"][0][1]["devices"]["pi-1"]["lost"], json!(2));
        assert_eq!(json["inputs"][0][1]["cuts"], json!({"0": 1, "2": 3}));
    }

    #[test]
    fn nothing_to_judge_is_no_pass() {
        assert!(!Verdict::new(Some(results(&[], &[])), inputs(9, 0), 0, 0).is_pass());
        assert!(!Verdict::new(None, inputs(0, 0), 0, 0).is_pass());
        assert!(Verdict::new(None, inputs(9, 0), 2, 2).is_pass());
    }
}
