//! The acknowledged prefix of one partition of a stage: all that may be committed.

use std::collections::VecDeque;

/// Messages that were taken in order and are done in any order.
///
/// Law: [`next`](Self::next) never passes a message that was taken and is not done, and never goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    next: i64,
    open: VecDeque<Open>,
    /// After a rewind: the message that was the first of those not done, and so must come again first.
    expected: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    offset: i64,
    outputs: usize,
}

/// Whether a message may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is the next one.
    Next,
    /// It was taken already, or is done.
    Known,
    /// One that must come before it was left out: nothing may be committed any more.
    LeftOut,
}

impl Prefix {
    /// The prefix of a partition whose first message has this offset: what is before it is committed.
    #[must_use]
    pub fn starting_at(offset: i64) -> Self {
        Self { next: offset, open: VecDeque::new(), expected: None }
    }

    /// Where a message stands that was read now. Offsets grow, but may have gaps.
    #[must_use]
    pub fn place(&self, offset: i64) -> Place {
        let last = self.open.back().map_or(self.next - 1, |open| open.offset);
        match self.expected {
            _ if offset <= last => Place::Known,
            Some(expected) if offset > expected => Place::LeftOut,
            _ => Place::Next,
        }
    }

    /// Takes the message at `offset`, which is [`Place::Next`]; it is done once `outputs` acknowledgements came.
    pub fn take(&mut self, offset: i64, outputs: usize) {
        debug_assert_eq!(self.place(offset), Place::Next);
        self.expected = None;
        self.open.push_back(Open { offset, outputs });
        self.advance();
    }

    /// Counts an acknowledgement for the message at `offset`.
    pub fn acknowledge(&mut self, offset: i64) {
        if let Ok(i) = self.open.binary_search_by_key(&offset, |open| open.offset) {
            self.open[i].outputs = self.open[i].outputs.saturating_sub(1);
            self.advance();
        }
    }

    fn advance(&mut self) {
        while let Some(done) = self.open.pop_front_if(|open| open.outputs == 0) {
            self.next = done.offset + 1;
        }
    }

    /// Gives up all messages that are not done; they must be read again from [`next`](Self::next).
    pub fn rewind(&mut self) {
        self.expected = self.open.front().map(|open| open.offset).or(self.expected);
        self.open.clear();
    }

    /// The offset to commit: every message before it is done.
    #[must_use]
    pub fn next(&self) -> i64 {
        self.next
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_contiguous_part_counts() {
        let mut prefix = Prefix::starting_at(10);
        for offset in [10, 11, 14] {
            prefix.take(offset, 1);
        }
        prefix.acknowledge(11);
        assert_eq!(prefix.next(), 10);
        prefix.acknowledge(10);
        assert_eq!(prefix.next(), 12);
        prefix.acknowledge(14);
        assert_eq!(prefix.next(), 15);
    }

    #[test]
    fn a_message_is_done_when_all_its_outputs_are() {
        let mut prefix = Prefix::starting_at(0);
        prefix.take(0, 2);
        prefix.acknowledge(0);
        assert_eq!(prefix.next(), 0);
        prefix.acknowledge(0);
        assert_eq!(prefix.next(), 1);
    }

    #[test]
    fn after_a_rewind_the_first_open_message_must_come_first() {
        let mut prefix = Prefix::starting_at(0);
        prefix.take(0, 1);
        prefix.take(3, 1);
        prefix.take(4, 1);
        prefix.acknowledge(0);
        prefix.rewind();
        assert_eq!(prefix.next(), 1);
        assert_eq!(prefix.place(0), Place::Known);
        assert_eq!(prefix.place(4), Place::LeftOut);
        assert_eq!(prefix.place(3), Place::Next);
        prefix.rewind();
        assert_eq!(prefix.place(5), Place::LeftOut);
    }

    proptest! {
        /// A log with gaps, read with rewinds and stale messages, acknowledged in any order.
        #[test]
        fn nothing_undone_is_ever_passed(
            gaps in prop::collection::vec(1..4_i64, 1..40),
            steps in prop::collection::vec((0..4_u8, any::<prop::sample::Index>()), 1..200),
        ) {
            let log: Vec<i64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
            let mut prefix = Prefix::starting_at(log[0]);
            let mut open: BTreeMap<i64, usize> = BTreeMap::new();
            let mut done: BTreeSet<i64> = BTreeSet::new();
            let mut reader = 0;
            let mut before = prefix.next();
            for (step, index) in steps {
                match step {
                    0 if reader < log.len() => {
                        let offset = log[reader];
                        reader += 1;
                        if prefix.place(offset) == Place::Next {
                            let outputs = index.index(3);
                            prefix.take(offset, outputs);
                            if outputs == 0 { done.insert(offset); } else { open.insert(offset, outputs); }
                        }
                    }
                    1 if !open.is_empty() => {
                        let offset = *open.keys().nth(index.index(open.len())).unwrap();
                        prefix.acknowledge(offset);
                        let left = open.get_mut(&offset).unwrap();
                        *left -= 1;
                        if *left == 0 { open.remove(&offset); done.insert(offset); }
                    }
                    2 => {
                        prefix.rewind();
                        open.clear();
                        reader = log.iter().position(|offset| *offset >= prefix.next()).unwrap_or(log.len());
                    }
                    // A stale message from anywhere: taken only where nothing is left out.
                    3 => {
                        let offset = log[index.index(log.len())];
                        let next = log.get(reader).copied();
                        if prefix.place(offset) == Place::Next && Some(offset) == next {
                            prefix.take(offset, 1);
                            open.insert(offset, 1);
                            reader += 1;
                        }
                    }
                    _ => {}
                }
                prop_assert!(prefix.next() >= before);
                before = prefix.next();
                for offset in log.iter().filter(|offset| **offset < prefix.next()) {
                    prop_assert!(done.contains(offset), "{} was passed", offset);
                }
            }
        }
    }
}
