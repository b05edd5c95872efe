//! One host process for all chains of an agent or replica; started when needed, and again when it died.

use std::fmt::{self, Debug, Formatter};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::Duration;

use super::connection::{Broken, Connection};
use super::counters::Counters;
use super::process::Process;

/// The wait before the second start in a row that opened no chain; it doubles.
const FIRST_BACKOFF: Duration = Duration::from_millis(100);
/// Starts in a row that opened no chain.
const MAX_FAILURES: u32 = 6;

/// How a host is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program `java`.
    pub java: PathBuf,
    /// `sluice-host.jar`.
    pub host: PathBuf,
    /// The most memory for objects, MiB.
    pub heap_mb: u32,
    /// How long a frame may take.
    pub deadline: Duration,
    /// Where its socket lies; only this process uses the folder.
    pub socket_dir: PathBuf,
}

/// The host of this process. Clones are the same one.
#[derive(Clone)]
pub struct Sidecar(Arc<Shared>);

struct Shared {
    options: Options,
    notice: Box<dyn Fn(&str) + Send + Sync>,
    counters: Counters,
    state: Mutex<State>,
    /// Written by who must know that the host's end is its own event's doing.
    turn: RwLock<()>,
}

#[derive(Default)]
struct State {
    process: Option<Process>,
    generation: u64,
    /// What the process of the generation died of.
    cause: String,
    /// Starts since a chain was opened.
    failures: u32,
    /// Chains that exist.
    users: usize,
}

impl Sidecar {
    /// A sidecar without a process yet. `notice` is told what happens to it, for a log.
    pub fn new(options: Options, notice: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            options,
            notice: Box::new(notice),
            counters: Counters::default(),
            state: Mutex::default(),
            turn: RwLock::default(),
        }))
    }

    /// What it has done.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// The id of its process, while there is one.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.state().process.as_ref().map(Process::id)
    }

    pub(super) fn deadline(&self) -> Duration {
        self.0.options.deadline
    }

    /// Held while the host works on a frame.
    pub(super) fn take_turn(&self) -> RwLockReadGuard<'_, ()> {
        self.0.turn.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held while the host works on one event and nothing else.
    pub(super) fn take_all_turns(&self) -> RwLockWriteGuard<'_, ()> {
        self.0.turn.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notice(&self, text: &str) {
        (self.0.notice)(text);
    }

    /// A connection to the host, which is started if need be; `flink` is the version that the job was captured with.
    pub(super) fn connect(&self, flink: &str) -> Result<Connection, String> {
        let mut state = self.state();
        loop {
            if let Some(process) = &mut state.process
                && process.runs()
                && let Ok(stream) = UnixStream::connect(&process.socket)
            {
                if major(&process.flink) != major(flink) {
                    return Err(format!(
                        "the job was captured with Flink {flink}, the host has {}",
                        process.flink
                    ));
                }
                return Ok(Connection::new(stream, state.generation));
            }
            self.start(&mut state)?;
        }
    }

    fn start(&self, state: &mut State) -> Result<(), String> {
        if let Some(mut dead) = state.process.take() {
            state.cause = dead.cause();
            self.notice(&format!("the host {}", state.cause));
        }
        if state.failures >= MAX_FAILURES {
            state.failures = 0;
            return Err(format!(
                "the host {} {MAX_FAILURES} times before it opened a chain",
                state.cause
            ));
        }
        if state.failures > 0 {
            thread::sleep(FIRST_BACKOFF * 2u32.pow(state.failures - 1));
        }
        state.failures += 1;
        state.generation += 1;
        let started = Process::start(&self.0.options, state.generation);
        let process = started.inspect_err(|error| {
            state.cause.clone_from(error);
            self.notice(error);
        })?;
        self.0.counters.started();
        self.notice(&format!("the host runs as process {}", process.id()));
        state.process = Some(process);
        Ok(())
    }

    /// The host opened a chain: its start was not in vain.
    pub(super) fn opened(&self) {
        self.state().failures = 0;
    }

    /// A connection broke: its process, if it is still the one that runs, is ended. Gives what happened, for people.
    pub(super) fn bury(&self, connection: &Connection, broken: Broken) -> String {
        let mut state = self.state();
        if state.generation == connection.generation
            && let Some(mut process) = state.process.take()
        {
            state.cause = match broken {
                Broken::Gone => process.cause(),
                Broken::Deadline => {
                    process.kill();
                    format!("took longer than {} ms", self.0.options.deadline.as_millis())
                }
            };
            self.notice(&format!("the host {}", state.cause));
        }
        state.cause.clone()
    }

    /// One more chain uses the host.
    pub(super) fn join(&self) {
        self.state().users += 1;
    }

    /// A chain is gone; the host goes with the last.
    pub(super) fn leave(&self) {
        let mut state = self.state();
        state.users -= 1;
        if state.users == 0 {
            state.process = None;
        }
    }
}

impl Debug for Sidecar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sidecar").field("options", &self.0.options).finish_non_exhaustive()
    }
}

/// Flink's serialized functions are read by the same major version.
fn major(version: &str) -> &str {
    version.split('.').next().unwrap_or(version)
}
