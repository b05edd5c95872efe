//! `cargo xtask test`: every check and every test, a line for each, and the sum at the end.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::cargo::cargo;
use crate::install;
use crate::java::{EQUIVALENCE, FLINK, Project, Q1, Q2, Q3, Q4};
use crate::paths;
use crate::process::show;

/// Seeds of the simulator at full length.
const LONG_SEEDS: &str = "50000";

/// Which tests to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Runs at full length what is shortened otherwise.
    pub long: bool,
    /// Runs only the Rust tests whose name contains this, and no check.
    pub filter: Option<String>,
}

/// Tests that passed and failed; a check that failed counts as one failed test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, and runners that could not finish.
    pub failed: u64,
}

/// Runs it all; what comes after a failure runs too.
pub fn run(options: &Options) -> Result<Tally> {
    install::for_tests()?;
    let logs = paths::target().join("xtask-test");
    fs::create_dir_all(&logs).with_context(|| format!("can't use {}", logs.display()))?;
    let mut tally = Tally::default();
    let mut step = |name: &str, command: &mut Command| -> Result<()> {
        println!("== {name}: {}", show(command));
        let started = Instant::now();
        let log = logs.join(format!("{}.log", name.replace([' ', '/'], "-")));
        let step = run_step(command, &log)?;
        let word = if step.failed == 0 { "ok" } else { "FAILED" };
        println!(
            "== {name}: {word} in {:.1} s, {} passed, {} failed",
            started.elapsed().as_secs_f64(),
            step.passed,
            step.failed
        );
        if step.failed > 0 {
            println!("== {name}: all that it said is in {}", log.display());
        }
        tally.passed += step.passed;
        tally.failed += step.failed;
        Ok(())
    };
    let filter = options.filter.as_slice();
    if filter.is_empty() {
        step("format", cargo("fmt").args(["--all", "--check"]))?;
        step(
            "clippy",
            cargo("clippy").args([
                "--release",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ]),
        )?;
    }
    let mut tests = cargo("test");
    tests.args(["--release", "--no-fail-fast", "--workspace", "--exclude", "sluice-e2e"]);
    if options.long {
        tests.env("SLUICE_LONG", "1").env("SLUICE_SIM_SEEDS", LONG_SEEDS);
    }
    step("tests", tests.args(filter))?;
    if filter.is_empty() {
        let mut doc = cargo("doc");
        step(
            "docs",
            doc.args(["--release", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
        )?;
        for project in [Q1, Q2, Q3, Q4, FLINK, EQUIVALENCE] {
            step(project.dir, &mut verify(project))?;
        }
    }
    if filter.is_empty() {
        step("q4 against vaderSentiment", &mut compare_with_vader())?;
    }
    let mut end_to_end = cargo("test");
    end_to_end.args(["--release", "--no-fail-fast", "--package", "sluice-e2e"]).args(filter);
    end_to_end.args(["--", "--test-threads=1", "--nocapture"]);
    if options.long {
        end_to_end.env("SLUICE_LONG", "1").env("SLUICE_E2E_SECONDS", "60");
        end_to_end.env("SLUICE_DATA", public_data());
    }
    step("end to end", &mut end_to_end)?;
    if filter.is_empty() {
        let mut compose = Command::new(std::env::current_exe()?);
        compose.arg("compose").args(options.long.then_some("--long"));
        step("compose", &mut compose)?;
    }
    Ok(tally)
}

/// The scores of q4's jar beside those of the package it must reproduce, on texts made up and, where they are, the public ones.
fn compare_with_vader() -> Command {
    let mut compare = Command::new("python3");
    compare.arg("examples/q4/compare.py").current_dir(paths::root());
    compare.env("PYTHONPATH", install::vader()).arg("--jar").arg(Q4.jar());
    let texts = public_data().join("q4/vader_tweets_GroundTruth.txt");
    if texts.exists() {
        compare.arg("--texts").arg(texts);
    }
    compare.args(["--random", "20000", "--least-pearson", "0.85"]);
    compare
}

/// Where the public data of the queries lies, if it is on this machine: a folder for each.
fn public_data() -> PathBuf {
    paths::root().join("../shared/data")
}

fn verify(project: Project) -> Command {
    // Clean: the shade plugin would shade the previous shaded jar again.
    let mut maven = project.maven("clean");
    maven.arg("verify");
    maven
}

/// Runs one runner, shows what it says, keeps that in `log`, and counts what it reports.
fn run_step(command: &mut Command, log: &Path) -> Result<Tally> {
    let shown = show(command);
    let (said, say) = std::io::pipe()?;
    let mut child = command
        .stdout(say.try_clone()?)
        .stderr(say)
        .spawn()
        .with_context(|| format!("can't start {shown}"))?;
    // The command holds the pipe's other end: what is said would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut log = File::create(log).with_context(|| format!("can't write {}", log.display()))?;
    let mut counted = Tally::default();
    for line in BufReader::new(said).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        writeln!(log, "{line}")?;
        if let Some(reported) = reported(&line) {
            counted.passed += reported.passed;
            counted.failed += reported.failed;
        }
    }
    if !child.wait()?.success() {
        counted.failed = counted.failed.max(1);
    }
    Ok(counted)
}

/// What a summary line of the Rust or the Java runner counts.
fn reported(line: &str) -> Option<Tally> {
    if let Some(rest) = line.strip_prefix("test result: ") {
        let count = |word: &str| {
            rest.split("; ").find_map(|part| number(part.trim_end_matches(word), part))
        };
        return Some(Tally { passed: count(" passed")?, failed: count(" failed")? });
    }
    // Surefire says so per class (with a time) and then once for all (without).
    let rest = line.split_once("Tests run: ").filter(|_| !line.contains("Time elapsed"))?.1;
    let counts: Vec<u64> =
        rest.split(", ").filter_map(|part| part.rsplit(": ").next()?.parse().ok()).collect();
    let [run, failures, errors, skipped] = counts[..] else { return None };
    let failed = failures + errors;
    Some(Tally { passed: run.saturating_sub(failed + skipped), failed })
}

/// The last word of `cut` as a number, when something was cut from `part`.
fn number(cut: &str, part: &str) -> Option<u64> {
    if cut.len() == part.len() { None } else { cut.rsplit(' ').next()?.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_both_runners_are_counted() {
        let tally = |passed, failed| Some(Tally { passed, failed });
        let rust = "test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.2s";
        assert_eq!(reported(rust), tally(12, 2));
        assert_eq!(
            reported("[WARNING] Tests run: 9, Failures: 1, Errors: 2, Skipped: 1"),
            tally(5, 3)
        );
        assert_eq!(
            reported(
                "Tests run: 9, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in a.B"
            ),
            None
        );
        assert_eq!(reported("test parse ... ok"), None);
    }

    #[test]
    fn a_runner_that_fails_without_a_report_counts_as_one_failure() {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo no summary; echo and an error >&2; exit 1"]);
        let step = run_step(&mut command, log.path()).unwrap();
        assert_eq!(step, Tally { passed: 0, failed: 1 });
        assert_eq!(fs::read_to_string(log.path()).unwrap(), "no summary\nand an error\n");
    }
}
