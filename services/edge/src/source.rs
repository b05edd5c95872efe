//! Sources: threads that put a device's events into the spool, in the Avro form of T(0).

mod lines;
mod replay;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::bail;
use metrics::Gauge;
use sluice_model::{DeviceKey, Input};
use sluice_spool::{AppendError, Spool};
use sluice_wire::Type;
use sluice_wire::writer::put_bytes;

use crate::config::SourceSettings;
use crate::meters::Meters;

/// What a source has of its input.
pub struct SourceContext {
    /// The input.
    pub key: DeviceKey,
    /// Where accepted events go.
    pub spool: Spool,
    /// The input's metrics.
    pub meters: Meters,
    /// Takes an event that is larger than the spool allows.
    pub oversize: Box<dyn Fn(Vec<u8>) + Send>,
    /// Tells the source to end.
    pub stop: Arc<AtomicBool>,
}

impl SourceContext {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Starts a source's thread. It ends when it is told to, when the spool fails, or when a bounded source is done.
///
/// # Errors
/// When its lines can't be opened, or the input does not take lines.
pub fn start(
    settings: &SourceSettings,
    input: &Input,
    context: SourceContext,
) -> anyhow::Result<JoinHandle<anyhow::Result<()>>> {
    match input.types[0].parse::<Type>()? {
        Type::String | Type::Bytes => {}
        other => bail!("{}: sources give lines, but T(0) is {other:?}", context.key),
    }
    let SourceSettings::Replay(settings) = settings;
    let replay = replay::Replay::open(settings, context)?;
    Ok(std::thread::Builder::new().name("source".into()).spawn(move || replay.run())?)
}

/// Encodes a line as an Avro string or bytes, as a Java reader of UTF-8 lines would see it.
fn encode_line(line: &[u8], out: &mut Vec<u8>) {
    put_bytes(out, String::from_utf8_lossy(line).as_bytes());
}

/// Puts events into the spool, waiting while it is full, and watches how long the source is held by that.
struct Acceptor {
    context: SourceContext,
    held: HeldMax,
}

impl Acceptor {
    fn new(context: SourceContext) -> Self {
        let held = HeldMax::new(context.meters.source_held_max_ms.clone());
        Self { context, held }
    }

    /// Accepts all of `values`, in order. False when the source is to end first.
    fn accept(&mut self, values: &[Vec<u8>]) -> anyhow::Result<bool> {
        let began = Instant::now();
        let mut rest = values;
        while let Some(first) = rest.first() {
            if self.context.is_stopped() {
                return Ok(false);
            }
            match self.context.spool.append_batch(rest, sluice_runtime::clock::now_ms()) {
                Ok(accepted) => {
                    let n = accepted.end.since(accepted.start);
                    self.context.meters.accepted_events.increment(n);
                    rest = &rest[usize::try_from(n)?..];
                }
                Err(AppendError::Full(_)) => {
                    let soon = Instant::now() + Duration::from_millis(100);
                    self.context.spool.wait_for_room(first.len(), soon)?;
                }
                Err(AppendError::TooLarge { .. }) => {
                    self.context.meters.oversize_events.increment(1);
                    (self.context.oversize)(first.clone());
                    rest = &rest[1..];
                }
                Err(AppendError::Refused(error)) => return Err(error.into()),
            }
        }
        self.held.note(began, Instant::now());
        Ok(true)
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

    fn note(&mut self, began: Instant, ended: Instant) {
        self.max = self.max.max(ended - began);
        if ended - self.second_began >= Duration::from_secs(1) {
            self.gauge.set(self.max.as_secs_f64() * 1_000.0);
            self.second_began = ended;
            self.max = Duration::ZERO;
        }
    }
}
