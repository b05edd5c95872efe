//! Disks that stall, fill up and fail.

use std::thread;
use std::time::Duration;

use sluice_spool::{AppendError, Batch, Full, Index, Mode, Options, Spool, SpoolError};

use crate::support::{MemoryDisk, eventually, now, read_all, settle, small, soon};

fn started(disk: &MemoryDisk, options: &Options) -> Spool {
    let spool = disk.open(options);
    spool.begin_start("n", 1).expect("a start");
    spool
}

fn assert_failed(spool: &Spool) {
    let failed = |error: &SpoolError| matches!(error, SpoolError::Failed(reason) if reason.contains("injected"));
    let mut batch = Batch::new();
    let errors = [
        spool.wait_durable(Index(1000), soon()).err(),
        spool.wait_durable(Index(0), soon()).err(),
        spool.wait_for_room(1, soon()).err(),
        spool.read(Index(0), 1, 1, &mut batch).err(),
        spool.advance_cursor(Index(0)).err(),
        spool.persist_cursor().err(),
        spool.begin_start("m", 1).err(),
        spool.number_start(1).err(),
        spool.oldest_accepted_at_ms().err(),
        match spool.append(b"more", 1) {
            Err(AppendError::Refused(error)) => Some(error),
            other => panic!("{other:?}"),
        },
        spool.close().err(),
    ];
    assert!(errors.iter().all(|error| error.as_ref().is_some_and(failed)), "{errors:?}");
}

#[test]
fn a_failed_fsync_is_final() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &small());
    spool.append(b"safe", 1).expect("room");
    settle(&spool);
    disk.with(|memory| memory.sync_error = true);
    spool.append(b"not safe", 1).expect("room");
    assert!(spool.wait_durable(Index(2), soon()).is_err());
    disk.with(|memory| memory.sync_error = false);
    assert_eq!(spool.durable(), Index(1));
    assert_failed(&spool);
    let syncs = disk.with(|memory| memory.trace.len());
    drop(spool);
    assert_eq!(disk.with(|memory| memory.trace.len()), syncs, "nothing is tried again");
}

#[test]
fn a_failed_write_is_final() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &small());
    disk.with(|memory| memory.write_error = true);
    spool.append(b"not safe", 1).expect("room");
    assert!(spool.wait_durable(Index(1), soon()).is_err());
    assert_failed(&spool);
}

#[test]
fn a_failed_journal_is_final() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &small());
    disk.with(|memory| memory.sync_error = true);
    assert!(matches!(spool.number_start(1), Err(SpoolError::Failed(_))));
    assert_failed(&spool);
}

#[test]
fn appends_do_not_wait_for_a_stalled_disk_while_the_buffer_has_room() {
    let disk = MemoryDisk::default();
    let options = Options { unsynced_bytes: 8 << 10, ..small() };
    let spool = started(&disk, &options);
    disk.with(|memory| memory.hold_syncs = true);
    for _ in 0..60 {
        spool.append(&[1; 100], 1).expect("room");
    }
    assert_eq!((spool.durable(), spool.next_index()), (Index(0), Index(60)));
    assert!(!spool.wait_durable(Index(1), now()).expect("a working spool"));

    let blocked = {
        let spool = spool.clone();
        thread::spawn(move || {
            (0..60).map(|_| spool.append(&[1; 100], 1)).filter(Result::is_ok).count()
        })
    };
    disk.with(|memory| memory.hold_syncs = false);
    assert_eq!(blocked.join().expect("no panic"), 60);
    settle(&spool);
    assert_eq!(read_all(&spool, Index(0), 9).len(), 120);
}

/// Waits until all is durable (true), or until the spool refuses more (false).
fn durable_or_full(spool: &Spool) -> bool {
    let deadline = soon();
    while spool.durable() < spool.next_index() {
        if !spool.wait_for_room(100, now()).expect("a working spool") {
            return false;
        }
        assert!(now() < deadline, "neither durable nor full");
        thread::yield_now();
    }
    true
}

