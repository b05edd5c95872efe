//! What really happened: every event that a device took, who numbered it, what the broker acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use crate::events::{EventId, Fate};

/// An event.
#[derive(Debug, Clone)]
pub struct Event {
    /// The device that took it.
    pub device: usize,
    /// Its event time.
    pub time_ms: i64,
    /// What the operators do with it.
    pub fate: Fate,
    /// Its acceptance was acknowledged to the source: it was durable.
    pub durable: bool,
    /// The broker acknowledged a frame with it, and all before it.
    pub acknowledged: bool,
    /// How many times copies of the spool were made while it had no number: each delivers it.
    pub unnumbered_copies: usize,
    /// A frame with it was lost by the broker after its acknowledgement.
    pub lost_by_broker: bool,
}

/// An incarnation of a device, as its events were numbered.
#[derive(Debug, Clone, Default)]
pub struct Numbering {
    /// By seq.
    pub events: Vec<EventId>,
    /// By seq, the highest time of an event that reached the assigner so far.
    pub highest_ms: Vec<Option<i64>>,
}

/// The truth.
#[derive(Debug, Default)]
pub struct Truth {
    /// By id.
    pub events: Vec<Event>,
    /// By device and incarnation.
    pub numberings: BTreeMap<(usize, i64), Numbering>,
    /// Events of which a copy lies in `dead`.
    pub dead_copies: BTreeSet<EventId>,
    assigner_after: i32,
}

impl Truth {
    /// Nothing happened yet.
    #[must_use]
    pub fn new(assigner_after: i32) -> Self {
        Self { assigner_after, ..Self::default() }
    }

    /// A device takes an event.
    pub fn take(&mut self, device: usize, time_ms: i64, fate: Fate) -> EventId {
        self.events.push(Event {
            device,
            time_ms,
            fate,
            durable: false,
            acknowledged: false,
            unnumbered_copies: 0,
            lost_by_broker: false,
        });
        EventId(u32::try_from(self.events.len() - 1).expect("few events"))
    }

    /// An event.
    #[must_use]
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.0 as usize]
    }

    /// An event, to be changed.
    pub fn event_mut(&mut self, id: EventId) -> &mut Event {
        &mut self.events[id.0 as usize]
    }

    /// A frame goes out in which the event has this number. The first one counts.
    pub fn number(&mut self, device: usize, incarnation: i64, seq: i64, id: EventId) {
        let reaches = self.event(id).fate.results(self.assigner_after) > 0;
        let time_ms = reaches.then_some(self.event(id).time_ms);
        let numbering = self.numberings.entry((device, incarnation)).or_default();
        if usize::try_from(seq) == Ok(numbering.events.len()) {
            let before = numbering.highest_ms.last().copied().flatten();
            numbering.events.push(id);
            numbering.highest_ms.push(before.max(time_ms));
        }
    }

    /// The event of a number.
    #[must_use]
    pub fn numbered(&self, device: usize, incarnation: i64, seq: i64) -> Option<EventId> {
        let numbering = self.numberings.get(&(device, incarnation))?;
        numbering.events.get(usize::try_from(seq).ok()?).copied()
    }

    /// The highest time that the assigner of the unsplit job has seen behind this seq, all older incarnations before it.
    #[must_use]
    pub fn highest_ms(&self, device: usize, incarnation: i64, seq: i64) -> Option<i64> {
        let older = self.numberings.range((device, i64::MIN)..(device, incarnation));
        let older = older.filter_map(|(_, numbering)| numbering.highest_ms.last()).copied().max();
        let place = usize::try_from(seq).ok();
        let own = place.and_then(|place| {
            let highest = &self.numberings.get(&(device, incarnation))?.highest_ms;
            highest.get(place.min(highest.len().checked_sub(1)?)).copied()
        });
        older.flatten().max(own.flatten())
    }
}
