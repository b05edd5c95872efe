//! Every metric that a service defines is described and documented, and nothing else is.

use std::collections::BTreeSet;
use std::path::Path;

use sluice_tidy::{files, text};

/// Names that begin with `prefix` in a text.
fn names(text: &str, prefix: &str) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let found = text.match_indices(prefix).map(|(at, _)| {
        let end = text[at..].find(|c| !word(c)).unwrap_or(text.len() - at);
        text[at..at + end].to_owned()
    });
    found.filter(|name| name.len() > prefix.len()).collect()
}

#[test]
fn the_metrics_of_the_edge_are_described_and_documented() {
    let meters = text(Path::new("services/edge/src/meters.rs")).expect("the meters");
    let described = meters.split("pub fn describe()").nth(1).expect("descriptions");
    let page = text(Path::new("docs/edge.md")).expect("the page");
    let defined = names(&meters, "sluice_edge_");
    assert!(!defined.is_empty());
    assert_eq!(defined, names(described, "sluice_edge_"), "defined and described");
    assert_eq!(defined, names(&page, "sluice_edge_"), "defined and documented");
}

#[test]
fn the_metrics_of_the_controller_are_documented() {
    let meters = text(Path::new("services/controller/src/meters.rs")).expect("the meters");
    let page = text(Path::new("docs/controller.md")).expect("the page");
    let defined = names(&meters, "sluice_controller_");
    assert!(!defined.is_empty());
    assert_eq!(defined, names(&page, "sluice_controller_"), "defined and documented");
}

#[test]
fn services_name_their_metrics_in_one_file() {
    for path in files().iter().filter(|path| path.starts_with("services")) {
        let service = path.iter().nth(1).and_then(|part| part.to_str()).unwrap_or_default();
        let is_source = path.extension().is_some_and(|e| e == "rs")
            && path.iter().nth(2) == Some("src".as_ref());
        if !is_source || path.ends_with("meters.rs") || service == "cli" {
            continue;
        }
        let found = names(&text(path).expect("source is UTF-8"), &format!("\"sluice_{service}_"));
        assert!(
            found.is_empty(),
            "{} defines {found:?}; metrics live in meters.rs",
            path.display()
        );
    }
}
