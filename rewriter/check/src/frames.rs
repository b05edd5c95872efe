//! The prefix of an input as the split runs it: in frames of random length, each cut at a random place, with encoded frames between the
//! replicas (DESIGN section 3).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use anyhow::{Context as _, Result, anyhow};
use serde::Serialize;
use sluice_engine::Engine;
use sluice_engine::deployed::{self, Site};
use sluice_model::{Cut, DeviceId, Epoch, Incarnation, Input, Seq};
use sluice_wire::{EventsBuffer, FrameHeader, FrameKind, Type, decode_frame, encode_frame};

use crate::events::Event;
use crate::random::Random;

/// An engine of a replica.
pub type Opened = Box<dyn Engine + Send>;

/// Gives the engines of replicas.
pub trait Engines {
    /// An engine for the operators `from + 1..=to` of an input, whose types are `types`.
    ///
    /// # Errors
    /// When there is none.
    fn open(
        &mut self,
        input: &Input,
        types: &[Type],
        range: (i32, i32),
        site: Site,
    ) -> Result<Opened>;
}

impl Engines for deployed::Jvm {
    fn open(
        &mut self,
        input: &Input,
        types: &[Type],
        range: (i32, i32),
        site: Site,
    ) -> Result<Opened> {
        Ok(deployed::engine(input, types, range, site, Some(self))?)
    }
}

/// An event that an operator could not pass on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Death {
    /// Which event of the sample, from 0.
    pub event: usize,
    /// Who could not.
    pub operator: String,
    /// Why.
    pub reason: String,
}

/// A frame at the end of its way.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The first event of the sample that it accounts for.
    pub first: usize,
    /// The last, inclusive.
    pub last: usize,
    /// The operators applied at each stop: at the edge first, N last.
    pub stops: Vec<i32>,
    /// What came out of the last operator: the event of the sample, and what became of it.
    pub outputs: Vec<(usize, Event)>,
    /// The watermark that the frame justifies.
    pub watermark: Option<i64>,
    /// Events that died on the way.
    pub dead: Vec<Death>,
}

/// Runs an input's prefix.
pub struct Replicas<'a> {
    input: &'a Input,
    types: Vec<Type>,
    engines: &'a mut dyn Engines,
    /// By whether it is on the device, and range.
    open: BTreeMap<(bool, i32, i32), Opened>,
    /// Of earlier passes; a process that engines share ends with the last.
    retired: Vec<Opened>,
}

impl<'a> Replicas<'a> {
    /// Replicas of the input's operators; engines are opened when they are needed.
    ///
    /// # Errors
    /// When a type is no event type.
    pub fn new(input: &'a Input, engines: &'a mut dyn Engines) -> Result<Self> {
        let types = deployed::types(input)?;
        Ok(Self { input, types, engines, open: BTreeMap::new(), retired: Vec::new() })
    }

    /// Sends the events of a sample in frames of up to `longest` events, by ways that `random` chooses. Replicas begin anew, since a watermark
    /// generator in them may remember the pass before.
    ///
    /// # Errors
    /// When an engine fails as a whole, or gives what is no frame.
    pub fn pass(
        &mut self,
        sample: &[Event],
        longest: usize,
        random: &mut Random,
    ) -> Result<Vec<Arrived>> {
        self.retired.extend(std::mem::take(&mut self.open).into_values());
        let mut arrived = Vec::new();
        let mut first = 0;
        while first < sample.len() {
            let length = 1 + random.below(longest.min(sample.len() - first));
            let stops = stops(self.input.operator_count(), random);
            arrived.push(self.send(first, &sample[first..first + length], stops)?);
            first += length;
        }
        Ok(arrived)
    }

