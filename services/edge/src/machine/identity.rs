//! Who this start is: from the hello to the incarnation (DESIGN section 3, Identity).

use sluice_model::Incarnation;

/// How long a hello may stay unread before it is sent again, milliseconds.
const HELLO_AGAIN_MS: i64 = 5_000;

/// The identity of one start of an input.
#[derive(Debug)]
pub struct Identity {
    nonce: String,
    generation: Option<i64>,
    incarnation: Option<Incarnation>,
    /// The newest incarnation seen in a status of this input.
    newest: Option<Incarnation>,
    hello_at: i64,
}

impl Identity {
    /// A start that calls itself `nonce` until the broker numbers it.
    #[must_use]
    pub fn new(nonce: String) -> Self {
        Self { nonce, generation: None, incarnation: None, newest: None, hello_at: i64::MIN }
    }

    /// The name of this start.
    #[must_use]
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// The number of this start, once it has one.
    #[must_use]
    pub fn incarnation(&self) -> Option<Incarnation> {
        self.incarnation
    }

    /// The generation of `sluice.status`, from its `generation` row.
    pub fn handle_generation(&mut self, generation: i64) {
        self.generation = Some(generation);
    }

    /// A hello of this input was read back. The first with our nonce gives the number; returns it once.
    pub fn handle_hello(&mut self, nonce: &str, offset: i64) -> Option<Incarnation> {
        if nonce != self.nonce || self.incarnation.is_some() {
            return None;
        }
        self.incarnation = Some(Incarnation::of_hello(self.generation?, offset));
        self.incarnation
    }

    /// A status of this input names its live incarnation.
    pub fn handle_status(&mut self, incarnation: Incarnation) {
        self.newest = self.newest.max(Some(incarnation));
    }

    /// The incarnation that took this one's place, if one did. A hello alone does not: its start may have died.
    #[must_use]
    pub fn superseded_by(&self) -> Option<Incarnation> {
        self.newest.filter(|newest| self.incarnation.is_some_and(|own| *newest > own))
    }

    /// Whether a hello is to be sent now.
    pub fn poll_hello(&mut self, now: i64) -> bool {
        let due = self.incarnation.is_none() && now >= self.hello_at;
        if due {
            self.hello_at = now + HELLO_AGAIN_MS;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_hello_read_back_gives_the_number() {
        let mut identity = Identity::new("a".into());
        assert!(identity.poll_hello(0));
        assert!(!identity.poll_hello(4_999));
        assert!(identity.poll_hello(5_000), "a lost hello is sent again");
        identity.handle_generation(3);
        assert_eq!(identity.handle_hello("b", 6), None);
        assert_eq!(identity.handle_hello("a", 7), Some(Incarnation::of_hello(3, 7)));
        assert_eq!(identity.handle_hello("a", 8), None);
        assert!(!identity.poll_hello(100_000));
    }

    #[test]
    fn only_a_newer_status_supersedes() {
        let mut identity = Identity::new("a".into());
        identity.handle_generation(1);
        identity.handle_status(Incarnation::of_hello(1, 5));
        identity.handle_hello("a", 9);
        identity.handle_hello("b", 10);
        assert_eq!(identity.superseded_by(), None);
        identity.handle_status(Incarnation::of_hello(1, 10));
        assert_eq!(identity.superseded_by(), Some(Incarnation::of_hello(1, 10)));
    }
}
