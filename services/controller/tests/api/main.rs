//! The API against its description: every path answers as `openapi.yaml` says, and nothing else.

mod schema;

use std::net::SocketAddr;

use serde_json::{Value, json};
use sluice_controller::api::{self, Api};
use sluice_controller::config::Settings;
use sluice_controller::service::Shared;
use sluice_model::{
    Cut, Decision, DecisionInputs, DeviceEntry, DeviceKey, DeviceState, DeviceStatus, EdgeCounters,
    Epoch, PlanInForce, PlanMode, ReplicaCounters, Shares, Telemetry, Verdict,
};
use sluice_runtime::metrics::Metrics;
use sluice_runtime::readiness::Readiness;

use schema::Document;

const DEVICE: &str = "/devices/q1/readings/pi-1";
const TOKEN: &str = "secret";

/// A fleet of one device that has said and done everything once.
fn fill(shared: &Shared) {
    let key: DeviceKey = "q1/readings/pi-1".parse().unwrap();
    let mut fleet = shared.fleet();
    let query = json!({"query": "q1", "version": 1, "inputs": [{"name": "readings", "partitions": 1,
        "types": ["\"string\"", "\"string\""], "operators": [{"name": "v1", "engine": "native"}]}]});
    fleet.handle_query(&key.query, Some(serde_json::from_value(query).unwrap()));
    let entry = DeviceEntry { partition: 0, source: "s".to_owned(), state: DeviceState::Joined };
    fleet.handle_entry(&key, Some(entry), 0);
    let shares = Shares::binary(Cut(1));
    let (epoch, mode) = (Epoch(7), PlanMode::Auto);
    let plan = PlanInForce { epoch, mode, shares: shares.clone(), from_seq: 0 };
    fleet.handle_status(&key, DeviceStatus { plan: Some(plan), ..DeviceStatus::empty(0) }, 0);
    let cuts = vec![Default::default(); 2];
    let mut record = Telemetry {
        boot: "b".to_owned(),
        uptime_us: 1,
        at: 0,
        version: 1,
        edge: Some(EdgeCounters { cuts, ..EdgeCounters::default() }),
        replica: None,
    };
    fleet.handle_telemetry(&key.to_string(), record.clone(), 0);
    record.edge = None;
    record.replica = Some(ReplicaCounters { from: 1, to: 1, ..ReplicaCounters::default() });
    fleet.handle_telemetry("q1/readings/v1", record, 0);
    let decision = Decision {
        at: 5,
        controller: "c".to_owned(),
        policy: "hull".to_owned(),
        version: 1,
        verdict: Verdict::Kept,
        if_epoch: epoch,
        epoch: None,
        previous: shares.clone(),
        plan: shares,
        reasons: vec!["the target is met".to_owned()],
        inputs: DecisionInputs::default(),
        cuts: Vec::new(),
    };
    fleet.handle_decision(&key, decision);
}

async fn serve(readiness: Readiness) -> SocketAddr {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("controller.toml");
    let store = folder.path().join("artifacts");
    let text = format!(
        "[http]\ntoken = \"{TOKEN}\"\n[artifacts]\ndir = \"{}\"\n[kafka]\n\"bootstrap.servers\" = \"b:1\"",
        store.display()
    );
    std::fs::write(&file, text).unwrap();
    let settings = Settings::load(&file).unwrap();
    let shared = Shared::new(settings.fleet());
    fill(&shared);
    let (orders, mut inbox) = api::channel();
    let api = Api::new(&settings, shared, orders, Metrics::install().unwrap(), readiness).unwrap();
    tokio::spawn(async move {
        while let Some(order) = inbox.recv().await {
            let refused = order.command.reason == "no broker";
            let answer = if refused { Err("no broker".to_owned()) } else { Ok((0, 9)) };
            let _ = order.answer.send(answer);
        }
    });
    api.serve(([127, 0, 0, 1], 0).into()).await.unwrap()
}

struct Client {
    address: SocketAddr,
    document: Document,
    http: reqwest::Client,
}

impl Client {
    /// Asks, and checks the answer against the description of `path`.
    async fn ask(&self, path: &str, asked: &str, body: Option<Value>, token: &str) -> (u16, Value) {
        let url = format!("http://{}/api/v1{asked}", self.address);
        let method = if body.is_some() { "post" } else { "get" };
        let request = match &body {
            Some(body) => self.http.post(url).json(body),
            None => self.http.get(url),
        };
        let answer = request.bearer_auth(token).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        self.document.check(path, method, status, &value);
        (status, value)
    }
}

