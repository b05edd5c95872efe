//! Items that are sent in turns, some of them later than they arose.

use crate::random::Random;

/// What is to be sent in this turn, and in later ones.
#[derive(Clone, Debug)]
pub(crate) struct Turns<T> {
    turn: u64,
    /// Items of this turn, the next one last.
    due: Vec<T>,
    /// Items of later turns, each with its turn.
    later: Vec<(u64, T)>,
}

impl<T> Turns<T> {
    pub(crate) fn new() -> Turns<T> {
        Turns { turn: 0, due: Vec::new(), later: Vec::new() }
    }

    /// The next item; none when the turn is over.
    pub(crate) fn next(&mut self) -> Option<T> {
        self.due.pop()
    }

    /// Adds an item to be sent `delay` turns from now; in this turn for 0.
    pub(crate) fn add(&mut self, item: T, delay: u32) {
        match delay {
            0 => self.due.push(item),
            _ => self.later.push((self.turn + u64::from(delay), item)),
        }
    }

    /// Begins the next turn with the items that were kept for it.
    pub(crate) fn begin(&mut self) {
        self.turn += 1;
        let turn = self.turn;
        self.due.extend(self.later.extract_if(.., |(due, _)| *due <= turn).map(|(_, item)| item));
    }

    /// Makes everything due that was kept for later turns.
    pub(crate) fn hurry(&mut self) {
        self.due.extend(self.later.drain(..).map(|(_, item)| item));
    }

    /// Puts the items of this turn in a random order.
    pub(crate) fn shuffle(&mut self, random: &mut Random) {
        random.shuffle(&mut self.due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(turns: &mut Turns<char>) -> String {
        let mut sent: Vec<char> = std::iter::from_fn(|| turns.next()).collect();
        sent.sort_unstable();
        sent.into_iter().collect()
    }

    #[test]
    fn items_are_sent_in_their_turn() {
        let mut turns = Turns::new();
        for (item, delay) in [('a', 0), ('b', 1), ('c', 2), ('d', 1), ('e', 9)] {
            turns.add(item, delay);
        }
        assert_eq!(all(&mut turns), "a");
        turns.begin();
        assert_eq!(all(&mut turns), "bd");
        turns.begin();
        turns.add('f', 0);
        turns.shuffle(&mut Random::new(1, 1));
        assert_eq!(all(&mut turns), "cf");
        turns.hurry();
        assert_eq!(all(&mut turns), "e");
        turns.begin();
        assert_eq!(all(&mut turns), "");
    }
}
