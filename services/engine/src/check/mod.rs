//! Checks a parsed function and resolves its names. Every error found is reported.
mod objects;
mod rules;

pub(crate) use objects::declare;

use crate::builtin::{self, Builtin};
use crate::flow::{self, Flow};
use crate::heap::Classes;
use crate::ir::{self, Kind, Literal, Position};
use crate::ty::{Records, Ty};
use crate::typed::{Block, BlockId, End, Expr, Function, Operand, Register, Step, Target};
use rules::{binary, throws, unary};
use sluice_wire::types::RecordType;
use std::collections::HashMap;
use std::sync::Arc;

/// The most blocks of a function times its registers: what the check keeps in memory.
const SIZE_LIMIT: usize = 1 << 24;

/// What is wrong with a function, and where.
pub(crate) type Problem = (Position, String);

/// Checks a function that takes values of `input` and passes on values of `output`. Its classes are declared already, and `constants` are the
/// references to the objects of its constants.
pub(crate) fn check(
    function: &ir::Function,
    records: &Records,
    classes: &mut Classes,
    constants: &[u64],
    input: &Ty,
    output: &Ty,
) -> Result<Function, Vec<Problem>> {
    let mut problems = Vec::new();
    let defines = |block: &ir::Block| block.params.len() + block.steps.len();
    let registers: usize = function.blocks.iter().map(defines).sum();
    if function.blocks.len().saturating_mul(registers) > SIZE_LIMIT {
        return Err(vec![(function.at, "the function is too large".to_owned())]);
    }
    let flow = flow::analyse(function, &mut problems);
    let mut checker = Checker {
        function,
        records,
        classes,
        flow: &flow,
        result: Ty::Bool,
        types: vec![None; flow.registers.len()],
        here: Position::default(),
        defined: Vec::new(),
        problems,
    };
    let checked = checker.function(constants, input, output);
    match checked {
        Some(checked) if checker.problems.is_empty() => Ok(checked),
        _ => Err(checker.problems),
    }
}

struct Checker<'a> {
    function: &'a ir::Function,
    records: &'a Records,
    classes: &'a mut Classes,
    flow: &'a Flow<'a>,
    result: Ty,
    /// The type of each register, once its definition was met.
    types: Vec<Option<Ty>>,
    /// Where problems are reported.
    here: Position,
    /// Which registers are defined here.
    defined: Vec<bool>,
    problems: Vec<Problem>,
}

/// A problem was reported.
type Checked<T> = Option<T>;

