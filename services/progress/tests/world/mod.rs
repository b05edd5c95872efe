//! Random devices: events in incarnations, cut into frames that are delayed, repeated, cut again and lost.

use sluice_model::{DeviceId, Incarnation};
use sluice_progress::{Frame, FrameKind, Previous};

/// Out-of-orderness bound of the assigner.
const BOUND_MS: i64 = 20;

/// A small deterministic generator (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number in `0..sides`.
    pub fn roll(&mut self, sides: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::try_from((z ^ (z >> 31)) % sides.unsigned_abs()).expect("below an i64")
    }

    pub fn chance(&mut self, percent: i64) -> bool {
        self.roll(100) < percent
    }
}

/// What may happen to frames, in percent.
#[derive(Clone, Copy)]
pub struct Trouble {
    pub lost: i64,
    pub repeated: i64,
    pub forget_previous: i64,
    pub long_delay: i64,
}

/// One run of a device: the event time of each seq; none where the event never got to the assigner.
pub struct Run {
    pub number: i64,
    pub previous: Option<Previous>,
    pub times: Vec<Option<i64>>,
}

pub struct Device {
    pub id: DeviceId,
    pub runs: Vec<Run>,
}

impl Device {
    /// The watermark of an unsplit assigner after every event up to seq `last` of run `number`.
    pub fn assigner(&self, number: i64, last: i64) -> Option<i64> {
        let before =
            self.runs.iter().filter(|run| run.number < number).flat_map(|run| run.times.iter());
        let within = self.runs.iter().filter(|run| run.number == number);
        let within =
            within.flat_map(|run| run.times.iter().take(usize::try_from(last + 1).unwrap_or(0)));
        before.chain(within).flatten().max().map(|time| time - BOUND_MS - 1)
    }
}

/// A few devices, and what arrives of them in one partition, in order.
pub fn build(dice: &mut Dice, trouble: Trouble) -> (Vec<Device>, Vec<Frame>) {
    let devices: Vec<Device> =
        (0..=dice.roll(3)).map(|place| device(dice, place, trouble)).collect();
    let mut sent = Vec::new();
    for device in &devices {
        send(dice, device, trouble, &mut sent);
    }
    sent.sort_by_key(|(arrives_ms, _)| *arrives_ms);
    let mut frames = Vec::new();
    for (offset, (arrives_ms, frame)) in (0..).zip(sent) {
        frames.push(Frame { append_time_ms: arrives_ms, offset, next_offset: offset + 1, ..frame });
    }
    (devices, frames)
}

fn device(dice: &mut Dice, place: i64, trouble: Trouble) -> Device {
    let mut runs: Vec<Run> = Vec::new();
    let mut now_ms = 1_000;
    for number in 0..=dice.roll(4) {
        let events = if dice.chance(15) { 0 } else { 1 + dice.roll(60) };
        let mut time = || {
            now_ms += 3;
            (!dice.chance(10)).then(|| now_ms - dice.roll(BOUND_MS))
        };
        let times: Vec<Option<i64>> = (0..events).map(|_| time()).collect();
        let newest = runs.iter().rev().find(|run| !run.times.is_empty());
        let previous = newest.map(|run| Previous {
            incarnation: Incarnation(run.number),
            end: i64::try_from(run.times.len()).expect("few events") - 1,
        });
        let previous = previous.filter(|_| !dice.chance(trouble.forget_previous));
        runs.push(Run { number, previous, times });
    }
    Device { id: DeviceId::new(format!("d{place}")).expect("a name"), runs }
}

fn send(dice: &mut Dice, device: &Device, trouble: Trouble, sent: &mut Vec<(i64, Frame)>) {
    let mut now_ms = 10_000;
    for run in &device.runs {
        let end = i64::try_from(run.times.len()).expect("few events") - 1;
        let mut replay = false;
        loop {
            let mut first = if replay { dice.roll(end + 2) } else { 0 };
            while first <= end {
                let last = (first + dice.roll(12)).min(end);
                let times = &run.times[usize::try_from(first).expect("a seq")
                    ..=usize::try_from(last).expect("a seq")];
                let watermark_ms = times.iter().flatten().max().map(|time| time - BOUND_MS - 1);
                let frame = frame(device, run, FrameKind::Data, first, last, watermark_ms);
                let delay =
                    if dice.chance(trouble.long_delay) { dice.roll(3_000) } else { dice.roll(40) };
                if !dice.chance(trouble.lost) {
                    sent.push((now_ms + delay, frame.clone()));
                }
                if dice.chance(trouble.repeated) {
                    sent.push((now_ms + delay + dice.roll(500), frame));
                }
                now_ms += dice.roll(20);
                first = last + 1;
            }
            replay = dice.chance(trouble.repeated);
            if !replay {
                break;
            }
        }
        let promised = device.assigner(run.number, end).filter(|_| end >= 0);
        let heartbeat = frame(device, run, FrameKind::Heartbeat, end + 1, end, promised);
        sent.push((now_ms + dice.roll(40), heartbeat));
    }
}

fn frame(
    device: &Device,
    run: &Run,
    kind: FrameKind,
    first: i64,
    last: i64,
    watermark_ms: Option<i64>,
) -> Frame {
    Frame {
        kind,
        device: device.id.clone(),
        incarnation: Incarnation(run.number),
        previous: run.previous,
        first,
        last,
        watermark_ms,
        bytes: 10,
        append_time_ms: 0,
        offset: 0,
        next_offset: 0,
    }
}
