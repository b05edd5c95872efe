//! What a client reports of its connections, in words that name the setting.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::BOOTSTRAP;

/// The same text is not said again before this time.
const REPEAT_AFTER: Duration = Duration::from_secs(10);

/// The connection trouble of one client, filled by its callbacks.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    reached: AtomicBool,
    last: Mutex<Option<String>>,
    fresh: AtomicBool,
}

impl Trouble {
    /// A broker answered at the address that it advertises: later failures are lost connections.
    pub(crate) fn note_reached(&self) {
        self.reached.store(true, Ordering::Relaxed);
    }

    /// Takes librdkafka's reason for a failed connection.
    pub(crate) fn note(&self, reason: &str) {
        let text = explain(reason, self.reached.load(Ordering::Relaxed));
        *self.last.lock().expect("no panic under the lock") = Some(text);
        self.fresh.store(true, Ordering::Relaxed);
    }

    /// The last text, for errors.
    pub(crate) fn last(&self) -> Option<String> {
        self.last.lock().expect("no panic under the lock").clone()
    }

    /// The last text, if it came since the last call.
    pub(crate) fn take_fresh(&self) -> Option<String> {
        if self.fresh.swap(false, Ordering::Relaxed) { self.last() } else { None }
    }
}

/// How librdkafka names the connection to a group's coordinator, whose address the brokers advertise too.
const COORDINATOR: &str = "GroupCoordinator: ";

/// Puts librdkafka's reason, `ADDRESS/NODE: what happened (details)`, into words.
///
/// NODE is `bootstrap` for an address from the settings, and a number for one that a broker advertises.
fn explain(reason: &str, reached: bool) -> String {
    let Some((address, node, what)) = split(reason) else {
        return reason.to_owned();
    };
    let what = what.split(" (after ").next().unwrap_or(what).trim();
    if node == "bootstrap" {
        format!("can't reach the broker {address}, see {BOOTSTRAP}: {what}")
    } else if reached {
        format!("lost the broker {address}: {what}")
    } else {
        format!(
            "the broker advertises {address}, which can't be reached from here ({what}); \
             see its advertised.listeners and {BOOTSTRAP}"
        )
    }
}

fn split(reason: &str) -> Option<(&str, &str, &str)> {
    if let Some(reason) = reason.strip_prefix(COORDINATOR) {
        let (address, what) = reason.split_once(": ")?;
        return Some((address, COORDINATOR, what));
    }
    let (place, what) = reason.split_once(": ")?;
    let (address, node) = place.rsplit_once('/')?;
    // With a security protocol the address reads `sasl_ssl://HOST:PORT`.
    let address = address.rsplit('/').next().unwrap_or(address);
    let known = node == "bootstrap" || node.parse::<i32>().is_ok();
    (known && !address.contains(' ')).then_some((address, node, what))
}

/// Lets the same text pass at most every ten seconds, also when several take turns.
#[derive(Debug, Default)]
pub(crate) struct Limiter {
    said: HashMap<String, Instant>,
}

impl Limiter {
    /// The text, unless it was said just now.
    pub(crate) fn pass(&mut self, text: String, now: Instant) -> Option<String> {
        self.said.retain(|_, at| now.duration_since(*at) < REPEAT_AFTER);
        if self.said.contains_key(&text) {
            return None;
        }
        self.said.insert(text.clone(), now);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: &str = "127.0.0.1:9/bootstrap: Connect to ipv4#127.0.0.1:9 failed: Connection refused \
                           (after 0ms in state CONNECT)";

    #[test]
    fn an_unreachable_bootstrap_server_names_the_setting() {
        let text = explain(REFUSED, false);
        assert!(text.contains("127.0.0.1:9") && text.contains(BOOTSTRAP), "{text}");
        assert!(text.ends_with("Connection refused"), "{text}");
    }

    #[test]
    fn an_unreachable_advertised_address_is_told_from_a_lost_broker() {
        let reason = "10.9.8.7:9092/1: Failed to connect: timed out";
        assert!(explain(reason, false).contains("advertises 10.9.8.7:9092"));
        assert!(explain(reason, true).contains("lost the broker 10.9.8.7:9092"));
        assert!(explain("sasl_ssl://h:1/2: x", false).contains("advertises h:1,"));
        assert!(explain("GroupCoordinator: h:1: x", false).contains("advertises h:1,"));
    }

    #[test]
    fn other_reasons_stay_as_they_are() {
        for reason in ["1/1 brokers are down", "", "a: b", "GroupCoordinator: x"] {
            assert_eq!(explain(reason, false), reason);
        }
    }

    #[test]
    fn the_same_text_passes_once_in_ten_seconds() {
        let (mut limiter, start) = (Limiter::default(), Instant::now());
        let mut pass =
            |text: &str, s| limiter.pass(text.to_owned(), start + Duration::from_secs(s));
        assert!(pass("a", 0).is_some());
        assert!(pass("a", 9).is_none());
        assert!(pass("a", 11).is_some());
        assert!(pass("b", 12).is_some());
        assert!(pass("a", 13).is_none());
    }

    #[test]
    fn trouble_is_fresh_once() {
        let trouble = Trouble::default();
        trouble.note(REFUSED);
        assert!(trouble.take_fresh().is_some());
        assert!(trouble.take_fresh().is_none());
        assert!(trouble.last().is_some());
    }
}
