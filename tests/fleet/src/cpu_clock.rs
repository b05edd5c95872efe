//! CPU time of the present thread.

use std::time::Instant;

/// Measures CPU time where the system tells it, else elapsed time.
#[derive(Debug)]
pub struct CpuClock {
    begun: Option<f64>,
    instant: Instant,
}

impl CpuClock {
    /// Begins.
    #[must_use]
    pub fn start() -> Self {
        Self { begun: thread_seconds(), instant: Instant::now() }
    }

    /// Seconds since.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        match (thread_seconds(), self.begun) {
            (Some(now), Some(then)) => now - then,
            _ => self.instant.elapsed().as_secs_f64(),
        }
    }
}

fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanos: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanos as f64 / 1e9)
}
