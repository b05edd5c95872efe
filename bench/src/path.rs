//! Q1's path on a device: batches as the spool reads them, through the operators, to encoded frames.
use crate::hand::Hand;
use anyhow::{Context as _, ensure};
use sluice_engine::{Assigner, Chain, Operator};
use sluice_generators::q1::Generator;
use sluice_model::{Cut, Epoch, Incarnation, Seq};
use sluice_spool::{Batch, Index, Options, Spool};
use sluice_wire::writer::put_bytes;
use sluice_wire::{EventsBuffer, FrameHeader, FrameKind, Type, encode_frame};
use std::fmt::{Display, Formatter};
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes of input of a frame.
const FRAME_BYTES: usize = 256 << 10;
/// Every loop makes each frame so often; the fastest time of a frame counts, the machine being shared.
const ROUNDS: usize = 9;
/// Two days.
const BOUND_MS: i64 = 172_800_000;
/// Of the frame's schema; any will do.
const SCHEMA_ID: i32 = 1;

/// What was measured.
pub struct Figures {
    events: usize,
    passed: usize,
    input_bytes: usize,
    output_bytes: usize,
    engine: Duration,
    hand: Duration,
}

impl Figures {
    fn per_second(&self, time: Duration) -> f64 {
        self.events as f64 / time.as_secs_f64()
    }

    fn nanoseconds(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e9 / self.events as f64
    }

    fn ratio(&self) -> f64 {
        self.hand.as_secs_f64() / self.engine.as_secs_f64()
    }

    /// The figures as one JSON object.
    pub fn json(&self) -> String {
        serde_json::json!({
            "events": self.events,
            "passed": self.passed,
            "input_bytes": self.input_bytes,
            "output_bytes": self.output_bytes,
            "events_per_s": self.per_second(self.engine).round(),
            "ns_per_event": self.nanoseconds(self.engine).round(),
            "hand_events_per_s": self.per_second(self.hand).round(),
            "hand_ns_per_event": self.nanoseconds(self.hand).round(),
            "ratio": (self.ratio() * 1000.0).round() / 1000.0,
        })
        .to_string()
    }
}

impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "path events_per_s={:.0} hand_events_per_s={:.0} ratio={:.2} ns_per_event={:.0} hand_ns_per_event={:.0} \
             events={} passed={} bytes_in={} bytes_out={}",
            self.per_second(self.engine),
            self.per_second(self.hand),
            self.ratio(),
            self.nanoseconds(self.engine),
            self.nanoseconds(self.hand),
            self.events,
            self.passed,
            self.input_bytes,
            self.output_bytes,
        )
    }
}

/// Measures both loops over the same lines. The functions are those of the plan, or files of a folder.
pub fn measure(events: usize, functions: Option<&Path>) -> anyhow::Result<Figures> {
    let batches = spooled(events)?;
    let mut chain = chain(functions)?;
    let mut hand = Hand::default();
    let mut frame = Frame::default();
    let (mut passed, mut output_bytes) = (0, 0);
    for batch in &batches {
        frame.by_engine(&mut chain, batch)?;
        let expected = std::mem::take(&mut frame.message);
        passed += frame.events.count();
        output_bytes += expected.len();
        frame.by_hand(&mut hand, batch)?;
        ensure!(frame.message == expected, "the loops differ in the frame from {}", batch.first());
    }
    let (mut engine, mut by_hand) = (Fastest::of(&batches), Fastest::of(&batches));
    for _ in 0..ROUNDS {
        engine.go(&batches, |batch| frame.by_engine(&mut chain, batch))?;
        by_hand.go(&batches, |batch| frame.by_hand(&mut hand, batch))?;
    }
    Ok(Figures {
        events,
        passed,
        input_bytes: batches.iter().map(Batch::value_bytes).sum(),
        output_bytes,
        engine: engine.total(),
        hand: by_hand.total(),
    })
}

/// The fastest time of each frame.
struct Fastest(Vec<Duration>);

impl Fastest {
    fn of(batches: &[Batch]) -> Fastest {
        Fastest(vec![Duration::MAX; batches.len()])
    }

    fn go(
        &mut self,
        batches: &[Batch],
        mut frame: impl FnMut(&Batch) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for (fastest, batch) in self.0.iter_mut().zip(batches) {
            let began = Instant::now();
            frame(batch)?;
            *fastest = began.elapsed().min(*fastest);
        }
        Ok(())
    }

    fn total(&self) -> Duration {
        self.0.iter().sum()
    }
}

