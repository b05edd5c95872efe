//! The functions of a chain, joined into one graph.
//!
//! Every function has one entry, to which each place that passes a value on jumps with that value and the number of the place to come
//! back to. Most functions are called from one place only; then simplification leaves a plain jump.
use super::graph::{BlockId, Callee, Graph, Jump, Known, Op, Step, Value};
use super::{graph, shape::Shape};
use crate::builtin::Builtin;
use crate::heap::{World, steps};
use crate::ir::{self, Kind, Literal};
use crate::memory::Span;
use crate::op;
use crate::reason::Reason;
use crate::ty::Ty;
use crate::typed::{End, Expr, Function, Operand, Target};
use sluice_wire::Type;

/// A function of a chain.
pub(crate) struct Stage {
    pub(crate) function: Function,
}

/// A chain as a graph.
pub(super) struct Lowered {
    pub(super) graph: Graph,
    /// The input: whether it is null, and its slots.
    pub(super) input: Shape,
    pub(super) world: World,
}

/// The graph of a chain of functions.
pub(super) fn lower(input: &Type, output: &Type, stages: &[Stage], mut world: World) -> Lowered {
    let nullable = |ty: &Type| Ty::Nullable(Box::new(Ty::of(ty)));
    let mut graph = Graph::default();
    graph.texts = std::mem::take(&mut world.texts);
    let start = graph.block();
    let halt = graph.block();
    let input_ty = nullable(input);
    let input = Shape::fresh(&input_ty, &mut graph);
    let params = stages.iter().map(|stage| stage.function.param.clone());
    let entries = params.chain([nullable(output)]).map(|ty| Entry::new(ty, &mut graph)).collect();
    let mut lowering = Lowering { graph, entries };
    lowering.pass(start, input.clone(), &input_ty, 0, halt);
    for (stage, Stage { function }) in stages.iter().enumerate() {
        let exit = lowering.graph.block();
        Body::new(&mut lowering, stage, function, exit).lower();
        lowering.come_back(stage, exit);
    }
    let sink = &lowering.entries[stages.len()];
    let (block, emit) = (sink.block, Op::Emit(sink.value.values()));
    let step = Step { result: None, op: emit, catch: None, stage: stages.len() };
    lowering.graph.blocks[block].steps.push(step);
    lowering.come_back(stages.len(), block);
    Lowered { graph: lowering.graph, input, world }
}

impl Lowered {
    /// Whether all that the chain passes on is its input as it came.
    pub(super) fn passes_its_input_on(&self, input: &Type, output: &Type) -> bool {
        let whole = self.input.values();
        let null = whole[0];
        let steps = self.graph.blocks.iter().flat_map(|block| &block.steps);
        let mut emitted = steps.filter_map(|step| match &step.op {
            Op::Emit(values) => Some(values),
            _ => None,
        });
        // A null that was ruled out on the way is the constant false.
        let same = |values: &Vec<Value>| {
            values[1..] == whole[1..]
                && (values[0] == null || self.graph.constants.get(&values[0]) == Some(&0))
        };
        input == output && emitted.all(same)
    }
}

/// Where a function's input arrives.
struct Entry {
    block: BlockId,
    ty: Ty,
    value: Shape,
    /// The number of the place to come back to.
    back: Value,
    /// The places to come back to.
    places: Vec<BlockId>,
}

impl Entry {
    fn new(ty: Ty, graph: &mut Graph) -> Entry {
        let block = graph.block();
        let value = Shape::fresh(&ty, graph);
        let back = graph.value();
        let mut params = value.values();
        params.push(back);
        graph.blocks[block].params = params;
        Entry { block, ty, value, back, places: Vec::new() }
    }
}

pub(super) struct Lowering {
    pub(super) graph: Graph,
    /// By stage; the last is where the chain's outputs are written.
    entries: Vec<Entry>,
}

