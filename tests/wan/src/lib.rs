//! A wide-area link on loopback: a TCP relay whose rate and delay can be set, and which can be cut, while data flows.
//!
//! A device reaches the broker only through its own [`Relay`], so that tests, demo and bench see the same uplink:
//!
//! - *rate*: a token bucket per direction, shared by all connections of the link, as they would share a radio;
//! - *delay*: each piece leaves the relay one-way delay after it was paid for;
//! - *backpressure*: at most rate x delay + 256 KiB of a connection wait in the relay, then its sender is not read;
//! - *cut*: open connections are dropped and new ones closed at once. A rate of 0 is the other kind of outage, a black
//!   hole: connections stay open and nothing passes.
//!
//! Plain threads, no runtime: four per connection, all ended and joined when the relay is dropped.

mod bucket;
mod connection;
pub mod control;
mod link;
mod queue;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

pub use link::{Link, Rate, Stats};

/// A listening relay to one upstream address. Dropping it closes its connections and joins its threads.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    link: Link,
    stopping: Arc<AtomicBool>,
    acceptor: Option<JoinHandle<()>>,
}

impl Relay {
    /// Listens at `listen` (port 0 takes a free one) and passes each connection on to `upstream`, at first without
    /// limit and delay. `upstream` is an address, or a name and port that each connection looks up. Fails when `listen`
    /// can't be bound.
    pub fn start(listen: SocketAddr, upstream: impl ToString) -> io::Result<Relay> {
        let upstream = upstream.to_string();
        let listener = TcpListener::bind(listen)?;
        let address = listener.local_addr()?;
        let link = Link::default();
        let stopping = Arc::new(AtomicBool::new(false));
        let acceptor = thread::Builder::new().name("wan-accept".into()).spawn({
            let (link, stopping) = (link.clone(), stopping.clone());
            move || accept(&listener, &upstream, &link, &stopping)
        })?;
        Ok(Relay { address, link, stopping, acceptor: Some(acceptor) })
    }

    /// The address at which the relay listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The handle that sets and reads this relay; it may outlive the relay and then does nothing.
    pub fn link(&self) -> Link {
        self.link.clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.link.cut();
        // The acceptor blocks in accept: a connection of our own wakes it.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn accept(listener: &TcpListener, upstream: &str, link: &Link, stopping: &AtomicBool) {
    let mut connections: Vec<JoinHandle<()>> = Vec::new();
    loop {
        let accepted = listener.accept();
        if stopping.load(Ordering::SeqCst) {
            break;
        }
        connections.retain(|connection| !connection.is_finished());
        match accepted {
            Ok((client, _)) => {
                let (link, upstream) = (link.clone(), upstream.to_owned());
                let spawned = thread::Builder::new()
                    .name("wan-connection".into())
                    .spawn(move || connection::carry(client, &upstream, &link));
                connections.extend(spawned.ok());
            }
            // Out of descriptors: give the open connections time to end instead of spinning.
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
    }
    for connection in connections {
        let _ = connection.join();
    }
}