/// Q1's lines of a device, written to a spool and read back in the batches that become frames.
pub fn spooled(events: usize) -> anyhow::Result<Vec<Batch>> {
    const AT_ONCE: usize = 1000;
    let dir = tempfile::tempdir()?;
    let spool = Spool::open(&Options::new(dir.path()))?;
    spool.begin_start("bench", 0)?;
    let mut generator = Generator::new(1, 1);
    let mut batches = Vec::new();
    let mut next = Index(0);
    let mut written = 0;
    while written < events {
        let values: Vec<Vec<u8>> = (written..events.min(written + AT_ONCE))
            .map(|_| {
                let (mut line, mut value) = (Vec::new(), Vec::new());
                generator.next_line(&mut line);
                put_bytes(&mut value, String::from_utf8_lossy(&line).as_bytes());
                value
            })
            .collect();
        let end = spool.append_batch(&values, 0)?.end;
        ensure!(end == Index((written + values.len()) as u64), "the spool is full");
        written += values.len();
        ensure!(
            spool.wait_durable(end, Instant::now() + Duration::from_secs(60))?,
            "the disk is too slow"
        );
        // Whole frames only, and what is left at the end.
        loop {
            let mut batch = Batch::new();
            spool.read(next, usize::MAX, FRAME_BYTES, &mut batch)?;
            if batch.is_empty() || batch.end() == end && written < events {
                break;
            }
            next = batch.end();
            batches.push(batch);
        }
        spool.advance_cursor(next)?;
    }
    spool.close()?;
    Ok(batches)
}

fn chain(functions: Option<&Path>) -> anyhow::Result<Chain> {
    let types = [
        include_str!("../../tests/plans/q1/types/line.avsc"),
        include_str!("../../tests/plans/q1/types/air-row.avsc"),
        include_str!("../../tests/plans/q1/types/measurement.avsc"),
        include_str!("../../tests/plans/q1/types/reading.avsc"),
    ];
    let types: Vec<Type> = types.iter().map(|json| json.parse()).collect::<Result<_, _>>()?;
    let read = |name: &str, known: &str| match functions {
        None => Ok(known.to_owned()),
        Some(folder) => {
            let file = folder.join(format!("{name}.ir"));
            std::fs::read_to_string(&file).with_context(|| file.display().to_string())
        }
    };
    let parse = read("parse", include_str!("../../tests/plans/q1/parse.ir"))?;
    let project = read("project", include_str!("../../tests/plans/q1/project.ir"))?;
    let categorize = read("categorize", include_str!("../../tests/plans/q1/categorize.ir"))?;
    let timestamp = read("timestamp", include_str!("../../tests/plans/q1/timestamp.ir"))?;
    let operators = [("parse", &parse), ("project", &project), ("categorize", &categorize)]
        .map(|(name, ir)| Operator { name, ir, constants: "" });
    let assigner = Assigner { after: 1, bound_ms: BOUND_MS, ir: &timestamp, constants: "" };
    let chain = Chain::compile(&types, &operators, Some(&assigner), 0, 3);
    chain.map_err(|errors| anyhow::anyhow!("{errors:?}")).context("Q1 does not compile")
}

/// A frame in work, and its memory.
#[derive(Default)]
struct Frame {
    events: EventsBuffer,
    message: Vec<u8>,
}

impl Frame {
    fn by_engine(&mut self, chain: &mut Chain, batch: &Batch) -> anyhow::Result<()> {
        self.events.clear();
        chain.begin_frame();
        for (delta, value) in (0..).zip(batch.values()) {
            chain.run_event(delta, None, Some(value), &mut self.events)?;
        }
        self.encode(batch, chain.watermark())
    }

    fn by_hand(&mut self, hand: &mut Hand, batch: &Batch) -> anyhow::Result<()> {
        self.events.clear();
        let mut highest = None;
        for (delta, value) in (0..).zip(batch.values()) {
            highest = highest.max(hand.event(delta, value, &mut self.events)?);
        }
        self.encode(batch, highest.map(|time| time - BOUND_MS - 1))
    }

    fn encode(&mut self, batch: &Batch, watermark: Option<i64>) -> anyhow::Result<()> {
        let header = FrameHeader {
            kind: FrameKind::Data,
            device: "pi-1".parse()?,
            incarnation: Incarnation(1),
            previous: None,
            epoch: Epoch(1),
            left_at: Cut(3),
            applied: 3,
            first: Seq(batch.first().0 as i64),
            last: Seq(batch.end().0 as i64 - 1),
            watermark,
            dead: 0,
            reason: None,
            dispatched_at: 0,
        };
        self.message.clear();
        encode_frame(SCHEMA_ID, &header, &self.events, &mut self.message)?;
        Ok(())
    }
}
