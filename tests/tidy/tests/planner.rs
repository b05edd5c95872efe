//! The planner and the translator are pure: all of the rewriter's policy is tested from stored graphs and class files.

use std::path::Path;

use sluice_tidy::{IMPURE, files, text};
use toml::Table;

/// `zip` and `cafebabe` read bytes in memory.
const ALLOWED: [&str; 7] =
    ["cafebabe", "serde", "serde_json", "sluice-model", "sluice-wire", "thiserror", "zip"];

#[test]
fn the_planner_knows_model_and_wire_only() {
    let manifest = text(Path::new("rewriter/planner/Cargo.toml")).expect("a manifest");
    let manifest: Table = manifest.parse().expect("a manifest is TOML");
    for dependency in manifest["dependencies"].as_table().expect("a table").keys() {
        assert!(ALLOWED.contains(&&**dependency), "the planner must not depend on {dependency}");
    }
}

#[test]
fn the_planner_does_no_io() {
    let source = Path::new("rewriter/planner/src");
    let files = files();
    let found: Vec<_> = files.iter().filter(|path| path.starts_with(source)).collect();
    assert!(!found.is_empty());
    for path in found {
        let text = text(path).expect("source is UTF-8");
        // A zip file in memory is read through the traits of `std::io`.
        let archive = path.ends_with("archive.rs");
        for word in IMPURE.iter().filter(|word| !archive || **word != "std::io") {
            assert!(!text.contains(word), "{} is pure and must not name {word}", path.display());
        }
    }
}

#[test]
fn the_translator_does_no_io() {
    let source = Path::new("rewriter/translator/src");
    let files = files();
    let found: Vec<_> = files.iter().filter(|path| path.starts_with(source)).collect();
    assert!(!found.is_empty());
    for path in found {
        let text = text(path).expect("source is UTF-8");
        for word in IMPURE {
            assert!(!text.contains(word), "{} is pure and must not name {word}", path.display());
        }
    }
}