impl Lowering {
    /// Passes a value of type `ty` to a stage, which goes on at `back`.
    fn pass(&mut self, mut from: BlockId, value: Shape, ty: &Ty, stage: usize, back: BlockId) {
        let value = match (ty, &self.entries[stage].ty) {
            (Ty::Nullable(_), Ty::Nullable(_)) => value,
            (Ty::Nullable(_), _) => match value {
                Shape::Nullable(null, inner) => {
                    from = self.not_null(from, null, stage, None);
                    *inner
                }
                other => other,
            },
            (_, Ty::Nullable(_)) => Shape::Nullable(self.graph.constant(0), Box::new(value)),
            _ => value,
        };
        let entry = &mut self.entries[stage];
        entry.places.push(back);
        let mut args = value.values();
        args.push(self.graph.constant(entry.places.len() as u64 - 1));
        let block = entry.block;
        self.graph.blocks[from].end = graph::End::Jump(Jump { block, args });
    }

    /// Ends a block at a test for null; a new one follows where there is none.
    fn not_null(
        &mut self,
        from: BlockId,
        null: Value,
        stage: usize,
        catch: Option<Jump>,
    ) -> BlockId {
        let thrown = self.graph.block();
        if catch.is_some() {
            // The handler may ask for the exception.
            let op = Op::Call(Callee::new(steps::throw_null, false), Vec::new());
            self.graph.blocks[thrown].steps.push(Step { result: None, op, catch, stage });
        }
        self.graph.blocks[thrown].end = graph::End::Throw(Reason::Null, stage);
        let caught = Jump::to(thrown);
        let next = self.graph.block();
        self.graph.blocks[from].end = graph::End::Branch(null, caught, Jump::to(next));
        next
    }

    /// Ends a stage's last block.
    fn come_back(&mut self, stage: usize, exit: BlockId) {
        let entry = &self.entries[stage];
        self.graph.blocks[exit].end = graph::End::Switch(entry.back, entry.places.clone());
    }
}

/// How a built-in is called.
fn callee(builtin: &Builtin) -> Callee {
    Callee { known: Known::of(builtin.name), ..Callee::new(builtin.run, !builtin.throws) }
}

/// A function in work.
pub(super) struct Body<'a> {
    pub(super) out: &'a mut Lowering,
    stage: usize,
    function: &'a Function,
    exit: BlockId,
    /// The graph's blocks of the function's.
    blocks: Vec<BlockId>,
    registers: Vec<Option<Shape>>,
    /// The block in work.
    here: BlockId,
}

