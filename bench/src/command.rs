//! From a command to its effect: the first frame by the new plan stands in its topic, and the device knows.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sluice_kafka::{Message, Properties, Start, Writer, read_to_end, tail};
use sluice_model::{DeployedQuery, DeviceKey, topics};
use sluice_wire::{FrameKind, Type, decode_frame, record};

/// How long an effect may take before the measurement is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// Until readers of topics have found their ends.
const WARM_UP: Duration = Duration::from_secs(3);

/// What is commanded.
#[derive(Debug, Clone)]
pub struct Options {
    /// The brokers, from the cloud's side.
    pub brokers: String,
    /// Whose plan changes.
    pub key: DeviceKey,
    /// How many commands.
    pub count: u32,
    /// The pause behind each effect.
    pub pause: Duration,
    /// The cuts, in turn.
    pub cuts: Vec<i32>,
    /// The delay of the device's link, one way, milliseconds: so long an acknowledgement is on its way.
    pub one_way_ms: i64,
}

/// Milliseconds from a command's place in the control topic to the acknowledgement of the first frame by its plan, sorted.
#[derive(Debug, Clone)]
pub struct Figures(Vec<i64>);

impl Figures {
    /// The latency that this part of the commands keeps to.
    #[must_use]
    pub fn quantile_ms(&self, part: f64) -> i64 {
        let rank = (part * self.0.len() as f64).ceil() as usize;
        self.0[rank.clamp(1, self.0.len()) - 1]
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|part| self.quantile_ms(part));
        let most = self.quantile_ms(1.0);
        write!(f, "commands={} p50_ms={p50} p90_ms={p90} p99_ms={p99} max_ms={most}", self.0.len())
    }
}

/// A frame of the device: the command that chose its cut, and when the broker appended it.
struct Seen {
    offset: i64,
    appended_ms: i64,
}

/// Sends the commands one after the other and waits for the effect of each.
///
/// # Errors
/// When the query is not deployed, or a command has no effect.
pub fn measure(options: &Options) -> Result<Figures> {
    let properties = Properties::from([("bootstrap.servers".to_owned(), options.brokers.clone())]);
    let query = deployed(&properties, options)?;
    let stop = Arc::new(AtomicBool::new(false));
    let frames = watch_frames(&properties, options, &query, &stop)?;
    let commands = watch_commands(&properties, &stop);
    thread::sleep(WARM_UP);
    let mut writer = Writer::new(&properties, "sluice-bench", PATIENCE)?;
    let key = format!("{}/manual", options.key);
    let mut latencies = Vec::new();
    for number in 0..options.count {
        let cut = options.cuts[number as usize % options.cuts.len()];
        let command = format!("{{\"cut\":{cut},\"issuer\":\"bench\",\"reason\":\"bench\"}}");
        let placed = writer.write(topics::CONTROL, Some(0), &key, Some(command.as_bytes()))?;
        let deadline = Instant::now() + PATIENCE;
        let effect = await_effect(&frames, placed.offset, deadline)?;
        let began = commands.recv_timeout(PATIENCE).context("the control topic is not read")?;
        ensure!(began.offset == placed.offset, "someone else commands too");
        latencies.push(effect.appended_ms - began.appended_ms + options.one_way_ms);
        thread::sleep(options.pause);
    }
    stop.store(true, Ordering::Relaxed);
    latencies.sort_unstable();
    Ok(Figures(latencies))
}

fn deployed(properties: &Properties, options: &Options) -> Result<DeployedQuery> {
    let mut found = None;
    read_to_end(properties, topics::QUERIES, &Start::Beginning, |message| {
        if message.key.as_deref() == Some(options.key.query.as_str()) {
            found = message.payload.as_deref().and_then(|value| record::decode(value).ok());
        }
    })?;
    found.with_context(|| format!("{} is not deployed", options.key.query))
}

/// The frames of the device, from all topics that it writes to.
fn watch_frames(
    properties: &Properties,
    options: &Options,
    query: &DeployedQuery,
    stop: &Arc<AtomicBool>,
) -> Result<Receiver<Seen>> {
    let input = query.input(&options.key.input).context("no such input")?;
    let (sender, frames) = channel();
    for cut in 0..=input.operator_count() {
        let at = usize::try_from(cut)?;
        let value_type: Type = input.types[at].parse()?;
        let schema_id = input.frame_schema_id(cut).context("no schema id")?;
        let (topic, device) = (query.topic(input, cut), options.key.device.to_string());
        let sender = sender.clone();
        watch(properties, topic, stop, move |message| {
            let ours = message.key.as_deref() == Some(&*device);
            let payload = message.payload.as_deref().filter(|_| ours).unwrap_or_default();
            let Ok(frame) = decode_frame(payload, schema_id, &value_type) else { return };
            // Heartbeats go to `out` whatever the plan.
            if frame.header.kind == FrameKind::Data {
                let offset = frame.header.epoch.parts().1;
                let _ = sender.send(Seen { offset, appended_ms: message.timestamp_ms });
            }
        });
    }
    Ok(frames)
}

/// Every command, in order.
fn watch_commands(properties: &Properties, stop: &Arc<AtomicBool>) -> Receiver<Seen> {
    let (sender, commands) = channel();
    watch(properties, topics::CONTROL.to_owned(), stop, move |message| {
        let _ = sender.send(Seen { offset: message.offset, appended_ms: message.timestamp_ms });
    });
    commands
}

/// Reads a topic from its end on, on a thread of its own.
fn watch(
    properties: &Properties,
    topic: String,
    stop: &Arc<AtomicBool>,
    on_message: impl Fn(Message) + Send + 'static,
) {
    let (properties, stop) = (properties.clone(), stop.clone());
    thread::spawn(move || {
        let each = |message| {
            on_message(message);
            ControlFlow::Continue(())
        };
        if let Err(error) = tail(&properties, &topic, &Start::End, &stop, each) {
            eprintln!("{topic}: {error}");
        }
    });
}

/// The earliest frame by the command at `offset` or a later one.
fn await_effect(frames: &Receiver<Seen>, offset: i64, deadline: Instant) -> Result<Seen> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let seen = frames.recv_timeout(left).context("a command had no effect")?;
        if seen.offset >= offset {
            return Ok(seen);
        }
    }
}
