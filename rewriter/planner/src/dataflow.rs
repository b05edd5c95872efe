//! The paper's Algorithm 1: from the chain of an input to its replicated dataflow.
//!
//! > *Transform `G1` to `G1R`*: for each mobile operator `v_i`, in topological order, create a choice point `CP_i`, a
//! > replica at the edge `vE_i` and one in the cloud `vC_i`; connect the routing controller to `CP_i`, what comes before
//! > to `CP_i`, `CP_i` to both replicas, `vE_i` to `CP_{i+1}` and `vC_i` to `vC_{i+1}`.
//!
//! (Wang et al., arXiv 2610.34658, section 3.2, in our own words.) Since an edge replica leads to the next choice point
//! but a cloud replica past it, no event ever comes back to the edge: a path is a cut `k`, with `1..=k` at the edge.
//! What is drawn here is the logical dataflow; how few processes and topics carry it is decided at deployment.

use serde::Serialize;

/// A vertex of `G1R`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Vertex {
    /// The paper's `CS`: who decides.
    RoutingController,
    /// `v_0`, on the device.
    Source,
    /// `CP_i`, on the device: where an event stays at the edge or leaves for the cloud.
    ChoicePoint(usize),
    /// `vE_i`: operator `i` on the device.
    Edge(usize),
    /// `vC_i`: operator `i` in the cloud.
    Cloud(usize),
    /// The message broker in front of the residual job.
    Sink,
}

/// Where a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Site {
    /// On the device.
    Edge,
    /// In the cloud.
    Cloud,
}

impl Vertex {
    /// Where it is.
    #[must_use]
    pub const fn site(self) -> Site {
        match self {
            Self::Source | Self::ChoicePoint(_) | Self::Edge(_) => Site::Edge,
            Self::RoutingController | Self::Cloud(_) | Self::Sink => Site::Cloud,
        }
    }
}

/// What flows along a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Routing commands.
    Control,
    /// Events.
    Data,
}

/// A connection of `G1R`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Connection {
    /// Where it begins.
    pub from: Vertex,
    /// Where it ends.
    pub to: Vertex,
    /// What flows along it.
    pub flow: Flow,
}

/// `G1R`: the replicated dataflow of one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dataflow {
    /// `V1R`.
    pub vertices: Vec<Vertex>,
    /// `E1R`.
    pub connections: Vec<Connection>,
}

impl Dataflow {
    /// Algorithm 1 for a chain of `operators` mobile operators.
    #[must_use]
    pub fn transform(operators: usize) -> Self {
        let mut dataflow =
            Self { vertices: vec![Vertex::RoutingController, Vertex::Source], connections: vec![] };
        let mut upstream = Vertex::Source;
        for i in 1..=operators {
            let (choice, edge, cloud) = (Vertex::ChoicePoint(i), Vertex::Edge(i), Vertex::Cloud(i));
            dataflow.vertices.extend([choice, edge, cloud]);
            dataflow.connect(Vertex::RoutingController, choice, Flow::Control);
            dataflow.connect(upstream, choice, Flow::Data);
            dataflow.connect(choice, edge, Flow::Data);
            dataflow.connect(choice, cloud, Flow::Data);
            if i > 1 {
                dataflow.connect(Vertex::Cloud(i - 1), cloud, Flow::Data);
            }
            upstream = edge;
        }
        dataflow.vertices.push(Vertex::Sink);
        dataflow.connect(upstream, Vertex::Sink, Flow::Data);
        if operators > 0 {
            dataflow.connect(Vertex::Cloud(operators), Vertex::Sink, Flow::Data);
        }
        dataflow
    }

    fn connect(&mut self, from: Vertex, to: Vertex, flow: Flow) {
        self.connections.push(Connection { from, to, flow });
    }

    /// Where the events of a vertex go.
    pub fn next(&self, from: Vertex) -> impl Iterator<Item = Vertex> {
        let data = move |c: &&Connection| c.from == from && c.flow == Flow::Data;
        self.connections.iter().filter(data).map(|connection| connection.to)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(dataflow: &Dataflow, from: Vertex) -> Vec<Vec<Vertex>> {
        if from == Vertex::Sink {
            return vec![vec![from]];
        }
        let next = dataflow.next(from).flat_map(|next| paths(dataflow, next));
        next.map(|path| [vec![from], path].concat()).collect()
    }

    #[test]
    fn two_operators_as_drawn_in_the_paper() {
        use Vertex::{ChoicePoint, Cloud, Edge, RoutingController, Sink, Source};
        let dataflow = Dataflow::transform(2);
        let data: Vec<_> = dataflow.connections.iter().filter(|c| c.flow == Flow::Data).collect();
        let drawn = [
            (Source, ChoicePoint(1)),
            (ChoicePoint(1), Edge(1)),
            (ChoicePoint(1), Cloud(1)),
            (Edge(1), ChoicePoint(2)),
            (ChoicePoint(2), Edge(2)),
            (ChoicePoint(2), Cloud(2)),
            (Cloud(1), Cloud(2)),
            (Edge(2), Sink),
            (Cloud(2), Sink),
        ];
        assert_eq!(data.iter().map(|c| (c.from, c.to)).collect::<Vec<_>>(), drawn);
        let control: Vec<_> =
            dataflow.connections.iter().filter(|c| c.flow == Flow::Control).collect();
        assert_eq!(control.len(), 2);
        assert!(control.iter().all(|c| c.from == RoutingController));
    }

    proptest! {
        /// No way back: no connection of data leads from the cloud to the edge.
        #[test]
        fn data_never_returns_to_the_edge(operators in 0_usize..40) {
            for c in Dataflow::transform(operators).connections {
                if c.flow == Flow::Data {
                    prop_assert!(c.from.site() <= c.to.site(), "{c:?}");
                }
            }
        }

        /// The paths are the cuts: on each, every operator runs once, in order, first at the edge, then in the cloud.
        #[test]
        fn the_paths_are_the_cuts(operators in 0_usize..12) {
            let dataflow = Dataflow::transform(operators);
            let mut cuts = Vec::new();
            for path in paths(&dataflow, Vertex::Source) {
                let replicas: Vec<_> = path.iter().filter_map(|vertex| match *vertex {
                    Vertex::Edge(i) => Some((i, Site::Edge)),
                    Vertex::Cloud(i) => Some((i, Site::Cloud)),
                    _ => None,
                }).collect();
                prop_assert!(replicas.iter().map(|(i, _)| *i).eq(1..=operators));
                prop_assert!(replicas.is_sorted_by_key(|(_, site)| *site));
                cuts.push(replicas.iter().filter(|(_, site)| *site == Site::Edge).count());
            }
            cuts.sort_unstable();
            prop_assert!(cuts.into_iter().eq(0..=operators));
        }
    }
}
