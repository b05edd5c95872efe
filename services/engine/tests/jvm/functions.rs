//! The user's own functions in the host: what they give, see and die of.

use crate::host::*;
use sluice_engine::deployed::{self, Jvm, Site};
use sluice_engine::jvm::JvmChain;
use sluice_wire::Event;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_secs(20);
const BYTES: &str = r#""bytes""#;

#[test]
fn functions_of_all_kinds_run_fused() {
    let host = host(DEADLINE);
    let schemas = [STRING, READING, READING, READING];
    let mut chain = open(&host, &schemas, &[PARSE, KEEP, REPEAT]);
    let made = run(&mut chain, READING, &texts(&["a,2", "b,-1", "c,0", "d,1"]));
    let reading = |name: &str, value: i64, level: i32| {
        format!(r#"{{"level":{level},"name":"{name}","value":{value}}}"#)
    };
    // The function emits one object again and again: each is taken as it is then.
    let expected = [(0, reading("a", 2, 0)), (0, reading("a", 2, 1)), (3, reading("d", 1, 0))];
    assert_eq!(made.events, expected.map(|(delta, value)| (delta, None, value)));
    assert_eq!((made.dead, made.watermark), (vec![], None));
}

#[test]
fn what_is_between_two_functions_is_copied() {
    let host = host(DEADLINE);
    let schemas = [STRING, READING, READING, READING];
    let mut chain = open(&host, &schemas, &[PARSE, REPEAT, REPEAT]);
    let made = run(&mut chain, READING, &texts(&["a,2"]));
    let levels: Vec<&str> = made.values().iter().map(|value| &value[9..10]).collect();
    assert_eq!(levels, ["0", "1", "0", "1"]);
}

#[test]
fn an_event_that_throws_twice_dies_alone() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[STRING, READING], &[PARSE]);
    let made = run(&mut chain, READING, &texts(&["a,1", "b,x", "c,3", "d"]));
    let deltas: Vec<i32> = made.events.iter().map(|event| event.0).collect();
    assert_eq!(deltas, [0, 2]);
    let (delta, operator, reason) = &made.dead[0];
    assert_eq!((*delta, &**operator), (1, "v1"));
    let expected = "java.lang.NumberFormatException: For input string: \"x\" at dev.example.Good$Parse.map(Good.java:";
    assert!(reason.starts_with(expected), "{reason}");
    assert!(
        made.dead[1].2.starts_with("java.lang.ArrayIndexOutOfBoundsException"),
        "{:?}",
        made.dead
    );
    let mut harm = open(&host, &[STRING, STRING], &[HARM]);
    assert_eq!(run(&mut harm, STRING, &texts(&["once"])).values(), [r#""once""#]);
}

#[test]
fn outputs_of_an_event_live_and_die_together() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[READING, READING], &[SUPERSTITIOUS]);
    let value = |value: u8| [0, 0, value * 2].to_vec();
    let values = [value(1), value(13), value(2), value(3)];
    let event = |(delta, value): (i32, &Vec<u8>)| (delta, value.clone());
    let groups: Vec<(i32, Vec<u8>)> = [0, 0, 1, 1].into_iter().zip(&values).map(event).collect();
    let events: Vec<Event<'_>> = groups
        .iter()
        .map(|(delta, value)| Event { delta: *delta, time: Some(9), value: Some(value) })
        .collect();
    let made = run_events(&mut chain, READING, &events);
    assert_eq!(
        made.events.iter().map(|event| (event.0, event.1)).collect::<Vec<_>>(),
        [(1, Some(9)); 2]
    );
    assert_eq!((made.death().0, made.death().1), (0, "v12"));
}

#[test]
fn a_function_does_not_see_what_throws_behind_it() {
    let host = host(DEADLINE);
    let mut chain =
        open(&host, &[STRING, READING, READING, READING], &[PARSE, CARELESS, SUPERSTITIOUS]);
    let made = run(&mut chain, READING, &texts(&["a,13", "b,1"]));
    assert_eq!(made.events.len(), 1);
    assert!(made.death().2.contains("thirteen"));
}

#[test]
fn nulls_pass() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[STRING, STRING], &[HARM]);
    let made = run(&mut chain, STRING, &texts(&["null"]));
    assert_eq!(made.values(), ["-"]);
    let null = Event { delta: 0, time: None, value: None };
    assert!(run_events(&mut chain, STRING, &[null]).death().2.contains("NullPointerException"));
}

#[test]
fn what_is_no_text_is_refused() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[STRING, STRING], &[HARM]);
    let made = run(&mut chain, STRING, &texts(&["a", "surrogate"]));
    assert_eq!(made.values(), [r#""a""#]);
    assert_eq!(made.death(), (1, "v9", "String: a lone surrogate at character 0 of a text"));
}

#[test]
fn a_schema_reads_the_bytes_of_the_source() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[BYTES, READING], &[SCHEMA]);
    let made = run(&mut chain, READING, &texts(&["abc", "", "d"]));
    assert_eq!(made.events.len(), 2);
    assert_eq!(made.values()[0], r#"{"level":null,"name":"abc","value":3}"#);
}

