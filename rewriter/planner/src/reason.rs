//! Why a chain ends, or a source stays in the job: one reason each, for people.

use serde::Serialize;

use crate::effects::Finding;

/// Why something did not move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the fields are the words of the sentences below")]
pub enum Reason {
    /// The user keeps it.
    Pinned,
    /// Nothing reads it.
    Unread,
    /// `keyBy`.
    Keyed,
    /// An operator with state of its own.
    Stateful { what: String },
    /// Several operators read the same stream.
    FanOut { readers: Vec<String> },
    /// Streams that run together.
    Union,
    /// Two or more inputs.
    SeveralInputs,
    /// Made by a window join.
    WindowJoin,
    /// A side output of it is read.
    SideOutput { tags: Vec<String> },
    /// Dealt out to all subtasks.
    Broadcast,
    /// An operator that is connected with a broadcast stream.
    BroadcastState,
    /// The user's own partitioner.
    CustomPartitioner,
    /// Asynchronous I/O.
    Async,
    /// A sink.
    Sink,
    /// An operator that is no plain function.
    OtherOperator { class: String },
    /// A second watermark assigner.
    SecondAssigner,
    /// A watermark generator of the user behind an operator.
    CustomGenerator,
    /// An assigner that makes no watermarks.
    NoWatermarks,
    /// Aligned watermarks.
    Aligned,
    /// The time that Kafka gave the record.
    RecordTime,
    /// The same, of an operator that stays in the job.
    RecordTimeBehind { operator: String },
    /// A source that sets times or watermarks itself.
    OwnTime { class: String },
    /// An object that Java can't serialize.
    NotSerializable { problem: String },
    /// Code that is no function of its event alone.
    Code(Finding),
    /// A source of events that the program holds.
    Literals,
    /// A source whose own code makes the events.
    OpaqueSource { class: String },
    /// A schema that sees Kafka's key, headers or time.
    KafkaRecord { class: String },
    /// The capture says nothing of its type.
    NoType,
}

