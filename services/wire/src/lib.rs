//! What Sluice puts on Kafka, as bytes: schemas, frames, control records. Pure: bytes in, values out.
//!
//! | module | what |
//! |---|---|
//! | [`types`], [`parse`] | the part of Avro that events can have, from schema JSON; as JSON for people |
//! | [`reader`], [`writer`], [`varint`] | primitive values, borrowed from the input, appended to a buffer |
//! | [`confluent`] | the five bytes in front of every Avro message |
//! | [`schemas`] | the schemas of all records |
//! | [`frame`] | the frame: the record that every event travels in |
//! | [`record`], [`json`] | control records, and what a person may write in their place |

pub mod confluent;
pub mod frame;
pub mod json;
pub mod parse;
pub mod reader;
pub mod record;
pub mod schemas;
mod show;
pub mod types;
pub mod varint;
pub mod writer;

pub use frame::{
    Event, EventsBuffer, Frame, FrameError, FrameHeader, FrameKind, FrameRange, Previous,
    decode_frame, encode_frame, range_headers,
};
pub use parse::{TypeError, TypeRefusal};
pub use reader::{DecodeError, Reader};
pub use record::{RecordError, decode_command, decode_entry};
pub use schemas::frame_schema;
pub use types::Type;
