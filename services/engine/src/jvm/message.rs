//! Bodies of messages: a chain's description, events there, events and deaths back.

use std::sync::Arc;

use sluice_wire::varint::put_long;
use sluice_wire::writer::{put_bytes, put_int, put_optional_long, put_string};
use sluice_wire::{DecodeError, Event, EventsBuffer, Reader};

use super::chain::ChainSpec;
use super::connection::HEADER_BYTES;
use crate::chain::Dead;
use crate::reason::Reason;

pub(super) const OPEN: u8 = 1;
pub(super) const RUN: u8 = 2;
pub(super) const OPENED: u8 = 16;
pub(super) const RAN: u8 = 17;

/// An event that died in a function.
#[derive(Debug)]
pub(super) struct Death {
    pub(super) delta: i32,
    pub(super) dead: Dead,
}

/// Leaves room for the header.
fn begin(out: &mut Vec<u8>) {
    out.clear();
    out.resize(HEADER_BYTES, 0);
}

fn put_list<T>(out: &mut Vec<u8>, items: &[T], put: impl Fn(&mut Vec<u8>, &T)) {
    if !items.is_empty() {
        put_long(out, items.len() as i64);
        items.iter().for_each(|item| put(out, item));
    }
    put_long(out, 0);
}

/// The message that opens a chain.
pub(super) fn put_open(out: &mut Vec<u8>, spec: &ChainSpec) {
    begin(out);
    put_string(out, &spec.jar.to_string_lossy());
    put_string(out, &spec.capture.to_string_lossy());
    put_list(out, &spec.schemas, |out, text| put_string(out, text));
    put_list(out, &spec.types, |out, text| put_string(out, text));
    put_list(out, &spec.steps, |out, step| {
        put_string(out, step.kind_name());
        put_int(out, step.node);
        put_string(out, &step.name);
        put_long(out, step.bound_ms);
    });
}

/// The message with the events of a frame or of a part of it.
pub(super) fn put_run(out: &mut Vec<u8>, events: &[Event<'_>]) {
    begin(out);
    put_long(out, events.len() as i64);
    for event in events {
        put_int(out, event.delta);
        put_optional_long(out, event.time);
        match event.value {
            None => out.push(0),
            Some(value) => {
                out.push(2);
                put_bytes(out, value);
            }
        }
    }
}

/// Takes the answer to a frame in: outputs into `out`, deaths into `deaths`; gives the watermark.
pub(super) fn read_ran(
    body: &[u8],
    out: &mut EventsBuffer,
    deaths: &mut Vec<Death>,
) -> Result<Option<i64>, DecodeError> {
    let mut reader = Reader::new(body);
    for _ in 0..fixed(&mut reader)? {
        let delta = reader.int()?;
        let time = reader.optional_long()?;
        let size = fixed(&mut reader)?;
        let value = if size < 0 { None } else { Some(reader.take(size as usize)?) };
        out.push(delta, time, value);
    }
    for _ in 0..reader.long()? {
        let delta = reader.int()?;
        let operator: Arc<str> = reader.string()?.into();
        let reason = Reason::Thrown(reader.string()?.into());
        deaths.push(Death { delta, dead: Dead { operator, reason } });
    }
    let watermark = reader.optional_long()?;
    reader.finish()?;
    Ok(watermark)
}

fn fixed(reader: &mut Reader<'_>) -> Result<i32, DecodeError> {
    let bytes = reader.take(4)?;
    Ok(i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// The text of an error.
pub(super) fn read_error(body: &[u8]) -> String {
    Reader::new(body).string().unwrap_or("an error without a text").to_owned()
}
