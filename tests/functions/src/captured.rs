//! A captured job, function by function.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use sluice_check::events::Event;
use sluice_check::tools::Tools;
use sluice_engine::deployed::Jvm;
use sluice_engine::jvm::Sidecar;
use sluice_gate::ran::Place;
use sluice_gate::{Limits, Verdict, judge};
use sluice_model::{DeployedQuery, Engine, Function, FunctionKind, Input};
use sluice_planner::graph::{JavaType, Node, OperatorKind, UserFunction};
use sluice_planner::types::{avro_schema, is_opaque};
use sluice_planner::{Capture, Jar, Refusal, Translate};
use sluice_translator::{EngineLibrary, Translator};
use sluice_wire::{Type, TypeError};

const CAPTURE: &str = "dev.sluice.capture.CaptureMain";
const HEAP_MB: u32 = 512;

/// A captured job.
pub struct Captured {
    /// The jar.
    pub jar: PathBuf,
    /// The capture, as a file.
    pub file: PathBuf,
    /// The capture.
    pub capture: Capture,
    /// The jar's classes.
    pub classes: Jar,
}

/// What became of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// It was not translated: why.
    Refused(String),
    /// Equal to the JVM, for as many events.
    Equal(usize),
    /// Not equal: why.
    Unequal(String),
    /// The native engine gave up on an event: why.
    Uncertain(String),
}

/// A function of a job, and the types around it.
pub struct Subject<'a> {
    /// Its node.
    pub node: &'a Node,
    /// What it is.
    pub kind: FunctionKind,
    /// The function.
    pub function: &'a UserFunction,
    /// What it takes.
    pub input: &'a JavaType,
    /// What it gives.
    pub output: &'a JavaType,
    /// The node that it reads.
    from: &'a Node,
}

impl Captured {
    /// Captures the job of a jar; the capture lies in the folder.
    ///
    /// # Errors
    /// When it can't be captured.
    pub fn of_jar(tools: &Tools, jar: &Path, args: &[&str], folder: &Path) -> Result<Self> {
        let file = folder.join("capture.zip");
        let mut java = tools.flink(CAPTURE, HEAP_MB);
        java.arg("--jar").arg(jar).arg("--out").arg(&file);
        if let Some((main, args)) = args.split_first() {
            if !main.is_empty() {
                java.args(["--main", main]);
            }
            java.arg("--").args(args);
        }
        let output = java.stdin(Stdio::null()).output().context("can't start java")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self::read(jar, &file)
    }

    /// A capture that is there.
    ///
    /// # Errors
    /// When it or the jar can't be read.
    pub fn read(jar: &Path, file: &Path) -> Result<Self> {
        let capture = Capture::read(&fs::read(file)?)?;
        let classes = Jar::read(fs::read(jar)?)?;
        Ok(Self { jar: jar.to_owned(), file: file.to_owned(), capture, classes })
    }

    /// The stateless functions of the job, whether they could move or not.
    pub fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        let graph = self.capture.graph();
        graph.nodes.iter().filter_map(|node| {
            let kind = match node.operator? {
                OperatorKind::Map => FunctionKind::Map,
                OperatorKind::FlatMap => FunctionKind::FlatMap,
                OperatorKind::Filter => FunctionKind::Filter,
                OperatorKind::Process => FunctionKind::Process,
                _ => return None,
            };
            let mut from = graph.node(*node.inputs.first()?);
            while from.output.is_none() {
                from = graph.node(*from.inputs.first()?);
            }
            let (input, output) = (from.output.as_ref()?, node.output.as_ref()?);
            let function = node.function.as_ref().filter(|f| f.serialized.is_some())?;
            Some(Subject { node, kind, function, input, output, from })
        })
    }

    /// What translates the job's functions.
    #[must_use]
    pub fn translator(&self) -> Translator<'_> {
        let main_class = &self.capture.graph().job.main_class;
        Translator::new(&self.classes, main_class, &EngineLibrary)
    }

    /// The engine of the job's own functions.
    #[must_use]
    pub fn jvm(&self, sidecar: &Sidecar) -> Jvm {
        Jvm {
            sidecar: sidecar.clone(),
            jar: self.jar.clone(),
            capture: self.file.clone(),
            flink: self.capture.graph().flink.clone(),
        }
    }

    /// Translates each function and judges what is translated, over events that are made up. By the names of the nodes.
    ///
    /// # Errors
    /// When the judge fails.
    pub fn judge(
        &self,
        translate: &dyn Translate,
        sidecar: &Sidecar,
        limits: &Limits,
        seed: u64,
    ) -> Result<Vec<(String, Said)>> {
        let mut said = Vec::new();
        let mut inputs = Vec::new();
        let mut names = Vec::new();
        for subject in self.subjects() {
            match subject.translated(translate) {
                Ok(ir) => {
                    inputs.push(subject.alone(&ir)?);
                    names.push(subject.node.name.clone());
                }
                Err(refusal) => {
                    said.push((
                        subject.node.name.clone(),
                        Said::Refused(format!("{}: {}", refusal.kind, refusal.text)),
                    ));
                }
            }
        }
        let samples: BTreeMap<String, Vec<Event>> = BTreeMap::new();
        let judged = judge(&query(inputs)?, &self.jvm(sidecar), &samples, limits, seed)?;
        for (name, judged) in names.into_iter().zip(judged) {
            assert_eq!(judged.place, Place::Operator(0), "each input has one operator");
            said.push((
                name,
                match judged.verdict {
                    Verdict::Equal { events } => Said::Equal(events),
                    Verdict::Unequal { why } => Said::Unequal(why),
                    Verdict::Uncertain { why } => Said::Uncertain(why),
                },
            ));
        }
        Ok(said)
    }
}

impl Subject<'_> {
    /// The function in the textual IR.
    ///
    /// # Errors
    /// The translator's refusal.
    pub fn translated(&self, translate: &dyn Translate) -> Result<String, Refusal> {
        let parsed = |ty: &JavaType| {
            if is_opaque(ty) {
                return Err(Refusal::new("type", "only Flink's own serializer can read it"));
            }
            let parsed: Result<Type, TypeError> = avro_schema(ty).parse();
            parsed.map_err(|error| Refusal::new("type", error.to_string()))
        };
        translate.operator(self.kind, self.function, &parsed(self.input)?, &parsed(self.output)?)
    }

    /// An input with this operator and nothing else.
    fn alone(&self, ir: &str) -> Result<Input> {
        let named = ir.lines().any(|line| line.trim_start().starts_with("constant "));
        let constants = if named { self.function.constants.as_str() } else { "" };
        let operator = json!({
            "name": self.node.name, "engine": Engine::Native, "ir": ir, "constants": constants,
            "function": Function { kind: self.kind, node: self.node.id },
        });
        let input = json!({
            "name": format!("node-{}", self.node.id), "partitions": 1, "assigner": null, "operators": [operator],
            "types": [avro_schema(self.input), avro_schema(self.output)],
            "java_types": [self.from.type_entry(), self.node.type_entry()],
        });
        Ok(serde_json::from_value(input)?)
    }
}

fn query(inputs: Vec<Input>) -> Result<DeployedQuery> {
    let query = json!({"query": "functions", "version": 1, "inputs": inputs});
    Ok(serde_json::from_value(query)?)
}
