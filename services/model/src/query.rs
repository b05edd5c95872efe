//! A deployed query: all that a service must know to run its part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Artifact, Function, InputName, Job, Prefix, QueryId, topics};

/// What executes an operator's function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// The IR, executed in Rust.
    Native,
    /// The user's own class in a sidecar JVM.
    Jvm,
}

/// In which order the residual job sees a device's events (DESIGN section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// In source order: frames behind a hole are held.
    #[default]
    Source,
    /// As they come.
    EventTime,
}

/// A movable stateless operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    /// Its name, for people and metrics.
    pub name: String,
    /// What executes it.
    pub engine: Engine,
    /// Its function in the textual IR; empty for the jvm engine.
    #[serde(default)]
    pub ir: String,
    /// The user's own function; none in a plan that was written by hand.
    #[serde(default)]
    pub function: Option<Function>,
    /// The constants that the IR names (JSON, docs/graph.md); empty where there are none or where they lie in a file.
    #[serde(default)]
    pub constants: String,
    /// The file of constants that are too large for a plan.
    #[serde(default)]
    pub constants_file: Option<Artifact>,
    /// Why a JVM executes it, one word; empty where Rust does, or in a plan that was written by hand.
    #[serde(default)]
    pub refusal: String,
}

/// A watermark assigner of bounded out-of-orderness inside the movable chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assigner {
    /// How many operators are applied before it, 0..N.
    pub after: i32,
    /// The bound of the out-of-orderness, milliseconds.
    pub bound_ms: i64,
    /// The timestamp function in the textual IR; empty for the jvm engine.
    #[serde(default)]
    pub ir: String,
    /// The user's own watermark strategy; none in a plan that was written by hand.
    #[serde(default)]
    pub function: Option<Function>,
    /// The constants that the IR names (JSON, docs/graph.md); empty where there are none or where they lie in a file.
    #[serde(default)]
    pub constants: String,
    /// The file of constants that are too large for a plan.
    #[serde(default)]
    pub constants_file: Option<Artifact>,
    /// Why a JVM executes it, one word; empty where Rust does, or in a plan that was written by hand.
    #[serde(default)]
    pub refusal: String,
}

/// One source of a query with its chain of movable operators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its name.
    pub name: InputName,
    /// Partitions of each of its topics.
    pub partitions: i32,
    /// The order the residual job sees.
    #[serde(default)]
    pub order: Order,
    /// Avro schemas (JSON) of T(0)..T(N).
    pub types: Vec<String>,
    /// Registry ids of the frames of T(0)..T(N); empty in a plan that is not deployed yet.
    #[serde(default)]
    pub frame_schema_ids: Vec<i32>,
    /// v1..vN.
    pub operators: Vec<Operator>,
    /// Where event time is assigned; none when the residual job does it.
    pub assigner: Option<Assigner>,
    /// Entries of the capture with the Java types of T(0)..T(N); an empty name where T is text or bytes of the source.
    #[serde(default)]
    pub java_types: Vec<String>,
    /// What the residual job leaves out; none in a plan that was written by hand.
    #[serde(default)]
    pub prefix: Option<Prefix>,
    /// The time between heartbeats, milliseconds.
    #[serde(default = "defaults::heartbeat_ms")]
    pub heartbeat_ms: i64,
    /// After this time without a watermark a device holds time back no more, milliseconds.
    #[serde(default = "defaults::idle_after_ms")]
    pub idle_after_ms: i64,
    /// How long a listed device that was never seen holds time back, milliseconds.
    #[serde(default = "defaults::start_grace_ms")]
    pub start_grace_ms: i64,
    /// How long a hole may hold time back, milliseconds.
    #[serde(default = "defaults::hole_limit_ms")]
    pub hole_limit_ms: i64,
    /// The same where the device is silent too, milliseconds.
    #[serde(default = "defaults::hole_limit_silent_ms")]
    pub hole_limit_silent_ms: i64,
    /// How far a watermark may run ahead of the broker's clock, milliseconds.
    #[serde(default = "defaults::max_ahead_ms")]
    pub max_ahead_ms: i64,
    /// How much the reader may hold per split, bytes.
    #[serde(default = "defaults::held_bytes")]
    pub held_bytes: i64,
}

mod defaults {
    //! DESIGN section 8.
    pub const fn heartbeat_ms() -> i64 {
        1_000
    }
    pub const fn idle_after_ms() -> i64 {
        30_000
    }
    pub const fn start_grace_ms() -> i64 {
        60_000
    }
    pub const fn hole_limit_ms() -> i64 {
        600_000
    }
    pub const fn hole_limit_silent_ms() -> i64 {
        120_000
    }
    pub const fn max_ahead_ms() -> i64 {
        3_600_000
    }
    pub const fn held_bytes() -> i64 {
        64 << 20
    }
}

/// The value of a record of `sluice.queries` (schemas/DeployedQuery.avsc).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeployedQuery {
    /// The query.
    pub query: QueryId,
    /// Its deployment version; only grows.
    pub version: i32,
    /// SHA-256 of the plan, hexadecimal.
    #[serde(default)]
    pub digest: String,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// Registry ids of the control records by name.
    #[serde(default)]
    pub schema_ids: BTreeMap<String, i32>,
    /// The user's job; none for a plan that was written by hand.
    #[serde(default)]
    pub job: Option<Job>,
    /// Versions before this one that devices or stages may still hold events of, newest first; each without its own
    /// older ones.
    #[serde(default, with = "crate::older")]
    pub older: Vec<DeployedQuery>,
}

