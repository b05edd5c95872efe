//! Starts, incarnations and the runs that follow, across restarts and after all segments are gone.

use crate::support::{MemoryDisk, settle, small};
use sluice_spool::{Index, Run, Spool};

/// A start that appends `records`.
fn start(disk: &MemoryDisk, records: u64, incarnation: Option<i64>) -> Spool {
    let spool = disk.open(&small());
    let first = spool.begin_start("nonce", 9).expect("a start");
    assert_eq!(first, spool.next_index());
    for _ in 0..records {
        spool.append(&[3; 90], 1).expect("room");
    }
    settle(&spool);
    if let Some(incarnation) = incarnation {
        spool.number_start(incarnation).expect("a number");
    }
    spool
}

fn run(incarnation: Option<i64>, first: u64, end: Option<u64>) -> Run {
    Run { incarnation, first: Index(first), end: end.map(Index), started_at_ms: 9 }
}

#[test]
fn unnumbered_starts_join_the_next_number() {
    let disk = MemoryDisk::default();
    assert_eq!(start(&disk, 3, Some(10)).runs(), [run(Some(10), 0, None)]);
    assert_eq!(start(&disk, 2, None).runs(), [run(Some(10), 0, Some(3)), run(None, 3, None)]);
    assert_eq!(disk.open(&small()).runs(), [run(Some(10), 0, Some(3)), run(None, 3, Some(5))]);
    assert_eq!(start(&disk, 4, None).runs(), [run(Some(10), 0, Some(3)), run(None, 3, None)]);
    let runs = start(&disk, 1, Some(20)).runs();
    assert_eq!(runs, [run(Some(10), 0, Some(3)), run(Some(20), 3, None)]);
    assert_eq!((runs[1].seq(Index(7)), runs[1].index(4)), (4, Index(7)));
    assert!(runs[1].contains(Index(7)) && !runs[0].contains(Index(7)) && !runs[1].is_empty());
}

#[test]
fn runs_outlive_every_segment() {
    let disk = MemoryDisk::default();
    drop(start(&disk, 30, Some(10)));
    let spool = start(&disk, 20, Some(20));
    spool.advance_cursor(Index(50)).expect("a cursor");
    spool.close().expect("a clean end");
    drop(spool);

    let spool = disk.open(&small());
    assert!(disk.segments().is_empty(), "{:?}", disk.segments());
    assert_eq!((spool.cursor(), spool.next_index()), (Index(50), Index(50)));
    assert_eq!(spool.runs(), [run(Some(10), 0, Some(30)), run(Some(20), 30, Some(50))]);
    drop(spool);
    assert_eq!(
        start(&disk, 1, Some(30)).runs()[1..],
        [run(Some(20), 30, Some(50)), run(Some(30), 50, None)]
    );
}

#[test]
fn the_journal_stays_small_over_many_starts_and_cursors() {
    let disk = MemoryDisk::default();
    for n in 0..300_u64 {
        let spool = start(&disk, u64::from(n % 3 == 0), Some(n as i64 + 1));
        for _ in 0..10 {
            spool.append(&[3; 90], 1).expect("room");
            settle(&spool);
            spool.advance_cursor(spool.durable()).expect("a cursor");
            spool.persist_cursor().expect("a journal");
        }
        let runs = spool.runs();
        let [.., previous, live] = &runs[..] else {
            assert_eq!(n, 0);
            continue;
        };
        assert_eq!((previous.incarnation, live.incarnation), (Some(n as i64), Some(n as i64 + 1)));
        assert_eq!(previous.end, Some(live.first));
    }
    let created = disk.with(|memory| memory.files.len()) - disk.segments().len();
    assert!(created > 2, "it was compacted");
    assert_eq!(disk.edit("journal", |journal| journal.len()), 64 << 10);
    assert!(start(&disk, 0, None).runs().len() < 310);
}
