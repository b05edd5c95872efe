//! The handle: opening a spool, and its calls.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::batch::Limits;
use crate::ledger::{Entry, Run};
use crate::open::Opened;
use crate::reader::Reader;
use crate::shared::{Shared, lock};
use crate::state::{Bounds, State};
use crate::syncer::Syncer;
use crate::{AppendError, Batch, Directory, Disk, Index, Options, SpoolError};

/// An open spool; a cheap handle, to be cloned for each thread. The last one dropped closes it.
///
/// # On disk
/// `<first index>.seg` files of blocks, `journal`, `lock`. A block is a 32-byte header (magic, length, first index,
/// number of records, how many records before it were not durable yet, checksums) and its records, each with 12
/// bytes (length, time of acceptance) before the value.
#[derive(Clone)]
pub struct Spool {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    syncer: Mutex<Option<JoinHandle<()>>>,
    reader: Mutex<Reader>,
    oldest: Mutex<Reader>,
    torn_bytes: u64,
}

impl Spool {
    /// Opens the spool in `options.dir`, or creates it. A torn tail is cut off.
    ///
    /// # Errors
    /// [`SpoolError::Locked`] if it is open elsewhere, [`SpoolError::Damaged`] if records or journal entries that
    /// were once durable are unreadable or missing.
    pub fn open(options: &Options) -> Result<Spool, SpoolError> {
        Spool::open_on(Box::new(Directory::lock(&options.dir)?), options)
    }

    /// Opens the spool on a given disk; `options.dir` is not used.
    ///
    /// # Errors
    /// As [`Spool::open`].
    pub fn open_on(disk: Box<dyn Disk>, options: &Options) -> Result<Spool, SpoolError> {
        let Opened { mut journal, segments, active, next, torn_bytes } = Opened::new(&*disk)?;
        let written = journal.take_written();
        let cursor = journal.ledger().cursor();
        let state =
            State::new(Bounds::new(options), segments, next, cursor, journal.runs(Some(next)));
        let shared = Arc::new(Shared::new(disk, state, journal));
        shared.count_written(written);
        let syncer = Syncer::new(shared.clone(), active, options.disk_retry);
        let thread = thread::Builder::new().name("spool-syncer".into()).spawn(move || syncer.run());
        let thread = thread.map_err(|error| SpoolError::read("start its syncer", error))?;
        Ok(Spool {
            inner: Arc::new(Inner {
                shared,
                syncer: Mutex::new(Some(thread)),
                reader: Mutex::default(),
                oldest: Mutex::default(),
                torn_bytes,
            }),
        })
    }

    /// Begins a start: from now on records are accepted. Durable when it returns. Returns the index of the first
    /// record that the start may number.
    ///
    /// # Errors
    /// [`SpoolError::Misuse`] if this was called since the spool was opened.
    pub fn begin_start(&self, nonce: &str, started_at_ms: i64) -> Result<Index, SpoolError> {
        let shared = &self.inner.shared;
        let mut begun = Index(0);
        shared.record(|_| {
            let state = shared.state();
            state.usable()?;
            if state.started {
                return Err(SpoolError::Misuse("a start was begun already"));
            }
            begun = state.next();
            Ok(Some(Entry::Start { first: begun, started_at_ms, nonce: nonce.to_owned() }))
        })?;
        Ok(begun)
    }

    /// Gives this start, and the earlier starts that never got a number, an incarnation. Durable when it returns.
    /// The first number wins: the same one again changes nothing.
    ///
    /// # Errors
    /// [`SpoolError::Misuse`] without a start, for a second number, or for one that does not grow.
    pub fn number_start(&self, incarnation: i64) -> Result<(), SpoolError> {
        let shared = &self.inner.shared;
        shared.record(|journal| {
            let state = shared.state();
            state.usable()?;
            if !state.started {
                return Err(SpoolError::Misuse("number_start before begin_start"));
            }
            match journal.ledger().incarnation() {
                Some(number) if number == incarnation => Ok(None),
                Some(_) => Err(SpoolError::Misuse("the start has another number already")),
                None if journal.ledger().newest_incarnation() >= Some(incarnation) => {
                    Err(SpoolError::Misuse("an incarnation must be higher than all earlier ones"))
                }
                None => Ok(Some(Entry::Number { incarnation })),
            }
        })
    }

