//! What arrives behind an input's operators, read as the residual job would read it.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use sluice_e2e::World;
use sluice_kafka::{Properties, Start, read_to_end};
use sluice_wire::{Reader, Type, confluent, decode_frame};

/// How many events there are of each of `lines`. An event counts once, however often its frame was sent; none may be missing in between, and none may
/// be anything but one of the lines.
pub fn times_of_each(world: &World, topic: &str, lines: &[String]) -> Result<Vec<usize>> {
    let mut events: BTreeMap<(i64, i64), String> = BTreeMap::new();
    let brokers = world.stack.state().brokers.clone();
    let properties = Properties::from([("bootstrap.servers".to_owned(), brokers)]);
    let mut read = Ok(());
    read_to_end(&properties, topic, &Start::Beginning, |message| {
        if read.is_ok() {
            read = take(message.payload.as_deref().unwrap_or_default(), &mut events);
        }
    })?;
    read.with_context(|| topic.to_owned())?;
    let mut times = vec![0; lines.len()];
    let mut next = None;
    for ((incarnation, seq), event) in events {
        let is_next =
            next.map_or(seq == 0, |(of, next)| of != incarnation && seq == 0 || next == seq);
        ensure!(is_next, "{topic}: incarnation {incarnation}: something before {seq} is missing");
        next = Some((incarnation, seq + 1));
        let number = event.split(' ').next().and_then(|number| number.parse::<usize>().ok());
        let number = number.filter(|number| lines.get(*number) == Some(&event));
        times[number.with_context(|| format!("{topic}: `{event}` was not sent"))?] += 1;
    }
    Ok(times)
}

/// The events of a frame, each by its incarnation and number.
fn take(payload: &[u8], events: &mut BTreeMap<(i64, i64), String>) -> Result<()> {
    let (schema_id, _) = confluent::split(payload)?;
    let frame = decode_frame(payload, schema_id, &Type::String)?;
    for event in frame.events {
        let value = event.value.context("an event without its value")?;
        let place = (frame.header.incarnation.0, frame.header.first.0 + i64::from(event.delta));
        let line = Reader::new(value).string()?.to_owned();
        let before = events.insert(place, line.clone());
        ensure!(before.is_none_or(|before| before == line), "{place:?} is two events");
    }
    Ok(())
}
