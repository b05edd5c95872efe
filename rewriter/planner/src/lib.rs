//! From a captured Flink job to a split query: no JVM, no file, no clock; every decision of the rewriter is made here.
//!
//! | stage | from | to |
//! |---|---|---|
//! | [`capture`], [`graph`] | bytes of a capture (docs/graph.md) | [`Graph`], typed and checked |
//! | [`chains`] | the graph | per source a [`Chain`](chains::Chain): what may move, where it ends and why |
//! | [`effects`] | class files | [`Effects`](effects::Effects) of each function: hidden state, I/O, clocks |
//! | [`movable`] | chains and effects | [`Movable`](movable::Movable): the chains, cut |
//! | [`types`] | Flink's types | Avro schemas of T(0)..T(N) |
//! | [`engines`] | functions and types | native or jvm, and why |
//! | [`dataflow`] | N | [`Dataflow`](dataflow::Dataflow): choice points and replicas, by the paper's Algorithm 1 |
//! | [`mod@plan`], [`explain()`] | all of them | the [`DeployedQuery`], and the [`Explanation`] for people |
//!
//! What is not known for certain stays in the job.

pub mod archive;
pub mod capture;
pub mod chains;
pub mod dataflow;
pub mod effects;
pub mod engines;
pub mod explain;
pub mod graph;
pub mod jar;
pub mod movable;
pub mod names;
pub mod options;
pub mod plan;
pub mod reason;
pub mod types;

use std::collections::BTreeMap;

use sluice_model::{DeployedQuery, Engine, InputName};

pub use capture::{Capture, CaptureError};
pub use engines::{NoTranslator, Refusal, Translate};
pub use explain::Explanation;
pub use graph::Graph;
pub use jar::{Classes, Jar};
pub use options::{JobFiles, Options, Problem};

/// A job that can be split.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What is deployed, without registry ids and digest.
    pub query: DeployedQuery,
    /// Why it is so.
    pub explanation: Explanation,
}

impl Planned {
    /// Sends a native operator, by its place from 0, or the assigner of an input to the JVM after all.
    pub fn refuse(&mut self, input: &InputName, operator: Option<usize>, refusal: &Refusal) {
        for planned in self.query.inputs.iter_mut().filter(|planned| planned.name == *input) {
            match (operator, &mut planned.assigner) {
                (Some(at), _) => {
                    let Some(operator) = planned.operators.get_mut(at) else { continue };
                    operator.engine = Engine::Jvm;
                    operator.ir.clear();
                    operator.constants.clear();
                    refusal.kind.clone_into(&mut operator.refusal);
                }
                (None, Some(assigner)) => {
                    assigner.ir.clear();
                    assigner.constants.clear();
                    refusal.kind.clone_into(&mut assigner.refusal);
                }
                (None, None) => {}
            }
        }
        if let Some(step) = self.explanation.step_mut(input, operator) {
            step.engine = Engine::Jvm;
            refusal.text.clone_into(&mut step.engine_why);
        }
    }

    /// Says more about why an operator or the assigner is native.
    pub fn confirm(&mut self, input: &InputName, operator: Option<usize>, how: &str) {
        if let Some(step) = self.explanation.step_mut(input, operator) {
            step.engine_why = format!("{}, {how}", step.engine_why);
        }
    }
}

/// Plans a captured job, with every function in a JVM.
///
/// # Errors
/// All problems at once: options that name nothing, no source that can leave the job, parts that do not fit together.
pub fn plan(
    capture: &Capture,
    classes: &dyn Classes,
    options: &Options,
    files: JobFiles,
) -> Result<Planned, Vec<Problem>> {
    plan_with(capture, classes, options, files, &NoTranslator)
}

/// Plans a captured job, with the functions that `translate` takes executed natively.
///
/// # Errors
/// As [`plan()`].
pub fn plan_with(
    capture: &Capture,
    classes: &dyn Classes,
    options: &Options,
    files: JobFiles,
    translate: &dyn Translate,
) -> Result<Planned, Vec<Problem>> {
    let Decided { inputs, explanation } = decide(capture, classes, options, translate)?;
    let query = plan::deployed(capture, options, &inputs, files)?;
    if query.inputs.is_empty() {
        return Err(explanation.nothing_moves());
    }
    Ok(Planned { query, explanation })
}

/// What would move and why, also of a job in which nothing can.
///
/// # Errors
/// Options that name nothing.
pub fn explain(
    capture: &Capture,
    classes: &dyn Classes,
    options: &Options,
    translate: &dyn Translate,
) -> Result<Explanation, Vec<Problem>> {
    Ok(decide(capture, classes, options, translate)?.explanation)
}

struct Decided {
    /// By source.
    inputs: BTreeMap<i32, plan::PlannedInput>,
    explanation: Explanation,
}

fn decide(
    capture: &Capture,
    classes: &dyn Classes,
    options: &Options,
    translate: &dyn Translate,
) -> Result<Decided, Vec<Problem>> {
    let graph = capture.graph();
    let problems = options.problems(graph);
    if !problems.is_empty() {
        return Err(problems);
    }
    let analyst = effects::Analyst::new(classes, &graph.job.main_class);
    let chains = chains::chains(graph, options).into_iter();
    let movable: Vec<_> =
        chains.map(|chain| movable::movable(capture, &analyst, options, chain)).collect();
    let leaving = movable.iter().filter(|movable| movable.chain.stays.is_none());
    let sources: Vec<_> = leaving.clone().map(|m| graph.node(m.chain.source)).collect();
    let mut names = names::input_names(&sources, options);
    let inputs = leaving.map(|movable| {
        let name = names.remove(&movable.chain.source).expect("every such source got a name");
        (movable.chain.source, plan::plan_input(graph, options, translate, movable, name))
    });
    let inputs: BTreeMap<_, _> = inputs.collect();
    let explanation = Explanation::new(graph, &movable, &inputs);
    Ok(Decided { inputs, explanation })
}
