//! A pattern as steps.
use super::ast::{Greed, Node, Place};
use super::class::Set;
use crate::{Failure, Result};

/// A step.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Takes a character of a set.
    Set(Set),
    /// Goes on elsewhere.
    Goto(usize),
    /// Goes on at the first; if that leads to nothing, at the second.
    Fork(usize, usize),
    /// Keeps the place in a slot.
    Save(usize),
    /// Goes on at a step if no character was taken since the place in a slot.
    Stuck(usize, usize),
    Place(Place),
    Back(usize, bool),
    /// Runs the steps up to `end` apart; goes on there.
    Look {
        ahead: bool,
        negative: bool,
        least: usize,
        most: usize,
        end: usize,
    },
    Atomic {
        end: usize,
    },
    /// The end of the pattern, or of what runs apart.
    Done,
}

/// Steps, and how many slots they use.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) slots: usize,
}

const LIMIT: usize = 20_000;

pub(super) fn compile(node: &Node, groups: usize) -> Result<Program> {
    let mut program = Program { steps: Vec::new(), slots: 2 * (groups + 1) };
    program.node(node)?;
    program.push(Step::Done)?;
    Ok(program)
}

impl Program {
    fn push(&mut self, step: Step) -> Result<usize> {
        if self.steps.len() == LIMIT {
            return Err(Failure::Uncertain("a pattern this long"));
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn here(&self) -> usize {
        self.steps.len()
    }

    /// A fork to the next step or to one not known yet.
    fn fork(&mut self) -> Result<usize> {
        self.push(Step::Fork(0, 0))
    }

    fn join(&mut self, fork: usize, greedy: bool, inside: usize, outside: usize) {
        let (first, second) = if greedy { (inside, outside) } else { (outside, inside) };
        self.steps[fork] = Step::Fork(first, second);
    }

    fn node(&mut self, node: &Node) -> Result<()> {
        match node {
            Node::Empty => {}
            Node::Set(set) => _ = self.push(Step::Set(set.clone()))?,
            Node::Row(nodes) => nodes.iter().try_for_each(|node| self.node(node))?,
            Node::Either(nodes) => {
                let mut ends = Vec::new();
                for (at, node) in nodes.iter().enumerate() {
                    let fork = if at + 1 < nodes.len() { Some(self.fork()?) } else { None };
                    self.node(node)?;
                    ends.push(self.push(Step::Goto(0))?);
                    if let Some(fork) = fork {
                        self.join(fork, true, fork + 1, self.here());
                    }
                }
                let here = self.here();
                ends.into_iter().for_each(|end| self.steps[end] = Step::Goto(here));
            }
            Node::Repeat { node, least, most, greed: Greed::Possessive } => {
                let node = node.clone();
                let (least, most) = (*least, *most);
                self.node(&Node::Atomic(Box::new(Node::Repeat {
                    node,
                    least,
                    most,
                    greed: Greed::Greedy,
                })))?;
            }
            Node::Repeat { node, least, most, greed } => {
                self.repeat(node, *least, *most, *greed == Greed::Greedy)?;
            }
            Node::Group(number, node) => {
                self.push(Step::Save(2 * number))?;
                self.node(node)?;
                self.push(Step::Save(2 * number + 1))?;
            }
            Node::Back(group, ignore_case) => _ = self.push(Step::Back(*group, *ignore_case))?,
            Node::Place(place) => _ = self.push(Step::Place(*place))?,
            Node::Look { node, ahead, negative } => {
                let (ahead, negative) = (*ahead, *negative);
                let (least, most) = node.width();
                let look = self.push(Step::Done)?;
                self.node(node)?;
                self.push(Step::Done)?;
                let (most, end) = (most.unwrap_or(0), self.here());
                self.steps[look] = Step::Look { ahead, negative, least, most, end };
            }
            Node::Atomic(node) => {
                let atomic = self.push(Step::Done)?;
                self.node(node)?;
                self.push(Step::Done)?;
                self.steps[atomic] = Step::Atomic { end: self.here() };
            }
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        node: &Node,
        least: usize,
        most: Option<usize>,
        greedy: bool,
    ) -> Result<()> {
        for _ in 0..least {
            self.node(node)?;
        }
        match most {
            Some(most) => {
                let mut forks = Vec::new();
                for _ in least..most {
                    forks.push(self.fork()?);
                    self.node(node)?;
                }
                let here = self.here();
                forks.into_iter().for_each(|fork| self.join(fork, greedy, fork + 1, here));
            }
            None => {
                let fork = self.fork()?;
                if node.width().0 > 0 {
                    self.node(node)?;
                    self.push(Step::Goto(fork))?;
                } else {
                    let slot = self.slots;
                    self.slots += 1;
                    self.push(Step::Save(slot))?;
                    self.node(node)?;
                    let stuck = self.push(Step::Done)?;
                    self.push(Step::Goto(fork))?;
                    self.steps[stuck] = Step::Stuck(slot, self.here());
                }
                self.join(fork, greedy, fork + 1, self.here());
            }
        }
        Ok(())
    }
}
