//! The check of one job.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sluice_model::Input;

use crate::events::{self, Entry};
use crate::flink::{LocalFlink, Mode, Outcome, Recorded, Request};
use crate::frames::{Arrived, Death, Engines, Replicas};
use crate::prefix::{self, Expected};
use crate::prepare::Prepared;
use crate::random::Random;
use crate::report::{CheckedInput, CheckedSink, Finding, Report};
use crate::samples::Sources;
use crate::sinks::{self, Record};

/// Frames of at most so many events, a pass each. What stays of the job reads what the first gave: with frames of single events its
/// watermarks stand where Flink's own stand, so that the same events are late.
const LONGEST: [usize; 3] = [1, 9, 100];
/// Flink must end a run within this time.
const DEADLINE: Duration = Duration::from_secs(120);
/// So many dead events are shown.
const DEAD_SHOWN: usize = 20;

/// What a check works with.
pub struct Bench<'a> {
    /// Runs jobs.
    pub flink: &'a mut LocalFlink,
    /// Run the operators of prefixes.
    pub engines: &'a mut dyn Engines,
    /// A folder of this check's own.
    pub folder: &'a Path,
}

/// Runs a job split and unsplit over events of its sources, and compares.
///
/// # Errors
/// When the check itself can't be made: an engine or the local Flink died.
pub fn check(
    bench: &mut Bench<'_>,
    job: &Prepared,
    sources: &Sources,
    seed: u64,
) -> Result<Report> {
    let mut runs = Runs::new(bench.folder, job, sources)?;
    let (job_name, in_order) = (job.main().to_owned(), job.sources == 1);
    let mut report = Report { job: job_name, seed, in_order, ..Report::default() };
    let inputs = &job.query.inputs;
    let passes = passes(bench.engines, inputs, sources, seed)?;
    report.inputs =
        inputs.iter().zip(&passes).map(|(input, passes)| summary(input, passes)).collect();

    let unsplit = match runs.run(bench.flink, Mode::Unsplit, "unsplit")? {
        Outcome::Done(files) => records(&files)?,
        Outcome::Failed(problem) => {
            let dead = inputs.iter().zip(&passes).flat_map(|(input, passes)| {
                let dead = deaths(passes).into_iter().take(DEAD_SHOWN);
                dead.map(|death| (input.name.to_string(), death))
            });
            report.findings.push(Finding::UnsplitFails { problem, dead: dead.collect() });
            return Ok(report);
        }
    };
    let again = records(&done(runs.run(bench.flink, Mode::Unsplit, "again")?)?)?;
    report.findings = differences(&unsplit, &again, in_order, |sink, difference| {
        Finding::NotDeterministic { sink, difference }
    });
    let is_steady = report.is_equal();

    for (input, passes) in inputs.iter().zip(&passes) {
        runs.behind(input, &prefix::entries(&passes[0]))?;
    }
    let prefixes = runs.run(bench.flink, Mode::Prefix, "prefix")?;
    if !is_steady {
        // What is random may stand behind the prefixes: those that are equal to themselves can be compared.
        let again = runs.run(bench.flink, Mode::Prefix, "prefix-again")?;
        compare_prefixes(&mut report, prefixes, Some(again), &passes)?;
        return Ok(report);
    }
    compare_prefixes(&mut report, prefixes, None, &passes)?;
    match runs.run(bench.flink, Mode::Split, "split")? {
        Outcome::Failed(problem) => report.findings.push(Finding::SplitFails { problem }),
        Outcome::Done(files) => {
            let finding = |sink, difference| Finding::Sink { sink, difference };
            let split = records(&files)?;
            report.findings.extend(differences(&unsplit, &split, in_order, finding));
            report.sinks = unsplit
                .into_iter()
                .map(|(name, records)| CheckedSink { name, records: records.len() })
                .collect();
        }
    }
    Ok(report)
}

/// The passes of an input.
type Passes = Vec<Vec<Arrived>>;

fn passes(
    engines: &mut dyn Engines,
    inputs: &[Input],
    sources: &Sources,
    seed: u64,
) -> Result<Vec<Passes>> {
    let mut random = Random::new(seed);
    let mut of = |input: &Input| {
        let sample = &sources.moving[input.name.as_str()];
        let mut replicas = Replicas::new(input, engines)?;
        LONGEST.iter().map(|longest| replicas.pass(sample, *longest, &mut random)).collect()
    };
    inputs.iter().map(&mut of).collect()
}

