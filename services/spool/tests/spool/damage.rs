//! Torn tails are cut off; other records that are unreadable or missing become holes that name their place; only a
//! damaged journal is an error.

use proptest::prelude::*;
use sluice_spool::{HoleKind, Index, Options, Spool, SpoolError, SpoolHole};

use crate::support::{MemoryDisk, read_all, read_around, settle, small};

const FIRST_SEGMENT: &str = "00000000000000000000.seg";

fn append(spool: &Spool, records: u8) {
    for n in 0..records {
        spool.append(&[n; 20], i64::from(n)).expect("room");
        settle(spool);
    }
}

/// A disk as a killed process leaves it, with each record in a block of its own.
fn killed_with(records: u8) -> MemoryDisk {
    let disk = MemoryDisk::default();
    let spool = disk.open(&small());
    spool.begin_start("n", 1).expect("a start");
    append(&spool, records);
    disk.killed()
}

fn open_error(disk: &MemoryDisk) -> SpoolError {
    Spool::open_on(Box::new(disk.clone()), &small()).err().expect("damage")
}

fn hole(first: u64, end: u64, reason: &str) -> SpoolHole {
    SpoolHole { first: Index(first), end: Index(end), kind: HoleKind::Gap(reason.to_owned()) }
}

/// The holes that reading everything finds, after checking that all the rest is there, and that they outlive the
/// process, which counts damage once.
fn holes_of(disk: &MemoryDisk, records: u8) -> Vec<SpoolHole> {
    let options = Options { recent_bytes: 0, ..small() };
    let spool = disk.open(&options);
    assert_eq!(spool.next_index(), Index(u64::from(records)));
    let read = read_around(&spool, Index(0));
    let holes = spool.holes();
    let is_lost = |at: u64| holes.iter().any(|hole| (hole.first..hole.end).contains(&Index(at)));
    let left: Vec<_> = (0..records).filter(|at| !is_lost(u64::from(*at))).collect();
    assert_eq!(
        read,
        left.iter().map(|at| (Index(u64::from(*at)), vec![*at; 20])).collect::<Vec<_>>()
    );
    assert_eq!(spool.damaged_blocks(), holes.len() as u64);
    let copies = disk.with(|memory| memory.names.keys().filter(|name| name.contains('/')).count());
    assert!(copies <= holes.len());

    let spool = disk.killed().open(&options);
    assert_eq!(spool.holes(), holes);
    assert_eq!(read_around(&spool, Index(0)), read);
    assert_eq!(spool.holes(), holes);
    let next = spool.begin_start("m", 2).expect("a start");
    append(&spool, 1);
    assert_eq!(read_all(&spool, next, 1), [(vec![0; 20], 0)]);
    spool.advance_cursor(next).expect("a cursor");
    assert_eq!(spool.holes(), []);
    holes
}

fn assert_damaged(error: &SpoolError, name: &str, at: u64) {
    let SpoolError::Damaged { file, offset, .. } = error else { panic!("{error}") };
    assert_eq!((file.as_str(), *offset), (name, at), "{error}");
}

#[test]
fn a_tail_torn_at_any_byte_is_cut_off() {
    let whole = killed_with(3).edit(FIRST_SEGMENT, |bytes| bytes.clone());
    let block = whole.len() / 3;
    for keep in 2 * block..whole.len() {
        for tail in [0, 1, 500] {
            let disk = killed_with(0);
            let mut torn = whole[..keep].to_vec();
            torn.resize(keep + tail, 0);
            if torn.starts_with(&whole) {
                continue;
            }
            // A segment without a record of its own is named, not created, by `killed_with(0)`.
            disk.with(|memory| {
                memory.names.insert(FIRST_SEGMENT.to_owned(), memory.files.len());
                memory.files.push(torn);
            });
            let spool = disk.open(&small());
            assert_eq!(spool.next_index(), Index(2));
            assert_eq!(spool.torn_bytes() as usize, keep + tail - 2 * block);
            assert_eq!(read_all(&spool, Index(0), 5), [(vec![0; 20], 0), (vec![1; 20], 1)]);
            spool.begin_start("m", 2).expect("a start");
            append(&spool, 1);
            assert_eq!(read_all(&spool, Index(2), 5), [(vec![0; 20], 0)]);
            drop(spool);
            assert_eq!(disk.open(&small()).next_index(), Index(3));
        }
    }
}

#[test]
fn garbage_behind_the_last_record_is_cut_off() {
    for garbage in [vec![0xFF; 1], vec![0; 4096], b"SLB1".repeat(3 << 18)] {
        let disk = killed_with(3);
        let whole = disk.edit(FIRST_SEGMENT, |bytes| {
            bytes.extend(&garbage);
            bytes.len() - garbage.len()
        });
        let spool = disk.open(&small());
        assert_eq!((spool.next_index(), spool.torn_bytes()), (Index(3), garbage.len() as u64));
        assert_eq!(
            (disk.edit(FIRST_SEGMENT, |bytes| bytes.len()), spool.bytes()),
            (whole, whole as u64)
        );
    }
}

