//! What compression leaves of frames that leave at a cut, found from samples: also for cuts that no frame leaves at.
//!
//! A frame compresses better than a sample of a few of its events, so the newest samples are compressed together, as many as make a
//! frame.

use std::collections::VecDeque;

/// What Kafka adds to a frame: the batch around it, headers and key, and its part of the request; bytes.
const AROUND_FRAME: usize = 160;
/// Compression looks back so far: more in one piece compresses no better. Bytes.
const WINDOW: usize = 64 << 10;

/// The newest samples of a cut.
#[derive(Debug, Default)]
pub struct Packing {
    /// Source events and encoded frame of each, the oldest first.
    samples: VecDeque<(usize, Vec<u8>)>,
    events: usize,
    bytes: usize,
}

impl Packing {
    /// Adds a sample, and forgets those that a frame of `frame_events` source events has no room for.
    pub fn add(&mut self, events: usize, message: &[u8], frame_events: usize) {
        self.samples.push_back((events, message.to_vec()));
        self.events += events;
        self.bytes += message.len();
        while let Some((oldest, message)) = self.samples.front()
            && self.samples.len() > 1
            && (self.events - oldest >= frame_events || self.bytes - message.len() >= WINDOW)
        {
            self.events -= oldest;
            self.bytes -= message.len();
            self.samples.pop_front();
        }
    }

    /// What is left of a byte on the wire, with what Kafka adds.
    #[must_use]
    pub fn ratio(&self, is_packed: bool) -> f64 {
        if self.bytes == 0 {
            return 1.0;
        }
        let packed_bytes = if is_packed {
            let all: Vec<u8> =
                self.samples.iter().flat_map(|(_, message)| message.iter().copied()).collect();
            packed_bytes(&all)
        } else {
            self.bytes
        };
        (packed_bytes + AROUND_FRAME) as f64 / self.bytes as f64
    }
}

/// What the producer makes of a frame, about: it has other codecs too, but whether there is one decides.
#[must_use]
pub fn packed_bytes(message: &[u8]) -> usize {
    lz4_flex::block::compress(message).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings as sensors give them: alike, and never the same.
    fn readings(from: usize, count: usize) -> Vec<u8> {
        let line = |n: usize| {
            format!("station-{},{},{}.{};", n % 7, 1_700_000_000 + n, n * 7919 % 97, n * 31 % 89)
        };
        (from..from + count).map(line).collect::<String>().into_bytes()
    }

    #[test]
    fn small_samples_tell_what_a_frame_takes() {
        let frame = readings(0, 1_000);
        let whole = packed_bytes(&frame) as f64 / frame.len() as f64;
        let mut packing = Packing::default();
        packing.add(16, &readings(0, 16), 1_000);
        let first = packing.ratio(true);
        for sample in 1..100 {
            packing.add(16, &readings(sample * 16, 16), 1_000);
        }
        let ratio = packing.ratio(true);
        assert!(first > 1.4 * whole, "{first} {whole}");
        assert!((ratio / whole - 1.0).abs() < 0.05, "{ratio} {whole}");
    }

    #[test]
    fn no_more_is_kept_than_a_frame_holds() {
        let mut packing = Packing::default();
        for _ in 0..100 {
            packing.add(10, &[0; 100], 35);
        }
        assert_eq!((packing.events, packing.bytes), (40, 400));
        packing.add(10, &vec![0; 1 << 20], 35);
        assert_eq!(packing.samples.len(), 1);
    }

    #[test]
    fn what_is_not_packed_keeps_its_bytes() {
        let mut packing = Packing::default();
        packing.add(10, &[0; 1_600], 10);
        assert!((packing.ratio(false) - 1.1).abs() < 1e-9);
        assert!(packing.ratio(true) < 0.2);
    }
}
