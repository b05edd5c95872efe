//! Stage 1, read: the captured job (docs/graph.md).

use std::collections::HashMap;

use thiserror::Error;

use crate::archive::{Archive, ArchiveError};
use crate::graph::{Graph, GraphError, Watermarks};

/// A capture that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CaptureError {
    /// Not a zip file, or a damaged one.
    #[error("the capture is {0}")]
    Archive(#[from] ArchiveError),
    /// No graph in it.
    #[error("the capture has no `graph.json`")]
    NoGraph,
    /// A graph that does not keep to the contract.
    #[error("graph.json: {0}")]
    Graph(#[from] GraphError),
    /// A function or type that the graph names but the capture lacks.
    #[error("node {node} names `{entry}`, which the capture lacks")]
    NoEntry {
        /// The node.
        node: i32,
        /// The entry.
        entry: String,
    },
    /// Constants that are no text.
    #[error("`{entry}`, the constants of node {node}, is not UTF-8")]
    NotText {
        /// The node.
        node: i32,
        /// The entry.
        entry: String,
    },
}

/// A captured job: its graph, and its functions and types as Java serialized them.
#[derive(Debug, Clone)]
pub struct Capture {
    graph: Graph,
    entries: HashMap<String, Vec<u8>>,
}

impl Capture {
    /// Reads a capture file.
    ///
    /// # Errors
    /// A [`CaptureError`] if it is damaged, of a newer format, or not whole.
    pub fn read(zip_bytes: &[u8]) -> Result<Self, CaptureError> {
        let archive = Archive::read(zip_bytes.to_vec())?;
        let mut entries = HashMap::new();
        for (at, name) in archive.names().iter().enumerate() {
            entries.insert(name.clone(), archive.unpack(at)?);
        }
        let graph = entries.remove("graph.json").ok_or(CaptureError::NoGraph)?;
        let mut capture = Self { graph: Graph::parse(&graph)?, entries };
        capture.give_constants()?;
        for node in &capture.graph.nodes {
            let named = [
                node.function.as_ref().and_then(|function| function.serialized.as_ref()),
                node.watermarks.as_ref().and_then(|watermarks| watermarks.serialized.as_ref()),
            ];
            for entry in named.into_iter().flatten() {
                if capture.entry(entry).is_none() {
                    return Err(CaptureError::NoEntry { node: node.id, entry: entry.clone() });
                }
            }
        }
        Ok(capture)
    }

    /// Hands each function the text of its constants.
    fn give_constants(&mut self) -> Result<(), CaptureError> {
        for node in &mut self.graph.nodes {
            let id = node.id;
            let timestamps = node.watermarks.as_mut().and_then(Watermarks::timestamp_function_mut);
            for (function, entry) in [
                (node.function.as_mut(), format!("constants/{id}.json")),
                (timestamps, format!("constants/{id}.assigner.json")),
            ] {
                if let (Some(function), Some(bytes)) = (function, self.entries.remove(&entry)) {
                    let text = String::from_utf8(bytes);
                    function.constants =
                        text.map_err(|_| CaptureError::NotText { node: id, entry })?;
                }
            }
        }
        Ok(())
    }

    /// A graph whose functions and types are taken to be there.
    #[must_use]
    pub fn of_graph(graph: Graph) -> Self {
        let entries = graph.nodes.iter().flat_map(|node| {
            let function = node.function.as_ref().and_then(|function| function.serialized.clone());
            let watermarks = node.watermarks.as_ref().and_then(|marks| marks.serialized.clone());
            let ty = node.output.as_ref().map(|_| node.type_entry());
            [function, watermarks, ty].into_iter().flatten()
        });
        let entries = entries.map(|name| (name, Vec::new())).collect();
        Self { graph, entries }
    }

    /// The graph.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// A serialized function or type by its name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&[u8]> {
        self.entries.get(name).map(Vec::as_slice)
    }
}