#[test]
fn a_changed_bit_before_a_later_group_is_a_hole_of_its_block() {
    let clean = killed_with(4);
    let block = clean.edit(FIRST_SEGMENT, |bytes| bytes.len()) / 4;
    for at in block..2 * block {
        let disk = clean.killed();
        disk.edit(FIRST_SEGMENT, |bytes| bytes[at] ^= 1);
        let reason = format!("damaged: {FIRST_SEGMENT} at byte {block}");
        assert_eq!(holes_of(&disk, 4), [hole(1, 2, &reason)], "at {at}");
        let copy = format!("quarantine/{FIRST_SEGMENT}-{block}.bad");
        let bad = disk.edit(FIRST_SEGMENT, |bytes| bytes[block..2 * block].to_vec());
        assert_eq!(disk.edit(&copy, |bytes| bytes.clone()), bad);
    }
}

#[test]
fn records_that_were_durable_at_the_end_of_the_last_process_must_be_there() {
    let disk = MemoryDisk::default();
    let spool = disk.open(&small());
    spool.begin_start("n", 1).expect("a start");
    append(&spool, 3);
    spool.close().expect("a clean end");
    drop(spool);

    let cut = disk.killed();
    let block = disk.edit(FIRST_SEGMENT, |bytes| bytes.len()) / 3;
    cut.edit(FIRST_SEGMENT, |bytes| bytes.truncate(3 * block - 1));
    let reason = format!("damaged: {FIRST_SEGMENT} at byte {}", 2 * block);
    assert_eq!(holes_of(&cut, 3), [hole(2, 3, &reason)]);

    let gone = disk.killed();
    gone.with(|memory| memory.names.remove(FIRST_SEGMENT));
    let reason = format!("missing: before {FIRST_SEGMENT} at byte 0");
    assert_eq!(holes_of(&gone, 3), [hole(0, 3, &reason)]);

    gone.with(|memory| memory.names.clear());
    assert_eq!(gone.open(&small()).next_index(), Index(0), "an empty directory is a new spool");
}

#[test]
fn damage_in_an_older_segment_is_a_hole_when_it_is_read() {
    let clean = killed_with(100);
    let segments = clean.segments();
    assert!(segments.len() > 3);
    let (second, third) = (&segments[1], &segments[2]);
    let first_of = |name: &str| name[..20].parse::<u64>().expect("an index");
    let (first, last) = (first_of(second), first_of(third) - 1);
    let block = clean.edit(FIRST_SEGMENT, |bytes| bytes.len() as u64) / first;
    let reason = format!("damaged: {second} at byte {}", block * (last - first));

    let changed = clean.killed();
    changed.edit(second, |bytes| *bytes.last_mut().expect("a record") ^= 1);
    assert_eq!(holes_of(&changed, 100), [hole(last, last + 1, &reason)]);

    let short = clean.killed();
    short.edit(second, |bytes| bytes.truncate((block * (last - first)) as usize));
    assert_eq!(holes_of(&short, 100), [hole(last, last + 1, &reason)]);

    let unreadable = clean.killed();
    unreadable.with(|memory| {
        memory.unreadable = Some((memory.names[second], (block * (last - first)) as usize + 40));
    });
    let spool = unreadable.open(&Options { recent_bytes: 0, ..small() });
    read_around(&spool, Index(0));
    let lost: u64 = spool.holes().iter().map(|hole| hole.end.since(hole.first)).sum();
    assert!(lost >= 1 && spool.holes().iter().all(|hole| hole.first >= Index(first)));

    let missing = clean.killed();
    missing.with(|memory| memory.names.remove(second));
    let reason = format!("damaged: {FIRST_SEGMENT} at byte {}", block * first);
    assert_eq!(holes_of(&missing, 100), [hole(first, last + 1, &reason)]);
    let missing = clean.killed();
    missing.with(|memory| memory.names.remove(FIRST_SEGMENT));
    let reason = format!("missing: before {second} at byte 0");
    assert_eq!(holes_of(&missing, 100), [hole(0, first, &reason)]);
}

#[test]
fn damage_among_acknowledged_records_costs_nothing() {
    let disk = killed_with(100);
    let second = disk.segments()[1].clone();
    let first = second[..20].parse::<u64>().expect("an index");
    disk.edit(&second, |bytes| bytes[5] ^= 1);
    let spool = disk.open(&Options { recent_bytes: 0, ..small() });
    spool.advance_cursor(Index(first + 1)).expect("a cursor");
    assert_eq!(read_all(&spool, Index(first + 1), 7).len() as u64, 99 - first);
    assert_eq!((spool.holes(), spool.damaged_blocks()), (vec![], 1));
}