#[test]
fn tuples_are_projected() {
    let host = host(DEADLINE);
    let pair = r#"{"type":"record","name":"P","fields":[{"name":"f0","type":["null","long"]},{"name":"f1","type":["null","string"]}]}"#;
    let single =
        r#"{"type":"record","name":"S","fields":[{"name":"f0","type":["null","string"]}]}"#;
    let mut chain = open(&host, &[pair, single], &[PROJECT]);
    let made = run(&mut chain, single, &[vec![2, 4, 2, 2, b'x'], vec![0, 0]]);
    assert_eq!(made.values(), [r#"{"f0":"x"}"#, r#"{"f0":null}"#]);
}

#[test]
fn an_assigner_gives_times_and_the_frames_watermark() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[STRING, READING, READING], &[PARSE, BOUNDED, STAMP]);
    let made = run(&mut chain, READING, &texts(&["a,70", "b,20", "c,x"]));
    assert_eq!(made.watermark, Some(70 - BOUND_MS - 1));
    assert_eq!(made.events[1], (1, Some(20), r#"{"level":1,"name":"b","value":20}"#.to_owned()));
    // It is of the frame alone.
    assert_eq!(run(&mut chain, READING, &texts(&["a,30"])).watermark, Some(30 - BOUND_MS - 1));
    assert_eq!(run(&mut chain, READING, &texts(&["x"])).watermark, None);
}

#[test]
fn a_generator_of_the_users_is_kept_from_frame_to_frame() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[STRING], &[CUSTOM]);
    let made = run(&mut chain, STRING, &texts(&["70"]));
    assert_eq!((made.events, made.watermark), (vec![(0, Some(70), r#""70""#.to_owned())], Some(1)));
    assert_eq!(run(&mut chain, STRING, &texts(&["50", "80", "x"])).watermark, Some(50));
    assert_eq!(run(&mut chain, STRING, &[]).watermark, Some(50));
}

#[test]
fn a_function_sees_the_only_subtask_of_its_operator() {
    let host = host(DEADLINE);
    let mut chain = open(&host, &[STRING, STRING], &[LOOK]);
    assert_eq!(run(&mut chain, STRING, &texts(&["a"])).values(), [r#""a 0/1 v10 true true 3""#]);
}

#[test]
fn what_can_not_be_opened_is_said() {
    let host = host(DEADLINE);
    let refusal = |schemas: &[&str], functions: &[_]| {
        JvmChain::open(&host.sidecar, spec(schemas, functions)).unwrap_err().to_string()
    };
    assert!(
        refusal(&[STRING, STRING], &[(sluice_model::FunctionKind::Map, 99)])
            .contains("functions/99.ser")
    );
    assert!(
        refusal(&[READING, STRING], &[(sluice_model::FunctionKind::Filter, 1)])
            .contains("Good$Parse")
    );
    let schema = r#"{"type":"record","name":"R","fields":[{"name":"f0","type":"long"}]}"#;
    assert!(refusal(&[STRING, schema], &[PARSE]).contains("f0"));
    let mut other = spec(&[STRING, READING], &[PARSE]);
    other.flink = "1.20.5".to_owned();
    let error = JvmChain::open(&host.sidecar, other).unwrap_err().to_string();
    assert!(error.contains("Flink 1.20.5"), "{error}");
    open(&host, &[STRING, READING], &[PARSE]);
}

/// A query with `parse` in the host, `keep` and `double` in the IR and `repeat` in the host.
#[test]
fn engines_one_behind_the_other_give_what_one_gives() {
    let host = host(DEADLINE);
    let plan = serde_json::json!({
        "name": "readings", "partitions": 1, "types": [STRING, READING, READING, READING],
        "java_types": ["", "types/1.ser", "types/1.ser", "types/1.ser"],
        "operators": [
            {"name": "parse", "engine": "jvm", "function": {"kind": "map", "node": 1}},
            {"name": "keep", "engine": "native", "ir": KEEP_IR},
            {"name": "repeat", "engine": "jvm", "function": {"kind": "flat_map", "node": 3}}],
        "assigner": {"after": 1, "bound_ms": BOUND_MS, "ir": TIME_IR}});
    let input: sluice_model::Input = serde_json::from_value(plan).unwrap();
    let types = deployed::types(&input).unwrap();
    let spec = spec(&[STRING], &[]);
    let jvm = Jvm {
        sidecar: host.sidecar.clone(),
        jar: spec.jar,
        capture: spec.capture,
        flink: spec.flink,
    };
    let engine =
        |from, to| deployed::engine(&input, &types, (from, to), Site::Edge, Some(&jvm)).unwrap();
    let lines = texts(&["a,2", "b,-1", "c,x", "d,1"]);
    let whole = run(engine(0, 3).as_mut(), READING, &lines);
    assert_eq!(
        whole.events.iter().map(|event| (event.0, event.1)).collect::<Vec<_>>(),
        [(0, Some(2)), (0, Some(2)), (3, Some(1))]
    );
    assert_eq!((whole.death().0, whole.death().1), (2, "parse"));
    assert_eq!(whole.watermark, Some(2 - BOUND_MS - 1));
    let error = deployed::engine(&input, &types, (0, 3), Site::Edge, None).err().unwrap();
    assert!(error.to_string().contains("operator parse needs the jvm engine"), "{error}");
    assert!(!deployed::needs_jvm(&input, 1, 2, Site::Edge));
    assert!(deployed::needs_jvm(&input, 1, 3, Site::Edge));
}

const KEEP_IR: &str = "filter keep(%r: Reading) -> bool {
start:
  %v = get %r, value
  %ok = ge %v, 0L
  return %ok
}";

const TIME_IR: &str = "timestamp at(%r: Reading) -> long {
start:
  %v = get %r, value
  return %v
}";
