//! The example queries: every operator that moves is executed by Rust, and equal.

use std::collections::BTreeMap;
use std::time::Duration;

use sluice_functions::{Captured, tools};
use sluice_gate::{Limits, Verdict, judge, lines};
use sluice_generators::Query;
use sluice_model::{Artifact, Engine, QueryId};
use sluice_planner::{JobFiles, Options, plan_with};
use sluice_wire::Type;
use xtask::java::{Project, Q1, Q2, Q3, Q4};

/// Lines of each query's generator.
const LINES: usize = 2_000;
const ARGS: [&str; 7] =
    ["", "--brokers", "localhost:9092", "--input", "lines", "--output", "results"];

/// The lines of a query's generator, an event each.
fn sample(query: Query) -> Vec<u8> {
    let mut generator = query.generator(3, 1);
    let mut file = Vec::new();
    for _ in 0..LINES {
        generator.next_line(&mut file);
        file.push(b'\n');
    }
    file
}

fn is_native(query: Query, project: Project) {
    let folder = tempfile::tempdir().unwrap();
    let tools = tools::tools(folder.path()).unwrap();
    let jar = tools::example(project).unwrap();
    let captured = Captured::of_jar(&tools, &jar, &ARGS, folder.path()).unwrap();
    let artifact = Artifact { name: "x".to_owned(), digest: String::new(), bytes: 0 };
    let files = JobFiles { jar: artifact.clone(), capture: artifact };
    let options = Options::new(QueryId::new(query.name()).unwrap());
    let planned =
        plan_with(&captured.capture, &captured.classes, &options, files, &captured.translator());
    let planned = planned.unwrap();
    let input = &planned.query.inputs[0];
    for operator in &input.operators {
        assert_eq!(operator.engine, Engine::Native, "{}", planned.explanation.text(100));
    }
    assert!(!input.assigner.as_ref().unwrap().ir.is_empty(), "{}", planned.explanation.text(100));

    let events = lines::events(&sample(query), &Type::String);
    let samples = BTreeMap::from([(input.name.to_string(), events)]);
    let sidecar = tools.sidecar(&folder.path().join("host"));
    let limits = Limits { time: Duration::from_secs(60), sampled: LINES, generated: LINES };
    let judged = judge(&planned.query, &captured.jvm(&sidecar), &samples, &limits, 1).unwrap();
    assert_eq!(judged.len(), input.operators.len() + 1);
    for one in judged {
        assert!(
            matches!(one.verdict, Verdict::Equal { events } if events >= LINES),
            "{query}: {one:?}"
        );
    }
}

#[test]
fn q1_is_native() {
    is_native(Query::Q1, Q1);
}

#[test]
fn q2_is_native() {
    is_native(Query::Q2, Q2);
}

#[test]
fn q3_is_native() {
    is_native(Query::Q3, Q3);
}

#[test]
fn q4_is_native() {
    is_native(Query::Q4, Q4);
}
