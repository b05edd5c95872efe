//! Frames that wait, in the order in which they will be passed.

use std::collections::BTreeMap;

use sluice_model::Incarnation;

/// Data goes before a gap, so that a gap never covers seqs that are at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeldKind {
    Data,
    Gap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HeldKey {
    pub incarnation: Incarnation,
    pub first: i64,
    pub kind: HeldKind,
    /// Order of arrival.
    pub ordinal: u64,
}

#[derive(Debug)]
pub(crate) struct HeldFrame<T> {
    pub last: i64,
    pub watermark_ms: Option<i64>,
    pub bytes: u64,
    pub offset: i64,
    /// Seqs below this one were late when the frame arrived.
    pub late_below: i64,
    pub handle: T,
}

/// The frames of a device that were read but not passed, of all incarnations. In event-time order, and for the moment
/// between arrival and passing, a frame that need not wait is here too.
#[derive(Debug)]
pub(crate) struct Held<T> {
    frames: BTreeMap<HeldKey, HeldFrame<T>>,
    bytes: u64,
    arrivals: u64,
}

impl<T> Held<T> {
    pub fn new() -> Self {
        Self { frames: BTreeMap::new(), bytes: 0, arrivals: 0 }
    }

    pub fn push(
        &mut self,
        incarnation: Incarnation,
        first: i64,
        kind: HeldKind,
        frame: HeldFrame<T>,
    ) {
        self.arrivals += 1;
        self.bytes += frame.bytes;
        self.frames.insert(HeldKey { incarnation, first, kind, ordinal: self.arrivals }, frame);
    }

    pub fn remove(&mut self, key: &HeldKey) -> Option<HeldFrame<T>> {
        let frame = self.frames.remove(key)?;
        self.bytes -= frame.bytes;
        Some(frame)
    }

    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn earliest_offset(&self) -> Option<i64> {
        self.frames.values().map(|frame| frame.offset).min()
    }

    /// The first frame in (incarnation, first) order.
    pub fn first(&self) -> Option<HeldKey> {
        self.frames.keys().next().copied()
    }

    /// The first frame of `incarnation` that begins at or below `seq`, data before gaps.
    pub fn beginning_by(&self, incarnation: Incarnation, seq: i64) -> Option<HeldKey> {
        let begun = || self.of(incarnation, i64::MIN).take_while(|key| key.first <= seq);
        begun().find(|key| key.kind == HeldKind::Data).or_else(|| begun().next()).copied()
    }

    /// Where the next frame of `incarnation` behind `seq` begins, of `kind` or of any.
    pub fn next_first(
        &self,
        incarnation: Incarnation,
        seq: i64,
        kind: Option<HeldKind>,
    ) -> Option<i64> {
        let mut behind = self.of(incarnation, seq + 1);
        behind.find(|key| kind.is_none_or(|kind| key.kind == kind)).map(|key| key.first)
    }

    /// A data frame that holds all of `first..=last` already.
    pub fn holder_of(
        &mut self,
        incarnation: Incarnation,
        first: i64,
        last: i64,
    ) -> Option<&mut HeldFrame<T>> {
        let end = HeldKey { incarnation, first, kind: HeldKind::Data, ordinal: u64::MAX };
        let (key, frame) = self.frames.range_mut(..=end).next_back()?;
        (key.incarnation == incarnation && key.kind == HeldKind::Data && frame.last >= last)
            .then_some(frame)
    }

    fn of(&self, incarnation: Incarnation, first: i64) -> impl Iterator<Item = &HeldKey> {
        let start = HeldKey { incarnation, first, kind: HeldKind::Data, ordinal: 0 };
        self.frames
            .range(start..)
            .map(|(key, _)| key)
            .take_while(move |key| key.incarnation == incarnation)
    }
}
