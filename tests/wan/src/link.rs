//! What can be set and read of a relay while it runs.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::bucket::Bucket;
use crate::connection::Connection;

/// The limit of one direction. 0 bytes per second is a black hole: connections stay open and nothing passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// As fast as the machine goes.
    Unlimited,
    /// At most so many bytes of payload a second, over all connections of the link.
    BytesPerSecond(u64),
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rate::Unlimited => f.write_str("unlimited"),
            Rate::BytesPerSecond(rate) => rate.fmt(f),
        }
    }
}

impl FromStr for Rate {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Rate, Self::Err> {
        if text == "unlimited" {
            Ok(Rate::Unlimited)
        } else {
            Ok(Rate::BytesPerSecond(text.parse()?))
        }
    }
}

/// What a link has carried so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Payload bytes delivered from the devices to the upstream.
    pub up_bytes: u64,
    /// Payload bytes delivered from the upstream to the devices.
    pub down_bytes: u64,
    /// Connections open now.
    pub open_connections: u64,
    /// Connections opened since the start, refused ones not counted.
    pub opened_connections: u64,
}

/// The handle of a relay: cheap to clone, every change acts at once, on open connections too.
#[derive(Clone, Debug, Default)]
pub struct Link(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    up: Direction,
    down: Direction,
    delay_us: AtomicU64,
    opened: AtomicU64,
    gate: Mutex<Gate>,
}

#[derive(Debug, Default)]
pub(crate) struct Direction {
    pub(crate) bucket: Bucket,
    pub(crate) delivered_bytes: AtomicU64,
}

/// Cut flag and open connections change together, so that no connection slips in beside a cut.
#[derive(Debug, Default)]
struct Gate {
    cut: bool,
    open: Vec<Arc<Connection>>,
}

impl Link {
    /// Limits both directions, each on its own.
    pub fn set_rate(&self, rate: Rate) {
        self.set_up_rate(rate);
        self.set_down_rate(rate);
    }

    /// Limits the direction from the device to the upstream.
    pub fn set_up_rate(&self, rate: Rate) {
        self.0.up.bucket.set_rate(rate);
    }

    /// Limits the direction from the upstream to the device.
    pub fn set_down_rate(&self, rate: Rate) {
        self.0.down.bucket.set_rate(rate);
    }

    /// The limits of the way up and the way down.
    pub fn rates(&self) -> (Rate, Rate) {
        (self.0.up.bucket.rate(), self.0.down.bucket.rate())
    }

    /// Delays each direction by `delay`; bytes already under way keep theirs.
    pub fn set_delay(&self, delay: Duration) {
        self.0.delay_us.store(delay.as_micros().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The one-way delay.
    pub fn delay(&self) -> Duration {
        Duration::from_micros(self.0.delay_us.load(Ordering::Relaxed))
    }

    /// Drops all connections, with what is under way in them, and closes new ones until [`Link::restore`].
    pub fn cut(&self) {
        let open = {
            let mut gate = self.0.gate.lock().unwrap_or_else(PoisonError::into_inner);
            gate.cut = true;
            std::mem::take(&mut gate.open)
        };
        for connection in open {
            connection.close();
            self.0.up.bucket.wake();
            self.0.down.bucket.wake();
        }
    }

    /// Lets new connections in again.
    pub fn restore(&self) {
        self.0.gate.lock().unwrap_or_else(PoisonError::into_inner).cut = false;
    }

    /// Whether the link is cut.
    pub fn is_cut(&self) -> bool {
        self.0.gate.lock().unwrap_or_else(PoisonError::into_inner).cut
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        Stats {
            up_bytes: self.0.up.delivered_bytes.load(Ordering::Relaxed),
            down_bytes: self.0.down.delivered_bytes.load(Ordering::Relaxed),
            open_connections: self.0.gate.lock().unwrap_or_else(PoisonError::into_inner).open.len()
                as u64,
            opened_connections: self.0.opened.load(Ordering::Relaxed),
        }
    }

    /// Adds an open connection; false while the link is cut.
    pub(crate) fn admit(&self, connection: &Arc<Connection>) -> bool {
        let mut gate = self.0.gate.lock().unwrap_or_else(PoisonError::into_inner);
        if !gate.cut {
            gate.open.push(connection.clone());
            self.0.opened.fetch_add(1, Ordering::Relaxed);
        }
        !gate.cut
    }

    /// Closes one connection and forgets it.
    pub(crate) fn dismiss(&self, connection: &Arc<Connection>) {
        connection.close();
        self.0.up.bucket.wake();
        self.0.down.bucket.wake();
        let mut gate = self.0.gate.lock().unwrap_or_else(PoisonError::into_inner);
        gate.open.retain(|open| !Arc::ptr_eq(open, connection));
    }

    pub(crate) fn up(&self) -> &Direction {
        &self.0.up
    }

    pub(crate) fn down(&self) -> &Direction {
        &self.0.down
    }
}
