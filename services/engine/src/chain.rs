//! A contiguous range of an input's operators, compiled to one program.
use crate::check::{check, declare};
use crate::compile::{self, Stage, WIDTH_LIMIT};
use crate::heap::{World, freeze};
use crate::ir::{self, Kind, Position};
use crate::memory::Budget;
use crate::reason::Reason;
use crate::run::{Code, Machine};
use crate::ty::{Records, Ty};
use sluice_wire::{Event, EventsBuffer, Type};
use std::sync::Arc;

/// A movable operator.
#[derive(Debug, Clone, Copy)]
pub struct Operator<'a> {
    /// Its name in the query.
    pub name: &'a str,
    /// Its function in the textual IR.
    pub ir: &'a str,
    /// The objects of its constants in JSON; empty where there are none.
    pub constants: &'a str,
}

/// The watermark assigner of an input: bounded out-of-orderness.
#[derive(Debug, Clone, Copy)]
pub struct Assigner<'a> {
    /// How many operators are applied before it, 0..=N. The chain that applies operator `after` sets the events' time; with 0, every chain from 0.
    pub after: usize,
    /// How far behind the highest time an event may come, milliseconds.
    pub bound_ms: i64,
    /// The timestamp function in the textual IR.
    pub ir: &'a str,
    /// The objects of its constants in JSON; empty where there are none.
    pub constants: &'a str,
}

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{operator}, {}:{}: {message}", at.line, at.column)]
pub struct CompileError {
    /// The operator's name; `assigner` for the timestamp function; `plan` for what is not in a function.
    pub operator: String,
    /// Where in its text.
    pub at: Position,
    /// What.
    pub message: String,
}

/// The event died in a function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{operator}: {reason}")]
pub struct Dead {
    /// The operator's name, or `assigner`.
    pub operator: Arc<str>,
    /// Why.
    pub reason: Reason,
}

/// How the timestamp function is called in errors.
const ASSIGNER: &str = "assigner";

/// The compiled operators `from+1..=to` of an input, with the assigner if it lies among them.
///
/// What comes out of a chain does not depend on where it is cut: chains `(a, b]` and `(b, c]` one behind the other give the bytes of `(a, c]`
/// (but for an event near its [`Budget`], which each part has for itself).
#[derive(Debug)]
pub struct Chain {
    code: Code,
    machine: Machine,
    budget: Budget,
    /// The name of each function of the code.
    names: Vec<Arc<str>>,
    /// The assigner's bound, if it lies in the chain.
    bound_ms: Option<i64>,
    /// The highest time that the assigner gave since the frame began.
    highest: Option<i64>,
}

impl Chain {
    /// Compiles the operators `from+1..=to`; none of them if the two are equal. `types` are T(0) to T(N), `operators` v1 to vN.
    ///
    /// # Errors
    /// All that is wrong in the functions of this range.
    pub fn compile(
        types: &[Type],
        operators: &[Operator<'_>],
        assigner: Option<&Assigner<'_>>,
        from: usize,
        to: usize,
    ) -> Result<Chain, Vec<CompileError>> {
        let lies_in = |assigner: &Assigner<'_>| {
            from < assigner.after && assigner.after <= to || assigner.after == 0 && from == 0
        };
        let mut compiler = Compiler::new(types);
        compiler.plan(operators.len(), assigner, from, to);
        compiler.chain(operators, assigner.filter(|assigner| lies_in(assigner)), from, to)
    }

    /// The same with the assigner wherever it stands from `from` to `to`, before the first operator too.
    pub(crate) fn compile_with(
        types: &[Type],
        operators: &[Operator<'_>],
        assigner: Option<&Assigner<'_>>,
        from: usize,
        to: usize,
    ) -> Result<Chain, Vec<CompileError>> {
        let mut compiler = Compiler::new(types);
        compiler.plan(operators.len(), assigner, from, to);
        compiler.chain(operators, assigner, from, to)
    }

    /// The same chain with another budget for each event.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Chain {
        Chain { budget, ..self }
    }

    /// Forgets the times of the frame before.
    pub fn begin_frame(&mut self) {
        self.highest = None;
    }

    /// Runs the operators on one event and appends what comes out, with the event's delta. `time` is its event time so far, epoch
    /// milliseconds; `value` is Avro bytes of T(from), none for a null event.
    ///
    /// # Errors
    /// The function at which the event died, and why; nothing of it is in `out` then.
    #[inline]
    pub fn run_event(
        &mut self,
        delta: i32,
        time: Option<i64>,
        value: Option<&[u8]>,
        out: &mut EventsBuffer,
    ) -> Result<(), Dead> {
        let before = out.mark();
        let event = Event { delta, time, value };
        let result = self.machine.run(&self.code, self.budget, &event, out, &mut self.highest);
        result.map_err(|(stage, reason)| {
            out.rewind(before);
            // An output over the budget is the last function's.
            let name = self.names.get(stage).or(self.names.last());
            let operator = name.cloned().unwrap_or_else(|| "identity".into());
            Dead { operator, reason }
        })
    }

