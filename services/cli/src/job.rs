//! The user's job: captured from its jar, or a capture that is there already, and planned.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result};
use clap::Args;
use sluice_model::{InputName, Order, QueryId};
use sluice_planner::{Capture, Classes, Jar, JobFiles, Problem};
use sluice_runtime::exit::{self, Failure};
use tempfile::TempDir;

use crate::artifacts;
use crate::java::Java;

/// The program that captures a job.
const CAPTURE_MAIN: &str = "dev.sluice.capture.CaptureMain";

/// Which job.
#[derive(Debug, Args)]
pub struct JobOptions {
    /// The job's jar, as its user built it.
    pub jar: Option<PathBuf>,
    /// The class whose `main` builds the job; the jar's manifest names it unless given.
    #[arg(long, value_name = "CLASS")]
    pub main: Option<String>,
    /// A capture that was made before, in the place of running the job's `main`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["main", "args"])]
    pub capture: Option<PathBuf>,
    /// Arguments of the job's `main`, behind `--`. `${NAME}` stands for a variable of the environment: the plan holds the
    /// name, not the value.
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
    /// What runs the job's `main`.
    #[command(flatten)]
    pub java: Java,
}

/// How it is split.
#[derive(Debug, Args)]
pub struct SplitOptions {
    /// Partitions of each topic of an input; devices beyond that share them.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(i32).range(1..))]
    pub partitions: i32,
    /// The order in which the rest of the job sees a device's events: `source`, or `event-time` as they come.
    #[arg(long, default_value = "source", value_parser = order)]
    pub order: Order,
    /// Name an input, by the source's uid or name; may be given several times.
    #[arg(long = "input", value_name = "NAME=SOURCE", value_parser = input)]
    pub inputs: Vec<(InputName, String)>,
    /// Leave a source in the job, by uid or name; may be given several times.
    #[arg(long, value_name = "SOURCE")]
    pub keep_source: Vec<String>,
    /// Leave an operator and what stands behind it in the job, by uid or name; may be given several times.
    #[arg(long, value_name = "OPERATOR")]
    pub keep: Vec<String>,
    /// Move an operator whose code can't be judged: it depends on its event only, and changes nothing; may be given several
    /// times.
    #[arg(long, value_name = "OPERATOR")]
    pub trust: Vec<String>,
}

impl SplitOptions {
    /// The planner's options for a version of a query.
    pub fn of(&self, query: &QueryId, version: i32) -> sluice_planner::Options {
        let names = self.inputs.iter().map(|(name, source)| (source.clone(), name.clone()));
        sluice_planner::Options {
            query: query.clone(),
            version,
            partitions: self.partitions,
            order: self.order,
            keep_sources: self.keep_source.clone(),
            input_names: names.collect(),
            pins: self.keep.clone(),
            trust: self.trust.clone(),
        }
    }
}

fn order(text: &str) -> Result<Order, String> {
    match text {
        "source" => Ok(Order::Source),
        "event-time" => Ok(Order::EventTime),
        _ => Err("use `source` or `event-time`".to_owned()),
    }
}

fn input(text: &str) -> Result<(InputName, String), String> {
    let (name, source) = text.split_once('=').ok_or("must be NAME=SOURCE")?;
    Ok((InputName::new(name).map_err(|error| error.to_string())?, source.to_owned()))
}

/// A captured job.
pub struct Job {
    /// What the planner reads.
    pub capture: Capture,
    /// The user's classes; none of them where no jar was given.
    pub classes: Box<dyn Classes>,
    /// The user's jar, where one was given.
    jar: Option<PathBuf>,
    /// The capture.
    file: PathBuf,
    /// Holds the capture, where it was made here.
    scratch: TempDir,
}

