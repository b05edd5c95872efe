//! What every file keeps to.

use std::path::Path;

use sluice_tidy::{files, text};

const MOST_LINES: usize = 500;

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e))
}

#[test]
fn source_files_are_short() {
    for path in files().iter().filter(|path| has_extension(path, &["rs", "java"])) {
        let lines = text(path).expect("source is UTF-8").lines().count();
        assert!(lines <= MOST_LINES, "{}: {lines} lines; split it by idea", path.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    // Put together here so that this file does not find itself.
    let marks = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["todo", "!("],
        ["unimplemented", "!("],
        ["#[ig", "nore"],
        ["@Dis", "abled"],
    ];
    for path in files()
        .iter()
        .filter(|path| has_extension(path, &["rs", "java", "sh", "toml", "yml", "md"]))
    {
        let Some(text) = text(path) else { continue };
        for mark in marks.map(|parts| parts.concat()) {
            assert!(!text.contains(&mark), "{} contains {mark}", path.display());
        }
    }
}

#[test]
fn tests_wait_for_conditions_not_for_time() {
    let is_test = |path: &&std::path::PathBuf| {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        path.components().any(|c| c.as_os_str() == "tests")
            && name.ends_with(".rs")
            && !path.ends_with("text.rs")
            || name.ends_with("Test.java")
            || name.ends_with("ITCase.java")
    };
    for path in files().iter().filter(is_test).filter(|path| !path.starts_with("tests/wan/src")) {
        let text = text(path).expect("source is UTF-8");
        for call in ["thread::sleep", "time::sleep", "Thread.sleep"] {
            assert!(
                !text.contains(call),
                "{} calls {call}: wait for a condition with a deadline",
                path.display()
            );
        }
    }
}

#[test]
fn no_path_of_a_machine_is_named() {
    let roots = [["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"]].map(|parts| parts.concat());
    for path in files().iter().filter(|path| !path.ends_with("LICENSE")) {
        let Some(text) = text(path) else { continue };
        for root in &roots {
            assert!(!text.contains(root), "{} names a path below {root}", path.display());
        }
    }
}
