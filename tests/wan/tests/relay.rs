//! The relay against a real upstream on loopback.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sluice_wan::{Rate, Relay};

const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
const DEADLINE: Duration = Duration::from_secs(20);

/// An upstream that sends back what it gets, for as many connections as it is told.
fn echo(connections: usize) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind(ANY).unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let clients: Vec<_> = (0..connections)
            .map(|_| {
                let (client, _) = listener.accept().unwrap();
                // A cut link ends the copy with an error: as good an end as any.
                thread::spawn(move || std::io::copy(&mut &client, &mut &client).is_ok())
            })
            .collect();
        for client in clients {
            client.join().unwrap();
        }
    });
    (address, server)
}

fn connect(relay: &Relay) -> TcpStream {
    let stream = TcpStream::connect(relay.address()).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

fn is_ended(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 1]) {
        Ok(bytes) => bytes == 0,
        Err(error) => error.kind() != ErrorKind::WouldBlock && error.kind() != ErrorKind::TimedOut,
    }
}

fn payload(bytes: usize) -> Vec<u8> {
    (0..bytes)
        .scan(1u32, |x, _| {
            *x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some((*x >> 24) as u8)
        })
        .collect()
}

#[test]
fn bytes_and_the_end_of_the_stream_pass_unchanged() {
    let (upstream, server) = echo(1);
    let relay = Relay::start(ANY, upstream).unwrap();
    relay.link().set_delay(Duration::from_millis(3));
    let sent = payload(3_000_000);
    let mut stream = connect(&relay);
    let writer = thread::spawn({
        let (mut stream, sent) = (stream.try_clone().unwrap(), sent.clone());
        move || {
            stream.write_all(&sent).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
        }
    });
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    writer.join().unwrap();
    assert!(received == sent, "{} of {} bytes, or other ones", received.len(), sent.len());
    let stats = relay.link().stats();
    assert_eq!(
        (stats.up_bytes, stats.down_bytes, stats.opened_connections),
        (3_000_000, 3_000_000, 1)
    );
    server.join().unwrap();
}

#[test]
fn connections_share_the_set_rate() {
    let (upstream, server) = echo(2);
    let relay = Relay::start(ANY, upstream).unwrap();
    relay.link().set_up_rate(Rate::BytesPerSecond(1_000_000));
    let started = Instant::now();
    let senders: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = connect(&relay);
            thread::spawn(move || {
                stream.write_all(&payload(500_000)).unwrap();
                stream.shutdown(std::net::Shutdown::Write).unwrap();
                stream.read_to_end(&mut Vec::new()).unwrap()
            })
        })
        .collect();
    let received: usize = senders.into_iter().map(|sender| sender.join().unwrap()).sum();
    let rate = received as f64 / started.elapsed().as_secs_f64();
    assert!((900_000.0..1_100_000.0).contains(&rate), "{rate:.0} bytes/s");
    server.join().unwrap();
}

#[test]
fn a_round_trip_takes_twice_the_delay() {
    let (upstream, server) = echo(1);
    let relay = Relay::start(ANY, upstream).unwrap();
    relay.link().set_delay(Duration::from_millis(40));
    let mut stream = connect(&relay);
    let started = Instant::now();
    stream.write_all(b"ping").unwrap();
    stream.read_exact(&mut [0; 4]).unwrap();
    let round_trip = started.elapsed();
    assert!(round_trip >= Duration::from_millis(80), "{round_trip:?}");
    drop(stream);
    server.join().unwrap();
}

#[test]
fn a_new_rate_acts_on_bytes_that_wait_under_the_old_one() {
    let (upstream, server) = echo(1);
    let relay = Relay::start(ANY, upstream).unwrap();
    relay.link().set_rate(Rate::BytesPerSecond(0));
    let mut stream = connect(&relay);
    stream.write_all(b"held").unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    assert!(stream.read(&mut [0; 4]).is_err(), "a black hole let bytes through");
    relay.link().set_rate(Rate::Unlimited);
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.read_exact(&mut [0; 4]).unwrap();
    drop(stream);
    server.join().unwrap();
}

#[test]
fn a_sender_is_held_back_when_the_link_is_full() {
    let (upstream, server) = echo(1);
    let relay = Relay::start(ANY, upstream).unwrap();
    relay.link().set_up_rate(Rate::BytesPerSecond(0));
    let mut stream = connect(&relay);
    stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    let piece = payload(64 * 1024);
    let mut accepted = 0;
    while let Ok(bytes) = stream.write(&piece) {
        accepted += bytes;
        assert!(accepted < 32 << 20, "the relay takes bytes without bound");
    }
    relay.link().cut();
    server.join().unwrap();
}

#[test]
fn a_cut_closes_and_a_restore_opens() {
    let (upstream, server) = echo(2);
    let relay = Relay::start(ANY, upstream).unwrap();
    relay.link().set_delay(Duration::from_secs(3600));
    let mut stream = connect(&relay);
    stream.write_all(b"lost under way").unwrap();
    let deadline = Instant::now() + DEADLINE;
    while relay.link().stats().open_connections == 0 {
        assert!(Instant::now() < deadline, "the connection never opened");
        thread::yield_now();
    }
    relay.link().cut();
    assert!(is_ended(&mut stream), "an open connection survived the cut");
    assert!(is_ended(&mut connect(&relay)), "a new connection got through the cut");
    relay.link().restore();
    relay.link().set_delay(Duration::ZERO);
    let mut stream = connect(&relay);
    stream.write_all(b"back").unwrap();
    stream.read_exact(&mut [0; 4]).unwrap();
    assert_eq!(relay.link().stats().opened_connections, 2);
    drop(stream);
    server.join().unwrap();
}

#[test]
fn an_unreachable_upstream_closes_the_connection() {
    let gone = TcpListener::bind(ANY).unwrap().local_addr().unwrap();
    let relay = Relay::start(ANY, gone).unwrap();
    assert!(is_ended(&mut connect(&relay)));
}
