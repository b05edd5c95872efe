//! The laws of the reader over random worlds, against the plainest model: lists and sets of seqs.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sluice_model::Order;
use sluice_progress::{
    Action, Frame, FrameKind, Limits, OnLostHole, PartitionProgress, PartitionSnapshot,
};
use world::{Device, Dice, Trouble};

mod world;

/// (device, incarnation, seq) in the order of passing: what the residual job has taken in.
type Taken = Vec<(String, i64, i64)>;

const CALM: Trouble = Trouble { lost: 0, repeated: 20, forget_previous: 0, long_delay: 10 };
const STORM: Trouble = Trouble { lost: 10, repeated: 30, forget_previous: 20, long_delay: 20 };

struct Reader {
    limits: Limits,
    progress: PartitionProgress<()>,
    taken: Taken,
    given_up: BTreeSet<(String, i64, i64)>,
    watermark_ms: Option<i64>,
    exceptions: usize,
}

impl Reader {
    fn new(limits: Limits) -> Self {
        let progress = PartitionProgress::new(limits.clone(), 0, false);
        Self {
            limits,
            progress,
            taken: Vec::new(),
            given_up: BTreeSet::new(),
            watermark_ms: None,
            exceptions: 0,
        }
    }

    /// Performs one action; false if there is none.
    fn act(&mut self) -> bool {
        let Some(action) = self.progress.next_action() else { return false };
        match action {
            Action::Pass { device, incarnation, ranges, late_seqs, .. } => {
                self.exceptions += usize::from(late_seqs > 0);
                for seq in ranges.iter().flat_map(|range| range.first..=range.last) {
                    self.taken.push((device.to_string(), incarnation.0, seq));
                }
            }
            Action::Gap { device, incarnation, ranges, .. } => {
                for seq in ranges.iter().flat_map(|range| range.first..=range.last) {
                    self.given_up.insert((device.to_string(), incarnation.0, seq));
                }
            }
            Action::FellBack { .. } => self.exceptions += 1,
            _ => {}
        }
        true
    }

    /// The watermark never falls, is at most that of each active device, and none passes its assigner.
    fn check_time(&mut self, devices: &[Device], calm: bool) {
        let before = self.watermark_ms;
        let now = self.progress.advance_watermark();
        assert!(now >= before, "fell from {before:?} to {now:?}");
        for metrics in self.progress.metrics() {
            if metrics.active && now > before {
                assert!(now <= metrics.watermark_ms, "emitted {now:?} above {metrics:?}");
            }
            let device =
                devices.iter().find(|device| device.id == metrics.device).expect("a device");
            if calm && let Some(open) = metrics.incarnation {
                let unsplit = device.assigner(open.0, metrics.frontier);
                assert!(metrics.watermark_ms <= unsplit, "{metrics:?} passes {unsplit:?}");
            }
        }
        self.watermark_ms = now;
    }

    fn save(&self) -> (PartitionSnapshot, Taken) {
        (self.progress.snapshot(), self.taken.clone())
    }

    fn restore(&mut self, (snapshot, taken): (PartitionSnapshot, Taken)) {
        self.watermark_ms = snapshot.watermark_ms;
        self.progress = PartitionProgress::restore(self.limits.clone(), snapshot);
        self.taken = taken;
    }
}

/// Reads the partition to its end, with snapshots between actions and restores.
fn read(seed: u64, trouble: Trouble, limits: Limits, tick_ms: i64) -> (Vec<Device>, Reader) {
    let mut dice = Dice::new(seed);
    let (devices, frames) = world::build(&mut dice, trouble);
    read_frames(dice, devices, &frames, trouble, Reader::new(limits), tick_ms)
}

fn read_frames(
    mut dice: Dice,
    devices: Vec<Device>,
    frames: &[Frame],
    trouble: Trouble,
    mut reader: Reader,
    tick_ms: i64,
) -> (Vec<Device>, Reader) {
    let start = frames.first().map_or(0, |frame| frame.offset);
    let (mut saved, mut position, mut restores) = (reader.save(), 0, 0);
    while position < frames.len() {
        let frame = &frames[position];
        position += 1;
        reader.progress.frame(frame, ()).expect("a sane frame");
        reader.progress.tick(frame.append_time_ms, false);
        while reader.act() {
            reader.check_time(&devices, trouble.lost == 0);
            if dice.chance(5) {
                saved = reader.save();
            }
        }
        reader.check_time(&devices, trouble.lost == 0);
        if restores < 5 && dice.chance(3) {
            restores += 1;
            position = usize::try_from(saved.0.offset - start).expect("an offset");
            reader.restore(saved.clone());
        }
    }
    let mut now_ms = 20_000;
    for _ in 0..20 {
        now_ms += tick_ms;
        reader.progress.tick(now_ms, true);
        while reader.act() {
            reader.check_time(&devices, trouble.lost == 0);
        }
        reader.check_time(&devices, trouble.lost == 0);
    }
    (devices, reader)
}

fn assert_each_once(taken: &Taken) {
    let distinct: BTreeSet<_> = taken.iter().collect();
    assert_eq!(distinct.len(), taken.len(), "passed twice");
}

fn by_device(taken: &Taken) -> BTreeMap<&str, Vec<(i64, i64)>> {
    let mut devices: BTreeMap<&str, Vec<(i64, i64)>> = BTreeMap::new();
    for (device, incarnation, seq) in taken {
        devices.entry(device).or_default().push((*incarnation, *seq));
    }
    devices
}

