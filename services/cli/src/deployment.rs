//! What a deployment creates: topics, subjects, the deployed query. Pure.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use sluice_kafka::TopicSpec;
use sluice_model::{DeployedQuery, Input, QueryId, topics};
use sluice_wire::{TypeError, frame_schema};

/// Topics of frames must outlive the longest outage of the cloud: 7 days.
const FRAME_RETENTION_MS: &str = "604800000";
/// Above the limit of 8 MiB that holds before compression, with room for the batch around the frame.
const MAX_MESSAGE_BYTES: &str = "9437184";

/// A topic with the broker's append time as the time of its records.
pub fn topic(name: &str, partitions: i32, configs: &[(&str, &str)]) -> TopicSpec {
    let append_time = [("message.timestamp.type", "LogAppendTime")];
    let configs = append_time.iter().chain(configs);
    TopicSpec {
        name: name.to_owned(),
        partitions,
        configs: configs.map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
    }
}

/// The topics of frames: every stage and `out` of every input.
pub fn frame_topics(query: &DeployedQuery) -> Vec<TopicSpec> {
    let configs = [
        ("retention.ms", FRAME_RETENTION_MS),
        ("max.message.bytes", MAX_MESSAGE_BYTES),
        ("compression.type", "producer"),
    ];
    let of_input = |input: &Input| {
        let names = query.input_topics(input).into_iter();
        names.map(|name| topic(&name, input.partitions, &configs)).collect::<Vec<_>>()
    };
    query.inputs.iter().flat_map(of_input).collect()
}

/// `<query>.dead` and `<query>.late`. Versions share them, so that they have the partitions of the largest input.
pub fn copy_topics(query: &DeployedQuery) -> Vec<TopicSpec> {
    let partitions = query.inputs.iter().map(|input| input.partitions).max().unwrap_or(1);
    let configs = [("retention.ms", FRAME_RETENTION_MS), ("compression.type", "producer")];
    let names = [topics::dead(&query.query), topics::late(&query.query)];
    names.iter().map(|name| topic(name, partitions, &configs)).collect()
}

/// Whether a topic is one of a query's, of whatever version.
pub fn is_of(query: &QueryId, topic: &str) -> bool {
    let Some(rest) = topic.strip_prefix(&format!("{query}.")) else { return false };
    let parts: Vec<&str> = rest.split('.').collect();
    let number = |text: &str| text.parse::<u32>().is_ok();
    match parts[..] {
        ["dead" | "late"] => true,
        [version, _, "out"] => number(version),
        [version, _, "stage", stage] => number(version) && number(stage),
        _ => false,
    }
}

/// The control records in Sluice's own topics: topic, record.
pub const OWN_RECORDS: [(&str, &str); 6] = [
    (topics::QUERIES, "DeployedQuery"),
    (topics::DEVICES, "DeviceEntry"),
    (topics::CONTROL, "RoutingCommand"),
    (topics::STATUS, "DeviceStatus"),
    (topics::TELEMETRY, "Telemetry"),
    (topics::DECISIONS, "Decision"),
];

/// Every control record of a deployed query with its topic.
pub fn control_records(query: &QueryId) -> Vec<(String, &'static str)> {
    let own = OWN_RECORDS.iter().map(|&(topic, record)| (topic.to_owned(), record));
    let copies =
        [(topics::dead(query), "DeadEvent"), (topics::late(query), "LateEvent")].into_iter();
    own.chain(copies).collect()
}

/// The subject of a topic with one record type.
pub fn subject(topic: &str) -> String {
    format!("{topic}-value")
}

/// The schemas of an input's frames, T(0)..T(N), in the order of its topics.
pub fn frame_schemas(input: &Input) -> Result<Vec<String>, TypeError> {
    input.types.iter().map(|ty| frame_schema(ty)).collect()
}

/// Whether a plan may be deployed beside what stands there.
///
/// # Errors
/// An older version, or the same with another plan.
pub fn check_version(plan: &DeployedQuery, deployed: Option<&DeployedQuery>) -> Result<(), String> {
    let Some(deployed) = deployed else { return Ok(()) };
    let (query, version) = (&plan.query, plan.version);
    if version < deployed.version {
        return Err(format!(
            "{query}: version {version} is older than the deployed {}; versions only grow",
            deployed.version
        ));
    }
    if version == deployed.version && *plan != without_ids(deployed) {
        return Err(format!(
            "{query}: version {version} is deployed already, with another plan; raise the version"
        ));
    }
    Ok(())
}

/// The version of a plan made from a job: the deployed one if nothing else differs, else the next.
pub fn next_version(plan: &DeployedQuery, deployed: Option<&DeployedQuery>) -> i32 {
    let Some(deployed) = deployed else { return 1 };
    let same = DeployedQuery { version: deployed.version, ..plan.clone() } == without_ids(deployed);
    if same { deployed.version } else { deployed.version + 1 }
}

fn without_ids(deployed: &DeployedQuery) -> DeployedQuery {
    let mut plan = deployed.clone();
    plan.digest.clear();
    plan.schema_ids.clear();
    plan.older.clear();
    plan.inputs.iter_mut().for_each(|input| input.frame_schema_ids.clear());
    plan
}

