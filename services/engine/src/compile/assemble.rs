//! The graph to code: blocks in a row, parameters to moves, every value in the slot of its number.
use super::graph::{Block, BlockId, Callee, End, Graph, Jump, Known, Op, Step, Value};
use super::lower::Lowered;
use super::prune::Live;
use crate::op::Binary;
use crate::reason::Reason;
use crate::run::{Code, Instruction, Load, NO_CATCH, Output, Place, Store};
use sluice_wire::Type;

/// The code of a chain.
pub(super) fn assemble(
    lowered: Lowered,
    live: &Live,
    passes_on: bool,
    input: &Type,
    output: &Type,
) -> Code {
    let Lowered { graph, input: loaded, world } = lowered;
    let values = loaded.values();
    let mut slots = values[1..].iter().map(|value| live.is_read(*value).then_some(*value));
    let load = Load::of(input, &mut slots).without_tail();
    let output = written(&graph, passes_on, output);
    let mut assembly = Assembly::new(graph);
    assembly.run();
    let graph = assembly.graph;
    let mut bits = vec![0; graph.len()];
    graph.constants.iter().for_each(|(value, constant)| bits[*value as usize] = *constant);
    Code {
        instructions: assembly.instructions,
        stages: assembly.stages,
        args: assembly.args,
        tables: assembly.tables,
        reasons: assembly.reasons,
        slots: bits,
        texts: graph.texts,
        frozen: world.heap,
        classes: world.classes,
        null: values[0],
        load,
        output,
    }
}

/// What the chain's one output writes.
fn written(graph: &Graph, passes_on: bool, output: &Type) -> Output {
    let mut steps = graph.blocks.iter().flat_map(|block| &block.steps);
    let emitted = steps.find_map(|step| match &step.op {
        Op::Emit(values) => Some(values),
        _ => None,
    });
    match emitted {
        Some(values) if !passes_on => {
            let null = (graph.constants.get(&values[0]) != Some(&0)).then_some(values[0]);
            let mut stores = Vec::new();
            Store::of(output, &mut values[1..].iter().copied(), &mut stores);
            Output::Value(null, stores)
        }
        _ => Output::Input,
    }
}

/// A place to be filled in.
enum Gap {
    Jump(usize),
    Unless(usize),
    Catch(usize),
    Table(usize, usize),
}

/// A way to a block that needs instructions of its own.
struct Way {
    gap: Gap,
    jump: Jump,
    back: bool,
    stage: u16,
}

struct Assembly {
    graph: Graph,
    /// How often each value is read.
    reads: Vec<u32>,
    /// Where each block begins, once it is placed.
    begins: Vec<Option<Place>>,
    /// Gaps to fill with the beginnings of blocks.
    gaps: Vec<(Gap, BlockId)>,
    /// Ways still to be written.
    ways: Vec<Way>,
    instructions: Vec<Instruction>,
    stages: Vec<u16>,
    args: Vec<Value>,
    tables: Vec<Vec<Place>>,
    reasons: Vec<Reason>,
}

