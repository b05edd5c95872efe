//! One connection of a link: two sockets, two directions, a reader and a writer for each.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::link::{Direction, Link, Rate};
use crate::queue::Queue;

/// The largest piece moved at once.
const PIECE_BYTES: usize = 16 * 1024;
/// Slow links move smaller pieces: what fits in 10 ms, but at least this.
const SMALLEST_PIECE_BYTES: usize = 256;
/// What a connection may buffer beside rate x delay.
const SLACK_BYTES: usize = 256 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Connection {
    device: TcpStream,
    upstream: TcpStream,
    up: Queue,
    down: Queue,
    closed: AtomicBool,
}

impl Connection {
    /// Ends both sockets; what waits in the queues is lost. The caller wakes the link's buckets.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let _ = self.device.shutdown(Shutdown::Both);
        let _ = self.upstream.shutdown(Shutdown::Both);
        self.up.wake();
        self.down.wake();
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }
}

/// Carries one accepted connection to its end.
pub(crate) fn carry(device: TcpStream, upstream: &str, link: &Link) {
    if link.is_cut() {
        return;
    }
    // Names change their address when containers start again.
    let found = upstream.to_socket_addrs().ok().and_then(|mut found| found.next());
    let connected = found.map(|address| TcpStream::connect_timeout(&address, CONNECT_TIMEOUT));
    let Some(Ok(upstream)) = connected else { return };
    // The relay's own delay is the only one wanted.
    let _ = (device.set_nodelay(true), upstream.set_nodelay(true));
    let connection = Arc::new(Connection {
        device,
        upstream,
        up: Queue::default(),
        down: Queue::default(),
        closed: AtomicBool::new(false),
    });
    if !link.admit(&connection) {
        return;
    }
    let one = &*connection;
    thread::scope(|scope| {
        scope.spawn(|| receive(&one.device, &one.up, link.up(), one, link));
        scope.spawn(|| send(&one.upstream, &one.up, link.up(), one, link));
        scope.spawn(|| receive(&one.upstream, &one.down, link.down(), one, link));
        send(&one.device, &one.down, link.down(), one, link);
    });
    link.dismiss(&connection);
}

/// Reads a socket, pays for the bytes and puts them under way.
fn receive(
    mut from: &TcpStream,
    queue: &Queue,
    direction: &Direction,
    connection: &Connection,
    link: &Link,
) {
    let closed = || connection.is_closed();
    let mut piece = vec![0; PIECE_BYTES];
    while queue.wait_for_room(|| capacity_bytes(direction.bucket.rate(), link.delay()), closed) {
        let most = piece_bytes(direction.bucket.rate());
        match from.read(&mut piece[..most]) {
            Ok(0) => return queue.end(),
            Ok(bytes) => {
                if !direction.bucket.take(bytes, closed) {
                    return;
                }
                queue.push(Instant::now() + link.delay(), piece[..bytes].to_vec());
            }
            Err(_) => return hang_up(connection, link),
        }
    }
}

/// Delivers due bytes, and then the end of the stream, to the other socket.
fn send(
    mut to: &TcpStream,
    queue: &Queue,
    direction: &Direction,
    connection: &Connection,
    link: &Link,
) {
    while let Some(piece) = queue.pop(|| connection.is_closed()) {
        if to.write_all(&piece).is_err() {
            return hang_up(connection, link);
        }
        direction.delivered_bytes.fetch_add(piece.len() as u64, Ordering::Relaxed);
    }
    let _ = to.shutdown(Shutdown::Write);
}

fn hang_up(connection: &Connection, link: &Link) {
    connection.close();
    link.up().bucket.wake();
    link.down().bucket.wake();
}

fn piece_bytes(rate: Rate) -> usize {
    match rate {
        Rate::Unlimited => PIECE_BYTES,
        Rate::BytesPerSecond(rate) => {
            (rate as usize / 100).clamp(SMALLEST_PIECE_BYTES, PIECE_BYTES)
        }
    }
}

fn capacity_bytes(rate: Rate, delay: Duration) -> usize {
    match rate {
        // What loopback carries in the delay is beyond any link worth simulating: 1 GB/s.
        Rate::Unlimited => (delay.as_secs_f64() * 1e9) as usize + SLACK_BYTES,
        Rate::BytesPerSecond(rate) => (delay.as_secs_f64() * rate as f64) as usize + SLACK_BYTES,
    }
}
