//! Stage 2, chains: from each source along its stream, as far as the graph alone lets operators move.

use std::collections::BTreeSet;

use sluice_model::FunctionKind;

use crate::graph::{
    Graph, Node, NodeKind, OperatorKind, Partitioning, Reads, Watermarks, WatermarksKind,
};
use crate::options::Options;
use crate::reason::Reason;

/// A source with the operators behind it that may move.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// The source.
    pub source: i32,
    /// Why the source can't leave the job; none if it can.
    pub stays: Option<Reason>,
    /// What may move, in order; the source first.
    pub steps: Vec<Step>,
    /// Where it ends.
    pub end: End,
}

/// A part of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its node; that of the source for all that is part of it.
    pub node: i32,
    /// What it does.
    pub role: Role,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The source.
    Source,
    /// The operator that reads the files a source finds.
    Reader,
    /// A function: an operator `v_i`.
    Operator(FunctionKind),
    /// A watermark assigner.
    Assigner,
    /// A redistribution, which means nothing within one device.
    Redistribution,
}

/// Where a chain ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The first node that stays; none where the stream forks or ends.
    pub node: Option<i32>,
    /// Why.
    pub reason: Reason,
}

impl Chain {
    /// N, the number of operators.
    #[must_use]
    pub fn operators(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step.role, Role::Operator(_))).count()
    }

    /// Ends the chain before the step at a place.
    pub(crate) fn cut(&mut self, at: usize, reason: Reason) {
        let node = self.steps[at].node;
        if node == self.source {
            self.stays = Some(reason.clone());
        }
        self.steps.truncate(at);
        self.end = End { node: Some(node), reason };
        self.trim();
    }

    /// A redistribution without an operator behind it is the job's own affair.
    fn trim(&mut self) {
        while self.steps.last().is_some_and(|step| step.role == Role::Redistribution) {
            self.steps.pop();
        }
    }
}

/// The chains of all sources.
#[must_use]
pub fn chains(graph: &Graph, options: &Options) -> Vec<Chain> {
    graph.sources().map(|source| Walk::new(graph, options, source).run()).collect()
}

/// Whether the records of a source have times that Kafka gave them.
pub(crate) fn has_record_time(source: &Node) -> bool {
    source.source.as_ref().is_some_and(|source| source.class.to_lowercase().contains("kafka"))
}

/// The first operator behind a source that needs event times where nothing but Kafka gives any.
fn needs_record_time(graph: &Graph, source: &Node) -> Option<String> {
    let gives_time = |node: &Node| {
        node.watermarks.as_ref().is_some_and(|marks| {
            let custom = marks.strategy == WatermarksKind::Custom && marks.timestamps.is_none();
            custom || marks.timestamp_function().is_some()
        })
    };
    if gives_time(source) {
        return None;
    }
    let mut open: Vec<&Node> = graph.readers(source.id).collect();
    let mut seen = BTreeSet::new();
    let mut needing = Vec::new();
    while let Some(node) = open.pop() {
        if !seen.insert(node.id) || gives_time(node) {
            continue;
        }
        if node.event_time || node.watermarks.is_some() {
            needing.push(node);
        }
        open.extend(graph.readers(node.id));
    }
    needing.into_iter().min_by_key(|node| node.id).map(|node| node.name.clone())
}

