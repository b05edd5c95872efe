//! A chain of operators in the host.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use sluice_model::FunctionKind;
use sluice_wire::{Event, EventsBuffer};

use super::connection::{Broken, Connection};
use super::message::{self, Death};
use super::sidecar::Sidecar;
use crate::chain::Dead;
use crate::engine::{Engine, EngineError, FrameOutcome};

/// Tries to open a chain; each may cost a start of the host.
const OPEN_TRIES: u32 = 3;
/// How long that may take: classes are loaded, and functions may read files.
const OPEN_DEADLINE: Duration = Duration::from_secs(60);

/// A chain as the host must know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainSpec {
    /// The user's jar.
    pub jar: PathBuf,
    /// The capture of the job.
    pub capture: PathBuf,
    /// Flink's version at the capture.
    pub flink: String,
    /// Avro schemas (JSON) of T(from)..T(to).
    pub schemas: Vec<String>,
    /// As many entries of the capture with the Java types; empty for texts or bytes of the source.
    pub types: Vec<String>,
    /// The operators, and the assigner where it stands.
    pub steps: Vec<StepSpec>,
}

/// A function of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepSpec {
    /// What it is.
    pub kind: FunctionKind,
    /// Its node in the captured graph.
    pub node: i32,
    /// The operator's name, or `assigner`.
    pub name: String,
    /// Of an assigner: the bound of the out-of-orderness, milliseconds.
    pub bound_ms: i64,
}

impl StepSpec {
    pub(super) fn kind_name(&self) -> &'static str {
        match self.kind {
            FunctionKind::Map => "map",
            FunctionKind::FlatMap => "flat_map",
            FunctionKind::Filter => "filter",
            FunctionKind::Process => "process",
            FunctionKind::Project => "project",
            FunctionKind::Schema => "schema",
            FunctionKind::Assigner => "assigner",
        }
    }
}

/// Executes a chain in the host.
#[derive(Debug)]
pub struct JvmChain {
    pub(super) sidecar: Sidecar,
    spec: ChainSpec,
    connection: Option<Connection>,
    request: Vec<u8>,
    answer: Vec<u8>,
    pub(super) deaths: Vec<Death>,
    /// Events given up since the host answered.
    pub(super) poison: u32,
}

/// Why a frame has no outcome.
pub(super) enum Failed {
    /// The host died of it, perhaps; how, for people.
    Died(String),
    /// Nothing can be done.
    Engine(EngineError),
}

impl JvmChain {
    /// Opens the chain in the host, which is started if it does not run.
    ///
    /// # Errors
    /// When the host does not start, or can't load or open the functions; for people.
    pub fn open(sidecar: &Sidecar, spec: ChainSpec) -> Result<Self, EngineError> {
        sidecar.join();
        let mut chain = Self {
            sidecar: sidecar.clone(),
            spec,
            connection: None,
            request: Vec::new(),
            answer: Vec::new(),
            deaths: Vec::new(),
            poison: 0,
        };
        let _turn = sidecar.take_turn();
        chain.connect()?;
        Ok(chain)
    }

    fn connect(&mut self) -> Result<(), EngineError> {
        let mut cause = String::new();
        for _ in 0..OPEN_TRIES {
            let mut connection = self.sidecar.connect(&self.spec.flink).map_err(EngineError)?;
            message::put_open(&mut self.request, &self.spec);
            let deadline = Instant::now() + OPEN_DEADLINE;
            match connection.exchange(message::OPEN, &mut self.request, &mut self.answer, deadline)
            {
                Ok(message::OPENED) => {
                    self.sidecar.opened();
                    self.connection = Some(connection);
                    return Ok(());
                }
                Ok(_) => return Err(EngineError(message::read_error(&self.answer))),
                Err(broken) => cause = self.sidecar.bury(&connection, broken),
            }
        }
        Err(EngineError(format!("the host {cause} while it opened the functions")))
    }

    /// Runs events once; the outputs come into `out`, the deaths into `deaths`.
    pub(super) fn attempt(
        &mut self,
        events: &[Event<'_>],
        out: &mut EventsBuffer,
    ) -> Result<Option<i64>, Failed> {
        let before = out.mark();
        let known_deaths = self.deaths.len();
        if self.connection.is_none() {
            self.connect().map_err(Failed::Engine)?;
        }
        let Some(mut connection) = self.connection.take() else {
            return Err(Failed::Died("no connection".to_owned()));
        };
        message::put_run(&mut self.request, events);
        let began = Instant::now();
        let deadline = began + self.sidecar.deadline();
        match connection.exchange(message::RUN, &mut self.request, &mut self.answer, deadline) {
            Ok(message::RAN) => {
                let watermark = message::read_ran(&self.answer, out, &mut self.deaths);
                if let Ok(watermark) = watermark {
                    self.sidecar.counters().answered(events.len(), began.elapsed());
                    self.connection = Some(connection);
                    return Ok(watermark);
                }
                // A process that answers nonsense is as good as dead.
                out.rewind(before);
                self.deaths.truncate(known_deaths);
                self.sidecar.bury(&connection, Broken::Deadline);
                Err(Failed::Died("gave an answer that can't be read".to_owned()))
            }
            Ok(_) => Err(Failed::Engine(EngineError(message::read_error(&self.answer)))),
            Err(broken) => Err(Failed::Died(self.sidecar.bury(&connection, broken))),
        }
    }

    /// The operator that is named where it is not known which of them it was.
    pub(super) fn name(&self) -> String {
        let names: Vec<&str> = self.spec.steps.iter().map(|step| &*step.name).collect();
        names.join("+")
    }
}

impl Drop for JvmChain {
    fn drop(&mut self) {
        self.connection = None;
        self.sidecar.leave();
    }
}

impl Engine for JvmChain {
    fn run_frame<'a>(
        &mut self,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'a>, Dead),
    ) -> Result<FrameOutcome, EngineError> {
        let events: Vec<Event<'a>> = events.collect();
        self.deaths.clear();
        let watermark = self.run(&events, out)?;
        let outcome =
            FrameOutcome { watermark, dead: u32::try_from(self.deaths.len()).unwrap_or(u32::MAX) };
        let mut rest = &events[..];
        for Death { delta, dead: death } in self.deaths.drain(..) {
            let at = rest.partition_point(|event| event.delta < delta);
            let Some(event) = rest.get(at) else { continue };
            dead(event, death);
            rest = &rest[at..];
        }
        Ok(outcome)
    }
}
