//! The full-policy drop-oldest: who asks, who drops, what becomes of it.

use std::ops::Range;

use sluice_spool::{
    AppendError, Full, FullPolicy, HoleKind, Index, Mode, Options, Spool, SpoolError, SpoolHole,
};

use crate::support::{MemoryDisk, eventually, now, read_all, read_around, settle, small, soon};

fn options(mode: Mode) -> Options {
    Options { mode, full_policy: FullPolicy::DropOldest, memory_bytes: 4 << 10, ..small() }
}

fn started(disk: &MemoryDisk, options: &Options) -> Spool {
    let spool = disk.open(options);
    spool.begin_start("n", 1).expect("a start");
    spool
}

fn has_room(spool: &Spool) -> bool {
    spool.wait_for_room(100, now()).expect("a working spool")
}

/// A spool that has just refused a record, and how many it took.
fn full(disk: &MemoryDisk, options: &Options) -> (Spool, u64) {
    let spool = started(disk, options);
    let taken = (0..).find(|n| {
        let full = spool.append(&[*n as u8; 100], 1).is_err();
        settle(&spool);
        full
    });
    (spool, taken.expect("a bound"))
}

fn range(first: u64, end: u64) -> Range<Index> {
    Index(first)..Index(end)
}

fn gap(first: u64, end: u64) -> SpoolHole {
    let kind = HoleKind::Gap("dropped: the spool was full".into());
    SpoolHole { first: Index(first), end: Index(end), kind }
}

fn acknowledged(first: u64, end: u64) -> SpoolHole {
    SpoolHole { first: Index(first), end: Index(end), kind: HoleKind::Acknowledged }
}

#[test]
fn the_oldest_segment_goes_and_the_holes_outlive_the_process() {
    let disk = MemoryDisk::default();
    let (spool, taken) = full(&disk, &options(Mode::Disk));
    settle(&spool);
    let segments = disk.segments();
    let to = spool.wants_drop().expect("a wish");
    assert_eq!(to.0, segments[1][..20].parse::<u64>().expect("an index"), "one segment");
    spool.advance_cursor(Index(1)).expect("a cursor");
    let acks = [range(3, 4), range(0, 1), range(3, 5), range(to.0 - 1, to.0 + 9)];
    spool.drop_oldest(to, &acks).expect("a drop");
    let holes = [gap(1, 3), acknowledged(3, 5), gap(5, to.0 - 1), acknowledged(to.0 - 1, to.0)];
    assert_eq!((spool.holes(), spool.cursor()), (holes.to_vec(), Index(1)));
    assert!(spool.wait_for_room(100, soon()).expect("a working spool"));
    assert_eq!(spool.wants_drop(), None);
    assert_eq!(spool.append(&[taken as u8; 100], 1).expect("room"), Index(taken));
    settle(&spool);
    assert_eq!(disk.segments()[0], segments[1]);

    let expected: Vec<_> = (to.0..=taken).map(|n| (Index(n), vec![n as u8; 100])).collect();
    let check = |spool: &Spool, cursor: u64, holes: &[SpoolHole]| {
        assert_eq!((spool.holes(), spool.cursor()), (holes.to_vec(), Index(cursor)));
        assert_eq!(read_around(spool, Index(cursor)), expected);
        assert_eq!(spool.oldest_accepted_at_ms().expect("readable"), Some(1));
    };
    check(&spool, 1, &holes);
    let disk = disk.killed();
    let spool = disk.open(&options(Mode::Disk));
    check(&spool, 1, &holes);
    spool.advance_cursor(Index(4)).expect("the cursor passes holes");
    spool.persist_cursor().expect("a journal");
    let holes = [&[acknowledged(4, 5)], &holes[2..]].concat();
    check(&spool, 4, &holes);
    check(&disk.killed().open(&options(Mode::Disk)), 4, &holes);
    spool.advance_cursor(to).expect("a cursor");
    assert_eq!(spool.holes(), []);
}

#[test]
fn nothing_is_dropped_without_need() {
    let (spool, taken) = full(&MemoryDisk::default(), &options(Mode::Disk));
    settle(&spool);
    let to = spool.wants_drop().expect("a wish");
    assert!(matches!(spool.drop_oldest(Index(taken + 1), &[]), Err(SpoolError::Misuse(_))));
    spool.advance_cursor(to).expect("a cursor");
    assert!(spool.wait_for_room(100, soon()).expect("a working spool"));
    assert_eq!(spool.wants_drop(), None, "acknowledgements made room");
    spool.drop_oldest(to, &[]).expect("nothing to do");
    assert_eq!(spool.holes(), []);

    let block = Options { full_policy: FullPolicy::Block, ..options(Mode::Disk) };
    let (spool, _) = full(&MemoryDisk::default(), &block);
    settle(&spool);
    assert_eq!(spool.wants_drop(), None);
    assert!(matches!(spool.drop_oldest(to, &[]), Err(SpoolError::Misuse(_))));
}

