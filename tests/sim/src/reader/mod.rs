//! The reader of one partition of `out`: the real algebra, its source shell with checkpoints, and the job behind it.

mod broken;
mod job;
mod watch;

use std::collections::BTreeMap;
use std::rc::Rc;

use sluice_model::DeviceId;
use sluice_progress::{
    Action, DropReason, Frame, FrameKind, PartitionProgress, PartitionSnapshot, Previous, SeqRange,
};
use sluice_wire::{Type, decode_frame};

pub use job::{Decoded, Job, Output, Pass, Seen};

use broken::limits;

use crate::broker::{Record, Topic, Value};
use crate::context::{Context, Happening};
use crate::dice::Dice;
use crate::events;
use crate::export::Recorder;
use crate::mutation::Mutation;
use crate::scenario::{Class, SCHEMA_IDS};

/// How many checkpoints are kept.
const CHECKPOINTS: usize = 4;
/// By how much the reader's clock may be off from the broker's.
const CLOCK_OFF_MS: [i64; 3] = [0, 777_000, -777_000];

/// The reader of a partition.
pub struct Reader {
    /// The partition.
    pub partition: usize,
    /// The real algebra.
    pub progress: PartitionProgress<Rc<Decoded>>,
    /// The job.
    pub job: Job,
    /// Where it reads on.
    pub position: i64,
    /// Where it began: records in front of it were never read.
    pub start_offset: i64,
    /// Whether it runs.
    pub begun: bool,
    /// Until when it is busy.
    pub paused_until_ms: i64,
    /// The devices that are listed.
    pub listed: BTreeMap<usize, DeviceId>,
    /// What it read, for the vectors.
    pub recorder: Option<Recorder>,
    checkpoints: Vec<(PartitionSnapshot, Job)>,
    /// The partition clock can't be further than this.
    clock_bound_ms: i64,
    /// The highest append time of what was read.
    read_ms: i64,
    held: BTreeMap<(i64, i64), (DeviceId, i64, SeqRange)>,
    clock_off_ms: i64,
    dice: Dice,
}

/// The number of a device.
#[must_use]
pub fn place(device: &DeviceId) -> usize {
    device.as_str()[1..].parse().unwrap_or(usize::MAX)
}

impl Reader {
    /// A reader that begins at the beginning.
    #[must_use]
    pub fn new(context: &mut Context, partition: usize, record: bool) -> Self {
        let scenario = context.scenario.clone();
        let mut dice = Dice::new(scenario.seed, 5_000 + partition as u64);
        let limits = limits(context);
        let devices = scenario.devices.iter().enumerate();
        let listed = devices
            .filter(|(_, device)| usize::try_from(device.partition) == Ok(partition))
            .map(|(number, device)| (number, device.id.clone()))
            .collect();
        let begins_ms =
            if scenario.class == Class::Trimmed { scenario.faults_until_ms * 2 / 3 } else { 0 };
        context.schedule(context.now_ms + begins_ms, Happening::ReaderTurn(partition));
        Self {
            partition,
            progress: PartitionProgress::new(limits, 0, false),
            job: Job::default(),
            position: 0,
            start_offset: 0,
            begun: false,
            paused_until_ms: 0,
            listed,
            recorder: record.then(|| Recorder::new(&scenario.limits)),
            checkpoints: Vec::new(),
            clock_bound_ms: i64::MIN,
            read_ms: i64::MIN,
            held: BTreeMap::new(),
            clock_off_ms: *dice.pick(&CLOCK_OFF_MS),
            dice,
        }
    }

    fn topic(&self, context: &Context) -> Topic {
        let partition = i32::try_from(self.partition).unwrap_or(0);
        Topic::Stage { stage: context.scenario.operators + 1, partition }
    }

    /// Begins: where the class says so, behind a trimmed prefix.
    fn begin(&mut self, context: &Context) {
        self.begun = true;
        if context.scenario.class == Class::Trimmed {
            let log = context.broker.log(self.topic(context));
            let count = log.records().count();
            let skipped = log.records().nth(self.dice.index(count.max(1)));
            self.start_offset = skipped.map_or(0, |record| record.offset);
            self.position = self.start_offset;
            let trimmed = self.start_offset > 0 && !context.breaks(Mutation::NoSettling);
            self.progress = PartitionProgress::new(limits(context), self.start_offset, trimmed);
            if let Some(recorder) = &mut self.recorder {
                recorder.starts(self.start_offset, trimmed);
            }
        }
        self.list_all();
        self.checkpoints.push((self.progress.snapshot(), self.job.clone()));
    }

