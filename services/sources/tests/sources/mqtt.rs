//! A source at a real broker: both versions of the protocol, restarts of both sides, TLS.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS};
use sluice_sources::mqtt::{Mqtt, Protocol, Settings, Tls};
use tempfile::TempDir;

use crate::mosquitto::Mosquitto;
use crate::support::{Run, await_that, events, options, run};

fn settings(protocol: Protocol, port: u16) -> Settings {
    Settings {
        host: "127.0.0.1".to_owned(),
        port,
        protocol,
        client_id: "pi-1-meters".to_owned(),
        topics: vec!["meters/+".to_owned()],
        user: None,
        tls: None,
        keep_alive: Duration::from_secs(5),
        receive_maximum: 100,
        session_expiry: Duration::from_secs(600),
        max_packet_bytes: 1 << 20,
    }
}

fn start(settings: Settings, data: &Path) -> Run {
    run(&options(data), |intake| Ok(Mqtt::new(settings, intake)), Mqtt::run)
}

fn await_connection(run: &Run, count: u64) {
    await_that("a connection to the broker", || {
        run.seen.connections.load(Ordering::Relaxed) >= count
    });
}

/// Publishes messages at QoS 1 and waits for their acknowledgements.
async fn publish(port: u16, range: std::ops::Range<u32>) {
    let options = MqttOptions::new("sensor", "127.0.0.1", port);
    let (client, mut events) = AsyncClient::new(options, 64);
    let count = range.len();
    let sending = tokio::spawn(async move {
        for n in range {
            let payload = format!("line {n}");
            client.publish("meters/1", QoS::AtLeastOnce, false, payload).await.unwrap();
        }
        client
    });
    let mut acknowledged = 0;
    while acknowledged < count {
        if let Event::Incoming(Packet::PubAck(_)) = events.poll().await.unwrap() {
            acknowledged += 1;
        }
    }
    sending.await.unwrap().try_disconnect().unwrap();
    let _ = events.poll().await;
}

fn numbers(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| format!("line {n}")).collect()
}

async fn a_session(protocol: Protocol) {
    let mut broker = Mosquitto::start("");
    let data = TempDir::new().unwrap();
    let run = start(settings(protocol, broker.port), data.path());
    await_connection(&run, 1);
    publish(broker.port, 0..1_000).await;
    run.await_events(1_000);
    broker.restart();
    await_connection(&run, 2);
    publish(broker.port, 1_000..1_500).await;
    await_that("the last message", || events(&run.spool).iter().any(|line| line == "line 1499"));
    run.stop();
    // The broker keeps what comes while the device is away.
    publish(broker.port, 1_500..2_000).await;
    let run = start(settings(protocol, broker.port), data.path());
    run.await_events(2_000);
    await_that("the last message", || events(&run.spool).iter().any(|line| line == "line 1999"));
    // What the broker had not read when it was stopped, it sends again.
    let mut all = run.stop();
    all.sort_by_key(|line| line[5..].parse::<u32>().unwrap());
    all.dedup();
    assert!(all == numbers(0..2_000), "{} different events", all.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_mqtt_5_outlives_restarts_of_both_sides() {
    a_session(Protocol::V5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_mqtt_3_outlives_restarts_of_both_sides() {
    a_session(Protocol::V3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_were_not_safe_when_the_connection_broke_are_taken_once() {
    let mut broker = Mosquitto::start("");
    let data = TempDir::new().unwrap();
    // The disk is slow: acknowledgements lag behind.
    let slow = sluice_spool::Options {
        min_sync_interval: Duration::from_millis(300),
        ..options(data.path())
    };
    let settings = settings(Protocol::V5, broker.port);
    let run = run(&slow, |intake| Ok(Mqtt::new(settings, intake)), Mqtt::run);
    await_connection(&run, 1);
    publish(broker.port, 0..400).await;
    broker.restart();
    await_connection(&run, 2);
    run.await_events(400);
    publish(broker.port, 400..500).await;
    await_that("the last message", || events(&run.spool).iter().any(|line| line == "line 499"));
    let repeated = run.seen.repeated.load(Ordering::Relaxed);
    let mut all = run.stop();
    let whole = u64::try_from(all.len()).unwrap();
    all.sort_by_key(|line| line[5..].parse::<u32>().unwrap());
    all.dedup();
    assert!(all == numbers(0..500), "{} different events", all.len());
    assert!(whole <= 500 + repeated, "{whole} events, {repeated} said to be repeated");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_not_there_is_named_and_waited_for() {
    let data = TempDir::new().unwrap();
    let port = {
        let broker = Mosquitto::start("");
        broker.port
    };
    let run = start(settings(Protocol::V5, port), data.path());
    await_that("trouble is reported", || !run.seen.trouble.lock().unwrap().is_empty());
    let trouble = run.seen.trouble.lock().unwrap()[0].clone();
    assert!(trouble.contains("refused"), "{trouble}");
    assert!(run.stop().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_with_certificates_of_both_sides() {
    let certificates = TempDir::new().unwrap();
    make_certificates(certificates.path());
    let at = |name: &str| certificates.path().join(name);
    let secure_port = {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        socket.local_addr().unwrap().port()
    };
    let broker = Mosquitto::start(&format!(
        "listener {secure_port} 127.0.0.1\ncafile {}\ncertfile {}\nkeyfile {}\nrequire_certificate true",
        at("ca.pem").display(),
        at("server.pem").display(),
        at("server.key").display(),
    ));
    let data = TempDir::new().unwrap();
    let client = Some((at("client.pem"), at("client.key")));
    let tls = Some(Tls { ca_file: at("ca.pem"), client });
    let secure =
        Settings { host: "localhost".to_owned(), tls, ..settings(Protocol::V5, secure_port) };
    let run = start(secure.clone(), data.path());
    await_connection(&run, 1);
    publish(broker.port, 0..10).await;
    run.await_events(10);
    assert_eq!(run.stop(), numbers(0..10));

    let unknown = Settings { tls: Some(Tls { ca_file: at("ca.pem"), client: None }), ..secure };
    let data = TempDir::new().unwrap();
    let run = start(unknown, data.path());
    await_that("the broker refuses", || !run.seen.trouble.lock().unwrap().is_empty());
    run.stop();
}

/// An authority, and certificates of it for the broker and for the source.
fn make_certificates(folder: &Path) {
    let script = "set -e
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem \
            -addext basicConstraints=critical,CA:TRUE
        for name in server client; do
            openssl req -newkey rsa:2048 -nodes -subj /CN=$name -keyout $name.key -out $name.csr
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\\n' > $name.ext
            openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $name.ext -out $name.pem
        done";
    let made = Command::new("sh").args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}
