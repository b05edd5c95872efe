//! Loops that walk over the characters of a text as long as they are of a set, as one step.
use super::graph::{Block, BlockId, Callee, End, Graph, Jump, Known, Op, Step, Value};
use crate::memory::Memory;
use crate::op::{Binary, apply_binary};
use crate::reason::Reason;
use std::collections::HashMap;

/// A way through the graph: the truth of a condition decides.
struct Test {
    op: Binary,
    a: Value,
    b: Value,
    /// Goes on where this is what it gives.
    wanted: bool,
}

/// A loop that was found: `while from < length(text) && unit at from is of the set: from++`.
struct Scan {
    header: BlockId,
    /// Which of the header's parameters is the index.
    param: usize,
    text: Value,
    set: u128,
    exit: Jump,
    catch: Option<Jump>,
    stage: usize,
}

/// Puts a step in the place of each such loop.
pub(super) fn shorten(graph: &mut Graph) {
    let mut texts = HashMap::new();
    let mut into = vec![0; graph.blocks.len()];
    for block in 0..graph.blocks.len() {
        graph.blocks[block].successors().into_iter().for_each(|to| into[to] += 1);
        for step in &graph.blocks[block].steps {
            if let (Some(&[text]), Some(result)) = (step.op.call_of(Known::Length), step.result) {
                texts.insert(result, text);
            }
        }
    }
    for header in 0..graph.blocks.len() {
        if let Some(found) = find(graph, header, &texts, &into) {
            let from = graph.value();
            let bounds =
                [found.set as u64, (found.set >> 64) as u64].map(|bits| graph.constant(bits));
            let block = &mut graph.blocks[found.header];
            let index = std::mem::replace(&mut block.params[found.param], from);
            let mut catch = found.catch;
            // Only the first index can be below zero.
            for arg in catch.iter_mut().flat_map(|jump| &mut jump.args).filter(|arg| **arg == index)
            {
                *arg = from;
            }
            let args = vec![found.text, from, bounds[0], bounds[1]];
            let op = Op::Call(Callee::new(scan, false), args);
            block.steps = vec![Step { result: Some(index), op, catch, stage: found.stage }];
            block.end = End::Jump(found.exit);
        }
    }
}

/// The test at the end of a block, its way on and its way out; `steps` is how many steps the block may have before it.
fn test(block: &Block, out: Option<&Jump>) -> Option<(Test, BlockId, Jump)> {
    let End::Branch(condition, yes, no) = &block.end else { return None };
    let last = block.steps.last().filter(|step| step.result == Some(*condition))?;
    let Op::Binary(op, a, b) = last.op else { return None };
    let same = |jump: &Jump, out: &Jump| jump.block == out.block && jump.args == out.args;
    let wanted = match out {
        Some(out) if same(yes, out) => false,
        Some(out) if same(no, out) => true,
        Some(_) => return None,
        // The first test: the loop goes on while the index is less than the length.
        None => op == Binary::LtInt,
    };
    let (on, out) = if wanted { (yes, no) } else { (no, yes) };
    on.args.is_empty().then(|| (Test { op, a, b, wanted }, on.block, out.clone()))
}

fn find(
    graph: &Graph,
    header: BlockId,
    texts: &HashMap<Value, Value>,
    into: &[usize],
) -> Option<Scan> {
    let first = &graph.blocks[header];
    if first.steps.len() != 1 {
        return None;
    }
    let (bound, mut next, exit) = test(first, None)?;
    // `index < length`, or not `length <= index`.
    let (index, length) = match bound.op {
        Binary::LtInt => (bound.a, bound.b),
        Binary::LeInt => (bound.b, bound.a),
        _ => return None,
    };
    let text = *texts.get(&length)?;
    let param = first.params.iter().position(|param| *param == index)?;
    let mut unit = None;
    let mut tests = Vec::new();
    let (mut catch, mut stage) = (None, 0);
    loop {
        let block = &graph.blocks[next];
        if into[next] != 1 || !block.params.is_empty() {
            return None;
        }
        if let End::Jump(back) = &block.end {
            let closed = back.block == header && closes(graph, block, back, param, index);
            let set = set(graph, &tests)?;
            return (closed && unit.is_some()).then_some(Scan {
                header,
                param,
                text,
                set,
                exit,
                catch,
                stage,
            });
        }
        for step in &block.steps[..block.steps.len().checked_sub(1)?] {
            match step.op.call_of(Known::CharAt) {
                Some(&[of, at]) if of == text && at == index => {
                    if unit.is_none() {
                        (catch, stage) = (step.catch.clone(), step.stage);
                    }
                    unit = step.result;
                }
                _ => return None,
            }
        }
        let (test, on, _) = test(block, Some(&exit))?;
        let unit = unit?;
        if (test.a == unit) == (test.b == unit) {
            return None;
        }
        tests.push((test, unit));
        next = on;
    }
}

/// Whether a block does nothing but go round with the next index.
fn closes(graph: &Graph, block: &Block, back: &Jump, param: usize, index: Value) -> bool {
    let [Step { result: Some(next), op: Op::Binary(Binary::AddInt, a, b), .. }] = &block.steps[..]
    else {
        return false;
    };
    let one = |value: &Value| graph.constants.get(value) == Some(&1);
    let params = &graph.blocks[back.block].params;
    let kept = |(at, (arg, param_value)): (usize, (&Value, &Value))| match at == param {
        true => arg == next,
        false => arg == param_value,
    };
    (*a == index && one(b) || *b == index && one(a))
        && back.args.iter().zip(params).enumerate().all(kept)
}

/// The units that pass all tests, all of them ASCII.
fn set(graph: &Graph, tests: &[(Test, Value)]) -> Option<u128> {
    let passes = |unit: u64| {
        tests
            .iter()
            .map(|(test, of)| {
                let bits = |value: Value| {
                    if value == *of { Some(unit) } else { graph.constants.get(&value).copied() }
                };
                let truth = apply_binary(test.op, bits(test.a)?, bits(test.b)?).ok()?;
                Some((truth != 0) == test.wanted)
            })
            .try_fold(true, |all, one| Some(all && one?))
    };
    let mut set = 0;
    for unit in 0..=u64::from(u16::MAX) {
        match (passes(unit)?, unit) {
            (true, 0..=127) => set |= 1 << unit,
            (true, _) => return None,
            (false, _) => {}
        }
    }
    Some(set)
}

/// The first index of a text, from one on, whose unit is not of the set, else the length: `[text, from, set, set]`.
fn scan(memory: &mut Memory<'_>, args: &[u64]) -> Result<u64, Reason> {
    let set = u128::from(args[2]) | u128::from(args[3]) << 64;
    let Ok(from) = usize::try_from(args[1] as i32) else {
        // What reading there throws.
        return Err(match sluice_java::utf16::char_at(memory.text(args[0]), args[1] as i32) {
            Err(failure) => failure.into(),
            Ok(_) => Reason::Index,
        });
    };
    let count = memory.span_of(args[0], from, |byte| byte < 128 && set >> byte & 1 == 1);
    memory.steps += count as u64;
    Ok(u64::from((from + count) as u32))
}