    fn list_all(&mut self) {
        for device in self.listed.values() {
            self.progress.joined(device);
        }
        if let Some(recorder) = &mut self.recorder {
            self.listed.values().for_each(|device| recorder.joined(device));
        }
    }

    /// A device is listed.
    pub fn join(&mut self, number: usize, device: &DeviceId) {
        self.listed.insert(number, device.clone());
        self.progress.joined(device);
        if let Some(recorder) = &mut self.recorder {
            recorder.joined(device);
        }
    }

    /// A device is listed no more.
    pub fn unlist(&mut self, number: usize) {
        if let Some(device) = self.listed.remove(&number) {
            self.progress.left(&device);
            if let Some(recorder) = &mut self.recorder {
                recorder.left(&device);
            }
        }
    }

    /// Whether everything that was appended is read.
    #[must_use]
    pub fn is_at_end(&self, context: &Context) -> bool {
        self.begun && context.broker.log(self.topic(context)).at(self.position).is_none()
    }

    /// The ranges of all frames that could be read.
    #[must_use]
    pub fn readable(&self, context: &Context) -> Vec<(usize, i64, SeqRange)> {
        let records = context.broker.log(self.topic(context)).records();
        let read = records.filter(|record| record.offset >= self.start_offset);
        let range = |record: &Record| {
            let Value::Frame(payload) = &record.value else { return None };
            let schema = SCHEMA_IDS + context.scenario.operators;
            let header = decode_frame(payload, schema, &Type::Long).ok()?.header;
            let range = (header.first.0, header.last.0);
            (header.kind == sluice_wire::FrameKind::Data).then(|| {
                (place(&header.device), header.incarnation.0, SeqRange::new(range.0, range.1))
            })
        };
        read.filter_map(range).collect()
    }

    /// One turn: some records, and the time.
    pub fn turn(&mut self, context: &mut Context) {
        let now = context.now_ms;
        let next_ms = (now + self.dice.within(4, 40)).max(self.paused_until_ms);
        context.schedule(next_ms, Happening::ReaderTurn(self.partition));
        let topic = self.topic(context);
        if now < self.paused_until_ms || context.broker.up_at_ms(topic) > now {
            return;
        }
        if !self.begun {
            self.begin(context);
        }
        for _ in 0..self.dice.within(1, 20) {
            let Some(record) = context.broker.log(topic).at(self.position).cloned() else { break };
            self.position = record.offset + 1;
            self.clock_bound_ms = self.clock_bound_ms.max(record.append_ms);
            self.read_ms = self.read_ms.max(record.append_ms);
            self.job.began_ms.get_or_insert(record.append_ms);
            self.read(context, &record);
        }
        if context.breaks(Mutation::TrimsEarly) {
            context.broker.trim(topic, now - self.dice.within(500, 4_000));
        }
        let at_end = context.broker.log(topic).at(self.position).is_none();
        if at_end {
            self.clock_bound_ms = self.clock_bound_ms.max(now);
        }
        let said = at_end || context.breaks(Mutation::LimitsOnWallClock);
        self.progress.tick(now + self.clock_off_ms, said);
        if let Some(recorder) = &mut self.recorder {
            recorder.tick(now + self.clock_off_ms, said);
        }
        self.drain(context);
        self.emit(context);
        if self.dice.chance(3) {
            self.checkpoint(context);
        }
    }