    /// The runs that still matter, oldest first: those with records that are not acknowledged, and at least the
    /// newest older one that numbered a record. The last one is open (no end) once a start was begun.
    #[must_use]
    pub fn runs(&self) -> Vec<Run> {
        self.inner.shared.state().runs.clone()
    }

    /// Appends a record and returns its index. It is durable once [`Spool::durable`] is higher. Waits for the disk
    /// only while the unsynced buffer is full.
    ///
    /// # Errors
    /// See [`AppendError`]; nothing was appended then.
    pub fn append(&self, value: &[u8], accepted_at_ms: i64) -> Result<Index, AppendError> {
        self.append_batch(&[value], accepted_at_ms).map(|appended| appended.start)
    }

    /// Appends records in order, as many as there is room for, and returns their indexes.
    ///
    /// # Errors
    /// See [`AppendError`]; only if not even the first one could be appended.
    pub fn append_batch(
        &self,
        values: &[impl AsRef<[u8]>],
        accepted_at_ms: i64,
    ) -> Result<Range<Index>, AppendError> {
        let shared = &self.inner.shared;
        let mut state = shared.state();
        let first = state.next();
        for value in values {
            let value = value.as_ref();
            let refusal = loop {
                match state.refusal(value.len()) {
                    None if state.must_wait(value.len()) => state = shared.await_progress(state),
                    refusal => break refusal,
                }
            };
            match refusal {
                None => {
                    if state.append(value, accepted_at_ms) {
                        shared.notify_work();
                    }
                }
                Some(error) if state.next() == first => return Err(error),
                Some(_) => break,
            }
        }
        Ok(first..state.next())
    }

    /// The largest value that this spool takes, in bytes.
    #[must_use]
    pub fn max_value_bytes(&self) -> usize {
        self.inner.shared.state().bounds.value
    }

    /// Waits until a value of this size would be accepted; false at the deadline.
    ///
    /// # Errors
    /// The spool has failed or is closed.
    pub fn wait_for_room(&self, value_bytes: usize, deadline: Instant) -> Result<bool, SpoolError> {
        let room =
            |state: &State| !matches!(state.refusal(value_bytes), Some(AppendError::Full(_)));
        self.inner.shared.wait_until(deadline, |state| room(state) && state.usable().is_ok())
    }

    /// The index that the next record gets.
    #[must_use]
    pub fn next_index(&self) -> Index {
        self.inner.shared.state().next()
    }

    /// Every record below is on the disk.
    #[must_use]
    pub fn durable(&self) -> Index {
        self.inner.shared.state().durable()
    }

    /// Waits until every record below `index` is durable; false at the deadline.
    ///
    /// # Errors
    /// The spool has failed or is closed.
    pub fn wait_durable(&self, index: Index, deadline: Instant) -> Result<bool, SpoolError> {
        self.inner.shared.wait_until(deadline, |state| state.durable() >= index)
    }

    /// Waits until the record `from` can be read; false at the deadline.
    ///
    /// # Errors
    /// The spool has failed or is closed.
    pub fn wait_readable(&self, from: Index, deadline: Instant) -> Result<bool, SpoolError> {
        self.wait_durable(from.plus(1), deadline)
    }