/// A plan that does not fit together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("query {query}, input {input}: {what}")]
pub struct QueryError {
    /// The query.
    pub query: String,
    /// The input.
    pub input: String,
    /// What does not fit.
    pub what: String,
}

impl Input {
    /// N, the number of movable operators.
    #[must_use]
    pub fn operator_count(&self) -> i32 {
        i32::try_from(self.operators.len()).unwrap_or(i32::MAX)
    }

    /// The registry id of frames whose events went through `applied` operators.
    #[must_use]
    pub fn frame_schema_id(&self, applied: i32) -> Option<i32> {
        self.frame_schema_ids.get(usize::try_from(applied).ok()?).copied()
    }

    /// The files with constants of its functions.
    pub fn constants_files(&self) -> impl Iterator<Item = &Artifact> {
        let operators =
            self.operators.iter().filter_map(|operator| operator.constants_file.as_ref());
        operators.chain(self.assigner.iter().filter_map(|a| a.constants_file.as_ref()))
    }

    /// The constants of each function, with the place for the file of those that are too large for a plan.
    pub fn constants_mut(
        &mut self,
    ) -> impl Iterator<Item = (&str, &mut String, &mut Option<Artifact>)> {
        let operators = self.operators.iter_mut();
        let operators =
            operators.map(|o| (o.name.as_str(), &mut o.constants, &mut o.constants_file));
        let assigner = self.assigner.iter_mut();
        let assigner = assigner.map(|a| ("assigner", &mut a.constants, &mut a.constants_file));
        operators.chain(assigner)
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let n = self.operators.len();
        if self.types.len() != n + 1 {
            problems.push(format!(
                "{n} operators need {} types, but {} are given",
                n + 1,
                self.types.len()
            ));
        }
        if !self.frame_schema_ids.is_empty() && self.frame_schema_ids.len() != n + 1 {
            problems.push(format!(
                "{} frame schema ids for {} types",
                self.frame_schema_ids.len(),
                n + 1
            ));
        }
        if self.partitions < 1 {
            problems.push(format!("{} partitions; at least 1 is needed", self.partitions));
        }
        if let Some(assigner) = &self.assigner {
            if !(0..=self.operator_count()).contains(&assigner.after) {
                problems
                    .push(format!("the assigner stands after operator {} of {n}", assigner.after));
            }
            if assigner.bound_ms < 0 {
                problems.push(format!("the assigner's bound is {} ms", assigner.bound_ms));
            }
        }
        for (name, value) in [
            ("heartbeat_ms", self.heartbeat_ms),
            ("idle_after_ms", self.idle_after_ms),
            ("hole_limit_ms", self.hole_limit_ms),
            ("hole_limit_silent_ms", self.hole_limit_silent_ms),
            ("held_bytes", self.held_bytes),
        ] {
            if value < 1 {
                problems.push(format!("{name} is {value}; it must be positive"));
            }
        }
        problems
    }
}

impl DeployedQuery {
    /// The input of that name.
    #[must_use]
    pub fn input(&self, name: &InputName) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name == *name)
    }

    /// The files that its services fetch.
    pub fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        let job = self.job.iter().flat_map(|job| [&job.jar, &job.capture]);
        job.chain(self.inputs.iter().flat_map(Input::constants_files))
    }

    /// The topic of frames of an input that went through `applied` operators.
    #[must_use]
    pub fn topic(&self, input: &Input, applied: i32) -> String {
        topics::of_applied(&self.query, self.version, &input.name, applied, input.operator_count())
    }

    /// Every topic of an input: its stages, then `out`.
    #[must_use]
    pub fn input_topics(&self, input: &Input) -> Vec<String> {
        (0..=input.operator_count()).map(|applied| self.topic(input, applied)).collect()
    }

    /// The registry id of a control record, such as `DeviceStatus`.
    #[must_use]
    pub fn schema_id(&self, record: &str) -> Option<i32> {
        self.schema_ids.get(record).copied()
    }

    /// All that does not fit together.
    #[must_use]
    pub fn problems(&self) -> Vec<QueryError> {
        let mut problems: Vec<QueryError> = Vec::new();
        let mut report = |input: &str, what: String| {
            problems.push(QueryError {
                query: self.query.to_string(),
                input: input.to_owned(),
                what,
            });
        };
        if self.version < 1 {
            report("-", format!("version {}; it begins at 1", self.version));
        }
        if self.inputs.is_empty() {
            report("-", "no input".to_owned());
        }
        for (i, input) in self.inputs.iter().enumerate() {
            if self.inputs[..i].iter().any(|earlier| earlier.name == input.name) {
                report(input.name.as_str(), "the name is used twice".to_owned());
            }
            for problem in input.problems() {
                report(input.name.as_str(), problem);
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> DeployedQuery {
        let plan = r#"{"query":"q1","version":1,"inputs":[{"name":"readings","partitions":4,
            "types":["\"string\"","\"long\""],"operators":[{"name":"parse","engine":"native","ir":""}],
            "assigner":{"after":1,"bound_ms":5,"ir":""}}]}"#;
        serde_json::from_str(plan).unwrap()
    }

    #[test]
    fn a_plan_has_defaults_and_topics() {
        let query = query();
        assert_eq!(query.problems(), []);
        let input = &query.inputs[0];
        assert_eq!(input.heartbeat_ms, 1000);
        assert_eq!(query.input_topics(input), ["q1.1.readings.stage.1", "q1.1.readings.out"]);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let mut query = query();
        query.version = 0;
        query.inputs[0].types.pop();
        query.inputs[0].partitions = 0;
        query.inputs[0].assigner.as_mut().unwrap().after = 2;
        assert_eq!(query.problems().len(), 4);
    }
}