impl Checker<'_> {
    fn problem<T>(&mut self, message: impl Into<String>) -> Checked<T> {
        self.problems.push((self.here, message.into()));
        None
    }

    fn resolve(&mut self, at: Position, name: &ir::TypeName) -> Checked<Ty> {
        self.here = at;
        match self.records.resolve(name) {
            Ok(ty) => Some(ty),
            Err(message) => self.problem(message),
        }
    }

    fn function(&mut self, objects: &[u64], input: &Ty, output: &Ty) -> Checked<Function> {
        let function = self.function;
        let kind = function.kind;
        let param = self.resolve(function.param.at, &function.param.ty);
        if let Some(param) = &param
            && param.inner() != input.inner()
        {
            self.problem::<()>(format!("the input is {}, not {param}", input.inner()));
        }
        let result = self.resolve(function.at, &function.result);
        let wanted = match kind {
            Kind::Map | Kind::FlatMap => output.inner(),
            Kind::Filter => &Ty::Bool,
            Kind::Timestamp => &Ty::Long,
        };
        let plain = matches!(kind, Kind::Map | Kind::FlatMap);
        if let Some(result) = &result {
            if (if plain { result.inner() } else { result }) != wanted {
                self.problem::<()>(format!("the result must be {wanted}, not {result}"));
            }
            self.result = result.clone();
        }
        if !plain && input.inner() != output.inner() {
            self.problem::<()>(format!("a {kind} has no output but its input, {}", input.inner()));
        }
        let (param, result) = (param?, result?);
        self.types[0] = Some(param.clone());
        let constants = self.constants(objects)?;
        // Types of parameters first: a jump may come before the block's own turn.
        for &block in &self.flow.order {
            for declared in &function.blocks[block].params {
                let ty = self.resolve(declared.at, &declared.ty);
                self.types[self.flow.registers[&declared.name]] = ty;
            }
        }
        let blocks: Vec<_> = self.flow.order.iter().map(|&block| self.block(block)).collect();
        let blocks = blocks.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Function {
            kind,
            output: if plain { result } else { param.clone() },
            param,
            constants,
            registers: self.types.iter().cloned().collect::<Option<Vec<_>>>()?,
            blocks,
        })
    }

    fn block(&mut self, block: usize) -> Checked<Block> {
        let source = &self.function.blocks[block];
        self.defined.clone_from(&self.flow.defined[block]);
        let registers = &self.flow.registers;
        let params: Vec<Register> = source.params.iter().map(|p| registers[&p.name]).collect();
        params.iter().for_each(|&param| self.defined[param] = true);
        let steps: Vec<_> = source.steps.iter().map(|step| self.step(step)).collect();
        self.here = source.end_at;
        let end = self.end(&source.end);
        Some(Block { params, steps: steps.into_iter().collect::<Option<Vec<_>>>()?, end: end? })
    }

    fn step(&mut self, step: &ir::Step) -> Checked<Step> {
        self.here = step.at;
        let checked = self.expr(&step.expr);
        let catch = step.catch.as_ref().map(|target| self.target(target));
        self.here = step.at;
        if let Some((expr, ty)) = &checked {
            if step.catch.is_some() && !throws(expr, ty.as_ref()) {
                return self.problem("this can't throw, so there is nothing to catch");
            }
            match (&step.result, ty) {
                (Some(name), None) => return self.problem(format!("%{name} would have no value")),
                (None, Some(_)) => return self.problem("the result needs a register"),
                _ => {}
            }
        }
        let result = step.result.as_ref().map(|name| self.flow.registers[name]);
        let (expr, ty) = match checked {
            Some(checked) => checked,
            None => {
                // Its uses are no further problems.
                result.into_iter().for_each(|register| self.defined[register] = true);
                return None;
            }
        };
        if let Some(register) = result {
            self.types[register] = ty;
            self.defined[register] = true;
        }
        let catch = match catch {
            Some(target) => Some(target?),
            None => None,
        };
        Some(Step { result, expr, catch })
    }

    fn operand(&mut self, operand: &ir::Operand) -> Checked<(Operand, Ty)> {
        match operand {
            ir::Operand::Literal(literal) => {
                let ty = match literal {
                    Literal::Bool(_) => Ty::Bool,
                    Literal::Int(_) => Ty::Int,
                    Literal::Long(_) => Ty::Long,
                    Literal::Float(_) => Ty::Float,
                    Literal::Double(_) => Ty::Double,
                    Literal::Text(_) => Ty::String,
                };
                Some((Operand::Literal(literal.clone()), ty))
            }
            ir::Operand::Register(name) => match self.flow.registers.get(name) {
                Some(&register) if self.defined[register] => {
                    // Without a type its definition was a problem already.
                    let ty = self.types[register].clone()?;
                    Some((Operand::Register(register), ty))
                }
                Some(_) => self.problem(format!("%{name} is not defined on every way to here")),
                None => self.problem(format!("%{name} is not defined")),
            },
        }
    }

    fn operand_of(&mut self, operand: &ir::Operand, wanted: &Ty, what: &str) -> Checked<Operand> {
        let (operand, ty) = self.operand(operand)?;
        match ty == *wanted {
            true => Some(operand),
            false => self.problem(format!("{what} must be {wanted}, not {ty}")),
        }
    }

    fn record(&mut self, operand: &ir::Operand) -> Checked<(Operand, Arc<RecordType>)> {
        match self.operand(operand)? {
            (operand, Ty::Record(record)) => Some((operand, record)),
            (_, other) => self.problem(format!("{other} has no fields")),
        }
    }

    fn expr(&mut self, expr: &ir::Expr) -> Checked<(Expr, Option<Ty>)> {
        Some(match expr {
            ir::Expr::Unary(op, a) => {
                let (a, ty) = self.operand(a)?;
                match unary(*op, &ty) {
                    Some(ty) => (Expr::Unary(*op, a), Some(ty)),
                    None => return self.problem(format!("{} does not take {ty}", op.word())),
                }
            }
            ir::Expr::Binary(op, a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                let ((a, a_ty), (b, b_ty)) = (a?, b?);
                match binary(*op, &a_ty, &b_ty) {
                    Some(ty) => (Expr::Binary(*op, a, b), Some(ty)),
                    None => {
                        let message = format!("{} does not take {a_ty} and {b_ty}", op.word());
                        return self.problem(message);
                    }
                }
            }
            ir::Expr::Null(name) => {
                let ty = self.resolve(self.here, name)?;
                if ty == Ty::Ref {
                    return Some((Expr::Null(ty), Some(Ty::Ref)));
                }
                if matches!(ty, Ty::Nullable(_)) {
                    return self.problem(format!("{ty} is nullable already"));
                }
                (Expr::Null(ty.clone()), Some(Ty::Nullable(Box::new(ty))))
            }
            ir::Expr::New(name, values) => {
                let Ty::Record(record) = self.resolve(self.here, name)? else {
                    return self.problem(format!("{name} is no record"));
                };
                let mut given: HashMap<_, _> = self.fields(&record, values)?.into_iter().collect();
                let missing: Vec<&str> = (0..record.fields.len())
                    .filter(|index| !given.contains_key(index))
                    .map(|index| record.fields[index].name.as_str())
                    .collect();
                if !missing.is_empty() {
                    return self.problem(format!("fields are missing: {}", missing.join(", ")));
                }
                let values = (0..record.fields.len()).filter_map(|index| given.remove(&index));
                (Expr::New(values.collect()), Some(Ty::Record(record)))
            }
            ir::Expr::With(operand, values) => {
                let (operand, record) = self.record(operand)?;
                let values = self.fields(&record, values)?;
                (Expr::With(operand, values), Some(Ty::Record(record)))
            }
            ir::Expr::Get(operand, name) => {
                let (operand, record) = self.record(operand)?;
                let Some(index) = record.index_of(name) else {
                    return self.problem(format!("{} has no field {name}", record.name));
                };
                (Expr::Get(operand, index), Some(Ty::of(&record.fields[index].ty)))
            }
            ir::Expr::Call(name, args) => {
                let Some(builtin) = builtin::find(name) else {
                    return self.problem(format!("there is no built-in {name}"));
                };
                let args = self.call(builtin, args)?;
                (Expr::Call(builtin, args), Some(builtin.result.clone()))
            }
            ir::Expr::Emit(value) => {
                if self.function.kind != Kind::FlatMap {
                    return self.problem(format!("a {} can't emit", self.function.kind));
                }
                let wanted = self.result.clone();
                (Expr::Emit(self.operand_of(value, &wanted, "the output")?), None)
            }
            other => return self.object_expr(other),
        })
    }

    fn fields(
        &mut self,
        record: &RecordType,
        values: &[(String, ir::Operand)],
    ) -> Checked<Vec<(usize, Operand)>> {
        let mut given: Vec<(usize, Operand)> = Vec::new();
        let before = self.problems.len();
        for (name, value) in values {
            let Some(index) = record.index_of(name) else {
                self.problem::<()>(format!("{} has no field {name}", record.name));
                continue;
            };
            if given.iter().any(|(other, _)| *other == index) {
                self.problem::<()>(format!("field {name} is given twice"));
            }
            let wanted = Ty::of(&record.fields[index].ty);
            let value = self.operand_of(value, &wanted, &format!("field {name}"));
            given.extend(value.map(|value| (index, value)));
        }
        (self.problems.len() == before && given.len() == values.len()).then_some(given)
    }

    fn call(&mut self, builtin: &Builtin, args: &[ir::Operand]) -> Checked<Vec<Operand>> {
        let least = builtin.params.len();
        let most = if builtin.rest.is_some() { builtin::ARGUMENTS_LIMIT } else { least };
        if args.len() < least || args.len() > most {
            let message =
                format!("{} takes {}, not {} arguments", builtin.name, builtin.arity(), args.len());
            return self.problem(message);
        }
        let mut checked = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            let Some(wanted) = builtin.params.get(i).or(builtin.rest.as_ref()) else {
                continue;
            };
            checked.push(self.operand_of(arg, wanted, &format!("argument {}", i + 1)));
        }
        checked.into_iter().collect()
    }

    fn target(&mut self, target: &ir::Target) -> Checked<Target> {
        self.here = target.at;
        let block = self.flow.label(&target.label)?;
        let params = &self.function.blocks[self.flow.order[block]].params;
        if params.len() != target.args.len() {
            let message = format!(
                "{} takes {} values, not {}",
                target.label,
                params.len(),
                target.args.len()
            );
            return self.problem(message);
        }
        let args: Vec<_> = params
            .iter()
            .zip(&target.args)
            .map(|(param, arg)| {
                let wanted = self.types[self.flow.registers[&param.name]].clone()?;
                self.operand_of(arg, &wanted, &format!("%{}", param.name))
            })
            .collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Target { block, args })
    }

    fn end(&mut self, end: &ir::End) -> Checked<End> {
        Some(match end {
            ir::End::Jump(target) => End::Jump(self.target(target)?),
            ir::End::Branch(condition, yes, no) => {
                let condition = self.operand_of(condition, &Ty::Bool, "a branch's condition");
                let (yes, no) = (self.target(yes), self.target(no));
                End::Branch(condition?, yes?, no?)
            }
            ir::End::Unpack(list, label, other) => {
                let list = self.operand_of(list, &Ty::Strings, "what is unpacked");
                let block: Option<BlockId> = self.flow.label(label);
                if let Some(block) = block {
                    self.unpacked(block);
                }
                let other = self.target(other);
                End::Unpack(list?, block?, other?)
            }
            ir::End::Return(value) => match (self.function.kind, value) {
                (Kind::FlatMap, None) => End::Return(None),
                (Kind::FlatMap, Some(_)) => return self.problem("a flatmap returns nothing"),
                (kind, None) => return self.problem(format!("a {kind} returns a value")),
                (_, Some(value)) => {
                    let wanted = self.result.clone();
                    End::Return(Some(self.operand_of(value, &wanted, "the result")?))
                }
            },
            ir::End::Throw(text) => End::Throw(text.as_str().into()),
            ir::End::ThrowRef(exception) => {
                End::ThrowRef(self.operand_of(exception, &Ty::Ref, "an exception")?)
            }
        })
    }

    /// The parameters of a block that takes the elements of a list.
    fn unpacked(&mut self, block: BlockId) {
        for param in &self.function.blocks[self.flow.order[block]].params {
            let ty = &self.types[self.flow.registers[&param.name]];
            if ty.as_ref().is_some_and(|ty| *ty != Ty::String) {
                self.problem::<()>(format!("%{} takes an element, a string", param.name));
            }
        }
    }
}
