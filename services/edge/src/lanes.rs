//! The operators of an input, fused for each cut, on the engines that they need.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use sluice_engine::deployed::{self, Site};
use sluice_engine::jvm::CHAIN_THREAD;
use sluice_engine::{Dead, Engine, EngineError, FrameOutcome};
use sluice_jvm::{Engines, Range};
use sluice_model::{Cut, DeployedQuery, InputName};
use sluice_runtime::cpu;
use sluice_wire::{Event, EventsBuffer, Type};

/// How long an engine that can't be had rests before it is tried again.
const REST: Duration = Duration::from_secs(5);

/// An engine, once it can be had.
#[derive(Default)]
struct Lane {
    engine: Option<Box<dyn Engine + Send>>,
    retry_at: Option<Instant>,
}

/// A lane for each cut. Those on the native engine are there from the start, others as soon as the job's files are.
pub struct Lanes {
    engines: Engines,
    query: DeployedQuery,
    /// Which input of the query.
    at: usize,
    types: Vec<Type>,
    /// The user's own assigner at the source: one for all cuts, since it may have a state.
    source: Option<Lane>,
    by_cut: Vec<Lane>,
    /// What the assigner has given a time.
    assigned: EventsBuffer,
    trouble: Option<String>,
}

impl Lanes {
    /// The lanes of an input of a query.
    ///
    /// # Errors
    /// When a type or a native operator can't be compiled, or not even cut 0 can ever run with these settings.
    pub fn new(
        engines: &Engines,
        query: &DeployedQuery,
        input: &InputName,
    ) -> anyhow::Result<Self> {
        let at = query.inputs.iter().position(|candidate| candidate.name == *input);
        let at = at.with_context(|| format!("query {} has no input {input}", query.query))?;
        let input = &query.inputs[at];
        let cuts = 0..=input.operator_count();
        let mut lanes = Self {
            engines: engines.clone(),
            query: DeployedQuery { older: Vec::new(), ..query.clone() },
            at,
            types: deployed::types(input)?,
            source: deployed::needs_jvm(input, 0, 0, Site::Edge).then(Lane::default),
            by_cut: cuts.map(|_| Lane::default()).collect(),
            assigned: EventsBuffer::new(),
            trouble: None,
        };
        for cut in 0..lanes.by_cut.len() {
            if !lanes.needs_jvm(cut) {
                let engine = engines.engine(lanes.range(cut), &lanes.types)?;
                lanes.by_cut[cut].engine = Some(engine);
            }
        }
        let misfit = lanes.source.as_ref().and_then(|_| engines.misfit(lanes.source_range()));
        misfit.map_or(Ok(lanes), |why| Err(anyhow::anyhow!(why)))
    }

    fn needs_jvm(&self, cut: usize) -> bool {
        let range = self.range(cut);
        deployed::needs_jvm(range.input, 0, range.to, range.site)
    }

