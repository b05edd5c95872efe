//! Schemas may grow, but every reader must understand what an earlier version wrote, and the other way round.
//!
//! `schemas/history/<record>.<n>.avsc` holds each version that was ever released or deployed, the present one included.

use std::collections::BTreeMap;
use std::path::Path;

use apache_avro::Schema;
use apache_avro::schema_compatibility::SchemaCompatibility;
use sluice_tidy::{files, text};

fn parse(path: &Path) -> Schema {
    let text = text(path).expect("a schema is UTF-8");
    // The value type of a frame is filled in when a query is deployed.
    let text = text.replace("\"dev.sluice.T\"", "\"string\"");
    Schema::parse_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn history() -> BTreeMap<String, Vec<Schema>> {
    let mut history: BTreeMap<String, Vec<Schema>> = BTreeMap::new();
    for path in files().iter().filter(|path| path.starts_with("schemas/history")) {
        let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
        let record = name.split('.').next().expect("record.n.avsc");
        history.entry(record.to_owned()).or_default().push(parse(path));
    }
    history
}

#[test]
fn every_schema_reads_and_is_read_by_its_earlier_versions() {
    let history = history();
    for path in files().iter().filter(|path| path.parent() == Some(Path::new("schemas"))) {
        let record = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        let now = parse(path);
        let versions = history
            .get(record)
            .unwrap_or_else(|| panic!("{record} has no version in schemas/history"));
        assert!(
            versions.contains(&now),
            "the present {record} is not in schemas/history; add it as the next version"
        );
        for earlier in versions {
            if let Err(error) = SchemaCompatibility::mutual_read(&now, earlier) {
                panic!("{record} and an earlier version of it do not read each other: {error}");
            }
        }
    }
}
