//! Which engine executes the job's functions: translated ones are compared with the user's own before anything is deployed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use sluice_check::events::Event;
use sluice_engine::deployed::{self, Jvm};
use sluice_engine::jvm::{Options, Sidecar};
use sluice_gate::{Limits, apply, judge, lines};
use sluice_model::{DeployedQuery, Engine, InputName};
use sluice_planner::{JobFiles, NoTranslator, Planned, Refusal, Translate, plan_with};
use sluice_runtime::exit::Failure;
use sluice_translator::{EngineLibrary, Translator};

use crate::job::{Job, not_planned};

/// The heap of the JVM that functions are compared in, MiB.
const HEAP_MB: u32 = 256;
/// How long that JVM may take for a frame.
const FRAME_DEADLINE: Duration = Duration::from_secs(10);
/// What is made up is the same each time, and so is the plan.
const SEED: u64 = 1;
/// Why a function that was translated runs in a JVM.
const NOT_COMPARED: &str =
    "translated, but not compared with the JVM: say where sluice-host.jar is, with --host";

/// What may execute functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engines {
    /// Rust where a function is translated and was found equal to the user's own, else a JVM.
    Auto,
    /// A JVM.
    Jvm,
}

/// Options of commands that plan a job.
#[derive(Debug, Clone, Args)]
pub struct EngineOptions {
    /// What may execute the job's functions.
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: Engines,
    /// What runs the job's own functions, `sluice-host.jar`: without it nothing can be compared.
    #[arg(long, env = "SLUICE_HOST_JAR", value_name = "JAR")]
    pub host: Option<PathBuf>,
    /// How long a translated function is compared with the user's own, seconds.
    #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub gate_seconds: u64,
    /// Lines for a source, an event each; a job with several sources takes one for each, by the name of its input.
    #[arg(long = "sample", value_name = "[SOURCE=]FILE", value_parser = sample)]
    pub samples: Vec<(String, PathBuf)>,
}

/// The name is empty where there is none.
fn sample(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        Some(_) => Err("must be FILE or SOURCE=FILE".to_owned()),
        None => Ok((String::new(), text.into())),
    }
}

impl EngineOptions {
    /// What translates functions.
    #[must_use]
    pub fn translator<'a>(&self, job: &'a Job) -> Box<dyn Translate + 'a> {
        let main_class = &job.capture.graph().job.main_class;
        match self.engine {
            Engines::Auto => Box::new(Translator::new(&*job.classes, main_class, &EngineLibrary)),
            Engines::Jvm => Box::new(NoTranslator),
        }
    }

    /// The files of samples, by the name of an input; of the only source under no name.
    ///
    /// # Errors
    /// One that can't be read, or two for one source (exit code 64).
    pub fn samples(&self) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut samples = BTreeMap::new();
        for (name, file) in &self.samples {
            let bytes = fs::read(file)
                .map_err(|error| Failure::usage(format!("--sample {}: {error}", file.display())))?;
            if samples.insert(name.clone(), bytes).is_some() {
                let named = if name.is_empty() { "the only source" } else { name };
                return Err(Failure::usage(format!("two samples for {named}")));
            }
        }
        Ok(samples)
    }

    /// Plans a job; a function is native only where it was found equal to the user's own. `java` is the program.
    ///
    /// # Errors
    /// The planner's problems (exit code 64), or a comparison that could not be made.
    pub fn plan(
        &self,
        job: &Job,
        java: &Path,
        options: &sluice_planner::Options,
        (files, places): (JobFiles, &[PathBuf; 2]),
    ) -> Result<Planned> {
        let translator = self.translator(job);
        let planned = plan_with(&job.capture, &*job.classes, options, files, &*translator);
        let mut planned = planned.map_err(|problems| not_planned(&problems))?;
        if natives(&planned.query).next().is_none() {
            return Ok(planned);
        }
        match &self.host {
            Some(host) => {
                let sidecar = sidecar(host, java, job.scratch())?;
                let [jar, capture] = places.clone();
                let flink = job.capture.graph().flink.clone();
                let jvm = Jvm { sidecar, jar, capture, flink };
                let limits =
                    Limits { time: Duration::from_secs(self.gate_seconds), ..Limits::default() };
                let samples = events(&planned.query, &self.samples()?)?;
                let judged = judge(&planned.query, &jvm, &samples, &limits, SEED)?;
                apply(&mut planned, &judged);
            }
            None => refuse_all(&mut planned),
        }
        Ok(planned)
    }
}