#[test]
fn the_quarantine_is_bounded() {
    let disk = killed_with(100);
    for name in disk.segments() {
        disk.edit(&name, |bytes| bytes[40] ^= 1);
    }
    let options = Options { recent_bytes: 0, quarantine_bytes: 100, ..small() };
    let spool = disk.open(&options);
    read_around(&spool, Index(50));
    assert!(spool.damaged_blocks() > 2);
    drop(spool);
    for from in [0, 50] {
        let spool = disk.open(&options);
        read_around(&spool, Index(from));
        let copied = disk.with(|memory| {
            let copies = memory.names.iter().filter(|(name, _)| name.starts_with("quarantine/"));
            copies.map(|(_, file)| memory.files[*file].len()).sum::<usize>()
        });
        assert!((50..=100).contains(&copied), "{copied}");
    }
}

#[test]
fn beyond_a_thousand_holes_damage_costs_the_rest_of_its_segment() {
    let disk = MemoryDisk::default();
    let options = Options {
        max_bytes: 1 << 20,
        segment_bytes: 144 << 10,
        recent_bytes: 0,
        block_bytes: 0,
        ..small()
    };
    let spool = disk.open(&options);
    spool.begin_start("n", 1).expect("a start");
    spool.append_batch(&vec![[7; 20]; 3000], 1).expect("room");
    settle(&spool);
    let disk = disk.killed();
    let segments = disk.segments();
    let second = segments[1][..20].parse::<usize>().expect("an index");
    let block = disk.edit(FIRST_SEGMENT, |bytes| bytes.len()) / second;
    for at in (0..second).step_by(2) {
        disk.edit(FIRST_SEGMENT, |bytes| bytes[at * block + 40] ^= 1);
    }
    let spool = disk.open(&options);
    let read = read_around(&spool, Index(0)).len();
    let holes = spool.holes();
    assert!(second > 2020 && holes.len() == 1001, "{second}, {}", holes.len());
    assert_eq!((holes[1000].first, holes[1000].end), (Index(2000), Index(second as u64)));
    assert_eq!(read, 1000 + 3000 - second);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Blocks at the very end may be taken for a torn tail: no good one behind them says that they were durable.
    #[test]
    fn every_record_outside_the_holes_reads_back_right_after_bits_have_flipped(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..8_u8), 1..6),
        group in 1..6_usize,
    ) {
        let disk = MemoryDisk::default();
        let spool = disk.open(&small());
        spool.begin_start("n", 1).expect("a start");
        let values: Vec<_> = (0..120_u8).map(|n| vec![n; usize::from(n) % 50]).collect();
        for values in values.chunks(group) {
            spool.append_batch(values, 1).expect("room");
            settle(&spool);
        }
        let disk = disk.killed();
        let most = (flips.len() * group) as u64;
        for (segment, offset, bit) in flips {
            let name = segment.get(&disk.segments()).clone();
            let offset = offset.index(disk.edit(&name, |bytes| bytes.len()));
            disk.rot(&name, offset, 1 << bit);
        }
        let spool = disk.open(&Options { recent_bytes: 0, ..small() });
        prop_assert!(spool.next_index().0 >= 120 - most);
        let read = read_around(&spool, Index(0));
        let holes = spool.holes();
        let lost = |at: Index| holes.iter().any(|hole| (hole.first..hole.end).contains(&at));
        let left = (0..spool.next_index().0).map(Index).filter(|at| !lost(*at));
        let expected: Vec<_> = left.map(|at| (at, values[at.0 as usize].clone())).collect();
        prop_assert_eq!(read, expected);
        let all: u64 = holes.iter().map(|hole| hole.end.since(hole.first)).sum();
        prop_assert!(all <= most, "{:?}", holes);
        drop(spool);
        prop_assert_eq!(disk.open(&small()).holes(), holes);
    }
}

#[test]
fn a_damaged_or_missing_journal_is_an_error() {
    let clean = killed_with(3);
    let changed = clean.killed();
    changed.edit("journal", |bytes| bytes[0] ^= 1);
    assert_damaged(&open_error(&changed), "journal", 0);

    let first_entry = clean.killed();
    first_entry.edit("journal", |bytes| bytes[5] ^= 1);
    assert_damaged(&open_error(&first_entry), "journal", 4);

    clean.with(|memory| memory.names.remove("journal"));
    assert_damaged(&open_error(&clean), "journal", 0);
}

#[test]
fn acknowledged_segments_that_a_crash_left_are_removed() {
    let disk = killed_with(100);
    let spool = disk.open(&small());
    let all = disk.killed();
    spool.advance_cursor(Index(90)).expect("a cursor");
    spool.persist_cursor().expect("a journal");
    let journal = disk.edit("journal", |bytes| bytes.clone());
    all.edit("journal", |bytes| *bytes = journal);
    // A power loss may even undo an unlink and not the one after it.
    let (segments, second) = (all.segments(), all.segments()[1].clone());
    all.with(|memory| memory.names.remove(&second));

    let spool = all.open(&small());
    assert!(all.segments().len() < segments.len() - 3, "{:?}", all.segments());
    assert_eq!((spool.cursor(), spool.next_index()), (Index(90), Index(100)));
    assert_eq!(read_all(&spool, Index(90), 3).len(), 10);
}
