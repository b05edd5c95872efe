//! What holds of every plan, tried on graphs that nobody would write.

use proptest::prelude::*;
use serde_json::{Value, json};
use sluice_model::{Artifact, QueryId};
use sluice_planner::{Capture, Classes, Graph, JobFiles, Options, Planned, Problem, plan};

/// Functions of these graphs are Flink's own, so that no class is needed.
struct NoClasses;

impl Classes for NoClasses {
    fn class(&self, _: &str) -> Option<&[u8]> {
        None
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}

#[derive(Debug, Clone)]
struct Choice {
    kind: usize,
    reads: [prop::sample::Index; 2],
}

fn function() -> Value {
    json!({"class": "org.apache.flink.api.F", "form": "class", "serialized": "functions/x.ser"})
}

fn node(id: usize, choice: &Choice) -> Value {
    let string = json!({"kind": "basic", "class": "java.lang.String"});
    let pair = json!({"kind": "tuple", "class": "Tuple2", "fields": [string, string]});
    let generic = json!({"kind": "generic", "class": "a.B"});
    let one = json!([1 + choice.reads[0].index(id.max(2) - 1)]);
    let both = json!([one[0], 1 + choice.reads[1].index(id.max(2) - 1)]);
    let reads = |kind: &str| json!({"class": "S", "reads": kind});
    let kind = if id == 1 { choice.kind % 3 } else { choice.kind };
    let mut node = match kind {
        0 => json!({"kind": "source", "source": reads("text"), "output": string}),
        1 => {
            json!({"kind": "source", "source": reads("schema"), "output": pair, "function": function()})
        }
        2 => json!({"kind": "legacy_source", "source": reads("opaque"), "output": string}),
        3 | 4 => {
            json!({"kind": "one_input", "operator": "map", "inputs": one, "output": pair, "function": function()})
        }
        5 => {
            json!({"kind": "one_input", "operator": "filter", "inputs": one, "output": generic, "function": function()})
        }
        6 => {
            json!({"kind": "one_input", "operator": "keyed", "keyed": true, "inputs": one, "output": pair})
        }
        7 => {
            json!({"kind": "partition", "partitioning": "rebalance", "inputs": one, "output": pair})
        }
        8 => json!({"kind": "partition", "partitioning": "hash", "inputs": one, "output": pair}),
        9 => json!({"kind": "union", "inputs": both, "output": pair}),
        10 => json!({"kind": "two_input", "inputs": both, "output": pair}),
        11 => {
            json!({"kind": "side_output", "inputs": one, "side_outputs": [{"id": "t"}], "output": pair})
        }
        12 => json!({"kind": "timestamps", "inputs": one, "output": pair, "watermarks":
            {"strategy": "bounded", "bound_ms": 5, "timestamps": function(), "serialized": "w"}}),
        13 => json!({"kind": "timestamps", "inputs": one, "output": pair, "watermarks":
            {"strategy": "custom", "timestamps": function(), "serialized": "w"}}),
        _ => json!({"kind": "sink", "inputs": one}),
    };
    node["id"] = json!(id);
    node["name"] = json!(format!("n{}", id % 5));
    node
}

fn any_graph() -> impl Strategy<Value = Graph> {
    let choice = (0_usize..15, any::<[prop::sample::Index; 2]>());
    let choice = choice.prop_map(|(kind, reads)| Choice { kind, reads });
    prop::collection::vec(choice, 1..25).prop_map(|choices| {
        let nodes: Vec<_> = choices.iter().zip(1..).map(|(choice, id)| node(id, choice)).collect();
        let graph = json!({"format": 1, "flink": "2.2.1", "java": 17, "digest": "d", "nodes": nodes,
            "job": {"name": "j", "main_class": "a.Main"}});
        Graph::parse(graph.to_string().as_bytes()).unwrap()
    })
}

fn planned(graph: &Graph) -> Result<Planned, Vec<Problem>> {
    let file = || Artifact { name: "f".to_owned(), digest: String::new(), bytes: 1 };
    let files = JobFiles { jar: file(), capture: file() };
    let options = Options::new(QueryId::new("q").unwrap());
    plan(&Capture::of_graph(graph.clone()), &NoClasses, &options, files)
}

/// All nodes behind a node.
fn behind(graph: &Graph, from: i32) -> Vec<i32> {
    let mut found = vec![from];
    let mut at = 0;
    while at < found.len() {
        for reader in graph.readers(found[at]) {
            if !found.contains(&reader.id) {
                found.push(reader.id);
            }
        }
        at += 1;
    }
    found
}

proptest! {
    #[test]
    fn planning_twice_gives_equal_plans(graph in any_graph()) {
        match (planned(&graph), planned(&graph)) {
            (Ok(one), Ok(other)) => {
                prop_assert_eq!(one.query, other.query);
                prop_assert_eq!(one.explanation, other.explanation);
            }
            (Err(one), Err(other)) => prop_assert_eq!(one, other),
            _ => prop_assert!(false, "once planned, once refused"),
        }
    }

    /// What moves is a path from the source, of which only the last node is read by others.
    #[test]
    fn what_moves_is_a_path(graph in any_graph()) {
        let Ok(planned) = planned(&graph) else { return Ok(()) };
        let mut moved: Vec<i32> = Vec::new();
        for input in &planned.query.inputs {
            let prefix = input.prefix.as_ref().unwrap();
            prop_assert_eq!(prefix.nodes.first(), Some(&prefix.source));
            prop_assert_eq!(prefix.nodes.last(), Some(&prefix.boundary));
            for pair in prefix.nodes.windows(2) {
                let readers: Vec<_> = graph.readers(pair[0]).map(|node| node.id).collect();
                prop_assert_eq!(readers, [pair[1]]);
                prop_assert_eq!(&graph.node(pair[1]).inputs, &[pair[0]]);
            }
            moved.extend(&prefix.nodes);
        }
        let count = moved.len();
        moved.sort_unstable();
        moved.dedup();
        prop_assert_eq!(moved.len(), count, "no node moves twice");
    }

    /// No operator moves from behind the place where a chain ends.
    #[test]
    fn nothing_behind_an_end_moves(graph in any_graph()) {
        let Ok(planned) = planned(&graph) else { return Ok(()) };
        for source in planned.explanation.sources.iter().filter(|source| source.input.is_some()) {
            let Some(end) = source.end.node else { continue };
            let behind = behind(&graph, end);
            for step in &source.steps {
                prop_assert!(!behind.contains(&step.node), "{} stands behind {end}", step.node);
            }
        }
    }

    /// Plans fit together by the model's own rules, and their types are ones that frames can carry.
    #[test]
    fn plans_fit_together(graph in any_graph()) {
        let Ok(planned) = planned(&graph) else { return Ok(()) };
        prop_assert_eq!(planned.query.problems(), []);
        for input in &planned.query.inputs {
            prop_assert_eq!(input.java_types.len(), input.types.len());
            for ty in &input.types {
                prop_assert!(ty.parse::<sluice_wire::Type>().is_ok());
            }
            let assigners = input.prefix.iter().flat_map(|prefix| &prefix.nodes)
                .filter(|&&id| graph.node(id).watermarks.is_some()).count();
            prop_assert_eq!(assigners, usize::from(input.assigner.is_some()));
        }
    }
}
