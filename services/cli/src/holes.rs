//! The holes that a device's frames leave in `out`, and the gap frames that end them.

use std::collections::BTreeMap;

use sluice_model::{Cut, DeviceId, Epoch, Incarnation, Seq};
use sluice_progress::{Coverage, SeqRange};
use sluice_wire::{Frame, FrameHeader, FrameKind, Previous};

/// A range that no frame covers, though something behind it was named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hole {
    /// Who numbered the range.
    pub incarnation: Incarnation,
    /// The range, inclusive.
    pub range: (i64, i64),
}

/// What `out` tells of one device.
#[derive(Debug, Default)]
pub struct Holes {
    incarnations: BTreeMap<Incarnation, Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    coverage: Coverage,
    previous: Option<Previous>,
    epoch: Epoch,
    /// The highest seq that anything named.
    named: i64,
}

impl Holes {
    /// Takes a frame of the device, in the order of `out`.
    pub fn handle_frame(&mut self, frame: &Frame<'_>) {
        let header = &frame.header;
        if let Some(previous) = header.previous {
            self.seen(previous.incarnation).name(previous.end.0);
        }
        let seen = self.seen(header.incarnation);
        seen.previous = header.previous;
        seen.epoch = header.epoch;
        seen.name(header.last.0);
        if header.kind.has_range() {
            seen.coverage.add(SeqRange::new(header.first.0, header.last.0), None);
        }
    }

    fn seen(&mut self, incarnation: Incarnation) -> &mut Seen {
        self.incarnations
            .entry(incarnation)
            .or_insert_with(|| Seen { named: -1, ..Seen::default() })
    }

    /// Every hole, oldest incarnation first.
    pub fn list(&self) -> Vec<Hole> {
        let of = |(incarnation, seen): (&Incarnation, &Seen)| {
            let holes = seen.coverage.holes(seen.named).into_iter();
            let incarnation = *incarnation;
            holes.map(move |h| Hole { incarnation, range: (h.first, h.last) }).collect::<Vec<_>>()
        };
        self.incarnations.iter().flat_map(of).collect()
    }

    /// The frame that declares a hole lost.
    pub fn gap(
        &self,
        device: &DeviceId,
        hole: &Hole,
        operators: i32,
        reason: String,
        now_ms: i64,
    ) -> FrameHeader {
        let seen = self.incarnations.get(&hole.incarnation);
        FrameHeader {
            kind: FrameKind::Gap,
            device: device.clone(),
            incarnation: hole.incarnation,
            previous: seen.and_then(|seen| seen.previous),
            epoch: seen.map_or(Epoch::LOWEST, |seen| seen.epoch),
            left_at: Cut(operators),
            applied: operators,
            first: Seq(hole.range.0),
            last: Seq(hole.range.1),
            watermark: None,
            dead: 0,
            reason: Some(reason),
            dispatched_at: now_ms,
        }
    }
}

impl Seen {
    fn name(&mut self, last: i64) {
        self.named = self.named.max(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(
        kind: FrameKind,
        incarnation: i64,
        first: i64,
        last: i64,
        previous: Option<(i64, i64)>,
    ) -> Frame<'static> {
        let hole = Hole { incarnation: Incarnation(incarnation), range: (first, last) };
        let device = "pi-1".parse().unwrap();
        let header = Holes::default().gap(&device, &hole, 3, "test".to_owned(), 0);
        let previous =
            previous.map(|(i, end)| Previous { incarnation: Incarnation(i), end: Seq(end) });
        Frame { header: FrameHeader { kind, previous, ..header }, events: vec![] }
    }

    #[test]
    fn what_nothing_covers_is_a_hole_up_to_what_was_named() {
        let mut holes = Holes::default();
        holes.handle_frame(&frame(FrameKind::Data, 5, 0, 9, None));
        holes.handle_frame(&frame(FrameKind::Data, 5, 20, 29, None));
        holes.handle_frame(&frame(FrameKind::Data, 7, 0, 3, Some((5, 39))));
        holes.handle_frame(&frame(FrameKind::Heartbeat, 7, 6, 5, Some((5, 39))));
        let hole = |incarnation, range| Hole { incarnation: Incarnation(incarnation), range };
        assert_eq!(holes.list(), [hole(5, (10, 19)), hole(5, (30, 39)), hole(7, (4, 5))]);
        holes.handle_frame(&frame(FrameKind::Gap, 5, 10, 19, None));
        assert_eq!(holes.list(), [hole(5, (30, 39)), hole(7, (4, 5))]);
    }
}
