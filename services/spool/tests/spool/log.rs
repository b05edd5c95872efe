//! The log against a plain list: random appends, acknowledgements, reads, restarts and kills; bounds and memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::support::{MemoryDisk, now, read_all, settle, small, soon};
use proptest::prelude::*;
use sluice_spool::{AppendError, Batch, Full, Index, Options, Spool, SpoolError};

#[derive(Clone, Debug)]
enum Step {
    Append { values: usize, bytes: usize },
    Advance { permille: u64 },
    Read { limit: usize },
    Persist,
    Reopen,
    Kill,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (1..20_usize, 0..200_usize).prop_map(|(values, bytes)| Step::Append { values, bytes }),
        3 => (0..=1000_u64).prop_map(|permille| Step::Advance { permille }),
        2 => (1..50_usize).prop_map(|limit| Step::Read { limit }),
        1 => Just(Step::Persist),
        1 => Just(Step::Reopen),
        1 => Just(Step::Kill),
    ]
}

fn started(disk: &MemoryDisk, options: &Options) -> Spool {
    let spool = disk.open(options);
    spool.begin_start("nonce", 1).expect("a start");
    spool
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_spool_is_a_list(steps in prop::collection::vec(step(), 1..60)) {
        let options = small();
        let mut disk = MemoryDisk::default();
        let mut spool = started(&disk, &options);
        let (mut list, mut cursor, mut persisted) = (Vec::new(), 0, 0);
        for step in steps {
            match step {
                Step::Append { values, bytes } => {
                    let at = list.len() as i64;
                    let values: Vec<_> = (0..values).map(|n| vec![list.len() as u8; (bytes + n) % 200]).collect();
                    match spool.append_batch(&values, at) {
                        Ok(appended) => {
                            prop_assert_eq!(appended.start, Index(list.len() as u64));
                            let count = appended.end.since(appended.start) as usize;
                            list.extend(values.into_iter().take(count).map(|value| (value, at)));
                        }
                        Err(AppendError::Full(Full::Spool)) => {}
                        Err(error) => prop_assert!(false, "{error}"),
                    }
                }
                Step::Advance { permille } => {
                    cursor += (spool.durable().0 - cursor) * permille / 1000;
                    spool.advance_cursor(Index(cursor)).expect("a cursor");
                }
                Step::Read { limit } => {
                    settle(&spool);
                    prop_assert_eq!(read_all(&spool, Index(cursor), limit), &list[cursor as usize..]);
                    let oldest = list.get(cursor as usize).map(|(_, at)| *at);
                    prop_assert_eq!(spool.oldest_accepted_at_ms().expect("readable"), oldest);
                }
                Step::Persist => {
                    spool.persist_cursor().expect("a journal");
                    persisted = cursor;
                }
                Step::Reopen => {
                    spool.close().expect("a clean end");
                    prop_assert!(matches!(spool.append(b"", 0), Err(AppendError::Refused(SpoolError::Closed))));
                    spool = started(&disk, &options);
                    persisted = cursor;
                    prop_assert_eq!(spool.next_index(), Index(list.len() as u64));
                    prop_assert_eq!(spool.torn_bytes(), 0);
                }
                Step::Kill => {
                    let durable = spool.durable();
                    let killed = disk.killed();
                    drop(spool);
                    disk = killed;
                    spool = started(&disk, &options);
                    prop_assert!(durable <= spool.next_index());
                    list.truncate(spool.next_index().0 as usize);
                    prop_assert!((persisted..=cursor).contains(&spool.cursor().0));
                    cursor = spool.cursor().0;
                    persisted = cursor;
                }
            }
            prop_assert_eq!(spool.cursor(), Index(cursor));
            prop_assert_eq!(spool.next_index(), Index(list.len() as u64));
            prop_assert!(spool.bytes() <= options.max_bytes);
        }
        settle(&spool);
        prop_assert_eq!(read_all(&spool, Index(cursor), 7), &list[cursor as usize..]);
    }
}

#[test]
fn a_real_directory_keeps_everything_and_is_locked() {
    let parent = tempfile::tempdir().expect("a directory");
    let options = Options { dir: parent.path().join("a/b"), ..small() };
    let spool = Spool::open(&options).expect("a spool");
    spool.begin_start("n", 5).expect("a start");
    for n in 0..100_u8 {
        spool.append(&[n; 50], i64::from(n)).expect("room");
    }
    settle(&spool);
    let error = Spool::open(&options).err().expect("a locked spool");
    assert!(matches!(error, SpoolError::Locked(_)), "{error}");
    let clone = spool.clone();
    drop(spool);
    assert!(Spool::open(&options).is_err(), "a clone still holds it");
    drop(clone);

    let spool = Spool::open(&options).expect("a spool");
    let expected: Vec<_> = (0..100_u8).map(|n| (vec![n; 50], i64::from(n))).collect();
    assert_eq!(read_all(&spool, Index(0), 13), expected);
    spool.begin_start("m", 6).expect("a start");
    spool.append(b"more", 7).expect("room");
    settle(&spool);
    spool.advance_cursor(Index(101)).expect("a cursor");
    spool.close().expect("a clean end");
    drop(spool);

    let spool = Spool::open(&options).expect("a spool");
    assert_eq!((spool.next_index(), spool.cursor(), spool.bytes()), (Index(101), Index(101), 0));
}

