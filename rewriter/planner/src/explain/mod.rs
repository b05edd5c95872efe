//! Stage 9, explain: what moves and why, for people and for programs.

mod dot;
mod text;

use std::collections::BTreeMap;

use serde::Serialize;
use sluice_model::{Engine, FunctionKind, InputName};

use crate::chains::{Role, Step};
use crate::dataflow::Dataflow;
use crate::graph::{Graph, Node, NodeKind, Reads};
use crate::movable::Movable;
use crate::options::{Problem, called};
use crate::plan::PlannedInput;
use crate::reason::Reason;

/// What moves and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The job's name.
    pub job: String,
    /// The class whose `main` builds it.
    pub main_class: String,
    /// Flink's version at the capture.
    pub flink: String,
    /// Its sources, in their order.
    pub sources: Vec<SourceSaid>,
    /// The operators that stay in the job.
    pub residual: Vec<Stays>,
    /// What the capture has to say.
    pub warnings: Vec<String>,
}

/// A source and its chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceSaid {
    /// Its node.
    pub node: i32,
    /// Its uid, else its name.
    pub name: String,
    /// Its class.
    pub class: String,
    /// Its events before any operator.
    pub reads: Reads,
    /// The input that it becomes; none if it stays in the job.
    pub input: Option<InputName>,
    /// What moves, in order, without the source.
    pub steps: Vec<StepSaid>,
    /// T(0)..T(N).
    pub types: Vec<TypeSaid>,
    /// Where the chain ends, or why the source stays.
    pub end: EndSaid,
    /// What people should know.
    pub notes: Vec<String>,
    /// Choice points and replicas.
    pub dataflow: Option<Dataflow>,
}

/// A part of a chain that moves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepSaid {
    /// Its node.
    pub node: i32,
    /// Its name.
    pub name: String,
    /// `map`, `flat map`, .. or `watermarks`.
    pub what: String,
    /// `i` for `v_i`; for an assigner, the operators applied before it.
    pub number: usize,
    /// Whether it is a watermark assigner.
    pub assigner: bool,
    /// What executes it.
    pub engine: Engine,
    /// Why that engine.
    #[serde(rename = "why")]
    pub engine_why: String,
    /// What the assigner does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub does: String,
    /// The function in the textual IR, where it is native.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub ir: String,
}

/// A type of events.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TypeSaid {
    /// For people.
    pub shown: String,
    /// The Avro schema, as JSON.
    pub schema: String,
}

/// Where a chain ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EndSaid {
    /// The first node that stays; none where the stream forks or ends.
    pub node: Option<i32>,
    /// Its name.
    pub name: Option<String>,
    /// One word.
    pub word: &'static str,
    /// Why.
    pub why: String,
    /// What would have to change; empty where nothing could.
    pub advice: String,
    /// The reason with its parts.
    pub reason: Reason,
}

/// An operator that stays in the job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stays {
    /// Its node.
    pub node: i32,
    /// Its uid, else its name.
    pub name: String,
}

impl Explanation {
    pub(crate) fn new(
        graph: &Graph,
        movable: &[Movable],
        inputs: &BTreeMap<i32, PlannedInput>,
    ) -> Self {
        let moved: Vec<i32> = inputs
            .values()
            .filter_map(|planned| planned.input.prefix.as_ref())
            .flat_map(|prefix| prefix.nodes.iter().copied())
            .collect();
        let structure = [NodeKind::Partition, NodeKind::Union, NodeKind::SideOutput];
        let stays = graph
            .nodes
            .iter()
            .filter(|node| !moved.contains(&node.id) && !structure.contains(&node.kind));
        Self {
            job: graph.job.name.clone(),
            main_class: graph.job.main_class.clone(),
            flink: graph.flink.clone(),
            sources: movable
                .iter()
                .map(|movable| source_said(graph, movable, inputs.get(&movable.chain.source)))
                .collect(),
            residual: stays.map(|node| Stays { node: node.id, name: name_of(node) }).collect(),
            warnings: graph.warnings.clone(),
        }
    }

    /// The step of an operator of an input, by its place from 0, or of its assigner.
    pub(crate) fn step_mut(
        &mut self,
        input: &InputName,
        operator: Option<usize>,
    ) -> Option<&mut StepSaid> {
        let source = self.sources.iter_mut().find(|source| source.input.as_ref() == Some(input))?;
        source.steps.iter_mut().find(|step| match operator {
            Some(at) => !step.assigner && step.number == at + 1,
            None => step.assigner,
        })
    }

    /// How many operators move, over all inputs.
    #[must_use]
    pub fn operators(&self) -> usize {
        let moves = |source: &SourceSaid| source.steps.iter().filter(|step| !step.assigner).count();
        self.sources.iter().map(moves).sum()
    }

