//! What is in flight, and the contiguous acknowledged prefix behind it.

use std::collections::BTreeMap;
use std::ops::Range;

use sluice_model::{Cut, Incarnation};
use sluice_spool::Index;

/// Names a frame in flight. Tokens of a discarded producer mean nothing any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub u64);

/// A frame in flight.
#[derive(Debug, Clone, Copy)]
pub struct InFlight {
    pub first: Index,
    pub end: Index,
    pub bytes: usize,
    /// Messages not acknowledged yet.
    pub outstanding: u32,
    pub watermark: Option<i64>,
    pub incarnation: Incarnation,
    /// None for a gap: it is no sign of any path.
    pub cut: Option<Cut>,
    pub sent_at: i64,
}

/// The frames between the cursor and the next event to dispatch, without a gap.
#[derive(Debug)]
pub struct Window {
    frames: BTreeMap<Token, InFlight>,
    next_token: Token,
    cursor: Index,
    bytes: usize,
    /// The watermark of the acknowledged prefix of an incarnation.
    acked: Option<(Incarnation, Option<i64>)>,
    /// When each cut was last acknowledged.
    heard: BTreeMap<Cut, i64>,
}

impl Window {
    pub fn new(cursor: Index) -> Self {
        Self {
            frames: BTreeMap::new(),
            next_token: Token(0),
            cursor,
            bytes: 0,
            acked: None,
            heard: BTreeMap::new(),
        }
    }

    pub fn cursor(&self) -> Index {
        self.cursor
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The watermark of the acknowledged prefix of `incarnation`.
    pub fn acked_watermark(&self, incarnation: Incarnation) -> Option<i64> {
        self.acked.filter(|(of, _)| *of == incarnation).and_then(|(_, watermark)| watermark)
    }

    /// Frames come in the order of their events.
    pub fn push(&mut self, first: Index, frame: InFlight) -> Token {
        debug_assert_eq!(self.frames.values().next_back().map_or(self.cursor, |f| f.end), first);
        let token = self.next_token;
        self.next_token = Token(token.0 + 1);
        self.bytes += frame.bytes;
        self.frames.insert(token, frame);
        token
    }

    /// Counts a message of the frame. Returns the frame when it was its last.
    pub fn acknowledge(&mut self, token: Token, now: i64) -> Option<InFlight> {
        let frame = self.frames.get_mut(&token)?;
        frame.outstanding = frame.outstanding.saturating_sub(1);
        if frame.outstanding > 0 {
            return None;
        }
        let frame = *frame;
        if let Some(cut) = frame.cut {
            self.heard.insert(cut, now);
        }
        self.advance();
        Some(frame)
    }

    /// Puts a range behind the newest frame that the broker has already.
    pub fn push_acknowledged(&mut self, first: Index, end: Index, incarnation: Incarnation) {
        let (watermark, cut) = (None, None);
        self.push(
            first,
            InFlight {
                first,
                end,
                bytes: 0,
                outstanding: 0,
                watermark,
                incarnation,
                cut,
                sent_at: 0,
            },
        );
        self.advance();
    }

    /// Acknowledged ranges behind the cursor.
    pub fn acknowledged_ahead(&self) -> Vec<Range<Index>> {
        let acked = self.frames.values().filter(|frame| frame.outstanding == 0);
        acked.map(|frame| frame.first..frame.end).collect()
    }

    fn advance(&mut self) {
        while let Some(first) =
            self.frames.first_entry().filter(|first| first.get().outstanding == 0)
        {
            let done = first.remove();
            self.cursor = done.end;
            let before = self.acked_watermark(done.incarnation);
            self.acked = Some((done.incarnation, before.max(done.watermark)));
        }
        // An acknowledged frame behind an unacknowledged one holds no bytes of the path.
        self.bytes = self.frames.values().filter(|f| f.outstanding > 0).map(|f| f.bytes).sum();
    }

    pub fn clear(&mut self) {
        self.frames.clear();
        self.bytes = 0;
    }

    /// A cut whose oldest frame waits for longer than `timeout_ms`, while another cut was heard since it was sent. One that
    /// the plan `is_left` behind hangs also where nobody is heard: it may fill the budget, so that nobody can be.
    pub fn hanging(&self, now: i64, timeout_ms: i64, is_left: impl Fn(Cut) -> bool) -> Option<Cut> {
        let waiting = |frame: &&InFlight| frame.outstanding > 0 && frame.cut.is_some();
        let oldest = self.frames.values().find(waiting)?;
        let cut = oldest.cut?;
        let others = self.heard.iter().filter(|(other, _)| **other != cut);
        let heard = others.map(|(_, at)| *at).max();
        let alone = heard > Some(oldest.sent_at) || is_left(cut);
        (now - oldest.sent_at >= timeout_ms && alone).then_some(cut)
    }
}
