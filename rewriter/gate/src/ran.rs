//! An operator alone, run by one engine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Context as _, Result, anyhow};
use sluice_check::events::Event;
use sluice_check::frames::Opened;
use sluice_engine::deployed::{self, Jvm, Site};
use sluice_model::{Engine, Input};
use sluice_wire::{EventsBuffer, Type};

/// Which function of an input: an operator by its place from 0, or the time stamps of its assigner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// An operator.
    Operator(usize),
    /// The assigner.
    Assigner,
}

/// What became of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// What came out.
    Outputs(Vec<Event>),
    /// It died, of this.
    Dead(String),
}

/// An input with one function and nothing else, for an engine; none where it does not have that function.
fn alone(input: &Input, place: Place, engine: Engine) -> Option<(Input, i32)> {
    let mut one = Input { operators: Vec::new(), assigner: None, ..input.clone() };
    let (from, to) = match place {
        Place::Operator(at) => {
            let mut operator = input.operators.get(at)?.clone();
            operator.engine = engine;
            one.operators.push(operator);
            (at, at + 1)
        }
        Place::Assigner => {
            let mut assigner = input.assigner.clone()?;
            let after = usize::try_from(assigner.after).ok()?;
            assigner.after = 0;
            if engine == Engine::Jvm {
                assigner.ir.clear();
            }
            one.assigner = Some(assigner);
            (after, after)
        }
    };
    one.types = input.types.get(from..=to)?.to_vec();
    one.java_types = input.java_types.get(from..=to).unwrap_or_default().to_vec();
    let operators = one.operator_count();
    Some((one, operators))
}

/// One function, opened in one engine.
pub struct Runner {
    engine: Opened,
    output: Type,
    events: EventsBuffer,
}

impl Runner {
    /// Opens a function of an input.
    ///
    /// # Errors
    /// When the engine can't run it.
    pub fn open(input: &Input, place: Place, engine: Engine, jvm: &Jvm) -> Result<Self> {
        let (one, operators) = alone(input, place, engine).context("there is no such function")?;
        let types = deployed::types(&one)?;
        let output = types.last().context("an input without types")?.clone();
        let open = || deployed::engine(&one, &types, (0, operators), Site::Edge, Some(jvm));
        let engine = no_panic(open)??;
        Ok(Self { engine, output, events: EventsBuffer::new() })
    }

    /// Runs events as one frame: what became of each, and the watermark of all.
    ///
    /// # Errors
    /// When the engine fails as a whole, or panics.
    pub fn run(&mut self, batch: &[Event]) -> Result<(Vec<Fate>, Option<i64>)> {
        let mut fates: Vec<Fate> = batch.iter().map(|_| Fate::Outputs(Vec::new())).collect();
        self.events.clear();
        let mut events = (0..).zip(batch).map(|(delta, event)| sluice_wire::Event {
            delta,
            time: event.time_ms,
            value: event.value.as_deref(),
        });
        let mut dead = |event: &sluice_wire::Event<'_>, death: sluice_engine::Dead| {
            if let Some(fate) = fate_of(&mut fates, event.delta) {
                *fate = Fate::Dead(death.reason.to_string());
            }
        };
        let engine = &mut self.engine;
        let out = &mut self.events;
        let outcome = no_panic(|| engine.run_frame(&mut events, out, &mut dead))??;
        for event in self.events.events(&self.output)? {
            let fate = fate_of(&mut fates, event.delta);
            if let Fate::Outputs(outputs) = fate.context("an output of no event")? {
                let value = event.value.map(<[u8]>::to_vec);
                outputs.push(Event { time_ms: event.time, value });
            }
        }
        Ok((fates, outcome.watermark))
    }
}

fn fate_of(fates: &mut [Fate], delta: i32) -> Option<&mut Fate> {
    fates.get_mut(usize::try_from(delta).ok()?)
}

fn no_panic<T>(run: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        anyhow!("it panicked: {}", text.unwrap_or("no message"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_stands_alone() {
        let input: Input = serde_json::from_value(serde_json::json!({
            "name": "i", "partitions": 1, "types": ["\"string\"", "\"long\"", "\"int\""], "java_types": ["", "a", "b"],
            "operators": [{"name": "a", "engine": "native", "ir": "x"}, {"name": "b", "engine": "native", "ir": "y"}],
            "assigner": {"after": 1, "bound_ms": 5, "ir": "z"}}))
        .unwrap();
        let (second, operators) = alone(&input, Place::Operator(1), Engine::Jvm).unwrap();
        assert_eq!((second.operators[0].name.as_str(), operators), ("b", 1));
        assert_eq!(second.operators[0].engine, Engine::Jvm);
        assert_eq!(
            (second.types.len(), &second.java_types[..]),
            (2, &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(second.assigner, None);
        let (assigner, operators) = alone(&input, Place::Assigner, Engine::Jvm).unwrap();
        assert_eq!((assigner.types, operators), (vec!["\"long\"".to_owned()], 0));
        assert_eq!(assigner.assigner.map(|a| (a.after, a.ir)), Some((0, String::new())));
        assert!(alone(&input, Place::Operator(2), Engine::Native).is_none());
    }

    #[test]
    fn a_panic_is_an_error() {
        let error = no_panic(|| assert_eq!(1, 2)).unwrap_err().to_string();
        assert!(error.starts_with("it panicked: assertion"), "{error}");
    }
}