    /// The assigner alone.
    fn source_range(&self) -> Range<'_> {
        Range { site: Site::Edge, to: 0, ..self.range(0) }
    }

    /// The operators before a cut, without an assigner that runs before all of them.
    fn range(&self, cut: usize) -> Range<'_> {
        let site = if self.source.is_some() { Site::Cloud } else { Site::Edge };
        let to = i32::try_from(cut).unwrap_or(i32::MAX);
        Range { query: &self.query, input: &self.query.inputs[self.at], from: 0, to, site }
    }

    /// Why frames can't leave at `cut` now; none if they can, as far as is known.
    pub fn lack(&self, cut: Cut) -> Option<String> {
        let source = self.source.as_ref().and_then(|_| self.engines.lack(self.source_range()));
        source.or_else(|| self.engines.lack(self.range(usize::try_from(cut.0).unwrap_or(0))))
    }

    /// What keeps frames from the cut that was asked for last, for people.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The highest cut up to `cut` at which frames can leave now; none if not even cut 0 can.
    pub fn clamp(&mut self, cut: Cut) -> Option<Cut> {
        let last = self.by_cut.len() - 1;
        let highest = usize::try_from(cut.0).unwrap_or(0).min(last);
        if self.source.is_some() && !self.is_ready(None) {
            return None;
        }
        let found = (0..=highest).rev().find(|cut| self.is_ready(Some(*cut)))?;
        if found == highest {
            self.trouble = None;
        }
        i32::try_from(found).ok().map(Cut)
    }

    /// Whether a lane, or without a cut the source's, has its engine; makes it if it can be had.
    fn is_ready(&mut self, cut: Option<usize>) -> bool {
        let Some(lane) = self.lane(cut) else { return false };
        if lane.engine.is_some() {
            return true;
        }
        if lane.retry_at.is_some_and(|at| Instant::now() < at) {
            return false;
        }
        let range = cut.map_or_else(|| self.source_range(), |cut| self.range(cut));
        match self.engines.engine(range, &self.types) {
            Ok(engine) => {
                if let Some(lane) = self.lane(cut) {
                    lane.engine = Some(engine);
                }
                true
            }
            Err(error) => {
                self.give_up(cut, &error.to_string());
                false
            }
        }
    }

    fn lane(&mut self, cut: Option<usize>) -> Option<&mut Lane> {
        match cut {
            None => self.source.as_mut(),
            Some(cut) => self.by_cut.get_mut(cut),
        }
    }

    /// A lane has no engine for a while.
    fn give_up(&mut self, cut: Option<usize>, why: &str) {
        if let Some(lane) = self.lane(cut) {
            *lane = Lane { engine: None, retry_at: Some(Instant::now() + REST) };
        }
        let place = cut.map_or_else(|| "the source".to_owned(), |cut| format!("cut {cut}"));
        let trouble = format!("{place}: {why}");
        if self.trouble.as_ref() != Some(&trouble) {
            tracing::warn!(query = %self.query.query, "{trouble}");
            self.trouble = Some(trouble);
        }
    }

    /// Runs events through the operators before `cut` to see what that costs, without an assigner that runs before all of them: it
    /// may have a state. Returns whether they could be run.
    pub fn rehearse<'a>(
        &mut self,
        cut: Cut,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
    ) -> bool {
        let at = usize::try_from(cut.0).unwrap_or(usize::MAX);
        if at >= self.by_cut.len() || self.lack(cut).is_some() || !self.is_ready(Some(at)) {
            return false;
        }
        let Some(engine) = self.by_cut[at].engine.as_mut() else { return false };
        let result = engine.run_frame(events, out, &mut |_, _| {});
        result.inspect_err(|error| self.give_up(Some(at), &error.to_string())).is_ok()
    }

    /// Processor time that this thread has used so far, and for `cut` the host: the time between two calls is what was done there. Other
    /// inputs that use the host at the same moment count too.
    pub fn processor_time(&self, cut: Cut) -> Duration {
        let host = self.engines.host_process().filter(|_| self.is_jvm(cut));
        let in_host = host.map_or(Duration::ZERO, |host| cpu::of_threads(host, CHAIN_THREAD));
        cpu::of_thread() + in_host
    }

    /// Whether the operators before `cut` run in another process.
    pub fn is_jvm(&self, cut: Cut) -> bool {
        usize::try_from(cut.0).is_ok_and(|cut| self.needs_jvm(cut))
    }

    /// Runs a frame's events through the operators before `cut`, for which [`Lanes::clamp`] found an engine.
    ///
    /// # Errors
    /// When an engine failed as a whole; it is given up for a while, and another cut may be asked for.
    pub fn run<'a>(
        &mut self,
        cut: Cut,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'_>, Dead),
    ) -> Result<FrameOutcome, EngineError> {
        let cut = usize::try_from(cut.0).unwrap_or(0);
        let lost = || EngineError("no engine".to_owned());
        let mut total = FrameOutcome::default();
        if self.source.is_some() {
            self.assigned.clear();
            let source = self.source.as_mut().and_then(|lane| lane.engine.as_mut());
            let source = source.ok_or_else(lost)?;
            let result = source
                .run_frame(events, &mut self.assigned, &mut |event, death| dead(event, death));
            total = result.inspect_err(|error| self.give_up(None, &error.to_string()))?;
        }
        let lane = self.by_cut.get_mut(cut).and_then(|lane| lane.engine.as_mut());
        let lane = lane.ok_or_else(lost)?;
        let result = if self.source.is_some() {
            let assigned = self.assigned.events(&self.types[0]);
            let assigned = assigned.map_err(|error| EngineError(error.to_string()))?;
            lane.run_frame(&mut assigned.into_iter(), out, &mut |event, death| dead(event, death))
        } else {
            lane.run_frame(events, out, &mut |event, death| dead(event, death))
        };
        let outcome = result.inspect_err(|error| self.give_up(Some(cut), &error.to_string()))?;
        total.dead += outcome.dead;
        total.watermark = outcome.watermark.or(total.watermark);
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(engines: [&str; 2], assigner: serde_json::Value) -> anyhow::Result<Lanes> {
        let ir = |engine: &str| match engine {
            "native" => "map v(%x: string) -> string {\nstart:\n  return %x\n}",
            _ => "",
        };
        let operators = engines
            .map(|engine| serde_json::json!({"name": engine, "engine": engine, "ir": ir(engine)}));
        let types = ["\"string\""; 3];
        let query = serde_json::json!({"query": "q1", "version": 1, "inputs": [{"name": "lines",
            "partitions": 1, "types": types, "operators": operators, "assigner": assigner}]});
        let query: DeployedQuery = serde_json::from_value(query).unwrap();
        Lanes::new(&Engines::default(), &query, &query.inputs[0].name)
    }

    #[test]
    fn frames_leave_at_the_highest_cut_that_has_an_engine() {
        let mut lanes = lanes(["native", "jvm"], serde_json::Value::Null).unwrap();
        assert_eq!(lanes.clamp(Cut(1)), Some(Cut(1)));
        assert_eq!(lanes.trouble(), None);
        assert_eq!(lanes.clamp(Cut(2)), Some(Cut(1)));
        assert!(lanes.trouble().unwrap().contains("set jvm.host"), "{:?}", lanes.trouble());
        assert!(lanes.lack(Cut(2)).is_some() && lanes.lack(Cut(1)).is_none());
        assert_eq!(lanes.clamp(Cut(7)), Some(Cut(1)));
        assert_eq!(lanes.clamp(Cut(0)), Some(Cut(0)));
        assert_eq!(lanes.trouble(), None);
    }

    #[test]
    fn an_assigner_at_the_source_is_needed_at_every_cut() {
        let assigner = serde_json::json!({"after": 0, "bound_ms": 0, "ir": ""});
        let error = lanes(["native", "native"], assigner).err().unwrap().to_string();
        assert!(error.contains("set jvm.host"), "{error}");
    }
}
