//! A check must find engines that do not do what Flink does.

use anyhow::Result;
use sluice_check::Finding;
use sluice_check::frames::{Engines, Opened};
use sluice_engine::deployed::{Jvm, Site};
use sluice_engine::{Dead, Engine, EngineError, FrameOutcome};
use sluice_equivalence::cases::{CASES, Case};
use sluice_equivalence::seed;
use sluice_equivalence::workshop::workshop;
use sluice_model::Input;
use sluice_wire::{Event, EventsBuffer, Type};

/// What engines in the cloud do wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// They lose the first event of a frame of several.
    Lose,
    /// They pass it on twice.
    Double,
    /// Their watermarks run ahead.
    Hurry,
}

struct Meddling(Jvm, Fault);

impl Engines for Meddling {
    fn open(
        &mut self,
        input: &Input,
        types: &[Type],
        range: (i32, i32),
        site: Site,
    ) -> Result<Opened> {
        let engine = self.0.open(input, types, range, site)?;
        Ok(match site {
            Site::Edge => engine,
            Site::Cloud => Box::new(Meddled(engine, self.1)),
        })
    }
}

struct Meddled(Opened, Fault);

impl Engine for Meddled {
    fn run_frame<'a>(
        &mut self,
        events: &mut dyn Iterator<Item = Event<'a>>,
        out: &mut EventsBuffer,
        dead: &mut dyn FnMut(&Event<'a>, Dead),
    ) -> Result<FrameOutcome, EngineError> {
        let mut events: Vec<Event<'a>> = events.collect();
        match self.1 {
            Fault::Lose if events.len() > 1 => drop(events.remove(0)),
            Fault::Double if events.len() > 1 => events.insert(0, events[0]),
            _ => {}
        }
        let mut outcome = self.0.run_frame(&mut events.into_iter(), out, dead)?;
        if self.1 == Fault::Hurry {
            outcome.watermark = outcome.watermark.map(|ms| ms + 1);
        }
        Ok(outcome)
    }
}

fn finding(main: &str, fault: Fault) -> Finding {
    let case: &Case = CASES.iter().find(|case| case.main == main).expect("a case");
    let prepared = workshop().prepare(case).unwrap_or_else(|error| panic!("{error:#}"));
    let jvm = workshop().engines(&prepared).unwrap_or_else(|error| panic!("{error:#}"));
    let mut engines = Meddling(jvm, fault);
    let report = workshop().check_with(case, &prepared, seed(), &mut engines);
    let report = report.unwrap_or_else(|error| panic!("{error:#}"));
    println!("{report}");
    report.findings.first().cloned().unwrap_or_else(|| panic!("{fault:?} was not found: {report}"))
}

#[test]
fn lost_and_doubled_events_are_found() {
    for fault in [Fault::Lose, Fault::Double] {
        assert!(matches!(finding("WatermarkBetween", fault), Finding::Prefix { .. }));
    }
}

#[test]
fn watermarks_that_run_ahead_are_found() {
    assert!(matches!(finding("WatermarkBetween", Fault::Hurry), Finding::Watermark { .. }));
}
