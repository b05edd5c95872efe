//! Every shape of the corpus, planned, against what was planned before.
//!
//! A folder of `tests/corpus` holds the captured graph of a job and `planned.txt`, what people are told; the functions
//! of all jobs are in `classes.jar`. `UPDATE=1 cargo test -p sluice-planner --test corpus` writes the texts anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use sluice_model::{Artifact, QueryId};
use sluice_planner::{Capture, Explanation, Graph, Jar, JobFiles, NoTranslator, Options};
use sluice_planner::{explain, plan};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

fn jar() -> Jar {
    Jar::read(fs::read(corpus().join("classes.jar")).unwrap()).unwrap()
}

fn capture(shape: &str) -> Capture {
    let json = fs::read(corpus().join(shape).join("graph.json")).unwrap();
    Capture::of_graph(Graph::parse(&json).unwrap())
}

fn shapes() -> Vec<String> {
    let folders = fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|folder| folder.path().join("graph.json").is_file());
    let mut shapes: Vec<_> =
        folders.map(|folder| folder.file_name().into_string().unwrap()).collect();
    shapes.sort();
    assert!(shapes.len() > 80, "the corpus is there");
    shapes
}

fn options() -> Options {
    Options::new(QueryId::new("corpus").unwrap())
}

fn files() -> JobFiles {
    let file = |name: &str| Artifact { name: name.to_owned(), digest: "0".repeat(64), bytes: 1 };
    JobFiles { jar: file("job.jar"), capture: file("capture.zip") }
}

fn explained(shape: &str, jar: &Jar, options: &Options) -> Explanation {
    explain(&capture(shape), jar, options, &NoTranslator).unwrap()
}

/// Compares with the stored text, or stores it.
fn assert_stored(path: &Path, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, text).unwrap();
        return;
    }
    let stored = fs::read_to_string(path).unwrap_or_default();
    assert!(stored == text, "{} differs; now it is\n{text}", path.display());
}

#[test]
fn every_shape_is_planned_as_before() {
    let jar = jar();
    for shape in shapes() {
        let text = explained(&shape, &jar, &options()).text(100);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert_stored(&corpus().join(&shape).join("planned.txt"), &text);
    }
}

/// The whole plan, for shapes of which every part counts.
#[test]
fn plans_are_as_before() {
    let jar = jar();
    for shape in ["q1", "sources-schema", "times-between", "times-custom-at-source", "values"] {
        let query = plan(&capture(shape), &jar, &options(), files()).unwrap().query;
        let text = serde_json::to_string_pretty(&query).unwrap();
        assert_stored(&corpus().join(shape).join("plan.json"), &(text + "\n"));
    }
}

/// What moves is what the names of the shapes say.
#[test]
fn hidden_state_stays_and_harmless_code_moves() {
    let jar = jar();
    for shape in shapes() {
        let said = explained(&shape, &jar, &options());
        let moves = said.sources.iter().flat_map(|source| &source.steps).any(|s| s.name == "moves");
        if shape.starts_with("hidden-") {
            assert_eq!(said.sources[0].end.name.as_deref(), Some("moves-not"), "{shape}");
        } else if shape.starts_with("harmless-") {
            assert!(moves, "{shape}");
        }
    }
}

/// All reasons that graphs of real jobs can show, by the word that people are told.
#[test]
fn the_corpus_shows_every_reason() {
    let jar = jar();
    let said = shapes().into_iter().flat_map(|shape| explained(&shape, &jar, &options()).sources);
    let words: BTreeSet<_> = said.map(|source| source.end.word).collect();
    for word in [
        "keyed",
        "state",
        "fan-out",
        "union",
        "several inputs",
        "window join",
        "side output",
        "broadcast",
        "custom partitioner",
        "asynchronous I/O",
        "sink",
        "other operator",
        "second assigner",
        "custom watermarks",
        "aligned watermarks",
        "record time",
        "own time",
        "opaque source",
        "literals",
        "Kafka record",
        "hidden state in a field",
        "hidden state in a static",
        "hidden state in an object",
        "static set elsewhere",
        "current watermark",
        "timers",
        "I/O",
        "threads",
        "exit",
        "missing class",
        "unknown code",
    ] {
        assert!(words.contains(word), "no shape ends with {word}");
    }
}

#[test]
fn the_user_decides_what_stays() {
    let jar = jar();
    let keep = |change: &dyn Fn(&mut Options)| {
        let mut options = options();
        change(&mut options);
        explained("times-between", &jar, &options)
    };
    let pinned = keep(&|options| options.pins = vec!["event-time".to_owned()]);
    assert_eq!((pinned.operators(), pinned.sources[0].end.word), (1, "kept"));
    let kept = keep(&|options| options.keep_sources = vec!["lines".to_owned()]);
    assert_eq!((kept.operators(), &kept.sources[0].input), (0, &None));
}

#[test]
fn the_user_can_vouch_for_code() {
    let mut options = options();
    options.trust = vec!["moves-not".to_owned()];
    assert_eq!(explained("hidden-reused", &jar(), &options).operators(), 2);
}

#[test]
fn options_that_name_nothing_are_problems() {
    let mut options = options();
    options.pins = vec!["nobody".to_owned()];
    options.keep_sources = vec!["parse".to_owned()];
    let problems = plan(&capture("times-between"), &jar(), &options, files()).unwrap_err();
    assert_eq!(problems.len(), 2);
    assert_eq!(
        problems[0].to_string(),
        "parse: the job has no source of that name; it has `lines`"
    );
}

#[test]
fn a_job_of_which_nothing_moves_says_why() {
    let problems = plan(&capture("sources-own-time"), &jar(), &options(), files()).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].what.contains("sets times or watermarks"), "{}", problems[0]);
}

#[test]
fn event_time_order_needs_the_assigner() {
    let mut options = options();
    options.order = sluice_model::Order::EventTime;
    let planned = |shape: &str| plan(&capture(shape), &jar(), &options, files());
    assert!(planned("times-between").is_ok());
    let problems = planned("times-custom-behind").unwrap_err();
    assert!(problems[0].what.contains("assigned in the residual job"), "{}", problems[0]);
}

#[test]
fn planning_takes_little_time() {
    let jar = jar();
    let capture = capture("q1");
    let started = Instant::now();
    let planned = plan(&capture, &jar, &options(), files()).unwrap();
    println!(
        "q1: {} operators planned in {:.1?}",
        planned.explanation.operators(),
        started.elapsed()
    );
}

#[test]
fn graphs_of_another_format_are_refused() {
    let newer = Graph::parse(br#"{"format": 2}"#).unwrap_err();
    assert!(newer.to_string().starts_with("format 2, but this planner reads format 1"));
    assert!(Capture::read(b"no zip").is_err());
}