#[tokio::test]
async fn every_path_answers_as_described() {
    let readiness = Readiness::new();
    readiness.wait_for("topics", "not read");
    let address = serve(readiness.clone()).await;
    let document = Document::read();
    let client = Client { address, document, http: reqwest::Client::new() };
    let of = |part: &str| {
        (format!("/devices/{{query}}/{{input}}/{{device}}{part}"), format!("{DEVICE}{part}"))
    };

    assert_eq!(client.ask("/ready", "/ready", None, "").await.0, 503);
    readiness.ready("topics");
    for open in ["/ping", "/ready"] {
        assert_eq!(client.ask(open, open, None, "").await.0, 200, "{open}");
    }
    let (status, fleet) = client.ask("/fleet", "/fleet", None, TOKEN).await;
    assert_eq!((status, &fleet["devices"][0]["plan"][0]["cut"]), (200, &json!(1)));
    assert_eq!(fleet["replicas"][0]["key"], "q1/readings/v1");
    assert_eq!(client.ask("/fleet", "/fleet", None, "wrong").await.0, 401);

    for part in ["", "/history", "/explain", "/whatif"] {
        let (path, asked) = of(part);
        assert_eq!(client.ask(&path, &asked, None, TOKEN).await.0, 200, "{part}");
        assert_eq!(client.ask(&path, &asked, None, "wrong").await.0, 401, "{part}");
        let stranger = asked.replace("pi-1", "pi-9");
        assert_eq!(client.ask(&path, &stranger, None, TOKEN).await.0, 404, "{part}");
    }
    let (path, asked) = of("/whatif");
    let world = format!("{asked}?bandwidth=1000&cpu=0.5&rate=10");
    let (_, answer) = client.ask(&path, &world, None, TOKEN).await;
    assert_eq!(answer["inputs"]["uplink_bytes_per_s"], 1000.0);
    for nonsense in ["cpu=-1", "cpu=x", "colour=1"] {
        let asked = format!("{asked}?{nonsense}");
        assert_eq!(client.ask(&path, &asked, None, TOKEN).await.0, 400, "{nonsense}");
    }
    let (path, asked) = of("/history");
    let none = client.ask(&path, &format!("{asked}?limit=0"), None, TOKEN).await.1;
    assert_eq!(none, json!([]));

    let (path, asked) = of("/route");
    for (body, expected) in [
        (json!({ "cut": 1 }), 200),
        (json!({ "shares": { "0": 500, "1": 500 }, "reason": "x" }), 200),
        (json!({ "cut": 2 }), 400),
        (json!({ "cut": 1, "colour": 1 }), 400),
        (json!({ "cut": 1, "reason": "no broker" }), 503),
    ] {
        let (status, answer) = client.ask(&path, &asked, Some(body.clone()), TOKEN).await;
        assert_eq!(status, expected, "{body}: {answer}");
    }
    let all = asked.replace("pi-1", "*");
    assert_eq!(client.ask(&path, &all, Some(json!({ "cut": 0 })), TOKEN).await.0, 200);
    assert_eq!(client.ask(&path, &asked, Some(json!({ "cut": 0 })), "wrong").await.0, 401);
    let (path, asked) = of("/release");
    let (status, placed) = client.ask(&path, &asked, Some(json!({})), TOKEN).await;
    assert_eq!((status, placed), (200, json!({ "partition": 0, "epoch": 9 })));

    client.document.assert_all_paths_were_asked();
    let get = |path: &str| client.http.get(format!("http://{address}{path}")).send();
    let metrics = get("/metrics").await.unwrap().text().await.unwrap();
    let share = "sluice_controller_device_share{query=\"q1\",input=\"readings\",device=\"pi-1\",cut=\"1\"} 1";
    assert!(metrics.contains(share), "{metrics}");
    let page = get("/").await.unwrap().text().await.unwrap();
    assert!(page.contains("api/v1/fleet") && !page.contains("http://"), "self-contained");
    assert_eq!(get(&format!("/artifacts/{}", "0".repeat(64))).await.unwrap().status(), 404);
    assert_eq!(get("/nowhere").await.unwrap().status(), 404);
}
