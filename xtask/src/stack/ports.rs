//! Free ports.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, bail};

/// Below the range from which systems take the ports of outgoing connections: one that is free stays free.
const RANGE: std::ops::Range<u16> = 20_000..32_000;

/// How many ports this process has tried: who was given one may bind it only later, so none is given twice.
static TRIED: AtomicU32 = AtomicU32::new(0);

/// Takes `count` different free ports of loopback. They are released on return, for a process that is about to bind
/// them; the search begins at a place of this process's own, so that two stacks starting at once rarely meet.
pub fn free_ports(count: usize) -> Result<Vec<u16>> {
    let size = u32::from(RANGE.end - RANGE.start);
    let first = std::process::id().wrapping_mul(797) % size;
    let mut held = Vec::new();
    for _ in 0..size {
        let tried = TRIED.fetch_add(1, Ordering::Relaxed);
        let port = RANGE.start + ((first + tried % size) % size) as u16;
        held.extend(TcpListener::bind(("127.0.0.1", port)).ok().map(|listener| (port, listener)));
        if held.len() >= count {
            return Ok(held.into_iter().map(|(port, _)| port).collect());
        }
    }
    bail!("no {count} free ports between {} and {}", RANGE.start, RANGE.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_differ_and_are_free() {
        let ports = free_ports(20).unwrap();
        let held: Vec<_> =
            ports.iter().map(|&port| TcpListener::bind(("127.0.0.1", port)).unwrap()).collect();
        assert_eq!(held.len(), 20);
        drop(held);
        let later = free_ports(20).unwrap();
        assert!(later.iter().all(|port| !ports.contains(port)), "given twice");
    }
}
