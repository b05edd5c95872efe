//! From a jar to a plan: the job is captured, then planned.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};
use sluice_engine::deployed::Jvm;
use sluice_engine::jvm::Sidecar;
use sluice_model::{Artifact, DeployedQuery, QueryId};
use sluice_planner::explain::SourceSaid;
use sluice_planner::graph::Reads;
use sluice_planner::{Capture, Explanation, Jar, JobFiles, Options, Planned, Problem};

use crate::tools::Tools;

const CAPTURE: &str = "dev.sluice.capture.CaptureMain";
const HEAP_MB: u32 = 512;

/// A job as its user has it.
#[derive(Debug, Clone)]
pub struct Job {
    /// The jar.
    pub jar: PathBuf,
    /// The class with `main`; none where the jar's manifest names it.
    pub main: Option<String>,
    /// Arguments of `main`.
    pub args: Vec<String>,
}

/// A job and what the planner made of it.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The jar.
    pub jar: PathBuf,
    /// The captured job, as a file.
    pub capture: PathBuf,
    /// Arguments of `main`.
    pub args: Vec<String>,
    /// How many sources the job has.
    pub sources: usize,
    /// Those that stay in the job.
    pub staying: Vec<Staying>,
    /// The plan.
    pub query: DeployedQuery,
    /// Why it is so.
    pub explanation: Explanation,
}

impl Prepared {
    /// What the planner made of a capture.
    #[must_use]
    pub fn new(
        jar: PathBuf,
        capture_file: PathBuf,
        args: Vec<String>,
        capture: &Capture,
        planned: Planned,
    ) -> Self {
        let Planned { query, explanation } = planned;
        let (sources, staying) = (explanation.sources.len(), staying(capture, &explanation));
        Self { jar, capture: capture_file, args, sources, staying, query, explanation }
    }

    /// The class with `main`.
    #[must_use]
    pub fn main(&self) -> &str {
        &self.explanation.main_class
    }
}

impl Prepared {
    /// The engine of the job's own functions.
    ///
    /// # Errors
    /// When the plan has no job.
    pub fn jvm(&self, sidecar: &Sidecar) -> Result<Jvm> {
        let job = self.query.job.as_ref().context("a plan without a job")?;
        let (sidecar, flink) = (sidecar.clone(), job.flink.clone());
        Ok(Jvm { sidecar, jar: self.jar.clone(), capture: self.capture.clone(), flink })
    }
}

/// A source that stays in the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staying {
    /// Its node in the captured graph.
    pub node: i32,
    /// Its uid, else its name.
    pub name: String,
    /// What it reads.
    pub reads: Reads,
    /// Whether it ends by itself.
    pub bounded: bool,
}

/// Why there is no plan of a job.
#[derive(Debug)]
pub enum Refused {
    /// The job could not be captured; the exit code of the capture, and what it said.
    Capture(u8, String),
    /// The planner's problems.
    Plan(Vec<Problem>),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Capture(_, said) => f.write_str(said),
            Self::Plan(problems) => {
                let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

/// Captures a job into the file `capture` and plans it.
///
/// # Errors
/// When a tool can't be run; a job that can't be split is [`Refused`].
pub fn prepare(tools: &Tools, job: &Job, capture: &Path) -> Result<Result<Prepared, Refused>> {
    let mut java = tools.flink(CAPTURE, HEAP_MB);
    java.arg("--jar").arg(&job.jar).arg("--out").arg(capture);
    if let Some(main) = &job.main {
        java.args(["--main", main]);
    }
    java.arg("--").args(&job.args).stdin(Stdio::null());
    let output = java.output().with_context(|| format!("can't start {}", tools.java.display()))?;
    if !output.status.success() {
        let code = output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(70);
        let said = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        return Ok(Err(Refused::Capture(code, said)));
    }
    let captured = read(capture)?;
    let graph = Capture::read(&captured)?;
    let classes = Jar::read(read(&job.jar)?)?;
    // Nothing is deployed: neither the query's name nor the digests matter.
    let options = Options::new(QueryId::new("check")?);
    let files = JobFiles { jar: artifact(&job.jar)?, capture: artifact(capture)? };
    let planned = match sluice_planner::plan(&graph, &classes, &options, files) {
        Ok(planned) => planned,
        Err(problems) => return Ok(Err(Refused::Plan(problems))),
    };
    let (jar, capture) = (job.jar.clone(), capture.to_owned());
    Ok(Ok(Prepared::new(jar, capture, job.args.clone(), &graph, planned)))
}

fn staying(capture: &Capture, explanation: &Explanation) -> Vec<Staying> {
    let bounded = |node: i32| {
        let source = capture.graph().node(node).source.as_ref();
        source.is_some_and(|source| source.bounded)
    };
    let of = |source: &SourceSaid| Staying {
        node: source.node,
        name: source.name.clone(),
        reads: source.reads,
        bounded: bounded(source.node),
    };
    explanation.sources.iter().filter(|source| source.input.is_none()).map(of).collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("can't read {}", path.display()))
}

fn artifact(path: &Path) -> Result<Artifact> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Artifact { name, digest: String::new(), bytes: i64::try_from(fs::metadata(path)?.len())? })
}
