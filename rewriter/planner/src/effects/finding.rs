//! What the bytecode of a function shows.

use serde::Serialize;

/// A place in the user's code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The internal name of the class.
    pub class: String,
    /// The method.
    pub method: String,
    /// The line, where the class says so.
    pub line: Option<u16>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let class = crate::graph::simple(&self.class);
        write!(f, "{class}.{}", self.method)?;
        self.line.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

/// Code that keeps a function from moving.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// The field, method or class.
    pub what: String,
    /// Where it is.
    pub place: Place,
}

/// Code that keeps a function from moving; the first is the one that says most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// State of Flink's.
    State,
    /// A field that is written.
    HiddenField,
    /// A static field that is written.
    HiddenStatic,
    /// An object in a field that is changed.
    HiddenObject,
    /// A static field that other code sets.
    ForeignStatic,
    /// The current watermark is read.
    CurrentWatermark,
    /// Timers.
    Timers,
    /// A side output is written.
    SideOutput,
    /// Files, networks, databases.
    Io,
    /// Threads, executors, timers of Java.
    Threads,
    /// The process ends.
    Exit,
    /// A class that the jar lacks.
    Missing,
    /// Code that can't be followed.
    Unknown,
}

impl FindingKind {
    /// One word for tables and logs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::HiddenField => "hidden state in a field",
            Self::HiddenStatic => "hidden state in a static",
            Self::HiddenObject => "hidden state in an object",
            Self::ForeignStatic => "static set elsewhere",
            Self::CurrentWatermark => "current watermark",
            Self::Timers => "timers",
            Self::SideOutput => "side output",
            Self::Io => "I/O",
            Self::Threads => "threads",
            Self::Exit => "exit",
            Self::Missing => "missing class",
            Self::Unknown => "unknown code",
        }
    }

    /// What would have to change.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::State => "keep state behind a keyBy; what stands before it must do without",
            Self::HiddenField | Self::HiddenObject => {
                "use local variables and new objects for each event; what is to be remembered \
                 belongs behind a keyBy, in Flink's state"
            }
            Self::HiddenStatic => {
                "use local variables; what is to be remembered belongs behind a keyBy, in Flink's \
                 state"
            }
            Self::ForeignStatic => {
                "hand the value to the function's constructor, or capture it as a local variable: \
                 the process that runs the function does not run main"
            }
            Self::CurrentWatermark => {
                "compare with the watermark behind the stateless part, where it is one for all \
                 devices"
            }
            Self::Timers => "use timers behind a keyBy",
            Self::SideOutput => {
                "put out one type that holds either case, and split it behind the stateless part"
            }
            Self::Io => {
                "do the look-up behind the stateless part, or hand what is read to the function \
                 when it is made"
            }
            Self::Threads => "do the work in the call itself",
            Self::Exit => "throw an exception instead",
            Self::Missing => "put the class into the jar",
            Self::Unknown => {
                "if you know that it depends on nothing but its event and changes nothing, vouch \
                 for the operator (`trust`)"
            }
        }
    }
}

impl Finding {
    /// Why, in one sentence.
    #[must_use]
    pub fn why(&self) -> String {
        let Self { what, place, .. } = self;
        match self.kind {
            FindingKind::State => format!("it uses Flink's state ({what}; {place})"),
            FindingKind::HiddenField => {
                format!(
                    "it remembers something from event to event: field `{what}` is written ({place})"
                )
            }
            FindingKind::HiddenStatic => format!(
                "it remembers something from event to event: static field `{what}` is written ({place})"
            ),
            FindingKind::HiddenObject => {
                format!("it remembers something from event to event: {what} is changed ({place})")
            }
            FindingKind::ForeignStatic => {
                format!("it reads static field `{what}`, which code outside of it sets ({place})")
            }
            FindingKind::CurrentWatermark => format!("it reads the current watermark ({place})"),
            FindingKind::Timers => format!("it sets timers ({place})"),
            FindingKind::SideOutput => format!("it writes to a side output ({place})"),
            FindingKind::Io => format!("it does I/O: {what} ({place})"),
            FindingKind::Threads => format!("it starts work of its own: {what} ({place})"),
            FindingKind::Exit => format!("it ends the process ({place})"),
            FindingKind::Missing => {
                format!("class {what} is in neither the jar nor Flink's runtime ({place})")
            }
            FindingKind::Unknown => format!("it can't be told what it does: {what} ({place})"),
        }
    }
}

/// Something that people should know, but that keeps nothing from moving.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// The method.
    pub what: String,
    /// Where it is.
    pub place: Place,
}

/// What a note is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A clock.
    Clock,
    /// Randomness.
    Random,
    /// Properties of the machine or process.
    Environment,
    /// Subtask numbers and the like.
    Subtask,
    /// Metrics and accumulators.
    Counts,
    /// Standard output.
    Prints,
    /// Waiting.
    Sleeps,
}

impl Note {
    /// What it means, in one sentence.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { what, place, .. } = self;
        match self.kind {
            NoteKind::Clock => format!("reads a clock ({what}; {place}): that of where it runs"),
            NoteKind::Random => {
                format!("is random ({what}; {place}): a replay can give another result")
            }
            NoteKind::Environment => {
                format!("reads its surroundings ({what}; {place}): those of where it runs")
            }
            NoteKind::Subtask => {
                format!("asks which subtask it is ({what}; {place}): moved, it is 0 of 1")
            }
            NoteKind::Counts => {
                format!("counts ({what}; {place}): moved, Flink does not show these numbers")
            }
            NoteKind::Prints => format!("prints ({what}; {place}): where it runs"),
            NoteKind::Sleeps => format!("sleeps ({what}; {place}), and everything behind it waits"),
        }
    }
}

/// What the bytecode of one function shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// What keeps it from moving, the weightiest first.
    pub findings: Vec<Finding>,
    /// What people should know.
    pub notes: Vec<Note>,
    /// Where it reads its event's time, if it does.
    pub reads_time: Option<Place>,
}

/// A class name as people write it.
pub(crate) fn dotted(internal_name: &str) -> String {
    internal_name.replace('/', ".")
}
