//! Dependencies point one way, and the outside has few doors (DESIGN section 6).

use std::collections::BTreeSet;
use std::path::Path;

use sluice_tidy::{IMPURE, files, text};
use toml::Table;

/// What a crate may use of the workspace and of the outside; `None` where it may use everything.
fn allowed(krate: &str) -> Option<BTreeSet<&'static str>> {
    let pure = ["serde", "serde_bytes", "thiserror"];
    let wire = ["sluice-model", "apache-avro", "serde_json"];
    let artifacts = ["sluice-model", "futures-util", "reqwest", "sha2", "tokio", "tracing", "warp"];
    let extra: &[&str] = match krate {
        "model" => &["crc32fast", "serde_json"],
        "wire" => &wire,
        "progress" | "policy" => &["sluice-model"],
        "engine" => &["sluice-java", "sluice-model", "sluice-wire", "memchr", "serde_json"],
        "java" => &["memchr", "num-bigint"],
        "spool" => &["crc32fast"],
        "artifacts" => &artifacts,
        _ => return None,
    };
    Some(pure.iter().chain(extra).copied().collect())
}

fn dependencies(krate: &str) -> Vec<String> {
    let manifest = text(Path::new(&format!("services/{krate}/Cargo.toml"))).expect("a manifest");
    let manifest: Table = manifest.parse().expect("a manifest is TOML");
    manifest["dependencies"].as_table().expect("a table").keys().cloned().collect()
}

fn crates() -> Vec<String> {
    let manifest = |path: &Path| {
        let krate = path.strip_prefix("services").ok()?.parent()?.to_str()?.to_owned();
        path.ends_with("Cargo.toml").then_some(krate)
    };
    files().iter().filter_map(|path| manifest(path)).collect()
}

#[test]
fn lower_crates_know_only_what_they_may() {
    for krate in crates() {
        let Some(allowed) = allowed(&krate) else { continue };
        for dependency in dependencies(&krate) {
            assert!(allowed.contains(&*dependency), "{krate} must not depend on {dependency}");
        }
    }
}

#[test]
fn only_kafka_knows_rdkafka_and_the_registry_client() {
    for krate in crates().iter().filter(|krate| *krate != "kafka") {
        for door in ["rdkafka", "schema_registry_converter"] {
            assert!(
                !dependencies(krate).contains(&door.to_owned()),
                "{krate} must use sluice-kafka, not {door}"
            );
        }
    }
}

fn assert_pure(path: &Path) {
    let text = text(path).expect("source is UTF-8");
    for word in IMPURE {
        assert!(!text.contains(word), "{} is pure and must not name {word}", path.display());
    }
}

#[test]
fn pure_crates_do_no_io() {
    for krate in ["java", "model", "wire", "progress", "policy"] {
        let source = Path::new("services").join(krate).join("src");
        for path in files().iter().filter(|path| path.starts_with(&source)) {
            assert_pure(path);
        }
    }
}

#[test]
fn the_state_machines_of_services_are_pure() {
    for machine in ["services/edge/src/machine", "services/controller/src/core"] {
        let files = files();
        let found: Vec<_> = files.iter().filter(|path| path.starts_with(machine)).collect();
        assert!(!found.is_empty());
        found.into_iter().for_each(|path| assert_pure(path));
    }
}

#[test]
fn only_runtime_reads_environment_and_wall_clock() {
    for path in files() {
        let service = path.starts_with("services") && !path.starts_with("services/runtime");
        if service && path.extension().is_some_and(|e| e == "rs") {
            let text = text(&path).expect("source is UTF-8");
            for word in ["std::env::var", "env::vars", "SystemTime::now"] {
                assert!(
                    !text.contains(word),
                    "{} must ask sluice-runtime, not {word}",
                    path.display()
                );
            }
        }
    }
}