/// A spool on a disk with space for about 40 records of 100 bytes, filled. Returns how many were accepted.
fn filled(disk: &MemoryDisk, options: &Options) -> (Spool, u8) {
    let spool = started(disk, options);
    disk.with(|memory| memory.space = Some(5850));
    for n in 0.. {
        spool.append(&[n; 100], 1).expect("room");
        if !durable_or_full(&spool) {
            return (spool, n + 1);
        }
    }
    unreachable!("the disk is full before")
}

#[test]
fn a_full_disk_refuses_and_has_room_again_once_segments_are_freed() {
    let disk = MemoryDisk::default();
    let (spool, accepted) = filled(&disk, &small());
    let error = spool.append(&[0; 100], 1).expect_err("a full disk");
    assert!(matches!(error, AppendError::Full(Full::Disk)), "{error}");
    assert_eq!(spool.durable(), Index(u64::from(accepted) - 1));
    let lengths =
        disk.segments().iter().map(|name| disk.edit(name, |bytes| bytes.len() as u64)).sum::<u64>();
    assert!(lengths <= 5850 && disk.killed().open(&small()).durable() == spool.durable());

    // The journal needs no new space, so that the cursor gets through and frees segments.
    spool.advance_cursor(Index(20)).expect("a cursor");
    assert!(spool.wait_for_room(100, soon()).expect("a working spool"));
    settle(&spool);
    let expected: Vec<_> = (20..accepted).map(|n| (vec![n; 100], 1)).collect();
    assert_eq!(read_all(&spool, Index(20), 10), expected);
    assert_eq!(spool.append(b"more", 1).expect("room"), Index(u64::from(accepted)));
}

#[test]
fn a_full_disk_is_tried_again() {
    let disk = MemoryDisk::default();
    let (spool, accepted) = filled(&disk, &small());
    disk.with(|memory| memory.space = None);
    settle(&spool);
    assert_eq!(read_all(&spool, Index(0), 10).len(), usize::from(accepted));
}

#[test]
fn closing_on_a_full_disk_says_that_records_are_lost() {
    let disk = MemoryDisk::default();
    let (spool, accepted) =
        filled(&disk, &Options { disk_retry: Duration::from_secs(1000), ..small() });
    let error = spool.close().expect_err("a record that is not durable");
    assert!(matches!(error, SpoolError::DiskFull { .. }), "{error}");
    drop(spool);
    let spool = disk.open(&small());
    assert_eq!((spool.next_index(), spool.torn_bytes()), (Index(u64::from(accepted) - 1), 0));
}

#[test]
fn a_read_only_disk_refuses_with_its_reason_and_is_tried_again() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &small());
    spool.append(b"safe", 1).expect("room");
    settle(&spool);
    disk.with(|memory| memory.read_only = true);
    spool.append(b"waits", 1).expect("room");
    let refused = || matches!(spool.append(b"no", 1), Err(AppendError::Full(Full::ReadOnly)));
    eventually("a refusal", || !spool.wait_for_room(2, now()).expect("a working spool"));
    assert!(refused() && refused());
    assert_eq!((spool.durable(), spool.next_index()), (Index(1), Index(2)));
    assert_eq!(read_all(&spool, Index(0), 5), [(b"safe".to_vec(), 1)]);
    spool.advance_cursor(Index(1)).expect("a cursor");
    let error = spool.persist_cursor().expect_err("a read-only journal");
    assert!(matches!(error, SpoolError::ReadOnly { .. }), "{error}");

    disk.with(|memory| memory.read_only = false);
    assert!(spool.wait_for_room(2, soon()).expect("a working spool"));
    settle(&spool);
    spool.persist_cursor().expect("a journal");
    assert_eq!(read_all(&spool, Index(1), 5), [(b"waits".to_vec(), 1)]);
}

