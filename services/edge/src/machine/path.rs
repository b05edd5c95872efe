//! A machine with a backlog on a path of given rate and delay: how much of the path does it use?

use std::collections::VecDeque;

use sluice_spool::{Index, Run};

use super::*;

/// The longest pause of the loop of an input, milliseconds.
const TURN_MS: i64 = 5;
/// How long the producer waits for company of a message, milliseconds.
const PRODUCER_LINGER_MS: i64 = 5;
const EVENT_BYTES: usize = 100;

/// A path that carries so many bytes a millisecond, one frame after the other.
struct Path {
    bytes_per_ms: f64,
    delay_ms: i64,
    /// Until when it is busy with what was sent.
    busy_until: f64,
    /// Nothing arrives before.
    up_from: i64,
    /// An acknowledgement takes up to so much longer, for machines are busy, milliseconds.
    jitter_ms: i64,
    random: u64,
    /// When each frame's acknowledgement comes, in order, with the bytes of the frame.
    acks: VecDeque<(i64, Token, usize)>,
}

impl Path {
    fn send(&mut self, token: Token, bytes: usize, now: i64) {
        let from = self.busy_until.max((now + PRODUCER_LINGER_MS).max(self.up_from) as f64);
        self.busy_until = from + bytes as f64 / self.bytes_per_ms;
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let jitter_ms = (self.random >> 33) as i64 % (self.jitter_ms + 1);
        let at = self.busy_until as i64 + 2 * self.delay_ms + jitter_ms;
        // In the order of the frames.
        let at = self.acks.back().map_or(at, |ack| at.max(ack.0));
        self.acks.push_back((at, token, bytes));
    }
}

struct Device {
    machine: Machine,
    path: Path,
    accepted: f64,
    acked_bytes: usize,
}

impl Device {
    fn new(bytes_per_ms: f64, delay_ms: i64, jitter_ms: i64) -> Self {
        let mut machine = Machine::new(Limits::default(), Control::new(3), Index(0));
        let started_at_ms = 0;
        machine.handle_numbered(vec![Run {
            incarnation: Some(1),
            first: Index(0),
            end: None,
            started_at_ms,
        }]);
        let acks = VecDeque::new();
        let (busy_until, up_from, random) = (0.0, 0, 1);
        let path = Path { bytes_per_ms, delay_ms, busy_until, up_from, jitter_ms, random, acks };
        Self { machine, path, accepted: 0.0, acked_bytes: 0 }
    }

    /// Runs from `from` to `to` with a source of so many events a millisecond; the bytes that were acknowledged.
    fn run(&mut self, from: i64, to: i64, events_per_ms: f64) -> usize {
        let before = self.acked_bytes;
        for now in from..to {
            self.accepted += events_per_ms;
            let mut woken = now % TURN_MS == 0;
            while let Some((_, token, bytes)) = self.path.acks.pop_front_if(|ack| ack.0 <= now) {
                self.machine.handle_acknowledged(token, now);
                self.acked_bytes += bytes;
                woken = true;
            }
            if woken {
                self.machine.handle_durable(Index(self.accepted as u64), now);
                while let Some(order) = self.machine.poll_dispatch(now) {
                    self.send(&order, now);
                }
            }
        }
        self.acked_bytes - before
    }

    fn send(&mut self, order: &Order, now: i64) {
        let Content::Events { max_bytes, .. } = order.content else { return };
        let fitting = u64::try_from((max_bytes / EVENT_BYTES).max(1)).unwrap();
        let end = order.end.min(order.first.plus(fitting));
        let bytes = usize::try_from(end.since(order.first)).unwrap() * EVENT_BYTES;
        let token = self.machine.handle_dispatched(
            order,
            Dispatched { end, bytes, watermark: None, messages: 1 },
            now,
        );
        self.path.send(token, bytes, now);
    }
}

/// A drain after a quiet source and an outage: the share of the path that it uses, and how long what is in flight takes
/// on it, longest, milliseconds.
fn drain(bytes_per_ms: f64, delay_ms: i64, jitter_ms: i64) -> (f64, f64) {
    let mut device = Device::new(bytes_per_ms, delay_ms, jitter_ms);
    // A tenth of what the path carries.
    let quiet = bytes_per_ms / EVENT_BYTES as f64 / 10.0;
    device.run(0, 20_000, quiet);
    device.path.up_from = 50_000;
    device.run(20_000, 50_000, quiet);
    device.accepted += 1e9;
    device.run(50_000, 60_000, quiet);
    let (mut bytes, mut longest_ms) = (0, 0.0_f64);
    for second in 60..180 {
        bytes += device.run(second * 1_000, (second + 1) * 1_000, quiet);
        longest_ms = longest_ms.max(device.machine.in_flight_bytes() as f64 / bytes_per_ms);
    }
    (bytes as f64 / (120_000.0 * bytes_per_ms), longest_ms)
}

#[test]
fn a_drain_uses_the_path_and_keeps_the_queue_short() {
    for (bytes_per_ms, delay_ms) in [
        (20_000.0, 5),
        (1_200.0, 30),
        (2_500.0, 30),
        (400.0, 60),
        (800.0, 60),
        (1_000.0, 300),
        (600.0, 20),
    ] {
        for jitter_ms in [0, 50, 150] {
            let (share, longest_ms) = drain(bytes_per_ms, delay_ms, jitter_ms);
            let what = format!("{bytes_per_ms} B/ms, {delay_ms} ms, {jitter_ms} ms of jitter");
            assert!(share > 0.93, "{what}: {share:.2} of the path");
            let bound_ms = (3 * (2 * delay_ms + jitter_ms) + 650) as f64;
            assert!(longest_ms < bound_ms, "{what}: {longest_ms:.0} ms in flight");
        }
    }
}
