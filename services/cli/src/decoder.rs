//! What a record of any of Sluice's topics says, as JSON.

use anyhow::Result;
use serde_json::{Value, json};
use sluice_kafka::Message;
use sluice_model::{DeadEvent, DeployedQuery, DeviceStatus, LateEvent, topics};
use sluice_runtime::exit::Failure;
use sluice_wire::{Type, decode_command, decode_entry, decode_frame, record};

use crate::render;

/// How much of a value that can't be decoded is shown, bytes.
const SHOWN_BYTES: usize = 200;

/// Knows the form of one topic's values.
#[derive(Debug)]
pub enum Decoder {
    /// Deployed queries.
    Query,
    /// Entries of devices.
    Entry,
    /// Routing commands.
    Command,
    /// Statuses and hellos.
    Status,
    /// Events that an operator could not pass on.
    Dead,
    /// Events behind the watermark.
    Late,
    /// Frames of a type.
    Frame {
        /// The registry id of their schema.
        schema_id: i32,
        /// The type of their values.
        value_type: Type,
    },
    /// Lines.
    Plain,
}

impl Decoder {
    /// The decoder of a topic, given what is deployed.
    ///
    /// # Errors
    /// For a topic of frames whose type the query does not list.
    pub fn of<'a>(
        topic: &str,
        queries: impl IntoIterator<Item = &'a DeployedQuery>,
    ) -> Result<Self> {
        match topic {
            topics::QUERIES => return Ok(Self::Query),
            topics::DEVICES => return Ok(Self::Entry),
            topics::CONTROL => return Ok(Self::Command),
            topics::STATUS => return Ok(Self::Status),
            _ => {}
        }
        for query in queries {
            if topic == topics::dead(&query.query) {
                return Ok(Self::Dead);
            }
            if topic == topics::late(&query.query) {
                return Ok(Self::Late);
            }
            if let Some(decoder) = Self::of_frames(topic, query)? {
                return Ok(decoder);
            }
        }
        Ok(Self::Plain)
    }

    fn of_frames(topic: &str, query: &DeployedQuery) -> Result<Option<Self>> {
        for input in &query.inputs {
            let places = query.input_topics(input);
            let Some(applied) = places.iter().position(|name| name == topic) else { continue };
            let (Some(ty), Some(schema_id)) =
                (input.types.get(applied), input.frame_schema_ids.get(applied))
            else {
                return Err(Failure::usage(format!(
                    "query `{}` lists no type for {topic}",
                    query.query
                )));
            };
            return Ok(Some(Self::Frame { schema_id: *schema_id, value_type: ty.parse()? }));
        }
        Ok(None)
    }

    /// The record as JSON: its place, and its value under a name that tells its form.
    pub fn show(&self, message: &Message) -> Value {
        let (name, value) = match &message.payload {
            None => ("deleted", Value::Bool(true)),
            Some(payload) => self.value(message.key.as_deref(), payload),
        };
        let mut shown = json!({
            "partition": message.partition,
            "offset": message.offset,
            "timestamp": message.timestamp_ms,
            "key": message.key,
        });
        shown[name] = value;
        shown
    }

    fn value(&self, key: Option<&str>, payload: &[u8]) -> (&'static str, Value) {
        let generation = key == Some(sluice_model::GENERATION_KEY);
        let (name, decoded) = match self {
            Self::Command | Self::Status if generation => {
                ("generation", serde_json::from_slice(payload).map_err(|e| e.to_string()))
            }
            Self::Query => ("query", json_of(record::decode::<DeployedQuery>(payload))),
            Self::Entry => ("entry", json_of(decode_entry(payload))),
            Self::Command => ("command", json_of(decode_command(payload))),
            Self::Status => ("status", json_of(record::decode::<DeviceStatus>(payload))),
            Self::Dead => ("dead", json_of(record::decode::<DeadEvent>(payload))),
            Self::Late => ("late", json_of(record::decode::<LateEvent>(payload))),
            Self::Frame { schema_id, value_type } => {
                let frame = decode_frame(payload, *schema_id, value_type);
                let frame = frame.map(|frame| render::frame(&frame, value_type));
                ("frame", frame.map_err(|error| error.to_string()))
            }
            Self::Plain => ("value", Ok(Value::from(String::from_utf8_lossy(payload)))),
        };
        match decoded {
            Ok(mut value) => {
                head_as_text(&mut value);
                (name, value)
            }
            Err(error) => ("undecodable", undecodable(&error, payload)),
        }
    }
}

fn json_of<T: serde::Serialize, E: std::fmt::Display>(
    decoded: Result<T, E>,
) -> Result<Value, String> {
    let value = decoded.map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

/// The head of a copied event is text in most queries, and unreadable as a list of numbers.
fn head_as_text(value: &mut Value) {
    let Some(Value::Array(bytes)) = value.get("head") else { return };
    let bytes = bytes.iter().filter_map(Value::as_u64).filter_map(|byte| u8::try_from(byte).ok());
    value["head"] = Value::from(String::from_utf8_lossy(&bytes.collect::<Vec<_>>()));
}

fn undecodable(error: &str, payload: &[u8]) -> Value {
    let head = String::from_utf8_lossy(&payload[..payload.len().min(SHOWN_BYTES)]);
    json!({ "error": error, "size": payload.len(), "head": head })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> DeployedQuery {
        let plan = r#"{"query":"q1","version":1,"inputs":[{"name":"readings","partitions":4,
            "types":["\"string\"","\"long\""],"frame_schema_ids":[5,6],
            "operators":[{"name":"parse","engine":"native","ir":""}]}]}"#;
        serde_json::from_str(plan).unwrap()
    }

    fn message(key: &str, payload: &[u8]) -> Message {
        Message {
            partition: 1,
            offset: 2,
            timestamp_ms: 3,
            key: Some(key.to_owned()),
            headers: Vec::new(),
            payload: Some(payload.to_vec()),
        }
    }

    #[test]
    fn topics_have_their_decoders() {
        let of = |topic| format!("{:?}", Decoder::of(topic, [&query()]).unwrap());
        assert_eq!(of("sluice.control"), "Command");
        assert_eq!(of("q1.dead"), "Dead");
        assert!(of("q1.1.readings.out").contains("schema_id: 6, value_type: Long"));
        assert!(of("q1.1.readings.stage.1").contains("schema_id: 5, value_type: String"));
        assert_eq!(of("q1.2.readings.out"), "Plain");
    }

    #[test]
    fn commands_are_shown_in_either_form() {
        let shown = Decoder::Command.show(&message("q1/readings/pi-1/manual", br#"{"cut":2}"#));
        assert_eq!(shown["command"]["cut"], json!(2));
        assert_eq!((&shown["partition"], &shown["offset"]), (&json!(1), &json!(2)));
        let shown = Decoder::Command.show(&message("generation", br#"{"generation":7}"#));
        assert_eq!(shown["generation"]["generation"], json!(7));
    }

    #[test]
    fn what_can_not_be_decoded_is_shown_as_it_is() {
        let shown = Decoder::Command.show(&message("k", br#"{"ct":2}"#));
        assert!(shown["undecodable"]["error"].as_str().unwrap().contains("unknown field `ct`"));
        let deleted = Message { payload: None, ..message("k", b"") };
        assert_eq!(Decoder::Status.show(&deleted)["deleted"], json!(true));
    }
}
