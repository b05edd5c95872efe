//! Power loss: what a spool did to its disk is recorded; the disk is rebuilt as it may be after a power cut at every
//! point, with unsynced writes kept, torn or lost; and the spool is opened again. Nothing that it had called durable
//! is missing.

use std::collections::BTreeMap;
use std::thread;
use std::time::Instant;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng};
use sluice_spool::{AppendError, Full, Index, Spool};

use crate::support::{MemoryDisk, Op, read_all, settle, small, soon, write};

/// What the spool had promised when the trace was `at` operations long.
struct Fact {
    at: usize,
    kind: Kind,
}

enum Kind {
    Durable(Index),
    /// The cursor was about to be advanced.
    Advancing(Index),
    /// The cursor was persisted.
    Cursor(Index),
    Numbered {
        incarnation: i64,
        first: Index,
    },
}

/// The value of each record: lengths and contents vary.
fn value(index: u64) -> Vec<u8> {
    let mixed = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    vec![mixed as u8; mixed as usize % 150]
}

/// A life of a spool, with what was promised.
#[derive(Default)]
struct Life {
    trace: Vec<Op>,
    facts: Vec<Fact>,
}

impl Life {
    /// Several starts with random appends, acknowledgements and numbers, ended by a close or a kill. The journal is
    /// nearly half full at the beginning, so that it is compacted on the way.
    fn new(rng: &mut TestRng) -> Life {
        let mut disk = MemoryDisk::default();
        let mut life = Life::default();
        let nonce = "n".repeat(256);
        let idle_starts = rng.random_range(110..118);
        let mut unnumbered = None;
        for start in 1..idle_starts + 5 {
            let spool = disk.open(&small());
            life.promise(&disk, Kind::Durable(spool.durable()));
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
            if rng.random_ratio(1, 2) {
                spool.close().expect("a clean end");
                life.promise(&disk, Kind::Durable(spool.durable()));
            } else {
                disk = killed_before_sync(&disk, &spool);
            }
        }
        life.trace = disk.with(|memory| memory.trace.clone());
        life
    }

    fn promise(&mut self, disk: &MemoryDisk, kind: Kind) {
        self.facts.push(Fact { at: disk.with(|memory| memory.trace.len()), kind });
    }

    fn work(&mut self, disk: &MemoryDisk, spool: &Spool, rng: &mut TestRng) {
        for _ in 0..rng.random_range(0..15) {
            let next = spool.next_index().0;
            let values: Vec<_> = (next..next + rng.random_range(1..12)).map(value).collect();
            if let Err(error) = spool.append_batch(&values, 1) {
                assert!(matches!(error, AppendError::Full(Full::Spool)), "{error}");
            }
            if rng.random_ratio(1, 2) {
                settle(spool);
                self.promise(disk, Kind::Durable(spool.durable()));
            }
            let cursor = Index(rng.random_range(spool.cursor().0..=spool.durable().0));
            self.promise(disk, Kind::Advancing(cursor));
            spool.advance_cursor(cursor).expect("a cursor");
            if rng.random_ratio(1, 4) {
                spool.persist_cursor().expect("a journal");
                self.promise(disk, Kind::Cursor(cursor));
            }
        }
    }

    /// The highest index of a kind of fact that held when the trace was `at` operations long.
    fn highest(&self, at: usize, index: impl Fn(&Kind) -> Option<Index>) -> Index {
        let facts = self.facts.iter().filter(|fact| fact.at <= at);
        facts.filter_map(|fact| index(&fact.kind)).max().unwrap_or_default()
    }

    /// Opens what a power cut after `at` operations left, and checks every promise.
    fn check(&self, at: usize, disk: &MemoryDisk) {
        let spool = Spool::open_on(Box::new(disk.clone()), &small())
            .unwrap_or_else(|error| panic!("at {at}: {error}"));
        let durable =
            self.highest(at, |kind| if let Kind::Durable(to) = kind { Some(*to) } else { None });
        let advanced =
            self.highest(at, |kind| if let Kind::Advancing(to) = kind { Some(*to) } else { None });
        let persisted =
            self.highest(at, |kind| if let Kind::Cursor(to) = kind { Some(*to) } else { None });
        let (cursor, next) = (spool.cursor(), spool.next_index());
        assert!(durable <= next, "at {at}: {durable} were durable, {next} are left");
        assert!(
            persisted <= cursor && cursor <= advanced,
            "at {at}: {persisted}, {cursor}, {advanced}"
        );
        let records: Vec<_> =
            read_all(&spool, cursor, 10).into_iter().map(|(value, _)| value).collect();
        assert_eq!(records, (cursor.0..next.0).map(value).collect::<Vec<_>>(), "at {at}");

        let runs = spool.runs();
        for fact in self.facts.iter().filter(|fact| fact.at <= at) {
            if let Kind::Numbered { incarnation, first } = fact.kind
                && let Some(run) = runs.iter().find(|run| run.incarnation == Some(incarnation))
            {
                assert_eq!(run.first, first, "at {at}");
            }
        }
        let numbered =
            self.facts.iter().filter(|fact| fact.at <= at).filter_map(|fact| match fact.kind {
                Kind::Numbered { incarnation, .. } => Some(incarnation),
                _ => None,
            });
        assert!(
            runs.iter().filter_map(|run| run.incarnation).max() >= numbered.max(),
            "at {at}: {runs:?}"
        );

        assert_eq!(spool.begin_start("after", 2).expect("a start"), next);
        spool.advance_cursor(next).expect("a cursor");
        assert!(spool.wait_for_room(5, soon()).expect("a working spool"));
        assert_eq!(spool.append(b"after", 1).expect("room"), next);
        settle(&spool);
        assert_eq!(read_all(&spool, next, 1), [(b"after".to_vec(), 1)]);
    }
}

/// The disk as a process leaves it that is killed between a write and its sync.
fn killed_before_sync(disk: &MemoryDisk, spool: &Spool) -> MemoryDisk {
    disk.with(|memory| memory.hold_syncs = true);
    let next = spool.next_index().0;
    if spool.append_batch(&[value(next), value(next + 1)], 1).is_ok() {
        let deadline = soon();
        while !disk.with(|memory| matches!(memory.trace.last(), Some(Op::Write { .. }))) {
            assert!(Instant::now() < deadline, "the syncer does not write");
            thread::yield_now();
        }
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
            Op::Write { file, .. } | Op::Truncate { file, .. } | Op::Sync { file } => {
                files[*file].push(op)
            }
            _ => {}
        }
    }
    MemoryDisk::new(names, files.iter().map(|ops| survivor(ops, rng)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_power_cut_at_any_point_loses_nothing_durable(seed in any::<[u8; 32]>()) {
        let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let life = Life::new(&mut rng);
        for at in life.trace.len().saturating_sub(400)..=life.trace.len() {
            for _ in 0..2 {
                life.check(at, &after_power_cut(&life.trace[..at], &mut rng));
            }
        }
    }
}