#[test]
fn a_full_spool_refuses_and_has_room_again_once_a_segment_is_acknowledged() {
    let spool = started(&MemoryDisk::default(), &small());
    let mut appended = 0;
    let full = loop {
        assert!(appended < 1000, "no bound");
        match spool.append(&[7; 100], 1) {
            Ok(_) => appended += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, AppendError::Full(Full::Spool)), "{full}");
    assert!((100..160).contains(&appended), "{appended}");
    assert!(!spool.wait_for_room(100, now()).expect("a working spool"));
    settle(&spool);

    let waiting = {
        let spool = spool.clone();
        thread::spawn(move || spool.wait_for_room(100, soon()))
    };
    spool.advance_cursor(Index(appended / 2)).expect("a cursor");
    assert!(waiting.join().expect("no panic").expect("a working spool"));
    spool.append(&[7; 100], 1).expect("room");

    settle(&spool);
    spool.advance_cursor(spool.durable()).expect("a cursor");
    let largest = vec![1; spool.max_value_bytes()];
    assert!(spool.wait_for_room(largest.len(), soon()).expect("a working spool"));
    spool.append(&largest, 1).expect("any value fits once all is acknowledged");
    let over = vec![1; largest.len() + 1];
    assert!(matches!(spool.append(&over, 1), Err(AppendError::TooLarge { .. })));
}

#[test]
fn a_batch_is_taken_as_far_as_there_is_room() {
    let spool = started(&MemoryDisk::default(), &small());
    let values = vec![[1; 100]; 1000];
    let appended = spool.append_batch(&values, 1).expect("room for some");
    assert!((Index(100)..Index(160)).contains(&appended.end), "{appended:?}");
    assert_eq!(spool.next_index(), appended.end);
    assert!(matches!(spool.append_batch(&values, 1), Err(AppendError::Full(Full::Spool))));
    let none: [&[u8]; 0] = [];
    assert_eq!(
        spool.append_batch(&none, 1).expect("nothing to refuse"),
        appended.end..appended.end
    );
}

#[test]
fn calls_out_of_order_are_refused() {
    let disk = MemoryDisk::default();
    let spool = disk.open(&small());
    assert!(matches!(spool.append(b"x", 1), Err(AppendError::Refused(SpoolError::Misuse(_)))));
    assert!(matches!(spool.number_start(1), Err(SpoolError::Misuse(_))));
    spool.begin_start("n", 1).expect("a start");
    assert!(matches!(spool.begin_start("n", 1), Err(SpoolError::Misuse(_))));
    assert!(matches!(spool.advance_cursor(Index(1)), Err(SpoolError::Misuse(_))));
    spool.number_start(5).expect("a number");
    spool.number_start(5).expect("the same number");
    assert!(matches!(spool.number_start(6), Err(SpoolError::Misuse(_))));
    spool.close().expect("a clean end");
    assert!(matches!(spool.persist_cursor(), Err(SpoolError::Closed)));

    let spool = started(&disk, &small());
    assert!(matches!(spool.number_start(4), Err(SpoolError::Misuse(_))));
}

#[test]
fn old_records_are_read_with_flat_memory() {
    let disk = MemoryDisk::default();
    let options = Options {
        max_bytes: 64 << 20,
        segment_bytes: 256 << 10,
        block_bytes: 32 << 10,
        recent_bytes: 64 << 10,
        unsynced_bytes: 128 << 10,
        ..small()
    };
    let spool = started(&disk, &options);
    let values: Vec<_> = (0..160_000_u32).map(|n| n.to_le_bytes().repeat(20)).collect();
    for values in values.chunks(500) {
        assert_eq!(spool.append_batch(values, 1).expect("room").end.since(Index(0)) % 500, 0);
        assert!(spool.held_bytes() <= (64 + 128 + 64) << 10, "{}", spool.held_bytes());
    }
    spool.close().expect("a clean end");

    let spool = started(&disk, &options);
    assert!(disk.segments().len() > 50);
    let (mut at, mut batch) = (Index(0), Batch::new());
    while spool.read(at, 1000, 20_000, &mut batch).expect("readable records") > 0 {
        for (place, value) in batch.values().enumerate() {
            assert_eq!(value, values[at.0 as usize + place]);
        }
        at = batch.end();
        spool.advance_cursor(at).expect("a cursor");
        assert!(
            spool.oldest_accepted_at_ms().expect("readable").is_some() == (at < spool.durable())
        );
        assert!(spool.held_bytes() <= 2 * (32 << 10), "{}", spool.held_bytes());
    }
    assert_eq!(at, Index(160_000));
    let error = spool.read(Index(159_999), 1, 1, &mut batch).expect_err("an acknowledged record");
    assert!(matches!(error, SpoolError::Gone { cursor: Index(160_000), .. }), "{error}");
}

#[test]
fn source_and_dispatcher_run_side_by_side() {
    let spool = started(&MemoryDisk::default(), &small());
    let done = Arc::new(AtomicBool::new(false));
    let dispatcher = {
        let (spool, done) = (spool.clone(), done.clone());
        thread::spawn(move || {
            let (mut at, mut batch) = (Index(0), Batch::new());
            while !done.load(Ordering::Acquire) || at < spool.next_index() {
                if !spool
                    .wait_readable(at, now() + std::time::Duration::from_millis(5))
                    .expect("a working spool")
                {
                    continue;
                }
                spool.read(at, 100, 1000, &mut batch).expect("readable records");
                for (place, value) in batch.values().enumerate() {
                    assert_eq!(value, (at.0 + place as u64).to_le_bytes());
                }
                at = batch.end();
                spool.advance_cursor(at).expect("a cursor");
            }
            at
        })
    };
    for n in 0..50_000_u64 {
        while let Err(error) = spool.append(&n.to_le_bytes(), 1) {
            assert!(matches!(error, AppendError::Full(Full::Spool)), "{error}");
            assert!(spool.wait_for_room(8, soon()).expect("a working spool"));
        }
    }
    done.store(true, Ordering::Release);
    assert_eq!(dispatcher.join().expect("no panic"), Index(50_000));
}
