//! The records' schemas. `schemas/*.avsc` are the only definition; they are compiled in.

use serde_json::Value;

use crate::{Type, TypeError, TypeRefusal};

/// The template of frames; [`frame_schema`] makes a schema of it.
const FRAME_TEMPLATE: &str = include_str!("../../../schemas/Frame.avsc");
/// The name in the template that stands for the type of the values.
const PLACEHOLDER: &str = "dev.sluice.T";

/// Schemas as they stand in `schemas/`.
pub(crate) mod text {
    pub const DEAD_EVENT: &str = include_str!("../../../schemas/DeadEvent.avsc");
    pub const DECISION: &str = include_str!("../../../schemas/Decision.avsc");
    pub const DEPLOYED_QUERY: &str = include_str!("../../../schemas/DeployedQuery.avsc");
    pub const DEVICE_ENTRY: &str = include_str!("../../../schemas/DeviceEntry.avsc");
    pub const DEVICE_STATUS: &str = include_str!("../../../schemas/DeviceStatus.avsc");
    pub const LATE_EVENT: &str = include_str!("../../../schemas/LateEvent.avsc");
    pub const ROUTING_COMMAND: &str = include_str!("../../../schemas/RoutingCommand.avsc");
    pub const TELEMETRY: &str = include_str!("../../../schemas/Telemetry.avsc");
}

/// The control records: name, and schema as it stands in `schemas/`.
pub const CONTROL_RECORDS: [(&str, &str); 8] = [
    ("DeadEvent", text::DEAD_EVENT),
    ("Decision", text::DECISION),
    ("DeployedQuery", text::DEPLOYED_QUERY),
    ("DeviceEntry", text::DEVICE_ENTRY),
    ("DeviceStatus", text::DEVICE_STATUS),
    ("LateEvent", text::LATE_EVENT),
    ("RoutingCommand", text::ROUTING_COMMAND),
    ("Telemetry", text::TELEMETRY),
];

/// The schema of the control record called `name` in its registered form: compact JSON.
#[must_use]
pub fn control_schema(name: &str) -> Option<String> {
    let (_, text) = CONTROL_RECORDS.iter().find(|(record, _)| *record == name)?;
    Some(compact(&serde_json::from_str(text).ok()?))
}

/// The schema of frames of the type whose schema is `type_json`, in its registered form: compact JSON.
///
/// The same type always gives the same text. Names of `type_json` without a namespace get that of the frame.
///
/// # Errors
/// A [`TypeError`] when `type_json` is outside of the supported part of Avro, takes a name of the frame's own, or is
/// nullable itself (a null event is the frame's matter).
pub fn frame_schema(type_json: &str) -> Result<String, TypeError> {
    if matches!(type_json.parse::<Type>()?, Type::Nullable(_)) {
        return Err(TypeError { at: String::new(), refusal: TypeRefusal::NullableEvents });
    }
    let value_type = parse(type_json)?;
    let mut schema = parse(FRAME_TEMPLATE)?;
    strip_docs(&mut schema);
    substitute(&mut schema, &value_type);
    Type::from_json(&schema)?;
    Ok(compact(&schema))
}

fn parse(json: &str) -> Result<Value, TypeError> {
    serde_json::from_str(json).map_err(TypeError::json)
}

/// Removes documentation: that of the template speaks of the template.
fn strip_docs(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(strip_docs),
        Value::Object(map) => {
            map.remove("doc");
            map.values_mut().for_each(strip_docs);
        }
        _ => {}
    }
}

fn substitute(schema: &mut Value, value_type: &Value) {
    match schema {
        Value::String(name) if name == PLACEHOLDER => *schema = value_type.clone(),
        Value::Array(items) => items.iter_mut().for_each(|item| substitute(item, value_type)),
        Value::Object(map) => map.values_mut().for_each(|item| substitute(item, value_type)),
        _ => {}
    }
}

/// The order of attributes in compact JSON; others follow by name. It is spelled out so that the text does not
/// depend on how the JSON library orders its maps.
const ATTRIBUTES: [&str; 9] =
    ["name", "namespace", "type", "fields", "symbols", "items", "values", "size", "default"];

fn compact(json: &Value) -> String {
    match json {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            let rank = |key: &str| ATTRIBUTES.iter().position(|a| *a == key);
            entries.sort_by_key(|(key, _)| (rank(key).unwrap_or(ATTRIBUTES.len()), key.as_str()));
            let entries: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), compact(value)))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(compact).collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use apache_avro::Schema;

    use super::*;

    const AIR: &str = r#"{"type":"record","name":"Air","fields":[{"name":"x","type":"long"}]}"#;

    #[test]
    fn all_schemas_are_avro_and_within_our_part_of_it() {
        for (name, text) in CONTROL_RECORDS {
            let compact = control_schema(name).unwrap();
            assert_eq!(Schema::parse_str(text).unwrap(), Schema::parse_str(&compact).unwrap());
            let Type::Record(record) = compact.parse().unwrap() else { panic!("{name}") };
            assert_eq!(record.name, format!("dev.sluice.{name}"));
        }
        assert_eq!(control_schema("Frame"), None);
    }

    #[test]
    fn a_frame_schema_has_the_type_in_its_events() {
        for type_json in [r#""string""#, AIR, r#"{"type":"array","items":"int"}"#] {
            let schema = frame_schema(type_json).unwrap();
            Schema::parse_str(&schema).unwrap();
            assert!(!schema.contains("dev.sluice."), "{schema}");
            let start = r#"{"name":"Frame","namespace":"dev.sluice","type":"record","fields":[{"#;
            assert!(schema.starts_with(start), "{schema}");
            let value_type = compact(&parse(type_json).unwrap());
            assert!(schema.contains(&format!(r#""type":["null",{value_type}]"#)), "{schema}");
        }
    }

    #[test]
    fn the_text_does_not_depend_on_how_the_type_is_written() {
        let other =
            r#"{ "fields": [{"type": "long", "name": "x"}], "name": "Air", "type": "record"}"#;
        assert_eq!(frame_schema(AIR), frame_schema(other));
    }

    #[test]
    fn types_that_do_not_fit_into_a_frame_are_refused() {
        let own_name = AIR.replace("Air", "Event");
        let error = frame_schema(&own_name).unwrap_err();
        assert_eq!(error.refusal, TypeRefusal::Twice("dev.sluice.Event".to_owned()));
        let error = frame_schema(r#"["null","long"]"#).unwrap_err();
        assert_eq!(error.refusal, TypeRefusal::NullableEvents);
        assert!(matches!(frame_schema("nonsense").unwrap_err().refusal, TypeRefusal::Json(_)));
        assert!(matches!(frame_schema("\"Air\"").unwrap_err().refusal, TypeRefusal::Unknown(_)));
    }
}
