//! Types: what is parsed, what is refused, and that skipping moves behind exactly what a general Avro library writes.

use proptest::prelude::*;
use sluice_wire::parse::MAX_DEPTH;
use sluice_wire::{Reader, Type, TypeRefusal};

use crate::random::{damage, damages, encoded, schemas, values};

fn parse(json: &str) -> Type {
    json.parse().unwrap()
}

fn refusal(json: &str) -> TypeRefusal {
    json.parse::<Type>().unwrap_err().refusal
}

#[test]
fn references_are_resolved_in_their_namespace() {
    let ty = parse(
        r#"{"type":"record","name":"A","namespace":"n","fields":[
            {"name":"x","type":{"type":"fixed","name":"F","size":2}},
            {"name":"y","type":"F"}, {"name":"z","type":["n.F","null"]},
            {"name":"w","type":{"type":"record","name":"m.B","fields":[
                {"name":"v","type":{"type":"enum","name":"E","symbols":["s"]}}]}},
            {"name":"u","type":{"type":"array","items":"m.E"}}]}"#,
    );
    let Type::Record(record) = &ty else { panic!("{ty:?}") };
    assert_eq!(record.name, "n.A");
    assert_eq!(record.index_of("y"), Some(1));
    assert_eq!(record.index_of("nothing"), None);
    assert_eq!(record.fields[0].ty, record.fields[1].ty);
    let mut reader = Reader::new(&[1, 2, 3, 4, 2, 0, 2, 0, 0, 9]);
    ty.skip(&mut reader).unwrap();
    assert_eq!(reader.rest(), [9]);
}

#[test]
fn logical_types_and_wrapped_types_are_their_underlying_types() {
    assert_eq!(parse(r#"{"type":"long","logicalType":"timestamp-millis"}"#), Type::Long);
    assert_eq!(parse(r#"{"type":{"type":"string"},"avro.java.string":"String"}"#), Type::String);
}

#[test]
fn what_is_outside_of_our_part_of_avro_is_refused_with_the_reason() {
    let union = |names: &str| TypeRefusal::Union(names.to_owned());
    assert_eq!(refusal(r#"["int","string"]"#), union("[int, string]"));
    assert_eq!(refusal(r#"["null","int","string"]"#), union("[null, int, string]"));
    assert_eq!(refusal(r#"["null"]"#), union("[null]"));
    assert_eq!(refusal("[]"), union("[]"));
    assert_eq!(refusal(r#"["null","null"]"#), union("[null, null]"));
    assert_eq!(refusal(r#""null""#), TypeRefusal::Null);
    assert_eq!(refusal(r#""Air""#), TypeRefusal::Unknown("Air".to_owned()));
    assert_eq!(refusal("5"), TypeRefusal::Form("5".to_owned()));
    assert!(matches!(refusal("{"), TypeRefusal::Json(_)));
    assert_eq!(refusal("{}"), TypeRefusal::Attribute("type"));
    assert_eq!(refusal(r#"{"type":"array"}"#), TypeRefusal::Attribute("items"));
    assert_eq!(refusal(r#"{"type":"map"}"#), TypeRefusal::Attribute("values"));
    assert_eq!(refusal(r#"{"type":"fixed","name":"F"}"#), TypeRefusal::Attribute("size"));
    assert_eq!(refusal(r#"{"type":"enum","name":"E"}"#), TypeRefusal::Attribute("symbols"));
    assert_eq!(refusal(r#"{"type":"record","name":"R"}"#), TypeRefusal::Attribute("fields"));
    assert_eq!(refusal(r#"{"type":"record","fields":[]}"#), TypeRefusal::Attribute("name"));
    let empty = |name: &str| TypeRefusal::Empty(name.to_owned());
    assert_eq!(refusal(r#"{"type":"record","name":"R","fields":[]}"#), empty("R"));
    assert_eq!(refusal(r#"{"type":"enum","name":"E","symbols":[]}"#), empty("E"));
    assert_eq!(refusal(r#"{"type":"fixed","name":"F","size":0}"#), empty("F"));
}

#[test]
fn recursion_is_refused_at_its_place() {
    let list = r#"{"type":"record","name":"a.List","fields":[
        {"name":"tail","type":{"type":"record","name":"Rest","fields":[
            {"name":"more","type":["null","List"]}]}}]}"#;
    let error = list.parse::<Type>().unwrap_err();
    assert_eq!(error.refusal, TypeRefusal::Recursive("a.List".to_owned()));
    let text = "at `tail.more`: `a.List` contains itself: recursive types are not supported";
    assert_eq!(error.to_string(), text);
}

#[test]
fn types_nest_to_a_bound_even_by_reference() {
    // Each record has the one before it as its field.
    let chain = |records: usize| {
        let mut fields =
            vec![r#"{"name":"f0","type":{"type":"fixed","name":"R0","size":1}}"#.to_owned()];
        for i in 1..records {
            let before = i - 1;
            fields.push(format!(
                r#"{{"name":"f{i}","type":{{"type":"record","name":"R{i}","fields":[{{"name":"x","type":"R{before}"}}]}}}}"#
            ));
        }
        format!(r#"{{"type":"record","name":"Top","fields":[{}]}}"#, fields.join(","))
    };
    assert!(chain(MAX_DEPTH - 1).parse::<Type>().is_ok());
    assert_eq!(refusal(&chain(MAX_DEPTH)), TypeRefusal::Deep);
}

#[test]
fn impossible_counts_end_with_the_input() {
    let ty = parse(r#"{"type":"array","items":"string"}"#);
    let mut bytes = Vec::new();
    sluice_wire::varint::put_long(&mut bytes, i64::MAX);
    assert!(ty.skip(&mut Reader::new(&bytes)).is_err());
    bytes.clear();
    sluice_wire::varint::put_long(&mut bytes, i64::MIN);
    sluice_wire::varint::put_long(&mut bytes, i64::MAX);
    assert!(ty.skip(&mut Reader::new(&bytes)).is_err());
}

proptest! {
    #[test]
    fn skipping_moves_behind_what_a_general_library_writes(
        (schema, value, damages) in schemas().prop_flat_map(|schema| {
            let ty = Type::from_json(&schema).unwrap();
            (Just(schema), values(&ty), damages())
        })
    ) {
        let ty = Type::from_json(&schema).unwrap();
        let mut bytes = encoded(&schema, &value);
        let mut reader = Reader::new(&bytes);
        prop_assert_eq!(ty.skip(&mut reader), Ok(()));
        prop_assert_eq!(reader.finish(), Ok(()));
        prop_assert!(ty.to_json(&bytes).is_ok());

        for cut in 0..bytes.len() {
            prop_assert!(ty.skip(&mut Reader::new(&bytes[..cut])).is_err());
        }

        damage(&mut bytes, &damages);
        let mut reader = Reader::new(&bytes);
        if ty.skip(&mut reader).is_ok() && reader.finish().is_ok() {
            let shown = ty.to_json(&bytes);
            prop_assert!(matches!(shown, Ok(_) | Err(sluice_wire::DecodeError::Utf8)));
        }
    }

    #[test]
    fn any_json_is_parsed_or_refused(schema in schemas(), damages in damages()) {
        let mut json = schema.to_string().into_bytes();
        damage(&mut json, &damages);
        let _ = String::from_utf8_lossy(&json).parse::<Type>();
    }
}
