//! From JSON to a graph whose every reference leads somewhere.

use serde::Deserialize;
use thiserror::Error;

use super::{Graph, Node};

/// The format that this planner reads.
const FORMAT: i64 = 1;

/// A graph that does not keep to the contract.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GraphError {
    /// Written for another planner.
    #[error(
        "format {0}, but this planner reads format {FORMAT}: use the capture of the same version"
    )]
    Format(i64),
    /// Not JSON, or not of this form.
    #[error("{0}")]
    Json(String),
    /// Numbers with gaps, or out of order.
    #[error("node {found} stands where node {expected} should")]
    Id {
        /// The number at this place.
        expected: i32,
        /// The one found.
        found: i32,
    },
    /// A reference that leads nowhere.
    #[error("node {node} reads node {input}, which is not there")]
    Input {
        /// The node.
        node: i32,
        /// What it reads.
        input: i32,
    },
    /// Something that a node of its kind must say.
    #[error("node {node} lacks `{what}`")]
    Lacks {
        /// The node.
        node: i32,
        /// The field.
        what: &'static str,
    },
}

#[derive(Deserialize)]
struct Header {
    format: i64,
}

impl Graph {
    /// Parses and checks `graph.json`.
    ///
    /// # Errors
    /// A [`GraphError`] at the first place that does not keep to the contract.
    pub fn parse(json: &[u8]) -> Result<Self, GraphError> {
        let malformed = |error: serde_json::Error| GraphError::Json(error.to_string());
        let header: Header = serde_json::from_slice(json).map_err(malformed)?;
        if header.format != FORMAT {
            return Err(GraphError::Format(header.format));
        }
        let graph: Self = serde_json::from_slice(json).map_err(malformed)?;
        for (node, expected) in graph.nodes.iter().zip(1..) {
            check(node, expected, graph.nodes.len())?;
        }
        Ok(graph)
    }

    /// The node of that number, which must be one of this graph.
    #[must_use]
    pub fn node(&self, id: i32) -> &Node {
        let at = usize::try_from(id - 1).expect("ids begin at 1");
        &self.nodes[at]
    }

    /// The nodes that read a node, in their order.
    pub fn readers(&self, id: i32) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(move |node| node.inputs.contains(&id))
    }

    /// The sources, in their order.
    pub fn sources(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_source())
    }
}

fn check(node: &Node, expected: i32, count: usize) -> Result<(), GraphError> {
    if node.id != expected {
        return Err(GraphError::Id { expected, found: node.id });
    }
    let known = |id: i32| usize::try_from(id).is_ok_and(|id| (1..=count).contains(&id));
    if let Some(&input) = node.inputs.iter().find(|&&input| !known(input)) {
        return Err(GraphError::Input { node: node.id, input });
    }
    if node.is_source() && node.source.is_none() {
        return Err(GraphError::Lacks { node: node.id, what: "source" });
    }
    Ok(())
}