struct Walk<'a> {
    graph: &'a Graph,
    options: &'a Options,
    source: &'a Node,
    steps: Vec<Step>,
    stays: Option<Reason>,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph, options: &'a Options, source: &'a Node) -> Self {
        Self { graph, options, source, steps: Vec::new(), stays: None }
    }

    fn run(mut self) -> Chain {
        let end = self.end();
        if let (None, true) = (&self.stays, has_record_time(self.source))
            && let Some(operator) = needs_record_time(self.graph, self.source)
        {
            self.stays = Some(Reason::RecordTimeBehind { operator });
        }
        let mut chain = Chain { source: self.source.id, stays: self.stays, steps: self.steps, end };
        chain.trim();
        chain
    }

    fn end(&mut self) -> End {
        let source = self.source;
        self.push(source, Role::Source);
        if let Err(reason) = self.begin() {
            self.stays = Some(reason.clone());
            return End { node: Some(source.id), reason };
        }
        loop {
            let at = self.steps.last().expect("the source is there").node;
            let readers: Vec<_> = self.graph.readers(at).collect();
            let reader = match readers[..] {
                [] => return End { node: None, reason: Reason::Unread },
                [reader] => reader,
                _ => {
                    let readers = readers.iter().map(|reader| reader.name.clone()).collect();
                    return End { node: None, reason: Reason::FanOut { readers } };
                }
            };
            match self.role(reader) {
                Ok(role) => self.push(reader, role),
                Err(reason) => {
                    if reason == Reason::RecordTime && has_record_time(source) {
                        self.stays = Some(Reason::RecordTime);
                    }
                    return End { node: Some(reader.id), reason };
                }
            }
        }
    }

    fn push(&mut self, node: &Node, role: Role) {
        self.steps.push(Step { node: node.id, role });
    }

    /// The source, and what is part of it: the reader of its files, its schema, its watermark strategy.
    fn begin(&mut self) -> Result<(), Reason> {
        let source = self.source;
        if self.options.keep_sources.iter().any(|name| source.is_called(name)) {
            return Err(Reason::Pinned);
        }
        let said = source.source.as_ref().expect("the graph was checked");
        let readers: Vec<_> = self.graph.readers(source.id).collect();
        if let [reader] = readers[..]
            && reader.operator == Some(OperatorKind::FileReader)
        {
            self.push(reader, Role::Reader);
            let text = reader.output.as_ref().is_some_and(|ty| ty.is_string());
            return if text {
                Ok(())
            } else {
                Err(Reason::OpaqueSource { class: said.class.clone() })
            };
        }
        if said.own_time {
            return Err(Reason::OwnTime { class: said.class.clone() });
        }
        let class = || source.function.as_ref().map_or(&said.class, |f| &f.class).clone();
        match said.reads {
            Reads::Text | Reads::Bytes => {}
            Reads::Schema => {
                movable_function(source)?;
                self.push(source, Role::Operator(FunctionKind::Schema));
            }
            Reads::KafkaRecord => return Err(Reason::KafkaRecord { class: class() }),
            Reads::Literals => return Err(Reason::Literals),
            Reads::Opaque => return Err(Reason::OpaqueSource { class: said.class.clone() }),
        }
        if let Some(watermarks) = &source.watermarks {
            self.assigner(watermarks)?;
            self.push(source, Role::Assigner);
        }
        Ok(())
    }

    /// What a node does in the chain, or why it ends it.
    fn role(&self, node: &Node) -> Result<Role, Reason> {
        if self.options.pins.iter().any(|name| node.is_called(name)) {
            return Err(Reason::Pinned);
        }
        let side = |reader: &Node| reader.kind == NodeKind::SideOutput;
        if self.graph.readers(node.id).any(side) {
            let tags = node.side_outputs.iter().flatten().map(|tag| tag.id.clone());
            return Err(Reason::SideOutput { tags: tags.collect() });
        }
        match node.kind {
            NodeKind::Partition => match node.partitioning {
                Some(Partitioning::Hash) => Err(Reason::Keyed),
                Some(Partitioning::Broadcast) => Err(Reason::Broadcast),
                Some(Partitioning::Custom) => Err(Reason::CustomPartitioner),
                _ => Ok(Role::Redistribution),
            },
            NodeKind::Timestamps => match &node.watermarks {
                Some(watermarks) => self.assigner(watermarks).map(|()| Role::Assigner),
                None => Err(Reason::NoWatermarks),
            },
            NodeKind::OneInput => self.operator(node),
            NodeKind::Union => Err(Reason::Union),
            NodeKind::SideOutput => Err(Reason::SideOutput { tags: vec![node.name.clone()] }),
            NodeKind::Sink | NodeKind::LegacySink => Err(Reason::Sink),
            NodeKind::TwoInput | NodeKind::MultipleInput => Err(Reason::SeveralInputs),
            NodeKind::BroadcastState => Err(Reason::BroadcastState),
            NodeKind::Reduce => Err(Reason::Stateful { what: "a rolling reduction".to_owned() }),
            NodeKind::Source | NodeKind::LegacySource | NodeKind::Other => {
                let class = node.operator_class.clone().unwrap_or_else(|| node.name.clone());
                Err(Reason::OtherOperator { class })
            }
        }
    }

    fn operator(&self, node: &Node) -> Result<Role, Reason> {
        if node.keyed {
            return Err(Reason::Keyed);
        }
        let kind = match node.operator {
            Some(OperatorKind::Map) => FunctionKind::Map,
            Some(OperatorKind::FlatMap) => FunctionKind::FlatMap,
            Some(OperatorKind::Filter) => FunctionKind::Filter,
            Some(OperatorKind::Process) => FunctionKind::Process,
            Some(OperatorKind::Project) => FunctionKind::Project,
            Some(OperatorKind::Async) => return Err(Reason::Async),
            Some(OperatorKind::Keyed) => return Err(Reason::Keyed),
            Some(OperatorKind::WindowTag) => return Err(Reason::WindowJoin),
            Some(OperatorKind::FileReader | OperatorKind::Other) | None => {
                let class = node.operator_class.clone().unwrap_or_else(|| node.name.clone());
                return Err(Reason::OtherOperator { class });
            }
        };
        if kind != FunctionKind::Project {
            movable_function(node)?;
        }
        if node.output.is_none() {
            return Err(Reason::NoType);
        }
        Ok(Role::Operator(kind))
    }

    fn assigner(&self, watermarks: &Watermarks) -> Result<(), Reason> {
        if self.steps.iter().any(|step| step.role == Role::Assigner) {
            return Err(Reason::SecondAssigner);
        }
        if watermarks.aligned {
            return Err(Reason::Aligned);
        }
        let custom = watermarks.strategy == WatermarksKind::Custom;
        let before = self.steps.iter().filter(
            |step| matches!(step.role, Role::Operator(kind) if kind != FunctionKind::Schema),
        );
        if custom && before.count() > 0 {
            return Err(Reason::CustomGenerator);
        }
        let function = watermarks.timestamp_function();
        let own = watermarks.timestamps.is_none() && custom;
        if function.is_none() && !own {
            return Err(Reason::RecordTime);
        }
        if watermarks.serialized.is_none() {
            let problem =
                watermarks.problem.clone().or_else(|| function.and_then(|f| f.problem.clone()));
            let problem = problem.unwrap_or_else(|| "the capture has no copy of it".to_owned());
            return Err(Reason::NotSerializable { problem });
        }
        Ok(())
    }
}

/// Interfaces by which a function takes part in checkpoints.
const WITH_STATE: [&str; 3] = ["CheckpointedFunction", "ListCheckpointed", "CheckpointListener"];

/// Whether the capture holds a function that Flink itself keeps no state for.
fn movable_function(node: &Node) -> Result<(), Reason> {
    let Some(function) = &node.function else {
        let class = node.operator_class.clone().unwrap_or_else(|| node.name.clone());
        return Err(Reason::OtherOperator { class });
    };
    let simple = |name: &String| name.rsplit('.').next().unwrap_or_default().to_owned();
    if let Some(state) =
        function.interfaces.iter().map(simple).find(|name| WITH_STATE.contains(&&**name))
    {
        return Err(Reason::Stateful { what: state });
    }
    if function.serialized.is_none() {
        let problem = function.problem.clone();
        let problem = problem.unwrap_or_else(|| "the capture has no copy of it".to_owned());
        return Err(Reason::NotSerializable { problem });
    }
    Ok(())
}