impl Reason {
    /// One word for tables and logs.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pinned => "kept",
            Self::Unread => "unread",
            Self::Keyed => "keyed",
            Self::Stateful { .. } => "state",
            Self::FanOut { .. } => "fan-out",
            Self::Union => "union",
            Self::SeveralInputs => "several inputs",
            Self::WindowJoin => "window join",
            Self::SideOutput { .. } => "side output",
            Self::Broadcast | Self::BroadcastState => "broadcast",
            Self::CustomPartitioner => "custom partitioner",
            Self::Async => "asynchronous I/O",
            Self::Sink => "sink",
            Self::OtherOperator { .. } => "other operator",
            Self::SecondAssigner => "second assigner",
            Self::CustomGenerator => "custom watermarks",
            Self::NoWatermarks => "no watermarks",
            Self::Aligned => "aligned watermarks",
            Self::RecordTime | Self::RecordTimeBehind { .. } => "record time",
            Self::OwnTime { .. } => "own time",
            Self::NotSerializable { .. } => "not serializable",
            Self::Code(finding) => finding.kind.word(),
            Self::Literals => "literals",
            Self::OpaqueSource { .. } => "opaque source",
            Self::KafkaRecord { .. } => "Kafka record",
            Self::NoType => "unknown type",
        }
    }

    /// Why, in one sentence.
    #[must_use]
    pub fn why(&self) -> String {
        match self {
            Self::Pinned => "you keep it in the job".to_owned(),
            Self::Unread => "nothing reads it".to_owned(),
            Self::Keyed => {
                "the stream is keyed here: all events of a key must meet in one place".to_owned()
            }
            Self::Stateful { what } => format!("it keeps state ({what}): it must see every event"),
            Self::FanOut { readers } => {
                format!("{} operators read this stream: {}", readers.len(), list(readers))
            }
            Self::Union => "several streams run together here".to_owned(),
            Self::SeveralInputs => "it reads more than one stream".to_owned(),
            Self::WindowJoin => {
                "it is part of a window join, which keeps the events of its windows".to_owned()
            }
            Self::SideOutput { tags } => format!("the job reads its side output {}", list(tags)),
            Self::Broadcast => {
                "the stream is broadcast: it controls the job, and what receives it keeps it as state"
                    .to_owned()
            }
            Self::BroadcastState => {
                "it also reads a broadcast stream, which it keeps as state".to_owned()
            }
            Self::CustomPartitioner => {
                "the job's own partitioner decides which subtask sees an event".to_owned()
            }
            Self::Async => {
                "it waits for answers from outside, of which many are under way at a time".to_owned()
            }
            Self::Sink => "it is a sink".to_owned(),
            Self::OtherOperator { class } => {
                format!("`{class}` is an operator of its own, not a function of one event")
            }
            Self::SecondAssigner => {
                "event time was assigned before, and it assigns it once more".to_owned()
            }
            Self::CustomGenerator => {
                "its watermark generator is the job's own, and other operators run before it; \
                 where they run changes with the route, but such a generator must see all events of \
                 a device in one place"
                    .to_owned()
            }
            Self::NoWatermarks => "it assigns time stamps but no watermarks".to_owned(),
            Self::Aligned => {
                "its watermarks are aligned with those of other sources, which needs them in one \
                 place"
                    .to_owned()
            }
            Self::RecordTime => {
                "it needs the time that Kafka gave the record, and a device's source gives none"
                    .to_owned()
            }
            Self::RecordTimeBehind { operator } => format!(
                "`{operator}` goes by event time, and nothing gives its events one but Kafka, which a \
                 device's source is not"
            ),
            Self::OwnTime { class } => {
                format!("the code of `{class}` sets times or watermarks; no source on a device does")
            }
            Self::NotSerializable { problem } => format!("it can't be serialized: {problem}"),
            Self::Code(finding) => finding.why(),
            Self::Literals => "its events stand in the program: no device has others".to_owned(),
            Self::OpaqueSource { class } => {
                format!("the code of `{class}` makes its events; nothing on a device can stand in")
            }
            Self::KafkaRecord { class } => {
                format!("`{class}` reads the key, headers or time of Kafka's records")
            }
            Self::NoType => "the capture does not know its type".to_owned(),
        }
    }

    /// What would have to change; empty where nothing could.
    #[must_use]
    pub fn advice(&self) -> String {
        let advice = match self {
            Self::Pinned => "do not keep it",
            Self::Unread | Self::Sink | Self::SeveralInputs | Self::WindowJoin => "",
            Self::Keyed => "put stateless operators that stand behind the keyBy before it",
            Self::Stateful { .. } | Self::BroadcastState | Self::Async => {
                "put stateless operators that stand behind it before it"
            }
            Self::FanOut { .. } => {
                "put what all readers do alike before the place where the stream forks"
            }
            Self::Union => "put operators that stand behind the union into each of its branches",
            Self::SideOutput { .. } => {
                "put out one type that holds either case, and split it behind the stateless part"
            }
            Self::Broadcast => "",
            Self::CustomPartitioner => "leave it out: the operators behind it are stateless",
            Self::OtherOperator { .. } => "make it a map, flat map, filter or process function",
            Self::SecondAssigner => "assign event time once",
            Self::CustomGenerator => {
                "put the assigner directly behind the source, or use forBoundedOutOfOrderness"
            }
            Self::NoWatermarks => "use forBoundedOutOfOrderness or forMonotonousTimestamps",
            Self::Aligned => "leave out withWatermarkAlignment",
            Self::RecordTime | Self::RecordTimeBehind { .. } | Self::OwnTime { .. } => {
                "take the time from the event itself, by withTimestampAssigner"
            }
            Self::NotSerializable { .. } => {
                "make what it holds serializable, or transient and made in open()"
            }
            Self::Code(finding) => return finding.kind.advice().to_owned(),
            Self::Literals | Self::OpaqueSource { .. } => {
                "read text or bytes (a Kafka topic, a socket, a file), and parse in an operator"
            }
            Self::KafkaRecord { .. } => {
                "use a DeserializationSchema (setValueOnlyDeserializer), which sees the value only"
            }
            Self::NoType => "give its type by returns(..)",
        };
        advice.to_owned()
    }
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
