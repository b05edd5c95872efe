//! The real host with the functions of `rewriter/flink/host/src/test`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use sluice_engine::jvm::{ChainSpec, JvmChain, Options, Sidecar, StepSpec};
use sluice_engine::{Dead, Engine, FrameOutcome};
use sluice_model::FunctionKind;
use sluice_wire::{Event, EventsBuffer, Type};
use tempfile::TempDir;
use xtask::java::{HOST, bare};

pub const STRING: &str = r#""string""#;
pub const READING: &str = r#"{"type":"record","name":"Reading","fields":[{"name":"level","type":["null","int"]},
    {"name":"name","type":["null","string"]},{"name":"value","type":"long"}]}"#;

/// The functions, by their nodes.
pub const PARSE: (FunctionKind, i32) = (FunctionKind::Map, 1);
pub const KEEP: (FunctionKind, i32) = (FunctionKind::Filter, 2);
pub const REPEAT: (FunctionKind, i32) = (FunctionKind::FlatMap, 3);
pub const STAMP: (FunctionKind, i32) = (FunctionKind::Process, 4);
pub const PROJECT: (FunctionKind, i32) = (FunctionKind::Project, 5);
pub const SCHEMA: (FunctionKind, i32) = (FunctionKind::Schema, 6);
pub const BOUNDED: (FunctionKind, i32) = (FunctionKind::Assigner, 7);
pub const CUSTOM: (FunctionKind, i32) = (FunctionKind::Assigner, 8);
pub const HARM: (FunctionKind, i32) = (FunctionKind::Map, 9);
pub const LOOK: (FunctionKind, i32) = (FunctionKind::Map, 10);
pub const CARELESS: (FunctionKind, i32) = (FunctionKind::FlatMap, 11);
pub const SUPERSTITIOUS: (FunctionKind, i32) = (FunctionKind::Map, 12);

/// Of the strategy of node 7.
pub const BOUND_MS: i64 = 5;

/// Where the jars and the capture lie; built once.
struct Files {
    host: PathBuf,
    jar: PathBuf,
    capture: PathBuf,
}

fn files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        HOST.build().unwrap();
        let host = HOST.jar();
        let jar = host.with_file_name("sluice-host-tests.jar");
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let capture = dir.join("capture.zip");
        let made = bare(dir)
            .arg("-cp")
            .arg(format!("{}:{}", host.display(), jar.display()))
            .arg("dev.example.MakeCapture")
            .arg(&capture)
            .status();
        assert!(made.unwrap().success());
        Files { host, jar, capture }
    })
}

/// A sidecar in a folder of its own.
pub struct Host {
    pub sidecar: Sidecar,
    _dir: TempDir,
}

pub fn host(deadline: Duration) -> Host {
    let dir = TempDir::new().unwrap();
    let options = options(dir.path(), deadline);
    Host { sidecar: Sidecar::new(options, |text| eprintln!("{text}")), _dir: dir }
}

pub fn options(dir: &Path, deadline: Duration) -> Options {
    let (java, host) = ("java".into(), files().host.clone());
    Options { java, host, heap_mb: 48, deadline, socket_dir: dir.to_owned() }
}

/// A chain of functions with the schemas around them; readings have their Java type.
pub fn spec(schemas: &[&str], functions: &[(FunctionKind, i32)]) -> ChainSpec {
    let java_type = |schema: &&str| match *schema {
        READING => "types/1.ser",
        _ if schema.contains("\"f1\"") => "types/20.ser",
        _ if schema.contains("\"f0\"") => "types/5.ser",
        _ => "",
    };
    let step = |(kind, node): &(FunctionKind, i32)| {
        let assigner = *kind == FunctionKind::Assigner;
        let (name, bound_ms) =
            if assigner { ("assigner".to_owned(), BOUND_MS) } else { (format!("v{node}"), 0) };
        StepSpec { kind: *kind, node: *node, name, bound_ms }
    };
    ChainSpec {
        jar: files().jar.clone(),
        capture: files().capture.clone(),
        flink: "2.2.1".to_owned(),
        schemas: schemas.iter().map(|schema| (*schema).to_owned()).collect(),
        types: schemas.iter().map(|schema| java_type(schema).to_owned()).collect(),
        steps: functions.iter().map(step).collect(),
    }
}

/// What came out of a frame: values as JSON.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub events: Vec<(i32, Option<i64>, String)>,
    pub dead: Vec<(i32, String, String)>,
    pub watermark: Option<i64>,
}

impl Outcome {
    pub fn values(&self) -> Vec<&str> {
        self.events.iter().map(|(_, _, value)| &**value).collect()
    }

    /// The only death.
    pub fn death(&self) -> (i32, &str, &str) {
        let [(delta, operator, reason)] = &self.dead[..] else { panic!("{:?}", self.dead) };
        (*delta, operator, reason)
    }
}

/// Runs a frame whose events have the deltas 0, 1, ..; the output's type as a schema.
pub fn run(engine: &mut dyn Engine, output: &str, values: &[Vec<u8>]) -> Outcome {
    let event = |(delta, value)| Event { delta, time: None, value: Some(value) };
    let events: Vec<Event<'_>> = (0..).zip(values.iter().map(Vec::as_slice)).map(event).collect();
    run_events(engine, output, &events)
}

pub fn run_events(engine: &mut dyn Engine, output: &str, events: &[Event<'_>]) -> Outcome {
    let mut out = EventsBuffer::new();
    let mut dead = Vec::new();
    let mut died = |event: &Event<'_>, Dead { operator, reason }| {
        dead.push((event.delta, operator.to_string(), reason.to_string()));
    };
    let FrameOutcome { watermark, dead: count } =
        engine.run_frame(&mut events.iter().copied(), &mut out, &mut died).unwrap();
    assert_eq!(count as usize, dead.len());
    let ty: Type = output.parse().unwrap();
    let shown = |event: &Event<'_>| {
        let value = event.value.map(|value| ty.to_json(value).unwrap().to_string());
        (event.delta, event.time, value.unwrap_or_else(|| "-".to_owned()))
    };
    let events = out.events(&ty).unwrap().iter().map(shown).collect();
    Outcome { events, dead, watermark }
}

/// Texts as events.
pub fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    let text = |text: &&str| {
        let mut value = Vec::new();
        sluice_wire::writer::put_string(&mut value, text);
        value
    };
    texts.iter().map(text).collect()
}

pub fn open(host: &Host, schemas: &[&str], functions: &[(FunctionKind, i32)]) -> JvmChain {
    JvmChain::open(&host.sidecar, spec(schemas, functions)).unwrap()
}