    /// Feeds a record, sometimes in slices, and does what follows.
    fn read(&mut self, context: &mut Context, record: &Record) {
        let payload = match &record.value {
            Value::Frame(payload) => payload,
            Value::Torn(payload) => return self.read_torn(context, record, payload),
            _ => return,
        };
        let decoded = decode_frame(payload, SCHEMA_IDS + context.scenario.operators, &Type::Long);
        let Ok(frame) = decoded else {
            context.fail("reader", format!("offset {}: {decoded:?}", record.offset));
            return;
        };
        let header = &frame.header;
        let device = place(&header.device);
        let kind = match header.kind {
            sluice_wire::FrameKind::Data => FrameKind::Data,
            sluice_wire::FrameKind::Heartbeat => FrameKind::Heartbeat,
            sluice_wire::FrameKind::Gap => FrameKind::Gap,
            sluice_wire::FrameKind::Leave => FrameKind::Leave,
        };
        let (first, last) = (header.first.0, header.last.0);
        let middle = first + (last - first) / 2;
        let sliced = kind == FrameKind::Data
            && last > first
            && self.recorder.is_none()
            && self.dice.chance(10);
        let slices =
            if sliced { vec![(first, middle), (middle + 1, last)] } else { vec![(first, last)] };
        let seen = self.job.seen(device);
        match kind {
            FrameKind::Heartbeat => seen.heartbeat_ms = Some(record.append_ms),
            FrameKind::Leave => seen.leave_read = true,
            _ => {}
        }
        let device_clock = context.breaks(Mutation::DeviceAppendTime);
        context.tell(|| {
            let (number, partition) = (header.incarnation.0 % (1 << 40), self.partition);
            let (kind, offset) = (header.kind, record.offset);
            format!(
                "reader {partition} reads {offset}: {kind:?} d{device}/{number} {first}..={last}"
            )
        });
        for (first, last) in slices {
            let is_last = last == header.last.0;
            let whole = is_last || context.breaks(Mutation::SlicesKeepWatermark);
            let mut text = Frame {
                kind,
                device: header.device.clone(),
                incarnation: header.incarnation,
                previous: header
                    .previous
                    .map(|p| Previous { incarnation: p.incarnation, end: p.end.0 }),
                first,
                last,
                watermark_ms: header.watermark.filter(|_| whole),
                bytes: payload.len() as u64,
                append_time_ms: if device_clock { header.dispatched_at } else { record.append_ms },
                offset: record.offset,
                next_offset: record.offset + i64::from(is_last),
            };
            if context.breaks(Mutation::HeartbeatCountsAtOnce) && kind == FrameKind::Heartbeat {
                self.let_it_count(&mut text);
            }
            let events = frame.events.iter().filter_map(|event| {
                let seq = event.seq(header.first).0;
                let value = events::decode(event.value?)?;
                (first..=last).contains(&seq).then_some((seq, event.time, value))
            });
            let timed = text.watermark_ms.is_some();
            let handle =
                Decoded { place: (record.offset, first), last, timed, events: events.collect() };
            if kind == FrameKind::Data {
                let range = SeqRange::new(first, last);
                self.held.insert(handle.place, (text.device.clone(), text.incarnation.0, range));
            }
            if let Some(recorder) = &mut self.recorder {
                recorder.frame(&text);
            }
            if let Err(malformed) = self.progress.frame(&text, Rc::new(handle)) {
                context.fail("reader", malformed.to_string());
            }
            self.drain(context);
            self.emit(context);
            context.tally.held += u64::from(self.held.contains_key(&(record.offset, first)));
        }
        self.check_bounds(context);
    }

    /// Feeds a record of which only the headers can be read.
    fn read_torn(&mut self, context: &mut Context, record: &Record, payload: &[u8]) {
        let schema = SCHEMA_IDS + context.scenario.operators;
        let Ok(frame) = decode_frame(payload, schema, &Type::Long) else { return };
        let torn = Frame {
            kind: FrameKind::Unreadable,
            device: frame.header.device,
            incarnation: frame.header.incarnation,
            previous: None,
            first: frame.header.first.0,
            last: frame.header.last.0,
            watermark_ms: None,
            bytes: payload.len() as u64,
            append_time_ms: record.append_ms,
            offset: record.offset,
            next_offset: record.offset + 1,
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.frame(&torn);
        }
        let nothing = Decoded { place: (-1, 0), last: -1, timed: false, events: Vec::new() };
        // A torn heartbeat names no range: then only the clock and the offset go on.
        let taken = self.progress.frame(&torn, Rc::new(nothing));
        if taken.is_err() == frame.header.kind.has_range() {
            context.fail("reader", format!("{torn:?} is taken: {taken:?}"));
        }
        self.drain(context);
    }

