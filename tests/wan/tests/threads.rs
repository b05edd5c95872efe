//! Alone in its process, since it counts the process's threads.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use sluice_wan::{Rate, Relay};

fn relay_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with("wan-")).count()
}

#[test]
fn a_dropped_relay_leaves_no_thread_and_no_connection() {
    let upstream = TcpListener::bind("127.0.0.1:0").unwrap();
    let relay =
        Relay::start("127.0.0.1:0".parse().unwrap(), upstream.local_addr().unwrap()).unwrap();
    let link = relay.link();
    link.set_rate(Rate::BytesPerSecond(0));
    link.set_delay(Duration::from_secs(3600));
    let mut clients: Vec<TcpStream> =
        (0..5).map(|_| TcpStream::connect(relay.address()).unwrap()).collect();
    for client in &mut clients {
        client.write_all(b"held").unwrap();
    }
    let deadline = Instant::now() + Duration::from_secs(20);
    while link.stats().open_connections < 5 {
        assert!(Instant::now() < deadline, "{:?}", link.stats());
        std::thread::yield_now();
    }
    assert!(relay_threads() >= 6);
    drop(relay);
    assert_eq!(relay_threads(), 0);
    assert_eq!(link.stats().open_connections, 0);
    for client in &mut clients {
        assert_ne!(client.read(&mut [0; 1]).ok(), Some(1));
    }
}
