//! The flow of control of a function: which blocks are reached, and which registers are defined where.
use crate::check::Problem;
use crate::ir::{Block, End, Function};
use crate::typed::{BlockId, Register};
use std::collections::HashMap;

/// The flow of a function.
pub(crate) struct Flow<'a> {
    /// The number of every register; the function's parameter has 0, its constants follow.
    pub(crate) registers: HashMap<&'a String, Register>,
    /// The reached blocks, by their places in the text, in an order in which definitions come before uses.
    pub(crate) order: Vec<usize>,
    /// The places in `order` of labels.
    labels: HashMap<&'a str, BlockId>,
    /// By place in the text: which registers are defined on every way to the block.
    pub(crate) defined: Vec<Vec<bool>>,
}

impl Flow<'_> {
    /// The place of a label's block in the order; a label without block has been reported.
    pub(crate) fn label(&self, label: &str) -> Option<BlockId> {
        self.labels.get(label).copied()
    }
}

/// Finds the flow, and reports what is wrong with labels, registers and blocks.
pub(crate) fn analyse<'a>(function: &'a Function, problems: &mut Vec<Problem>) -> Flow<'a> {
    let blocks = &function.blocks;
    let mut texts: HashMap<&str, usize> = HashMap::new();
    for (i, block) in blocks.iter().enumerate() {
        if texts.insert(&block.label, i).is_some() {
            problems.push((block.at, format!("there is another block {}", block.label)));
        }
    }
    let registers = registers(function, problems);
    let edges: Vec<Vec<Edge>> = blocks.iter().map(|block| edges(block, &texts, problems)).collect();
    let order = order(&edges);
    match blocks.first() {
        None => problems.push((function.at, "there is no block".to_owned())),
        Some(entry) if !entry.params.is_empty() => {
            problems.push((entry.at, "the entry takes no values".to_owned()));
        }
        _ => {}
    }
    let mut place = vec![None; blocks.len()];
    order.iter().enumerate().for_each(|(i, &block)| place[block] = Some(i));
    for (block, _) in blocks.iter().zip(&place).filter(|(_, place)| place.is_none()) {
        problems.push((block.at, format!("nothing leads to block {}", block.label)));
    }
    let labels = texts.into_iter().filter_map(|(label, i)| Some((label, place[i]?))).collect();
    let defined = defined(function, &registers, &edges, &order);
    Flow { registers, order, labels, defined }
}

/// A way out of a block: after how many of its steps, and where to.
struct Edge {
    steps: usize,
    to: usize,
}

fn registers<'a>(
    function: &'a Function,
    problems: &mut Vec<Problem>,
) -> HashMap<&'a String, Register> {
    let mut registers = HashMap::from([(&function.param.name, 0)]);
    for constant in &function.constants {
        let next = registers.len();
        if *registers.entry(&constant.param.name).or_insert(next) != next {
            let message = format!("%{} is defined already", constant.param.name);
            problems.push((constant.param.at, message));
        }
    }
    for block in &function.blocks {
        let params = block.params.iter().map(|param| (param.at, &param.name));
        let steps = block.steps.iter();
        let results = steps.filter_map(|step| Some((step.at, step.result.as_ref()?)));
        for (at, name) in params.chain(results) {
            let next = registers.len();
            if *registers.entry(name).or_insert(next) != next {
                problems.push((at, format!("%{name} is defined already")));
            }
        }
    }
    registers
}

fn edges(block: &Block, texts: &HashMap<&str, usize>, problems: &mut Vec<Problem>) -> Vec<Edge> {
    let mut edges = Vec::new();
    let mut to = |steps, label: &str, at| match texts.get(label) {
        Some(&to) => edges.push(Edge { steps, to }),
        None => problems.push((at, format!("there is no block {label}"))),
    };
    for (i, step) in block.steps.iter().enumerate() {
        if let Some(target) = &step.catch {
            to(i, &target.label, target.at);
        }
    }
    let all = block.steps.len();
    match &block.end {
        End::Jump(target) => to(all, &target.label, target.at),
        End::Branch(_, yes, no) => {
            to(all, &yes.label, yes.at);
            to(all, &no.label, no.at);
        }
        End::Unpack(_, label, other) => {
            to(all, label, block.end_at);
            to(all, &other.label, other.at);
        }
        End::Return(_) | End::Throw(_) | End::ThrowRef(_) => {}
    }
    edges
}

/// Reverse post-order from the entry: a block that every way to another passes stands before it.
fn order(edges: &[Vec<Edge>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut order = Vec::new();
    let mut stack: Vec<(usize, usize)> = Vec::new();
    if let Some(entry) = seen.first_mut() {
        *entry = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.pop() {
        let Some(edge) = edges[block].get(next) else {
            order.push(block);
            continue;
        };
        stack.push((block, next + 1));
        if !seen[edge.to] {
            seen[edge.to] = true;
            stack.push((edge.to, 0));
        }
    }
    order.reverse();
    order
}

/// The registers defined on every way to each block: the greatest solution, found by going round until nothing changes.
fn defined(
    function: &Function,
    registers: &HashMap<&String, Register>,
    edges: &[Vec<Edge>],
    order: &[usize],
) -> Vec<Vec<bool>> {
    let mut defined = vec![vec![true; registers.len()]; edges.len()];
    if let Some(entry) = defined.first_mut() {
        entry.fill(false);
        entry[..=function.constants.len().min(registers.len() - 1)].fill(true);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order {
            let source = &function.blocks[block];
            let mut here = defined[block].clone();
            source.params.iter().for_each(|param| here[registers[&param.name]] = true);
            let mut edges = edges[block].iter().peekable();
            for steps in 0..=source.steps.len() {
                while let Some(edge) = edges.next_if(|edge| edge.steps == steps) {
                    for (there, &here) in defined[edge.to].iter_mut().zip(&here) {
                        changed |= *there && !here;
                        *there &= here;
                    }
                }
                if let Some(name) = source.steps.get(steps).and_then(|step| step.result.as_ref()) {
                    here[registers[name]] = true;
                }
            }
        }
    }
    defined
}
