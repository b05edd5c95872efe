//! The jobs, what they read, and what must move of them.

use crate::samples::Sample::{self, CleanReadings, Readings, Rules, Sentences, TimelyReadings};

/// An input of a job.
#[derive(Debug, Clone, Copy)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// What it reads.
    pub sample: Sample,
    /// How many operators move.
    pub operators: usize,
    /// After how many operators event time is assigned, where that moves too.
    pub assigner_after: Option<i32>,
    /// The word for the end of its chain.
    pub end: &'static str,
}

const fn input(name: &'static str, sample: Sample, operators: usize, end: &'static str) -> Input {
    Input { name, sample, operators, assigner_after: None, end }
}

impl Input {
    const fn timed(mut self, after: i32) -> Self {
        self.assigner_after = Some(after);
        self
    }
}

/// A job.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Its main class in the package of the jobs.
    pub main: &'static str,
    /// Arguments of `main`.
    pub args: &'static [&'static str],
    /// Its inputs, in the order of their sources.
    pub inputs: &'static [Input],
    /// Sources that stay in it, and what they read.
    pub staying: &'static [(&'static str, Sample)],
}

const fn case(main: &'static str, inputs: &'static [Input]) -> Case {
    Case { main, args: &[], inputs, staying: &[] }
}

const fn with(main: &'static str, args: &'static [&'static str], inputs: &'static [Input]) -> Case {
    Case { main, args, inputs, staying: &[] }
}

/// All jobs that split and unsplit must be equal of.
pub const CASES: &[Case] = &[
    case("ParseAndCount", &[input("readings", Readings, 3, "keyed")]),
    case("FanOut", &[input("readings", Readings, 1, "fan-out")]),
    case("FanOutAtSource", &[input("readings", Readings, 0, "fan-out")]),
    case(
        "UnionOfTwo",
        &[
            input("indoors", TimelyReadings, 1, "union").timed(1),
            input("outdoors", TimelyReadings, 2, "union").timed(2),
        ],
    ),
    case("SideOutput", &[input("readings", Readings, 2, "side output")]),
    case("WatermarkAtSource", &[input("readings", Readings, 2, "keyed").timed(0)]),
    case("WatermarkBetween", &[input("readings", Readings, 3, "keyed").timed(1)]),
    case("WatermarkAfter", &[input("readings", Readings, 2, "keyed").timed(2)]),
    case("WatermarkDangling", &[input("readings", Readings, 1, "fan-out")]),
    case("MonotonousIdle", &[input("readings", Readings, 1, "keyed").timed(1)]),
    case("LegacyAscending", &[input("readings", Readings, 1, "keyed").timed(1)]),
    case("CustomGeneratorAtSource", &[input("readings", Readings, 1, "keyed").timed(0)]),
    case("CustomGeneratorLater", &[input("readings", Readings, 1, "custom watermarks")]),
    case("LateSideOutput", &[input("readings", Readings, 2, "keyed").timed(1)]),
    case("TimestampInProcess", &[input("readings", Readings, 3, "keyed").timed(1)]),
    case("CurrentWatermark", &[input("readings", Readings, 2, "current watermark").timed(1)]),
    case("PojoSchema", &[input("readings", Readings, 3, "keyed").timed(2)]),
    case("CollectorSchema", &[input("sentences", Sentences, 2, "keyed")]),
    case("RawBytes", &[input("sentences", Sentences, 3, "sink")]),
    case("NullRecords", &[input("readings", Readings, 4, "sink")]),
    case("NullFields", &[input("readings", Readings, 2, "keyed")]),
    case("NullTuples", &[input("readings", Readings, 4, "sink")]),
    case("HiddenField", &[input("sentences", Sentences, 1, "hidden state in a field")]),
    case("HiddenStatic", &[input("sentences", Sentences, 2, "hidden state in a static")]),
    case("HiddenList", &[input("sentences", Sentences, 1, "hidden state in an object")]),
    case("ArgumentBranch", &[input("sentences", Sentences, 0, "keyed")]),
    with(
        "ArgumentBranch",
        &["--upper", "--above", "7"],
        &[input("sentences", Sentences, 2, "keyed")],
    ),
    case("BaseClass", &[input("sentences", Sentences, 3, "keyed")]),
    case("CapturedLocals", &[input("readings", Readings, 3, "sink")]),
    case("ClassToken", &[input("sentences", Sentences, 3, "sink")]),
    case("Reflection", &[input("sentences", Sentences, 0, "unknown code")]),
    case(
        "WindowJoin",
        &[
            input("indoors", TimelyReadings, 1, "window join").timed(1),
            input("outdoors", TimelyReadings, 1, "window join").timed(1),
        ],
    ),
    case(
        "Connect",
        &[
            input("readings", Readings, 1, "several inputs"),
            input("sentences", Sentences, 2, "several inputs"),
        ],
    ),
    Case {
        staying: &[("rules", Rules)],
        ..case("BroadcastRules", &[input("readings", Readings, 2, "broadcast")])
    },
    case("AsyncLookup", &[input("readings", Readings, 2, "asynchronous I/O")]),
    case("RichTypes", &[input("readings", Readings, 4, "sink")]),
    case("Records", &[input("readings", Readings, 3, "keyed")]),
    case("Rows", &[input("readings", Readings, 3, "keyed")]),
    case("NestedTuples", &[input("readings", Readings, 3, "keyed")]),
    case("KryoBetween", &[input("sentences", Sentences, 4, "sink")]),
    case("Explode", &[input("sentences", Sentences, 3, "keyed")]),
    case("MethodReferences", &[input("sentences", Sentences, 5, "sink")]),
    case("AnonymousOuter", &[input("readings", Readings, 3, "sink")]),
    case("Instrumented", &[input("sentences", Sentences, 1, "keyed")]),
    case("ReadsFile", &[input("sentences", Sentences, 1, "I/O")]),
    case("Elements", &[input("readings", Readings, 1, "union")]),
    case("FileLines", &[input("readings", Readings, 2, "sink")]),
    case("ReadFile", &[input("custom-file-source", Readings, 2, "sink")]),
    case("Socket", &[input("socket-stream", Sentences, 2, "keyed")]),
    case("LegacySource", &[input("sentences", Sentences, 2, "sink")]),
];

/// A job that fails over some of its lines.
pub const FAILS: Case = case("Fails", &[input("readings", Readings, 3, "sink")]);
/// The same, with lines that it likes.
pub const DOES_NOT_FAIL: Case = case("Fails", &[input("readings", CleanReadings, 3, "sink")]);
/// A job that gives other records each time.
pub const CHANCE: Case = case("Chance", &[input("readings", Readings, 1, "keyed")]);
/// The same with the chance behind the prefix.
pub const CHANCE_LATER: Case =
    with("Chance", &["--later"], &[input("readings", Readings, 1, "keyed")]);
/// A job that cuts texts in the middle of a character.
pub const HALF_CHARACTERS: Case =
    case("HalfCharacters", &[input("sentences", Sentences, 2, "sink")]);
