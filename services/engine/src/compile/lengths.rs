//! The length of a text is asked for once, where the text is made: it never changes, and loops ask for it in each round.
use super::graph::{Graph, Known, Op, Step, Value};
use std::collections::HashMap;

/// Where a value comes from.
enum Origin {
    /// The beginning of a block.
    Begin(usize),
    /// The step of that place in a block.
    Step(usize, usize),
}

/// Leaves one step for the length of each text.
pub(super) fn hoist(graph: &mut Graph) {
    let mut lengths: HashMap<Value, Step> = HashMap::new();
    let mut names = HashMap::new();
    for block in 0..graph.blocks.len() {
        let mut steps = std::mem::take(&mut graph.blocks[block].steps);
        steps.retain_mut(|step| {
            let (Some(&[text]), Some(result)) = (step.op.call_of(Known::Length), step.result)
            else {
                return true;
            };
            let one = lengths.entry(text).or_insert_with(|| {
                let op = std::mem::replace(&mut step.op, Op::Time(text));
                Step { result: Some(graph.value()), op, catch: None, stage: step.stage }
            });
            names.extend(one.result.map(|length| (result, length)));
            false
        });
        graph.blocks[block].steps = steps;
    }
    let mut origins: HashMap<Value, Origin> = HashMap::new();
    for (at, block) in graph.blocks.iter().enumerate() {
        origins.extend(block.params.iter().map(|param| (*param, Origin::Begin(at))));
        let results = block.steps.iter().enumerate();
        origins.extend(
            results.filter_map(|(place, step)| Some((step.result?, Origin::Step(at, place + 1)))),
        );
    }
    // From behind, so that places stay right; what no block makes is there from the beginning.
    let mut inserts: Vec<(usize, usize, Step)> = lengths
        .into_iter()
        .map(|(text, step)| match origins.get(&text) {
            Some(Origin::Step(block, place)) => (*block, *place, step),
            Some(Origin::Begin(block)) => (*block, 0, step),
            None => (0, 0, step),
        })
        .collect();
    inserts.sort_by_key(|(block, place, step)| (*block, *place, step.result));
    for (block, place, step) in inserts.into_iter().rev() {
        graph.blocks[block].steps.insert(place, step);
    }
    graph.rename(&names);
}