    /// Reads durable records from `from` on into `batch`, up to the limits (of records, and of bytes of values), but
    /// at least one if there is one. Returns how many; 0 at the end of what is durable. Meant for one dispatcher:
    /// reads that follow each other are cheap.
    ///
    /// # Errors
    /// [`SpoolError::Gone`] below the cursor; [`SpoolError::Damaged`] for unreadable records.
    pub fn read(
        &self,
        from: Index,
        limit_records: usize,
        limit_bytes: usize,
        batch: &mut Batch,
    ) -> Result<usize, SpoolError> {
        let limits = Limits { records: limit_records, bytes: limit_bytes };
        lock(&self.inner.reader).read(&self.inner.shared, from, &limits, batch)?;
        Ok(batch.len())
    }

    /// Every record below is acknowledged by the broker.
    #[must_use]
    pub fn cursor(&self) -> Index {
        self.inner.shared.state().cursor()
    }

    /// Advances the cursor; a lower one changes nothing. Segments that it frees are removed in the background, the
    /// cursor being made durable first.
    ///
    /// # Errors
    /// [`SpoolError::Misuse`] beyond what is durable; the spool has failed or is closed.
    pub fn advance_cursor(&self, to: Index) -> Result<(), SpoolError> {
        let mut state = self.inner.shared.state();
        state.usable()?;
        let free = state.advance_cursor(to)?;
        drop(state);
        if free {
            self.inner.shared.notify_work();
        }
        Ok(())
    }

    /// Makes the cursor durable, if it has moved: bounds what a restart sends again. To be called about once a
    /// second.
    ///
    /// # Errors
    /// The disk is full, or the spool has failed or is closed.
    pub fn persist_cursor(&self) -> Result<(), SpoolError> {
        self.inner.shared.state().usable()?;
        self.inner.shared.record_cursor(false)
    }

    /// Bytes of the log: segment files and what waits to be written. Never above `max_bytes`.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.inner.shared.state().bytes()
    }

    /// Bytes of records held in memory.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let readers = lock(&self.inner.reader).held_bytes() + lock(&self.inner.oldest).held_bytes();
        self.inner.shared.state().held_bytes() + readers
    }

    /// Bytes written to the disk since the spool was opened: the wear of an SD card.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.inner.shared.written()
    }

    /// How much of a torn tail was cut off when the spool was opened, in bytes.
    #[must_use]
    pub fn torn_bytes(&self) -> u64 {
        self.inner.torn_bytes
    }

    /// When the oldest record that is durable and not acknowledged was accepted, in ms since the epoch.
    ///
    /// # Errors
    /// As [`Spool::read`].
    pub fn oldest_accepted_at_ms(&self) -> Result<Option<i64>, SpoolError> {
        let mut batch = Batch::new();
        let mut reader = lock(&self.inner.oldest);
        loop {
            let cursor = self.cursor();
            let read = reader.read(
                &self.inner.shared,
                cursor,
                &Limits { records: 1, bytes: 0 },
                &mut batch,
            );
            match read {
                Err(SpoolError::Gone { .. } | SpoolError::Damaged { .. })
                    if self.cursor() > cursor => {}
                read => return read.map(|()| (!batch.is_empty()).then(|| batch.accepted_at_ms(0))),
            }
        }
    }

    /// Makes everything durable, the cursor too, and stops the syncer. Every handle is closed.
    ///
    /// # Errors
    /// The spool has failed, or the disk was full and the records that were not durable are lost.
    pub fn close(&self) -> Result<(), SpoolError> {
        self.inner.close()
    }
}

impl Inner {
    fn close(&self) -> Result<(), SpoolError> {
        let mut state = self.shared.state();
        state.closing = true;
        state.hurry = true;
        drop(state);
        self.shared.notify_work();
        self.shared.notify_progress();
        let Some(syncer) = lock(&self.syncer).take() else { return Ok(()) };
        let _ = syncer.join(); // a panic has failed the spool
        self.shared.record_cursor(true)?;
        let state = self.shared.state();
        match &state.failed {
            Some(reason) => Err(SpoolError::Failed(reason.clone())),
            None if state.durable() < state.next() => {
                Err(SpoolError::DiskFull { what: "write the last records".into() })
            }
            None => Ok(()),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _ = self.close(); // whoever wants to know calls `close`
    }
}
