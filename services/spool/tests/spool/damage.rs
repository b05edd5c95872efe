//! Torn tails are cut off; everything else that is unreadable or missing is an error that names its place.

use sluice_spool::{Batch, Index, Options, Spool, SpoolError};

use crate::support::{MemoryDisk, read_all, settle, small};

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
fn a_changed_bit_before_a_later_group_is_damage() {
    let clean = killed_with(3);
    let block = clean.edit(FIRST_SEGMENT, |bytes| bytes.len()) / 3;
    for at in block..2 * block {
        let disk = clean.killed();
        disk.edit(FIRST_SEGMENT, |bytes| bytes[at] ^= 1);
        assert_damaged(&open_error(&disk), FIRST_SEGMENT, block as u64);
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
    assert_damaged(&open_error(&cut), FIRST_SEGMENT, 2 * block as u64);

    let gone = disk.killed();
    gone.with(|memory| memory.names.remove(FIRST_SEGMENT));
    assert_damaged(&open_error(&gone), "journal", 0);

    gone.with(|memory| memory.names.clear());
    assert_eq!(gone.open(&small()).next_index(), Index(0), "an empty directory is a new spool");
}

#[test]
fn damage_in_an_older_segment_is_found_when_it_is_read() {
    let clean = killed_with(100);
    let segments = clean.segments();
    assert!(segments.len() > 3);
    let (second, third) = (&segments[1], &segments[2]);
    let first_of = |name: &str| Index(name[..20].parse().expect("an index"));
    let mut batch = Batch::new();
    let mut error_at = |disk: &MemoryDisk, from| {
        let spool = disk.open(&Options { recent_bytes: 0, ..small() });
        spool.read(from, 1, 1, &mut batch).err().unwrap_or(SpoolError::Closed)
    };

    let changed = clean.killed();
    changed.edit(second, |bytes| *bytes.last_mut().expect("a record") ^= 1);
    let block = clean.edit(FIRST_SEGMENT, |bytes| bytes.len() as u64) / first_of(second).0;
    let last = Index(first_of(third).0 - 1);
    let at = block * last.since(first_of(second));
    assert_damaged(&error_at(&changed, last), second, at);
    assert!(
        matches!(error_at(&changed, Index(last.0 - 1)), SpoolError::Closed),
        "no error before it"
    );
    assert!(matches!(error_at(&changed, last.plus(1)), SpoolError::Closed), "no error behind it");

    let short = clean.killed();
    short.edit(second, |bytes| bytes.truncate(at as usize));
    assert_damaged(&error_at(&short, last), second, at);

    let missing = clean.killed();
    missing.with(|memory| memory.names.remove(second));
    assert_damaged(&error_at(&missing, last), FIRST_SEGMENT, block * first_of(second).0);
    missing.with(|memory| memory.names.remove(FIRST_SEGMENT));
    assert_damaged(&open_error(&missing), third, 0);
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
