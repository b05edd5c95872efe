//! A spool with an intake, and what went into it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sluice_sources::{Content, Intake, Observer};
use sluice_spool::{Batch, Index, Options, Spool};

const DEADLINE: Duration = Duration::from_secs(30);

/// What an observer was told.
#[derive(Default)]
pub struct Seen {
    pub accepted: AtomicU64,
    pub oversize: AtomicU64,
    pub repeated: AtomicU64,
    pub refused: Mutex<Vec<&'static str>>,
    pub connections: AtomicU64,
    pub trouble: Mutex<Vec<String>>,
}

impl Observer for Seen {
    fn accepted(&self, events: u64) {
        self.accepted.fetch_add(events, Ordering::Relaxed);
    }
    fn oversize(&self, _event: Vec<u8>) {
        self.oversize.fetch_add(1, Ordering::Relaxed);
    }
    fn held(&self, _time: Duration) {}
    fn done(&self, _is_done: bool) {}
    fn connected(&self, trouble: Option<&str>) {
        match trouble {
            None => drop(self.connections.fetch_add(1, Ordering::Relaxed)),
            Some(trouble) => self.trouble.lock().unwrap().push(trouble.to_owned()),
        }
    }
    fn repeated(&self, events: u64) {
        self.repeated.fetch_add(events, Ordering::Relaxed);
    }
    fn refused(&self, reason: &'static str) {
        self.refused.lock().unwrap().push(reason);
    }
}

/// One run of a source over a spool.
pub struct Run {
    pub spool: Spool,
    pub seen: Arc<Seen>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<anyhow::Result<()>>,
}

/// Options of a spool in `folder`.
pub fn options(folder: &std::path::Path) -> Options {
    Options { min_sync_interval: Duration::from_millis(1), ..Options::new(folder.to_owned()) }
}

/// Opens the spool and starts the source that `start` makes of the intake.
pub fn run<S>(
    options: &Options,
    start: impl FnOnce(Intake) -> anyhow::Result<S>,
    go: impl FnOnce(S) -> anyhow::Result<()> + Send + 'static,
) -> Run
where
    S: Send + 'static,
{
    let spool = Spool::open(options).unwrap();
    spool.begin_start("a start", 1).unwrap();
    let (seen, stop) = (Arc::new(Seen::default()), Arc::new(AtomicBool::new(false)));
    let source =
        start(Intake::new(spool.clone(), Content::Text, stop.clone(), seen.clone())).unwrap();
    let thread = std::thread::spawn(move || go(source));
    Run { spool, seen, stop, thread }
}

impl Run {
    /// Waits until so many events are safe.
    pub fn await_events(&self, count: u64) {
        assert!(
            self.spool.wait_durable(Index(count), Instant::now() + DEADLINE).unwrap(),
            "{} of {count} events",
            self.spool.durable().0
        );
    }

    /// Ends the source and gives all events that the spool holds.
    pub fn stop(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap().unwrap();
        let all = events(&self.spool);
        self.spool.close().unwrap();
        all
    }
}

/// All events of a spool.
pub fn events(spool: &Spool) -> Vec<String> {
    let (mut all, mut batch) = (Vec::new(), Batch::new());
    while Index(all.len() as u64) < spool.durable() {
        spool.read(Index(all.len() as u64), 1_000, 1 << 20, &mut batch).unwrap();
        all.extend(batch.values().map(text));
    }
    all
}

/// The text of an Avro string.
fn text(value: &[u8]) -> String {
    String::from_utf8(sluice_wire::Reader::new(value).bytes().unwrap().to_vec()).unwrap()
}

/// Waits until a condition holds.
pub fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

/// An intake of a new spool that nobody stops.
pub fn intake(folder: &std::path::Path) -> Intake {
    let spool = Spool::open(&options(folder)).unwrap();
    spool.begin_start("a start", 1).unwrap();
    Intake::new(spool, Content::Text, Arc::default(), Arc::new(Seen::default()))
}