    fn send(&mut self, first: usize, sample: &[Event], stops: Vec<i32>) -> Result<Arrived> {
        let mut header = header(first, sample.len(), stops[0])?;
        let mut events = EventsBuffer::new();
        for (delta, event) in (0..).zip(sample) {
            events.push(delta, event.time_ms, event.value.as_deref());
        }
        let mut message = encode(&header, &events, 0)?;
        let (mut dead, mut from) = (Vec::new(), 0);
        for (index, &to) in stops.iter().enumerate() {
            let frame = decode_frame(&message, from, self.type_at(from)?)?;
            events.clear();
            let site = if index == 0 { Site::Edge } else { Site::Cloud };
            let engine = self.engine(site, from, to)?;
            let mut bury = |event: &sluice_wire::Event<'_>, death: sluice_engine::Dead| {
                let event = first + usize::try_from(event.delta).unwrap_or(0);
                dead.push(Death {
                    event,
                    operator: death.operator.to_string(),
                    reason: death.reason.to_string(),
                });
            };
            let outcome = engine
                .run_frame(&mut frame.events.iter().copied(), &mut events, &mut bury)
                .map_err(|error| {
                    anyhow!("operators {}..={to} of input {}: {error}", from + 1, self.input.name)
                })?;
            header.watermark = outcome.watermark.or(header.watermark);
            header.dead += i32::try_from(outcome.dead)?;
            header.applied = to;
            message = encode(&header, &events, to)?;
            from = to;
        }
        let frame = decode_frame(&message, from, self.type_at(from)?)?;
        let output = |event: &sluice_wire::Event<'_>| {
            let origin = first + usize::try_from(event.delta).unwrap_or(0);
            (origin, Event { time_ms: event.time, value: event.value.map(<[u8]>::to_vec) })
        };
        let outputs = frame.events.iter().map(output).collect();
        let last = first + sample.len() - 1;
        Ok(Arrived { first, last, stops, outputs, watermark: header.watermark, dead })
    }

    fn engine(&mut self, site: Site, from: i32, to: i32) -> Result<&mut Opened> {
        Ok(match self.open.entry((site == Site::Edge, from, to)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                entry.insert(self.engines.open(self.input, &self.types, (from, to), site)?)
            }
        })
    }

    fn type_at(&self, applied: i32) -> Result<&Type> {
        self.types.get(usize::try_from(applied)?).context("a type is missing")
    }
}

/// A way through `operators` operators: how many are applied at the edge, and at each replica in the cloud.
fn stops(operators: i32, random: &mut Random) -> Vec<i32> {
    let upto = |from: i32, random: &mut Random| {
        from + i32::try_from(random.below(usize::try_from(operators - from).unwrap_or(0) + 1))
            .unwrap_or(0)
    };
    let mut stops = vec![upto(0, random)];
    while let Some(&from) = stops.last().filter(|&&from| from < operators) {
        stops.push(upto(from + 1, random).min(operators));
    }
    stops
}

fn header(first: usize, count: usize, cut: i32) -> Result<FrameHeader> {
    let first = i64::try_from(first)?;
    Ok(FrameHeader {
        kind: FrameKind::Data,
        device: DeviceId::new("check")?,
        incarnation: Incarnation(1),
        previous: None,
        epoch: Epoch::LOWEST,
        left_at: Cut(cut),
        applied: 0,
        first: Seq(first),
        last: Seq(first + i64::try_from(count)? - 1),
        watermark: None,
        dead: 0,
        reason: None,
        dispatched_at: 0,
    })
}

/// A frame of events that went through `applied` operators; that number stands for the schema's id.
fn encode(header: &FrameHeader, events: &EventsBuffer, applied: i32) -> Result<Vec<u8>> {
    let mut message = Vec::new();
    encode_frame(applied, header, events, &mut message)?;
    Ok(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_never_go_back_and_end_behind_the_last_operator() {
        let mut random = Random::new(3);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let stops = stops(3, &mut random);
            assert!(stops.is_sorted() && stops.last() == Some(&3), "{stops:?}");
            assert!(stops[1..].windows(2).all(|pair| pair[0] < pair[1]), "{stops:?}");
            seen.insert(stops);
        }
        assert!(seen.contains(&vec![3]) && seen.contains(&vec![0, 1, 2, 3]), "{seen:?}");
        assert_eq!(super::stops(0, &mut random), [0]);
    }
}