/// The native functions of a plan: the input's name, and the place of the operator; none for the assigner.
fn natives(query: &DeployedQuery) -> impl Iterator<Item = (&InputName, Option<usize>)> {
    query.inputs.iter().flat_map(|input| {
        let operators = input.operators.iter().enumerate();
        let operators = operators.filter(|(_, operator)| operator.engine == Engine::Native);
        let assigner = input.assigner.iter().filter(|assigner| !assigner.ir.is_empty());
        let places = operators.map(|(at, _)| Some(at)).chain(assigner.map(|_| None));
        places.map(|place| (&input.name, place))
    })
}

fn refuse_all(planned: &mut Planned) {
    let refusal = Refusal::new("not_compared", NOT_COMPARED);
    let natives: Vec<_> =
        natives(&planned.query).map(|(input, place)| (input.clone(), place)).collect();
    for (input, place) in natives {
        planned.refuse(&input, place, &refusal);
    }
}

fn sidecar(host: &Path, java: &Path, scratch: &Path) -> Result<Sidecar> {
    if !host.is_file() {
        return Err(Failure::usage(format!("--host {}: no such file", host.display())));
    }
    let socket_dir = scratch.join("host");
    fs::create_dir_all(&socket_dir).context("no temporary folder")?;
    let options = Options {
        java: java.to_owned(),
        host: host.to_owned(),
        heap_mb: HEAP_MB,
        deadline: FRAME_DEADLINE,
        socket_dir,
    };
    Ok(Sidecar::new(options, |_| ()))
}

/// The events of sources by input; a sample without a name is of the only input.
fn events(
    query: &DeployedQuery,
    samples: &BTreeMap<String, Vec<u8>>,
) -> Result<BTreeMap<String, Vec<Event>>> {
    let only = samples.get("").filter(|_| query.inputs.len() == 1);
    let mut events = BTreeMap::new();
    for input in &query.inputs {
        let name = input.name.as_str();
        if let Some(file) = samples.get(name).or(only) {
            let types = deployed::types(input)?;
            let first = types.first().context("an input without types")?;
            events.insert(name.to_owned(), lines::events(file, first));
        }
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_may_be_named() {
        assert_eq!(sample("a.csv").unwrap(), (String::new(), "a.csv".into()));
        assert_eq!(sample("lines=a=b.csv").unwrap(), ("lines".to_owned(), "a=b.csv".into()));
        assert!(sample("=a").is_err() && sample("lines=").is_err());
    }

    #[test]
    fn a_sample_without_a_name_is_of_the_only_input() {
        let query = |inputs: &[&str]| -> DeployedQuery {
            let inputs: Vec<_> = inputs
                .iter()
                .map(|name| {
                    serde_json::json!({"name": name, "partitions": 1, "types": ["\"string\""],
                        "operators": [], "assigner": null})
                })
                .collect();
            let query = serde_json::json!({"query": "q1", "version": 1, "inputs": inputs});
            serde_json::from_value(query).unwrap()
        };
        let unnamed = BTreeMap::from([(String::new(), b"a\nb".to_vec())]);
        assert_eq!(events(&query(&["x"]), &unnamed).unwrap()["x"].len(), 2);
        assert!(events(&query(&["x", "y"]), &unnamed).unwrap().is_empty());
        let named = BTreeMap::from([("y".to_owned(), b"a".to_vec())]);
        assert_eq!(events(&query(&["x", "y"]), &named).unwrap().len(), 1);
    }
}
