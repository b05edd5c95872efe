//! The way into the spool: what every source does with its events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sluice_spool::{AppendError, Index, Spool, SpoolError};
use sluice_wire::writer::put_bytes;

/// How long a source waits before it looks again whether it is to stop.
const GLANCE: Duration = Duration::from_millis(100);
/// What an event costs in the spool beside its bytes, at most.
const OVERHEAD_BYTES: usize = 32;

/// What a source's events are to their input: T(0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Text. What is not UTF-8 is replaced, as Java's UTF-8 decoder does.
    Text,
    /// Bytes as they are.
    Bytes,
}

/// What happens at a source, for those who count.
pub trait Observer: Send + Sync {
    /// Events went into the spool.
    fn accepted(&self, events: u64);
    /// An event was not taken: it is larger than the spool allows.
    fn oversize(&self, event: Vec<u8>);
    /// The source had to wait this long until the spool took its events.
    fn held(&self, time: Duration);
    /// A bounded source is accepted whole, or has begun.
    fn done(&self, is_done: bool);
    /// The source is connected to where its events come from, or is not, and why.
    fn connected(&self, trouble: Option<&str>);
    /// An event came that the other side says it may have sent before.
    fn repeated(&self, events: u64);
    /// Requests or messages were refused; nothing of them was accepted.
    fn refused(&self, reason: &'static str);
}

/// What a source has of its input.
#[derive(Clone)]
pub struct Intake {
    spool: Spool,
    content: Content,
    stop: Arc<AtomicBool>,
    observer: Arc<dyn Observer>,
}

/// Why events were not taken; none of them were.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The spool is full.
    #[error("the spool is full")]
    Full,
    /// An event is too large.
    #[error("an event of {bytes} bytes is larger than the {limit} that the spool takes")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The source is to stop.
    #[error("the source is stopping")]
    Stopping,
    /// The spool has failed.
    #[error(transparent)]
    Failed(#[from] SpoolError),
}

impl Intake {
    /// An intake of `spool` that ends when `stop` is set.
    #[must_use]
    pub fn new(
        spool: Spool,
        content: Content,
        stop: Arc<AtomicBool>,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self { spool, content, stop, observer }
    }

    /// Whether the source is to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Who counts.
    #[must_use]
    pub fn observer(&self) -> &dyn Observer {
        &*self.observer
    }

    /// The index that the next event gets: the number of events accepted so far, ever. Those of a crashed start that were not durable are not among them.
    #[must_use]
    pub fn position(&self) -> Index {
        self.spool.next_index()
    }

    /// Whether the spool takes an encoded event of this size.
    #[must_use]
    pub fn takes(&self, value_bytes: usize) -> bool {
        value_bytes <= self.spool.max_value_bytes()
    }

    /// Puts the Avro form of an event into `out`.
    pub fn encode(&self, event: &[u8], out: &mut Vec<u8>) {
        match self.content {
            Content::Text => put_bytes(out, String::from_utf8_lossy(event).as_bytes()),
            Content::Bytes => put_bytes(out, event),
        }
    }

    /// The Avro form of an event.
    #[must_use]
    pub fn encoded(&self, event: &[u8]) -> Vec<u8> {
        // With room for the length in front.
        let mut value = Vec::with_capacity(event.len() + 5);
        self.encode(event, &mut value);
        value
    }

    /// Accepts all of the encoded `values`, in order, waiting while the spool is full. Values that are too large are left out and counted.
    /// Gives the number of those left out, or none when the source is to end first.
    ///
    /// # Errors
    /// When the spool has failed.
    pub fn accept(&self, values: &[Vec<u8>]) -> Result<Option<u64>, SpoolError> {
        let began = Instant::now();
        let mut oversize = 0;
        let mut rest = values;
        while let Some(first) = rest.first() {
            if self.is_stopped() {
                return Ok(None);
            }
            match self.spool.append_batch(rest, sluice_runtime::clock::now_ms()) {
                Ok(accepted) => {
                    let n = accepted.end.since(accepted.start);
                    self.observer.accepted(n);
                    rest = &rest[usize::try_from(n).unwrap_or(rest.len())..];
                }
                Err(AppendError::Full(_)) => {
                    self.spool.wait_for_room(first.len(), Instant::now() + GLANCE)?;
                }
                Err(AppendError::TooLarge { .. }) => {
                    self.observer.oversize(first.clone());
                    oversize += 1;
                    rest = &rest[1..];
                }
                Err(AppendError::Refused(error)) => return Err(error),
            }
        }
        self.observer.held(began.elapsed());
        Ok(Some(oversize))
    }

    /// Accepts all of the encoded `values` or none of them, at once. Gives the index behind them: they are safe when [`Intake::wait_durable`] says so.
    /// Only one thread may offer at a time.
    ///
    /// # Errors
    /// A [`Refused`].
    pub fn offer(&self, values: &[Vec<u8>]) -> Result<Index, Refused> {
        let limit = self.spool.max_value_bytes();
        if let Some(large) = values.iter().find(|value| value.len() > limit) {
            return Err(Refused::TooLarge { bytes: large.len(), limit });
        }
        let bytes = values.iter().map(|value| value.len() + OVERHEAD_BYTES).sum::<usize>();
        if !self.spool.wait_for_room(bytes.min(limit), Instant::now())? {
            return Err(Refused::Full);
        }
        // There was room a moment ago. Should it not have sufficed to the last byte, the rest waits: it must not be half accepted.
        match self.accept(values)? {
            Some(_) => Ok(self.spool.next_index()),
            None => Err(Refused::Stopping),
        }
    }

    /// Waits until everything below `index` is as safe as the spool's mode promises. False when the source is to end first.
    ///
    /// # Errors
    /// When the spool has failed.
    pub fn wait_durable(&self, index: Index) -> Result<bool, SpoolError> {
        while !self.spool.wait_durable(index, Instant::now() + GLANCE)? {
            if self.is_stopped() {
                // The events that were accepted are still on their way to the disk.
                return self.spool.wait_durable(index, Instant::now() + 10 * GLANCE);
            }
        }
        Ok(true)
    }

    /// The index below which everything is safe.
    #[must_use]
    pub fn durable(&self) -> Index {
        self.spool.durable()
    }
}