    /// The watermark that the frame's events justify so far, epoch milliseconds: the highest time at the assigner's place less its bound less 1.
    /// None if the assigner does not lie in this chain or no event got there.
    #[must_use]
    pub fn watermark(&self) -> Option<i64> {
        let justified = self.highest?.checked_sub(self.bound_ms?)?.checked_sub(1);
        justified.filter(|ms| *ms != i64::MIN)
    }
}

struct Compiler<'a> {
    records: Records,
    types: &'a [Type],
    world: World,
    errors: Vec<CompileError>,
}

impl<'a> Compiler<'a> {
    fn new(types: &'a [Type]) -> Compiler<'a> {
        Compiler { records: Records::of(types), types, world: World::default(), errors: Vec::new() }
    }

    /// Compiles the operators `from+1..=to` and the assigner, if it is given.
    fn chain(
        mut self,
        operators: &[Operator<'_>],
        assigner: Option<&Assigner<'_>>,
        from: usize,
        to: usize,
    ) -> Result<Chain, Vec<CompileError>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let mut stages = Vec::new();
        let mut names: Vec<Arc<str>> = Vec::new();
        for place in from..=to {
            if place > from {
                let operator = operators[place - 1];
                stages.push(self.function(
                    operator.name,
                    (operator.ir, operator.constants),
                    place - 1,
                    place,
                    false,
                ));
                names.push(operator.name.into());
            }
            if let Some(assigner) = assigner.filter(|assigner| assigner.after == place) {
                stages.push(self.function(
                    ASSIGNER,
                    (assigner.ir, assigner.constants),
                    place,
                    place,
                    true,
                ));
                names.push(ASSIGNER.into());
            }
        }
        let stages: Option<Vec<Stage>> = stages.into_iter().collect();
        let (Some(stages), true) = (stages, self.errors.is_empty()) else {
            return Err(self.errors);
        };
        let code = compile::compile(&self.types[from], &self.types[to], &stages, self.world);
        Ok(Chain {
            machine: Machine::new(&code),
            code,
            budget: Budget::default(),
            names,
            bound_ms: assigner.map(|assigner| assigner.bound_ms),
            highest: None,
        })
    }

    fn error(&mut self, operator: &str, at: Position, message: String) {
        let operator = operator.to_owned();
        self.errors.push(CompileError { operator, at, message });
    }

    /// What the numbers must be to each other.
    fn plan(&mut self, operators: usize, assigner: Option<&Assigner<'_>>, from: usize, to: usize) {
        let mut errors = Vec::new();
        if self.types.len() != operators + 1 {
            errors.push(format!(
                "{operators} operators need {} types, not {}",
                operators + 1,
                self.types.len()
            ));
        }
        if from > to || to > operators {
            errors.push(format!("there is no range {from}..{to} of {operators} operators"));
        }
        if let Some(assigner) = assigner {
            if assigner.after > operators {
                errors.push(format!(
                    "the assigner stands after {}, but there are {operators} operators",
                    assigner.after
                ));
            }
            if assigner.bound_ms < 0 {
                errors.push(format!("the assigner's bound is {} ms", assigner.bound_ms));
            }
        }
        for (i, ty) in self.types.iter().enumerate() {
            if compile::width(&Ty::of(ty)) > WIDTH_LIMIT {
                errors.push(format!("T({i}) has more than {WIDTH_LIMIT} fields"));
            }
        }
        for message in errors {
            self.error("plan", Position::default(), message);
        }
    }

    /// The function between two places.
    fn function(
        &mut self,
        name: &str,
        (text, constants): (&str, &str),
        from: usize,
        to: usize,
        assigner: bool,
    ) -> Option<Stage> {
        let function = match ir::parse(text) {
            Ok(function) => function,
            Err(error) => {
                self.error(name, error.at, error.message);
                return None;
            }
        };
        if (function.kind == Kind::Timestamp) != assigner {
            let wanted = if assigner { "a timestamp" } else { "a map, flatmap or filter" };
            self.error(
                name,
                function.at,
                format!("this must be {wanted}, not a {}", function.kind),
            );
        }
        let (input, output) = (Ty::of(&self.types[from]), Ty::of(&self.types[to]));
        for (at, message) in declare(&function, &mut self.world.classes) {
            self.error(name, at, message);
        }
        let World { heap, classes, texts } = &mut self.world;
        let constants = match freeze(
            if function.constants.is_empty() { "" } else { constants },
            heap,
            classes,
            texts,
        ) {
            Ok(constants) => constants,
            Err(message) => {
                self.error(name, function.at, message);
                return None;
            }
        };
        match check(&function, &self.records, classes, &constants, &input, &output) {
            Ok(function) => Some(Stage { function }),
            Err(problems) => {
                for (at, message) in problems {
                    self.error(name, at, message);
                }
                None
            }
        }
    }
}
