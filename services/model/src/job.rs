//! What a deployed query says of the user's own job: its functions, its jar, and the part that moved.

use serde::{Deserialize, Serialize};

/// What a function of the user's job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    /// `MapFunction`.
    Map,
    /// `FlatMapFunction`.
    FlatMap,
    /// `FilterFunction`.
    Filter,
    /// `ProcessFunction`, not keyed.
    Process,
    /// A projection of a tuple.
    Project,
    /// The source's `DeserializationSchema`: bytes to values.
    Schema,
    /// A `WatermarkStrategy`.
    Assigner,
}

/// A function of the user's job, by its node in the captured graph (docs/graph.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// What it is.
    pub kind: FunctionKind,
    /// Its node.
    pub node: i32,
}

impl Function {
    /// The entry of the capture that holds it. A source can have both a schema and an assigner.
    #[must_use]
    pub fn entry(self) -> String {
        match self.kind {
            FunctionKind::Assigner => format!("watermarks/{}.ser", self.node),
            _ => format!("functions/{}.ser", self.node),
        }
    }
}

/// The part of an input that moved out of the job, by nodes of the captured graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefix {
    /// The source.
    pub source: i32,
    /// Every node that moved, the source too.
    pub nodes: Vec<i32>,
    /// The last of them: who reads it reads the frame source.
    pub boundary: i32,
}

/// A file by its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name, for people.
    pub name: String,
    /// SHA-256, hexadecimal.
    pub digest: String,
    /// Its size.
    pub bytes: i64,
}

/// The job of a deployed query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The class whose `main` builds it.
    pub main_class: String,
    /// The arguments of its `main`.
    pub args: Vec<String>,
    /// Flink's version at the capture.
    pub flink: String,
    /// SHA-256 of the structure of the captured graph, hexadecimal.
    pub graph_digest: String,
    /// The user's jar.
    pub jar: Artifact,
    /// The serialized functions and types.
    pub capture: Artifact,
}
