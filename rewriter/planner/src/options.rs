//! What the user decides.

use std::collections::BTreeMap;

use serde::Serialize;
use sluice_model::{Artifact, InputName, Order, QueryId};
use thiserror::Error;

use crate::graph::{Graph, Node};

/// What the user decides. Sources and operators are named by uid, name or node number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The query's id.
    pub query: QueryId,
    /// Its version.
    pub version: i32,
    /// Partitions of each topic.
    pub partitions: i32,
    /// The order that the residual job sees.
    pub order: Order,
    /// Sources that stay in the job.
    pub keep_sources: Vec<String>,
    /// Names for inputs, by source.
    pub input_names: BTreeMap<String, InputName>,
    /// Operators that stay in the job, and what stands behind them.
    pub pins: Vec<String>,
    /// Operators whose code the user vouches for: it depends on nothing but its event and changes nothing.
    pub trust: Vec<String>,
}

impl Options {
    /// The defaults: version 1, 32 partitions, in source order; everything moves that can.
    #[must_use]
    pub const fn new(query: QueryId) -> Self {
        Self {
            query,
            version: 1,
            partitions: 32,
            order: Order::Source,
            keep_sources: Vec::new(),
            input_names: BTreeMap::new(),
            pins: Vec::new(),
            trust: Vec::new(),
        }
    }

    /// Names that mean nothing in this graph.
    pub(crate) fn problems(&self, graph: &Graph) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut known = |names: &mut dyn Iterator<Item = &String>, kind: &str, sources: bool| {
            for name in names {
                let nodes = graph.nodes.iter().filter(|node| node.is_source() == sources);
                let nodes: Vec<_> = nodes.collect();
                if !nodes.iter().any(|node| node.is_called(name)) {
                    let named: Vec<_> = nodes.iter().map(|node| called(node)).collect();
                    problems.push(Problem {
                        about: name.clone(),
                        what: format!("the job has no {kind} of that name"),
                        help: format!("it has {}", named.join(", ")),
                    });
                }
            }
        };
        known(&mut self.keep_sources.iter(), "source", true);
        known(&mut self.input_names.keys(), "source", true);
        known(&mut self.pins.iter().chain(&self.trust), "operator", false);
        problems
    }
}

/// How people call a node.
pub(crate) fn called(node: &Node) -> String {
    format!("`{}`", node.uid.as_deref().unwrap_or(&node.name))
}

/// The files of the job that services fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFiles {
    /// The user's jar.
    pub jar: Artifact,
    /// The capture.
    pub capture: Artifact,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[error("{about}: {what}{}{help}", if .help.is_empty() { "" } else { "; " })]
pub struct Problem {
    /// The option, source or input.
    pub about: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}
