//! The handle: opening a spool, starts, appends, closing.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::ledger::{Entry, Run};
use crate::open::Opened;
use crate::reader::Reader;
use crate::shared::{Shared, lock};
use crate::state::{Bounds, State};
use crate::syncer::Syncer;
use crate::{AppendError, Directory, Disk, Full, Index, Mode, Options, SpoolError};

/// An open spool; a cheap handle, to be cloned for each thread. The last one dropped closes it.
///
/// # On disk
/// `<first index>.seg` files of blocks, `journal`, `lock`. A block is a 32-byte header (magic, length, first index,
/// number of records, how many records before it were not durable yet, checksums) and its records, each with 12
/// bytes (length, time of acceptance) before the value.
#[derive(Clone)]
pub struct Spool {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub shared: Arc<Shared>,
    syncer: Mutex<Option<JoinHandle<()>>>,
    pub reader: Mutex<Reader>,
    pub oldest: Mutex<Reader>,
    pub torn_bytes: u64,
    pub lost_records: u64,
}

impl Spool {
    /// Opens the spool in `options.dir`, or creates it. A torn tail is cut off; records that were once durable and are
    /// unreadable or missing become [holes](Spool::holes).
    ///
    /// # Errors
    /// [`SpoolError::Locked`] if it is open elsewhere, [`SpoolError::Damaged`] if journal entries that were once
    /// durable are unreadable or missing, [`SpoolError::ReadOnly`] on a read-only file system.
    pub fn open(options: &Options) -> Result<Spool, SpoolError> {
        Spool::open_on(Box::new(Directory::lock(&options.dir)?), options)
    }

    /// Opens the spool on a given disk; `options.dir` is not used.
    ///
    /// # Errors
    /// As [`Spool::open`].
    pub fn open_on(disk: Box<dyn Disk>, options: &Options) -> Result<Spool, SpoolError> {
        let Opened { mut journal, segments, active, quarantine, next, torn_bytes } =
            Opened::new(&*disk, options.quarantine_bytes)?;
        let written = journal.take_written();
        let lost_records = journal.ledger().reserved().since(next);
        let state = State::new(Bounds::new(options), segments, next, journal.ledger());
        let shared = Arc::new(Shared::new(disk, state, journal, quarantine));
        shared.count_written(written);
        let syncer = Syncer::new(shared.clone(), active, options);
        let thread = thread::Builder::new().name("spool-syncer".into()).spawn(move || syncer.run());
        let thread = thread.map_err(|error| SpoolError::read("start its syncer", error))?;
        Ok(Spool {
            inner: Arc::new(Inner {
                shared,
                syncer: Mutex::new(Some(thread)),
                reader: Mutex::default(),
                oldest: Mutex::default(),
                torn_bytes,
                lost_records,
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

    /// Appends a record and returns its index. Its source may be acknowledged once [`Spool::durable`] is higher.
    /// Waits for the disk only while the buffer for it is full ([`Options::unsynced_bytes`], or in [`Mode::Spill`]
    /// [`Options::memory_bytes`]).
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
                    None if state.must_wait(value.len()) => {
                        state.pressed = true;
                        shared.notify_work();
                        state = shared.await_progress(state);
                    }
                    refusal => break refusal,
                }
            };
            match refusal {
                None => {
                    if state.append(value, accepted_at_ms) {
                        shared.notify_work();
                    }
                }
                Some(error) => {
                    if matches!(error, AppendError::Full(_)) {
                        state.want(value.len());
                    }
                    if state.next() == first {
                        return Err(error);
                    }
                    break;
                }
            }
        }
        if state.bounds.mode != Mode::Disk {
            shared.notify_progress();
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

    /// Every record below is as safe as the [mode](Options::mode) promises, so that its source may be acknowledged,
    /// and may be read (but for [holes](Spool::holes)).
    #[must_use]
    pub fn durable(&self) -> Index {
        self.inner.shared.state().durable()
    }

    /// Every record below is on the disk (fsynced), acknowledged, or in a hole: no crash loses it.
    #[must_use]
    pub fn on_disk(&self) -> Index {
        self.inner.shared.state().on_disk()
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

    /// Writes everything that is in memory only (not in [`Mode::Memory`]), makes the cursor durable, and stops the
    /// syncer. Every handle is closed.
    ///
    /// # Errors
    /// The spool has failed, or the disk was full or read-only and the records that were not on it are lost.
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
        let (failed, blocked, mode) = (state.failed.clone(), state.blocked, state.bounds.mode);
        let (next, pending) = (state.next(), state.pending_bytes() > 0);
        let started = state.started;
        drop(state);
        if let Some(reason) = failed {
            return Err(SpoolError::Failed(reason));
        }
        if mode != Mode::Disk && started {
            // What the next open calls lost is exact then.
            self.shared.record(|_| Ok(Some(Entry::Reserve { to: next })))?;
        }
        let what = "write the last records".to_owned();
        match (pending && mode != Mode::Memory, blocked) {
            (false, _) => Ok(()),
            (true, Some(Full::ReadOnly)) => Err(SpoolError::ReadOnly { what }),
            (true, _) => Err(SpoolError::DiskFull { what }),
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _ = self.close(); // whoever wants to know calls `close`
    }
}
