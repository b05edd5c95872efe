//! Local runs of Flink: one JVM, one run after another (`dev.sluice.residual.LocalRun`).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::tools::Tools;

const MAIN: &str = "dev.sluice.residual.LocalRun";
const HEAP_MB: u32 = 768;

/// Which part of a job runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The whole job; the files have what its sources read.
    Unsplit,
    /// What stays of it; the files have what comes out of the prefixes.
    Split,
    /// The prefixes alone.
    Prefix,
}

/// A run to make.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// The job.
    pub jar: PathBuf,
    /// Its class with `main`.
    pub main: String,
    /// Arguments of `main`.
    pub args: Vec<String>,
    /// The plan, as a file of JSON.
    pub plan: PathBuf,
    /// What runs.
    pub mode: Mode,
    /// Files of events by input.
    pub inputs: BTreeMap<String, PathBuf>,
    /// Where records go.
    pub out: PathBuf,
}

/// A file of records that a run has written.
#[derive(Debug, Clone, Deserialize)]
pub struct Recorded {
    /// The sink's node, or the boundary's.
    pub node: i32,
    /// Its name, or the input's.
    pub name: String,
    /// The file.
    pub file: PathBuf,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Well, with these files.
    Done(Vec<Recorded>),
    /// The job failed; why, for people.
    Failed(String),
}

#[derive(Deserialize)]
struct Answer {
    ok: bool,
    #[serde(default)]
    files: Vec<Recorded>,
    #[serde(default)]
    problem: Option<String>,
}

/// A JVM that waits for requests.
pub struct LocalFlink {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    log: PathBuf,
}

impl LocalFlink {
    /// Starts it; what jobs print goes to the file `log`.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start(tools: &Tools, log: &Path) -> Result<Self> {
        let said = File::create(log).with_context(|| format!("can't write {}", log.display()))?;
        let mut java = tools.flink(MAIN, HEAP_MB);
        java.args(["--batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(said);
        let mut child =
            java.spawn().with_context(|| format!("can't start {}", tools.java.display()))?;
        let requests = child.stdin.take();
        let (answer, answers) = channel();
        let stdout = BufReader::new(child.stdout.take().context("a child without output")?);
        std::thread::spawn(move || {
            // Ends with the process, or with nobody to tell.
            let _ = stdout.lines().map_while(Result::ok).try_for_each(|line| answer.send(line));
        });
        Ok(Self { child, requests, answers, log: log.to_owned() })
    }

    /// Makes a run and waits for its end.
    ///
    /// # Errors
    /// When the JVM died or did not answer in time; a job that failed is an [`Outcome`].
    pub fn run(&mut self, request: &Request, deadline: Duration) -> Result<Outcome> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        let requests = self.requests.as_mut().context("the local Flink was stopped")?;
        requests.write_all(&line).and_then(|()| requests.flush()).with_context(|| self.died())?;
        let answer = match self.answers.recv_timeout(deadline) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => bail!(self.died()),
            Err(RecvTimeoutError::Timeout) => {
                bail!("{} ran for more than {} s", request.main, deadline.as_secs())
            }
        };
        let answer: Answer = serde_json::from_str(&answer)
            .with_context(|| format!("the local Flink answered `{answer}`"))?;
        Ok(match answer.ok {
            true => Outcome::Done(answer.files),
            false => Outcome::Failed(answer.problem.unwrap_or_default()),
        })
    }

    fn died(&self) -> String {
        format!("the local Flink died; it said: {}", tail(&self.log))
    }
}

impl Drop for LocalFlink {
    fn drop(&mut self) {
        // Nothing that it still does is of use.
        self.requests = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last lines of a log.
pub(crate) fn tail(log: &Path) -> String {
    const LINES: usize = 20;
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
