//! What a check found.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use crate::compare::Difference;
use crate::frames::Death;

/// Something that keeps a job from being equal to its split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Finding {
    /// The unsplit job fails over the sample.
    UnsplitFails {
        /// Why.
        problem: String,
        /// Events that die in the split job instead, by input.
        dead: Vec<(String, Death)>,
    },
    /// The unsplit job gives other records when it runs again.
    NotDeterministic {
        /// The sink.
        sink: String,
        /// Where the second run (as `split`) first differs.
        difference: Difference,
    },
    /// Events that the split job buries and the unsplit job does not.
    Dead {
        /// The input.
        input: String,
        /// The first of them.
        first: Death,
        /// How many there are.
        count: usize,
    },
    /// What comes out of the prefixes can't be recorded in Flink: a value has no form on Sluice's topics.
    NotRecorded {
        /// Why.
        problem: String,
    },
    /// A record behind the prefix differs.
    Prefix {
        /// The input.
        input: String,
        /// The event of the sample, from 0; none where Flink gave more.
        event: Option<usize>,
        /// How many operators were applied at each stop of its frame.
        way: Vec<i32>,
        /// Both sides.
        difference: Difference,
    },
    /// A watermark behind the prefix that Flink did not have there.
    Watermark {
        /// The input.
        input: String,
        /// The last event of the frame.
        event: usize,
        /// How many operators were applied at each stop of the frame.
        way: Vec<i32>,
        /// Those in force in Flink at that place, epoch milliseconds.
        unsplit: Vec<Option<i64>>,
        /// That of the frames so far.
        split: Option<i64>,
    },
    /// What stays of the job fails.
    SplitFails {
        /// Why.
        problem: String,
    },
    /// A record at a sink differs.
    Sink {
        /// The sink.
        sink: String,
        /// Both sides.
        difference: Difference,
    },
}

/// An input, as it was checked.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CheckedInput {
    /// Its name.
    pub name: String,
    /// The operators that moved.
    pub operators: Vec<String>,
    /// Events of the sample.
    pub events: usize,
    /// Records behind the prefix in Flink; none where they were not compared.
    pub records: Option<usize>,
    /// Frames that were sent, over all passes.
    pub frames: usize,
    /// Different ways that they took.
    pub ways: usize,
}

/// A sink, as it was checked.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedSink {
    /// Its name and node.
    pub name: String,
    /// Records that it got.
    pub records: usize,
}

/// What a check found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The job's main class.
    pub job: String,
    /// The seed of lengths and ways.
    pub seed: u64,
    /// Its inputs.
    pub inputs: Vec<CheckedInput>,
    /// Its sinks, as far as they were compared.
    pub sinks: Vec<CheckedSink>,
    /// Whether records were compared in order.
    pub in_order: bool,
    /// What keeps split and unsplit from being equal.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether split and unsplit are equal over the sample.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (seed {})", self.job, self.seed)?;
        for input in &self.inputs {
            let moved = match input.operators.is_empty() {
                true => "nothing but the source".to_owned(),
                false => input.operators.join(", "),
            };
            let CheckedInput { name, events, records, frames, ways, .. } = input;
            writeln!(f, "  input {name}: moved {moved}")?;
            write!(f, "    {events} events in {frames} frames on {ways} ways")?;
            match records {
                Some(records) => writeln!(f, " gave {records} records")?,
                None => writeln!(f)?,
            }
        }
        for sink in &self.sinks {
            writeln!(f, "  sink {}: {} records", sink.name, sink.records)?;
        }
        for finding in &self.findings {
            writeln!(f, "  {finding}")?;
        }
        match (self.is_equal(), self.in_order) {
            (true, true) => write!(f, "split and unsplit are equal, in order"),
            (true, false) => write!(f, "split and unsplit are equal, in any order"),
            (false, _) => write!(f, "split and unsplit are NOT shown to be equal"),
        }?;
        let only_chance = |finding: &Finding| matches!(finding, Finding::NotDeterministic { .. });
        let compared = self.inputs.iter().all(|input| input.records.is_some());
        match !self.is_equal() && compared && self.findings.iter().all(only_chance) {
            true => write!(f, ", but what comes out of the prefixes is"),
            false => Ok(()),
        }
    }
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsplitFails { problem, dead } => {
                write!(f, "the unsplit job fails: {problem}")?;
                for (input, death) in dead {
                    write!(f, "\n    in the split it is dead: input {input}, {}", Buried(death))?;
                }
                Ok(())
            }
            Self::NotDeterministic { sink, difference } => {
                write!(
                    f,
                    "the job is not deterministic: sink {sink} got other records in a second run of the unsplit job"
                )?;
                sides(f, difference, ["first run", "second run"])
            }
            Self::Dead { input, first, count } => {
                write!(
                    f,
                    "input {input}: {count} events die in the split only; the first: {}",
                    Buried(first)
                )
            }
            Self::NotRecorded { problem } => {
                write!(f, "what comes out of the prefixes has no form on a topic: {problem}")
            }
            Self::Prefix { input, event, way, difference } => {
                write!(f, "input {input}: record {} behind the prefix differs", difference.at)?;
                if let Some(event) = event {
                    write!(
                        f,
                        "; it is of event {event}, with {} operators applied at each stop",
                        Way(way)
                    )?;
                }
                sides(f, difference, ["unsplit", "split"])
            }
            Self::Watermark { input, event, way, unsplit, split } => {
                let shown = |watermark: &Option<i64>| {
                    watermark.map_or("none".to_owned(), |ms| ms.to_string())
                };
                let unsplit: Vec<String> = unsplit.iter().map(shown).collect();
                write!(
                    f,
                    "input {input}: the watermark behind event {event} (stops {}) is {}",
                    Way(way),
                    shown(split)
                )?;
                write!(f, ", in Flink {}", unsplit.join(" or "))
            }
            Self::SplitFails { problem } => write!(f, "what stays of the job fails: {problem}"),
            Self::Sink { sink, difference } => {
                write!(f, "sink {sink}: record {} differs", difference.at)?;
                sides(f, difference, ["unsplit", "split"])
            }
        }
    }
}

fn sides(f: &mut Formatter<'_>, difference: &Difference, names: [&str; 2]) -> fmt::Result {
    for (name, side) in names.iter().zip([&difference.unsplit, &difference.split]) {
        write!(f, "\n    {name}: {}", side.as_deref().unwrap_or("nothing"))?;
    }
    Ok(())
}

struct Buried<'a>(&'a Death);

impl Display for Buried<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "event {} in operator {}: {}", self.0.event, self.0.operator, self.0.reason)
    }
}

struct Way<'a>(&'a [i32]);

impl Display for Way<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let stops: Vec<String> = self.0.iter().map(i32::to_string).collect();
        f.write_str(&stops.join(" > "))
    }
}
