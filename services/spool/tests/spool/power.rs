//! Power loss: what a spool did to its disk is recorded; the disk is rebuilt as it may be after a power cut at every
//! point, with unsynced writes kept, torn or lost; and the spool is opened again. Nothing that it had called durable
//! is missing.

use std::collections::BTreeMap;
use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};
use sluice_spool::{
    AppendError, Full, FullPolicy, HoleKind, Index, Mode, Options, Run, Spool, SpoolHole,
};

use crate::support::{
    MemoryDisk, Op, eventually, read_all, read_around, settle, small, soon, write,
};

/// What the spool had promised when the trace was `at` operations long.
struct Fact {
    at: usize,
    kind: Kind,
}

enum Kind {
    OnDisk(Index),
    /// The cursor was about to be advanced.
    Advancing(Index),
    /// The cursor was persisted.
    Cursor(Index),
    /// Records were about to be dropped, but for those acknowledged.
    Dropping(Drop),
    Dropped(Drop),
    /// A bit was about to change on the medium.
    Rotting,
    Numbered {
        incarnation: i64,
        first: Index,
    },
}

#[derive(Clone)]
struct Drop {
    range: Range<Index>,
    acknowledged: Vec<Range<Index>>,
}

impl Drop {
    fn acknowledges(&self, index: Index) -> bool {
        self.range.contains(&index) && self.acknowledged.iter().any(|part| part.contains(&index))
    }
}

/// The value of each record: lengths and contents vary.
fn value(index: u64) -> Vec<u8> {
    let mixed = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    vec![mixed as u8; mixed as usize % 150]
}

/// A life of a spool, with what was promised.
struct Life {
    options: Options,
    /// Bits change on the medium.
    rots: bool,
    trace: Vec<Op>,
    facts: Vec<Fact>,
}

impl Life {
    /// Several starts with random appends, acknowledgements, drops and numbers, ended by a close or a kill. The
    /// journal is nearly half full at the beginning, so that it is compacted on the way.
    fn new(mode: Mode, rots: bool, rng: &mut TestRng) -> Life {
        let options = Options {
            mode,
            full_policy: FullPolicy::DropOldest,
            max_bytes: 5 << 10,
            memory_bytes: 2 << 10,
            ..small()
        };
        let mut disk = MemoryDisk::default();
        let mut life = Life { options, rots, trace: Vec::new(), facts: Vec::new() };
        let nonce = "n".repeat(256);
        let idle_starts = rng.random_range(105..118);
        let mut unnumbered = None;
        for start in 1..idle_starts + 5 {
            let spool = disk.open(&life.options);
            life.promise_on_disk(&disk, &spool);
            let begun = spool.begin_start(&nonce, 1).expect("a start");
            let first = *unnumbered.get_or_insert(begun);
            if start > idle_starts {
                if rng.random_ratio(2, 3) {
                    spool.number_start(start).expect("a number");
                    life.promise(&disk, Kind::Numbered { incarnation: start, first });
                    unnumbered = None;
                }
                life.work(&disk, &spool, rng);
            }
            match rng.random_range(0..4) {
                0 | 1 => {
                    spool.close().expect("a clean end");
                    life.promise_on_disk(&disk, &spool);
                }
                2 => disk = disk.killed(),
                _ => disk = killed_before_sync(&disk, &spool),
            }
        }
        life.trace = disk.with(|memory| memory.trace.clone());
        life
    }

    fn promise(&mut self, disk: &MemoryDisk, kind: Kind) {
        self.facts.push(Fact { at: disk.with(|memory| memory.trace.len()), kind });
    }

    /// What is acknowledged need not be on the disk.
    fn promise_on_disk(&mut self, disk: &MemoryDisk, spool: &Spool) {
        let on_disk = spool.on_disk();
        if on_disk > spool.cursor() {
            self.promise(disk, Kind::OnDisk(on_disk));
        }
    }

    fn work(&mut self, disk: &MemoryDisk, spool: &Spool, rng: &mut TestRng) {
        for _ in 0..rng.random_range(0..15) {
            spool.set_uplink(rng.random_ratio(2, 3));
            let next = spool.next_index().0;
            let values: Vec<_> = (next..next + rng.random_range(1..12)).map(value).collect();
            match spool.append_batch(&values, 1) {
                Ok(_) => {}
                Err(AppendError::Full(Full::Spool)) => self.make_room(disk, spool, rng),
                Err(error) => panic!("{error}"),
            }
            if rng.random_ratio(1, 2) {
                settle(spool);
                self.promise_on_disk(disk, spool);
            }
            if self.rots && rng.random_ratio(1, 5) {
                self.rot(disk, rng);
                read_around(spool, spool.cursor());
            }
            let most = if rng.random_ratio(1, 2) { spool.durable() } else { spool.cursor() };
            let cursor = Index(rng.random_range(spool.cursor().0..=most.0));
            self.promise(disk, Kind::Advancing(cursor));
            spool.advance_cursor(cursor).expect("a cursor");
            if rng.random_ratio(1, 4) {
                spool.persist_cursor().expect("a journal");
                self.promise(disk, Kind::Cursor(cursor));
            }
        }
    }

