//! An input's source: what `sluice-sources` counts, in the input's metrics.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::bail;
use metrics::Gauge;
use sluice_model::{DeviceKey, Input};
use sluice_sources::{Content, Intake, Observer, Settings};
use sluice_spool::Spool;
use sluice_wire::Type;

use crate::meters::Meters;

/// What a source has of its input.
pub struct SourceContext {
    /// The input.
    pub key: DeviceKey,
    /// Where accepted events go.
    pub spool: Spool,
    /// Where it may keep its place.
    pub folder: PathBuf,
    /// The input's metrics.
    pub meters: Meters,
    /// Takes an event that is larger than the spool allows.
    pub oversize: Box<dyn Fn(Vec<u8>) + Send + Sync>,
    /// Tells the source to end.
    pub stop: Arc<AtomicBool>,
}

/// Whether sources give what the input takes.
///
/// # Errors
/// When it takes neither text nor bytes.
pub fn check(key: &DeviceKey, input: &Input) -> anyhow::Result<()> {
    content(key, input).map(|_| ())
}

fn content(key: &DeviceKey, input: &Input) -> anyhow::Result<Content> {
    match input.types[0].parse::<Type>()? {
        Type::String => Ok(Content::Text),
        Type::Bytes => Ok(Content::Bytes),
        other => bail!("{key}: sources give text or bytes, but T(0) is {other:?}"),
    }
}

/// Starts a source's thread. It ends when it is told to, when the spool fails, or when a bounded source is done.
///
/// # Errors
/// When it can't be opened, or the input takes neither text nor bytes.
pub fn start(
    settings: &Settings,
    input: &Input,
    context: SourceContext,
) -> anyhow::Result<JoinHandle<anyhow::Result<()>>> {
    let content = content(&context.key, input)?;
    let SourceContext { key, spool, folder, meters, oversize, stop } = context;
    meters.source_connected.set(0.0);
    let held = Mutex::new(HeldMax::new(meters.source_held_max_ms.clone()));
    let observer = Arc::new(Metered { key, meters, oversize, held });
    sluice_sources::start(settings, Intake::new(spool, content, stop, observer), folder)
}

/// Puts what happens at a source into the input's metrics and the log.
struct Metered {
    key: DeviceKey,
    meters: Meters,
    oversize: Box<dyn Fn(Vec<u8>) + Send + Sync>,
    held: Mutex<HeldMax>,
}

impl Observer for Metered {
    fn accepted(&self, events: u64) {
        self.meters.accepted_events.increment(events);
    }

    fn oversize(&self, event: Vec<u8>) {
        self.meters.oversize_events.increment(1);
        (self.oversize)(event);
    }

    fn held(&self, time: Duration) {
        if let Ok(mut held) = self.held.lock() {
            held.note(time, Instant::now());
        }
    }

    fn done(&self, is_done: bool) {
        self.meters.source_done.set(f64::from(u8::from(is_done)));
        if is_done {
            tracing::info!(input = %self.key, "the source is accepted whole");
        }
    }

    fn connected(&self, trouble: Option<&str>) {
        self.meters.source_connected.set(f64::from(u8::from(trouble.is_none())));
        if let Some(trouble) = trouble {
            tracing::warn!(input = %self.key, "source: {trouble}");
        }
    }

    fn repeated(&self, events: u64) {
        self.meters.source_repeated_events.increment(events);
    }

    fn refused(&self, reason: &'static str) {
        self.meters.source_refused(reason);
    }
}

/// The longest hold within each full second.
struct HeldMax {
    gauge: Gauge,
    second_began: Instant,
    max: Duration,
}

impl HeldMax {
    fn new(gauge: Gauge) -> Self {
        Self { gauge, second_began: Instant::now(), max: Duration::ZERO }
    }

    fn note(&mut self, hold: Duration, now: Instant) {
        self.max = self.max.max(hold);
        if now - self.second_began >= Duration::from_secs(1) {
            self.gauge.set(self.max.as_secs_f64() * 1_000.0);
            self.second_began = now;
            self.max = Duration::ZERO;
        }
    }
}