impl<'a> Body<'a> {
    fn new(out: &'a mut Lowering, stage: usize, function: &'a Function, exit: BlockId) -> Body<'a> {
        let mut registers = vec![None; function.registers.len()];
        registers[0] = Some(out.entries[stage].value.clone());
        for (at, bits) in function.constants.iter().enumerate() {
            registers[at + 1] = Some(Shape::One(out.graph.constant(*bits)));
        }
        let mut blocks = Vec::new();
        for source in &function.blocks {
            let block = out.graph.block();
            let mut params = Vec::new();
            for &register in &source.params {
                let value = Shape::fresh(&function.registers[register], &mut out.graph);
                value.add_to(&mut params);
                registers[register] = Some(value);
            }
            out.graph.blocks[block].params = params;
            blocks.push(block);
        }
        let here = out.entries[stage].block;
        Body { out, stage, function, exit, blocks, registers, here }
    }

    fn lower(mut self) {
        self.end_with(graph::End::Jump(Jump::to(self.blocks[0])));
        for (block, source) in self.function.blocks.iter().enumerate() {
            self.here = self.blocks[block];
            for step in &source.steps {
                let catch = step.catch.as_ref().map(|target| self.target(target));
                let value = self.step(&step.expr, catch);
                if let Some(register) = step.result {
                    self.registers[register] = value;
                }
            }
            self.end(&source.end);
        }
    }

    fn end_with(&mut self, end: graph::End) {
        self.out.graph.blocks[self.here].end = end;
    }

    pub(super) fn ty(&self, operand: &Operand) -> Ty {
        match operand {
            Operand::Register(register) => self.function.registers[*register].clone(),
            Operand::Literal(Literal::Bool(_)) => Ty::Bool,
            Operand::Literal(Literal::Int(_)) => Ty::Int,
            Operand::Literal(Literal::Long(_)) => Ty::Long,
            Operand::Literal(Literal::Float(_)) => Ty::Float,
            Operand::Literal(Literal::Double(_)) => Ty::Double,
            Operand::Literal(Literal::Text(_)) => Ty::String,
        }
    }

    pub(super) fn shape(&mut self, operand: &Operand) -> Shape {
        let graph = &mut self.out.graph;
        match operand {
            // A checked function defines before it uses, in this order of blocks.
            Operand::Register(register) => {
                self.registers[*register].clone().unwrap_or(Shape::Record(Vec::new()))
            }
            Operand::Literal(Literal::Text(text)) => Shape::One(self.text(text)),
            Operand::Literal(literal) => Shape::One(graph.constant(op::of_literal(literal))),
        }
    }

    /// The value of a constant text.
    pub(super) fn text(&mut self, text: &str) -> Value {
        let graph = &mut self.out.graph;
        let start = graph.texts.len();
        graph.texts.extend_from_slice(text.as_bytes());
        graph.constant(Span::constant(start, text.len()).known_ascii(text.is_ascii()).0)
    }

    /// The one slot of an operand that takes one.
    pub(super) fn one(&mut self, operand: &Operand) -> Value {
        self.shape(operand).values()[0]
    }

    fn target(&mut self, target: &Target) -> Jump {
        let mut args = Vec::new();
        for arg in &target.args {
            self.shape(arg).add_to(&mut args);
        }
        Jump { block: self.blocks[target.block], args }
    }

    pub(super) fn push(&mut self, op: Op, catch: Option<Jump>) -> Value {
        let result = self.out.graph.value();
        let step = Step { result: Some(result), op, catch, stage: self.stage };
        self.out.graph.blocks[self.here].steps.push(step);
        result
    }

    fn step(&mut self, expr: &Expr, catch: Option<Jump>) -> Option<Shape> {
        Some(match expr {
            Expr::Unary(op, a) => {
                let value = self.shape(a);
                match (op, value) {
                    (ir::Unary::Copy, value) => value,
                    (ir::Unary::Some, value) => {
                        Shape::Nullable(self.out.graph.constant(0), Box::new(value))
                    }
                    (ir::Unary::IsNull, Shape::Nullable(null, _)) => Shape::One(null),
                    (ir::Unary::Unwrap, Shape::Nullable(null, inner)) => {
                        self.here = self.out.not_null(self.here, null, self.stage, catch);
                        *inner
                    }
                    (op, Shape::One(value)) if self.ty(a) == Ty::Ref => {
                        self.unary_of_ref(*op, value, catch)
                    }
                    (ir::Unary::Ref, value) => {
                        let ty = self.ty(a);
                        Shape::One(self.reference(value, &ty))
                    }
                    (op, value) => match op::unary(*op, &self.ty(a)) {
                        Some(op) => Shape::One(self.push(Op::Unary(op, value.values()[0]), None)),
                        None => value,
                    },
                }
            }
            Expr::Binary(op, a, b) => {
                let (op, swap) = op::binary(*op, &self.ty(a));
                let (mut a, mut b) = (self.one(a), self.one(b));
                if swap {
                    std::mem::swap(&mut a, &mut b);
                }
                Shape::One(self.push(Op::Binary(op, a, b), catch))
            }
            Expr::Null(Ty::Ref) => Shape::One(self.out.graph.constant(crate::heap::NULL)),
            Expr::Null(ty) => {
                let graph = &mut self.out.graph;
                let nothing = Shape::of(ty, &mut || graph.constant(0));
                Shape::Nullable(graph.constant(1), Box::new(nothing))
            }
            Expr::New(values) => {
                Shape::Record(values.iter().map(|value| self.shape(value)).collect())
            }
            Expr::With(record, values) => {
                let mut shape = self.shape(record);
                if let Shape::Record(fields) = &mut shape {
                    for (field, value) in values {
                        fields[*field] = self.shape(value);
                    }
                }
                shape
            }
            Expr::Get(record, field) => match self.shape(record) {
                Shape::Record(mut fields) => fields.swap_remove(*field),
                other => other,
            },
            Expr::Call(builtin, args) => {
                let args = args.iter().map(|arg| self.one(arg)).collect();
                Shape::One(self.push(Op::Call(callee(builtin), args), catch))
            }
            Expr::Emit(value) => {
                let value = self.shape(value);
                let next = self.out.graph.block();
                self.pass(value, next);
                self.here = next;
                return None;
            }
            other => return self.object_step(other, catch),
        })
    }

    /// Passes an output on.
    fn pass(&mut self, value: Shape, back: BlockId) {
        self.out.pass(self.here, value, &self.function.output, self.stage + 1, back);
    }

    /// Passes the input on.
    fn pass_input(&mut self) {
        let value = self.out.entries[self.stage].value.clone();
        self.pass(value, self.exit);
    }

    fn end(&mut self, end: &End) {
        match end {
            End::Jump(target) => {
                let jump = self.target(target);
                self.end_with(graph::End::Jump(jump));
            }
            End::Branch(condition, yes, no) => {
                let condition = self.one(condition);
                let (yes, no) = (self.target(yes), self.target(no));
                self.end_with(graph::End::Branch(condition, yes, no));
            }
            End::Unpack(list, block, other) => {
                let list = self.one(list);
                let other = self.target(other);
                self.unpack(list, *block, other);
            }
            End::Throw(text) => {
                self.end_with(graph::End::Throw(Reason::Thrown(text.clone()), self.stage))
            }
            End::ThrowRef(exception) => {
                let exception = self.one(exception);
                self.call(steps::throw_ref, false, vec![exception], None);
                self.end_with(graph::End::Halt);
            }
            End::Return(value) => {
                let value = value.as_ref().map(|value| self.shape(value));
                match (self.function.kind, value) {
                    (Kind::Map, Some(value)) => self.pass(value, self.exit),
                    (Kind::Filter, Some(value)) => {
                        let yes = self.out.graph.block();
                        let (yes_jump, no) = (Jump::to(yes), Jump::to(self.exit));
                        self.end_with(graph::End::Branch(value.values()[0], yes_jump, no));
                        self.here = yes;
                        self.pass_input();
                    }
                    (Kind::Timestamp, Some(value)) => {
                        let op = Op::Time(value.values()[0]);
                        let step = Step { result: None, op, catch: None, stage: self.stage };
                        self.out.graph.blocks[self.here].steps.push(step);
                        self.pass_input();
                    }
                    _ => self.end_with(graph::End::Jump(Jump::to(self.exit))),
                }
            }
        }
    }

    /// A test for the list's size, and the elements where it is right.
    fn unpack(&mut self, list: Value, block: usize, other: Jump) {
        let count = self.function.blocks[block].params.len();
        let Some(size) = crate::builtin::find("list.size") else {
            return;
        };
        let size = self.push(Op::Call(callee(size), vec![list]), None);
        let wanted = self.out.graph.constant(count as u64);
        let right = self.push(Op::Binary(op::Binary::Eq, size, wanted), None);
        let elements = self.out.graph.block();
        self.end_with(graph::End::Branch(right, Jump::to(elements), other));
        self.here = elements;
        let args =
            (0..count as u32).map(|index| self.push(Op::Element(list, index), None)).collect();
        self.end_with(graph::End::Jump(Jump { block: self.blocks[block], args }));
    }
}