    fn make_room(&mut self, disk: &MemoryDisk, spool: &Spool, rng: &mut TestRng) {
        settle(spool);
        let Some(to) = spool.wants_drop() else { return };
        let cursor = spool.cursor();
        // What is a hole already gets no acknowledgement any more.
        let sent = spool.holes().last().map_or(cursor, |hole| hole.end).min(to);
        let acknowledged = (0..rng.random_range(0..5)).map(|_| {
            let first = Index(rng.random_range(sent.0..=to.0));
            first..first.plus(rng.random_range(0..5))
        });
        let dropped = Drop { range: cursor..to, acknowledged: acknowledged.collect() };
        self.promise(disk, Kind::Dropping(dropped.clone()));
        spool.drop_oldest(to, &dropped.acknowledged).expect("a drop");
        self.promise(disk, Kind::Dropped(dropped));
        assert!(spool.wait_for_room(0, soon()).expect("a working spool"));
    }

    /// Changes a bit of a segment.
    fn rot(&mut self, disk: &MemoryDisk, rng: &mut TestRng) {
        self.promise(disk, Kind::Rotting);
        disk.with(|memory| {
            let segments = memory.names.iter().filter(|(name, _)| name.ends_with(".seg"));
            let files = segments.map(|(_, file)| *file);
            let files: Vec<_> = files.filter(|file| !memory.files[*file].is_empty()).collect();
            if !files.is_empty() {
                let file = files[rng.random_range(0..files.len())];
                let offset = rng.random_range(0..memory.files[file].len());
                memory.rot(file, offset, 1 << rng.random_range(0..8));
            }
        });
    }

    fn facts(&self, at: usize) -> impl Iterator<Item = &Kind> {
        self.facts.iter().filter(move |fact| fact.at <= at).map(|fact| &fact.kind)
    }

    /// The highest index of a kind of fact that held when the trace was `at` operations long.
    fn highest(&self, at: usize, index: impl Fn(&Kind) -> Option<Index>) -> Index {
        self.facts(at).filter_map(index).max().unwrap_or_default()
    }

    /// Opens what a power cut after `at` operations left, and checks every promise.
    fn check(&self, at: usize, disk: &MemoryDisk) {
        let spool = Spool::open_on(Box::new(disk.clone()), &self.options)
            .unwrap_or_else(|error| panic!("at {at}: {error}"));
        let on_disk =
            self.highest(at, |kind| if let Kind::OnDisk(to) = kind { Some(*to) } else { None });
        let advanced =
            self.highest(at, |kind| if let Kind::Advancing(to) = kind { Some(*to) } else { None });
        let persisted =
            self.highest(at, |kind| if let Kind::Cursor(to) = kind { Some(*to) } else { None });
        let (cursor, next) = (spool.cursor(), spool.next_index());
        // A rotten last block looks like a torn tail.
        let rotten = self.facts(at).any(|kind| matches!(kind, Kind::Rotting));
        assert!(on_disk <= next || rotten, "at {at}: {on_disk} were on the disk, {next} are left");
        assert!(
            persisted <= cursor && cursor <= advanced,
            "at {at}: {persisted}, {cursor}, {advanced}"
        );
        let records = read_around(&spool, cursor);
        let holes = spool.holes();
        let is_hole = |at| holes.iter().any(|hole| (hole.first..hole.end).contains(&Index(at)));
        let outside = (cursor.0..next.0).filter(|index| !is_hole(*index));
        let expected: Vec<_> = outside.map(|index| (Index(index), value(index))).collect();
        assert_eq!(records, expected, "at {at}");
        self.check_holes(at, cursor, &holes);
        self.check_runs(at, &spool.runs());

        assert_eq!(spool.begin_start("after", 2).expect("a start"), next);
        spool.advance_cursor(next).expect("a cursor");
        assert_eq!(spool.holes(), []);
        assert!(spool.wait_for_room(5, soon()).expect("a working spool"));
        assert_eq!(spool.append(b"after", 1).expect("room"), next);
        settle(&spool);
        assert_eq!(read_all(&spool, next, 1), [(b"after".to_vec(), 1)]);
    }