fn assert_ascending(taken: &Taken) {
    for (device, seqs) in by_device(taken) {
        assert!(seqs.is_sorted(), "{device} out of order: {seqs:?}");
    }
}

fn everything(devices: &[Device]) -> Vec<(String, i64, i64)> {
    let mut all = Vec::new();
    for device in devices {
        for run in &device.runs {
            all.extend((0..run.times.len()).map(|seq| {
                (device.id.to_string(), run.number, i64::try_from(seq).expect("small"))
            }));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn without_loss_all_is_passed_once_in_source_order(seed in any::<u64>()) {
        let (devices, reader) = read(seed, CALM, Limits::default(), 1);
        assert_each_once(&reader.taken);
        assert_ascending(&reader.taken);
        let taken: BTreeSet<_> = reader.taken.iter().cloned().collect();
        prop_assert_eq!(taken, everything(&devices).into_iter().collect::<BTreeSet<_>>());
        prop_assert_eq!(reader.progress.held_bytes(), 0);
        prop_assert_eq!(reader.exceptions, 0);
        for (device, metrics) in devices.iter().zip(reader.progress.metrics().collect::<Vec<_>>()) {
            let device = devices.iter().find(|d| d.id == metrics.device).unwrap_or(device);
            let last = device.runs.last().expect("a run");
            let unsplit = device.assigner(last.number, i64::MAX - 1);
            prop_assert_eq!(metrics.watermark_ms, unsplit);
        }
    }

    #[test]
    fn with_loss_nothing_is_passed_twice_and_nothing_is_held_for_ever(seed in any::<u64>()) {
        let (_, reader) = read(seed, STORM, Limits::default(), 60_000);
        assert_each_once(&reader.taken);
        prop_assert_eq!(reader.progress.held_bytes(), 0);
        prop_assert!(reader.progress.is_idle());
        if reader.exceptions == 0 {
            assert_ascending(&reader.taken);
        }
    }

    #[test]
    fn declared_gaps_keep_the_order(seed in any::<u64>()) {
        let limits = Limits { on_lost_hole: OnLostHole::DeclareGap, ..Limits::default() };
        let (_, reader) = read(seed, STORM, limits, 60_000);
        assert_each_once(&reader.taken);
        if reader.exceptions == 0 {
            assert_ascending(&reader.taken);
        }
        prop_assert_eq!(reader.progress.held_bytes(), 0);
        prop_assert!(reader.progress.metrics().all(|metrics| metrics.missing == 0));
        prop_assert!(reader.taken.iter().all(|seq| !reader.given_up.contains(seq)));
    }

    #[test]
    fn a_small_held_bytes_bound_is_kept(seed in any::<u64>()) {
        let limits = Limits { held_bytes: 100, ..Limits::default() };
        let (devices, reader) = read(seed, CALM, limits, 1);
        assert_each_once(&reader.taken);
        prop_assert_eq!(reader.taken.len(), everything(&devices).len());
        prop_assert!(reader.progress.held_bytes() <= 100);
    }

    #[test]
    fn event_time_order_passes_at_once_and_time_follows_the_frontier(seed in any::<u64>()) {
        let limits = Limits { order: Order::EventTime, held_bytes: 0, ..Limits::default() };
        let (devices, reader) = read(seed, CALM, limits, 1);
        assert_each_once(&reader.taken);
        prop_assert_eq!(reader.taken.len(), everything(&devices).len());
        prop_assert_eq!(reader.exceptions, 0);
        prop_assert!(reader.progress.metrics().all(|metrics| metrics.missing == 0));
    }

    #[test]
    fn behind_a_trimmed_prefix_everything_read_is_passed_once(seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let (devices, mut frames) = world::build(&mut dice, CALM);
        let frames = frames.split_off(frames.len() / 3);
        prop_assume!(!frames.is_empty());
        let mut reader = Reader::new(Limits::default());
        reader.progress = PartitionProgress::new(Limits::default(), frames[0].offset, true);
        let calm_no_more = Trouble { lost: 1, ..CALM };
        let (_, reader) = read_frames(dice, devices, &frames, calm_no_more, reader, 60_000);
        assert_each_once(&reader.taken);
        let read: BTreeSet<_> = frames.iter().filter(|frame| frame.kind == FrameKind::Data).flat_map(|frame| {
            (frame.first..=frame.last).map(|seq| (frame.device.to_string(), frame.incarnation.0, seq))
        }).collect();
        prop_assert_eq!(reader.taken.iter().cloned().collect::<BTreeSet<_>>(), read);
        prop_assert_eq!(reader.progress.held_bytes(), 0);
    }

    #[test]
    fn few_intervals_are_kept(seed in any::<u64>()) {
        let limits = Limits { held_bytes: 0, max_intervals: 3, max_closed: 1, ..Limits::default() };
        let (_, reader) = read(seed, STORM, limits, 1);
        assert_each_once(&reader.taken);
        for device in reader.progress.snapshot().devices {
            prop_assert!(device.incarnations.iter().all(|incarnation| incarnation.intervals.len() <= 3));
            // The open one, one closed, and one that the next frame makes forgotten.
            prop_assert!(device.incarnations.len() <= 3);
        }
    }
}
