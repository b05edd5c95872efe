//! Events and the operators that work on them: an event says who it is, when it happened, what becomes of it, and which
//! operators it has met.

use sluice_engine::{Assigner, Chain, Operator};
use sluice_wire::{Reader, Type, varint};

/// Names an event in the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u32);

/// What the operators do with an event. It stands in the event, three bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It passes all operators.
    Passes,
    /// The operator with this number (1..3) drops it.
    FilteredAt(i32),
    /// The operator with this number dies of it.
    DeadAt(i32),
    /// The first operator makes two of it.
    Doubled,
}

impl Fate {
    const fn code(self) -> i64 {
        match self {
            Self::Passes => 0,
            Self::FilteredAt(operator) => operator as i64,
            Self::DeadAt(operator) => operator as i64 + 3,
            Self::Doubled => 7,
        }
    }

    /// How many results come out behind `operators` operators.
    #[must_use]
    pub const fn results(self, operators: i32) -> usize {
        match self {
            Self::FilteredAt(at) | Self::DeadAt(at) if at <= operators => 0,
            Self::Doubled if operators > 0 => 2,
            _ => 1,
        }
    }

    /// Whether it dies in the first `operators` operators.
    #[must_use]
    pub const fn dies(self, operators: i32) -> bool {
        matches!(self, Self::DeadAt(at) if at <= operators)
    }
}

/// The value of an event before any operator.
#[must_use]
pub fn value(id: EventId, time_ms: i64, fate: Fate) -> i64 {
    (((time_ms << 20) | i64::from(id.0)) << 9) | (fate.code() << 6)
}

/// The id, the time and the marks of the operators, each two bits, of a value.
#[must_use]
pub const fn parts(value: i64) -> (EventId, i64, i64) {
    (EventId(((value >> 9) & 0xF_FFFF) as u32), value >> 29, value & 63)
}

/// The marks that `operators` operators leave, in this order and each once.
#[must_use]
pub fn marks(operators: i32) -> i64 {
    (1..=i64::from(operators)).fold(0, |marks, operator| marks * 4 + operator)
}

/// The Avro bytes of a value.
#[must_use]
pub fn encode(value: i64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(10);
    varint::put_long(&mut bytes, value);
    bytes
}

/// The value of Avro bytes.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<i64> {
    Reader::new(bytes).long().ok()
}

/// The operators of an input, as the engine compiles them.
#[derive(Debug, Clone)]
pub struct Program {
    names: Vec<String>,
    functions: Vec<String>,
    timestamp: String,
    after: usize,
    bound_ms: i64,
}

impl Program {
    /// `operators` operators, the assigner behind the first `after` of them.
    #[must_use]
    pub fn new(operators: i32, after: i32, bound_ms: i64) -> Self {
        Self {
            names: (1..=operators).map(|operator| format!("v{operator}")).collect(),
            functions: (1..=operators).map(function).collect(),
            timestamp: "timestamp time(%v: long) -> long {\nstart:\n  %time = shr %v, 29\n  return %time\n}".into(),
            after: usize::try_from(after).unwrap_or(0),
            bound_ms,
        }
    }

    /// The chain of the operators `from + 1..=to`.
    ///
    /// # Panics
    /// When the programs above are no programs.
    #[must_use]
    pub fn chain(&self, from: i32, to: i32) -> Chain {
        let types = vec![Type::Long; self.names.len() + 1];
        let operators: Vec<Operator<'_>> = self
            .names
            .iter()
            .zip(&self.functions)
            .map(|(name, ir)| Operator { name, ir, constants: "" })
            .collect();
        let assigner = Assigner {
            after: self.after,
            bound_ms: self.bound_ms,
            ir: &self.timestamp,
            constants: "",
        };
        let place = |at: i32| usize::try_from(at).unwrap_or(0);
        Chain::compile(&types, &operators, Some(&assigner), place(from), place(to))
            .expect("the simulator's operators compile")
    }
}

fn function(operator: i32) -> String {
    let dies = operator + 3;
    // Only the first operator doubles; 8 is no fate.
    let doubles = if operator == 1 { 7 } else { 8 };
    format!(
        "flatmap v{operator}(%v: long) -> long {{
start:
  %shifted = shr %v, 6
  %fate = and %shifted, 7L
  %filtered = eq %fate, {operator}L
  branch %filtered, drop, living
living:
  %dies = eq %fate, {dies}L
  branch %dies, die, passing
passing:
  %marks = and %v, 63L
  %more = mul %marks, 4L
  %marked = add %more, {operator}L
  %bare = shl %shifted, 6
  %result = add %bare, %marked
  emit %result
  %doubled = eq %fate, {doubles}L
  branch %doubled, again, drop
again:
  emit %result
  return
drop:
  return
die:
  throw \"poison\"
}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sluice_wire::EventsBuffer;

    #[test]
    fn the_programs_do_what_the_fates_say() {
        let program = Program::new(3, 1, 100);
        let fates = [Fate::Passes, Fate::Doubled]
            .into_iter()
            .chain((1..=3).map(Fate::FilteredAt))
            .chain((1..=3).map(Fate::DeadAt));
        for fate in fates {
            for to in 0..=3 {
                let mut chain = program.chain(0, to);
                let mut out = EventsBuffer::new();
                let bytes = encode(value(EventId(77), 12_345, fate));
                let died = chain.run_event(0, None, Some(&bytes), &mut out).is_err();
                assert_eq!((out.count(), died), (fate.results(to), fate.dies(to)), "{fate:?} {to}");
            }
        }
        assert_eq!(
            parts(value(EventId(77), 12_345, Fate::Doubled) + marks(3)),
            (EventId(77), 12_345, 27)
        );
    }
}