#[test]
fn the_oldest_blocks_in_memory_go() {
    let disk = MemoryDisk::default();
    let (spool, taken) = full(&disk, &options(Mode::Memory));
    settle(&spool);
    let to = spool.wants_drop().expect("a wish");
    assert!((3..10).contains(&to.0), "an eighth of the memory: {to}");
    spool.drop_oldest(to, &[range(1, 2)]).expect("a drop");
    let holes = vec![gap(0, 1), acknowledged(1, 2), gap(2, to.0)];
    assert_eq!(spool.holes(), holes);
    spool.append(&[taken as u8; 100], 1).expect("room");
    settle(&spool);
    let expected: Vec<_> = (to.0..=taken).map(|n| (vec![n as u8; 100], 1)).collect();
    assert_eq!(read_all(&spool, to, 5), expected);

    // What was dropped stays so; what was in memory only is lost with its numbers.
    let spool = disk.killed().open(&options(Mode::Memory));
    assert_eq!((spool.holes(), spool.next_index()), (holes, to));
}

#[test]
fn spilled_segments_go_before_what_is_in_memory() {
    let disk = MemoryDisk::default();
    let (spool, taken) = full(&disk, &options(Mode::Spill));
    let to = spool.wants_drop().expect("a wish");
    assert!(to < Index(taken / 2));
    spool.drop_oldest(to, &[]).expect("a drop");
    assert!(spool.wait_for_room(100, soon()).expect("a working spool"));
    spool.append(&[taken as u8; 100], 1).expect("room");
    settle(&spool);
    let expected: Vec<_> = (to.0..=taken).map(|n| (vec![n as u8; 100], 1)).collect();
    assert_eq!(read_all(&spool, to, 5), expected);
}

#[test]
fn a_full_disk_makes_room_by_dropping_even_the_segment_that_is_written() {
    for mode in [Mode::Disk, Mode::Spill] {
        let disk = MemoryDisk::default();
        let options = Options { segment_bytes: 1 << 20, max_bytes: 1 << 20, ..options(mode) };
        let spool = started(&disk, &options);
        spool.set_uplink(false);
        disk.with(|memory| memory.space = Some(1500));
        let mut taken = 0_u8;
        let refused = loop {
            match spool.append(&[taken; 100], 1) {
                Ok(_) => {
                    taken += 1;
                    let tried = || spool.durable() == spool.next_index() || !has_room(&spool);
                    eventually("tried to write", tried);
                }
                Err(AppendError::Full(full)) if spool.wants_drop().is_some() => break full,
                Err(AppendError::Full(_)) => {}
                Err(error) => panic!("{error}"),
            }
        };
        assert_eq!(refused, Full::Disk);
        let to = spool.wants_drop().expect("a wish");
        spool.drop_oldest(to, &[]).expect("the journal needs no space");
        assert!(spool.wait_for_room(100, soon()).expect("a working spool"));
        spool.append(&[taken; 100], 1).expect("room");
        settle(&spool);
        assert_eq!(spool.holes(), [gap(0, to.0)]);
        let expected: Vec<_> = (to.0 as u8..=taken).map(|n| (vec![n; 100], 1)).collect();
        assert_eq!(read_all(&spool, to, 5), expected);
    }
}

#[test]
fn a_disk_full_of_other_things_makes_the_oldest_in_memory_go() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &options(Mode::Spill));
    disk.with(|memory| memory.space = Some(0));
    let mut taken = 0_u8;
    while spool.wants_drop().is_none() {
        match spool.append(&[taken; 100], 1) {
            Ok(_) => taken += 1,
            Err(error) => assert!(matches!(error, AppendError::Full(Full::Disk)), "{error}"),
        }
    }
    let to = spool.wants_drop().expect("a wish");
    spool.drop_oldest(to, &[]).expect("a drop");
    assert!(spool.wait_for_room(100, soon()).expect("a working spool"));
    spool.append(&[taken; 100], 1).expect("room");
    assert_eq!(spool.holes(), [gap(0, to.0)]);
    disk.with(|memory| memory.space = None);
    spool.close().expect("a clean end");
    let spool = disk.open(&options(Mode::Spill));
    assert_eq!((spool.cursor(), spool.next_index()), (Index(0), Index(u64::from(taken) + 1)));
    let expected: Vec<_> =
        (to.0..=u64::from(taken)).map(|n| (Index(n), vec![n as u8; 100])).collect();
    assert_eq!(read_around(&spool, Index(0)), expected);
}

#[test]
fn thousands_of_pieces_are_stored() {
    let disk = MemoryDisk::default();
    let options = Options { mode: Mode::Memory, memory_bytes: 1 << 20, ..options(Mode::Memory) };
    let spool = started(&disk, &options);
    spool.append_batch(&vec![[1; 10]; 4000], 1).expect("room");
    settle(&spool);
    let acks: Vec<_> = (0..2000).map(|n| range(2 * n, 2 * n + 1)).collect();
    spool.drop_oldest(Index(3900), &acks).expect("a drop");
    assert_eq!(spool.holes().len(), 3900);
    assert_eq!(disk.killed().open(&options).holes(), spool.holes());
}