impl Job {
    /// Captures the job, unless a capture is given.
    ///
    /// # Errors
    /// With the exit code of the capture, which says on standard error what was wrong; or what can't be read (64).
    pub fn load(options: &JobOptions) -> Result<Self> {
        let scratch = tempfile::tempdir().context("no temporary folder")?;
        let file = match (&options.capture, &options.jar) {
            (Some(capture), _) => capture.clone(),
            (None, Some(jar)) => {
                let file = scratch.path().join("capture.zip");
                run_capture(options, jar, &file, scratch.path())?;
                file
            }
            (None, None) => return Err(Failure::usage("give the job's jar, or --capture FILE")),
        };
        let unreadable = |file: &Path, why: &dyn std::fmt::Display| {
            Failure::usage(format!("{}: {why}", file.display()))
        };
        let bytes = fs::read(&file).map_err(|error| unreadable(&file, &error))?;
        let capture = Capture::read(&bytes).map_err(|error| unreadable(&file, &error))?;
        let classes: Box<dyn Classes> = match &options.jar {
            Some(jar) => {
                let bytes = fs::read(jar).map_err(|error| unreadable(jar, &error))?;
                Box::new(Jar::read(bytes).map_err(|error| unreadable(jar, &error))?)
            }
            None => Box::new(NoClasses),
        };
        Ok(Self { capture, classes, jar: options.jar.clone(), file, scratch })
    }

    /// A folder that lasts as long as the job.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// The files that services fetch, with where they are now.
    ///
    /// # Errors
    /// No jar given (exit code 64), or one that can't be read.
    pub fn files(&self) -> Result<(JobFiles, [PathBuf; 2])> {
        let jar = self.jar.as_ref().ok_or_else(|| Failure::usage("give the job's jar too"))?;
        let name = jar.file_name().unwrap_or(jar.as_os_str()).to_string_lossy();
        let files = JobFiles {
            jar: artifacts::of_file(jar, &name)?,
            capture: artifacts::of_file(&self.file, "capture.zip")?,
        };
        Ok((files, [jar.clone(), self.file.clone()]))
    }
}

/// What is known of the classes where no jar is given.
#[derive(Debug)]
struct NoClasses;

impl Classes for NoClasses {
    fn class(&self, _: &str) -> Option<&[u8]> {
        None
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// The planner's problems as one error (exit code 64).
pub fn not_planned(problems: &[Problem]) -> anyhow::Error {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Failure::usage(lines.join("\n"))
}

fn run_capture(options: &JobOptions, jar: &Path, to: &Path, scratch: &Path) -> Result<()> {
    if !jar.is_file() {
        return Err(Failure::usage(format!("{}: no such file", jar.display())));
    }
    let java = &options.java;
    let mut command = java.command(CAPTURE_MAIN, &[], scratch)?;
    command.arg("--jar").arg(jar).arg("--out").arg(to);
    if let Some(main) = &options.main {
        command.args(["--main", main]);
    }
    command.arg("--").args(&options.args).stdin(Stdio::null()).stdout(std::io::stderr());
    let status = command
        .status()
        .map_err(|error| Failure::usage(format!("--java {}: {error}", java.java.display())))?;
    if !status.success() {
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        let what = format!("{}: not captured ({status}); its reason stands above", jar.display());
        return Err(Failure::coded(code.unwrap_or(exit::INTERNAL), what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_orders_are_checked() {
        assert_eq!(input("lines=my source").unwrap().1, "my source");
        assert!(input("Lines=x").is_err() && input("lines").is_err());
        assert_eq!(order("event-time"), Ok(Order::EventTime));
        assert!(order("event_time").is_err());
    }

    #[test]
    fn without_jar_or_capture_there_is_no_job() {
        let java = Java { java: "java".into(), flink: None, runtime: None };
        let options = JobOptions { jar: None, main: None, capture: None, args: vec![], java };
        assert_eq!(exit::code_of(&Job::load(&options).err().unwrap()), exit::USAGE);
        let options = JobOptions { jar: Some("no.jar".into()), ..options };
        assert!(Job::load(&options).err().unwrap().to_string().contains("no such file"));
    }
}
