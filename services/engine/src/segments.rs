//! A range of operators that are executed by different engines.

use sluice_wire::{Event, EventsBuffer, Type};

use crate::chain::Dead;
use crate::engine::{Engine, EngineError, FrameOutcome};

/// Engines one behind the other; what comes out of one goes into the next in memory.
pub struct Segments {
    first: Box<dyn Engine + Send>,
    /// With the type of what each takes.
    others: Vec<(Type, Box<dyn Engine + Send>)>,
    between: [EventsBuffer; 2],
}

impl Segments {
    /// Engines in order; each of the others with the type of what it takes from the one before.
    #[must_use]
    pub fn new(first: Box<dyn Engine + Send>, others: Vec<(Type, Box<dyn Engine + Send>)>) -> Self {
        Self { first, others, between: Default::default() }
    }
}

impl Engine for Segments {
    fn run_frame<'a>(
        &mut self,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'a>, Dead),
    ) -> Result<FrameOutcome, EngineError> {
        let Some((last, inner)) = self.others.split_last_mut() else {
            return self.first.run_frame(events, out, dead);
        };
        let events: Vec<Event<'a>> = events.collect();
        let [from, to] = &mut self.between;
        from.clear();
        let mut total = self.first.run_frame(&mut events.iter().copied(), from, dead)?;
        // Whatever it died as, its copy is of what came in.
        let mut died = |event: &Event<'_>, death: Dead| {
            let at = events.partition_point(|original| original.delta < event.delta);
            if let Some(original) = events.get(at) {
                dead(original, death);
            }
        };
        for (taken, engine) in inner {
            to.clear();
            add(&mut total, pass(from, taken, engine, to, &mut died)?);
            std::mem::swap(from, to);
        }
        add(&mut total, pass(from, &last.0, &mut last.1, out, &mut died)?);
        Ok(total)
    }
}

/// Runs what came out of an engine through the next.
fn pass(
    from: &EventsBuffer,
    taken: &Type,
    engine: &mut Box<dyn Engine + Send>,
    to: &mut EventsBuffer,
    died: &mut dyn FnMut(&Event<'_>, Dead),
) -> Result<FrameOutcome, EngineError> {
    let events = from.events(taken).map_err(|error| EngineError(error.to_string()))?;
    engine.run_frame(&mut events.into_iter(), to, &mut |event, death| died(event, death))
}

/// Only one of them has the assigner.
fn add(total: &mut FrameOutcome, outcome: FrameOutcome) {
    total.dead += outcome.dead;
    total.watermark = outcome.watermark.or(total.watermark);
}

impl std::fmt::Debug for Segments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segments").field("others", &self.others.len()).finish_non_exhaustive()
    }
}
