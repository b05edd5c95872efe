//! Stage 8, plan: the inputs of a deployed query.

use std::collections::BTreeMap;

use sluice_model::{
    Assigner, DeployedQuery, Function, FunctionKind, Input, InputName, Job, Operator, Order, Prefix,
};
use sluice_wire::Type;

use crate::capture::Capture;
use crate::chains::Role;
use crate::engines::{Choice, Refusal, Translate};
use crate::graph::{Graph, JavaType, Node, NodeKind, Reads, WatermarksKind};
use crate::movable::Movable;
use crate::names::Names;
use crate::options::{JobFiles, Options, Problem, called};
use crate::types::{avro_schema, is_opaque};

/// The plan of one input, and why it is so.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedInput {
    /// What is deployed.
    pub input: Input,
    /// The node of each operator.
    pub nodes: Vec<i32>,
    /// The engine of each operator, and why.
    pub choices: Vec<Choice>,
    /// The same of the assigner.
    pub assigner: Option<(i32, Choice)>,
    /// T(0)..T(N), for people.
    pub shown: Vec<String>,
}

/// The plan of one input whose source leaves the job.
#[must_use]
pub fn plan_input(
    graph: &Graph,
    options: &Options,
    translate: &dyn Translate,
    movable: &Movable,
    name: InputName,
) -> PlannedInput {
    let source = graph.node(movable.chain.source);
    let mut builder = Builder {
        translate,
        names: Names::default(),
        opaque: false,
        planned: begin(source, options, name),
    };
    for step in &movable.chain.steps {
        let node = graph.node(step.node);
        match step.role {
            Role::Operator(kind) => builder.operator(node, kind),
            Role::Assigner => builder.assigner(node),
            Role::Source | Role::Reader | Role::Redistribution => {}
        }
    }
    let mut planned = builder.planned;
    let mut nodes: Vec<i32> = movable.chain.steps.iter().map(|step| step.node).collect();
    nodes.dedup();
    let boundary = nodes.last().copied().unwrap_or(source.id);
    planned.input.prefix = Some(Prefix { source: source.id, nodes, boundary });
    planned
}

/// An input with nothing but its source.
fn begin(source: &Node, options: &Options, name: InputName) -> PlannedInput {
    let reads = source.source.as_ref().map(|source| source.reads);
    let bytes = matches!(reads, Some(Reads::Bytes | Reads::Schema));
    let (schema, shown) = if bytes { (r#""bytes""#, "bytes") } else { (r#""string""#, "text") };
    let input = Input {
        name,
        partitions: options.partitions,
        order: options.order,
        types: vec![schema.to_owned()],
        frame_schema_ids: Vec::new(),
        operators: Vec::new(),
        assigner: None,
        java_types: vec![String::new()],
        prefix: None,
        ..defaults()
    };
    PlannedInput {
        input,
        nodes: Vec::new(),
        choices: Vec::new(),
        assigner: None,
        shown: vec![shown.to_owned()],
    }
}

/// An input with the default of every setting, as the model gives them.
fn defaults() -> Input {
    let least = r#"{"name":"x","partitions":1,"types":[],"operators":[],"assigner":null}"#;
    serde_json::from_str(least).expect("the least that an input must say")
}

struct Builder<'a> {
    translate: &'a dyn Translate,
    names: Names,
    planned: PlannedInput,
    /// Whether only Flink's own serializer can read the events so far.
    opaque: bool,
}

impl Builder<'_> {
    fn operator(&mut self, node: &Node, kind: FunctionKind) {
        let output = node.output.as_ref().expect("a chain has types");
        let schema = avro_schema(output);
        let name = match kind {
            FunctionKind::Schema => "schema".to_owned(),
            _ => node.name.clone(),
        };
        let name = self.names.unique(&name, "operator");
        let choice = Choice::of(self.translated(node, kind, output));
        let constants = choice.constants(node.function.as_ref());
        self.opaque = is_opaque(output);
        let input = &mut self.planned.input;
        input.operators.push(Operator {
            name,
            engine: choice.engine,
            ir: choice.ir.clone(),
            function: Some(Function { kind, node: node.id }),
            constants,
            constants_file: None,
            refusal: choice.refusal.to_owned(),
        });
        input.types.push(schema);
        input.java_types.push(node.type_entry());
        self.planned.nodes.push(node.id);
        self.planned.choices.push(choice);
        self.planned.shown.push(output.short());
    }

    fn translated(
        &self,
        node: &Node,
        kind: FunctionKind,
        output: &JavaType,
    ) -> Result<String, Refusal> {
        let function = node.function.as_ref();
        let function = function.ok_or_else(|| Refusal::new("code", "it has no function object"))?;
        if self.opaque || is_opaque(output) {
            return Err(opaque());
        }
        self.translate.operator(kind, function, &self.input_type()?, &parsed(&avro_schema(output))?)
    }

    /// The type of the events so far.
    fn input_type(&self) -> Result<Type, Refusal> {
        parsed(self.planned.input.types.last().expect("T(0) is there"))
    }

    fn assigner(&mut self, node: &Node) {
        let watermarks = node.watermarks.as_ref().expect("an assigner has a strategy");
        let custom = watermarks.strategy == WatermarksKind::Custom;
        let function = watermarks.timestamp_function().filter(|_| !custom);
        let choice = Choice::of(match function {
            Some(_) if self.opaque => Err(opaque()),
            Some(function) => {
                self.input_type().and_then(|ty| self.translate.timestamps(function, &ty))
            }
            None => Err(Refusal::new("generator", "the watermark generator is the job's own")),
        });
        let input = &mut self.planned.input;
        input.assigner = Some(Assigner {
            after: input.operator_count(),
            bound_ms: watermarks.bound_ms.unwrap_or(0),
            ir: choice.ir.clone(),
            function: Some(Function { kind: FunctionKind::Assigner, node: node.id }),
            constants: choice.constants(function),
            constants_file: None,
            refusal: choice.refusal.to_owned(),
        });
        if let Some(idle_ms) = watermarks.idle_ms {
            input.idle_after_ms = idle_ms;
        }
        self.planned.assigner = Some((node.id, choice));
    }
}

