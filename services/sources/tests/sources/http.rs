//! Requests to a source that listens, on loopback.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::support::{Run, await_that, options};
use reqwest::{Client, Response, StatusCode};
use sluice_sources::http::{Http, Settings};
use sluice_spool::Options;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn settings() -> Settings {
    Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        path: "/events".to_owned(),
        max_body_bytes: 1 << 16,
        max_connections: 4,
        timeout: Duration::from_millis(300),
        retry_after: Duration::from_secs(7),
    }
}

struct Rig {
    run: Run,
    address: SocketAddr,
    _data: TempDir,
}

impl Rig {
    fn new(change: impl FnOnce(Options) -> Options) -> Self {
        let data = TempDir::new().unwrap();
        let mut address = None;
        let open = |intake| {
            let http = Http::bind(settings(), intake)?;
            address = Some(http.address()?);
            Ok(http)
        };
        let run = crate::support::run(&change(options(data.path())), open, Http::run);
        Self { run, address: address.unwrap(), _data: data }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn post(&self, kind: &str, body: impl Into<Vec<u8>>) -> Response {
        let request = Client::new().post(self.url("/events")).header("content-type", kind);
        request.body(body.into()).send().await.unwrap()
    }
}

#[tokio::test]
async fn a_request_is_answered_when_its_events_are_safe() {
    let rig = Rig::new(|options| options);
    for (kind, body, accepted) in [
        ("application/json", r#"{"a": 1}"#, 1),
        ("application/json", r#"[{"a": 2}, {"a": 3}]"#, 2),
        ("application/x-ndjson", "{\"a\": 4}\n{\"a\": 5}\n", 2),
        ("text/plain", "6,é\n", 1),
    ] {
        let safe_before = rig.run.spool.on_disk().0;
        let answer = rig.post(kind, body).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.text().await.unwrap(), format!(r#"{{"accepted":{accepted}}}"#));
        assert_eq!(rig.run.spool.on_disk().0, safe_before + accepted);
    }
    let expected =
        [r#"{"a": 1}"#, r#"{"a": 2}"#, r#"{"a": 3}"#, r#"{"a": 4}"#, r#"{"a": 5}"#, "6,é"];
    assert_eq!(rig.run.stop(), expected);
}

#[tokio::test]
async fn what_is_refused_is_refused_whole_and_counted() {
    let rig = Rig::new(|options| options);
    let answer = rig.post("application/x-ndjson", "{}\n{").await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert!(answer.text().await.unwrap().contains("line 2"));
    let answer = rig.post("text/plain", vec![b'x'; 1 << 17]).await;
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let client = Client::new();
    let answer = client.get(rig.url("/events")).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    let answer = client.post(rig.url("/other")).body("x").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(*rig.run.seen.refused.lock().unwrap(), ["malformed", "too_large", "method", "path"]);
    assert!(rig.run.stop().is_empty());
}

#[tokio::test]
async fn a_full_spool_says_when_to_come_again() {
    let rig = Rig::new(|options| Options { max_bytes: 1 << 20, segment_bytes: 1 << 18, ..options });
    let body = "y".repeat(1 << 15);
    let mut accepted = 0;
    let full = loop {
        let answer = rig.post("text/plain", body.clone()).await;
        if answer.status() != StatusCode::OK {
            break answer;
        }
        accepted += 1;
        assert!(accepted < 100, "a spool of 1 MiB took {accepted} times 32 KiB");
    };
    assert_eq!(full.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(full.headers()["retry-after"], "7");
    // What is acknowledged makes room again.
    rig.run.spool.advance_cursor(rig.run.spool.durable()).unwrap();
    rig.run.spool.persist_cursor().unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut again = rig.post("text/plain", body.clone()).await.status();
    while again != StatusCode::OK && Instant::now() < deadline {
        again = rig.post("text/plain", body.clone()).await.status();
    }
    assert_eq!(again, StatusCode::OK);
    assert_eq!(rig.run.seen.accepted.load(Ordering::Relaxed), accepted + 1);
}

#[tokio::test]
async fn a_slow_client_holds_nobody_up() {
    let rig = Rig::new(|options| options);
    let mut slow = Vec::new();
    for head in
        ["POST /events HTTP/1.1\r\n", "POST /events HTTP/1.1\r\ncontent-length: 5\r\n\r\nab"]
    {
        let mut stream = tokio::net::TcpStream::connect(rig.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    assert_eq!(rig.post("text/plain", "quick").await.status(), StatusCode::OK);
    for stream in &mut slow {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(!String::from_utf8_lossy(&answer).contains("200"), "{answer:?}");
    }
    await_that("the slow body is counted", || {
        rig.run.seen.refused.lock().unwrap().contains(&"slow")
    });
    assert_eq!(rig.run.stop(), ["quick"]);
}

#[tokio::test]
async fn connections_beyond_the_bound_wait() {
    let rig = Rig::new(|options| options);
    let mut idle = Vec::new();
    for _ in 0..settings().max_connections {
        idle.push(tokio::net::TcpStream::connect(rig.address).await.unwrap());
    }
    // They are turned out when they say nothing, and then others get their turn.
    assert_eq!(rig.post("text/plain", "a").await.status(), StatusCode::OK);
    assert_eq!(rig.run.stop(), ["a"]);
}

#[test]
fn an_address_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = TempDir::new().unwrap();
    let listen = taken.local_addr().unwrap();
    let bound =
        Http::bind(Settings { listen, ..settings() }, crate::support::intake(folder.path()));
    let error = format!("{:#}", bound.err().unwrap());
    assert!(error.contains(&format!("sources.listen = {listen}")), "{error}");
}
