//! From a store over HTTP to a running function.

use std::path::Path;
use std::time::{Duration, Instant};

use sluice_artifacts::{Client, Digest, Limits, Store};
use sluice_engine::deployed::{self, Site};
use sluice_jvm::{Engines, Range, Settings};
use sluice_model::DeployedQuery;
use sluice_wire::writer::put_string;
use sluice_wire::{Event, EventsBuffer, Type};
use xtask::java::{HOST, bare};

const DEADLINE: Duration = Duration::from_secs(60);

async fn put(client: &Client, file: &Path) -> serde_json::Value {
    let (digest, bytes) = Digest::of_file(file).unwrap();
    client.put(&digest, file).await.unwrap();
    serde_json::json!({"name": "file", "digest": digest.to_string(), "bytes": bytes})
}

/// The function of node 9 passes most texts as they are.
fn query(jar: serde_json::Value, capture: serde_json::Value) -> DeployedQuery {
    let plan = serde_json::json!({"query": "q1", "version": 1, "inputs": [{
            "name": "lines", "partitions": 1, "assigner": null,
            "types": ["\"string\"", "\"string\""], "java_types": ["", ""],
            "operators": [{"name": "same", "engine": "jvm", "function": {"kind": "map", "node": 9}}]}],
        "job": {"main_class": "M", "args": [], "flink": "2.2.1", "graph_digest": "", "jar": jar, "capture": capture}});
    serde_json::from_value(plan).unwrap()
}

#[tokio::test]
async fn what_is_deployed_is_fetched_and_runs() {
    HOST.build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let jar = HOST.jar().with_file_name("sluice-host-tests.jar");
    let capture = dir.path().join("capture.zip");
    let class_path = format!("{}:{}", HOST.jar().display(), jar.display());
    let made = bare(dir.path())
        .args(["-cp", &class_path, "dev.example.MakeCapture"])
        .arg(&capture)
        .status();
    assert!(made.unwrap().success());

    let store = Store::open(&dir.path().join("store"), Limits::default()).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(sluice_artifacts::serve::serve(listener, store, None, std::future::pending()));
    let client = Client::new(&url, None).unwrap();
    let query = query(put(&client, &jar).await, put(&client, &capture).await);

    let settings = Settings {
        java: "java".into(),
        host: Some(HOST.jar()),
        heap_mb: 48,
        deadline: DEADLINE,
        dir: Some(dir.path().join("jvm")),
        url: Some(url),
        artifacts: Some(dir.path().join("artifacts")),
        max_bytes: 1 << 30,
    };
    let engines = Engines::open(&settings).unwrap();
    tokio::spawn(engines.clone().fetch());
    let input = &query.inputs[0];
    let range = Range { query: &query, input, from: 0, to: 1, site: Site::Edge };
    assert!(engines.lack(range).unwrap().contains("not on this machine yet"));
    engines.need([&query]);
    let deadline = Instant::now() + DEADLINE;
    while let Some(lack) = engines.lack(range) {
        assert!(Instant::now() < deadline, "{lack}");
        tokio::task::yield_now().await;
    }
    let mut engine = engines.engine(range, &deployed::types(input).unwrap()).unwrap();
    let mut value = Vec::new();
    put_string(&mut value, "hello");
    let event = Event { delta: 0, time: None, value: Some(&value) };
    let mut out = EventsBuffer::new();
    engine.run_frame(&mut [event].into_iter(), &mut out, &mut |_, dead| panic!("{dead}")).unwrap();
    assert_eq!(out.events(&Type::String).unwrap(), [event]);
}