/// What came through frames against what Flink recorded behind the prefixes, of those only that recorded the same `again`.
fn compare_prefixes(
    report: &mut Report,
    prefixes: Outcome,
    again: Option<Outcome>,
    passes: &[Passes],
) -> Result<()> {
    for (input, passes) in report.inputs.iter().zip(passes) {
        let dead = deaths(passes);
        if let Some(first) = dead.first().cloned() {
            let (input, count) = (input.name.clone(), dead.len());
            report.findings.push(Finding::Dead { input, first, count });
        }
    }
    let files = match prefixes {
        Outcome::Done(files) => files,
        Outcome::Failed(problem) => {
            report.findings.push(Finding::NotRecorded { problem });
            return Ok(());
        }
    };
    let again = again.map(done).transpose()?;
    for (input, passes) in report.inputs.iter_mut().zip(passes) {
        let recorded = |files: &[Recorded]| {
            let file = files.iter().find(|file| file.name == input.name);
            let file =
                file.with_context(|| format!("nothing was recorded of input {}", input.name))?;
            events::read(&file.file)
        };
        let entries = recorded(&files)?;
        if let Some(again) = &again
            && recorded(again)? != entries
        {
            continue;
        }
        let expected = Expected::new(entries);
        input.records = Some(expected.count());
        if deaths(passes).is_empty() {
            let differs = |pass: &Vec<Arrived>| expected.difference(&input.name, pass);
            report.findings.extend(passes.iter().find_map(differs));
        }
    }
    Ok(())
}

/// The files of one check, and the runs over them.
struct Runs<'a> {
    folder: &'a Path,
    request: Request,
    /// What comes out of the prefixes.
    behind: BTreeMap<String, PathBuf>,
}

impl<'a> Runs<'a> {
    fn new(folder: &'a Path, job: &Prepared, sources: &Sources) -> Result<Self> {
        let plan = folder.join("plan.json");
        std::fs::write(&plan, serde_json::to_vec(&job.query)?)?;
        let mut inputs = BTreeMap::new();
        for (name, sample) in sources.moving.iter().chain(&sources.staying) {
            let file = folder.join(format!("{name}.source"));
            let entries: Vec<Entry> = sample.iter().cloned().map(Entry::Event).collect();
            events::write(&file, &entries)?;
            inputs.insert(name.clone(), file);
        }
        let (jar, main, args) = (job.jar.clone(), job.main().to_owned(), job.args.clone());
        let request =
            Request { jar, main, args, plan, mode: Mode::Unsplit, inputs, out: folder.to_owned() };
        Ok(Self { folder, request, behind: BTreeMap::new() })
    }

    fn behind(&mut self, input: &Input, entries: &[Entry]) -> Result<()> {
        let file = self.folder.join(format!("{}.behind", input.name));
        events::write(&file, entries)?;
        self.behind.insert(input.name.to_string(), file);
        Ok(())
    }

    fn run(&mut self, flink: &mut LocalFlink, mode: Mode, name: &str) -> Result<Outcome> {
        let mut request = Request { mode, out: self.folder.join(name), ..self.request.clone() };
        if mode == Mode::Split {
            request.inputs.extend(self.behind.clone());
        }
        flink.run(&request, DEADLINE)
    }
}

fn done(outcome: Outcome) -> Result<Vec<Recorded>> {
    match outcome {
        Outcome::Done(files) => Ok(files),
        Outcome::Failed(problem) => bail!("a run failed that went well before: {problem}"),
    }
}

fn summary(input: &Input, passes: &[Vec<Arrived>]) -> CheckedInput {
    let frames = || passes.iter().flatten();
    CheckedInput {
        name: input.name.to_string(),
        operators: input.operators.iter().map(|operator| operator.name.clone()).collect(),
        events: passes[0].len(),
        records: None,
        frames: frames().count(),
        ways: frames().map(|frame| &frame.stops).collect::<BTreeSet<_>>().len(),
    }
}

fn deaths(passes: &[Vec<Arrived>]) -> BTreeSet<Death> {
    passes.iter().flatten().flat_map(|frame| frame.dead.iter().cloned()).collect()
}

fn records(files: &[Recorded]) -> Result<BTreeMap<String, Vec<Record>>> {
    let of = |file: &Recorded| {
        Ok((format!("{} (node {})", file.name, file.node), sinks::read(&file.file)?))
    };
    files.iter().map(of).collect()
}

fn differences(
    unsplit: &BTreeMap<String, Vec<Record>>,
    other: &BTreeMap<String, Vec<Record>>,
    in_order: bool,
    finding: impl Fn(String, crate::compare::Difference) -> Finding,
) -> Vec<Finding> {
    let sinks: BTreeSet<&String> = unsplit.keys().chain(other.keys()).collect();
    let none = Vec::new();
    let of = |runs: &'_ BTreeMap<String, Vec<Record>>, sink: &String| {
        runs.get(sink).unwrap_or(&none).clone()
    };
    let differs = |sink: &String| sinks::difference(&of(unsplit, sink), &of(other, sink), in_order);
    sinks.into_iter().filter_map(|sink| Some(finding(sink.clone(), differs(sink)?))).collect()
}