#[test]
fn closing_on_a_read_only_disk_says_that_records_are_lost() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &Options { disk_retry: Duration::from_secs(1000), ..small() });
    disk.with(|memory| memory.read_only = true);
    spool.append(b"lost", 1).expect("room");
    let error = spool.close().expect_err("a record that is not durable");
    assert!(matches!(error, SpoolError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_start_on_a_read_only_disk_is_an_error_that_says_so() {
    let disk = MemoryDisk::default();
    disk.with(|memory| memory.read_only = true);
    let error = Spool::open_on(Box::new(disk.clone()), &small()).err().expect("an error");
    assert!(matches!(error, SpoolError::ReadOnly { .. }), "{error}");
    disk.with(|memory| memory.read_only = false);
    drop(started(&disk, &small()));
    disk.with(|memory| memory.read_only = true);
    let error = disk.open(&small()).begin_start("m", 1).expect_err("an error");
    assert!(error.to_string().contains("read-only"), "{error}");
}

#[test]
fn spill_accepts_into_memory_while_the_disk_is_read_only() {
    let disk = MemoryDisk::default();
    let options = Options { mode: Mode::Spill, memory_bytes: 4 << 10, ..small() };
    let spool = started(&disk, &options);
    spool.append(&[0; 100], 1).expect("room");
    settle(&spool);
    disk.with(|memory| memory.read_only = true);
    spool.set_uplink(false);
    let refused = loop {
        if let Err(error) = spool.append(&[1; 100], 1) {
            break error;
        }
    };
    assert!(matches!(refused, AppendError::Full(Full::ReadOnly)), "{refused}");
    assert!(spool.next_index() > Index(30) && spool.durable() == spool.next_index());
    let records = read_all(&spool, Index(0), 9).len() as u64;
    assert_eq!(records, spool.next_index().0);
    disk.with(|memory| memory.read_only = false);
    eventually("spilled", || spool.on_disk() == spool.next_index());
    assert_eq!(spool.at_risk_bytes(), 0);
}

#[test]
fn a_failed_write_while_spilling_is_final() {
    let disk = MemoryDisk::default();
    let spool = started(&disk, &Options { mode: Mode::Spill, ..small() });
    spool.append(b"in memory", 1).expect("room");
    settle(&spool);
    disk.with(|memory| memory.write_error = true);
    spool.set_uplink(false);
    assert!(spool.wait_durable(Index(1000), soon()).is_err());
    assert_failed(&spool);
}

#[test]
fn syncs_keep_their_distance_unless_someone_waits() {
    let disk = MemoryDisk::default();
    let distance = Duration::from_millis(20);
    let options = Options { min_sync_interval: distance, unsynced_bytes: 4 << 10, ..small() };
    let spool = started(&disk, &options);
    let began = now();
    for _ in 0..10 {
        spool.append(b"one", 1).expect("room");
        settle(&spool);
    }
    assert!(began.elapsed() >= distance * 9, "{:?}", began.elapsed());
    assert_eq!(spool.syncs(), 10);

    let far = Options { min_sync_interval: Duration::from_secs(1000), ..options };
    let spool = started(&MemoryDisk::default(), &far);
    for n in 0..100 {
        spool.append(&[1; 100], 1).expect("room");
        if n == 0 {
            settle(&spool);
        }
    }
    assert!(spool.durable() >= Index(60), "a full buffer does not wait");
    spool.close().expect("a clean end does not wait either");
    assert_eq!(disk.killed().open(&small()).next_index(), Index(10));
}

#[test]
fn what_is_written_for_each_event_is_told() {
    let spool = started(&MemoryDisk::default(), &small());
    assert_eq!(spool.written_bytes_per_event().to_bits(), 0.0_f64.to_bits());
    for _ in 0..10 {
        spool.append(&[1; 100], 1).expect("room");
        settle(&spool);
    }
    let expected = spool.bytes_written() as f64 / 10.0;
    assert!((spool.written_bytes_per_event() - expected).abs() < 1e-9);
    assert!(spool.bytes_written() >= 10 * (100 + 12 + 32));
}
