//! Lists that only the function sees, of texts: their elements need no test for null and class, and one below the size is always there.
use super::graph::{BlockId, End, Graph, Known, Op, Value};
use crate::heap::NULL;
use crate::op::Binary;
use std::collections::{HashMap, HashSet};

/// Takes away the tests that such lists make idle.
pub(super) fn settle(graph: &mut Graph) {
    let lists = lists(graph);
    if lists.is_empty() {
        return;
    }
    let texts = texts(graph, &lists);
    for list in &lists {
        bounds(graph, *list);
    }
    let mut names = HashMap::new();
    let no = graph.constant(0);
    let null = graph.constant(NULL);
    for block in &mut graph.blocks {
        block.steps.retain(|step| {
            let Some(result) = step.result else { return true };
            let name = match &step.op {
                Op::Call(callee, args)
                    if callee.known == Known::AsText && texts.contains(&args[0]) =>
                {
                    args[0]
                }
                Op::Binary(Binary::Eq, a, b) => {
                    let other = if *a == null { *b } else { *a };
                    let some = texts.contains(&other) || lists.contains(&other);
                    if !some || *a != null && *b != null {
                        return true;
                    }
                    no
                }
                _ => return true,
            };
            names.insert(result, name);
            false
        });
    }
    graph.rename(&names);
}

/// The lists that are made here, and read and added to only.
fn lists(graph: &mut Graph) -> HashSet<Value> {
    let mut lists = HashSet::new();
    for step in graph.blocks.iter().flat_map(|block| &block.steps) {
        if step.op.call_of(Known::NewList).is_some() {
            lists.extend(step.result);
        }
    }
    let null = graph.constant(NULL);
    for block in &mut graph.blocks {
        for step in &mut block.steps {
            let receiver = match &step.op {
                Op::Call(callee, args)
                    if matches!(callee.known, Known::Add | Known::Get | Known::Size) =>
                {
                    Some(args[0])
                }
                Op::Binary(Binary::Eq, a, b) if *b == null => Some(*a),
                Op::Binary(Binary::Eq, a, b) if *a == null => Some(*b),
                _ => None,
            };
            let mut first = true;
            step.op.reads(|value| {
                // As the receiver, once.
                if Some(*value) == receiver && std::mem::take(&mut first) {
                    return;
                }
                lists.remove(value);
            });
        }
        for jump in block.jumps() {
            jump.args.iter().for_each(|value| {
                lists.remove(value);
            });
        }
    }
    lists
}

/// The values that are known to be texts: results of calls that give one, constants, and elements of lists of nothing else.
fn texts(graph: &Graph, lists: &HashSet<Value>) -> HashSet<Value> {
    let mut texts: HashSet<Value> =
        graph.constants.iter().filter(|(_, bits)| **bits < NULL).map(|(value, _)| *value).collect();
    let steps = || graph.blocks.iter().flat_map(|block| &block.steps);
    for step in steps() {
        if matches!(&step.op, Op::Call(callee, _) if callee.text) {
            texts.extend(step.result);
        }
    }
    let mut only: HashSet<Value> = lists.clone();
    for step in steps() {
        if let Some(&[list, value]) = step.op.call_of(Known::Add)
            && !texts.contains(&value)
        {
            only.remove(&list);
        }
    }
    for step in steps() {
        if let Some(&[list, _]) = step.op.call_of(Known::Get)
            && only.contains(&list)
        {
            texts.extend(step.result);
        }
    }
    texts
}

/// Where the size of a list was compared with a number, and nothing is added behind that, elements below it are there.
fn bounds(graph: &mut Graph, list: Value) {
    for block in 0..graph.blocks.len() {
        let Some((inside, size)) = sized(graph, block, list) else { continue };
        let behind = graph.reached(inside, None);
        let adds = |block: &super::graph::Block| {
            block
                .steps
                .iter()
                .any(|step| step.op.call_of(Known::Add).is_some_and(|args| args[0] == list))
        };
        if (0..graph.blocks.len()).any(|at| behind[at] && adds(&graph.blocks[at])) {
            continue;
        }
        // What is reached by no other way.
        let around = graph.reached(0, Some(inside));
        for at in (0..graph.blocks.len()).filter(|at| behind[*at] && !around[*at]) {
            let steps = &mut graph.blocks[at].steps;
            for step in steps {
                let there = match step.op.call_of(Known::Get) {
                    Some(&[of, index]) if of == list => {
                        graph.constants.get(&index).is_some_and(|index| *index < size)
                    }
                    _ => false,
                };
                if let (true, Op::Call(callee, _)) = (there, &mut step.op) {
                    callee.pure = true;
                    step.catch = None;
                }
            }
        }
    }
}

/// The block in which the list has a certain size, where a block ends with that test.
fn sized(graph: &Graph, block: BlockId, list: Value) -> Option<(BlockId, u64)> {
    let End::Branch(condition, yes, no) = &graph.blocks[block].end else { return None };
    let all = || graph.blocks.iter().flat_map(|block| &block.steps);
    let made = all().find(|step| step.result == Some(*condition))?;
    let (equal, a, b) = match made.op {
        Op::Binary(Binary::Eq, a, b) => (true, a, b),
        Op::Binary(Binary::Ne, a, b) => (false, a, b),
        _ => return None,
    };
    let is_size = |value: Value| {
        let size = graph.blocks[block].steps.iter().find(|step| step.result == Some(value));
        size.is_some_and(|step| step.op.call_of(Known::Size) == Some(&[list]))
    };
    let size = match (graph.constants.get(&a), graph.constants.get(&b)) {
        (None, Some(size)) if is_size(a) => *size,
        (Some(size), None) if is_size(b) => *size,
        _ => return None,
    };
    let inside = if equal { yes } else { no };
    let others = graph.blocks[block].end_leads_twice_to(inside.block);
    (!others).then_some((inside.block, size))
}
