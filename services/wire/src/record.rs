//! Control records as messages: Confluent header and Avro body, or plain JSON where a person may write it.
//!
//! Bodies are read with the compiled-in schema, whatever id the header names: all parts of one release have the same
//! schemas, and a device needs no registry.

use std::sync::LazyLock;

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::writer::datum::GenericDatumWriter;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sluice_model::{
    DeadEvent, Decision, DeployedQuery, DeviceEntry, DeviceStatus, LateEvent, RoutingCommand,
    Telemetry,
};
use thiserror::Error;

use crate::confluent::{self, EnvelopeError};
use crate::{DecodeError, Reader, Type, json, schemas};

/// A message that is not the control record it should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Not in the Confluent wire format.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// Bytes that do not follow the schema.
    #[error("no {record}: {error}")]
    Body {
        /// The record.
        record: &'static str,
        /// What is wrong with the bytes.
        error: DecodeError,
    },
    /// Bytes that follow the schema with a value that cannot be meant, or a value that the schema cannot hold.
    #[error("no {record}: {text}")]
    Value {
        /// The record.
        record: &'static str,
        /// What is wrong with the value.
        text: String,
    },
    /// JSON that is malformed, or has an unknown field.
    #[error("no {record}: {text}")]
    Json {
        /// The record.
        record: &'static str,
        /// What is wrong with it.
        text: String,
    },
}

/// A compiled-in schema in the two forms in which it is used.
#[derive(Debug)]
pub struct RecordSchema {
    avro: Schema,
    ty: Type,
}

impl RecordSchema {
    /// # Panics
    /// If the text is no schema; the tests parse every schema there is.
    fn compiled_in(text: &str) -> Self {
        let avro = Schema::parse_str(text).expect("a compiled-in schema is Avro");
        let ty = text.parse().expect("a compiled-in schema is a type");
        Self { avro, ty }
    }
}

/// A model type that is a record of `schemas/`.
pub trait ControlRecord: Serialize + DeserializeOwned {
    /// The record's name; the file is `schemas/<name>.avsc`.
    const NAME: &'static str;

    /// The record's schema.
    fn schema() -> &'static RecordSchema;
}

macro_rules! control_record {
    ($type:ident, $text:ident) => {
        impl ControlRecord for $type {
            const NAME: &'static str = stringify!($type);

            fn schema() -> &'static RecordSchema {
                static SCHEMA: LazyLock<RecordSchema> =
                    LazyLock::new(|| RecordSchema::compiled_in(schemas::text::$text));
                &SCHEMA
            }
        }
    };
}

control_record!(DeadEvent, DEAD_EVENT);
control_record!(Decision, DECISION);
control_record!(DeployedQuery, DEPLOYED_QUERY);
control_record!(DeviceEntry, DEVICE_ENTRY);
control_record!(DeviceStatus, DEVICE_STATUS);
control_record!(LateEvent, LATE_EVENT);
control_record!(RoutingCommand, ROUTING_COMMAND);
control_record!(Telemetry, TELEMETRY);

/// The message of a control record whose schema is registered as `schema_id`.
///
/// # Errors
/// [`RecordError::Value`] when the schema cannot hold the value.
pub fn encode<T: ControlRecord>(schema_id: i32, record: &T) -> Result<Vec<u8>, RecordError> {
    let schema = &T::schema().avro;
    let body = apache_avro::to_value(record)
        .and_then(|value| value.resolve(schema))
        .and_then(|value| GenericDatumWriter::builder(schema).build()?.write_value_to_vec(value))
        .map_err(|e| RecordError::Value { record: T::NAME, text: e.to_string() })?;
    let mut message = Vec::with_capacity(confluent::HEADER_BYTES + body.len());
    confluent::put_header(&mut message, schema_id);
    message.extend_from_slice(&body);
    Ok(message)
}

/// Reads a message as a control record.
///
/// # Errors
/// A [`RecordError`] when it is anything else.
pub fn decode<T: ControlRecord>(message: &[u8]) -> Result<T, RecordError> {
    let (_, body) = confluent::split(message)?;
    // Walking the body first bounds what the general decoder allocates by what is really there.
    let mut reader = Reader::new(body);
    let walked = T::schema().ty.skip(&mut reader).and_then(|()| reader.finish());
    walked.map_err(|error| RecordError::Body { record: T::NAME, error })?;
    GenericDatumReader::builder(&T::schema().avro)
        .build()
        .and_then(|datum| datum.read_value(&mut &body[..]))
        .and_then(|value| apache_avro::from_value(&value))
        .map_err(|e| RecordError::Value { record: T::NAME, text: e.to_string() })
}

/// Reads a message of `sluice.control`: Avro, or JSON if the first byte is `{`.
///
/// # Errors
/// A [`RecordError`] that says what is wrong, unknown fields of JSON by name.
pub fn decode_command(message: &[u8]) -> Result<RoutingCommand, RecordError> {
    if json::is_json(message) { json::command(message) } else { decode(message) }
}

/// Reads a message of `sluice.devices`: Avro, or JSON if the first byte is `{`.
///
/// # Errors
/// A [`RecordError`] that says what is wrong, unknown fields of JSON by name.
pub fn decode_entry(message: &[u8]) -> Result<DeviceEntry, RecordError> {
    if json::is_json(message) { json::entry(message) } else { decode(message) }
}
