//! The replicated dataflow in Graphviz's language.

use std::fmt::Write;

use super::{Explanation, SourceSaid};
use crate::dataflow::{Flow, Site, Vertex};

pub fn dot(said: &Explanation) -> String {
    let mut out = format!("digraph {} {{\n  rankdir=LR;\n", quoted(&said.job));
    out.push_str("  node [shape=box, fontname=\"sans-serif\"];\n");
    out.push_str("  controller [label=\"routing controller\", shape=ellipse];\n");
    out.push_str("  residual [label=\"residual job\", shape=box3d];\n");
    for (at, source) in said.sources.iter().enumerate() {
        input(&mut out, at, source);
    }
    out.push_str("}\n");
    out
}

fn input(out: &mut String, at: usize, source: &SourceSaid) {
    let Some((dataflow, name)) = source.dataflow.as_ref().zip(source.input.as_ref()) else {
        return;
    };
    let id = |vertex: Vertex| match vertex {
        Vertex::RoutingController => "controller".to_owned(),
        Vertex::Source => format!("i{at}_source"),
        Vertex::ChoicePoint(i) => format!("i{at}_cp{i}"),
        Vertex::Edge(i) => format!("i{at}_edge{i}"),
        Vertex::Cloud(i) => format!("i{at}_cloud{i}"),
        Vertex::Sink => format!("i{at}_out"),
    };
    let operator = |i: usize| {
        let step = source.steps.iter().find(|step| !step.assigner && step.number == i);
        step.map_or("", |step| step.name.as_str())
    };
    let look = |vertex: Vertex| match vertex {
        Vertex::RoutingController => None,
        Vertex::Source => Some((name.to_string(), "cds")),
        Vertex::ChoicePoint(i) => Some((format!("CP{i}"), "diamond")),
        Vertex::Edge(i) | Vertex::Cloud(i) => Some((format!("v{i} {}", operator(i)), "box")),
        Vertex::Sink => Some(("out".to_owned(), "cylinder")),
    };
    for (site, title) in [(Site::Edge, "device"), (Site::Cloud, "cloud")] {
        let _ = writeln!(out, "  subgraph cluster_{at}_{title} {{");
        let _ = writeln!(out, "    label={};", quoted(&format!("{name}: {title}")));
        for &vertex in dataflow.vertices.iter().filter(|vertex| vertex.site() == site) {
            if let Some((label, shape)) = look(vertex) {
                let (id, label) = (id(vertex), quoted(&label));
                let _ = writeln!(out, "    {id} [label={label}, shape={shape}];");
            }
        }
        out.push_str("  }\n");
    }
    for connection in &dataflow.connections {
        let style = match connection.flow {
            Flow::Control => " [style=dashed]",
            Flow::Data => "",
        };
        let _ = writeln!(out, "  {} -> {}{style};", id(connection.from), id(connection.to));
    }
    let _ = writeln!(out, "  {} -> residual;", id(Vertex::Sink));
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
