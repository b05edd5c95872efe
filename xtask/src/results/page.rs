//! The page.

use std::fmt::Write as _;
use std::fs;

use sluice_generators::Query;

use super::costs::Costs;
use super::{Options, Outcome};
use crate::demo::Verdict;

const HEAD: &str = "\
# Results

What each example query gives on three devices whose routes switch five times a second (over the last quarter of a play of 40 s or more the controller
routes), compared line by line with the same job unsplit in plain Flink; and what each cut costs a device. Made by a command, which writes this page:

```
";

const METHOD: &str = "\
- *Windows*: result lines of the unsplit job over the same events; *equal*: those of them that the split job wrote too, each once.
- *Cuts* are measured with one device for each, on one machine at the same time and with the same lines, 2,000 a second, each through a
  link of its own without a limit. The first quarter of the lines is not counted. Public lines are played again and again where there are fewer.
- *Bytes over the link*: what the device's link carried to the cloud, compressed, with all that Kafka's protocol adds, heartbeats and status too.
- *Processor time*: of the agent and, where functions run in a JVM, of its host: source, spool with fsync, operators, encoding, compression and
  sending. It depends on the machine; the ratios matter.
- At cut 0 no operator runs on the device, at the last cut all of them do.
";

/// The whole page.
pub(super) fn text(options: &Options, outcomes: &[Outcome]) -> String {
    let mut page = format!("{HEAD}{}\n```\n\nOn {}.\n\n", command(options), machine());
    if options.cuts_only {
        page += "The queries were not played for this page, their cuts only measured.\n\n";
    }
    page += "| query | data | records | windows | equal | lost | late | switches |\n|---|---|---:|---:|---:|---:|---:|---:|\n";
    for Outcome { case, is_public, verdict, .. } in outcomes {
        let data = data(case.query, *is_public);
        let found = verdict.as_ref().map_or([None; 6], |verdict| {
            let Verdict { events, windows, equal, lost, late, switches, .. } = verdict;
            [*events, *windows, *equal, *lost, *late, *switches].map(Some)
        });
        let cells = found.map(|number| number.map_or("-".to_owned(), |n| n.to_string()));
        let _ = writeln!(page, "| {} | {data} | {} |", case.id(), cells.join(" | "));
    }
    for outcome in outcomes {
        page += &section(outcome);
    }
    format!("{page}\n## How it was measured\n\n{METHOD}")
}

fn section(Outcome { case, costs, .. }: &Outcome) -> String {
    let Costs { operators, line_bytes, cuts } = costs;
    let all: Vec<String> =
        operators.iter().map(|(name, engine)| format!("{name} ({engine})")).collect();
    let mut section = format!(
        "\n## {}: {}\n\n{}. A line has {line_bytes:.0} bytes on average.\n\n",
        case.id(),
        title(case.query),
        all.join(", ")
    );
    section += "| cut | runs on the device | bytes over the link, an event | of cut 0 | processor time, µs an event | of cut 0 |\n\
                |---:|---|---:|---:|---:|---:|\n";
    for (cut, cost) in cuts.iter().enumerate() {
        let names: Vec<&str> = operators.iter().take(cut).map(|(name, _)| &**name).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        let (bytes, cpu) = (cost.bytes_per_event(), cost.cpu_us_per_event());
        let of_first = |value: f64, first: f64| format!("{:.0} %", value * 100.0 / first);
        let _ = writeln!(
            section,
            "| {cut} | {names} | {bytes:.1} | {} | {cpu:.1} | {} |",
            of_first(bytes, cuts[0].bytes_per_event()),
            of_first(cpu, cuts[0].cpu_us_per_event())
        );
    }
    section
}

fn command(options: &Options) -> String {
    let mut command =
        format!("cargo xtask results --seconds {} --lines {}", options.seconds, options.lines);
    if options.cuts_only {
        command += " --cuts-only";
    }
    if options.data.is_some() {
        command += " --data FOLDER";
    }
    if options.queries != Query::ALL {
        let names: Vec<&str> = options.queries.iter().map(|query| query.name()).collect();
        command += &format!(" --query {}", names.join(","));
    }
    command
}

fn title(query: Query) -> &'static str {
    match query {
        Query::Q1 => "air quality",
        Query::Q2 => "taxi routes",
        Query::Q3 => "smart meters",
        Query::Q4 => "sentiment",
    }
}

fn data(query: Query, is_public: bool) -> &'static str {
    match (is_public, query) {
        (false, _) => "generated, seed 1",
        (true, Query::Q1) => "EPA, daily PM2.5 of 2012, whole",
        (true, Query::Q2) => "DEBS 2015, the first 10,000 trips",
        (true, Query::Q3) => "London smart meters, one block of households, 2013",
        (true, Query::Q4) => "tweets of the VADER paper, whole",
    }
}

/// Processor and memory, as far as the machine tells.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let of = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
    };
    let model = of(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "processor".to_owned());
    let memory_kb = of(&read("/proc/meminfo"), "MemTotal")
        .and_then(|kb| kb.split_whitespace().next()?.parse::<u64>().ok());
    let memory = memory_kb.map_or(String::new(), |kb| format!(", {} GiB", kb >> 20));
    format!("{cores} cores of {model}{memory}, where broker, Flink, devices and replicas all run")
}

#[cfg(test)]
mod tests {
    use super::super::costs::Cost;
    use super::*;
    use crate::case::Case;

    #[test]
    fn a_row_for_each_query_and_cut() {
        let options = Options {
            queries: vec![Query::Q1],
            data: None,
            cuts_only: false,
            seconds: 30,
            lines: 100,
            dir: "dir".into(),
            out: "out".into(),
        };
        let cost = |up_bytes, cpu_s| Cost { events: 100.0, up_bytes, cpu_s };
        let costs = Costs {
            operators: vec![("parse".to_owned(), "jvm".to_owned())],
            line_bytes: 200.4,
            cuts: vec![cost(8_000.0, 0.001), cost(2_000.0, 0.004)],
        };
        let verdict = Verdict { events: 900, windows: 600, equal: 600, ..Verdict::default() };
        let outcome =
            Outcome { case: Case::of(Query::Q1), is_public: false, verdict: Some(verdict), costs };
        let page = text(&options, &[outcome]);
        for line in [
            "cargo xtask results --seconds 30 --lines 100 --query q1",
            "| q1 | generated, seed 1 | 900 | 600 | 600 | 0 | 0 | 0 |",
            "parse (jvm). A line has 200 bytes on average.",
            "| 0 | nothing | 80.0 | 100 % | 10.0 | 100 % |",
            "| 1 | parse | 20.0 | 25 % | 40.0 | 400 % |",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
        }
    }
}
