//! Frames as messages: Confluent header, the fields of `schemas/Frame.avsc`, events.
//!
//! Written by hand for the one record that every event passes through; the tests hold it to the bytes of a general
//! Avro library. Both directions check that the fields of a frame agree with each other ([`Contradiction`]).

mod events;
mod header;
mod range;

use sluice_model::NameError;
use thiserror::Error;

pub use events::{Event, EventsBuffer, Mark};
pub use header::{Contradiction, FrameHeader, FrameKind, Previous};
pub use range::{FrameRange, RangeError, range_headers};

use crate::confluent::{self, EnvelopeError};
use crate::{DecodeError, Reader, Type};

/// A decoded frame; the values are borrowed from the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The fields in front of the events.
    pub header: FrameHeader,
    /// The events, by delta.
    pub events: Vec<Event<'a>>,
}

/// A message that is no frame of the expected type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Not in the Confluent wire format.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// A schema other than that of the topic's frames.
    #[error("schema id {found}, but the frames of this topic have {expected}")]
    SchemaId {
        /// That of the topic's frames.
        expected: i32,
        /// That of the message.
        found: i32,
    },
    /// Bytes that do not follow the schema.
    #[error(transparent)]
    Body(#[from] DecodeError),
    /// A device that is no name.
    #[error(transparent)]
    Device(#[from] NameError),
    /// Fields that cannot stand together.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
}

/// Appends the message of a frame to `out`.
///
/// # Errors
/// The [`Contradiction`] for which every reader would refuse the frame; `out` is unchanged then.
pub fn encode_frame(
    schema_id: i32,
    header: &FrameHeader,
    events: &EventsBuffer,
    out: &mut Vec<u8>,
) -> Result<(), Contradiction> {
    header.check_with(events)?;
    confluent::put_header(out, schema_id);
    header.encode(out);
    events.encode(out);
    Ok(())
}

/// Reads a message as a frame of values of `value_type`, whose schema has the registry id `schema_id`.
///
/// Everything is checked but whether strings within values are UTF-8.
///
/// # Errors
/// A [`FrameError`] when the message is anything else.
pub fn decode_frame<'a>(
    message: &'a [u8],
    schema_id: i32,
    value_type: &Type,
) -> Result<Frame<'a>, FrameError> {
    let (found, body) = confluent::split(message)?;
    if found != schema_id {
        return Err(FrameError::SchemaId { expected: schema_id, found });
    }
    let mut reader = Reader::new(body);
    let header = FrameHeader::decode(&mut reader)?;
    let mut events: Vec<Event<'a>> = Vec::new();
    reader.blocks(|reader| {
        let event = read_event(reader, value_type)?;
        header.check_delta(event.delta, events.last().map_or(0, |before| before.delta))?;
        events.push(event);
        Ok::<_, FrameError>(())
    })?;
    reader.finish()?;
    Ok(Frame { header, events })
}

#[inline]
fn read_event<'a>(reader: &mut Reader<'a>, value_type: &Type) -> Result<Event<'a>, DecodeError> {
    let delta = reader.int()?;
    let time = reader.optional_long()?;
    let value = match reader.index(2)? {
        0 => None,
        _ => {
            let start = reader.position();
            value_type.skip(reader)?;
            Some(reader.since(start))
        }
    };
    Ok(Event { delta, time, value })
}
