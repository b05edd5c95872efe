//! Takes away what nobody reads.
use super::graph::{Graph, Op, Value};
use std::collections::HashMap;

/// Which values are read.
pub(super) struct Live {
    read: Vec<bool>,
}

impl Live {
    pub(super) fn is_read(&self, value: Value) -> bool {
        self.read[value as usize]
    }
}

/// Takes away steps and parameters that have no effect on what the chain does. Where it passes its input on as it came, the output
/// reads nothing but whether that is null.
pub(super) fn prune(graph: &mut Graph, passes_on: bool) -> Live {
    let mut read = Reading::of(graph, passes_on);
    // What reading a value reads in turn.
    let mut through: HashMap<Value, Vec<Value>> = HashMap::new();
    for block in 0..graph.blocks.len() {
        for step in &mut graph.blocks[block].steps {
            if let (true, Some(result)) = (step.op.is_pure(), step.result) {
                let reads = through.entry(result).or_default();
                step.op.reads(|value| reads.push(*value));
            }
        }
        let jumps: Vec<_> = graph.blocks[block].jumps().map(|jump| jump.clone()).collect();
        for jump in jumps {
            for (param, arg) in graph.blocks[jump.block].params.iter().zip(jump.args) {
                through.entry(*param).or_default().push(arg);
            }
        }
    }
    while let Some(value) = read.open.pop() {
        for &value in through.get(&value).into_iter().flatten() {
            read.add(value);
        }
    }
    let live = Live { read: read.read };
    remove_dead(graph, &live);
    live
}

/// Marking in work.
struct Reading {
    read: Vec<bool>,
    /// Read, but not looked through yet.
    open: Vec<Value>,
}

impl Reading {
    /// What is read by what has an effect.
    fn of(graph: &mut Graph, passes_on: bool) -> Reading {
        let mut reading = Reading { read: vec![false; graph.len()], open: Vec::new() };
        for block in &mut graph.blocks {
            for step in block.steps.iter_mut().filter(|step| !step.op.is_pure()) {
                if let (true, Op::Emit(values)) = (passes_on, &mut step.op) {
                    values.truncate(1);
                }
                step.op.reads(|value| reading.add(*value));
            }
            block.end.decides().into_iter().for_each(|value| reading.add(*value));
        }
        reading
    }

    fn add(&mut self, value: Value) {
        if !std::mem::replace(&mut self.read[value as usize], true) {
            self.open.push(value);
        }
    }
}

fn remove_dead(graph: &mut Graph, live: &Live) {
    let params: Vec<Vec<Value>> = graph.blocks.iter().map(|block| block.params.clone()).collect();
    for block in &mut graph.blocks {
        block.steps.retain(|step| {
            !step.op.is_pure() || step.result.is_none_or(|result| live.is_read(result))
        });
        for jump in block.jumps() {
            let mut params = params[jump.block].iter();
            jump.args.retain(|_| params.next().is_none_or(|param| live.is_read(*param)));
        }
        block.params.retain(|param| live.is_read(*param));
    }
}