    /// Performs what is to be done; a checkpoint may come between any two actions.
    fn drain(&mut self, context: &mut Context) {
        let at_ms = self.read_ms;
        while let Some(action) = self.progress.next_action() {
            self.perform(context, action, at_ms);
            self.emit(context);
            if self.dice.roll(1_000) < 4 {
                self.checkpoint(context);
            }
        }
    }

    fn perform(&mut self, context: &mut Context, action: Action<Rc<Decoded>>, at_ms: i64) {
        context.tell(|| format!("reader {}: {}", self.partition, brief(&action)));
        match action {
            Action::Pass { device, incarnation, frame, ranges, late_seqs } => {
                self.held.remove(&frame.place);
                let whose = (place(&device), incarnation.0);
                self.job.pass(context, whose, &frame, (&ranges, late_seqs > 0), at_ms);
            }
            Action::Drop { device, incarnation, frame, reason } => {
                context.tally.duplicates += 1;
                self.held.remove(&frame.place);
                if reason == DropReason::Forgotten {
                    let range = SeqRange::new(frame.place.1, frame.last);
                    self.job.forgotten.push((place(&device), incarnation.0, range));
                }
            }
            Action::Gap { device, incarnation, ranges, reason } => {
                for range in ranges {
                    self.job.gaps.push((place(&device), incarnation.0, range, reason));
                }
            }
            Action::Opened { device, incarnation } => {
                if context.breaks(Mutation::CoversClosedHoles) {
                    self.cover_older(&device, incarnation.0);
                }
            }
            Action::FellBack { device, .. } => {
                let seen = self.job.seen(place(&device));
                seen.fallen = true;
                seen.fallbacks += 1;
            }
            Action::Returned { device } => self.job.seen(place(&device)).fallen = false,
            Action::Settled { device, .. } => self.job.seen(place(&device)).settled = true,
            Action::Left { device } => self.job.seen(place(&device)).left = true,
        }
    }

    /// Takes a checkpoint.
    fn checkpoint(&mut self, context: &Context) {
        if self.recorder.is_some() {
            return;
        }
        let mut snapshot = self.progress.snapshot();
        if context.breaks(Mutation::HeldIsCovered) {
            self.cover_held(&mut snapshot);
        }
        self.checkpoints.push((snapshot, self.job.clone()));
        if self.checkpoints.len() > CHECKPOINTS {
            self.checkpoints.remove(0);
        }
    }

    /// Begins again at a checkpoint, the newest or an older one. What the job put out since is taken back.
    pub fn restore(&mut self, context: &mut Context, older: usize) {
        if !self.begun {
            return;
        }
        if let Some(recorder) = &mut self.recorder {
            // A vector begins again where it is, and what it reads again is not told twice.
            recorder.restore();
            return;
        }
        context.tally.restores += 1;
        let at = self.checkpoints.len().saturating_sub(1 + older);
        self.checkpoints.truncate(at + 1);
        let (snapshot, job) = self.checkpoints[at].clone();
        context.tell(|| {
            format!("reader {} begins again at offset {}", self.partition, snapshot.offset)
        });
        self.position = snapshot.offset;
        self.read_ms = snapshot.clock_ms.unwrap_or(i64::MIN);
        self.job = job;
        self.held.clear();
        self.progress = PartitionProgress::restore(limits(context), snapshot);
        self.list_all();
        self.drain(context);
    }
}

fn brief(action: &Action<Rc<Decoded>>) -> String {
    let spans = |ranges: &[SeqRange]| {
        let text: Vec<_> = ranges.iter().map(|r| format!("{}..={}", r.first, r.last)).collect();
        text.join(",")
    };
    match action {
        Action::Pass { device, incarnation, ranges, late_seqs, .. } => {
            let late = if *late_seqs > 0 { " late" } else { "" };
            format!("pass {device}/{} {}{late}", incarnation.0 % (1 << 40), spans(ranges))
        }
        Action::Drop { device, incarnation, frame, reason } => {
            format!("drop {device}/{} of {} {reason:?}", incarnation.0 % (1 << 40), frame.place.0)
        }
        Action::Gap { device, incarnation, ranges, reason } => {
            format!("gap {device}/{} {} {reason:?}", incarnation.0 % (1 << 40), spans(ranges))
        }
        Action::Opened { device, incarnation } => {
            format!("opened {device}/{}", incarnation.0 % (1 << 40))
        }
        other => format!("{other:?}"),
    }
}