fn opaque() -> Refusal {
    Refusal::new("type", "only Flink's own serializer can read its type")
}

fn parsed(schema: &str) -> Result<Type, Refusal> {
    schema.parse().map_err(|error| Refusal::new("type", format!("its type: {error}")))
}

/// Puts the query together and checks it.
///
/// # Errors
/// All that does not fit together.
pub fn deployed(
    capture: &Capture,
    options: &Options,
    inputs: &BTreeMap<i32, PlannedInput>,
    files: JobFiles,
) -> Result<DeployedQuery, Vec<Problem>> {
    let graph = capture.graph();
    let query = DeployedQuery {
        query: options.query.clone(),
        version: options.version,
        digest: String::new(),
        inputs: inputs.values().map(|planned| planned.input.clone()).collect(),
        schema_ids: BTreeMap::new(),
        job: Some(Job {
            main_class: graph.job.main_class.clone(),
            args: graph.job.args.clone(),
            flink: graph.flink.clone(),
            graph_digest: graph.digest.clone(),
            jar: files.jar,
            capture: files.capture,
        }),
        older: Vec::new(),
    };
    let mut problems = Vec::new();
    for (&source, planned) in inputs {
        let assigns_later = planned.input.assigner.is_none() && assigner_behind(graph, source);
        if options.order == Order::EventTime && assigns_later {
            problems.push(Problem {
                about: called(graph.node(source)),
                what: "its event time is assigned in the residual job, which needs source order"
                    .to_owned(),
                help: "use `order: source`".to_owned(),
            });
        }
    }
    if !query.inputs.is_empty() {
        let unfit = query.problems().into_iter();
        problems.extend(unfit.map(|problem| Problem {
            about: problem.input,
            what: problem.what,
            help: String::new(),
        }));
    }
    if problems.is_empty() { Ok(query) } else { Err(problems) }
}

/// Whether a watermark assigner stands somewhere behind a node.
fn assigner_behind(graph: &Graph, from: i32) -> bool {
    let mut seen = vec![from];
    let mut at = 0;
    while let Some(&node) = seen.get(at) {
        at += 1;
        for reader in graph.readers(node) {
            if reader.kind == NodeKind::Timestamps {
                return true;
            }
            if !seen.contains(&reader.id) {
                seen.push(reader.id);
            }
        }
    }
    false
}