/// The query as it is written to `sluice.queries`: the plan with what the registry gave.
pub fn complete(
    plan: &DeployedQuery,
    frame_schema_ids: Vec<Vec<i32>>,
    schema_ids: BTreeMap<String, i32>,
) -> serde_json::Result<DeployedQuery> {
    let mut query = plan.clone();
    query.schema_ids = schema_ids;
    for (input, ids) in query.inputs.iter_mut().zip(frame_schema_ids) {
        input.frame_schema_ids = ids;
    }
    query.digest = digest(&query)?;
    Ok(query)
}

/// The versions that go on beside a new one: the one before it, and those of its older ones that `still_used` names.
pub fn older(
    deployed: &DeployedQuery,
    still_used: impl Fn(&DeployedQuery) -> bool,
) -> Vec<DeployedQuery> {
    let before = DeployedQuery { older: Vec::new(), ..deployed.clone() };
    let used = deployed.older.iter().filter(|older| still_used(older)).cloned();
    std::iter::once(before).chain(used).collect()
}

/// SHA-256 of the query's JSON without digest and older versions, hexadecimal.
fn digest(query: &DeployedQuery) -> serde_json::Result<String> {
    let plain = DeployedQuery { digest: String::new(), older: Vec::new(), ..query.clone() };
    let hash = Sha256::digest(serde_json::to_vec(&plain)?);
    Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_wire::schemas;

    fn plan(version: i32) -> DeployedQuery {
        let text = r#"{"query":"q1","version":1,"inputs":[
            {"name":"readings","partitions":4,"types":["\"string\"","\"long\""],
             "operators":[{"name":"parse","engine":"native","ir":""}]},
            {"name":"sites","partitions":8,"types":["\"string\""],"operators":[]}]}"#;
        let plan: DeployedQuery = serde_json::from_str(text).unwrap();
        DeployedQuery { version, ..plan }
    }

    fn deployed(version: i32) -> DeployedQuery {
        let ids = [("DeadEvent".to_owned(), 9)].into();
        complete(&plan(version), vec![vec![1, 2], vec![3]], ids).unwrap()
    }

    #[test]
    fn every_stage_out_dead_and_late_has_a_topic() {
        let names = |specs: Vec<TopicSpec>| -> Vec<(String, i32)> {
            specs.into_iter().map(|spec| (spec.name, spec.partitions)).collect()
        };
        let expected =
            [("q1.1.readings.stage.1", 4), ("q1.1.readings.out", 4), ("q1.1.sites.out", 8)];
        assert_eq!(names(frame_topics(&plan(1))), expected.map(|(n, p)| (n.to_owned(), p)));
        let expected = [("q1.dead", 8), ("q1.late", 8)];
        assert_eq!(names(copy_topics(&plan(1))), expected.map(|(n, p)| (n.to_owned(), p)));
    }

    #[test]
    fn topics_of_every_version_are_known() {
        let query = plan(1).query;
        for of in ["q1.dead", "q1.late", "q1.7.lines.out", "q1.1.x.stage.2"] {
            assert!(is_of(&query, of), "{of}");
        }
        for other in ["q1-results", "q1.results", "q1.x.lines.out", "q10.dead", "q1.1.x.stage.y"] {
            assert!(!is_of(&query, other), "{other}");
        }
    }

    #[test]
    fn a_version_is_deployed_once() {
        assert!(check_version(&plan(1), None).is_ok());
        assert!(check_version(&plan(1), Some(&deployed(1))).is_ok());
        assert!(check_version(&plan(2), Some(&deployed(1))).is_ok());
        assert!(check_version(&plan(1), Some(&deployed(2))).unwrap_err().contains("only grow"));
        let mut other = plan(1);
        other.inputs[0].heartbeat_ms = 5;
        assert!(check_version(&other, Some(&deployed(1))).unwrap_err().contains("another plan"));
    }

    #[test]
    fn only_another_plan_gets_another_version() {
        assert_eq!(next_version(&plan(1), None), 1);
        assert_eq!(next_version(&plan(1), Some(&deployed(3))), 3);
        let mut other = plan(1);
        other.inputs[0].heartbeat_ms = 5;
        assert_eq!(next_version(&other, Some(&deployed(3))), 4);
    }

    #[test]
    fn older_versions_go_on_while_something_uses_them() {
        let mut third = deployed(3);
        third.older = older(&deployed(2), |_| true);
        assert_eq!(third.older, [deployed(2)]);
        let versions = |used: i32| -> Vec<i32> {
            let mut fourth = deployed(4);
            fourth.older = older(&third, |_| true);
            let kept = older(&fourth, |query| query.version == used);
            assert!(kept.iter().all(|query| query.older.is_empty()));
            kept.iter().map(|query| query.version).collect()
        };
        assert_eq!((versions(0), versions(2), versions(3)), (vec![4], vec![4, 2], vec![4, 3]));
        assert_eq!(digest(&third).unwrap(), deployed(3).digest);
        assert!(check_version(&plan(3), Some(&third)).is_ok());
    }

    #[test]
    fn the_digest_covers_everything_else() {
        let query = deployed(1);
        assert_eq!(query.digest.len(), 64);
        assert_eq!(digest(&query).unwrap(), query.digest);
        let mut other = query.clone();
        other.inputs[0].frame_schema_ids[0] = 7;
        assert_ne!(digest(&other).unwrap(), query.digest);
    }

    #[test]
    fn control_records_have_schemas() {
        for (_, record) in control_records(&plan(1).query) {
            assert!(schemas::control_schema(record).is_some(), "{record}");
        }
    }
}
