//! The events of a frame: collected in their encoded form, read as spans of the message.

use sluice_model::Seq;

use crate::reader::{DecodeError, Reader};
use crate::types::Type;
use crate::varint::put_long;
use crate::writer::{put_int, put_optional_long};

/// An event of a decoded frame; its value is borrowed from the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its seq, counted from the frame's first.
    pub delta: i32,
    /// Its event time, epoch milliseconds.
    pub time: Option<i64>,
    /// The Avro bytes of its value; none for a null event.
    pub value: Option<&'a [u8]>,
}

impl Event<'_> {
    /// Its seq in a frame whose first is `first`.
    #[must_use]
    pub const fn seq(&self, first: Seq) -> Seq {
        Seq(first.0 + self.delta as i64)
    }
}

/// Events of a frame to be, already encoded. Cleared and used again, it allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct EventsBuffer {
    bytes: Vec<u8>,
    tally: Tally,
}

/// What is known of the events without looking at their bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    count: usize,
    deltas: Option<Deltas>,
    max_time: Option<i64>,
}

/// Where the events lie in the frame's range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deltas {
    pub(super) lowest: i32,
    pub(super) highest: i32,
    /// The first delta that came after a higher one.
    pub(super) disordered: Option<i32>,
}

/// A state of an [`EventsBuffer`] to come back to.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    len: usize,
    tally: Tally,
}

impl EventsBuffer {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all events; keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.tally = Tally::default();
    }

    /// Adds an event whose value is encoded already; `None` is a null event.
    #[inline]
    pub fn push(&mut self, delta: i32, time: Option<i64>, value: Option<&[u8]>) {
        match value {
            Some(value) => self.push_with(delta, time, |out| out.extend_from_slice(value)),
            None => {
                self.begin(delta, time);
                self.bytes.push(0);
            }
        }
    }

    /// Adds an event whose value is what `write` appends: exactly one Avro value of the frame's type.
    ///
    /// To drop events again when writing fails, take a [`mark`](Self::mark) first.
    #[inline]
    pub fn push_with(&mut self, delta: i32, time: Option<i64>, write: impl FnOnce(&mut Vec<u8>)) {
        self.begin(delta, time);
        self.bytes.push(2);
        write(&mut self.bytes);
    }

    #[inline]
    fn begin(&mut self, delta: i32, time: Option<i64>) {
        let tally = &mut self.tally;
        tally.count += 1;
        tally.max_time = tally.max_time.max(time);
        let deltas =
            tally.deltas.get_or_insert(Deltas { lowest: delta, highest: delta, disordered: None });
        if delta < deltas.highest && deltas.disordered.is_none() {
            deltas.disordered = Some(delta);
        }
        deltas.lowest = deltas.lowest.min(delta);
        deltas.highest = deltas.highest.max(delta);
        put_int(&mut self.bytes, delta);
        put_optional_long(&mut self.bytes, time);
    }

    /// The present state, for [`rewind`](Self::rewind).
    #[must_use]
    pub const fn mark(&self) -> Mark {
        Mark { len: self.bytes.len(), tally: self.tally }
    }

    /// Drops all events added since `mark` was taken of this buffer.
    pub fn rewind(&mut self, mark: Mark) {
        self.bytes.truncate(mark.len);
        self.tally = mark.tally;
    }

    /// The number of events.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.tally.count
    }

    /// Whether there is no event.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tally.count == 0
    }

    /// The highest event time, epoch milliseconds; none if no event has one.
    #[must_use]
    pub const fn max_time(&self) -> Option<i64> {
        self.tally.max_time
    }

    /// The size of the encoded events, bytes.
    #[must_use]
    pub const fn byte_len(&self) -> usize {
        self.bytes.len()
    }

    /// The events, whose values are of this type.
    ///
    /// # Errors
    /// When a value is not of the type.
    pub fn events(&self, value_type: &Type) -> Result<Vec<Event<'_>>, DecodeError> {
        let mut reader = Reader::new(&self.bytes);
        (0..self.count()).map(|_| super::read_event(&mut reader, value_type)).collect()
    }

    pub(super) const fn deltas(&self) -> Option<Deltas> {
        self.tally.deltas
    }

    /// Appends the events as an Avro array in one block.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        if !self.is_empty() {
            put_long(out, self.tally.count as i64);
            out.extend_from_slice(&self.bytes);
        }
        put_long(out, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewound_buffer_is_as_it_was() {
        let mut events = EventsBuffer::new();
        events.push(0, Some(5), Some(b"x"));
        let before = format!("{events:?}");
        let mark = events.mark();
        events.push(3, Some(9), None);
        events.push_with(1, None, |out| out.extend_from_slice(b"yz"));
        assert_eq!((events.count(), events.max_time()), (3, Some(9)));
        events.rewind(mark);
        assert_eq!(format!("{events:?}"), before);
    }

    #[test]
    fn what_was_put_in_is_read_again() {
        let mut events = EventsBuffer::new();
        events.push(0, Some(5), Some(&[2]));
        events.push(3, None, None);
        let read = events.events(&Type::Long).unwrap();
        let second = Event { delta: 3, time: None, value: None };
        assert_eq!(read, [Event { delta: 0, time: Some(5), value: Some(&[2]) }, second]);
        assert!(events.events(&Type::Double).is_err());
    }

    #[test]
    fn a_cleared_buffer_is_empty() {
        let mut events = EventsBuffer::new();
        events.push(7, Some(1), None);
        events.clear();
        assert!(events.is_empty());
        assert_eq!((events.count(), events.byte_len(), events.max_time()), (0, 0, None));
        let mut out = Vec::new();
        events.encode(&mut out);
        assert_eq!(out, [0]);
    }
}