    /// As text for a terminal of that many columns (at least 60).
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        text::text(self, width.max(60))
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("text keys only")
    }

    /// The dataflows of all inputs in Graphviz's language.
    #[must_use]
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// Why a job without an input can't be deployed.
    pub(crate) fn nothing_moves(&self) -> Vec<Problem> {
        let stays = self.sources.iter().map(|source| Problem {
            about: format!("`{}`", source.name),
            what: format!("the source stays in the job: {}", source.end.why),
            help: source.end.advice.clone(),
        });
        let problems: Vec<_> = stays.collect();
        if !problems.is_empty() {
            return problems;
        }
        vec![Problem {
            about: self.job.clone(),
            what: "the job has no source".to_owned(),
            help: String::new(),
        }]
    }
}

fn name_of(node: &Node) -> String {
    called(node).trim_matches('`').to_owned()
}

/// The operator that people mean: a redistribution is that of who reads it.
fn operator_at(graph: &Graph, id: i32) -> &Node {
    let node = graph.node(id);
    let mut readers = graph.readers(id);
    match (node.kind, readers.next(), readers.next()) {
        (NodeKind::Partition, Some(reader), None) => reader,
        _ => node,
    }
}

fn source_said(graph: &Graph, movable: &Movable, planned: Option<&PlannedInput>) -> SourceSaid {
    let chain = &movable.chain;
    let source = graph.node(chain.source);
    let said = source.source.as_ref().expect("the graph was checked");
    let reason = chain.stays.as_ref().unwrap_or(&chain.end.reason).clone();
    let types = planned.map(|planned| {
        let types = planned.shown.iter().zip(&planned.input.types);
        types.map(|(shown, schema)| TypeSaid { shown: shown.clone(), schema: schema.clone() })
    });
    SourceSaid {
        node: source.id,
        name: name_of(source),
        class: said.class.clone(),
        reads: said.reads,
        input: planned.map(|planned| planned.input.name.clone()),
        steps: planned.map(|p| steps_said(graph, &chain.steps, p)).unwrap_or_default(),
        types: types.map(Iterator::collect).unwrap_or_default(),
        end: EndSaid {
            node: chain.end.node,
            name: chain.end.node.map(|node| name_of(operator_at(graph, node))),
            word: reason.word(),
            why: reason.why(),
            advice: reason.advice(),
            reason,
        },
        notes: planned.map(|_| notes_said(graph, movable)).unwrap_or_default(),
        dataflow: planned.map(|planned| Dataflow::transform(planned.input.operators.len())),
    }
}

fn steps_said(graph: &Graph, steps: &[Step], planned: &PlannedInput) -> Vec<StepSaid> {
    let mut said = Vec::new();
    let mut number = 0;
    for step in steps {
        let node = graph.node(step.node);
        match step.role {
            Role::Operator(kind) => {
                let (operator, choice) =
                    (&planned.input.operators[number], &planned.choices[number]);
                number += 1;
                said.push(StepSaid {
                    node: node.id,
                    name: operator.name.clone(),
                    what: kind_of(kind).to_owned(),
                    number,
                    assigner: false,
                    engine: choice.engine,
                    engine_why: choice.why.clone(),
                    does: String::new(),
                    ir: choice.ir.clone(),
                });
            }
            Role::Assigner => {
                let (_, choice) = planned.assigner.as_ref().expect("the assigner moved");
                said.push(StepSaid {
                    node: node.id,
                    name: if node.is_source() { String::new() } else { name_of(node) },
                    what: "watermarks".to_owned(),
                    number,
                    assigner: true,
                    engine: choice.engine,
                    engine_why: choice.why.clone(),
                    does: watermarks_said(node),
                    ir: choice.ir.clone(),
                });
            }
            Role::Source | Role::Reader | Role::Redistribution => {}
        }
    }
    said
}

fn watermarks_said(node: &Node) -> String {
    use crate::graph::WatermarksKind::{Bounded, Custom, Monotonous};
    let Some(watermarks) = &node.watermarks else { return String::new() };
    let mut said = match watermarks.strategy {
        Bounded => format!("{} behind the highest time", span(watermarks.bound_ms.unwrap_or(0))),
        Monotonous => "times ascend".to_owned(),
        Custom => "the job's own generator".to_owned(),
    };
    if let Some(idle_ms) = watermarks.idle_ms {
        said += &format!(", idle after {}", span(idle_ms));
    }
    said
}

/// Milliseconds in the largest unit that says them exactly.
fn span(ms: i64) -> String {
    let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    let exact = units.iter().find(|(size, _)| ms != 0 && ms % size == 0);
    exact.map_or_else(|| format!("{ms} ms"), |(size, unit)| format!("{} {unit}", ms / size))
}

const fn kind_of(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Map => "map",
        FunctionKind::FlatMap => "flat map",
        FunctionKind::Filter => "filter",
        FunctionKind::Process => "process",
        FunctionKind::Project => "project",
        FunctionKind::Schema => "schema",
        FunctionKind::Assigner => "watermarks",
    }
}

fn notes_said(graph: &Graph, movable: &Movable) -> Vec<String> {
    let said = movable.notes.iter().map(|(node, note)| {
        let node = graph.node(*node);
        format!("{} {}", called(node), note.text())
    });
    let mut notes: Vec<_> = said.collect();
    notes.dedup();
    notes
}
