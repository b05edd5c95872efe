//! What the broker is still to be told. Pure.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use sluice_spool::Index;

use super::link::Message;

/// The messages of a session that are not acknowledged yet.
///
/// The broker can't give the number of a message to another one before its acknowledgement. So when it sends one again with the number and the
/// content of a message that waits here, it is the same message, and it is not accepted twice. Once an acknowledgement was sent, it may have been
/// lost with the connection, and nothing can be told of what comes again.
#[derive(Debug, Default)]
pub struct Session {
    /// In the order in which they were accepted: in this order they must be acknowledged.
    waiting: VecDeque<Waiting>,
    /// Their acknowledgement is about to be sent.
    handed: VecDeque<Waiting>,
    /// Of an earlier connection, by number: accepted, but the broker was not told.
    untold: HashMap<u16, Waiting>,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    packet_id: u16,
    content: u64,
    /// It may be acknowledged when everything below is safe.
    end: Index,
}

impl Session {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the broker was told of everything.
    pub fn is_settled(&self) -> bool {
        self.waiting.is_empty() && self.handed.is_empty()
    }

    /// A connection is there. Without the session of before the broker sends nothing again.
    pub fn connected(&mut self, session_present: bool) {
        let untold = self.handed.drain(..).chain(self.waiting.drain(..));
        self.untold.extend(untold.map(|one| (one.packet_id, one)));
        if !session_present {
            self.untold.clear();
        }
    }

    /// Whether a message is one that was accepted already. It will be acknowledged.
    pub fn recognise(&mut self, message: &Message) -> bool {
        // Whatever it is, the broker has given the number to it now.
        let Some(known) = message.packet_id.and_then(|id| self.untold.remove(&id)) else {
            return false;
        };
        let is_same = message.is_repeated && known.content == hash(&message.payload);
        if is_same {
            self.waiting.push_back(known);
        }
        is_same
    }

    /// A message was accepted; it is safe when everything below `end` is.
    pub fn accepted(&mut self, message: &Message, end: Index) {
        if let Some(packet_id) = message.packet_id {
            self.waiting.push_back(Waiting { packet_id, content: hash(&message.payload), end });
        }
    }

    /// What was accepted at `first` and behind was not taken after all.
    pub fn forget_from(&mut self, first: Index) {
        self.waiting.retain(|waiting| waiting.end <= first);
    }

    /// The numbers to acknowledge now, in order.
    pub fn due(&mut self, durable: Index) -> Vec<u16> {
        let due = self.waiting.iter().take_while(|waiting| waiting.end <= durable).count();
        let due: Vec<Waiting> = self.waiting.drain(..due).collect();
        self.handed.extend(&due);
        due.iter().map(|waiting| waiting.packet_id).collect()
    }

    /// An acknowledgement was sent.
    pub fn sent(&mut self, packet_id: u16) {
        // They are sent in the order in which they were handed over.
        if self.handed.front().is_some_and(|handed| handed.packet_id == packet_id) {
            self.handed.pop_front();
        }
    }
}

fn hash(payload: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    payload.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(packet_id: u16, is_repeated: bool, text: &str) -> Message {
        Message { packet_id: Some(packet_id), is_repeated, payload: text.into() }
    }

    #[test]
    fn messages_are_acknowledged_in_order_once_they_are_safe() {
        let mut session = Session::default();
        session.accepted(&message(1, false, "a"), Index(1));
        session.accepted(&message(2, false, "b"), Index(2));
        session.accepted(&message(3, false, "large, not taken"), Index(2));
        session.accepted(&message(4, false, "c"), Index(3));
        assert!(session.due(Index(0)).is_empty());
        assert_eq!(session.due(Index(2)), [1, 2, 3]);
        assert_eq!(session.due(Index(9)), [4]);
        assert!(session.is_empty());
    }

    #[test]
    fn what_comes_again_before_its_acknowledgement_is_recognised() {
        let mut session = Session::default();
        session.accepted(&message(1, false, "a"), Index(1));
        session.accepted(&message(2, false, "b"), Index(2));
        session.connected(true);
        assert!(session.is_empty(), "the old connection's messages wait for being sent again");
        assert!(session.recognise(&message(1, true, "a")));
        assert!(!session.recognise(&message(2, true, "something else")));
        assert!(!session.recognise(&message(2, true, "b")), "the number was given anew");
        assert_eq!(session.due(Index(2)), [1]);
    }

    #[test]
    fn an_acknowledged_number_may_mean_another_message() {
        let mut session = Session::default();
        session.accepted(&message(1, false, "20.0"), Index(1));
        assert_eq!(session.due(Index(1)), [1]);
        session.sent(1);
        session.connected(true);
        assert!(!session.recognise(&message(1, true, "20.0")));
    }

    #[test]
    fn an_acknowledgement_that_was_not_sent_is_given_again() {
        let mut session = Session::default();
        session.accepted(&message(1, false, "20.0"), Index(1));
        assert_eq!(session.due(Index(1)), [1]);
        session.connected(true);
        assert!(session.recognise(&message(1, true, "20.0")));
        assert_eq!(session.due(Index(1)), [1]);
    }

    #[test]
    fn a_new_session_knows_nothing() {
        let mut session = Session::default();
        session.accepted(&message(1, false, "a"), Index(1));
        session.connected(false);
        assert!(!session.recognise(&message(1, true, "a")));
    }

    #[test]
    fn what_was_not_taken_is_not_acknowledged() {
        let mut session = Session::default();
        session.accepted(&message(1, false, "a"), Index(1));
        session.accepted(&message(2, false, "b"), Index(2));
        session.forget_from(Index(1));
        assert_eq!(session.due(Index(9)), [1]);
    }
}