impl Assembly {
    fn new(mut graph: Graph) -> Assembly {
        let mut reads = vec![0; graph.len()];
        for block in &mut graph.blocks {
            block
                .steps
                .iter_mut()
                .for_each(|step| step.op.reads(|value| reads[*value as usize] += 1));
            block.jumps().flat_map(|jump| &jump.args).for_each(|value| reads[*value as usize] += 1);
            block.end.decides().into_iter().for_each(|value| reads[*value as usize] += 1);
        }
        Assembly {
            reads,
            begins: vec![None; graph.blocks.len()],
            graph,
            gaps: Vec::new(),
            ways: Vec::new(),
            instructions: Vec::new(),
            stages: Vec::new(),
            args: Vec::new(),
            tables: Vec::new(),
            reasons: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut open = vec![0];
        loop {
            while let Some(block) = open.pop() {
                let mut next = Some(block);
                while let Some(block) = next.filter(|block| self.begins[*block].is_none()) {
                    next = self.block(block, &mut open);
                }
            }
            // Ways lead to blocks that may not be placed yet.
            let Some(way) = self.ways.pop() else {
                break;
            };
            self.fill(&way.gap, self.here());
            self.moves(&way.jump, way.stage);
            self.go(way.jump.block, way.stage, way.back);
            open.push(way.jump.block);
        }
        for (gap, block) in std::mem::take(&mut self.gaps) {
            // Every block that a gap waits for was opened.
            if let Some(begin) = self.begins[block] {
                self.fill(&gap, begin);
            }
        }
    }

    fn here(&self) -> Place {
        self.instructions.len() as Place
    }

    fn push(&mut self, instruction: Instruction, stage: u16) -> usize {
        self.instructions.push(instruction);
        self.stages.push(stage);
        self.instructions.len() - 1
    }

    fn fill(&mut self, gap: &Gap, place: Place) {
        let target = match gap {
            Gap::Table(table, entry) => &mut self.tables[*table][*entry],
            Gap::Jump(at) | Gap::Unless(at) | Gap::Catch(at) => match &mut self.instructions[*at] {
                Instruction::Jump(to)
                | Instruction::Loop(to)
                | Instruction::Unless { to, .. }
                | Instruction::UnlessLess { to, .. }
                | Instruction::UnlessAtMost { to, .. }
                | Instruction::UnlessEqual { to, .. }
                | Instruction::UnlessDifferent { to, .. } => to,
                Instruction::Call { catch, .. }
                | Instruction::Divide { catch, .. }
                | Instruction::CharAt { catch, .. } => catch,
                _ => return,
            },
        };
        *target = place;
    }

    /// Where a jump without values really goes.
    fn follow(&self, jump: &Jump) -> Jump {
        let mut jump = jump.clone();
        for _ in 0..self.graph.blocks.len() {
            match &self.graph.blocks[jump.block] {
                Block { params, steps, end: End::Jump(next) }
                    if params.is_empty() && steps.is_empty() =>
                {
                    jump = next.clone();
                }
                _ => break,
            }
        }
        jump
    }

    /// Writes a block; gives the block to come next, where it goes on without a jump.
    fn block(&mut self, block: BlockId, open: &mut Vec<BlockId>) -> Option<BlockId> {
        self.begins[block] = Some(self.here());
        let source = &mut self.graph.blocks[block];
        let mut steps = std::mem::take(&mut source.steps);
        let end = std::mem::take(&mut source.end);
        let unless = match &end {
            End::Branch(condition, ..) => self.unless(*condition, &mut steps),
            _ => None,
        };
        let mut stage = steps.last().map_or(0, |step| step.stage as u16);
        for step in steps {
            stage = step.stage as u16;
            self.step(step, open);
        }
        match end {
            End::Halt => {
                self.push(Instruction::Halt, stage);
                None
            }
            End::Throw(reason, stage) => {
                self.reasons.push(reason);
                self.push(Instruction::Throw(self.reasons.len() as u32 - 1), stage as u16);
                None
            }
            End::Jump(jump) => self.jump(&jump, stage),
            End::Branch(condition, yes, no) => {
                let unless = unless.unwrap_or(Instruction::Unless { condition, to: 0 });
                let at = self.push(unless, stage);
                self.way(Gap::Unless(at), &no, stage, open);
                self.jump(&yes, stage)
            }
            End::Switch(slot, to) => {
                let table = self.tables.len();
                self.tables.push(vec![0; to.len()]);
                self.push(Instruction::Switch { slot, table: table as u32 }, stage);
                for (entry, block) in to.into_iter().enumerate() {
                    self.way(Gap::Table(table, entry), &Jump::to(block), stage, open);
                }
                None
            }
        }
    }

    /// The comparison at the end of a block and the branch on it as one instruction, where nobody else reads the comparison.
    fn unless(&self, condition: Value, steps: &mut Vec<Step>) -> Option<Instruction> {
        let last = steps.last().filter(|step| step.result == Some(condition))?;
        if self.reads[condition as usize] != 1 {
            return None;
        }
        let to = 0;
        let unless = match last.op {
            Op::Binary(Binary::LtInt, a, b) => Instruction::UnlessLess { a, b, to },
            Op::Binary(Binary::LeInt, a, b) => Instruction::UnlessAtMost { a, b, to },
            Op::Binary(Binary::Eq, a, b) => Instruction::UnlessEqual { a, b, to },
            Op::Binary(Binary::Ne, a, b) => Instruction::UnlessDifferent { a, b, to },
            _ => return None,
        };
        steps.pop();
        Some(unless)
    }

    /// Goes on with a block: writes what the way there needs, and gives the block if it can follow at once.
    fn jump(&mut self, jump: &Jump, stage: u16) -> Option<BlockId> {
        let jump = self.follow(jump);
        self.moves(&jump, stage);
        if self.begins[jump.block].is_none() {
            return Some(jump.block);
        }
        self.go(jump.block, stage, true);
        None
    }

    /// Goes to a block; `back` where that may close a loop.
    fn go(&mut self, block: BlockId, stage: u16, back: bool) {
        let go = if back { Instruction::Loop(0) } else { Instruction::Jump(0) };
        let at = self.push(go, stage);
        self.gaps.push((Gap::Jump(at), block));
    }

    /// Leads a gap to a block: at once, or by instructions of its own where values move or a loop closes.
    fn way(&mut self, gap: Gap, jump: &Jump, stage: u16, open: &mut Vec<BlockId>) {
        let jump = self.follow(jump);
        let back = self.begins[jump.block].is_some();
        if jump.args.is_empty() && !back {
            open.push(jump.block);
            self.gaps.push((gap, jump.block));
        } else {
            self.ways.push(Way { gap, jump, back, stage });
        }
    }

    /// Moves the values of a jump into the parameters, as if all at once.
    fn moves(&mut self, jump: &Jump, stage: u16) {
        let params = &self.graph.blocks[jump.block].params;
        let moves: Vec<(Value, Value)> =
            params.iter().copied().zip(jump.args.iter().copied()).collect();
        let moves: Vec<_> = moves.into_iter().filter(|(param, arg)| param != arg).collect();
        let overlap = moves.iter().any(|(_, arg)| moves.iter().any(|(param, _)| param == arg));
        if !overlap {
            for (result, from) in moves {
                self.push(Instruction::Move { result, from }, stage);
            }
            return;
        }
        let kept: Vec<Value> = moves.iter().map(|_| self.graph.value()).collect();
        for ((_, from), result) in moves.iter().zip(&kept) {
            self.push(Instruction::Move { result: *result, from: *from }, stage);
        }
        for ((result, _), from) in moves.iter().zip(kept) {
            self.push(Instruction::Move { result: *result, from }, stage);
        }
    }

    fn step(&mut self, step: Step, open: &mut Vec<BlockId>) {
        let stage = step.stage as u16;
        let result = step.result.unwrap_or_default();
        let catch = NO_CATCH;
        let instruction = match step.op {
            Op::Unary(op, a) => Instruction::Unary { op, result, a },
            Op::Binary(op, a, b) if crate::op::throws(op) => {
                Instruction::Divide { op, result, a, b, catch }
            }
            Op::Binary(Binary::AddInt, a, b) => Instruction::AddInt { result, a, b },
            Op::Binary(op, a, b) => Instruction::Binary { op, result, a, b },
            Op::Call(Callee { known: Known::Length, .. }, values) => {
                Instruction::Length { result, text: values[0] }
            }
            Op::Call(Callee { known: Known::CharAt, .. }, values) => {
                Instruction::CharAt { result, text: values[0], index: values[1], catch }
            }
            Op::Call(callee, values) => {
                let args = self.args.len() as u32;
                let count = values.len() as u8;
                self.args.extend(values);
                Instruction::Call { run: callee.run, result, args, count, catch }
            }
            Op::Element(list, index) => Instruction::Element { result, list, index },
            Op::Time(value) => Instruction::Time(value),
            Op::Emit(_) => Instruction::Emit,
        };
        let at = self.push(instruction, stage);
        if let Some(jump) = step.catch {
            self.way(Gap::Catch(at), &jump, stage, open);
        }
    }
}
