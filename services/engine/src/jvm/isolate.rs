//! A frame that kills the host: tried again, then halved until the event that does it is found.

use std::sync::Arc;

use sluice_wire::{Event, EventsBuffer};

use super::chain::{Failed, JvmChain};
use super::message::Death;
use crate::chain::Dead;
use crate::engine::EngineError;
use crate::reason::Reason;

/// Events of a frame that are given up in a row; if there are more it is not the events.
const MAX_POISON: u32 = 16;

impl JvmChain {
    /// Runs the events of a frame, whatever the host dies of; gives the watermark.
    pub(super) fn run(
        &mut self,
        events: &[Event<'_>],
        out: &mut EventsBuffer,
    ) -> Result<Option<i64>, EngineError> {
        self.poison = 0;
        // Twice, since the death may be another chain's doing.
        for _ in 0..2 {
            if let Some(watermark) = self.part(events, out)? {
                return Ok(watermark);
            }
        }
        self.halve(events, out)
    }

    /// Runs a part of a frame beside other chains; none if the host died.
    fn part(
        &mut self,
        events: &[Event<'_>],
        out: &mut EventsBuffer,
    ) -> Result<Option<Option<i64>>, EngineError> {
        let sidecar = self.sidecar.clone();
        let _turn = sidecar.take_turn();
        match self.attempt(events, out) {
            Ok(watermark) => {
                self.poison = 0;
                Ok(Some(watermark))
            }
            Err(Failed::Died(_)) => Ok(None),
            Err(Failed::Engine(error)) => Err(error),
        }
    }

    /// Events of a part at which the host died.
    fn halve(
        &mut self,
        events: &[Event<'_>],
        out: &mut EventsBuffer,
    ) -> Result<Option<i64>, EngineError> {
        let Some(middle) = middle(events) else { return self.judge(events, out) };
        let mut highest = None;
        for half in [&events[..middle], &events[middle..]] {
            let watermark = match self.part(half, out)? {
                Some(watermark) => watermark,
                None => self.halve(half, out)?,
            };
            highest = highest.max(watermark);
        }
        Ok(highest)
    }

    /// One event, alone in the host: if the host dies now, it is the event's doing.
    fn judge(
        &mut self,
        events: &[Event<'_>],
        out: &mut EventsBuffer,
    ) -> Result<Option<i64>, EngineError> {
        let Some(event) = events.first() else { return Ok(None) };
        let sidecar = self.sidecar.clone();
        let _turns = sidecar.take_all_turns();
        match self.attempt(events, out) {
            Ok(watermark) => Ok(watermark),
            Err(Failed::Engine(error)) => Err(error),
            Err(Failed::Died(cause)) if self.poison == MAX_POISON => {
                Err(EngineError(format!("the JVM {cause} at {MAX_POISON} events in a row")))
            }
            Err(Failed::Died(cause)) => {
                self.poison += 1;
                self.sidecar.counters().poisoned();
                let operator: Arc<str> = self.name().into();
                let reason = Reason::Killed(format!("the JVM {cause} each time").into());
                self.deaths.push(Death { delta: event.delta, dead: Dead { operator, reason } });
                Ok(None)
            }
        }
    }
}

/// Where to cut, so that events of one delta stay together; none if they all are.
fn middle(events: &[Event<'_>]) -> Option<usize> {
    let half = events.get(events.len() / 2)?.delta;
    let before = events.partition_point(|event| event.delta < half);
    let behind = events.partition_point(|event| event.delta <= half);
    [before, behind].into_iter().find(|at| (1..events.len()).contains(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_delta_stay_together() {
        let at = |deltas: &[i32]| {
            let event = |delta: &i32| Event { delta: *delta, time: None, value: None };
            middle(&deltas.iter().map(event).collect::<Vec<_>>())
        };
        assert_eq!(at(&[]), None);
        assert_eq!(at(&[4]), None);
        assert_eq!(at(&[4, 4, 4]), None);
        assert_eq!(at(&[1, 2]), Some(1));
        assert_eq!(at(&[1, 1, 1, 2]), Some(3));
        assert_eq!(at(&[1, 2, 2, 2]), Some(1));
        assert_eq!(at(&[1, 2, 3, 4]), Some(2));
    }
}
