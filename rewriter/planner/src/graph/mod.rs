//! The captured graph as values (docs/graph.md is the contract).

mod check;
mod function;
mod java_type;

use serde::{Deserialize, Serialize};

pub use check::GraphError;
pub use function::{
    Captured, Form, Implementation, Timestamps, UserFunction, Watermarks, WatermarksKind,
};
pub(crate) use java_type::simple;
pub use java_type::{JavaType, NamedType};

/// The captured job.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Graph {
    /// Flink's version at the capture.
    pub flink: String,
    /// Java's version at the capture.
    pub java: i32,
    /// The job as a whole.
    pub job: GraphJob,
    /// SHA-256 of the structure, hexadecimal.
    pub digest: String,
    /// Node `i` at `i - 1`.
    pub nodes: Vec<Node>,
    /// What the capture has to say to people.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The job as a whole.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GraphJob {
    /// Its name.
    pub name: String,
    /// The class whose `main` builds it.
    pub main_class: String,
    /// The arguments of its `main`.
    #[serde(default)]
    pub args: Vec<String>,
}

/// A transformation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Node {
    /// Dense from 1.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// The id that the user gave it.
    #[serde(default)]
    pub uid: Option<String>,
    /// How many subtasks it has; -1 where it has none of its own.
    #[serde(default)]
    pub parallelism: i32,
    /// What it is.
    pub kind: NodeKind,
    /// What it is, for operators of one input.
    #[serde(default)]
    pub operator: Option<OperatorKind>,
    /// The class of the operator or its factory, for people.
    #[serde(default)]
    pub operator_class: Option<String>,
    /// The nodes that it reads, in the order of the ports.
    #[serde(default)]
    pub inputs: Vec<i32>,
    /// The type of what it puts out.
    #[serde(default)]
    pub output: Option<JavaType>,
    /// Whether its input is keyed.
    #[serde(default)]
    pub keyed: bool,
    /// Whether it can do nothing with events that have no time.
    #[serde(default)]
    pub event_time: bool,
    /// How a `partition` deals out its events.
    #[serde(default)]
    pub partitioning: Option<Partitioning>,
    /// The tags that are read from it.
    #[serde(default)]
    pub side_outputs: Option<Vec<SideOutput>>,
    /// The user's function.
    #[serde(default)]
    pub function: Option<UserFunction>,
    /// The watermark strategy.
    #[serde(default)]
    pub watermarks: Option<Watermarks>,
    /// What the source is.
    #[serde(default)]
    pub source: Option<Source>,
}

impl Node {
    /// The entry of the capture with the type of what it puts out.
    #[must_use]
    pub fn type_entry(&self) -> String {
        format!("types/{}.ser", self.id)
    }

    /// Whether it is a source.
    #[must_use]
    pub const fn is_source(&self) -> bool {
        matches!(self.kind, NodeKind::Source | NodeKind::LegacySource)
    }

    /// Whether a person who says `name` may mean it: by its uid, its name or its number.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.uid.as_deref() == Some(name) || self.name == name || self.id.to_string() == name
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A FLIP-27 source.
    Source,
    /// A `SourceFunction`.
    LegacySource,
    /// An operator of one input.
    OneInput,
    /// An operator of two inputs.
    TwoInput,
    /// An operator of several inputs.
    MultipleInput,
    /// A watermark assigner.
    Timestamps,
    /// A redistribution.
    Partition,
    /// A union.
    Union,
    /// A side output.
    SideOutput,
    /// A FLIP-143 sink.
    Sink,
    /// A `SinkFunction`.
    LegacySink,
    /// A connection with a broadcast stream.
    BroadcastState,
    /// A rolling reduction.
    Reduce,
    /// Anything else.
    Other,
}

/// What an operator of one input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorKind {
    /// `map`.
    Map,
    /// `flatMap`.
    FlatMap,
    /// `filter`.
    Filter,
    /// `process`, not keyed.
    Process,
    /// A projection of a tuple.
    Project,
    /// Asynchronous I/O.
    Async,
    /// Any operator behind a key.
    Keyed,
    /// Made by a window join.
    WindowTag,
    /// Made by `readTextFile`.
    FileReader,
    /// An operator that the user or a library wrote.
    Other,
}

/// How a `partition` deals out events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are Flink's own")]
pub enum Partitioning {
    Forward,
    Rebalance,
    Rescale,
    Shuffle,
    Hash,
    Broadcast,
    Global,
    Custom,
}

/// A side output that is read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SideOutput {
    /// The tag's id.
    pub id: String,
}

/// What a source is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Source {
    /// Its class.
    pub class: String,
    /// Whether it ends.
    #[serde(default)]
    pub bounded: bool,
    /// What makes its events.
    pub reads: Reads,
    /// Whether its own code sets times or watermarks.
    #[serde(default)]
    pub own_time: bool,
}

/// What makes the events of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reads {
    /// They are strings, in UTF-8.
    Text,
    /// They are bytes.
    Bytes,
    /// A `DeserializationSchema` makes them from bytes.
    Schema,
    /// A schema that sees Kafka's key, headers or time.
    KafkaRecord,
    /// The program holds the events.
    Literals,
    /// The source's own code.
    Opaque,
}