    /// What was dropped is a hole, nothing else is, but for damage; and no gap covers what was acknowledged.
    fn check_holes(&self, at: usize, cursor: Index, holes: &[SpoolHole]) {
        let dropping = || {
            self.facts(at).filter_map(|kind| match kind {
                Kind::Dropping(drop) => Some(drop),
                _ => None,
            })
        };
        let dropped = || {
            self.facts(at).filter_map(|kind| match kind {
                Kind::Dropped(drop) => Some(drop),
                _ => None,
            })
        };
        let rotten = self.facts(at).any(|kind| matches!(kind, Kind::Rotting));
        for hole in holes {
            assert!(cursor <= hole.first && hole.first < hole.end, "at {at}: {hole:?}");
            for index in (hole.first.0..hole.end.0).map(Index) {
                let right = match &hole.kind {
                    HoleKind::Acknowledged => dropping().any(|drop| drop.acknowledges(index)),
                    HoleKind::Gap(reason) if reason.starts_with("dropped") => {
                        dropping().any(|drop| drop.range.contains(&index))
                            && !dropped().any(|drop| drop.acknowledges(index))
                    }
                    HoleKind::Gap(_) => rotten && !dropped().any(|drop| drop.acknowledges(index)),
                };
                assert!(right, "at {at}: {index} in {hole:?}");
            }
        }
        let to = dropped().map(|drop| drop.range.end).max().unwrap_or_default();
        for index in (cursor.0..to.0).map(Index) {
            let hole = holes.iter().any(|hole| (hole.first..hole.end).contains(&index));
            assert!(hole, "at {at}: {index} was dropped");
        }
    }

    fn check_runs(&self, at: usize, runs: &[Run]) {
        let numbered = self.facts(at).filter_map(|kind| match kind {
            Kind::Numbered { incarnation, first } => Some((*incarnation, *first)),
            _ => None,
        });
        let mut newest = None;
        for (incarnation, first) in numbered {
            newest = newest.max(Some(incarnation));
            if let Some(run) = runs.iter().find(|run| run.incarnation == Some(incarnation)) {
                assert_eq!(run.first, first, "at {at}");
            }
        }
        let kept = runs.iter().filter_map(|run| run.incarnation).max();
        assert!(kept >= newest, "at {at}: {runs:?}");
    }
}

/// The disk as a process leaves it that is killed between a write and its sync.
fn killed_before_sync(disk: &MemoryDisk, spool: &Spool) -> MemoryDisk {
    spool.set_uplink(false);
    settle(spool);
    eventually("all on the disk", || spool.on_disk() == spool.next_index());
    disk.with(|memory| memory.hold_syncs = true);
    let next = spool.next_index().0;
    if spool.append_batch(&[value(next), value(next + 1)], 1).is_ok() {
        let wrote = || disk.with(|memory| matches!(memory.trace.last(), Some(Op::Write { .. })));
        eventually("the syncer writes", wrote);
    }
    let killed = disk.killed();
    disk.with(|memory| memory.hold_syncs = false);
    killed
}

/// A file as it may be: the writes since its last sync are each kept, torn or lost.
fn survivor(ops: &[&Op], rng: &mut TestRng) -> Vec<u8> {
    let synced = ops.iter().rposition(|op| matches!(op, Op::Sync { .. })).map_or(0, |at| at + 1);
    let mut content = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        let fate = if at < synced { 0 } else { rng.random_range(0..4) };
        match op {
            Op::Write { offset, bytes, .. } if fate <= 1 => write(&mut content, *offset, bytes),
            Op::Write { offset, bytes, .. } if fate == 2 => {
                let kept = rng.random_range(0..=bytes.len());
                write(&mut content, *offset, &bytes[..kept]);
            }
            Op::Truncate { bytes, .. } if fate <= 1 => content.resize(*bytes, 0),
            Op::Rot { offset, bits, .. } => {
                content.get_mut(*offset).into_iter().for_each(|byte| *byte ^= bits);
            }
            _ => {}
        }
    }
    content
}

/// The disk as it may be after a power cut behind these operations.
fn after_power_cut(trace: &[Op], rng: &mut TestRng) -> MemoryDisk {
    let synced = trace.iter().rposition(|op| matches!(op, Op::SyncNames)).map_or(0, |at| at + 1);
    let kept = rng.random_range(synced..=trace.len());
    let mut names = BTreeMap::new();
    for op in &trace[..kept] {
        match op {
            Op::Create { name, file } => {
                names.insert(name.clone(), *file);
            }
            Op::Rename { from, to } => {
                let file = names.remove(from).expect("a file to rename");
                names.insert(to.clone(), file);
            }
            Op::Remove { name } => {
                names.remove(name);
            }
            _ => {}
        }
    }
    let mut files: Vec<Vec<&Op>> = Vec::new();
    for op in trace {
        match op {
            Op::Create { .. } => files.push(Vec::new()),
            Op::Write { file, .. }
            | Op::Truncate { file, .. }
            | Op::Sync { file }
            | Op::Rot { file, .. } => files[*file].push(op),
            _ => {}
        }
    }
    MemoryDisk::new(names, files.iter().map(|ops| survivor(ops, rng)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_power_cut_at_any_point_loses_nothing_durable(
        seed in any::<[u8; 32]>(),
        mode in prop::sample::select(vec![Mode::Disk, Mode::Disk, Mode::Spill]),
        rots in any::<bool>(),
    ) {
        let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let life = Life::new(mode, rots, &mut rng);
        for at in life.trace.len().saturating_sub(400)..=life.trace.len() {
            for _ in 0..2 {
                life.check(at, &after_power_cut(&life.trace[..at], &mut rng));
            }
        }
    }
}
