//! The vectors that the Java twin runs too.

use std::collections::BTreeSet;

use serde_json::Value;

mod script;

fn check(name: &str, text: &str) {
    let script: script::Script =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(!script.rule.is_empty(), "{name} names no rule");
    let mut run = script::Run::new(&script);
    for (number, step) in script.steps.iter().enumerate() {
        assert_eq!(run.step(step), step.then, "{name}, step {number}: {:?}", step.input);
        let (actual, expected) = (Value::from(run.state()), Value::from(step.state.clone()));
        assert!(
            script::shows(&actual, &expected),
            "{name}, step {number}: {:?}\n  actual {actual}\nexpected {expected}",
            step.input
        );
    }
}

/// Written for a rule, and scenarios of the simulator.
const FOLDERS: [&str; 2] = ["progress", "sim"];

#[test]
fn every_vector_comes_true() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors");
    let mut names = BTreeSet::new();
    for folder in FOLDERS.map(|name| format!("{folder}/{name}")) {
        for entry in std::fs::read_dir(folder).expect("the folder of vectors") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            check(&name, &std::fs::read_to_string(&path).expect("a readable vector"));
            names.insert(name);
        }
    }
    assert!(names.len() >= 30, "only {names:?}");
}
