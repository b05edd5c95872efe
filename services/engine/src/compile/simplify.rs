//! Takes away what joining functions left behind: parameters that always get the same value, decisions that are made already.
use super::graph::{BlockId, End, Graph, Jump, Op, Value};
use crate::op;
use std::collections::HashMap;

/// Simplifies until nothing changes. Blocks that nothing leads to any more are emptied.
pub(super) fn simplify(graph: &mut Graph) {
    let mut names = Names { other: (0..graph.len() as Value).collect() };
    loop {
        let order = reached(graph);
        let mut changed = fold(graph, &order, &mut names);
        changed |= settle_params(graph, &order, &mut names);
        if !changed {
            empty_unreached(graph, &order);
            return;
        }
    }
}

/// What each value is called now.
struct Names {
    other: Vec<Value>,
}

impl Names {
    fn of(&mut self, value: Value) -> Value {
        // New constants are not renamed.
        let Some(&next) = self.other.get(value as usize) else {
            return value;
        };
        if next == value {
            return value;
        }
        let last = self.of(next);
        self.other[value as usize] = last;
        last
    }
}

/// The blocks that are reached, each before those that follow it but for loops.
fn reached(graph: &mut Graph) -> Vec<BlockId> {
    let mut seen = vec![false; graph.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, graph.blocks[0].successors())];
    seen[0] = true;
    while let Some((block, mut next)) = stack.pop() {
        match next.pop() {
            None => order.push(block),
            Some(to) => {
                stack.push((block, next));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, graph.blocks[to].successors()));
                }
            }
        }
    }
    order.reverse();
    order
}

/// Renames what is read, works out what is constant, and decides what is decided.
fn fold(graph: &mut Graph, order: &[BlockId], names: &mut Names) -> bool {
    let mut changed = false;
    for &block in order {
        let mut steps = std::mem::take(&mut graph.blocks[block].steps);
        steps.retain_mut(|step| {
            step.op.reads(|value| *value = names.of(*value));
            let Some((result, bits)) = step.result.zip(constant(graph, &step.op)) else {
                return true;
            };
            names.other[result as usize] = graph.constant(bits);
            changed = true;
            false
        });
        let here = &mut graph.blocks[block];
        here.steps = steps;
        for jump in here.jumps() {
            jump.args.iter_mut().for_each(|value| *value = names.of(*value));
        }
        let Some(decides) = here.end.decides() else {
            continue;
        };
        *decides = names.of(*decides);
        let Some(bits) = graph.constants.get(decides) else {
            continue;
        };
        here.end = match std::mem::take(&mut here.end) {
            End::Branch(_, yes, no) => End::Jump(if *bits == 0 { no } else { yes }),
            End::Switch(_, to) => End::Jump(Jump::to(to[*bits as usize])),
            end => end,
        };
        changed = true;
    }
    changed
}

/// The result of an operation on constants.
fn constant(graph: &Graph, op: &Op) -> Option<u64> {
    let bits = |value: &Value| graph.constants.get(value).copied();
    match op {
        Op::Unary(op, a) => Some(op::apply_unary(*op, bits(a)?)),
        Op::Binary(op, a, b) => op::apply_binary(*op, bits(a)?, bits(b)?).ok(),
        _ => None,
    }
}

/// Gives a parameter that gets one value on every way (itself aside) the name of that value.
fn settle_params(graph: &mut Graph, order: &[BlockId], names: &mut Names) -> bool {
    // By block: what each parameter gets; none where it gets several.
    let mut given: HashMap<BlockId, Vec<Option<Value>>> = HashMap::new();
    for &block in order {
        let jumps: Vec<Jump> = graph.blocks[block].jumps().map(|jump| jump.clone()).collect();
        for jump in jumps {
            let args: Vec<Value> = jump.args.iter().map(|arg| names.of(*arg)).collect();
            let params = &graph.blocks[jump.block].params;
            let given = given
                .entry(jump.block)
                .or_insert_with(|| params.iter().copied().map(Some).collect());
            for ((given, arg), param) in given.iter_mut().zip(args).zip(params) {
                match *given {
                    Some(value) if value == *param => *given = Some(arg),
                    Some(value) if value != arg && arg != *param => *given = None,
                    _ => {}
                }
            }
        }
    }
    let mut settled: HashMap<BlockId, Vec<bool>> = HashMap::new();
    for (block, given) in given {
        let params = &mut graph.blocks[block].params;
        let one: Vec<bool> = given
            .iter()
            .zip(params.iter())
            .map(|(given, param)| given.is_some_and(|value| value != *param))
            .collect();
        for ((param, value), _) in params.iter().zip(&given).zip(&one).filter(|(_, one)| **one) {
            if let Some(value) = value {
                names.other[*param as usize] = *value;
            }
        }
        if one.contains(&true) {
            keep(params, &one);
            settled.insert(block, one);
        }
    }
    for &block in order {
        for jump in graph.blocks[block].jumps() {
            if let Some(one) = settled.get(&jump.block) {
                keep(&mut jump.args, one);
            }
        }
    }
    !settled.is_empty()
}

/// Keeps the values that are not settled.
fn keep(values: &mut Vec<Value>, settled: &[bool]) {
    let mut settled = settled.iter();
    values.retain(|_| settled.next() != Some(&true));
}

fn empty_unreached(graph: &mut Graph, order: &[BlockId]) {
    let mut reached = vec![false; graph.blocks.len()];
    order.iter().for_each(|&block| reached[block] = true);
    for (block, _) in graph.blocks.iter_mut().zip(reached).filter(|(_, reached)| !reached) {
        *block = Default::default();
    }
}
